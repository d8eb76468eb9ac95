#!/bin/sh
# examples/handler.c counts its samples and rounds itself: the profile must have
# the same, and what was lost.  A crash must leave all samples so far.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
handler=$(cd "${builddir-.}" && pwd -P)/examples/handler
source=$(cd "${srcdir-.}" && pwd -P)/examples/handler.c
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
profile=callgrind.out.handler
# A loss is an error of the writer, but here only if it is not accounted for.
"$handler" >printed 2>log
status=$?
test $status = 0 || grep -q 'lost' log
result $? "the program runs" log

"$cgread" --dump $profile >dump && "$build/examples/tools/lint/cgw-lint" --all $profile \
  >>dump
result $? "the strict reader takes the profile, and cgw-lint finds nothing" dump

# What the functions and [lost] have is what the program submitted, and records
# and losses are all calls: each has a cost of 1.
awk -F '\t' '
  FNR == NR && /^recorded/ { split ($0, f, " "); kept = f[2]; lost = f[4] }
  FNR == NR && !/^recorded/ {
    split ($0, f, " "); samples[f[1]] = f[2]; rounds[f[1]] = f[3]
    want_samples += f[2]; want_rounds += f[3]; functions++
  }
  FNR < NR && $1 == "cost" {
    split ($8, c, " "); got_samples += c[1]; got_rounds += c[2]
    if ($4 == "[lost]")
      in_lost += c[1] + c[2]
    else if (lost == 0 && (c[1] != samples[$4] || c[2] != rounds[$4]))
      bad = 1
  }
  END {
    if (functions != 2 || want_samples < 100 || want_rounds == 0)
      bad = 1
    if (got_samples != want_samples || got_rounds != want_rounds)
      bad = 1
    if (in_lost != lost || kept + lost != want_samples + want_rounds)
      bad = 1
    if (bad)
      print "samples", got_samples, want_samples, "rounds", got_rounds,
        want_rounds, "lost", in_lost, lost, "recorded", kept
    exit bad
  }' printed dump >wrong
status=$?
cat printed dump >>wrong
result $status "recorded and lost are what the program counted" wrong

# The line of the positions is that of what they name.
sed -n 55p "$source" | grep -q 'volatile int n'
result $? "the line of the positions is right"

total=$(awk '/^recorded/ { next } { s += $2; r += $3 } END { print s, r }' \
  printed)
shows "the same totals" $profile "^$total PROGRAM TOTALS"

rm $profile
(ulimit -c 0; "$handler" crash; exit $?) >printed 2>log
test $? = 139 && test ! -s printed
result $? "a crash ends the program" log

# cgw_salvage writes no totals:.
"$cgread" --allow-unfinished --dump $profile >dump && ! grep '^totals: ' $profile >log \
  && awk -F '\t' '$1 == "cost" { split ($8, c, " "); samples += c[1] }
    END { print samples, "samples"; exit samples < 100 }' dump >>log
result $? "its profile has all samples" log
done_testing
