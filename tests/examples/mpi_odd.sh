#!/bin/sh
# cgw-mpi: programs that do what few do, and watchers that fail.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/cgw_mpi.sh"

# run RANKS PROGRAM...
run ()
{
  rm -f out* rank-* dump
  ranks=$1
  shift
  # shellcheck disable=SC2086 # options are words
  mpi_run "$mpi" "$ranks" "$cgw_mpi" -q -o out ${options-} "$@" >log 2>&1
}

# hot_ms: the milliseconds in `hot` and below it, in the file that is left.
hot_ms ()
{
  for _ in $(seq 100); do
    test -s rank-0.out && break
    sleep .1
  done
  $cgread --dump rank-0.out >dump 2>>log
  awk -F '\t' '
    $1 == "call" && $10 == "hot" { split ($13, cost, " "); n += cost[2] }
    END { printf "%d\n", n / 1000000 }' dump
}

# hot_program STATUS MS PROGRAM...: it ends as it does without samples, which
# amount to so much.  MPI_Init is called by a constructor, MPI_Finalize by
# nobody.
hot_program ()
{
  code=$1
  least=$2
  shift 2
  if test -z "$sample"; then
    skip "$mpi: --sample $*" "cgw-mpi has no --sample here"
    return
  fi
  rm -f rank-* out dump
  "$cgw_mpi" --mpi $mpi --sample -o out "$@" >log 2>&1
  test $? = "$code" && test "$(hot_ms)" -ge "$least"
  result $? "$mpi: --sample $*" log
}

for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  mpicc.$mpi -g -O0 "$programs/mpi_odd.c" -o odd -lpthread >log 2>&1 \
    && mpicc.$mpi -shared -fPIC "$programs/mpi_constructor.c" \
      -o libconstructor.so >>log 2>&1 \
    && mpicc.$mpi "$programs/mpi_odd.c" -o begun -lpthread \
      -Wl,--no-as-needed ./libconstructor.so >>log 2>&1 \
    && mpicc.$mpi -D_GNU_SOURCE -g -O2 "$programs/sampled.c" -o sampled \
      -lpthread -Wl,--no-as-needed ./libconstructor.so >>log 2>&1 \
    && mpicc.$mpi -D_GNU_SOURCE -g -O2 "$programs/sampled_odd.c" \
      -o sampled_odd -lpthread -Wl,--no-as-needed ./libconstructor.so \
      >>log 2>&1
  result $? "$mpi: the programs compile"

  run 1 ./begun && test "$(calls MPI_Barrier out)" = 1
  result $? "$mpi: MPI_Init in a constructor" log

  if command -v mpicxx.$mpi >/dev/null; then
    mpicxx.$mpi "$programs/mpi_exception.cc" -o exception >log 2>&1 \
      && run 2 ./exception && test "$(calls MPI_Send out)" = 6 \
      && test "$(calls MPI_Comm_rank out)" = 14
    result $? "$mpi: exceptions out of MPI functions" log
  else
    skip "$mpi: exceptions out of MPI functions" "there is no mpicxx.$mpi"
  fi

  run 2 ./odd jump && test "$(calls MPI_Send out)" = 22 \
    && test "$(calls MPI_Comm_rank out)" = 20
  result $? "$mpi: longjmp out of MPI functions" log

  run 2 ./odd deep && test "$(calls MPI_Comm_rank out)" = 2 \
    && test "$(grep -c 'stacks of more than 512 frames were cut' log)" = 2
  result $? "$mpi: stacks of 10000 frames" log

  run 1 ./odd paths && grep -q 'the table of stacks is full' log \
    && $cgread --dump out >dump 2>>log \
    && awk -F '\t' '$1 == "cost" && $4 == "???" { n++ } END { exit !n }' dump
  result $? "$mpi: more stacks than there is room for" log

  run 2 ./odd system && test "$(calls MPI_Barrier out)" = 2 && ! test -s log
  result $? "$mpi: children that execute programs" log

  options=$sample
  run 1 ./odd fork && test "$(calls MPI_Initialized out)" = 0 && ! grep burn dump
  result $? "$mpi: forked children do not count" dump
  options=

  for mode in coroutine alternate close limit; do
    hot_program 7 100 ./sampled_odd $mode
  done
  hot_program 7 5 ./sampled_odd exec 20
  # Three threads of 300 ms each.
  hot_program 7 500 ./sampled_odd threads
  # One of them blocks all signals; another is a thread of C11.
  hot_program 0 500 ./sampled threads
  hot_program 7 200 ./sampled all-signals

  ${CC-cc} -I"$programs/../../examples/tools" "$programs/mpi_scribble.c" \
    -o scribble >log 2>&1 \
    && "$cgw_mpi" --mpi $mpi -o out ./scribble >>log 2>&1
  result $? "$mpi: the watcher survives a program that scribbles" log

  # Without mpirun, which ends a program that closes all.
  "$cgw_mpi" -q -o out ./odd descriptors >log 2>&1
  result $? "$mpi: nothing writes to descriptors that the program reuses" log

  # Where another rank's watcher is gone, there is no sum.
  run 2 ./odd watcher 1
  result $? "$mpi: a watcher that is killed: the program goes on" log
  only rank-0.out && grep -q 'rank-0.out: the profiles of the ranks' log
  result $? "$mpi: a watcher that is killed: the other rank's profile" log
  run 2 ./odd watcher 0 && test -f rank-1.out
  result $? "$mpi: rank 0's watcher is killed" log

  # Each rank refuses, so none waits for the others; mpirun may end one before it
  # has said so.
  mkdir folder
  mpi_run $mpi 2 "$cgw_mpi" -o folder ./odd >log 2>&1
  test $? -ne 0 && grep -q 'folder: Is a directory' log
  result $? "$mpi: a folder as output" log
  rmdir folder

  rm -f out*
  mkfifo out
  cat out >read &
  mpi_run $mpi 2 "$cgw_mpi" -q -o out ./odd >log 2>&1 && wait $! \
    && $cgread read >>log 2>&1
  result $? "$mpi: a pipe as output" log
  run 1 ./odd PMPI_Init
  result $? "$mpi: PMPI_Init" log
done

# Where nobody reads the pipe, the wait can be ended.
rm -f out* rank-*
if command -v pgrep >/dev/null; then
  mkfifo out
  "$cgw_mpi" --mpi $mpi -o "$PWD/out" ./odd >log 2>&1 &
  sleep 1
  kill $!
  for _ in $(seq 50); do
    pgrep -f "[-]o $PWD/out" >left || break
    sleep .1
  done
  ! test -s left
  result $? "a pipe that nobody reads, and a signal" log
else
  skip "a pipe that nobody reads, and a signal" "there is no pgrep"
fi

rm -f out* rank-*
echo '#!/nothing' >script
chmod +x script
"$cgw_mpi" --mpi mpich -o out ./script >log 2>&1
test $? = 127 && for _ in $(seq 50); do
  only && break
  sleep .1
done
result $? "a program that cannot be executed leaves nothing" log

done_testing
