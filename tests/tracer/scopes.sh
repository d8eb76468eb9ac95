#!/bin/sh
# Scopes of C++ as calls of a tracer: nested blocks, recursion, exceptions
# through several scopes, two counters.  The program counts by hand: the profile
# must have the same.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
scopes=$build/tests/tracer/scopes

test -f "$scopes" \
  || skip_all "tests/tracer/scopes.cc was not built: no C++ compiler"

. "${srcdir-.}/tests/examples/annotate.sh"
. "${srcdir-.}/tests/tracer/same.sh"
cd "$dir" || exit 1
profile=callgrind.out.scopes

"$scopes" >printed 2>log && test ! -s log && ! grep open printed >log
result $? "the program runs, and all scopes are left" log

"$cgread" --dump $profile >dump
result $? "the strict reader takes the profile" dump

same_calls
result $? "each scope was entered from each as often" log

awk -F '\t' '$1 == "cost" { print $1, $4, $8 }' dump >got
same cost
result $? "self costs, of counters and others" log

# What nothing calls has the sum of its own and of its calls.
awk -F '\t' '
  function add (fn, text,   c, i, first) {
    first = split (text, c, " ") - 2
    for (i = 0; i < 3; i++) sum[fn, i] += c[first + i]
    fns[fn] = 1
  }
  $1 == "call" { add("to\t" $10, $13); called[$10] = 1 }
  { add("from\t" $4, $1 == "call" ? $13 : $8) }
  END {
    for (fn in fns) {
      split (fn, f, "\t")
      if (f[1] == (f[2] in called ? "to" : "from"))
        print "inclusive", f[2], sum[fn, 0], sum[fn, 1], sum[fn, 2]
    }
  }' dump >got
same inclusive
result $? "inclusive costs, recursion once" log

total=$(awk '$1 == "inclusive" && $2 == "run" { print $3, $4, $5 }' printed)
shows "the totals" $profile "^$total PROGRAM TOTALS"
done_testing
