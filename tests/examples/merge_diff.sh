#!/bin/sh
# merge_diff.sh - cgw-merge --diff: the profile to the unit, the text, events
# that differ, a program that was changed in one function.
#
# From the environment: srcdir, CC.  In the build folder: examples/tools/merge/cgw-merge,
# examples/tools/lint/cgw-lint, tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
merge=$(pwd)/examples/tools/merge/cgw-merge
lint=$(pwd)/examples/tools/lint/cgw-lint
. "$srcdir/tests/support/kcachegrind.sh"
cd "$dir" || exit 1
log=err

# body FILE: its lines behind events:.
body () { sed '1,/^events:/d' "$1"; }

# same NAME FILE: the standard input is this file.
same ()
{
  diff - "$2" >diff.err
  result $? "$1" diff.err
}

# Two profiles: f's line has moved and costs more, g less, old is gone, new is
# new, main calls them, keep is as it was.

cat >before <<'END'
# callgrind format
cmd: ./program
desc: Trigger: end
desc: I1 cache: none
event: Ir : Instructions
events: Ir Dr
ob=/bin/program
fl=a.c
fn=main
1 10 1
cfn=f
calls=2 10
2 100 20
cfn=g
calls=1 30
3 50 5
cfn=old
calls=1 50
4 7 7
cfn=keep
calls=3 60
5 9 9
fn=f
10 60 15
11 40 5
fn=g
fi=a.h
31 20 2
fe=a.c
30 30 3
fn=old
50 7 7
fn=keep
60 9 9
END
cat >after <<'END'
# callgrind format
cmd: ./program
desc: Trigger: end
desc: I1 cache: all
events: Dr Ir
ob=/bin/program
fl=a.c
fn=main
1 1 10
cfn=f
calls=5 110
2 21 150
cfn=g
calls=1 30
3 4 45
cfn=new
calls=1 70
4 1 30
cfn=keep
calls=4 60
5 9 9
fn=f
110 16 100
111 5 50
fn=g
30 4 45
fn=new
70 1 30
fn=keep
60 5 5
61 4 4
END
"$merge" --diff -o out before after >text 2>err && test ! -s err
result $? "two profiles are compared"
same "what is more and less, to the unit" out <<END
$(sed -n 1,3p out)
cmd: ./program
desc: Before: before
desc: After: after
desc: Trigger: end
positions: line
event: Ir_more : Instructions: more than before
event: Ir_less : Instructions: less than before
event: Dr_more : Dr: more than before
event: Dr_less : Dr: less than before
events: Ir_more Ir_less Dr_more Dr_less
summary: 80 12 2 8
ob=(1) /bin/program
fl=(1) a.c
fn=(1) f
110 50 0 1
fn=(2) g
30 0 5 0 1
fn=(3) main
cfn=(1)
calls=5 110
1 50 0 1
cfn=(2)
calls=1 30
* 0 5 0 1
cfn=(4) new
calls=1 70
* 30 0 1
cfn=(5) old
calls=1 50
* 0 7 0 7
fn=(4)
70 30 0 1
fn=(5)
50 0 7 0 7
totals: 80 12 2 8
END
same "the text" text <<'END'
Ir: 176 before, 244 after: +68 (+38.6%)

            self        inclusive      self before       self after    change  function
             +50              +50              100              150    +50.0%  f (a.c) [/bin/program]
             +30              +30                0               30       new  new (a.c) [/bin/program]
              -7               -7                7                0   -100.0%  old (a.c) [/bin/program]
              -5               -5               50               45    -10.0%  g (a.c) [/bin/program]
               0              +68               10               10      0.0%  main (a.c) [/bin/program]
END
"$lint" out >err
result $? "cgw-lint finds nothing"
"$cgread" --no-pad --dump out >dump 2>err
result $? "the strict reader reads it"

"$merge" --diff -o swapped after before >text.2 2>err
sed -n '/^events:/,$p' swapped >got
same "the other way round, the columns are swapped" got <<'END'
events: Dr_more Dr_less Ir_more Ir_less
summary: 8 2 12 80
ob=(1) /bin/program
fl=(1) a.c
fn=(1) f
10 0 1 0 50
fn=(2) g
30 1 0 5
fn=(3) main
cfn=(1)
calls=2 10
1 0 1 0 50
cfn=(2)
calls=1 30
* 1 0 5
cfn=(4) new
calls=1 70
* 0 1 0 30
cfn=(5) old
calls=1 50
* 7 0 7
fn=(4)
70 0 1 0 30
fn=(5)
50 7 0 7
totals: 8 2 12 80
END
head -n 1 text.2 | grep -qx 'Dr: 36 before, 42 after: +6 (+16.7%)'
result $? "the text is about the first event of the first file" text.2
"$merge" --diff before after >text.3 2>err && cmp text text.3 && test ! -s err
result $? "without -o, the text alone"
"$merge" --diff -o - before after >out.2 2>text.2 && cmp out out.2 \
  && cmp text text.2
result $? "with -o -, the text is on the standard error"
cat before | "$merge" --diff -o out.2 - after >text.2 2>err && cmp text text.2 \
  && grep -q '^desc: Before: standard input$' out.2
result $? "from a pipe"

"$merge" --diff --by-line -o lines before after >text.2 2>err && cmp text text.2
body lines >got
same "by line" got <<'END'
summary: 199 131 27 33
ob=(1) /bin/program
fl=(1) a.c
fn=(1) f
10 0 60 0 15
11 0 40 0 5
110 100 0 16
+1 50 0 5
fn=(2) g
30 15 0 1
fi=(2) a.h
31 0 20 0 2
fl=(1)
fn=(3) keep
60 0 4 0 4
61 4 0 4
fn=(4) main
cfn=(1)
calls=5 110
2 50 0 1
cfn=(2)
calls=1 30
3 0 5 0 1
cfn=(5) new
calls=1 70
4 30 0 1
cfn=(6) old
calls=1 50
* 0 7 0 7
fn=(5)
70 30 0 1
fn=(6)
50 0 7 0 7
totals: 199 131 27 33
END

# Identical files.
"$merge" --diff -o out.2 before before >text.2 2>err && body out.2 >got
printf '%s\n' 'Ir: 176 before, 176 after: 0 (0.0%)' 'No function differs.' \
  | diff - text.2 >err && printf '%s\n' 'summary: 0 0 0 0' 'totals: 0 0 0 0' \
  | diff - got >>err
result $? "identical files: a sentence, and no records"
"$lint" out.2 >err
result $? "identical files: cgw-lint finds nothing"

# Events.
printf 'events: A cpu(ms) B\nfl=f\nfn=f\n1 1 2 3\n' >1
printf 'events: cpu(ms) C D B\nfl=f\nfn=f\n1 1 0 0 4\n' >2
"$merge" --diff -o out.2 1 2 >text.2 2>err
printf 'cgw-merge: %s\n' \
  '1: warning: left out, as the other file lacks it: A' \
  '2: warning: left out, as the other file lacks it: C D' | diff - err >diff.err
result $? "other events: a warning" diff.err
sed '1,/^positions/d' out.2 >got
same "other events: what both have" got <<'END'
event: B_more : B: more than before
event: B_less : B: less than before
events: cpu(ms)_more cpu(ms)_less B_more B_less
summary: 0 1 1 0
fl=(1) f
fn=(1) f
1 0 1 1
totals: 0 1 1 0
END

# Units.
printf 'event: T : Time in ms\nevents: T\nfn=f\n1 750\n' >1
printf 'event: T : CPU time in us\nevents: T\nfn=f\n1 2\n' >2
"$merge" --diff -o out.2 1 2 >text.2 2>err
sed '1,/^positions/d' out.2 >got
same "two units: the finer one" got <<'END'
event: T_more : CPU time in us: more than before
event: T_less : CPU time in us: less than before
events: T_more T_less
summary: 0 749998
fl=(1) ???
fn=(1) f
1 0 749998
totals: 0 749998
END
sed 1q text.2 >got
same "two units: the text names the one that it is in" got <<'END'
T (us): 750,000 before, 2 after: -749,998 (-100.0%)
END
"$merge" -o got out.2 out.2 2>err && grep -q ' 1499996$' got
result $? "a difference has a unit" err
printf 'events: T\nfn=f\n1 2\n' >3
"$merge" --diff -o got 3 2 >text 2>err
same "one file tells no unit: a warning" err <<'END'
cgw-merge: 3: warning: event "T" has no unit here, and "us" in 2: it is taken for the same
END

# Recursion, calls=0, inlined code above the function, equal changes.
printf 'events: A\nfl=a.c\nfn=f\nfi=a.h\n1 5\nfe=a.c\n20 %s\ncfn=f\ncalls=0 20\n21 %s\nfn=main\n30 %s\ncfn=f\ncalls=1 20\n30 %s\n' \
  5 100 7 10 >1
printf 'events: A\nfl=a.c\nfn=f\nfi=a.h\n1 5\nfe=a.c\n20 %s\ncfn=f\ncalls=0 20\n21 %s\nfn=main\n30 %s\ncfn=f\ncalls=1 20\n30 %s\n' \
  8 150 10 13 >2
"$merge" --diff -o out.2 1 2 >text.2 2>err && body out.2 >got
same "recursion: the profile" got <<'END'
summary: 6 0
fl=(1) a.c
fn=(1) f
20 3
cfn=(1)
calls=1 *
* 50
fn=(2) main
30 3
cfn=(1)
calls=1 20
* 3
totals: 6 0
END
sed '1,3d;s/  */ /g' text.2 >got
same "recursion: the text" got <<'END'
 +3 +6 7 10 +42.9% main (a.c)
 +3 +3 10 13 +30.0% f (a.c)
END

# Parts are added up; ten functions are printed.
awk 'BEGIN { print "events: A"; for (i = 1; i <= 14; i++)
  print "fn=f" i "\n1 " i * 1000000 "\npart: " i + 1 "\nevents: A" }' >many
printf 'events: A\nfn=g\n1 0\n' >none
"$merge" --diff none many >text.2 2>err && sed '1,3d;s/  */ /g' text.2 >got
awk 'BEGIN { for (i = 14; i > 4; i--)
  printf " +%d,000,000 +%d,000,000 0 %d,000,000 new f%d\n", i, i, i, i
  print "and 4 more functions" }' | diff - got >err
result $? "ten of fourteen functions"

# A program that was changed in one function.
cat >program.c <<'END'
#include <stdlib.h>
#ifdef SLOWER
int added (int n) { return n + 1; }
#endif
int quick (int n) { int sum = 0; while (n-- > 0) sum += n; return sum; }
int work (int n)
{
  int sum = 0;
  while (n-- > 0)
#ifdef SLOWER
    sum += n % 7;
#endif
    sum += n;
  return sum;
}
int main (void)
{
  int sum = 0;
  for (int i = 0; i < 50; i++)
    sum += quick (200) + work (200);
  return sum == 0;
}
END
if command -v valgrind >/dev/null; then
  for version in UNCHANGED SLOWER; do
    # Not LDFLAGS: valgrind runs no program with a sanitizer.
    ${CC-cc} -g -O0 -D$version -o program program.c \
      && valgrind --tool=callgrind --callgrind-out-file=cg.$version ./program \
        >/dev/null 2>err
  done
  "$merge" --diff -o real cg.UNCHANGED cg.SLOWER >text 2>err \
    && sed -n 4p text | grep -q ' work (.*program\.c) \[.*program\]$'
  result $? "callgrind: the changed function is first" text
  "$lint" real >err && "$cgread" --no-pad --dump real >dump 2>>err
  result $? "callgrind: cgw-lint and the strict reader"
  awk '/^Ir:/ { split ($0, part, ": "); print part[3] }' text >text.total
  sed -n 's/^totals: //p' real | awk '{ d = $1 - $2; s = sprintf ("%d", d)
    while (s ~ /[0-9][0-9][0-9][0-9]/) sub (/[0-9][0-9][0-9](,|$)/, ",&", s)
    print (d > 0 ? "+" : "") s }' >total
  cut -d ' ' -f 1 text.total | diff - total >err
  result $? "callgrind: the totals are those of the text"
  callgrind_annotate --threshold=100 --show-percs=no --auto=no real >shown \
    2>err && test ! -s err && awk '/PROGRAM TOTALS/ { print $1 - 0, $2 - 0 }' \
    shown >/dev/null && grep -Eq '^ *[0-9,]+ +[0-9.]+ +[^ ]*program.c:work' shown
  result $? "callgrind: callgrind_annotate shows it" shown
  if has_kcachegrind; then
    kcachegrind_opens real err
    result $? "callgrind: KCachegrind opens it"
  else
    skip "callgrind: KCachegrind opens it" "kcachegrind is not installed"
  fi
else
  skip "callgrind" "valgrind is not installed"
fi

# Built in other folders: twin is ambiguous in one of the files, 0x10 is no
# name, and old.so has another name in the other file.
cat >there <<'END'
events: Ir
ob=/a/prog
fl=/a/src/main.c
fn=main
1 10
cob=/a/old.so
cfi=/a/src/lib.c
cfn=lib
calls=1 5
2 7
fn=twin
9 1
fl=???
fn=0x10
0 3
ob=/a/old.so
fl=/a/src/lib.c
fn=lib
5 7
END
cat >here <<'END'
events: Ir
ob=/b/prog
fl=/b/main.c
fn=main
11 15
cob=/b/new.so
cfi=/b/lib.c
cfn=lib
calls=2 5
12 9
fn=twin
9 1
fl=???
fn=0x10
0 3
ob=/b/new.so
fl=/b/lib.c
fn=lib
6 9
ob=/c/prog
fl=/c/main.c
fn=twin
9 2
END
"$merge" --diff -o moved there here >text 2>err
result $? "functions in other folders" err
printf '%s\n' 'main b 5 0' 'lib b 2 0' 'twin a 0 1' 'twin b 1 0' 'twin c 2 0' \
  '0x10 a 0 3' '0x10 b 3 0' 'main lib 2 2 0' | sort >expected
"$cgread" --no-pad --dump moved | awk -F '\t' '
  { n = split ($2, ob, "/") }
  $1 == "cost" { print $4, ob[n - 1], $8 }
  $1 == "call" { print $4, $10, $13 }' | sort | diff expected - >found
result $? "functions in other folders are the same, if that is certain" found

# Handles are any numbers, and no index.  (AddressSanitizer needs more address
# space.)
limit="ulimit -v 200000"
($limit; "$merge" --version) >/dev/null 2>&1 || limit=true
($limit; exec "$merge" --diff -o again there here) >text 2>err \
  && cmp moved again >>err
result $? "it takes little memory" err

done_testing
