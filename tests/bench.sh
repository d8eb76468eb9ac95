#!/bin/sh
# bench.sh - the benchmark runs, what its contenders write is the same, and its
# figures come out.  Nothing here is about speed.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: tests/bench/bench.

bench=tests/bench/bench
here=$srcdir/tests/bench
. "$srcdir/tests/support/tap.sh"
profile=$srcdir/tests/fuzz/seeds/profile/by-xdebug

$bench --try "$profile" >"$dir/values" 2>"$dir/err" && test ! -s "$dir/err"
result $? "all groups are measured" "$dir/err"
awk -f "$here/report.awk" "$here/targets" "$dir/values" >"$dir/report"
result $? "the report is written" "$dir/report"
sed -n 's/^group \([^ ]*\).*/\1/p' "$dir/values" >"$dir/groups"
while read -r group; do
  grep -q "^figure $group\.[a-z_0-9]*\.[a-z_]*ns [0-9.]*$" "$dir/report"
  result $? "figures of $group" "$dir/report"
done <"$dir/groups"

# Instructions: here of two replays, which callgrind is not needed for.
$bench --count "$profile" lines >"$dir/replays" 2>"$dir/err"
sed 's/^replay \([0-9]*\)/count \10 \1/' "$dir/replays" >>"$dir/values"
printf 'lines.libcgw.instructions less 12 9\nlines.%s more 12 9\n' \
  fprintf.instructions >"$dir/targets"
awk -f "$here/report.awk" "$dir/targets" "$dir/values" >"$dir/report"
awk '/^lines.*(yes|reached|NO)$/ { print $1, $4, $5 }' "$dir/report" \
  >"$dir/met"
printf 'lines.libcgw.instructions 0 reached\nlines.%s 0 NO\n' \
  fprintf.instructions | cmp -s - "$dir/met"
result $? "instructions are compared with what they are to reach" "$dir/report"
done_testing
