#!/bin/sh
# run.sh - make bench and make bench-profile.
# SPDX-License-Identifier: MIT
#
# run.sh bench    makes a real profile, lets all contenders write it, checks what
#                 they wrote, measures them and ways to use the library, counts
#                 instructions, compares sizes
# run.sh profile  checks what all write that add up, measures them and the
#                 library's memory, counts instructions
#
# From the environment: srcdir, AWK, CC, CFLAGS; CGW_BENCH_RUNS: rounds, 21 of
# the writers, 11 of the sums and 7 of the stacks if it is not set.
# In the build folder: tests/bench/bench, examples/recode/cgw-recode,
# tests/bench/profile/profile.  Leaves bench.out there, with the profile, which
# the next run uses again, and the figures.
#
# Says nothing about speed by its status: that is 1 when a contender writes
# what it should not.

here=$srcdir/tests/bench
out=bench.out
mkdir -p $out || exit 1
profile=$out/profile

case " $CFLAGS " in
  *' -O2 '*) ;;
  *) echo "bench: warning: built with CFLAGS='$CFLAGS', not with -O2" >&2 ;;
esac
test -f .libs/libcgw.so \
  || echo "bench: warning: no shared library was built" >&2

# Shows what a step prints, and keeps its figures; each step has its say only
# when the one before succeeded.
step () {
  "$@" >$out/step || exit 1
  grep -v '^figure ' $out/step
  grep '^figure ' $out/step >>"$figures"
}

count () {
  if ! command -v valgrind >/dev/null; then
    echo "bench: valgrind is missing: no instructions are counted" >&2
    return
  fi
  sh "$here/count.sh" "$@" >$out/totals \
    && "$AWK" -f "$here/count.awk" $out/totals
}

# The library's output with the same header and body as callgrind's.  It has
# no padding; the figure with padding is for the body alone.
sizes () {
  examples/recode/cgw-recode -o $out/recoded $profile || return 1
  theirs=$(wc -c <$profile)
  ours=$(wc -c <$out/recoded)
  lines=$(grep -c '^[0-9+*-]' $profile)
  "$AWK" -v ours="$ours" -v theirs="$theirs" -v lines="$lines" '
    $2 == "bytes_per_line_libcgw_instr_line_13" { padded = $3 * lines }
    END {
      printf "\nsize: callgrind %d bytes, libcgw %d, with padding %d\n",
             theirs, ours, padded
      printf "figure size_against_callgrind %.6g\n", ours / theirs
      printf "figure size_against_callgrind_padded %.6g\n", padded / theirs
    }' "$figures"
}

case $1 in
  bench)
    figures=$out/figures
    bench=tests/bench/bench
    sh "$here/profile.sh" $profile || exit 1
    : >$figures
    echo "profile: $(sed -n 's/^cmd: *//p' $profile | cut -c 1-60)"
    step $bench --check $profile
    step $bench --measure $profile
    step $bench --ways $profile
    step count $bench --count $profile
    step sizes
    ;;
  profile)
    figures=$out/profiles
    : >$figures
    step tests/bench/profile/profile --check 100000 50000 2000
    step tests/bench/profile/profile --measure
    step count tests/bench/profile/profile --count
    ;;
esac

echo
cat "$figures"
"$AWK" -f "$here/targets.awk" "$here/targets" "$figures"
