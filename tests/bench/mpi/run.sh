#!/bin/sh
# run.sh - make bench-mpi: measures the reduction of cgw_mpi.h with each MPI that
# is here, and plays its tree for more ranks than there are processors.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder:
# tests/bench/mpi/tree, .libs/libcgw.*.  Leaves bench.out/mpi there, the
# figures.
#
# Says nothing about speed by its status: that is 1 when sums are wrong.
# SPDX-License-Identifier: MIT

tree=tests/bench/mpi/tree
here=$srcdir/tests/bench/mpi
out=bench.out
mkdir -p $out || exit 1
. "$srcdir/tests/support/mpi.sh"
: >$out/mpi

# Shows what a step prints, and keeps its figures.
step () {
  "$@" >$out/step || exit 1
  grep -v '^figure ' $out/step
  grep '^figure ' $out/step >>$out/mpi
}

# Ranks that are more than the processors take turns: what they wait for these
# is in the times.
for mpi in $mpis; do
  mpi_compile "$mpi" -o $out/reduce "$here/reduce.c" "$here/rank.c" \
    "$here/../runs.c" || exit 1
  for names in same different; do
    for ranks in 2 4 8 16 32 64; do
      mpi_run "$mpi" $ranks $out/reduce 1000 $names >$out/step || exit 1
      sed "s/^figure mpi_/figure ${mpi}_/" $out/step >>$out/mpi
    done
  done
done
test -n "$mpis" || echo "bench-mpi: no MPI is here: only the tree" >&2

# play RANKS FUNCTIONS same|different [all]
play () {
  printf '\n%s ranks, %s functions each, %s names%s\n' "$1" "$2" "$3" \
    "${4:+, each rank packed}"
  step $tree "$@"
}
play 64 1000 same
play 1000 1000 same
play 100000 1000 same
play 10000 100 same all
play 64 1000 different
play 1000 1000 different
play 100000 10 different

echo
cat $out/mpi
