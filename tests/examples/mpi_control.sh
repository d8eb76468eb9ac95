#!/bin/sh
# cgw-mpi: MPI_Pcontrol, sessions, and options from the environment.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/cgw_mpi.sh"

# calls FILE: each MPI function that was called, and how often.
calls ()
{
  $cgread --dump "$1" | awk -F '\t' '
    $1 == "call" && $10 ~ /^MPI_/ { split ($13, cost, " "); n[$10] += cost[1] }
    END { for (name in n) print name, n[name] }' | sort
}

for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  mpicc.$mpi -g -O1 "$programs/mpi_control.c" -o program >log 2>&1
  result $? "$mpi: the program compiles"
  for options in '' $sample; do
    rm -f out rank-*
    # shellcheck disable=SC2086 # no option, or one
    mpi_run $mpi 2 "$cgw_mpi" -q --keep $options -o out ./program >log 2>&1
    calls out >got
    echo 'MPI_Barrier 16' | diff - got >>log
    result $? "$mpi: MPI_Pcontrol interrupts the profile, $options" log
  done
  rm -f out rank-*
  mpi_run $mpi 1 "$cgw_mpi" -q --keep -o out ./program >log 2>&1
  awk 'NR == FNR { most = $1 }
    /^desc: Outside MPI: / { print "outside", $4, "most", most
                             exit $4 > most }' log rank-0.out >got
  result $? "$mpi: and its time" got

  rm -f out rank-*
  CGW_MPI_OPTIONS=' --keep  -o other -q' mpi_run $mpi 2 "$cgw_mpi" -o out \
    ./program >log 2>&1
  test -f out && ! test -f other && test -f rank-1.out && ! grep cgw-mpi log
  result $? "$mpi: options from the environment, before the command's" log
  CGW_MPI_OPTIONS='--keep ./program' "$cgw_mpi" ./program >log 2>&1
  test $? = 125 && grep -q 'CGW_MPI_OPTIONS has what is no option' log
  result $? "$mpi: only options are there" log

  echo '#include <mpi.h>' >names.c
  mpicc.$mpi -E names.c >names
  if grep -q MPI_Session_init names; then
    rm -f out rank-*
    mpi_run $mpi 3 "$cgw_mpi" -q -o out ./program sessions >log 2>&1 \
      && calls out >got \
      && printf '%s\n' 'MPI_Barrier 21' 'MPI_Comm_create_from_group 3' \
        'MPI_Comm_free 3' 'MPI_Group_free 3' \
        'MPI_Group_from_session_pset 3' | diff - got >>log
    result $? "$mpi: sessions" log
    mpi_run $mpi 3 "$cgw_mpi" -o "it's" ./program both >log 2>&1 \
      && test "$(grep -c '^cgw-mpi: 3 ranks' log)" = 1
    result $? "$mpi: a session that ends after MPI_Finalize" log
    grep -q "^Open it:  kcachegrind 'it'\\\\''s'\$" log
    result $? "$mpi: the file's name is quoted" log
  else
    skip "$mpi: sessions" "it has none"
  fi
done

done_testing
