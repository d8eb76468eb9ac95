#!/bin/sh
# run.sh - make bench-profile: checks what all contenders write, measures them
# and the library's memory, counts instructions.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, AWK, CFLAGS; CGW_BENCH_RUNS: rounds, 11 of the
# positions and 7 of the stacks if it is not set.
# In the build folder: tests/bench/profile/profile.  Leaves bench.out/profiles
# there, the figures.
#
# Says nothing about speed by its status: that is 1 when a contender writes
# what it should not.

profile=tests/bench/profile/profile
here=$srcdir/tests/bench
out=bench.out
mkdir -p $out || exit 1

case " $CFLAGS " in
  *' -O2 '*) ;;
  *) echo "bench-profile: warning: built with CFLAGS='$CFLAGS', not with -O2" \
      >&2 ;;
esac

: >$out/profiles
# Shows what a step prints, and keeps its figures; each step has its say only
# when the one before succeeded.
step () {
  "$@" >$out/step || exit 1
  grep -v '^figure ' $out/step
  grep '^figure ' $out/step >>$out/profiles
}

step $profile --check 100000 50000 2000
step $profile --measure
if command -v valgrind >/dev/null; then
  step sh "$here/profile/count.sh" $profile
else
  echo "bench-profile: valgrind is missing: no instructions are counted" >&2
fi

echo
cat $out/profiles
"$AWK" -f "$here/targets.awk" "$here/targets" $out/profiles
