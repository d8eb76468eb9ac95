#!/bin/sh
# examples/emulator.c counts, with its own stack, how often each instruction
# ran, how often each function was called, and how many instructions ran while
# it was open.  The profile, made from the addresses, must have the same.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
emulator=$(cd "${builddir-.}" && pwd -P)/examples/emulator
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
profile=callgrind.out.emulator

"$emulator" >printed 2>log && test ! -s log
result $? "the program runs" log

"$cgread" --dump $profile >dump
result $? "the strict reader takes the profile" dump

awk '$2 > 0 { print $1, $2 }' printed >expected
awk -F '\t' '$1 == "cost" { print $6, $8 }' dump >got
sort expected >sorted && sort got | diff sorted - >log \
  && test "$(wc -l <expected)" -gt 15
result $? "each instruction ran as often as the machine says" log

# By the functions' addresses.
awk '$3 > 0 { print $1, $3 }' printed | sort >expected
awk -F '\t' '$1 == "call" { split ($13, c, " "); n[$11] += c[1] }
  END { for (f in n) print f, n[f] }' dump | sort >got
diff expected got >log && test "$(wc -l <expected)" = 6
result $? "each function was called as often, also by jumps" log

# main, at 0x0, is called from nowhere, and has all.
awk '$4 > 0 { print $1, $4 }' printed | sort >expected
awk -F '\t' '
  $1 == "cost" { all += $8 }
  $1 == "call" { split ($13, c, " "); n[$11] += c[2] }
  END { print "0x0", all; for (f in n) print f, n[f] }' dump | sort >got
diff expected got >log
result $? "inclusive costs: recursion, jumps and skipped returns" log

# 7, 6, ... 0: each ping and pong takes the place of the last one.
awk -F '\t' '$1 == "call" && $10 ~ /^p[io]ng$/ { print $4, $6, $10, $13 }' \
  dump | sort >got
printf 'main 0xc %s\n' "ping 7 14" "pong 7 14" | diff - got >log
result $? "functions that are jumped into are called by the first caller" log

total=$(awk '{ sum += $2 } END { print sum }' printed)
main=$(awk '$1 == "0x1c" { print $4 }' printed)
others=$(awk '$1 == "0x1c" { print $3 - 1 }' printed)
shows "the total and the calls" $profile "^$total PROGRAM TOTALS" \
  "^$main < ???:main (1x) *$" "^0 < ???:b (${others}x) *$"
# Killed at any time, it leaves what it saved last.
"$emulator" 1000000000 >printed 2>log &
pid=$!
rm $profile
await $profile $pid
kill -9 $pid
wait $pid 2>/dev/null
"$cgread" $profile >counts 2>&1 && grep -q '^calls [1-9]' counts \
  && grep -q '^summary: ' $profile && test ! -s log
result $? "a killed emulator leaves what it saved last" counts
done_testing
