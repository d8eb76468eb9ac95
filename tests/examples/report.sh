#!/bin/sh
# report.sh - cgw-report: its numbers, as computed by hand, as a text and as JSON;
# parts, recursion, cycles, stacks, objects, formulas, units, inlined files;
# differences and limits; names that a terminal would obey; wrong usage.
#
# From the environment: srcdir.  In the build folder: cgw-report.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
report=$build/examples/tools/report/cgw-report
unset PAGER NO_COLOR
cd "$dir" || exit 1
log=err

# same NAME FILE: the standard input is this file, and there is no message.
same ()
{
  diff - "$2" >difference && cat err >>difference && test ! -s difference
  result $? "$1" difference
}

# shows NAME ARGUMENT...: the standard input is what it prints.
shows ()
{
  name=$1
  shift
  "$report" "$@" >out 2>err
  status=$?
  test $status = 0 || echo "status $status" >>err
  same "$name" out
}

# functions ARGUMENT...: the rows of its functions, with one blank for several:
# self and inclusive costs, calls, names.
functions ()
{
  "$report" "$@" >out 2>err || echo "status $?"
  sed '1,/ function$/d' out | tr -s ' ' | sed 's/^ //'
}

# A profile with inlined code, a derived event, and jumps.
cat >work <<'END'
# callgrind format
cmd: ./program
desc: Trigger: end
event: Ir : Instructions
event: CEst = Ir + 10 Dr : Cycles
event: Twice = 2 CEst - Ir
events: Ir Dr
ob=/bin/program
fl=a.c
fn=main
1 10 1
jump=5 1
1
cfn=f
calls=2 10
2 100 20
cfn=g
calls=1 30
3 50 5
fn=f
10 60 15
11 40 5
fn=g
fi=a.h
31 20 2
fe=a.c
30 30 3
END
shows "all events, derived ones, too" work <<'END'
Profile: work
Command: ./program
         Trigger: end
Total:   160 Ir: Instructions
Total:   26 Dr
Total:   420 CEst: Cycles = Ir + 10 Dr
Total:   680 Twice = 2 CEst - Ir

                Ir                Ir                Dr                Dr              CEst              CEst             Twice             Twice
              self         inclusive              self         inclusive              self         inclusive              self         inclusive    calls  function
        100  62.5%        100  62.5%         20  76.9%         20  76.9%        300  71.4%        300  71.4%        500  73.5%        500  73.5%        2  f (a.c) [/bin/program]
         50  31.2%         50  31.2%          5  19.2%          5  19.2%        100  23.8%        100  23.8%        150  22.1%        150  22.1%        1  g (a.c) [/bin/program]
         10   6.2%        160 100.0%          1   3.8%         26 100.0%         20   4.8%        420 100.0%         30   4.4%        680 100.0%        0  main (a.c) [/bin/program]
END
shows "callers and callees, of the event that is asked for" \
  --event Dr --callers --callees work <<'END'
Profile: work
Command: ./program
         Trigger: end
Total:   26 Dr

                Dr                Dr
              self         inclusive    calls  function
                           20  76.9%        2    < main (a.c) [/bin/program]
         20  76.9%         20  76.9%        2  * f (a.c) [/bin/program]

                            5  19.2%        1    < main (a.c) [/bin/program]
          5  19.2%          5  19.2%        1  * g (a.c) [/bin/program]

          1   3.8%         26 100.0%        0  * main (a.c) [/bin/program]
                           20  76.9%        2    > f (a.c) [/bin/program]
                            5  19.2%        1    > g (a.c) [/bin/program]
END
functions --event CEst,Ir --sort name work >rows
same "in the order of --event, sorted by name" rows <<'END'
300 71.4% 300 71.4% 100 62.5% 100 62.5% 2 f (a.c) [/bin/program]
100 23.8% 100 23.8% 50 31.2% 50 31.2% 1 g (a.c) [/bin/program]
20 4.8% 420 100.0% 10 6.2% 160 100.0% 0 main (a.c) [/bin/program]
END
functions --event Ir --sort inclusive --top 2 work >rows
same "sorted by inclusive costs; what is left out is said" rows <<'END'
10 6.2% 160 100.0% 0 main (a.c) [/bin/program]
100 62.5% 100 62.5% 2 f (a.c) [/bin/program]
and 1 more functions
END
functions --event Ir --function '^(f|main)$' work >rows
same "functions that match" rows <<'END'
100 62.5% 100 62.5% 2 f (a.c) [/bin/program]
10 6.2% 160 100.0% 0 main (a.c) [/bin/program]
END
printf '%s\n' 'events: A' 'fn=z' '1 9' cfn=y 'calls=2 1' '1 1' cfn=x \
  'calls=3 1' '1 2' 'fn=y' '2 1' 'fn=x' '3 2' >sorted
for key in self inclusive calls name; do
  functions --sort $key sorted | tr -d '0-9.% \n'
  echo " $key"
done >rows
same "sorted by each key" rows <<'END'
zxy self
zxy inclusive
xyz calls
xyz name
END
functions --function zz work | cat - out >rows
grep -qx 'No function matches --function\.' rows
result $? "no function matches" rows

# Lines, and their source: at its path, or in a folder by its name.
mkdir src
printf '%s\n' 'int main (void)' '{' '	f ();	g ();' >src/a.c
printf 'no newline\0\033[m' >"src/a.h"
"$report" --event Ir --lines --source none --source src work >out 2>err
grep -qx 'cgw-report: src/a.c: warning: it has 3 lines, but .* at line 10: .*' \
  err && test "$(grep -c warning err)" = 2
result $? "a line beyond the source is a warning, once a file"
sed '1,/main (a.c)/d' out | sed '/main (a.c)/,$!d' | tr '\033' E >lines
: >err
same "lines, and their source" lines <<'END'
  main (a.c) [/bin/program]
                Ir                Ir
              self             calls     line
         10   6.2%          0   0.0%        1  int main (void)
          0   0.0%        100  62.5%        2  {
          0   0.0%         50  31.2%        3          f ();   g ();
END
sed 's/^31 /1 /' work >inlined
"$report" --event Ir --function g --lines --source src inlined >out 2>err
sed '1,/^  g/d' out >lines
: >err
same "code of another file has its own heading; no escape sequence" lines <<'END'
                Ir                Ir
              self             calls     line
         30  18.8%          0   0.0%       30
  in a.h:
         20  12.5%          0   0.0%        1  no newline??[m
END
rm -rf src/a.c && mkfifo src/a.c && ln -s /dev/zero a.h
"$report" --event Ir --lines --source src inlined >out 2>err && test ! -s err
result $? "only regular files are sources"
rm a.h
dd if=/dev/null of=a.h bs=1048576 seek=513 2>err \
  && "$report" --event Ir --lines --source src inlined >out 2>err \
  && test ! -s err
result $? "a file of more than 512 MiB is no source"
rm a.h

# Several parts, of two threads: added up, by thread, by part.
cat >parts <<'END'
version: 1
cmd: p
pid: 7
part: 1
thread: 1
events: A
fn=main
1 5
cfn=f
calls=1 1
1 10
fn=f
2 10

pid: 7
part: 2
thread: 1
events: A
fn=main
1 1
cfn=f
calls=2 1
1 20
fn=f
2 20

pid: 7
part: 2
thread: 2
events: A
fn=f
2 4
END
functions parts >rows
same "parts are added up" rows <<'END'
34 85.0% 34 85.0% 3 f
6 15.0% 36 90.0% 0 main
END
functions parts parts >rows
same "files are added up" rows <<'END'
68 85.0% 68 85.0% 6 f
12 15.0% 72 90.0% 0 main
END
sections ()
{
  "$report" "$@" >out 2>err
  grep '^Part: \|^Total: \|%' out | tr -s ' ' | sed 's/^ //'
}
sections --threads parts >rows
same "threads are told apart" rows <<'END'
Part: p, process 7, thread 1
Total: 36 A
30 83.3% 30 83.3% 3 f
6 16.7% 36 100.0% 0 main
Part: p, process 7, thread 2
Total: 4 A
4 100.0% 4 100.0% 0 f
END
sections --parts parts parts --function main >rows
same "parts are told apart, and so are files" rows <<'END'
Part: parts, part 1, process 7, thread 1
Total: 15 A
5 33.3% 15 100.0% 0 main
Part: parts, part 2, process 7, thread 1
Total: 21 A
1 4.8% 21 100.0% 0 main
Part: parts, part 3, process 7, thread 2
Total: 4 A
Part: parts, part 1, process 7, thread 1
Total: 15 A
5 33.3% 15 100.0% 0 main
Part: parts, part 2, process 7, thread 1
Total: 21 A
1 4.8% 21 100.0% 0 main
Part: parts, part 3, process 7, thread 2
Total: 4 A
END

# Inclusive costs.
printf '%s\n' 'events: A' 'fn=main' '1 1' cfn=f 'calls=1 1' '1 30' fn=f \
  '2 30' cfn=f 'calls=9 2' '2 25' >recursion
functions recursion >rows
same "a function that calls itself" rows <<'END'
30 96.8% 30 96.8% 10 f
1 3.2% 31 100.0% 0 main
END
# main calls a, which calls b, and so on, three times; valgrind adds the costs of
# inner calls to those of the outer ones.
printf '%s\n' 'events: A' 'fn=main' '1 1' cfn=a 'calls=1 1' '1 90' \
  fn=a '2 30' cfn=b 'calls=3 3' '2 150' \
  fn=b '3 40' cfn=a 'calls=2 2' '3 100' cfn=c 'calls=1 4' '3 20' \
  fn=c '4 20' >cycle
functions cycle >rows
same "in a cycle, at most what the cycle costs" rows <<'END'
40 44.0% 90 98.9% 3 b
30 33.0% 90 98.9% 3 a
20 22.0% 20 22.0% 1 c
1 1.1% 91 100.0% 0 main
END
printf '%s\n' 'events: A' 'fn=main' '1 1' cfn=f 'calls=1 1' '1 50' fn=f '2 2' \
  >much
functions much >rows
same "never more than the total" rows <<'END'
2 66.7% 3 100.0% 1 f
1 33.3% 3 100.0% 0 main
END
printf '%s\n' 'events: A' 'fn=main' '1 1' cfn=f 'calls=1 1' '1 9' fn=f '2 2' \
  fn=g '3 20' >gap
functions gap >rows
same "what the calls of a function cost, if it is more" rows <<'END'
20 87.0% 20 87.0% 0 g
2 8.7% 9 39.1% 1 f
1 4.3% 10 43.5% 0 main
END
printf 'main;b;a;b 5\nmain;a 100\n' >again
functions again >rows
same "of stacks, it is exact in a cycle" rows <<'END'
100 95.2% 105 100.0% 105 a
5 4.8% 5 4.8% 10 b
0 0.0% 105 100.0% 0 main
END
printf 'main;a;b 10\nmain;a;b;a;b 5\nmain;b;a 3\n' >stacks
functions --callees stacks >rows
same "of stacks, each counts once" rows <<'END'
15 83.3% 18 100.0% 18 * b
3 16.7% 8 > a

3 16.7% 18 100.0% 23 * a
15 83.3% 15 > b

0 0.0% 18 100.0% 0 * main
15 83.3% 15 > a
3 16.7% 3 > b
END
grep -q ' samples  function$' out
result $? "and counts are those of samples"

# Objects, files; cachegrind; the largest numbers.
printf '%s\n' 'events: A' ob=x fl=1.c fn=f '1 1' ob=y fn=f '1 2' fl=2.c fn=f '1 4' \
  >objects
functions objects >rows
same "functions of one name, told apart" rows <<'END'
4 57.1% 4 57.1% 0 f (2.c) [y]
2 28.6% 2 28.6% 0 f (1.c) [y]
1 14.3% 1 14.3% 0 f (1.c) [x]
END
printf '%s\n' 'desc: I1 cache: ' 'desc: D1 cache: 1' 'desc: LL cache:' \
  'cmd: ./c' 'events: Ir I1mr' fl=c.c fn=f '1 7 1' '2 3' fl=d.c fn=f \
  '1 1 1' 'summary: 11 2' >cachegrind
shows "a cachegrind file; what describes nothing is left out" cachegrind <<'END'
Profile: cachegrind
Command: ./c
         D1 cache: 1
Total:   11 Ir
Total:   2 I1mr

                Ir                Ir              I1mr              I1mr
              self         inclusive              self         inclusive    calls  function
         10  90.9%         10  90.9%          1  50.0%          1  50.0%        0  f (c.c)
          1   9.1%          1   9.1%          1  50.0%          1  50.0%        0  f (d.c)
END
printf '%s\n' 'event: B = 3 A' 'events: A' fn=f '1 18446744073709551615' >most
functions most >rows
same "2^64-1, and what is more stays there" rows <<'END'
18,446,744,073,709,551,615 100.0% 18,446,744,073,709,551,615 100.0% 18,446,744,073,709,551,615 100.0% 18,446,744,073,709,551,615 100.0% 0 f
END
printf '%s\n' 'event: B = A - 2 C' 'events: A C' fn=f '1 5 4' fn=g '2 0 1' \
  >below
functions --event B below >rows
same "a derived event may be below 0" rows <<'END'
-3 60.0% -3 60.0% 0 f
-2 40.0% -2 40.0% 0 g
END
{
  i=0
  echo 'event: E0 = A + A'
  while test $i -lt 60; do
    echo "event: E$((i + 1)) = E$i + E$i"
    i=$((i + 1))
  done
  printf '%s\n' 'events: A' fn=f '1 1'
} >powers
functions --event E60 powers >rows
same "formulas of formulas: 2^61" rows <<'END'
2,305,843,009,213,693,952 100.0% 2,305,843,009,213,693,952 100.0% 0 f
END

# Names.
printf 'events: A\nfn=\033[31mred\302\233\nfl=\342\200\256b\n1 1\n' >hostile
printf 'fn=</script>&"\\\303\244\n2 1\nfn=\377\n3 1\n' >>hostile
printf 'fn=\342\200\256c\n4 1\n' >>hostile
"$report" hostile >out 2>err
! grep -q "$(printf '[\033\302\200]')" out && grep -q '</script>&"\\ä' out
result $? "no name is obeyed by a terminal" out
functions --function 'ä' hostile >rows
test "$(wc -l <rows)" = 1
result $? "UTF-8 in an expression" rows

# JSON.
shows "JSON" --json --lines --event Ir,CEst work <<'END'
{
  "version": 1,
  "creator": "cgw-report 1.0.0",
  "files": ["work"],
  "command": "./program",
  "description": ["Trigger: end"],
  "events": [
    {"name": "Ir", "title": "Instructions", "unit": "count", "factor": 1},
    {"name": "CEst", "title": "Cycles", "unit": "count", "factor": 1, "formula": "Ir + 10 Dr"}
  ],
  "counts": "calls",
  "totals": [160, 420],
  "functions": [
    {"id": 0, "name": "f", "file": "a.c", "object": "/bin/program", "line": 10, "calls": 2, "self": [100, 300], "inclusive": [100, 300]},
    {"id": 1, "name": "g", "file": "a.c", "object": "/bin/program", "line": 30, "calls": 1, "self": [50, 100], "inclusive": [50, 100]},
    {"id": 2, "name": "main", "file": "a.c", "object": "/bin/program", "line": 1, "calls": 0, "self": [10, 20], "inclusive": [160, 420]}
  ],
  "edges": [
    {"caller": 2, "callee": 0, "calls": 2, "inclusive": [100, 300]},
    {"caller": 2, "callee": 1, "calls": 1, "inclusive": [50, 100]}
  ],
  "lines": [
    {"function": 0, "file": "a.c", "line": 10, "self": [60, 210], "inclusive": [0, 0]},
    {"function": 0, "file": "a.c", "line": 11, "self": [40, 90], "inclusive": [0, 0]},
    {"function": 1, "file": "a.c", "line": 30, "self": [30, 60], "inclusive": [0, 0]},
    {"function": 1, "file": "a.h", "line": 31, "self": [20, 40], "inclusive": [0, 0]},
    {"function": 2, "file": "a.c", "line": 1, "self": [10, 20], "inclusive": [0, 0]},
    {"function": 2, "file": "a.c", "line": 2, "self": [0, 0], "inclusive": [100, 300]},
    {"function": 2, "file": "a.c", "line": 3, "self": [0, 0], "inclusive": [50, 100]}
  ]
}
END
"$report" --json hostile >out 2>err
grep -qF '"name": "\u003c/script\u003e\u0026\u0022\u005cä"' out \
  && grep -qF '"\u005cx1b[31mred\u005cxc2\u005cx9b"' out \
  && grep -qF '"\u202eb"' out
result $? "JSON: names are escaped" out
"$report" --json --parts parts >out 2>err
grep -e '"file"' -e '"part"' -e '"process"' -e '"thread"' -e '"totals"' out \
  | tr -d '\n ' >rows
echo >>rows
same "JSON: parts" rows <<'END'
"file":"parts","part":1,"process":7,"thread":1,"totals":[15],"file":"parts","part":2,"process":7,"thread":1,"totals":[21],"file":"parts","part":3,"process":7,"thread":2,"totals":[4],
END

# The page.
profile_of () # FILE
{
  sed -n '/<script id="profile"/,/<\/script>/p' "$1" | sed '1d; $d'
}
mkdir text
printf '%s\n' 1 2 3 4 5 '6	</script>' 7 8 9 10 11 12 13 14 15 >text/a.h
"$report" --html --event CEst,Ir --source text -o page inlined 2>err
profile_of page >json
same "the profile of a page" json <<'END'
{"version": 1, "title": "inlined", "command": "./program",
"description": ["Trigger: end"],
"events": [
{"name": "CEst", "title": "Cycles", "unit": "", "total": 420},
{"name": "Ir", "title": "Instructions", "unit": "", "total": 160}],
"functions": {"name": [1,2,3],
"file": [4,4,4],
"object": [5,5,5],
"calls": [2,1,0],
"self": [[300,100,20],
[100,50,10]],
"inclusive": [[300,100,420],
[100,50,160]]},
"edges": {"caller": [2,2],
"callee": [0,1],
"calls": [2,1],
"cost": [[300,100],
[100,50]]},
"tree": {"function": [2,0,1],
"parent": [-1,0,0],
"self": [[20,300,100],
[10,100,50]],
"exact": false},
"lines": {"function": [0,0,1,1,2,2,2],
"file": [4,4,4,6,4,4,4],
"line": [10,11,30,1,1,2,3],
"self": [[210,90,60,40,20,0,0],
[60,40,30,20,10,0,0]],
"calls": [[0,0,0,0,0,300,100],
[0,0,0,0,0,100,50]]},
"sources": [
{"file": 6, "first": 1, "lines": ["1","2","3","4"]}],
"names": ["",
"f",
"g",
"main",
"a.c",
"/bin/program",
"a.h"]}
END
head -n 1 page | grep -qi '<!doctype html>' && tail -n 1 page | grep -q '</html>'
result $? "the page is around it" page
"$report" --html --no-source --source text inlined >page 2>err
profile_of page | grep -qx '"sources": \[\],' \
  && profile_of page | grep -qx '"line": \[\],'
result $? "--no-source" page
printf 'events: A\nfl=b/a.h\nfn=f\n6 1\n15 1\n16 1\n' >pieces
"$report" --html --source text pieces >page 2>err
profile_of page | sed -n '/"sources"/,/"names"/p' >json
: >err
same "pieces of source around lines" json <<'END'
"sources": [
{"file": 2, "first": 3, "lines": ["3","4","5","6\u0009\u003c/script\u003e","7","8","9"]},
{"file": 2, "first": 12, "lines": ["12","13","14","15"]}],
"names": ["",
END
"$report" --html stacks >page 2>err
profile_of page | sed -n '/"tree"/,/"exact"/p' >json
same "stacks make an exact flame graph" json <<'END'
"tree": {"function": [2,1,0,1,0,0,1],
"parent": [-1,0,1,2,3,0,5],
"self": [[0,0,10,0,5,0,3]],
"exact": true},
END
printf 'events: Samples\nfn=x\n1 4\ncfn=y\ncalls=2 1\n1 6\nfn=y\n1 6\n' >calls
"$report" --html --no-source stacks calls >mixed 2>err
profile_of mixed | sed -n '/"tree"/,/"exact"/p; /"names"/,$p' >json
same "stacks and calls: those stay whole" json <<'END'
"tree": {"function": [4,3,0,3,0,0,3,2,1],
"parent": [-1,0,1,2,3,0,5,-1,7],
"self": [[0,0,10,0,5,0,3,4,6]],
"exact": false},
"names": ["",
"b",
"y",
"x",
"a",
"main"]}
END
profile_of page | sed -n '/"calls": \[[0-9]/p' >json
same "of samples, a page has no numbers of calls" json <<'END'
"calls": [0,0,0],
"calls": [0,0,0,0],
END
"$report" --html hostile >page 2>err
test "$(grep -c '</script>' page)" = 2 && ! grep -q "$(printf '[\033\302]')" page
result $? "names are no markup" page
title=$(printf '<b>&\033\303\244')
cp hostile "$title"
"$report" --html "$title" >page 2>err
grep -qx '&#60;b&#62;&#38;&#63;ä' page
result $? "nor is the title" page

# Differences.  f costs more, h is g in another folder, old is gone, new is new.
sed -e 's/^cfn=g/cfn=(1) old\ncalls=1 7\n4 6 0\ncfn=g/' work >before
printf 'fn=(1)\n7 6\n' >>before
sed -e 's/^10 60 15/10 69 15/; s/^2 100 20/2 109 20/; s/a\.c/sub\/a.c/' \
  -e 's/^cfn=g/cfn=(1) new\ncalls=1 7\n4 5 0\ncfn=g/' work >after
printf 'fn=(1)\n7 5\n' >>after
shows "differences" --against before --event Ir,CEst after <<'END'
Profile: after
Before:  before
Command: ./program
         Trigger: end
Total:   166 before, 174 after: +8 (+4.8%) Ir: Instructions
Total:   426 before, 434 after: +8 (+1.9%) CEst: Cycles = Ir + 10 Dr

                                         Ir                                         Ir                                       CEst                                       CEst
                                       self                                  inclusive                                       self                                  inclusive             calls
     before      after      change              before      after      change              before      after      change              before      after      change            before    after  function
        100        109          +9    +9.0%        100        109          +9    +9.0%        300        309          +9    +3.0%        300        309          +9    +3.0%        2        2  f (sub/a.c) [/bin/program]
          6          0          -6  -100.0%          6          0          -6  -100.0%          6          0          -6  -100.0%          6          0          -6  -100.0%        1        0  old (a.c) [/bin/program]
          0          5          +5      new          0          5          +5      new          0          5          +5      new          0          5          +5      new        0        1  new (sub/a.c) [/bin/program]
         10         10           0     0.0%        166        174          +8    +4.8%         20         20           0     0.0%        426        434          +8    +1.9%        0        0  main (sub/a.c) [/bin/program]
END
"$report" --against before --event Ir --function main --callees --lines after \
  >out 2>err
sed '1,/ function$/d' out | tr -s ' ' | sed 's/^ //' >rows
same "differences: callees and lines" rows <<'END'
10 10 0 0.0% 166 174 +8 +4.8% 0 0 * main (sub/a.c) [/bin/program]
100 109 +9 +9.0% 2 2 > f (sub/a.c) [/bin/program]
6 0 -6 -100.0% 1 0 > old (a.c) [/bin/program]
0 5 +5 new 0 1 > new (sub/a.c) [/bin/program]

main (sub/a.c) [/bin/program]
Ir Ir
self calls
before after change before after change line
0 0 0 0.0% 100 109 +9 +9.0% 2
0 0 0 0.0% 6 5 -1 -16.7% 4
END
"$report" --against before --event Ir --json after >out 2>err
sed -n '/"totals"/p; /"old"/p; /"callee": 1,/p' out >rows
same "differences: JSON" rows <<'END'
  "totals": [174], "before": {"totals": [166]}, "difference": {"totals": [8]},
    {"id": 1, "name": "old", "file": "a.c", "object": "/bin/program", "calls": 0, "self": [0], "inclusive": [0], "before": {"calls": 1, "self": [6], "inclusive": [6]}, "difference": {"calls": -1, "self": [-6], "inclusive": [-6]}},
    {"caller": 3, "callee": 1, "calls": 0, "inclusive": [0], "before": {"calls": 1, "inclusive": [6]}, "difference": {"calls": -1, "inclusive": [-6]}},
END
functions --against work work >rows
grep -qx 'No function differs\.' out
result $? "no difference" out
printf 'event: T : Time in ms\nevent: S = T + U\nevent: V = 2 T\nevents: T U\nfn=f\n1 2 1\n' >ms
printf 'event: T : Time in us\nevents: X T\nfn=f\n1 1 1500\n' >us
"$report" --against us --event T,S,V ms >out 2>err
grep -q '^Total: *1,500 before, 2,000 after: +500 (+33\.3%) T' out \
  && grep -q '^cgw-report: ms: warning: left out, .*: U$' err \
  && test "$(grep -c '^cgw-report: us: warning: it has no event "[SV]"$' err)" = 2 \
  && ! grep -q ' [SV]' out
result $? "units are converted; events of one file are left out" out
printf 'event: T : Time in %s\nevent: V = 2 T\nevents: T\nfn=f\n1 2\n' ms \
  >first
sed 's/ms/us/' first >second
"$report" first second >out 2>err
grep -q '^Total: *2,002 T' out && ! grep -q ' V' out \
  && grep -q '^cgw-report: second: warning: left out, as its .*: V$' err \
  && "$report" --event T first second >out 2>err && test ! -s err
result $? "a formula is left out if units are converted" out
printf 'event: S = %s A\nevents: A\nfn=f\n1 2\n' 2 >two
sed 's/2 A/5 A/' two >five
"$report" --against two five >out 2>err
grep -q '^cgw-report: five: warning: left out, .* another formula: S$' err \
  && ! grep -q ' S' out
result $? "a derived event with two formulas is left out" err
"$report" two five >out 2>err
grep -q '^Total: *4 A' out && ! grep -q ' S' out \
  && grep -q '^cgw-report: five: warning: left out, as its formula .*: S$' err
result $? "so is one whose formulas differ in two files" err
for i in two five; do sed 's/^events: A/& B/' $i >$i.more; done
"$report" --event B,S two.more five.more >out 2>err
grep -q '^Total: *0 B' out && ! grep -q ' [AS]' out \
  && test "$(grep -c ' formula .*: S$' err)" = 1
result $? "so is one whose events nobody wants" err
# An input whose costs may be below 0.
cat >below <<'END'
{"meta": {"preprocessedProfileVersion": 50}, "libs": [], "threads": [
{"name": "m", "pid": 1, "tid": 1, "stringArray": ["f"],
"samples": {"stack": [0], "time": [1], "weight": [-3],
"weightType": "bytes", "length": 1},
"stackTable": {"frame": [0], "prefix": [null], "length": 1},
"frameTable": {"func": [0], "address": [-1], "line": [null],
"inlineDepth": [0], "nativeSymbol": [null], "length": 1},
"funcTable": {"name": [0], "isJS": [false], "resource": [-1],
"fileName": [null], "lineNumber": [null], "length": 1},
"resourceTable": {"lib": [], "name": [], "type": [], "length": 0},
"nativeSymbols": {"libIndex": [], "address": [], "name": [], "length": 0}}]}
END
printf 'event: Bytes : Bytes (bytes)\nevents: Bytes\nfn=f\n1 %s\n' \
  9223372036854775808 >above
if "$report" below 2>&1 | grep -q 'without libjansson'; then
  skip "2^63 beside costs that may be below 0" "cgw-import has no libjansson"
else
  "$report" --against below above >out 2>err
  test $? = 1 && "$report" --against above below >>out 2>>err
  test $? = 1 && test "$(grep -c \
    '^cgw-report: above: a sum of costs passed 2^64-1$' err)" = 2
  result $? "2^63 beside costs that may be below 0" err
fi
{
  printf '# callgrind format\nversion: 1\ncmd: '
  head -c 400000 /dev/zero | tr '\0' x
  printf '\nevents: A\nfn=f\n1 2\n'
} | sed 1,2d | tee long | "$report" >piped 2>err
"$report" long >out 2>>err && grep -q '^Total: *2 A' out \
  && grep -v '^File' piped | grep -q '^Total: *2 A' && test ! -s err
result $? "a long first line, also from a pipe" err
printf 'events: U\nfn=f\n1 1\n' >other
"$report" --against other us >out 2>err
test $? = 1 && grep -q 'us: the files have no event in common$' err
result $? "no event in common"

"$report" --html --against before --event Ir after >page 2>err
profile_of page | sed -n '/^{"name"/p; /^"tree"/,/"exact"/p; /^"lines"/,/}/p' \
  >json
same "differences: the page" json <<'END'
{"name": "Ir", "title": "Instructions", "unit": "", "total": 174, "before": 166}],
"tree": {"function": [3,0,4,1,2],
"parent": [-1,0,0,0,0],
"self": [[10,109,50,0,5]],
"selfBefore": [[10,100,50,6,0]],
"exact": false},
"lines": {"function": [0,0,1,2,3,3,3,3,4,4],
"file": [6,6,7,6,6,6,6,6,6,9],
"line": [10,11,7,7,1,2,3,4,30,31],
"self": [[69,40,0,5,10,0,0,0,30,20]],
"selfBefore": [[60,40,6,0,10,0,0,0,30,20]],
"calls": [[0,0,0,0,0,109,50,5,0,0]],
"callsBefore": [[0,0,0,0,0,100,50,6,0,0]]},
END

# Limits.
limit () # STATUS LIMIT OPTION...
{
  wanted=$1 text=$2
  shift 2
  "$report" --fail-if "$text" "$@" >out 2>err
  status=$?
  test $status = "$wanted" && test -s out
  status=$?
  case $wanted in
    0) test ! -s err ;;
    3) grep -qF "; the limit is \"$text\"" err ;;
  esac || status=1
  result $status "$text: $wanted"
}
limit 0 'Ir > 160' work
limit 3 'Ir>159' work
limit 0 'Dr > 0026' work
limit 3 'CEst > 419' work
limit 3 'main: Ir > 159' work
limit 0 'f: Ir > 100' work
limit 3 'Ir > +4.81 %' --against before after
limit 0 'Ir > +4.82%' --against before after
limit 0 'Ir > +8' --against before after
limit 3 'Ir > +7' --against before after
limit 3 'f: Ir > +8.99 %' --against before after
limit 0 'f: Ir > +9 %' --against before after
limit 3 'new: Ir > +1000 %' --against before after
limit 0 'old: Ir > -100 %' --against before after
limit 3 'old: Ir > -100.5 %' --against before after
limit 0 'Dr > +0 %' --against before after
limit 3 'Dr > -1 %' --against before after
printf 'events: A\nfn=f\n1 18446744073709551615\n' >huge
printf 'events: A\nfn=f\n1 18446744073709551614\n' >less
limit 3 'A > +0 %' --against less huge
limit 0 'A > -0 %' --against huge huge
limit 0 'A > +1 %' --against less huge
printf 'events: A\nfn=f\n1 67462254487715000\n' >exact
printf 'events: A\nfn=f\n1 69553584376834165\n' >exactly
limit 0 'A > +3.1 %' --against exact exactly
printf 'events: A\nfn=std::map<a, b>::operator>(int): c\n1 2\n' >colons
limit 3 'std::map<a, b>::operator>(int): c: A > 1' colons
"$report" --fail-if 'Ir > 1' --fail-if 'Ir > 1000' --fail-if 'Dr > 1' work \
  >out 2>err
test $? = 3 && test "$(wc -l <err)" = 2 && grep -qx \
  'cgw-report: work: Ir is 160; the limit is "Ir > 1"' err
result $? "several limits: each that is passed is said"
"$report" --against before --fail-if 'f: Ir > +1 %' after >out 2>err
: >difference
grep -qxF 'cgw-report: after: f: Ir is 109, was 100: +9 (+9.00 %); the limit is "f: Ir > +1 %"' err
result $? "a limit is said with what was before"
for what in 'Zr > 1' 'zz: Ir > 1'; do
  "$report" --fail-if "$what" work >out 2>err
  test $? = 1 && grep -q '^cgw-report: work: --fail-if: there is no ' err
  result $? "$what: there is none"
done

# Files, terminals, errors.
"$report" -o made work && "$report" work | cmp - made
result $? "to a file"
cp made kept
printf 'events: A\nfn=f\noops\n' | "$report" -o made - 2>err
test $? = 1 && cmp made kept && grep -q '^cgw-report: standard input:3: ' err
result $? "after an error, the file stays as it was"
"$report" --color always --callers --event Ir work >coloured
"$report" --callers --event Ir work >plain
sed "s/$(printf '\033')\[[0-9]*m//g" coloured | cmp - plain >err \
  && ! cmp -s coloured plain
result $? "colours change nothing else"
if command -v script >/dev/null \
  && script -qefc true /dev/null </dev/null >/dev/null 2>&1; then
  # The pager gets what is printed; a terminal ends lines by CR and LF.
  terminal ()
  {
    env "$@" TERM=xterm script -qefc \
      "'$report' --callers --event Ir work" /dev/null </dev/null \
      | tr -d '\r' >shown 2>err
  }
  terminal PAGER='tr a-z A-Z' NO_COLOR=1 && tr a-z A-Z <plain | cmp - shown
  result $? "a pager on a terminal"
  # shellcheck disable=SC2016 # the pager's shell expands it
  say_less='cat >/dev/null; echo $LESS'
  terminal -u LESS PAGER="$say_less" && echo FRX | cmp - shown \
    && terminal LESS=S PAGER="$say_less" && echo S | cmp - shown
  result $? "less shows colours, unless it is told otherwise"
  for status in 1 126 127; do
    env PAGER="cat; exit $status" TERM=dumb script -qefc \
      "'$report' --callers --event Ir work" /dev/null </dev/null >/dev/null 2>&1
    echo $?
  done >statuses
  printf '0\n1\n1\n' | cmp - statuses
  result $? "a pager that is not found, or cannot be run" statuses
  terminal PAGER= && cmp shown coloured
  result $? "colours on a terminal"
  terminal PAGER= NO_COLOR=1 && cmp shown plain
  result $? "NO_COLOR"
else
  skip "terminals" "there are no pseudo-terminals"
fi

refuses () # MESSAGE ARGUMENT...
{
  message=$1
  shift
  "$report" "$@" work >out 2>err
  test $? = 2 && test ! -s out && grep -qF -e "$message" err
  result $? "$message"
}
refuses "--color needs auto, always or never, not red" --color red
refuses "--sort needs self, inclusive, calls or name, not cost" --sort cost
refuses "--top needs a number from 1" --top 0
refuses "--function: " --function '('
refuses "--html and --json have all functions and calls" --json --top 5
refuses "--html and --json have all functions and calls" --html --callers
refuses "--html and --json exclude each other" --html --json
refuses "--html needs threads added up" --html --threads
refuses "--against needs threads added up" --against work --threads
refuses "--fail-if needs threads added up" --fail-if 'Ir > 1' --parts
refuses "a change needs --against: Ir > +1 %" --fail-if 'Ir > +1 %'
for what in '' Ir 'Ir >' '> 1' 'Ir > x' 'Ir > 1 %' 'Ir > 1.5' 'Ir > 1 2' \
  'Ir > +.5 %' 'Ir > +1. %' 'Ir > +1.1.1 %' 'f Ir > 1' ': Ir > 1' \
  'Ir > 10000000000000000000'; do
  case $what in
    '') refuses "a value is missing after --fail-if" --fail-if "$what" ;;
    *) refuses "[+]NUMBER [%]\", not $what" --fail-if "$what" ;;
  esac
done

done_testing
