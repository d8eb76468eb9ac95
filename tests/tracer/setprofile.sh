#!/bin/sh
# Python's sys.setprofile feeds a tracer: recursion, generators, exceptions, C
# functions.  The program counts its calls and costs itself: the profile must
# have the same.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
program=$(cd "${srcdir-.}" && pwd -P)/tests/programs/setprofile.py
. "${srcdir-.}/tests/support/python.sh"
. "${srcdir-.}/tests/examples/annotate.sh"
. "${srcdir-.}/tests/tracer/same.sh"
cd "$dir" || exit 1
profile=callgrind.out.python

python3 "$program" >printed 2>log && test ! -s log
result $? "the program runs, and each return is of the innermost call" log

"$cgread" --dump $profile >dump
result $? "the strict reader takes the profile" dump

same_calls
result $? "each function called each other as often" log

awk -F '\t' '$1 == "cost" && $8 > 0 { print $1, $4, $8 }' dump >got
same cost
result $? "each function has its own costs" log

# All that main calls, and itself, is all; fib calls only itself.
awk '$1 == "cost" { all += $3; cost[$2] = $3 }
  END { print all, cost["fib"] }' printed >expected
awk -F '\t' '
  $1 == "cost" && $4 == "main" { all += $8 }
  $1 == "call" { split ($13, c, " ") }
  $1 == "call" && $4 == "main" { all += c[2] }
  $1 == "call" && $10 == "fib" { fib += c[2] }
  END { print all, fib }' dump | diff expected - >log
result $? "inclusive costs add up, recursion once" log

shows "the total" $profile "^$(cut -d ' ' -f 1 expected) PROGRAM TOTALS"
done_testing
