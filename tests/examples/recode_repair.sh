#!/bin/sh
# recode_repair.sh - cgw-recode --repair: each kind of repair, what is not
# certain stays, and what callgrind_annotate shows.
#
# From the environment: srcdir.  In the build folder: examples/recode/cgw-recode,
# examples/lint/cgw-lint.
# SPDX-License-Identifier: MIT

recode=$(pwd)/examples/recode/cgw-recode
lint=$(pwd)/examples/lint/cgw-lint
. "${srcdir-.}/tests/support/tap.sh"
LC_ALL=C
export LC_ALL
cd "$dir" || exit 1
log=err

# repairs NAME BODY EXPECTED MESSAGE: the body of a profile "in" and the plain
# body that comes out, without header, fl= and blank lines; and what is said.
repairs ()
{
  printf "events: A\n$2" >in
  printf "$3" >expected
  printf "$4" | sed 's/^/cgw-recode: /' >said
  "$recode" --repair --plain -o out in 2>err && diff said err >diff.err \
    && sed -e '1,/^events:/d' -e '/^fl=/d' -e '/^$/d' out >got \
    && diff expected got >>diff.err
  result $? "$1" diff.err
}

nothing='in: nothing to repair\n'

# Counts.

repairs "calls=0 with a cost" \
  'fn=f\n1 2\ncfn=g\ncalls=0 9\n3 40\ncfn=g\ncalls=0 9\n4 1\nfn=g\n9 41\n' \
  'fn=f\n1 2\ncfn=g\ncalls=1 9\n3 40\ncfn=g\ncalls=1 9\n4 1\nfn=g\n9 41\ntotals: 43\n' \
  'in:5: 2 calls with a cost have calls=0: the count is 1 now\n'
repairs "calls=0 without a cost, and counts" \
  'fn=f\n1 2\ncfn=g\ncalls=0 9\n3 0\ncfn=g\ncalls=7 9\n4 1\nfn=g\n9 1\n' \
  'fn=f\n1 2\ncfn=g\ncalls=0 9\n3 0\ncfn=g\ncalls=7 9\n4 1\nfn=g\n9 1\ntotals: 3\n' \
  "$nothing"
repairs "a function that is outermost, too" \
  'fn=f\n1 2\ncfn=g\ncalls=0 9\n3 40\nfn=g\n9 41\ncfn=h\ncalls=0 1\n8 100\nfn=h\n1 100\n' \
  'fn=f\n1 2\ncfn=g\ncalls=1 9\n3 40\nfn=g\n9 41\ncfn=h\ncalls=1 1\n8 100\nfn=h\n1 100\nfn=(root)\ncfn=g\ncalls=1 0\n0 101\ntotals: 143\n' \
  'in:5: 2 calls with a cost have calls=0: the count is 1 now
in: 1 of the functions that are called also begins without a caller: "(root)" calls it now\n'
"$recode" --repair out 2>err >again
diff - err <<'END' >diff.err
cgw-recode: out: nothing to repair
END
result $? "what was repaired is right" diff.err

# A function in a cycle has no caller from outside, and in a file with counts
# nothing is known of roots.
repairs "not in a cycle, but behind one" \
  'fn=a\n1 1\ncfn=b\ncalls=0 1\n1 9\nfn=b\n1 1\ncfn=a\ncalls=0 1\n1 5\ncfn=c\ncalls=0 1\n1 3\nfn=c\n1 5\ncfn=d\ncalls=0 1\n1 1\nfn=d\n1 1\ncfn=e\ncalls=0 1\n1 1\nfn=e\n1 1\ncfn=d\ncalls=0 1\n1 1\n' \
  'fn=a\n1 1\ncfn=b\ncalls=1 1\n1 9\nfn=b\n1 1\ncfn=a\ncalls=1 1\n1 5\ncfn=c\ncalls=1 1\n1 3\nfn=c\n1 5\ncfn=d\ncalls=1 1\n1 1\nfn=d\n1 1\ncfn=e\ncalls=1 1\n1 1\nfn=e\n1 1\ncfn=d\ncalls=1 1\n1 1\nfn=(root)\ncfn=c\ncalls=1 0\n0 3\ntotals: 9\n' \
  'in:5: 6 calls with a cost have calls=0: the count is 1 now
in: 1 of the functions that are called also begins without a caller: "(root)" calls it now\n'
repairs "two ways to a function are no cycle" \
  'fn=a\n1 1\ncfn=x\ncalls=0 1\n1 1\ncfn=b\ncalls=0 1\n1 1\nfn=x\n1 2\nfn=b\n1 5\ncfn=x\ncalls=0 1\n1 1\n' \
  'fn=a\n1 1\ncfn=x\ncalls=1 1\n1 1\ncfn=b\ncalls=1 1\n1 1\nfn=x\n1 2\nfn=b\n1 5\ncfn=x\ncalls=1 1\n1 1\nfn=(root)\ncfn=b\ncalls=1 0\n0 5\ntotals: 8\n' \
  'in:5: 3 calls with a cost have calls=0: the count is 1 now
in: 1 of the functions that are called also begins without a caller: "(root)" calls it now\n'
repairs "no root in a file with counts" \
  'fn=f\n1 2\ncfn=g\ncalls=1 9\n3 40\nfn=g\n9 41\n' \
  'fn=f\n1 2\ncfn=g\ncalls=1 9\n3 40\nfn=g\n9 41\ntotals: 43\n' "$nothing"

# Objects.

there='ob=B\nfl=b.c\nfn=g\n9 41\n'
gets='ob=A\nfn=f\n1 2\ncob=B\ncfi=b.c\ncfn=g\ncalls=1 9\n3 41\nob=B\nfn=g\n9 41\ntotals: 43\n'
lacked='in:8: 1 call lacks the cob= of its callee: it has it now\n'
repairs "a missing cob=" \
  "ob=A\nfl=a.c\nfn=f\n1 2\ncfi=b.c\ncfn=g\ncalls=1 9\n3 41\n$there" \
  "$gets" "$lacked"
repairs "a missing cob= and cfi=" \
  "ob=A\nfl=a.c\nfn=f\n1 2\n\ncfn=g\ncalls=1 9\n3 41\n$there" \
  "$gets" "$lacked"
repairs "several calls of one cfn=, definition first" \
  "${there}ob=A\nfl=a.c\nfn=f\ncfi=b.c\ncfn=g\ncalls=1 9\n3 40\ncalls=2 9\n4 1\n" \
  'ob=B\nfn=g\n9 41\nob=A\nfn=f\ncob=B\ncfi=b.c\ncfn=g\ncalls=1 9\n3 40\ncob=B\ncfi=b.c\ncfn=g\ncalls=2 9\n4 1\ntotals: 41\n' \
  'in:11: 2 calls lack the cob= of their callees: they have it now\n'
# stays NAME CALL-LINES BLOCKS: the call stays as it is.
stays ()
{
  printf "events: A\nob=A\nfl=a.c\nfn=f\n1 2\n$2calls=1 9\n3 41\n$3" >in
  "$recode" --plain -o want in 2>err && "$recode" --repair --plain -o got in \
    2>err && cmp want got && echo 'cgw-recode: in: nothing to repair' | diff - err
  result $? "$1"
}
stays "a cob= that is given" 'cob=C\ncfi=b.c\ncfn=g\n' "$there"
stays "two objects that it can be" 'cfi=b.c\ncfn=g\n' \
  "${there}ob=C\nfl=b.c\nfn=g\n9 1\n"
stays "a function of the caller's object" 'cfi=b.c\ncfn=g\n' \
  "${there}ob=A\nfl=b.c\nfn=g\n9 1\n"
stays "another file" 'cfi=c.c\ncfn=g\n' "$there"
stays "another file of the caller's object" 'cfn=g\n' \
  'ob=A\nfl=b.c\nfn=g\n9 1\n'
stays "no function of that name" 'cfi=b.c\ncfn=h\n' "$there"
printf 'events: A\nob=A\nfl=a.c\nfn=f\n1 2\ncfi=b.c\ncfn=g\ncalls=1 9\n3 0\n'"$there" >in
"$recode" --plain -o want in && "$recode" --repair --plain -o got in 2>err \
  && cmp want got
result $? "a call without a cost"

# Recursion.

repairs "recursion" \
  'fn=f\n1 2\ncfn=f\ncalls=7 1\n3 40\ncfn=g\ncalls=1 1\n3 5\nfn=g\n1 5\n' \
  'fn=f\n1 2\ncfn=f\ncalls=7 1\n3 0\ncfn=g\ncalls=1 1\n3 5\nfn=g\n1 5\ntotals: 7\n' \
  "in:5: 1 call of a function by itself has a cost that is in the function's own lines, too: it is 0 now\n"

# In the form of Go's pprof; main has 100 in all, walk 90, of which 60 is its
# own, and copy 30 below it and 6 as the outermost, of 106.
printf 'positions: instr line
events: cpu(ms)

ob=(1) prog
fl=(1) main.go
fn=(1) walk
0x461360 7 60

ob=(2) libc.so
fl=(2) copy.s
fn=(2) copy
-100 3 36

ob=(1)
fl=(1)
fn=(3) main
+400 20 10
cfl=(1)
cfn=(1)
calls=0 -643791 7
* * 90

ob=(1)
fl=(1)
fn=(1)
-200 9 0
cfl=(1)
cfn=(1)
calls=0 -10 9
* * 800
cfl=(2)
cfn=(2)
calls=0 -10 3
* * 30
' >go.callgrind
"$recode" --repair -o go.right go.callgrind 2>err
diff - err <<'END' >diff.err
cgw-recode: go.callgrind:20: 3 calls with a cost have calls=0: the count is 1 now
cgw-recode: go.callgrind:33: 1 call lacks the cob= of its callee: it has it now
cgw-recode: go.callgrind:29: 1 call of a function by itself has a cost that is in the function's own lines, too: it is 0 now
cgw-recode: go.callgrind: 1 of the functions that are called also begins without a caller: "(root)" calls it now
END
result $? "pprof: what is said" diff.err
"$lint" go.right >err
result $? "pprof: the result is clean"
cat go.callgrind | "$recode" --repair - 2>err | cmp - go.right >err 2>&1
result $? "pprof: from a pipe"

# shown FILE OPTION: the totals and functions of callgrind_annotate.
shown ()
{
  callgrind_annotate --threshold=100 --show-percs=no --auto=no "$2" "$1" \
    | sed -n 's/^ *\([0-9,]*\)  *\(PROGRAM TOTALS\|[^ ]*:[^ ]*\).*/\2 \1/p' \
    | sort
}
if command -v callgrind_annotate >/dev/null; then
  printf '%s\n' '???:(root) 6' 'PROGRAM TOTALS 106' 'copy.s:copy 36' \
    'main.go:main 100' 'main.go:walk 90' >expected
  shown go.right --inclusive=yes | diff expected - >err
  result $? "pprof: inclusive costs in callgrind_annotate"
  printf '%s\n' 'PROGRAM TOTALS 106' 'copy.s:copy 36' 'main.go:main 10' \
    'main.go:walk 60' >expected
  shown go.right --inclusive=no | diff expected - >err
  result $? "pprof: self costs in callgrind_annotate"
  ! shown go.callgrind --inclusive=no | diff expected - >err
  result $? "pprof: without the repair they are wrong"
else
  skip "callgrind_annotate" "callgrind_annotate is not installed"
fi

# Errors.

printf 'events: A\nfn=f\n1 2\noops\n' >bad
echo before >out
! "$recode" --repair -o out bad 2>err \
  && test "$(cat err)" = 'cgw-recode: bad:4: unknown line: "oops"' \
  && test "$(cat out)" = before
result $? "a bad file: one message, and nothing is written"
printf 'events: A\nfl=f\nfn=f\n1 2\n1 3\ntotals: 6\n' | "$recode" --repair - 2>err >out
printf '%s\n' \
  'cgw-recode: standard input:6: warning: totals: are not the sums of the cost lines' \
  'cgw-recode: standard input: nothing to repair' | diff - err
result $? "warnings are printed once"

# Without --repair nothing changes; a profile of libcgw needs none.
"$recode" -o same go.callgrind 2>err && grep -q '^calls=0' same \
  && ! grep -q root same
result $? "without --repair, the same profile"

done_testing
