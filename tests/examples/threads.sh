#!/bin/sh
# examples/threads.c counts in each thread the steps of each kind: its profile
# must have their sums.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
threads=$(cd "${builddir-.}" && pwd -P)/examples/threads
source=$(cd "${srcdir-.}" && pwd -P)/examples/threads.c
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
profile=callgrind.out.threads

"$threads" >printed 2>log && test ! -s log
result $? "the program runs" log

awk 'BEGIN { for (t = 1; t <= 4; t++) {
    triple = halve = 0
    for (i = 1; i < 1000 * t; i++)
      for (n = i; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
        if (n % 2) triple++; else halve++
    print t, halve, triple
  } }' >known
diff known printed >log
result $? "each thread takes as many steps as awk" log

# Lines "call FUNCTION calls cost" and "cost FUNCTION cost".
awk '{ halve += $2; triple += $3 }
  END { print "call halve", halve, halve; print "call triple", triple, triple
    print "cost halve", halve; print "cost triple", triple }' printed >expected
"$cgread" --dump $profile >dump
awk -F '\t' '
  $1 == "cost" { print $1, $4, $8 }
  $1 == "call" && $4 == "search" { print $1, $10, $13 }' dump | sort >got
echo $profile >files
find . -name 'callgrind.out.*' | sed 's/^\.\///' | diff files - >log \
  && diff expected got >log
result $? "one profile has the calls and costs of all threads" log

# The lines of the positions are those of what they name.
sed -n 34p "$source" | grep -q '3 \* n + 1 : n / 2' \
  && sed -n 43p "$source" | grep -q 'step (s, n)'
result $? "the lines of the positions are right"

total=$(awk '{ sum += $2 + $3 } END { print sum }' printed)
halve=$(awk '{ sum += $2 } END { print sum }' printed)
shows "the total and the calls" $profile "^$total PROGRAM TOTALS" \
  "^$halve < .*threads.c:search (${halve}x)"
done_testing
