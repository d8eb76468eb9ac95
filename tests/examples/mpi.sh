#!/bin/sh
# cgw-mpi: each call of an MPI function is counted once, at the place that calls
# it, as an independent counter (tests/programs/mpi_counter.c) counts it in the
# same run; times add up, to the nanosecond; no time itself is looked at.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

lint=$PWD/examples/tools/lint/cgw-lint
merge=$PWD/examples/tools/merge/cgw-merge
tests=$(cd "${srcdir-.}" && pwd -P)/tests
. "${srcdir-.}/tests/support/cgw_mpi.sh"
COUNTS=$PWD/counts.
export COUNTS

# counter MPI: makes counter.so, which counts what the mpi.h declares.
counter ()
{
  echo '#include <mpi.h>' >names.c
  mpicc.$1 -E names.c | grep -oE '\bMPI_[A-Z][a-z][A-Za-z0-9_]* *\(' \
    | tr -d ' (' | sort -u \
    | grep -vE '_(c2f|f2c|c2f08|f082c|f2f08|f082f|function|fn)$' \
    | grep -vE '^MPI_(Wtime|Wtick|Pcontrol|Aint_.*|T_.*)$' >names
  sed 's/.*/NAME (&)/' names >names.h
  # Those of Fortran.
  tr '[:upper:]' '[:lower:]' <names \
    | sed 's/.*/NAME (&_)\nNAME (&_f08_)\nNAME (&_f08ts_)/' >>names.h
  ${CC-cc} -O1 -shared -fPIC -DNAMES='"names.h"' -I. \
    "$programs/mpi_counter.c" -o counter.so
}

# profile MPI RANKS PROGRAM...: with the counter before the agent; $options are
# those of cgw-mpi.
profile ()
{
  rm -f out rank-* counts.*
  mpi=$1
  ranks=$2
  shift 2
  # shellcheck disable=SC2086,SC2016 # options are words; sh expands
  mpi_run "$mpi" "$ranks" "$cgw_mpi" -o out --keep ${options-} \
    sh -c 'LD_PRELOAD=$PWD/counter.so:$LD_PRELOAD; export LD_PRELOAD; exec "$@"' sh "$@" >log 2>&1
}

# The sum of the first cost, of the second and of the third.
totals () # FILE
{
  sed -n 's/^summary: //p' "$1"
}

outside () # RANK-FILE
{
  sed -n 's/^desc: Outside MPI: //p' "$1"
}

# What is not in MPI in a rank's file is the time between calls; that of
# programs without threads.
between_adds_up ()
{
  for file in rank-*; do
    $cgread --dump "$file" | awk -F '\t' -v want="$(outside "$file")" '
      $1 == "cost" && $4 !~ /^MPI_/ { split ($8, cost, " "); sum += cost[1] }
      END { if (sum != want) print sum, "outside MPI, and not", want }'
  done >wrong
  ! test -s wrong
}

# Time is that of all ranks, Slow that of the one with most time outside MPI,
# Fast that of the one with least; of equals, the lowest.
ranks_add_up ()
{
  for file in rank-*; do
    echo "$(outside "$file") $(totals "$file")"
  done | awk '
    { sum += $2 }
    NR == 1 || $1 > most { most = $1; slow = $2 }
    NR == 1 || $1 < least { least = $1; fast = $2 }
    END { printf "%.0f %.0f %.0f\n", sum, slow, fast }' >expected
  totals out >got
  diff expected got >wrong
}

# The ranks' own files make the same bytes, in any order.
merges_to_same ()
{
  for order in sort 'sort -r' 'sort -R'; do
    # shellcheck disable=SC2046 # names have no blanks
    "$merge" --ranks -o merged $(ls rank-* | $order) && cmp merged out \
      || return 1
  done >wrong 2>&1
}

# The first line at the end, the mean, and the calls agree with the profile; so
# does the manual's command for callgrind_annotate.
summary_agrees () # RANKS
{
  sed -n '/^cgw-mpi: [0-9]* ranks\?, /,$p' log | sed '$d' >said
  awk -F '\t' -v ranks="$1" '
    $1 == "cost" { split ($8, c, " "); all += c[1] }
    $1 == "cost" && $4 ~ /^MPI_/ { mpi += c[1] }
    $1 == "call" && $10 ~ /^MPI_/ {
      split ($13, c, " "); file = $3; sub (/.*\//, "", file)
      site = $10 " " $4 ($7 ? " (" file ":" $7 ")" : "")
      n[site] += c[1]; time[site] += c[2]
    }
    END {
      printf "cgw-mpi: %d rank%s, %.3f s, %.1f %% of it in MPI\n", ranks,
        ranks == 1 ? "" : "s", all / 1e9, 100 * mpi / all
      for (site in n) {
        most = time[site] > time[most] || most == "" ? site : most
        sites++
      }
      printf "%.3f s %d %s\n", time[most] / 1e9, n[most], most
      print sites < 5 ? sites : 5
    }' dump >expected
  { head -n 1 said
    sed '1,/ function /d; /^$/,$d' said >sites
    head -n 1 sites | tr -s ' ' | sed 's/^ //'
    wc -l <sites; } | diff expected - >wrong || return
  test "$1" = 1 && return
  test "$(sed '1,/in MPI$/d; /^$/,$d' said | wc -l)" \
    = $(($1 > 16 ? 4 : $1 + 1)) && test "$(grep -c 'slowest: ' said)" = 1 \
    && grep -qx 'Open it:  kcachegrind out' log || return
  command -v callgrind_annotate >/dev/null || return 0
  callgrind_annotate --auto=no --threshold=100 out 2>>wrong |
    awk '/PROGRAM TOTALS/ { gsub (",", ""); all = $1 }
         /:MPI_/ { gsub (",", ""); mpi += $1 }
         END { print 100 * mpi / all " %" }' >share
  awk 'NR == 1 { a = $(NF - 5) } NR != 1 { b = $1 }
    END { exit a - b > .1 || b - a > .1 }' said share
}

# check NAME MPI RANKS PROGRAM...
check ()
{
  name="$2, $3 ranks: $1"
  shift
  profile "$@"
  result $? "$name: it runs" log
  $cgread --dump out >dump 2>>log \
    && perl "$tests/examples/mpi_counts.pl" dump counts.* >>log
  result $? "$name: calls at each place"
  summary_agrees "$2"
  result $? "$name: what is printed" wrong
  test "$(find . -name 'rank-*' | wc -l)" = "$2" && ranks_add_up
  result $? "$name: Time, Slow and Fast" wrong
  merges_to_same
  result $? "$name: cgw-merge --ranks makes the same bytes" wrong
}

rank_counts='1 3 17'
for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  counter $mpi >log 2>&1
  result $? "$mpi: the counter compiles"
  for program in stencil imbalanced threads; do
    mpicc.$mpi -g -O1 "$programs/mpi_$program.c" -o $program -lpthread
  done >log 2>&1
  result $? "$mpi: the programs compile"

  for ranks in $rank_counts; do
    check "a stencil" $mpi $ranks ./stencil
    between_adds_up
    result $? "$name: time outside MPI" wrong
  done
  if command -v mpifort.$mpi >/dev/null; then
    for module in '' '-DMODULE=mpi' '-DMODULE=mpi_f08 -DF08'; do
      # shellcheck disable=SC2086 # flags are words
      mpifort.$mpi -g -cpp $module "$programs/mpi_fortran.f90" -o fortran \
        >log 2>&1
      result $? "$mpi: Fortran compiles, $module"
      check "Fortran $module" $mpi 3 ./fortran
      between_adds_up
      result $? "$name: time outside MPI" wrong
    done
  else
    skip "$mpi: Fortran" "there is no mpifort.$mpi"
  fi

  # The agents of two MPIs differ in how they take the calls, of C and of Fortran,
  # in nothing else: the first one shows the rest.
  test "$rank_counts" != 3 || continue
  rank_counts=3

  check "imbalance" $mpi 3 ./imbalanced
  between_adds_up
  result $? "$name: time outside MPI" wrong
  # It is in the functions that both calls around it are below; not in compute,
  # which calls nothing.
  awk -F '\t' '$1 == "cost" && $4 !~ /^MPI_/ { print $4 }' dump | sort -u >got
  printf '%s\n' main report solve | diff - got >wrong
  result $? "$name: the functions it is in" wrong
  check "threads" $mpi 3 ./threads
  options=-q
  profile $mpi 2 ./threads
  ! grep cgw-mpi log
  result $? "$mpi: -q" log
  options=
  "$lint" out >log 2>&1
  result $? "$mpi: cgw-lint has nothing to say"

  # What samples have is processor time: as much as the program takes.
  if test -n "$sample"; then
    options=$sample
    check "samples" $mpi 2 ./imbalanced 40
    options=
    awk -F '\t' '
      $1 == "cost" && $4 == "compute" { split ($8, cost, " "); sum += cost[1] }
      END { print sum / 1e9, "s"; exit sum < .5e9 || sum > 1.5e9 }' dump >wrong
    result $? "$name: where they are" wrong
  else
    skip "$mpi: samples" "cgw-mpi has no --sample here"
  fi
done

case $mpis in
  *openmpi*)
    counter openmpi
    if test -x /usr/bin/python3 \
      && /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
      check "Python" openmpi 3 /usr/bin/python3 "$programs/mpi_python.py"
    else
      skip "Python" "there is no mpi4py"
    fi
    hpcc=/usr/share/doc/hpcc/examples/_hpccinf.txt
    if command -v hpcc >/dev/null && test -f $hpcc; then
      # A smaller problem, on two ranks.
      sed -e 's/^1000  /200  /' -e 's/^80  /16  /' -e 's/^2\( *Ps\)/1\1/' \
        $hpcc >hpccinf.txt
      check "hpcc" openmpi 2 hpcc
    else
      skip "hpcc" "it is not installed"
    fi ;;
  *) skip "Python and hpcc" "they need Open MPI" ;;
esac

done_testing
