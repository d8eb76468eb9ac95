#!/bin/sh
# cgw-mpi: what is left when ranks end in other ways than by MPI_Finalize; ranks
# with nothing to count, or with different programs; what is refused.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

merge=$PWD/examples/tools/merge/cgw-merge
. "${srcdir-.}/tests/support/cgw_mpi.sh"

# run MPI RANKS PROGRAM...
run ()
{
  rm -f out rank-*
  mpi_of_run=$1
  ranks=$2
  shift 2
  # shellcheck disable=SC2086 # options are words
  mpi_run "$mpi_of_run" "$ranks" "$cgw_mpi" -o out ${options-} "$@" >log 2>&1
}

# Waits for the files of all ranks: not every mpirun waits for what they still
# write when it killed them.
wait_for () # RANKS
{
  for _ in $(seq 100); do
    set -- "$1" rank-*.out
    test $# -le "$1" || return 0
    sleep 0.2
  done
  ls >>log
  return 1
}

# The calls before the end are all there.
has_calls () # FILE...
{
  for file; do
    test "$(calls MPI_Comm_size "$file")" = 5 \
      && test "$(calls MPI_Comm_rank "$file")" = 1 \
      || { echo "$file" && $cgread --dump "$file"; return 1; }
  done >calls 2>&1
}

# One line names a command that adds up the files.
next_is_named () # OUT
{
  test "$(grep -c cgw-mpi: log)" = 1 || return
  next=$(sed -n 's/.*: \(cgw-merge --ranks .*\)/\1/p' log)
  PATH=${merge%/*}:$PATH sh -c "$next" >>log 2>&1 && $cgread "$1" >>log 2>&1
}

for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  mpicc.$mpi -g -O1 "$programs/mpi_ends.c" -o ends >log 2>&1 \
    && mpicc.$mpi -g -O1 "$programs/mpi_stencil.c" -o other >>log 2>&1
  result $? "$mpi: the programs compile"

  for how in kill abort exit MPI_Abort; do
    for rank in 0 2; do
      run $mpi 3 ./ends $rank $how
      test $? -ne 0
      result $? "$mpi, $how of rank $rank: mpirun fails" log
      wait_for 3
      result $? "$mpi, $how of rank $rank: each rank leaves a profile" log
      only rank-0.out rank-1.out rank-2.out
      result $? "$mpi, $how of rank $rank: and nothing else" log
      has_calls rank-*.out
      result $? "$mpi, $how of rank $rank: what all called before" calls
      next_is_named out
      result $? "$mpi, $how of rank $rank: one line says what to do next" log
    done
  done
  grep -q '^desc: Rank: 1 of 3$' rank-1.out
  result $? "$mpi: whose profile it is" rank-1.out

  # What an earlier run left must not be taken for this one's.
  run $mpi 12 ./ends 0 abort
  wait_for 12
  cp rank-11.out rank-11.out.bak
  echo mine >rank-9.out
  mpi_run $mpi 2 "$cgw_mpi" -o out ./ends 1 abort >log 2>&1
  wait_for 3
  test "$(echo rank-*)" = "rank-0.out rank-1.out rank-11.out.bak rank-9.out"
  result $? "$mpi: the files of an earlier run with more ranks are removed" log
  rm rank-9.out
  next_is_named out
  result $? "$mpi: so the command that is printed works" log
  rm rank-*.bak
  mkdir "it's"
  mpi_run $mpi 2 "$cgw_mpi" -o "it's/the out" ./ends 1 abort >log 2>&1
  next_is_named "it's/the out"
  result $? "$mpi: a shell reads the command's words as they are meant" log
  rm -r "it's"
  touch rank-1.out
  mpi_run $mpi 2 "$cgw_mpi" -o out ./ends 0 silent >log 2>&1
  result $? "$mpi, no calls: it runs" log
  only out
  result $? "$mpi, no calls: the files" log
  $cgread --dump out >dump 2>log && grep -q '^cost.*	main	' dump \
    && ! grep MPI_ dump >log
  result $? "$mpi, no calls: the time is main's" log

  run $mpi 3 sh -c 'if test "${PMI_RANK-${OMPI_COMM_WORLD_RANK-}}" = 1
    then exec ./other; else ./other; fi'
  result $? "$mpi, a script that runs the program: it runs" log
  test "$(calls MPI_Sendrecv out)" = 120
  result $? "$mpi, a script that runs the program: all ranks count" log

  # The same communication by two programs.
  cp other another
  run $mpi 3 sh -c 'if test "${PMI_RANK-${OMPI_COMM_WORLD_RANK-}}" = 1
    then exec ./other; else exec ./another; fi'
  result $? "$mpi, two programs: they run" log
  $cgread --dump out 2>log | awk -F '\t' '
    $1 == "call" && $10 == "MPI_Sendrecv" {
      sub (/.*\//, "", $2); split ($13, cost, " "); n[$2] += cost[1]
    }
    END { print n["other"], n["another"] }' >got
  test "$(cat got)" = "40 80"
  result $? "$mpi, two programs: each in its object" got

  run $mpi 2 true
  test "$(grep -c 'true: did not call MPI_Init' log)" = 2
  result $? "$mpi, no MPI program: a message of each rank" log
  only
  result $? "$mpi, no MPI program: no file" log

  run $mpi 1 sh -c 'exit 42'
  test $? = 42
  result $? "$mpi: the program's exit status" log

  options="-o /nowhere/out"
  run $mpi 2 ./other
  test $? != 0 && grep -q 'cgw-mpi: /nowhere/out: No such file' log
  result $? "$mpi: an output that cannot be written" log
  options=

  # Without mpirun, one rank.
  rm -f out rank-*
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    "$cgw_mpi" -o out ./other >log 2>&1 \
    && test "$(calls MPI_Sendrecv out)" = 40
  result $? "$mpi: without mpirun" log

  case $mpis in
    *mpich*openmpi*)
      for another in mpich openmpi; do
        test $another = $mpi && continue
        run $another 1 ./other
        test $? = 125 && grep -q 'is linked with .*, but this mpirun' log
        result $? "$mpi: a program for another mpirun" log
      done ;;
  esac
done

"$cgw_mpi" true >log 2>&1
test $? = 125 && grep -q 'true: cannot tell which MPI' log
result $? "a program that does not say which MPI" log

"$cgw_mpi" --mpi=other true >log 2>&1
test $? = 125 && grep -q 'mpich or openmpi, not other' log
result $? "an MPI that is not known" log

echo 'int main (void) { return 0; }' >static.c
if ${CC-cc} -static static.c -o static >/dev/null 2>&1; then
  "$cgw_mpi" ./static >log 2>&1
  test $? = 125 && grep -q 'static: is statically linked' log
  result $? "a static program" log
else
  skip "a static program" "the C library is not there for it"
fi

"$cgw_mpi" --mpi mpich ./nothing >log 2>&1
test $? = 127 && test "$(wc -l <log)" = 1
result $? "a program that is not there" log

done_testing
