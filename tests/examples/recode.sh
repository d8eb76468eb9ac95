#!/bin/sh
# recode.sh - cgw-recode as a command: exit statuses, its input and output files,
# options, and what callgrind_annotate shows of a file that it repaired.
# tests/tools/cgin.def has what it makes of lines.
#
# From the environment: srcdir.  In the build folder: examples/tools/recode/cgw-recode,
# examples/tools/lint/cgw-lint, tests/support/cgread.
# SPDX-License-Identifier: MIT

recode=$(pwd)/examples/tools/recode/cgw-recode
lint=$(pwd)/examples/tools/lint/cgw-lint
. "${srcdir-.}/tests/examples/annotate.sh"
. "${srcdir-.}/tests/support/tap.sh"
log=err
cd "$dir" || exit 1
mkdir work

# What is refused: one line, and an output file of before as it was.

# refused NAME MESSAGE OPTION...: "in" is, with this message.
refused ()
{
  name=$1
  message=$2
  shift 2
  echo old >work/out
  "$recode" "$@" -o work/out in >stdout 2>err
  test $? = 1 && test "$(cat err)" = "cgw-recode: in:$message" \
    && test ! -s stdout && test "$(ls -A work)" = out \
    && test "$(cat work/out)" = old
  result $? "$name"
}

refused "a file that is not there" " No such file or directory"
mkdir in
refused "a directory" " Is a directory"
rmdir in
printf 'events: A\nfn=f\n1 2\noops\n' >in
refused "a line" '4: unknown line: "oops"'
refused "a line, read twice" '4: unknown line: "oops"' --repair

# It must stop at the limit: it would take minutes, and memory, to go on.
head -c 4G /dev/zero 2>/dev/null | tr '\0' x 2>/dev/null \
  | "$recode" - >stdout 2>err
test $? = 1 && test ! -s stdout \
  && test "$(cat err)" = "cgw-recode: standard input:1: line too long"
result $? "a line of 4 GiB from a pipe"

# Outputs.  tests/tools/test_files.c has more of them.

printf 'events: A B\nfl=f.c\nfn=f\n1 2 3\ncfn=g\ncalls=1 2\n3 4\n' >in
"$recode" in >expected 2>err && "$cgread" --no-pad expected >err
result $? "the standard output"
"$recode" -o - in >got 2>err && cmp expected got >err
result $? "an output named -"
cp in same && "$recode" -o same same 2>err && cmp expected same >err
result $? "the output may be the input"
"$recode" -o work in 2>err
test $? = 1 && test "$(cat err)" = "cgw-recode: work: Is a directory" \
  && test -d work
result $? "an output that is a directory"
if test -w /dev/full; then
  "$recode" -o /dev/full in 2>err
  test $? = 1 && grep -q '^cgw-recode: /dev/full: No space' err
  result $? "an output that is a full device"
  "$recode" in >/dev/full 2>err
  test $? = 1 && grep -q '^cgw-recode: standard output: No space' err
  result $? "a full device"
else
  skip "full devices" "there is no /dev/full"
fi
if can_limit_files; then
  (ulimit -f 0 && "$recode" -o work/out in) >stdout 2>err
  test $? = 1 && test "$(ls -A work)" = out && test "$(cat work/out)" = old
  result $? "a file size limit"
else
  skip "a file size limit" "coverage is written, too"
fi

# --repair, of a file in the form of Go's pprof.  main has 100 in all, walk 90, of
# which 60 is its own, and copy 30 below it and 6 as the outermost, of 106.
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

if command -v callgrind_annotate >/dev/null; then
  printf '%s\n' '???:(root) 6' 'PROGRAM TOTALS 106' 'copy.s:copy 36' \
    'main.go:main 100' 'main.go:walk 90' >expected
  table go.right --inclusive=yes | diff expected - >err
  result $? "pprof: inclusive costs in callgrind_annotate"
  printf '%s\n' 'PROGRAM TOTALS 106' 'copy.s:copy 36' 'main.go:main 10' \
    'main.go:walk 60' >expected
  table go.right --inclusive=no | diff expected - >err
  result $? "pprof: self costs in callgrind_annotate"
  ! table go.callgrind --inclusive=no | diff expected - >err
  result $? "pprof: without the repair they are wrong"
else
  skip "callgrind_annotate" "callgrind_annotate is not installed"
fi

# --repair, of a file in the form of MALT's: the cost of a call directly behind
# cfn=.  main allocates 45 in all, work 5 of its own.
printf 'positions: line
events: Bytes
fl=(1) a.c
fn=(1) leak
3 40
fn=(2) work
5 2
cfn=(1)
6 40
7 3
fn=(3) main
cfn=(2)
10 45
' >malt.callgrind
"$recode" --repair -o malt.right malt.callgrind 2>err
diff - err <<'END' >diff.err
cgw-recode: malt.callgrind:9: 2 costs directly behind cfn= lack calls=: they are those of calls now
END
result $? "MALT: what is said" diff.err
"$lint" malt.right >err
result $? "MALT: the result is clean" err
cat malt.callgrind | "$recode" --repair - 2>err | cmp - malt.right >err 2>&1
result $? "MALT: from a pipe" err
if command -v callgrind_annotate >/dev/null; then
  printf '%s\n' 'PROGRAM TOTALS 45' 'a.c:leak 40' 'a.c:main 45' 'a.c:work 45' \
    >expected
  table malt.right --inclusive=yes | diff expected - >err
  result $? "MALT: inclusive costs in callgrind_annotate" err
  table malt.callgrind --inclusive=no | grep -qx 'PROGRAM TOTALS 130'
  result $? "MALT: without the repair the total is wrong"
else
  skip "MALT in callgrind_annotate" "callgrind_annotate is not installed"
fi

# Usage.  tools.sh has what all tools refuse.

for arguments in '' 'in in' '--repair --cachegrind in' \
    '--for=gprof2dot --plain in' '--for=webgrind in' '--for=kcachegrin in'; do
  # shellcheck disable=SC2086 # words
  "$recode" $arguments >stdout 2>err
  test $? = 2 && grep -q '^Usage: cgw-recode ' err && test ! -s stdout
  result $? "usage: cgw-recode $arguments"
done
cp in ./-in && "$recode" -- -in >stdout 2>err && cmp same stdout >err
result $? "-- ends the options"

done_testing
