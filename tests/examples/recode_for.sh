#!/bin/sh
# recode_for.sh - cgw-recode --for: what is written for each reader, and what is
# said that the reader does not show.
#
# The readers in Debian read the files.  For the others cgw-lint knows what they
# misread, and the lines are compared.
#
# From the environment: srcdir.  In the build folder: examples/tools/recode/cgw-recode,
# examples/tools/lint/cgw-lint.
# SPDX-License-Identifier: MIT

recode=$(pwd)/examples/tools/recode/cgw-recode
lint=$(pwd)/examples/tools/lint/cgw-lint
data=$(cd "${srcdir-.}" && pwd)/tests/fuzz/seeds/profile
. "${srcdir-.}/tests/examples/annotate.sh"
. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/kcachegrind.sh"
cd "$dir" || exit 1
log=err
readers='kcachegrind callgrind_annotate cg_annotate gprof2dot qtcreator speedscope'

# A file with all that some reader lacks.  main calls itself; a and b call each
# other; no line says what silent cost; there are two functions other.
cat >rich <<'END'
# callgrind format
version: 1
creator: test
pid: 7
cmd: ./rich
part: 1
thread: 1
desc: Trigger: a
positions: instr line
event: Ir : Instructions
event: Sum = Ir + 2 Dr : Both
events: Ir Dr
summary: 77 8
ob=(1) rich
fl=(2) jump.c
fn=(2) other
0x90 9 4 0
fl=(1) rich.c
fn=(1) main
0x10 1 10 3
jfi=(2)
jfn=(2)
jump=1 0x90 9
0x14 2
cfn=(1)
calls=1 0x10 1
0x18 3 9 3
cfn=(3) a
calls=0 0x40 10
0x1c 4 20 3
totals: 14 3

pid: 7
cmd: ./rich
part: 2
thread: 2
desc: Trigger: a
positions: instr line
event: Ir : Instructions
event: Sum = Ir + 2 Dr : Both
events: Ir Dr
ob=(1) rich
fl=(1) rich.c
fn=(3) a
0x40 10 5 1
cfn=(4) b
calls=1 0x50 20
0x44 11 15 2
fn=(4) b
0x50 20 6 2
cfn=(3)
calls=1 0x40 20
0x54 21 0 0
cfn=(6) silent
calls=2 0x60 30
0x58 22 0 0
fn=(5) other
0x70 40 9 0
totals: 20 3
END

# for_reader READER: what is said, without the beginning of each line.
for_reader ()
{
  "$recode" --for "$1" -o "$1.out" rich 2>err
  test $? = 0 && sed 's/^cgw-recode: rich:\([0-9]*:\)* //' err >said
}

# said READER: standard input is what is said.
said ()
{
  cat >expected
  for_reader "$1" && diff expected said >diff.err
  result $? "$1: what is said" diff.err
}

# has READER NAME REGEX COUNT: so many lines match.
has ()
{
  grep -c -e "$3" "$1.out" >got
  test "$(cat got)" = "$4"
  result $? "$1: $2" "$1.out"
}

said kcachegrind <<'END'
1 call with a cost has calls=0: the count is 1 now
END
has kcachegrind "parts" '^part: [12]$' 2
has kcachegrind "threads" '^thread: [12]$' 2
has kcachegrind "addresses" '^positions: instr line$' 2
has kcachegrind "events" '^event: ' 4
has kcachegrind "jumps" '^jump=' 1

said callgrind_annotate <<'END'
1 call with a cost has calls=0: the count is 1 now
1 call of a function by itself has a cost that is in the function's own lines, too: it is 0 now
1 of the functions that are called also begins without a caller: "(root)" calls it now
callgrind_annotate shows one part: all are added up
callgrind_annotate shows no addresses: they are left out
callgrind_annotate shows no long names of events: they are left out
callgrind_annotate computes no derived events: they are left out
callgrind_annotate shows no jumps: they are left out
callgrind_annotate counts functions that call themselves through others several times
END
printf '%s\n' 'pid: 7' 'cmd: ./rich' 'desc: Trigger: a' 'positions: line' \
  'events: Ir Dr' >expected
sed -n '4,/^events:/p' callgrind_annotate.out | diff expected - >diff.err
result $? "callgrind_annotate: one header of both" diff.err
test "$(tail -n 1 callgrind_annotate.out)" = 'totals: 34 6'
result $? "callgrind_annotate: the events of both parts" callgrind_annotate.out

said cg_annotate <<'END'
cg_annotate shows one part: all are added up
cg_annotate has no place for the number of the thread: it is left out
cg_annotate shows no addresses: they are left out
cg_annotate shows no long names of events: they are left out
cg_annotate computes no derived events: they are left out
cg_annotate shows no calls: they are left out
cg_annotate shows no jumps: they are left out
END
test "$(tail -n 1 cg_annotate.out)" = 'summary: 34 6'
result $? "cg_annotate: the sums" cg_annotate.out

said gprof2dot <<'END'
1 call with a cost has calls=0: the count is 1 now
gprof2dot shows one part: all are added up
gprof2dot shows no addresses: they are left out
gprof2dot shows no long names of events: they are left out
gprof2dot computes no derived events: they are left out
gprof2dot shows the first event alone
gprof2dot shows no jumps: they are left out
gprof2dot cannot tell apart functions that have the same name
END
has gprof2dot "no jump, whose jfn= it dies of" '^j' 0

said speedscope <<'END'
1 call with a cost has calls=0: the count is 1 now
speedscope shows one part: all are added up
speedscope shows no addresses: they are left out
speedscope shows no long names of events: they are left out
speedscope computes no derived events: they are left out
speedscope shows no jumps: they are left out
speedscope counts functions that call themselves through others several times
END
has speedscope "one events: line" '^events:' 1
has speedscope "each cost is there" '^[0-9+*-][^ ]* [0-9]* [0-9]*$' 9
has speedscope "no fewer or more" '^[0-9+*-]' 9
awk '/^fn=/ { f = substr ($0, 4) } /^cfn=/ { c = substr ($0, 5) }
     { sub (/ .*/, "", f); sub (/ .*/, "", c) }
     /^calls=/ && f == c { exit 1 }' speedscope.out
result $? "speedscope: no calls of a function by itself" speedscope.out

said qtcreator <<'END'
1 call with a cost has calls=0: the count is 1 now
Qt Creator shows one part: all are added up
Qt Creator has no place for the number of the thread: it is left out
Qt Creator shows no addresses: they are left out
Qt Creator shows no long names of events: they are left out
Qt Creator computes no derived events: they are left out
Qt Creator shows no jumps: they are left out
Qt Creator counts functions that call themselves through others several times
END
has qtcreator "the sums, for percentages" '^summary: 34 6$' 1
has qtcreator "no relative target, which it takes for 0" '^calls=.* [+*-]' 0
has qtcreator "no key that ends its header" '^\(event\|thread\|totals\):.*:' 0
awk '/^fn=/ { sub (/^fn=/, ""); sub (/ .*/, ""); if (seen[$0]++) exit 1 }' \
  qtcreator.out
result $? "qtcreator: each function in one place" qtcreator.out
awk '/^c?fn=/ { key = /^c/ ? "called" : "there"; sub (/^c?fn=/, "")
                sub (/ .*/, ""); is[key, $0] = 1; all[$0] = 1 }
     END { for (f in all) if (is["called", f] && !is["there", f]) exit 1 }' \
  qtcreator.out
result $? "qtcreator: each called function has a place" qtcreator.out

# What Debian's readers show.
if command -v callgrind_annotate >/dev/null; then
  printf '%s\n' 'PROGRAM TOTALS 34' 'jump.c:other 4' 'rich.c:a 5' 'rich.c:b 6' \
    'rich.c:main 10' 'rich.c:other 9' >expected
  table callgrind_annotate.out --show=Ir 2>err | grep -v silent \
    | diff expected - >diff.err && test ! -s err
  result $? "callgrind_annotate: self costs of both parts" diff.err
  table callgrind_annotate.out --inclusive=yes --show=Ir 2>err >got
  grep -q '^rich.c:main 30$' got && grep -q 'TOTALS 34$' got
  result $? "callgrind_annotate: the inclusive cost of what calls itself" got
else
  skip "callgrind_annotate" "callgrind_annotate is not installed"
fi
if command -v cg_annotate >/dev/null; then
  cg_annotate --show-percs=no --auto=no --threshold=0 cg_annotate.out >got \
    2>err && test ! -s err && grep -q '^34 *6 *PROGRAM TOTALS' got \
    && grep -q '^10 *3 *rich.c:main' got
  result $? "cg_annotate: self costs of both parts" got
else
  skip "cg_annotate" "cg_annotate is not installed"
fi
if has_kcachegrind; then
  kcachegrind_says 'raise()' "$dir/kcachegrind.out" "$dir/kcachegrind.log" \
    && ! grep -q Loading kcachegrind.log
  result $? "kcachegrind opens it, and has nothing to say" kcachegrind.log
else
  skip "kcachegrind opens it" "kcachegrind is not installed"
fi

# No reader misreads what other programs wrote, but for what it cannot tell.
"$lint" --rules | awk -F '\t' '$3 == "limit" { print $1 }' >limits
echo cob-stays >>limits # a label of gprof2dot's
mkdir files
for reader in $readers; do
  for file in "$data"/by-* rich; do
    "$recode" --for $reader -o "files/${file##*/}" "$file" 2>err || cat err
  done >wrong
  set -- files/*
  "$lint" -a -r $reader "$@" | awk '
    BEGIN { while ((getline rule <"limits") > 0) is_limit[rule ":"] = 1 }
    !is_limit[$2]' >>wrong
  test $# = 14 && test ! -s wrong
  result $? "$reader: $# files without a mistake" wrong
done

# Other inputs.

cat rich | "$recode" --for qtcreator - 2>/dev/null | cmp - qtcreator.out
result $? "a pipe"
# 31: the first memory for sums has room for so many functions.
awk 'BEGIN { for (part = 1; part <= 2; part++) {
  print part == 1 ? "events: A" : "part: 2\nevents: A B C"
  for (i = 0; i < 31; i++)
    print "fl=f\nfn=f" i "\n1 5" (part == 1 ? "" : " 7 8")
  print "fn=f0\ncfn=f1\ncalls=1 1\n1 1" (part == 1 ? "" : " 1 1") } }' >in
"$recode" --for callgrind_annotate in >out 2>err
grep -q 'callers, but also begin without one$' err \
  && ! grep -q -e '"(root)"' -e 'corrupted' err \
  && test "$(tail -n 1 out)" = 'totals: 310 217 248'
result $? "a later part with more events: no sums of calls" err
printf 'event: T : T in s\nevents: T A\nfn=f\n1 7 1\npart: 2\nevent: T : T in ms\nevents: A T\nfn=f\n1 1 2\n' >in
"$recode" --for callgrind_annotate in 2>err | grep -qx 'totals: 7002 2'
result $? "parts in different units" err
printf 'events: A\nfl=f\nfn=f\n1 2\n' >in
for reader in $readers cg_merge cg_diff; do
  "$recode" --for $reader in 2>&1 >out | grep . && echo $reader
done >said
test ! -s said
result $? "nothing is said of a file that all readers show" said
"$recode" --for cg_annotate in >one 2>err && "$recode" --cachegrind in \
  | cmp one - >err 2>&1
result $? "--cachegrind is --for cg_annotate"

done_testing
