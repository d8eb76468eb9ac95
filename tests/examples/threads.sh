#!/bin/sh
# examples/threads.c counts in each thread the steps of each kind: its profiles
# must have the same.
# SPDX-License-Identifier: MIT

threads=$(cd "${builddir-.}" && pwd -P)/examples/threads
cgread=$(cd "${builddir-.}" && pwd -P)/tests/support/cgread
source=$(cd "${srcdir-.}" && pwd -P)/examples/threads.c
. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
echo 1..9

"$threads" >printed 2>log && test "$(wc -l <printed)" = 4
result $? "the program runs" log

first=$(sed -n '1s/^1 //p' printed)
awk 'BEGIN { for (i = 1; i < 1000; i++)
    for (n = i; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
      if (n % 2) triple++; else halve++
  print halve, triple }' >known
test "$first" = "$(cat known)"
result $? "the first thread takes as many steps as awk" printed

# Lines "halve calls cost", and the same of triple.
expected () # THREAD
{
  awk -v t="$1" '$1 == t { print "call halve", $2, $2; print "call triple",
    $3, $3; print "cost halve", $2; print "cost triple", $3 }' printed
}

for t in 1 2 3 4; do
  profile=callgrind.out.threads
  test $t = 1 || profile=$profile-$t
  "$cgread" --dump $profile >dump
  awk -F '\t' '
    $1 == "cost" { print $1, $4, $8 }
    $1 == "call" && $4 == "search" { print $1, $10, $13 }' dump | sort >got
  expected $t | diff - got >log && grep -q "^thread: $t$" $profile
  result $? "thread $t: the profile has its calls and costs" log
done

# The lines of the positions are those of what they name.
sed -n 36p "$source" | grep -q '3 \* n + 1 : n / 2' \
  && sed -n 45p "$source" | grep -q 'step (s, n)'
result $? "the lines of the positions are right"

if command -v callgrind_annotate >/dev/null; then
  annotate callgrind.out.threads-4 got err
  total=$(awk '$1 == 4 { print $2 + $3 }' printed)
  tr -d , <got >plain
  test ! -s err && grep -q "^$total PROGRAM TOTALS" plain
  result $? "callgrind_annotate shows the total, and no warning" got
  halve=$(awk '$1 == 4 { print $2 }' printed)
  grep -q "^$halve < .*threads.c:search (${halve}x)" plain
  result $? "and the calls" got
else
  skip "callgrind_annotate shows the total" "it is not installed"
  skip "and the calls" "it is not installed"
fi
test $failures = 0
