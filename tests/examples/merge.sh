#!/bin/sh
# merge.sh - cgw-merge: sums against records added one by one, in any order the
# same bytes; headers, events and positions; parts; memory.  What it refuses: see
# refusals.cases.
#
# From the environment: srcdir.  In the build folder: examples/tools/merge/cgw-merge,
# examples/tools/recode/cgw-recode, tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
merge=$(pwd)/examples/tools/merge/cgw-merge
recode=$(pwd)/examples/tools/recode/cgw-recode
cd "$dir" || exit 1
log=err

# Adds up lines of cgread --dump.  Where a called function begins does not
# distinguish calls.
add_up ()
{
  awk 'BEGIN { FS = "\t" }
    {
      fields = $1 == "call" ? NF - 3 : NF - 1
      key = $1
      for (i = 2; i <= fields; i++)
        key = key "\t" $i
      n = split ($NF, values, " ")
      if (n > columns[key])
        columns[key] = n
      for (i = 1; i <= n; i++) {
        sum[key, i] += values[i]
        has[key] += values[i] # what is 0 is not written
      }
    }
    END {
      for (key in columns) {
        if (has[key] == 0)
          continue
        line = key "\t"
        for (i = 1; i <= columns[key]; i++)
          line = line " " sum[key, i]
        print line
      }
    }' | sort
}

# dump FILE: what the strict reader finds in a result.
dump () { "$cgread" --no-pad --allow-zero-calls --dump "$1"; }

# lines FILE: its lines but for those that are always there.
lines ()
{
  sed -e '/^# callgrind format$/d' -e '/^version: 1$/d' \
    -e '/^creator: libcgw-/d' "$1"
}

# profile NAME HEADER BODY: makes a file.
profile () { printf "$2"'fl=f.c\nfn=f\n'"$3" >"$1"; }

# gives NAME OUTPUT ARGUMENT...: cgw-merge -o out ARGUMENT... succeeds without
# a word, and writes these lines.
gives ()
{
  name=$1
  printf "$2" >expected
  shift 2
  "$merge" -o out "$@" 2>err && test ! -s err && lines out >got \
    && diff expected got >err
  result $? "$name"
}

# warns NAME WARNING OUTPUT ARGUMENT...: likewise, with this warning.
warns ()
{
  name=$1
  echo "cgw-merge: $2" >warning
  printf "$3" >expected
  shift 3
  "$merge" -o out "$@" 2>err && diff warning err >log && lines out >got \
    && diff expected got >log
  result $? "$name" log
}

# Everything at once: a hundred files with random functions, inlined code, calls
# and jumps.

mkdir in
awk -v n=100 -v folder=in -f "$srcdir/tests/examples/merge_files.awk" \
  && for file in in/*; do "$cgread" --lenient --dump $file; done >records 2>err
test "$(ls in | wc -l)" = 100 && test "$(wc -l <records)" -gt 5000 \
  && test ! -s err
result $? "the files are made"

add_up <records >expected
"$merge" -o sum in/* 2>err && test ! -s err && dump sum >sum.dump 2>err \
  && add_up <sum.dump >got && diff expected got >err
result $? "the sums of all records"
for kind in cost call jump; do
  test "$(grep -c "^$kind" expected)" -gt 150 || echo "no ${kind}s" >>err
done
test ! -s err
result $? "there are costs, calls and jumps"

# The records of one position are one.
add_up <sum.dump | wc -l >1 && wc -l <sum.dump >2 && diff 1 2 >err
result $? "each position, call and jump once"

ls in/* | awk '{ name[NR] = $0 }
  END { srand (7)
    for (i = NR; i > 0; i--) {
      k = 1 + int (rand () * i); print name[k]; name[k] = name[i] } }' >list
"$merge" -o shuffled --files-from list 2>err && cmp sum shuffled >err
result $? "in another order, the same bytes"
sort -r list | "$merge" --files-from=- -o - 2>err | cmp sum - >err
result $? "a list from the standard input, the result to the standard output"
sed 3q list | "$merge" --files-from - -o few in/* 2>err \
  && ! cmp -s few sum && "$merge" -o few2 in/* $(sed 3q list) 2>err \
  && cmp few few2 >err
result $? "a list and names"

"$merge" --parts -o parts --files-from list 2>err && dump parts >got 2>err \
  && add_up <got >got.sums && diff expected got.sums >err
result $? "--parts: the sums of all records"
"$merge" -o again parts 2>err && cmp sum again >err
result $? "the parts of a file are added, too"
"$merge" -o some $(sed -n '1,40p' list) 2>err \
  && "$merge" -o others $(sed -n '41,$p' list) 2>err \
  && "$merge" -o again others some 2>err && test ! -s err \
  && grep -v '^desc:' sum >1 && grep -v '^desc:' again | cmp 1 - >err
result $? "sums are added, too"

lines sum | sed 5q >got
printf '%s\n' 'cmd: program' 'desc: Same: yes' 'positions: instr line' \
  'events: Ir Dr' | diff - got | grep '^<' >err
test ! -s err
result $? "the header has what all files have"

# Files of other programs, twice.  What recode makes of them is proven.
for file in "$srcdir"/tests/fuzz/seeds/profile/by-*; do
  name=${file##*/by-}
  "$recode" -o once "$file" 2>err && "$merge" -o twice "$file" "$file" 2>err.2 \
    && dump once >1 2>err && cat 1 1 | add_up >2 && dump twice >3 2>err \
    && add_up <3 >4 && diff 2 4 >err
  result $? "$name and itself"
done

# Real files of callgrind: the dumps of one run.
if command -v valgrind >/dev/null; then
  mkdir real
  valgrind --tool=callgrind --dump-every-bb=4000 --dump-instr=yes \
    --collect-jumps=yes --cache-sim=yes --callgrind-out-file=real/out \
    ls / >stdout 2>err
  rm -f real/out
  for file in real/*; do
    "$cgread" --lenient --dump "$file" || echo "$file" >>err.2
  done | add_up >expected
  "$merge" -o sum.real real/* 2>err && test ! -s err \
    && dump sum.real >got 2>err && add_up <got >got.sums \
    && diff expected got.sums >err && test "$(ls real | wc -l)" -ge 5 \
    && grep -q ^jump got && grep -q ^call got
  result $? "the dumps of callgrind"
  ls -r real/* | "$merge" --files-from - -o again 2>err && cmp sum.real again >err
  result $? "the dumps of callgrind, backwards"
else
  skip "the dumps of callgrind" "valgrind is not installed"
  skip "the dumps of callgrind, backwards" "valgrind is not installed"
fi

# The header.

body='1 2\n'
profile a 'cmd: x\npid: 5\nthread: 2\npart: 3\ndesc: b: 1\ndesc: a: 2\ndesc: b: 1\nevents: A\n' "$body"
profile b 'cmd: x\npid: 5\nthread: 2\npart: 4\ndesc: a: 2\ndesc: c: 3\ndesc: b: 1\ndesc: b: 1\nevents: A\n' "$body"
profile c 'cmd: y\npid: 6\nthread: 3\ndesc: b: 1\nevents: A\n' "$body"
profile d 'events: A\n' "# comment\n$body"
tail='positions: line\nevents: A\nsummary: %s\nfl=(1) f.c\nfn=(1) f\n1 %s\ntotals: %s\n'
sum_of () { printf "$tail" "$1" "$1" "$1"; }
gives "one file" "pid: 5\nthread: 2\ncmd: x\ndesc: a: 2\ndesc: b: 1
$(sum_of 2)\n" a
cat got >1
"$merge" -o out b a && lines out >2 && sed -e 's/ 2$/ 4/' \
  -e 's/^thread: 4/thread: 2/' -e 's/^desc: a: 4/desc: a: 2/' 1 | diff - 2 >err
result $? "what all have in common stays, sorted"
gives "of others, what they have in common" "desc: b: 1\n$(sum_of 6)\n" a c b
gives "a file without any, and a comment" "$(sum_of 6)\n" a d b

# Events.

profile a 'events: Ir Dr Dw\n' '1 1 2 3\ncfn=g\ncalls=1 7\n2 10 20 30\n'
profile b 'events: Dw Ir\n' '1 100 200\ncfn=g\ncalls=1 7\n2 1000 2000\n'
profile c 'events: Dr\n' '1 5000\n'
want='positions: line\nevents: Ir Dr Dw\nsummary: 201 5002 103
fl=(1) f.c\nfn=(1) f\n1 201 5002 103\ncfn=(2) g\ncalls=2 7\n2 2010 20 1030
totals: 201 5002 103\n'
gives "events by name, missing ones are 0" "$want" a b c
gives "likewise, in another order" "$want" c b a
profile d 'events: Dw Dr Ir\n' '1 3 2 1\n'
want='positions: line\nevents: Dw Dr Ir\nsummary: 6 4 2
fl=(1) f.c\nfn=(1) f\n1 6 4 2\ntotals: 6 4 2\n'
profile e 'events: Ir Dr Dw\n' '1 1 2 3\n'
gives "of two orders, the first in the alphabet" "$want" d e
gives "likewise, the other way round" "$want" e d

profile a 'event: S = Ir + 10 Dr : sum\nevent: T = 2 S\nevent: Ir : Fetch\nevents: Ir Dr\n' '1 1 2\n'
profile b 'events: Ir\n' "$body"
profile c 'event: A = 2 Dr\nevent: S = Ir + 10 Dr\nevents: Dr Ir\n' '1 1 1\n'
profile d 'event: Ir : Instructions\nevent: S = Ir + 20 Dr\nevents: Ir Dr\n' '1 1 1\n'
gives "derived events and long names" 'positions: line\nevent: Ir : Fetch
event: S = Ir + 10 Dr : sum\nevent: T = 2 S\nevents: Ir Dr
summary: 3 2\nfl=(1) f.c\nfn=(1) f\n1 3 2\ntotals: 3 2\n' a b
gives "those of several files" 'positions: line\nevent: Ir : Fetch
event: A = 2 Dr\nevent: S = Ir + 10 Dr : sum\nevent: T = 2 S
events: Dr Ir\nsummary: 3 2\nfl=(1) f.c\nfn=(1) f\n1 3 2\ntotals: 3 2\n' c a
"$merge" -o out a c 2>err && test ! -s err && lines out | diff got - >err
result $? "those of several files, the other way round"
cat >warning <<'END'
cgw-merge: d: warning: the long name of event "Ir" is left out: it differs from that in a
cgw-merge: d: warning: derived event "S" is left out: it differs from that in a
cgw-merge: a: warning: derived event "T" is left out, because an event of its formula is, or has another unit
END
"$merge" -o out a d 2>err && diff warning err >log && ! grep '^event:' out
result $? "those that differ are left out, with a warning" log
"$merge" -o again d a 2>err && cmp out again >err
result $? "likewise, the other way round"

# Units.

profile s 'event: T : Time in s\nevents: T\n' '1 1\n'
profile ms 'event: T : T (milliseconds)\nevents: A T\n' '1 1 2\ncfn=g\ncalls=1 7\n2 0 20\n'
profile us 'event: T : Processor time in us; calls are counts\nevents: T\n' '1 4\n'
want='positions: line
event: T : Processor time in us; calls are counts\nevents: A T
summary: 1 1002004\nfl=(1) f.c\nfn=(1) f\n1 1 1002004
cfn=(2) g\ncalls=1 7\n2 0 20000\ntotals: 1 1002004\n'
gives "the finer unit" "$want" s ms us
gives "the finer unit, in another order" "$want" us ms s
profile ms2 'event: T : T (ms)\nevents: T\nsummary: 3\n' '1 3\n'
gives "--parts: the finer unit" 'part: 1\npositions: line
event: T : T (ms)\nevents: T\nsummary: 3\nfl=(1) f.c\nfn=(1) f\n1 3\ntotals: 3
part: 2\npositions: line\nevent: T : T (ms)\nevents: T\nfl=(1) f.c\nfn=(1) f\n1 1000\ntotals: 1000\n' \
  --parts ms2 s
profile mu 'events: Time_(\302\265s) Memory_(bytes)\n' '1 2 5\n'
profile 10ns 'events: Time_(10ns)\n' '1 3\n'
gives "the unit in the name: the finer one's name" 'positions: line
events: Time_(10ns) Memory_(bytes)\nsummary: 203 5\nfl=(1) f.c\nfn=(1) f\n1 203 5
totals: 203 5\n' mu 10ns
profile a 'event: S = 2 T + A\nevent: T : T in s\nevents: A T\n' '1 1 1\n'
warns "a derived event of what is converted is left out" \
  'a: warning: derived event "S" is left out, because an event of its formula is, or has another unit' \
  'positions: line\nevent: T : T (milliseconds)\nevents: A T\nsummary: 2 1002
fl=(1) f.c\nfn=(1) f\n1 2 1002\ncfn=(2) g\ncalls=1 7\n2 0 20\ntotals: 2 1002\n' a ms
profile wall 'event: T : Wall time in us\nevents: T\n' "$body"
warns "long names that differ: the unit stays" \
  'wall: warning: the long name of event "T" is left out: it differs from that in us' \
  'positions: line\nevent: T : T (us)\nevents: T\nsummary: 6\nfl=(1) f.c\nfn=(1) f\n1 6
totals: 6\n' us wall
profile none 'events: T\n' "$body"
want='positions: line\nevent: T : Wall time in us\nevents: T\nsummary: 4
fl=(1) f.c\nfn=(1) f\n1 4\ntotals: 4\n'
said='none: warning: event "T" has no unit here, and "us" in wall: it is taken for the same'
warns "a file that tells no unit" "$said" "$want" none wall
warns "a file that tells no unit, in another order" "$said" "$want" wall none

# Positions.

profile both 'positions: instr line\nevents: A\n' '0x10 5 1\n0x14 5 1\njump=2 0x20 9\n0x10 5\njump=3 0x24 9\n0x14 5\n'
profile both2 'positions: instr line\nevents: A\n' '0x10 6 1\njump=5 0x20 8\n0x10 6\n'
profile line 'positions: line\nevents: A\n' '5 1\njump=1 9\n5\n'
profile instr 'positions: instr\nevents: A\n' '0x10 4\n'
warns "lines, without addresses" \
  'line: warning: has no addresses: those of the other inputs are left out' \
  'positions: line\nevents: A\nsummary: 3\nfl=(1) f.c\nfn=(1) f\n5 3\njump=6 9\n*
totals: 3\n' both line
warns "addresses, without lines" \
  'instr: warning: has no lines: those of the other inputs are left out' \
  'positions: instr\nevents: A\nsummary: 7\nfl=(1) f.c\nfn=(1) f\n0x10 6\n+4 1
jump=7 +12\n-4\njump=3 0x24\n0x14\ntotals: 7\n' instr both both2
warns "--parts, too" \
  'line: warning: has no addresses: those of the other inputs are left out' \
  'part: 1\npositions: line\nevents: A\nfl=(1) f.c\nfn=(1) f\n5 1\n* 1\njump=2 9\n*\njump=3 9\n5
totals: 2\npart: 2\npositions: line\nevents: A\nfl=(1) f.c\nfn=(1) f\n5 1\njump=1 9\n*
totals: 1\n' --parts both line

# Jumps.  Inlined code in another function has no place in a file: there the
# target is in the function's own.
printf 'events: A\nfl=(1) g.c\nfn=(1) g\n1 1\nfl=(2) f.c\nfn=(2) f\njfi=(3) x.h
jfn=(1)\njump=2 8\n5\njfi=(1)\njfn=(1)\njump=3 8\n5\njcnd=1/2 8\n5\njump=1 8\n5\n' >a
gives "jumps" 'positions: line\nevents: A\nsummary: 2\nfl=(1) g.c\nfn=(1) g\n1 2
fl=(2) f.c\nfn=(2) f\njump=2 8\n5\njcnd=2/4 8\n5\njfi=(1)\njfn=(1)\njump=10 8\n5
totals: 2\n' a a
printf 'events: A\nfn=f\n1 1\njump=1 1\n2\nfl=???\njump=3 1\n2\n' >a
gives "a jump where no file is named, and where it is unknown" \
  'positions: line\nevents: A\nsummary: 1\nfl=(1) ???\nfn=(1) f\n1 1
jump=4 *\n2\ntotals: 1\n' a
printf 'events: A\nfl=f.c\nfn=f\n1 1\nob=???\nfn=g\n2 1\njfn=f\njump=3 1\n2\n' >a
gives "a jump where no object is named to where it is unknown" \
  'positions: line\nevents: A\nsummary: 2\nob=(1) ???\nfl=(1) f.c\nfn=(1) f\n1 1
fn=(2) g\n2 1\njfn=(1)\njump=3 1\n*\ntotals: 2\n' a

# Parts.

profile a 'pid: 5\ncmd: x\npart: 9\nthread: 1\ndesc: d: e\nevents: A B\nsummary: 7 8\n' '1 2 3\n'
profile b 'pid: 6\npart: 1\nevents: B\nsummary: 8\n' '# comment\n2 8\n1 8\npart: 2\nevents: B A\nfl=f.c\nfn=f\n4 8 9\n1 1\n'
gives "--parts: in their order, with their headers" 'pid: 6\npart: 1
positions: line\nevents: A B\nsummary: 0 8\n# comment\nfl=(1) f.c\nfn=(1) f
2 0 8\n1 0 8\ntotals: 0 16\npart: 2\npositions: line\nevents: A B\nfl=(1) f.c\nfn=(1) f
4 9 8\n1 0 1\ntotals: 9 9\npid: 5\npart: 3\nthread: 1\ncmd: x\ndesc: d: e
positions: line\nevents: A B\nsummary: 7 8\nfl=(1) f.c\nfn=(1) f\n1 2 3\ntotals: 2 3\n' \
  --parts b a
# Input and output.

profile a 'events: A\n' "$body"
gives "the standard input" "$(sum_of 4)\n" - a <a
mkfifo pipe
cat a >pipe &
cat a | "$merge" -o out pipe - a 2>err && sum_of 6 >expected \
  && lines out | diff expected - >err
result $? "pipes"
wait
cp a b
"$merge" -o b a b a 2>err && lines b | diff expected - >err
result $? "an input that is the output"
printf 'a\n\n./a\r\na' >list
gives "a list with an empty line, CRLF, and no last newline" "$(sum_of 6)\n" \
  --files-from list

# KCachegrind opens all files whose names begin with that of the one it opens.
cp a prof
cp a prof.1
mkdir sub
cp a sub/prof.1
for names in 'prof.sum:prof:prof.sum' 'pro:pro:prof' 'prof:prof:prof.1'; do
  out=${names%%:*} two=${names#*:}
  "$merge" -o "$out" ./prof prof.1 2>err
  test $? = 0 && sed 's,\./,,g' err | grep -qx "cgw-merge: ${two%:*}: warning: KCachegrind, given this file, also opens ${two#*:}"
  result $? "a warning: $names"
done
"$merge" -o prof prof sub/prof.1 2>err && "$merge" -o prof.2 prof.1 2>>err \
  && test ! -s err
result $? "no warning for another folder, or other names"

# Calls that happened 0 times.
profile a 'events: A\n' 'cfn=g\ncalls=0 7\n2 10\n'
profile b 'events: A\n' 'cfn=g\ncalls=0 7\n2 10\ncfn=g\ncalls=3 5\n2 20\n'
# Dumps of callgrind have such calls for what an earlier interval began; a file
# that has no other calls is misread.
"$merge" -o out a a 2>err
printf 'positions: line\nevents: A\nsummary: 0
fl=(1) f.c\nfn=(1) f\ncfn=(2) g\ncalls=0 7\n2 20\ntotals: 0\n' >expected
said='warning: calls with a cost and calls=0 (1): callgrind_annotate takes the cost for self cost; mend the file by cgw-recode --repair first'
printf 'cgw-merge: a:5: %s\n' "$said" "$said" >warning
lines out >got && diff expected got >diff.err && diff warning err >>diff.err
result $? "calls that happened 0 times" diff.err
gives "and others" 'positions: line\nevents: A\nsummary: 0
fl=(1) f.c\nfn=(1) f\ncfn=(2) g\ncalls=3 5\n2 30\ntotals: 0\n' b

# As MALT writes them.
profile a 'events: A\n' '1 3\ncfn=g\n2 10\ncfn=g\n3 20\n'
cp a b
echo "cgw-merge: a:6: warning: costs directly behind cfn=, without calls= (2), \
count as self costs; cgw-recode --repair makes them those of calls" >warning
sed 's/a:6/b:6/' warning | cat warning - >warnings
"$merge" -o out a b 2>err && diff warnings err >diff.err
result $? "costs behind cfn= without calls=: a warning for each file" diff.err

# Descriptors and memory: for twenty files a hundred times, and for a file of as
# many parts, a quarter more address space is enough than for twenty files.
ls in/* | sed 40q >list
(ulimit -n 20 && "$merge" -o out --files-from list) 2>err
result $? "forty files with twenty descriptors"
ls in/* | sed 20q >list
for i in 1 2 3 4 5 6 7 8 9 10; do
  cat list list list list list list list list list list
done >list.2000
cat $(cat list.2000) >long
limit=4000
until (ulimit -v $limit; "$merge" -o few --files-from list) >log 2>&1 \
  || test $limit -gt 1000000; do
  limit=$((limit + limit / 10))
done
for large in '--files-from list.2000' long; do
  if test $limit -gt 1000000; then
    skip "memory does not grow: $large" "AddressSanitizer needs more"
    continue
  fi
  # shellcheck disable=SC2086 # words
  (ulimit -v $((limit + limit / 4)); "$merge" -o many $large) 2>err
  result $? "memory does not grow: $large"
done
done_testing
