#!/bin/sh
# cgw-mpi --bytes: the bytes of each call site, in C and Fortran; after an
# abort, too.
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/merge/cgw-merge, tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/cgw_mpi.sh"
cgw_merge=$mpi_build/examples/tools/merge/cgw-merge

# moved FILE: what calls send and receive, by caller and function.
moved ()
{
  $cgread --dump "$1" | awk -F '\t' '
    $1 == "call" && $10 ~ /^MPI_/ {
      split ($13, cost, " ")
      sent[$4 " " $10] += cost[5]
      received[$4 " " $10] += cost[6]
    }
    END {
      for (key in sent)
        if (sent[key] + received[key] != 0 || key ~ / MPI_Send$/)
          print key, sent[key], received[key]
    }' | sort
}

# A line is a caller, a function, and what it sends and receives in 3 ranks.
# counts are 1, 2 and 4, so 7 ints are 28 bytes.
sort >of_c <<'END'
messages MPI_Send 40 0
messages MPI_Ssend 80 0
messages MPI_Recv 0 120
messages MPI_Irecv 0 1200
messages MPI_Isend 120 0
messages MPI_Sendrecv 72 72
messages MPI_Sendrecv_replace 84 84
matched MPI_Isend 36 0
matched MPI_Mrecv 0 36
nobody MPI_Send 0 0
failed MPI_Send 0 0
derived MPI_Bcast 24 48
rooted MPI_Bcast 40 80
rooted MPI_Gather 120 120
rooted MPI_Gatherv 28 28
rooted MPI_Scatter 120 120
rooted MPI_Scatterv 28 28
rooted MPI_Reduce 120 40
to_all MPI_Allgather 120 360
to_all MPI_Allgatherv 28 84
to_all MPI_Alltoall 360 360
to_all MPI_Alltoallv 84 84
to_all MPI_Alltoallw 84 84
to_all MPI_Allreduce 120 120
to_all MPI_Reduce_scatter 84 28
to_all MPI_Reduce_scatter_block 360 120
to_all MPI_Scan 120 120
to_all MPI_Exscan 120 80
to_all MPI_Iallreduce 120 120
in_place MPI_Gatherv 28 28
in_place MPI_Scatterv 28 28
in_place MPI_Allgather 120 360
in_place MPI_Alltoall 360 360
in_place MPI_Allreduce 120 120
between_groups MPI_Bcast 40 80
between_groups MPI_Allgather 120 160
between_groups MPI_Gather 80 80
between_groups MPI_Reduce 80 40
one_sided MPI_Put 120 0
one_sided MPI_Get 0 240
one_sided MPI_Accumulate 360 0
one_sided MPI_Fetch_and_op 12 12
one_sided MPI_Get_accumulate 480 480
END

sort >of_fortran <<'END'
MPI_Allreduce 480 480
MPI_Bcast 480 960
MPI_Recv 0 320
MPI_Send 320 0
END

# run PROGRAM...
run ()
{
  rm -f out* rank-*
  mpi_run "$mpi" 3 "$cgw_mpi" -q --bytes --keep -o out "$@" \
    >log 2>&1
}

for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  mpicc.$mpi -g -O0 "$programs/mpi_bytes.c" -o program >log 2>&1
  result $? "$mpi: the program compiles"

  run ./program && moved out | diff of_c - >>log
  result $? "$mpi: the bytes of each call" log
  "$cgw_merge" --ranks -o again rank-*.out >log 2>&1 && cmp out again >>log
  result $? "$mpi: cgw-merge --ranks" log
  grep -q '^event: Sent : Bytes sent$' out \
    && grep -q '^event: Recv : Bytes received$' out \
    && grep -q '^events: Time Slow Fast Sent Recv$' out
  result $? "$mpi: the events" out

  # Without --bytes, a rank's file does not go with them.
  mv rank-0.out with
  mpi_run "$mpi" 3 "$cgw_mpi" -q --keep -o out ./program >log 2>&1 \
    && grep -q '^events: Time Slow Fast$' out
  result $? "$mpi: without --bytes" log
  "$cgw_merge" --ranks -o again with rank-1.out >log 2>&1
  test $? -ne 0 && grep -q 'rank-1.out: has other events than with$' log
  result $? "$mpi: files with bytes and without" log

  # Not every mpirun waits for the files.
  run ./program abort
  for _ in $(seq 100); do
    cat rank-*.out 2>/dev/null | grep -c '^totals:' | grep -q 3 && break
    sleep .2
  done
  "$cgw_merge" --ranks -o out rank-*.out >>log 2>&1 \
    && moved out | diff of_c - >>log
  result $? "$mpi: after an abort" log

  if command -v mpifort.$mpi >/dev/null; then
    for module in '' '-DMODULE=mpi' '-DMODULE=mpi_f08 -DF08'; do
      # shellcheck disable=SC2086 # flags are words
      mpifort.$mpi -g -cpp $module "$programs/mpi_fortran.f90" -o fortran \
        >log 2>&1 && run ./fortran && moved out \
        | awk '{ sent[$2] += $3; received[$2] += $4 }
            END { for (f in sent) print f, sent[f], received[f] }' \
        | sort | diff of_fortran - >>log
      result $? "$mpi: Fortran $module" log
    done
  else
    skip "$mpi: Fortran" "there is no mpifort.$mpi"
  fi
done

done_testing
