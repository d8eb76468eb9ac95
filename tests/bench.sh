#!/bin/sh
# bench.sh - the benchmark's contenders write what they should, what is wrong
# is found, and the figures come out.  Nothing here is about speed.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: tests/bench/bench,
# tests/bench/growth, tests/bench/profile/profile, tests/bench/mpi/tree.

bench=tests/bench/bench
here=$srcdir/tests/bench
small=$here/small.callgrind
. "$srcdir/tests/support/tap.sh"
LC_ALL=C
export LC_ALL

# count_is N PATTERN FILE: as many lines of the file are so.
count_is () { test "$(grep -c "$2" "$3")" -eq "$1"; }

# Seven contenders write (the eighth is the replay alone), in six
# configurations, into memory and into a file.

$bench --check "$small" >"$dir/out" 2>"$dir/err"
result $? "all contenders write the profile" "$dir/err"
count_is 42 '^figure bytes_per_line_' "$dir/out" && test ! -s "$dir/err"
result $? "each in all configurations" "$dir/out"

# wrong NAME N SED-SCRIPT: with a profile that is changed so, as what is to be
# expected, N outputs are found wrong by --check, or another mode.
mode=--check
wrong () {
  sed "$3" "$small" >"$dir/changed"
  ! cmp -s "$small" "$dir/changed" \
    && ! $bench $mode "$small" "$dir/changed" >"$dir/out" 2>"$dir/err" \
    && count_is "$2" ': wrong: ' "$dir/err"
  result $? "$1 is found $2 times by $mode" "$dir/err"
}

wrong "a cost that differs" 84 's/^+2 \* 63 63 0 0 2 /+2 * 64 63 0 0 2 /
  s/^+2 +9 63 63/+2 +9 64 63/'
wrong "the last counter of a call" 28 's/ 907 44$/ 907 44 1/'
wrong "an address" 42 's/^0x96120 /0x96121 /'
wrong "a line" 84 's/^0x96120 4417 /0x96120 4416 /'
# Raw structs hold no names.
wrong "a function's name" 72 's/) _int_free$/) int_free/'
wrong "an inlined file's name" 72 's,) ./malloc/./malloc/arena.c$,) arena.c,'
wrong "a number of calls" 84 's/^calls=1 0x6560/calls=2 0x6560/'

# refused NAME MESSAGE FILE: this is no profile to replay.
refused () {
  $bench --check "$3" >"$dir/out" 2>"$dir/err"
  test $? -eq 1 && grep -q "$2" "$dir/err"
  result $? "$1 is refused" "$dir/err"
}

refused "a profile with other events" "not with --dump-instr=yes" \
  "$srcdir/tests/data/xdebug"
sed 's/^fn=(666).*/&\
jump=1 0x96122 4417\
0x96120 4417/' "$small" >"$dir/jumps"
refused "a profile with jumps" "it has jumps" "$dir/jumps"
sed 's/^calls=1 0x6560/calls=0 0x6560/' "$small" >"$dir/never"
refused "a call that never happened" "it has calls that never happened" \
  "$dir/never"
refused "no profile" "No such file" "$dir/none"

# Figures.

CGW_BENCH_RUNS=2 $bench --measure "$small" >"$dir/out" 2>"$dir/err" \
  && count_is 6 '^figure against_binary_[a-z_]*line_' "$dir/out" \
  && count_is 6 '^figure file_against_binary_[a-z_]*line_' "$dir/out"
result $? "all configurations are measured" "$dir/out"
CGW_BENCH_RUNS=0 $bench --measure "$small" >"$dir/out" 2>"$dir/err"
test $? -eq 2
result $? "a number of runs that is none is refused" "$dir/err"
$bench --count "$small" >"$dir/out" 2>"$dir/err" \
  && count_is 36 '^replay [0-9]* [a-z_]* [a-z0-9_]*$' "$dir/out"
result $? "valgrind has its replays" "$dir/out"

# Fourteen ways to use the library, in two configurations; pushed samples hold
# costs and addresses alone.
CGW_BENCH_RUNS=1 $bench --ways "$small" >"$dir/out" 2>"$dir/err" \
  && count_is 28 '^figure ways_ns_' "$dir/out" \
  && count_is 28 '^figure ways_against_handles_' "$dir/out" \
  && count_is 26 '^figure ways_bytes_' "$dir/out" && test ! -s "$dir/err"
result $? "ways to use the library are measured" "$dir/out"
mode=--ways
wrong "a cost that differs" 28 's/^+2 \* 63 63 0 0 2 /+2 * 64 63 0 0 2 /
  s/^+2 +9 63 63/+2 +9 64 63/'
test ! -s "$dir/out"
result $? "then nothing is measured" "$dir/out"
wrong "an address" 28 's/^0x96120 /0x96121 /'
wrong "a number of calls" 26 's/^calls=1 0x6560/calls=2 0x6560/'

CGW_BENCH_RUNS=1 tests/bench/growth 5 3 >"$dir/out" 2>"$dir/err" \
  && count_is 3 '^figure growth_' "$dir/out" \
  && count_is 2 '^figure bytes_per_name_' "$dir/out"
result $? "growth is measured" "$dir/out"

# Profiles: the library, uthash and std::unordered_map, as far as configure
# found them, add up positions; the library and a simple way add stacks of two
# shapes.

profile=tests/bench/profile/profile
$profile --check 2000 1500 100 >"$dir/out" 2>"$dir/err" && test ! -s "$dir/err"
result $? "sums of positions and stacks are right" "$dir/err"
contenders=$(sed -n 's/^positions: \([0-9]*\) contenders$/\1/p' "$dir/out")
$profile --differ 2000 1500 100 >"$dir/out" 2>"$dir/err"
test $? -eq 1 && count_is "${contenders:-0}" '^positions, .*: wrong: ' \
  "$dir/err" && count_is 4 '^stacks, .*: wrong: ' "$dir/err" \
  && count_is 2 '^calls, .*: wrong: ' "$dir/err"
result $? "a cost and a call that differ are found in all of them" "$dir/err"
$profile --check 2000 99 100 >"$dir/out" 2>"$dir/err"
test $? -eq 2
result $? "more distinct stacks than stacks are refused" "$dir/err"
CGW_BENCH_RUNS=1 $profile --measure 2000 1500 100 >"$dir/out" 2>"$dir/err" \
  && count_is "$contenders" '^figure profile_ns_known_' "$dir/out" \
  && count_is 4 '^figure profile_ns_stack_' "$dir/out" \
  && count_is 2 '^figure profile_stacks_times_as_fast' "$dir/out" \
  && count_is 1 '^figure profile_bytes_per_position ' "$dir/out" \
  && count_is 2 '^figure profile_bytes_per_frame' "$dir/out" \
  && count_is 2 '^figure tracer_ns_call_libcgw' "$dir/out" \
  && count_is 2 '^figure names_ns_' "$dir/out" \
  && count_is 1 '^figure tracer_bytes_per_level ' "$dir/out"
result $? "profiles are measured" "$dir/out"
$profile --count >"$dir/out" 2>"$dir/err" \
  && count_is 39 '^replay [0-9]* [a-z_]*$' "$dir/out"
result $? "valgrind has their replays" "$dir/out"

# Targets: more is better for one, less for the others.

{ cat "$here/targets"; echo 'made_up more 10 16'; } >"$dir/targets"
cat >"$dir/figures" <<'END'
figure instructions_pure 86
figure instructions_workload_13 260
figure slower_than_memcpy_line_13 3.5
figure made_up 9.9
figure of_no_target 1
END
awk -f "$here/targets.awk" "$dir/targets" "$dir/figures" \
  | awk 'NF == 5 { print $1, $5 }' >"$dir/out"
cat >"$dir/expected" <<'END'
figure met?
instructions_pure yes
instructions_workload_13 reached
slower_than_memcpy_line_13 NO
made_up NO
END
cmp -s "$dir/out" "$dir/expected"
result $? "figures are compared with what they are to reach" "$dir/out"
echo 'figure of_no_target 1' >"$dir/figures"
awk -f "$here/targets.awk" "$here/targets" "$dir/figures" >"$dir/out"
test $? -eq 1
result $? "no figure at all is a failure" "$dir/out"

# The tree of 37 ranks has six levels.
for names in "same" "same all" "different"; do
  # shellcheck disable=SC2086 # words
  tests/bench/mpi/tree 37 20 $names >"$dir/out" 2>"$dir/err" \
    && test ! -s "$dir/err" && count_is 4 '^figure tree_' "$dir/out" \
    && count_is 6 '^ *[0-9]* ' "$dir/out"
  result $? "the reduction of 37 ranks, $names" "$dir/err"
done
done_testing
