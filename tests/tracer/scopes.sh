#!/bin/sh
# Scopes of C++ as calls of a tracer: nested blocks, recursion, exceptions
# through several scopes, two counters.  The program counts by hand: the profile
# must have the same.
# SPDX-License-Identifier: MIT

build=$(cd "${builddir-.}" && pwd -P)
scopes=$build/tests/tracer/scopes
cgread=$build/tests/support/cgread

if ! test -f "$scopes"; then
  echo "1..0 # SKIP tests/tracer/scopes.cc was not built: no C++ compiler"
  exit 0
fi

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
profile=callgrind.out.scopes
echo 1..6

"$scopes" >printed 2>log && test ! -s log && ! grep open printed >log
result $? "the program runs, and all scopes are left" log

"$cgread" --dump $profile >dump
result $? "the strict reader takes the profile" dump

same () # KIND: as many lines of it in got as the program printed
{
  grep "^$1 " printed | grep -v ' 0 0 0$' | sort >expected
  sort got | diff expected - >log && test "$(wc -l <expected)" -ge 9
}

awk -F '\t' '$1 == "call" { split ($13, c, " "); n[$4 " " $10] += c[1] }
  END { for (edge in n) print "call", edge, n[edge] }' dump >got
same call
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

if command -v callgrind_annotate >/dev/null; then
  annotate $profile got err
  total=$(awk '$1 == "inclusive" && $2 == "run" { print $3, $4, $5 }' printed)
  tr -d , <got >plain
  test ! -s err && grep -q "^$total PROGRAM TOTALS" plain
  result $? "callgrind_annotate shows the totals, and no warning" got
else
  skip "callgrind_annotate shows the totals" "it is not installed"
fi
test $failures = 0
