#!/bin/sh
# What recode does with files that are no profiles, and with outputs that
# cannot be written: status 1, one line "FILE:LINE: reason", no output file,
# nothing left behind, and an output file of before as it was.
#
# SPDX-License-Identifier: MIT

recode=${builddir-.}/examples/recode/cgw-recode
cgread=${builddir-.}/tests/support/cgread
case $recode in /*) ;; *) recode=$PWD/$recode ;; esac
case $cgread in /*) ;; *) cgread=$PWD/$cgread ;; esac
. "${srcdir-.}/tests/support/tap.sh"
log=err
cd "$dir" || exit 1
mkdir work

# Whether "in" is refused with a message that begins with $1, and the file
# work/out with its old contents is all that there is afterwards.
refused ()
{
  echo old >work/out
  "$recode" -o work/out in >stdout 2>err
  test $? = 1 && test "$(wc -l <err)" = 1 && test ! -s stdout \
    && test "$(ls -A work)" = out && test "$(cat work/out)" = old \
    && case $(cat err) in "cgw-recode: $1"*) true ;; *) false ;; esac
}

# bad NAME MESSAGE TEXT: TEXT, with printf's escapes, is refused.
bad ()
{
  printf "$3" >in
  refused "$2"
  result $? "$1"
}

# good NAME TEXT: TEXT is read, and what is written is a profile.
good ()
{
  printf "$2" >in
  "$recode" -o out in 2>err && test ! -s err \
    && "$cgread" --allow-zero-calls --no-pad out >err 2>&1
  result $? "$1"
}

# warned NAME WARNING TEXT EXPECTED: TEXT is read with one warning, and comes
# out as TEXT EXPECTED would.
warned ()
{
  printf "$3" >in
  printf "$4" >in.expected
  "$recode" in.expected >expected 2>err && test ! -s err \
    && "$recode" in >stdout 2>err && cmp expected stdout >>err \
    && test "$(cat err)" = "cgw-recode: in:$2"
  result $? "$1"
}

head='# callgrind format\nevents: A B\n'
body=$head'fl=f.c\nfn=f\n'

# What is no profile at all.
bad "a byte order mark" "in:1: begins with a byte order mark: remove it" \
  "\\357\\273\\277$body"'1 2 3\n'

bad "an empty file" "in: the file is empty" ''
bad "only blank lines" "in:2: there is no events: line" '\n\n'
bad "only the format's mark" "in:1: there is no events:" \
  '# callgrind format\n'
bad "a header without events:" "in:2: there is no events:" \
  'version: 1\npid: 3\n'
bad "text" "in:1: unknown line: \"Dear reader,\"" 'Dear reader,\n'
bad "a NUL byte" "in:5: NUL byte" "$body"'1\0002 3\n'
bad "a NUL byte in a name" "in:3: NUL byte" "$head"'fl=f\000.c\n'
bad "a gzip file" "in:1: compressed by gzip" '\037\213\010\000\000\000\n'
bad "control characters are not printed" \
  "in:1: unknown line: \"?[31m??\"" '\033[31m\303\251\n'
head -c 10000 "$(command -v cat)" >in
refused in:
result $? "a program"

# Header.

bad "another version" "in:1: unknown version" 'version: 2\nevents: A\n'
bad "a version that is no number" "in:1: expected a number" 'version: x\n'
bad "an unknown key" "in:3: unknown line: \"weather: fine\"" \
  "$head"'weather: fine\n'
bad "no events" "in:1: events: names no events" 'events:\n'
bad "an event twice" "in:1: event listed twice: \"A\"" 'events: A B A\n'
bad "unknown positions" "in:1: unknown positions: \"line column\"" \
  'positions: line column\nevents: A\n'
bad "no positions" "in:1: unknown positions" 'positions:\nevents: A\n'
bad "a position twice" "in:1: unknown positions" \
  'positions: line line\nevents: A\n'
bad "basic blocks in the wrong order" "in:1: unknown positions" \
  'positions: bb instr line\nevents: A\n'
bad "a formula of an unknown event" "in:3: bad formula at: \"C\"" \
  'event: S = A + C\nevents: A\nfl=f\n'
bad "a formula of itself" "in:3: formula of unknown events: \"A + S\"" \
  'event: S = A + S\nevents: A\nfl=f\n'
bad "a product" "in:3: bad formula at: \"* B\"" \
  'event: S = A * B\nevents: A B\nfl=f\n'
bad "event: without a name" "in:1: event: without a name" 'event: : x\n'
bad "a pid that is negative" "in:1: negative number" 'pid: -1\n'
bad "a summary with too many numbers" "in:4: more costs than events" \
  "$head"'summary: 1 2 3\nfl=f\n'
bad "the second part has other events" \
  "in:7: events or positions differ from the part before" \
  "$body"'1 2\nevents: C\nfl=f\n'
awk 'BEGIN { printf "events:"; for (i = 1; i <= 201; i++) printf " E" i;
             print "" }' >in
refused "in:1: too many event types"
result $? "201 events"
awk 'BEGIN { for (i = 0; i < 9000; i++)
               printf "desc: a: %2000s\n", "x" }' >in
refused "in:8352: the header is too large"
result $? "a header without end"

# Names.

bad "an id without end" "in:3: bad id: \"(7 x\"" "$head"'fl=(7 x\n'
bad "an id past 64 bits" "in:3: number larger than 64 bits" \
  "$head"'fl=(18446744073709551616) x\n'

# Costs.

bad "costs before events:" "in:1: there is no events: line" '1 2 3\n'
bad "a name before events:" "in:1: there is no events: line" 'fl=f.c\n'
bad "too many costs" "in:5: more costs than events: \"4\"" "$body"'1 2 3 4\n'
bad "a negative cost" "in:5: negative cost (of cg_diff?  compare its inputs by \
cgw-merge --diff instead): \"-2\"" "$body"'1 -2\n'
bad "a cost past 64 bits" \
  "in:5: number larger than 64 bits: \"18446744073709551616\"" \
  "$body"'1 18446744073709551616\n'
bad "a hex cost past 64 bits" "in:5: number larger than 64 bits" \
  "$body"'1 0x10000000000000000\n'
bad "a cost that is no number" "in:5: bad number at: \"x\"" "$body"'1 2x\n'
bad "hex without digits" "in:5: bad number: \"0xg\"" "$body"'1 0xg\n'
bad "a line number past 32 bits" "in:5: line number out of range" \
  "$body"'4294967296 1\n'
# Not refused, for callgrind itself does it: the unknown line, with a warning.
printf "$body"'2 1\n-3 4\n+1 8\n' >in
printf 'fl=f.c\nfn=f\n2 1\n0 4\n1 8\n' >expected
"$recode" --plain -o out in 2>err && grep '^[f0-9]' out >body \
  && test "$(cat err)" = \
    "cgw-recode: in:6: warning: line number below 0: taken for 0, unknown" \
  && cmp -s body expected
result $? "a line number below 0"
bad "an address below 0" "in:6: address out of range" \
  'positions: instr\nevents: A\nfl=f\nfn=f\n2 1\n-3 1\n'
bad "an address past 64 bits" "in:6: address out of range" \
  'positions: instr\nevents: A\nfl=f\nfn=f\n0xffffffffffffffff 1\n+1 1\n'
bad "a missing subposition" "in:5: expected a number" \
  'positions: instr line\nevents: A\nfl=f\nfn=f\n0x12\n'
bad "a sum past 64 bits" "in: " \
  "$body"'1 18446744073709551615\n1 1\n'
bad "a line of another kind" "in:5: unknown line: \"xyz=1\"" "$body"'xyz=1\n'
bad "a key without its sign" "in:5: unknown line: \"fn main\"" \
  "$body"'fn main\n'
bad "xdebug's line between profiles" "in:6: unknown line" \
  "$body"'1 2\n==== NEW PROFILING FILE ====\n'

bad "a line number larger than 64 bits" "in:6: line number out of range" \
  "$body"'5 1\n+18446744073709551611 1\n'

# Calls and jumps.

bad "calls= before any cfn=" "in:5: calls= before any cfn=" \
  "$body"'calls=1 2\n1 2\n'
bad "calls= without a count" "in:6: expected a number" "$body"'cfn=g\ncalls=\n1 2\n'
bad "calls= without its cost line" \
  "in:7: calls= is not followed by its cost line" \
  "$body"'cfn=g\ncalls=1 2\nfn=g\n'
bad "calls= at the end" "in:6: calls= is not followed by its cost line" \
  "$body"'cfn=g\ncalls=1 2\n'
bad "a jump without a target" "in:5: jump without a target" "$body"'jump=1\n'
bad "a jump without a count" "in:5: expected a number" "$body"'jump= x\n'
bad "a conditional jump with one count" "in:5: expected a number" \
  "$body"'jcnd=1/ 3\n'

# Lines and ends.

bad "no newline at the end" "in:5: the last line has no newline" \
  "$body"'1 23'
for line in 'fn=g' 'cfn=g' '#comment' 'totals: 1' 'jump=1 2'; do
  bad "no newline behind $line" \
    "in:6: the last line has no newline: the file is cut" \
    "$body"'1 2 3\n'"$line"
done
bad "no newline behind a position" "in:6: the last line has no newline" \
  'positions: instr line\n'"$body"'0x10 1 23'
bad "no newline in the header" "in:2: the last line has no newline" 'pid: 1
events: A'
bad "no newline behind a header's summary" \
  "in:3: the last line has no newline" "$head"'summary: 1 2'
{ printf "$head"; printf 'fn='; head -c 5000000 /dev/zero | tr '\0' x; } >in
refused "in:3: line too long"
result $? "a line of 5 MB"
rm in
refused "in: "
result $? "a file that is not there"
mkdir in
refused "in: "
result $? "a directory"
rmdir in

# It must stop at the limit: it would take minutes, and memory, to go on.
head -c 4G /dev/zero 2>/dev/null | tr '\0' x 2>/dev/null \
  | "$recode" - >stdout 2>err
test $? = 1 && test ! -s stdout \
  && test "$(cat err)" = "cgw-recode: standard input:1: line too long"
result $? "a line of 4 GiB from a pipe"

# What looks odd, but is meant.

good "a header and no body" "$head"
good "no costs at all" "$body"'1\n'
good "costs of cg_merge" "$body"'1 . 2\n'
good "tabs and several blanks" "$body"'1\t2   3 \n'
good "lines that end in CR" \
  '# callgrind format\r\nevents: A\r\nfl=f\r\n1 2\r\n'
good "an id of 64 bits" "$head"'fl=(18446744073709551615) x\nfn=f\n1 2\n'
good "the largest cost" "$body"'1 18446744073709551615 0xffffffffffffffff\n'
good "a part without events: has those before" \
  "$body"'1 2\npart: 2\nfl=g\nfn=g\n1 3 4\n'
good "a call count of 0" "$body"'cfn=g\ncalls=0 2\n1 0 0\n'

# A last line without a newline, when it has all its numbers.

cut='the last line has no newline, but all its numbers'
warned "no newline behind all costs" "5: warning: $cut" \
  "$body"'1 2 3' "$body"'1 2 3\n'
warned "no newline behind a call" "7: warning: $cut" \
  "$body"'cfn=g\ncalls=1 2\n+4 2 3' "$body"'cfn=g\ncalls=1 2\n4 2 3\n'
warned "no newline behind a jump" "7: warning: $cut" \
  "$body"'1 2 3\njump=1 2\n*' "$body"'1 2 3\njump=1 2\n1\n'
warned "no newline behind totals:" "6: warning: $cut" \
  "$body"'1 2 3\ntotals: 2 3' "$body"'1 2 3\n'
warned "no newline behind summary:" "6: warning: $cut" \
  "$body"'1 2 3\nsummary: 2 3' "$head"'summary: 2 3\nfl=f.c\nfn=f\n1 2 3\n'
warned "no newline behind an address and a line" "5: warning: $cut" \
  'positions: instr line\nevents: A\nfl=f\nfn=f\n0x10 1 2' \
  'positions: instr line\nevents: A\nfl=f\nfn=f\n0x10 1 2\n'

# What readers take for something else, or nobody can name.

printf "$body"'cfn=g\ncalls=0 2\n1 2\ncalls=0 2\n2 0\ncalls=0 2\n3 1 1\n' >in
"$recode" in 2>err >stdout
test $? = 0 && test "$(grep -c '^calls=0' stdout)" = 3 \
  && test "$(cat err)" = "cgw-recode: in:6: warning: calls with a cost and \
calls=0 (2): callgrind_annotate takes the cost for self cost; --repair makes \
it calls=1"
result $? "calls that happened 0 times, but cost something"

# undefined NAME LINE: an id that no line defines.
undefined ()
{
  printf "$body"'1 2\ncfn=g\ncalls=1 1\n2 3\n'"$2" >in
  "$recode" --plain in >stdout 2>err
  test $? = 0 && test "$(cat err)" = "cgw-recode: in:$((8 + ${3-1})): \
warning: undefined id becomes ???: (8)" && "$cgread" --allow-zero-calls \
    --no-pad --plain --absolute stdout >err 2>&1
  result $? "an undefined id: $1"
}

undefined ob= 'ob=(8)\nfn=h\n3 4\nfn=i\n4 5\n'
undefined cob= 'cob=(8)\ncfn=h\ncalls=1 1\n3 4\n'
undefined fl= 'fl=(8)\nfn=h\n3 4\n'
undefined fi= 'fi=(8)\n3 4\n'
undefined fe= 'fe=(8)\n3 4\n'
undefined cfi= 'cfi=(8)\ncfn=h\ncalls=1 1\n3 4\n'
undefined cfl= 'cfl=(8)\ncfn=h\ncalls=1 1\n3 4\n'
undefined fn= 'fn=(8)\n3 4\nfn=(8)\n5 6\n'
undefined cfn= 'cfn=(8)\ncalls=1 1\n3 4\n'
undefined jfi= 'jfi=(8)\njump=1 1\n3\n'
undefined jfn= 'jfn=(8)\njump=1 1\n3\n'
printf "$body"'cfi=(8)\ncfn=(8)\ncalls=1 1\n3 4\n' >in
"$recode" --plain in 2>err | grep -c '^cf[in]=???$' >stdout
test "$(cat stdout)" = 2
result $? "an undefined id is ???"

# Positions.  Other readers take the address first, whatever the header says.

instr='positions: instr line\nevents: A\nfl=f\nfn=f\n'
costs='0x10 1 2\n+3 * 4\ncfn=g\ncalls=1 0x20 8\n+2 +1 3\n'
warned "positions in another order" \
  "1: warning: positions: the address is read first, then the line" \
  'positions: line instr\nevents: A\nfl=f\nfn=f\n'"$costs" "$instr$costs"
blocks='0x10 0x10 1 2\n+3 * * 4\ncfn=g\ncalls=1 0x20 0x20 8\n+2 +5 +1 3\n'
left_out='1: warning: positions: bb is left out'
warned "addresses of basic blocks" "$left_out" \
  'positions: instr bb line\nevents: A\nfl=f\nfn=f\n'"$blocks" "$instr$costs"
warned "a target that lacks what is behind the address" "$left_out" \
  'positions: instr bb line\nevents: A\nfl=f\nfn=f\n0x10 7 1 2
cfn=g\ncalls=1 0x20\n+2 -3 +1 3\n' "$instr"'0x10 1 2
cfn=g\ncalls=1 0x20\n+2 +1 3\n'
warned "basic blocks and lines" "$left_out" \
  'positions: bb line\nevents: A\nfl=f\nfn=f\n0x10 1 2\n* +1 3\n' \
  'events: A\nfl=f\nfn=f\n1 2\n2 3\n'
warned "basic blocks, and a cost left out" "$left_out" \
  'positions: bb line\nevents: A B\nfl=f\nfn=f\n0x10 1 2\n' \
  'events: A B\nfl=f\nfn=f\n1 2\n'
warned "basic blocks alone" "$left_out" \
  'positions: bb\nevents: A\nfl=f\nfn=f\n0x10 2\n+3 3\n' \
  'events: A\nfl=f\nfn=f\n0 2\n0 3\n'
warned "one warning for several parts" "$left_out" \
  'positions: bb line\nevents: A\nfl=f\nfn=f\n0x10 1 2
part: 2\npositions: bb line\nevents: A\nfl=f\nfn=f\n0x10 1 2\n' \
  'events: A\nfl=f\nfn=f\n1 2\npart: 2\nevents: A\nfl=f\nfn=f\n1 2\n'

# Cut at every byte: a profile comes out, or a reason.

cat >whole <<'END'
# callgrind format
version: 1
creator: somebody
cmd: ./a b\n \\ \x1b
part: 1
desc: Trigger: end
positions: instr line
event: Ir : Instruction Fetches
events: Ir Dr
summary: 30 4

ob=(1) a.out
fl=(1) f.c
fn=(1) main
0x10 5 1 2
+1 +1 3
cob=(2) b.so
cfi=(2) g.c
cfn=(2) g
calls=2 0x100 7
* * 20 2
jump=3 0x20 8
+2 *
jcnd=1/2 +4 +1
* *
# a comment
fi=(3) h.h
0x30 4 7
fe=(1)
+3 +4 19 2
totals: 30 4
END
size=$(wc -c <whole)
status=0
profiles=0
for n in $(seq 0 "$size"); do
  head -c "$n" whole >in
  rm -f out
  "$recode" -o out in >stdout 2>err
  code=$?
  if test $code = 0; then
    profiles=$((profiles + 1))
    if test "$(tail -c 1 in)"; then
      grep -q "^cgw-recode: in:[0-9]*: warning: $cut\$" err
    else
      test ! -s err
    fi && "$cgread" --no-pad out >check 2>&1 && continue
  elif test $code = 1; then
    grep -q '^cgw-recode: in:\([0-9]*:\)\{0,1\} [a-z]' err && test "$(wc -l <err)" = 1 \
      && test ! -e out && continue
  fi
  echo "# cut after $n bytes: status $code"
  status=1
done
test $profiles -gt 5 || status=1
result $status "cut at every byte"

# Outputs.

cp whole in
"$recode" -o nowhere/out in 2>err
test $? = 1 && grep -q '^cgw-recode: nowhere/out: ' err
result $? "an output in no directory"

"$recode" -o work in 2>err
test $? = 1 && grep -q '^cgw-recode: work: ' err && test -d work
result $? "an output that is a directory"

mkfifo fifo
"$recode" in >expected 2>err
cat fifo >got &
"$recode" -o fifo in 2>err
test $? = 0 && wait $! && cmp expected got >err && test -p fifo
result $? "an output that is a pipe"
if test -w /dev/full; then
  "$recode" -o /dev/full in 2>err
  test $? = 1 && grep -q '^cgw-recode: /dev/full: No space' err
  result $? "an output that is a full device"
else
  skip "an output that is a full device" "there is no /dev/full"
fi
"$recode" -o - in >got 2>err && cmp expected got >err
result $? "an output named -"

echo old >target && ln -sf target link
"$recode" -o link in 2>err
test $? = 0 && test -h link && "$cgread" --no-pad target >err 2>&1
result $? "a symbolic link stays one"
ln -s nowhere/at/all dangling
"$recode" -o dangling in 2>err
test $? = 1 && test -h dangling && grep -q '^cgw-recode: dangling: No such' err
result $? "a symbolic link that leads nowhere stays one"

rm -f out && (umask 027 && "$recode" -o out in) 2>err
test $? = 0 && test "$(ls -l out | cut -c 1-10)" = -rw-r-----
result $? "the mode of a new file is that of the umask"

cp in same && "$recode" -o same same 2>err && "$cgread" --no-pad same >err 2>&1
result $? "the output may be the input"

if test -w /dev/full; then
  "$recode" in >/dev/full 2>err
  test $? = 1 && grep -q '^cgw-recode: standard output: ' err
  result $? "a full device"
else
  skip "a full device" "there is no /dev/full"
fi

echo old >work/out
if can_limit_files; then
  (ulimit -f 0 && "$recode" -o work/out in) >stdout 2>err
  test $? = 1 && test "$(ls -A work)" = out && test "$(cat work/out)" = old
  result $? "a file size limit"
else
  skip "a file size limit" "coverage is written, too"
fi

# A signal while it waits for input; the temporary file shows that it does.
# Under nohup SIGHUP is ignored, and stays so.
for signal in TERM HUP; do
  name="SIG$signal leaves nothing behind"
  { ignored=$(sh -c "kill -$signal \$\$; echo yes"); } 2>/dev/null
  if test "$ignored"; then
    skip "$name" "the signal is ignored"
    continue
  fi
  rm -f fifo && mkfifo fifo
  exec 3<>fifo
  "$recode" -o work/out fifo 2>err 3>&- &
  pid=$!
  until test "$(ls -A work)" != out; do
    kill -0 $pid 2>/dev/null || break
  done
  kill -$signal $pid
  exec 3>&-
  { wait $pid; } 2>/dev/null
  code=$?
  test $code -gt 128 && test "$(ls -A work)" = out \
    && test "$(cat work/out)" = old
  result $? "$name"
done

# Options of the output.

printf 'creator: me\n'"$body"'1 2\n3 4 5\n' >costs
"$recode" --keep-zeros costs >stdout 2>err \
  && "$cgread" --no-pad --keep-zeros stdout >err && grep -q '^1 2 0$' stdout
result $? "--keep-zeros"
"$recode" --cachegrind costs >stdout 2>err && test ! -s err \
  && cmp stdout - <<'END'
desc: Creator: me
cmd: 
events: A B
fl=f.c
fn=f
1 2 0
3 4 5
summary: 6 5
END
result $? "--cachegrind"
printf 'events: Ir _x\nfl=f.c\nfn=f\n1 2 3\n' >odd
! "$recode" --cachegrind odd >stdout 2>err \
  && grep -qx 'cgw-recode: odd: cg_merge .* begin with a letter' err
result $? "--cachegrind: a name of an event that cg_merge misreads" err

# Usage.

usage () # NAME ARGUMENT...
{
  name=$1
  shift
  "$recode" "$@" >stdout 2>err
  test $? = 2 && grep -q '^Usage: cgw-recode ' err && test ! -s stdout
  result $? "usage: $name"
}
usage "no file"
usage "two files" in in
usage "an unknown option" --small in
usage "-o without a file" in -o
"$recode" --help >stdout 2>err && grep -q '^Usage: cgw-recode ' stdout
result $? "--help"
"$recode" --version >stdout 2>err && grep -q '^cgw-recode ' stdout
result $? "--version"
cp in ./-in && "$recode" -- -in >stdout 2>err && cmp -s stdout same
result $? "-- ends the options"

done_testing
