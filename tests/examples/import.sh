#!/bin/sh
# import.sh - cgw-import: profiles of other tools, a few of each kind made by
# hand.  What is imported, and what is refused; damaged profiles of all kinds.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder:
# examples/tools/import/cgw-import, tests/fuzz/import, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
import=$(pwd)/examples/tools/import/cgw-import
fuzzer=$(pwd)/tests/fuzz/import
trace=$(pwd)/examples/tools/trace/cgw-trace
merge=$(pwd)/examples/tools/merge/cgw-merge
data=$(cd "${srcdir-.}/tests/fuzz/seeds/profile" && pwd)
recordings=$(cd "${srcdir-.}/tests/recordings" && pwd)
cd "$dir" || exit 1
mkdir good

# What a profile says, for people: "self FUNCTION COST..." and "call CALLER
# CALLEE COUNT COST...", sorted.  Functions as "[object] file:name", with what
# is unknown left out; lines as "@line" where there are any.
show () # FILE
{
  "$cgread" --no-pad --dump "$1" >dump || return
  awk -F '\t' '
    function function_of(object, file, name, text) {
      text = name
      if (file != "???") text = file ":" text
      if (object != "???") text = "[" object "] " text
      return text
    }
    function place(source, address, line, text) {
      text = ""
      if (source != file && source != "???") text = text " " source
      if (line != 0) text = text "@" line
      if (address != "0x0") text = text "@" address
      return text
    }
    $1 == "cost" {
      file = $3
      print "self " function_of($2, $3, $4) place($5, $6, $7) " " $8
    }
    $1 == "call" {
      file = $3
      split($8, to, "-> ")
      print "call " function_of($2, $3, $4) place($5, $6, $7) " -> " \
            function_of(to[2], $9, $10) " " $NF
    }' dump | sort
}

# Imports a file; compares what it says with the standard input.
imports () # NAME FILE [OPTION...]
{
  name=$1 file=$2
  shift 2
  cat >expected
  { "$import" "$@" -o out "$file" && show out; } >got 2>err \
    && diff expected got >diff
  status=$?
  cat err >>diff
  result $status "$name" diff
}

# The profile has a line.
has () # NAME LINE
{
  grep -qxF -- "$2" out
  result $? "$1" out
}

# A file is refused with a message, which may begin with a line's number, and an
# older output stays.
refuses () # NAME FILE MESSAGE [OPTION...]
{
  name=$1 file=$2 message=": $3"
  case $3 in [0-9]*:*) message=:$3 ;; esac
  shift 3
  echo old >kept
  "$import" "$@" -o kept "$file" >err 2>&1
  test $? = 1 \
    && test "$(grep -v ': warning: ' err)" = "cgw-import: $file$message" \
    && test "$(cat kept)" = old
  result $? "$name" err
}

# Bytes from hexadecimal digits.
bytes () { printf "$(echo "$1" | awk '{
    digits = "0123456789abcdef"
    for (i = 1; i < length($1); i += 2)
      printf "\\%03o", 16 * (index(digits, substr($1, i, 1)) - 1) \
                       + index(digits, substr($1, i + 1, 1)) - 1 }')"; }
hex () { printf "$@" | od -An -v -tx1 | tr -d ' \n'; }

# pprof: fields of a protocol buffer, as hexadecimal digits.

varint ()
{
  v=$1
  while test "$v" -ge 128; do
    printf %02x $((v % 128 + 128))
    v=$((v / 128))
  done
  printf %02x "$v"
}
number () { echo "$(varint $(($1 * 8)))$(varint "$2")"; }
message () { echo "$(varint $(($1 * 8 + 2)))$(varint $((${#2} / 2)))$2"; }
text () { message "$1" "$(hex "$2")"; }
strings () { for s; do text 6 "$s"; done | tr -d '\n'; }
minus_3=fdffffffffffffffff01
types=$(message 1 "$(number 1 1)$(number 2 2)")$(
  message 1 "$(number 1 3)$(number 2 4)")

# Two stacks: "main" calls "work", which was inlined into "outer" there; the
# locations have ids with gaps; the second sample is not packed, and nothing
# knows its leaf but its mapping.
tables=$(message 3 "$(number 1 7)$(number 2 4096)$(number 3 8192)$(
  number 4 256)$(number 5 8)")$(
  message 4 "$(number 1 900)$(number 2 7)$(number 3 4112)$(
    message 4 "$(number 1 12)$(number 2 21)")$(
    message 4 "$(number 1 77)$(number 2 11)")")$(
  message 4 "$(number 1 5)$(number 2 7)$(number 3 4128)$(
    message 4 "$(number 1 3)$(number 2 5)")")$(
  message 4 "$(number 1 6)$(number 2 7)$(number 3 4144)")$(
  message 5 "$(number 1 12)$(number 2 5)$(number 4 9)")$(
  message 5 "$(number 1 77)$(number 3 6)$(number 4 10)")$(
  message 5 "$(number 1 3)$(number 2 7)$(number 3 6)$(number 4 9)")$(
  strings '' samples count cpu nanoseconds _ZN2ns4workEi outer main \
    /lib/prog.so work.cc outer.cc 'with two words' comm web 1)
samples=$(message 2 "$(message 1 "$(varint 900)$(varint 5)")$(
    message 2 "$(varint 2)$(varint 20)")")$(
  message 2 "$(number 1 6)$(number 1 5)$(number 2 1)$(number 2 10)$(
    message 3 "$(number 1 12)$(number 2 13)")")
bytes "$types$samples$tables$(number 9 1700000000123456789)$(
  number 10 1500000000)$(message 11 "$(number 1 3)$(number 2 4)")$(
  number 12 10)$(number 13 11)$(number 14 1)" >good/pprof

imports "pprof: stacks, inlined functions, addresses in the file" good/pprof <<'END'
call (root) -> [/lib/prog.so] work.cc:main 1 2 20
call [/lib/prog.so] outer.cc:outer@11@0x110 -> [/lib/prog.so] work.cc:ns::work(int) 1 2 20
call [/lib/prog.so] work.cc:main@5@0x120 -> [/lib/prog.so] ??? 1 1 10
call [/lib/prog.so] work.cc:main@5@0x120 -> [/lib/prog.so] outer.cc:outer 1 2 20
call web -> [/lib/prog.so] work.cc:main 1 1 10
self [/lib/prog.so] ???@0x130 1 10
self [/lib/prog.so] work.cc:ns::work(int)@21@0x110 2 20
END

grep '^desc:\|^event' out >got
cat >expected <<'END'
desc: Time: 2023-11-14 22:13:20 UTC
desc: Duration: 1.500 s
desc: Comment: with two words
desc: Period: 10 ns (cpu)
desc: Calls: numbers of samples, which count no calls
event: samples : samples (count)
event: cpu : cpu (ns)
events: samples cpu
END
diff expected got >diff
result $? "pprof: what describes the profile, and its events" diff

imports "pprof: --inline lines, --event" good/pprof \
  --inline lines --event cpu <<'END'
call (root) -> [/lib/prog.so] work.cc:main 1 20
call [/lib/prog.so] work.cc:main@5@0x120 -> [/lib/prog.so] ??? 1 10
call [/lib/prog.so] work.cc:main@5@0x120 -> [/lib/prog.so] outer.cc:outer 1 20
call web -> [/lib/prog.so] work.cc:main 1 10
self [/lib/prog.so] ???@0x130 10
self [/lib/prog.so] outer.cc:outer work.cc@21@0x110 20
END
imports "pprof: --comm by a label" good/pprof --comm web --event samples <<'END'
call [/lib/prog.so] work.cc:main@5@0x120 -> [/lib/prog.so] ??? 1 1
call web -> [/lib/prog.so] work.cc:main 1 1
self [/lib/prog.so] ???@0x130 1
END

# The last type of value comes first if none is the default.  The difference of
# two profiles has values below 0.
bytes "$tables$types$samples$(
  message 2 "$(number 1 6)$(number 1 5)$(message 2 "$(varint 1)$minus_3")"
)" >less
"$import" -o out less && grep -qx 'events: cpu samples' out \
  && grep -q '^totals: 27 4$' out
result $? "pprof: values below 0; the last type of value comes first" out
if gzip -c good/pprof >pprof.gz
   "$import" pprof.gz 2>&1 | grep -q 'without zlib'; then
  skip "pprof: compressed" "cgw-import has no zlib"
else
 "$import" pprof.gz >out \
  && "$import" good/pprof | cmp -s - out
result $? "pprof: compressed, too"
head -c 200 pprof.gz >cut.gz
refuses "pprof: cut off where it is compressed" cut.gz \
  "at byte 0: the compressed data are cut off" --from pprof
fi

bytes "$types$(message 2 "$(number 1 5)$(number 2 1)$(number 2 9)$(
    message 3 "$(number 1 5)$(number 3 77)")$(
    message 3 "$(number 1 6)$(number 3 78)")")$(
  message 2 "$(number 1 5)$(number 2 2)$(number 2 9)$(
    message 3 "$(number 1 7)$(number 3 79)")")$(
  message 4 "$(number 1 5)")$(
  strings '' samples count cpu nanoseconds pid tid 'thread id')" >x
"$import" --threads -o out x 2>err \
  && grep -E '^(pid|thread|totals): ' out >got && diff - got >>err <<'END'
thread: 79
totals: 9 2
pid: 77
thread: 78
totals: 9 1
END
result $? "pprof: threads by labels" err
bytes "$types$(message 2 "$(number 1 5)$(number 2 1)$(number 2 9)")$(
  message 4 "$(number 1 5)$(
  awk 'BEGIN { for (i = 0; i < 1001; i++) printf "22020801" }')")$(
  message 5 "$(number 1 1)$(number 2 1)")$(
  strings '' samples count cpu nanoseconds)" >bad
"$import" --from pprof bad >out 2>err
test $? = 1 && test ! -s out && grep -q \
  '^cgw-import: bad: at byte [0-9]*: a location has more than 1000 functions$' \
  err
result $? "pprof: too many functions" err

# wrong_pprof NAME HEX OFFSET MESSAGE
wrong_pprof ()
{
  bytes "$2" >bad
  refuses "pprof: $1" bad "at byte $3: $4"
}
n=$(((${#types} + ${#tables}) / 2))
wrong_pprof "a location that is not there" \
  "$types$tables$(message 2 "$(number 1 8)")" $((n + 2)) \
  'there is no location of this id'
wrong_pprof "too few values" \
  "$types$tables$(message 2 "$(number 1 6)$(number 2 1)")" $((n + 2)) \
  'a sample has more or fewer values than there are types'
wrong_pprof "a string that is not there" \
  "$types$tables$(number 14 99)$samples" 0 'there is no string of this number'
wrong_pprof "a field that is cut off" "$types$tables${samples%????}" $((n + 11)) \
  'a field is longer than what it is in'
wrong_pprof "an id that comes twice" \
  "$types$tables$(message 4 "$(number 1 6)")" 0 \
  'two mappings, locations or functions have one id'
wrong_pprof "no types of values" "$(strings '')" 0 \
  'it does not say what it counts'

if "$import" --from cpuprofile /dev/null 2>&1 | grep -q 'without libjansson'; then
  skip "JSON" "cgw-import has no libjansson"
else

# CPU profiles of V8.  Two functions "get" of one file, one of another; samples
# out of order; lines of the samples of node 4; a file's URL.

node () # ID NAME URL LINE COLUMN CHILDREN [MORE]
{
  printf '{"id":%d,"callFrame":{"functionName":"%s","scriptId":"0",' "$1" "$2"
  printf '"url":"%s","lineNumber":%d,"columnNumber":%d},' "$3" "$4" "$5"
  printf '"hitCount":9,"children":[%s]%s}' "$6" "${7-}"
}
v8 () # SAMPLES DELTAS [NODE]: a profile
{
  printf '{"nodes":[%s,' "$(node 1 '(root)' '' -1 -1 '2,10,11')"
  printf '%s,' "$(node 2 main 'file:///a%20b/m.js' 0 0 '3,4')" \
    "$(node 3 get 'file:///a%20b/m.js' 9 4 '5')" \
    "$(node 4 get 'file:///a%20b/m.js' 19 4 '' \
      ',"positionTicks":[{"line":21,"ticks":1},{"line":23,"ticks":3}]')" \
    "$(node 5 '' node:net 7 1 '6')" "$(node 6 get node:net 5 0 '')" \
    "$(node 10 '(idle)' '' -1 -1 '')" ${3+"$3"}
  printf '%s],' "$(node 11 '(program)' '' -1 -1 '')"
  printf '"startTime":1000,"endTime":1200,"samples":[%s],"timeDeltas":[%s]}' \
    "$1" "$2"
}
v8 '6,4,4,10,4,4,2' '10,20,7,3.6,9.4,-1,21' >good/cpuprofile
imports "cpuprofile: functions, files, lines, times" good/cpuprofile <<'END'
call (root) -> (idle) 1 8 1
call (root) -> /a b/m.js:main 6 182 6
call /a b/m.js:get:10:5@10 -> node:net:(anonymous):8:2 1 20 1
call /a b/m.js:main@1 -> /a b/m.js:get:10:5 1 20 1
call /a b/m.js:main@1 -> /a b/m.js:get:20:5 4 32 4
call node:net:(anonymous):8:2@8 -> node:net:get 1 20 1
self (idle) 8 1
self /a b/m.js:get:20:5@21 7 1
self /a b/m.js:get:20:5@23 25 3
self /a b/m.js:main@1 130 1
self node:net:get@6 20 1
END
imports "cpuprofile: --time" good/cpuprofile --time 0.00002,0.00003 <<'END'
call (root) -> /a b/m.js:main 2 11 2
call /a b/m.js:main@1 -> /a b/m.js:get:20:5 2 11 2
self /a b/m.js:get:20:5@21 7 1
self /a b/m.js:get:20:5@23 4 1
END

"$import" -o out "$recordings/node.cpuprofile" \
  && "$cgread" --no-pad --dump out >dump
awk -F '\t' '
  { n = split($NF, cost, " ") }
  $1 == "cost" { f = "self " $3 " " $4 }
  $1 == "call" { f = "inclusive " $9 " " $10 }
  { sub(/ \?\?\? /, "  ", f); time[f] += cost[n - 1]; samples[f] += cost[n] }
  END { for (f in time) print f, time[f], samples[f] }' dump \
  | sort | diff "$recordings/node.sums" - >err
result $? "cpuprofile: sums of functions that node recorded" err

wrong_v8 () # NAME MESSAGE SAMPLES DELTAS [NODE]
{
  name=$1 message=$2
  shift 2
  v8 "$@" >bad
  refuses "cpuprofile: $name" bad "$message"
}
wrong_v8 "an unknown node" '"samples"[1]: there is no node of this id' 2,9 1,1
wrong_v8 "too few times" \
  '"samples": there must be some, and as many "timeDeltas"' 2,2 1
wrong_v8 "no samples" \
  '"samples": there must be some, and as many "timeDeltas"' '' ''
wrong_v8 "a time too large" \
  '"timeDeltas"[0]: it is no time in microseconds' 2 1e300
wrong_v8 "a circle" '"samples"[0]: its stack has no end, or too many frames' \
  20 1 "$(node 20 a b 1 1 21),$(node 21 a b 1 1 20)"
wrong_v8 "two callers" '"nodes"[7]: a child has two callers' 2 1 \
  "$(node 20 a b 1 1 2)"
wrong_v8 "an unknown child" '"nodes"[7]: there is no node of a child'"'s id" \
  2 1 "$(node 20 a b 1 1 99)"
wrong_v8 "an id that comes twice" '"nodes": two have the same id' 2 1 \
  "$(node 6 a b 1 1 '')"
wrong_v8 "a circle of one" '"samples"[0]: its stack has no end, or too many frames' \
  20 1 "$(node 20 a b 1 1 20)"
head -c 500 good/cpuprofile >bad
"$import" -o out bad 2>err
test $? = 1 && grep -q '^cgw-import: bad: at byte 500: it is not JSON: ' err
result $? "cpuprofile: cut off" err
{ v8 2 1 | tr -d '\n' | sed 's/.$//'
  printf ',"x":'
  awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }'; } >bad
"$import" bad >out 2>err
test $? = 1 && grep -q 'it is not JSON: maximum parsing depth reached' err
result $? "cpuprofile: 100,000 arrays in each other" err

# Speedscope.

scope () # PROFILES: a file
{
  printf '{"version":"0.0.1","shared":{"frames":[{"name":"main"},'
  printf '{"name":"a","file":"x.py","line":3},'
  printf '{"name":"a","file":"x.py","line":5},{"name":"b"}]},"profiles":[%s]}' \
    "$1"
}
sampled () # NAME UNIT SAMPLES WEIGHTS
{
  printf '{"type":"sampled","name":"%s","unit":"%s","startValue":0,' "$1" "$2"
  printf '"endValue":9,"samples":[%s],"weights":[%s]}' "$3" "$4"
}
evented () # NAME UNIT START END "TYPE FRAME AT" ...
{
  printf '{"type":"evented","name":"%s","unit":"%s","startValue":%s,' \
    "$1" "$2" "$3"
  printf '"endValue":%s,"events":[' "$4"
  shift 4
  comma=
  for event; do
    # Words.
    # shellcheck disable=SC2086
    printf "$comma"'{"type":"%s","frame":%d,"at":%s}' $event
    comma=,
  done
  printf ']}'
}
two=$(sampled one milliseconds '[0,1,3],[0,2],[],[0,2,1,3]' '10,2.5,4,0.125'),$(
  evented two seconds 1700000000 1700000000.5 'O 0 1700000000.1' \
    'O 3 1700000000.1' 'C 3 1700000000.1' 'O 1 1700000000.2' \
    'O 3 1700000000.3' 'C 3 1700000000.45' 'C 1 1700000000.45')
scope "$two" >good/speedscope
imports "speedscope: samples and events" good/speedscope <<'END'
call main -> b 1 0
call main -> x.py:a 5 262625
call one -> main 3 12625
call two -> main 6 400000
call x.py:a@3 -> b 3 160125
call x.py:a@5 -> x.py:a 1 0
self b 160125
self main 150000
self one 4000
self x.py:a@3 100000
self x.py:a@5 2500
END
grep '^event' out >got
cat >expected <<'END'
event: Time : Time in us
events: Time
END
diff expected got >diff
result $? "speedscope: fractions of a millisecond: microseconds" diff

scope "$(sampled a bytes '[0,3]' 4096),$(sampled b none '[0],[3]' '0.25,3')" >x
imports "speedscope: bytes, and numbers" x --threads <<'END'
call a -> main 1 4096 0
call b -> main 1 0 25
call main -> b 1 4096 0
self b 4096 300
self main 0 25
END
has "speedscope: the unit of fractions" \
  'event: Weight : Weight, in units of 10^-2'
grep -qx 'thread: 1' out && grep -qx 'desc: Thread: b' out \
  && grep -qx 'thread: 2' out
result $? "speedscope: a part for each profile" out
imports "speedscope: --time, --comm" good/speedscope --time 0.01,0.0126 \
  --comm one <<'END'
call main -> x.py:a 1 2500
call one -> main 1 2500
self one 4000
self x.py:a@5 2500
END

# What JSON allows, and libjansson refuses: NULs, halves of surrogate pairs,
# large numbers.  A backslash before "u" is no escape if there is one before it.
cat >x <<'END'
{"version":"0.0.1","id":18446744073709551615,"ids":[-9223372036854775809,
9223372036854775808.5],"shared":{"frames":[{"name":"\u0000lib"},
{"name":"a\uD83D"},{"name":"\uDe00\ud83d\uDE00"},{"name":"\\u0000"},
{"name":"\ud83d\u0041"}]},"profiles":[{"type":"sampled","name":"t",
"unit":"none","startValue":0,"endValue":9,"samples":[[0,1,2,3,4]],
"weights":[7]}]}
END
imports "speedscope: what libjansson refuses" x <<'END'
call \u0000 -> �A 1 7
call a� -> �😀 1 7
call t -> �lib 1 7
call �lib -> a� 1 7
call �😀 -> \u0000 1 7
self �A 7
END
scope "$(sampled a seconds '[0],[0]' 1,0.00012345678901234567)" >x.fraction
"$import" -o out x.fraction && grep -qx 'totals: 1000123456789' out
result $? "speedscope: fractions of many digits" out
sed "s/\[7\]/[9223372036854775808]/" x >bad
refuses "speedscope: a weight of 2^63" bad \
  '"profiles"[0]."weights"[0]: it is no weight'

wrong_scope () # NAME PROFILES MESSAGE
{
  scope "$2" >bad
  refuses "speedscope: $1" bad "$3"
}
wrong_scope "no profile" '' '"profiles": there are none'
wrong_scope "an unknown type" '{"type":"x","unit":"none"}' \
  '"profiles"[0]: its type is neither "sampled" nor "evented"'
wrong_scope "an unknown unit" "$(sampled a hours '[0]' 1)" \
  '"profiles"[0]: its unit is not known'
wrong_scope "too few weights" "$(sampled a none '[0],[1]' 1)" \
  '"profiles"[0]."samples": there are not as many as "weights"'
wrong_scope "a weight below 0" "$(sampled a none '[0],[1]' 1,-1)" \
  '"profiles"[0]."weights"[1]: it is no weight'
wrong_scope "a weight too large" "$(sampled a none '[0],[1]' 1,1e300)" \
  '"profiles"[0]."weights"[1]: it is no weight'
wrong_scope "a sample that is no stack" "$(sampled a none '[0],7' 1,1)" \
  '"profiles"[0]."samples"[1]: it is no stack'
wrong_scope "an unknown frame" "$(sampled a none '[0],[1,4]' 1,1)" \
  '"profiles"[0]."samples"[1]: there is no frame of this number'
wrong_scope "a frame that is no number" "$(sampled a none '[0],[1,"b"]' 1,1)" \
  '"profiles"[0]."samples"[1]: there is no frame of this number'
wrong_scope "the wrong frame is closed" \
  "$(evented a none 0 9 'O 0 1' 'O 1 2' 'C 0 3')" '"profiles"[0]."events"[2]: it closes another frame than the one opened last'
wrong_scope "too many closed" "$(evented a none 0 9 'O 0 1' 'C 0 3' 'C 0 4')" \
  '"profiles"[0]."events"[2]: it closes a frame, and none is open'
wrong_scope "time goes back" "$(evented a none 0 9 'O 0 1' 'C 0 0.5')" \
  '"profiles"[0]."events"[1]: "at" is no time, or goes back'
wrong_scope "an event of another type" "$(evented a none 0 9 'X 0 1')" \
  '"profiles"[0]."events"[0]: its type is neither "O" nor "C"'


# The Firefox Profiler.  All versions say the same: "main" calls "js" and "work",
# which "inl" was inlined into; the third sample has no stack.

strings='"stringArray":["main","work","inl","js","a.c","b.h","m.js"]'
libs='"libs":[{"name":"prog","path":"/lib/prog","codeId":null}]'
prefix='"prefix":[null,0,1,0]'
offset='"prefixOffset":[0,1,1,3]'
files='"fileName":[4,4,5,6]'
no_libs='"resourceTable":{"name":[0,0]}'
of_libs='"resourceTable":{"lib":[null,0]}'
stacks () { printf '"stackTable":{"frame":[0,1,2,3],%s}' "$1"; }
frames () # [MORE]
{
  printf '"frameTable":{"func":[0,1,2,3],"line":[10,21,31,null],'
  printf '"address":[16,32,32,-1],"inlineDepth":[0,0,1,0]%s}' "${1-}"
}
functions () # FILES
{
  printf '"funcTable":{"name":[0,1,2,3],"lineNumber":[null,null,null,7],'
  printf '"resource":[1,1,1,-1],%s}' "$1"
}
samples () # STACKS [MORE]
{
  printf '"samples":{"stack":[%s]%s}' "$1" "${2-}"
}
thread () # NAME PID TID [TABLE...]
{
  printf '{"name":"%s","pid":%s,"tid":%s' "$1" "$2" "$3"
  shift 3
  for table; do printf ',%s' "$table"; done
  printf '}'
}
shared () # TABLE...: and what else belongs to the profile
{
  printf ',%s,"shared":{' "$libs"
  comma=
  for table; do
    printf '%s%s' "$comma" "$table"
    comma=,
  done
  printf '}'
}
firefox () # VERSION THREADS [MORE]
{
  printf '{"meta":{"preprocessedProfileVersion":%d,"interval":2,' "$1"
  printf '"startTime":1700000000000.5,"product":"prog","sampleUnits":'
  printf '{"time":"%s","threadCPUDelta":"\302\265s"}}%s,"threads":[%s]}' \
    "${unit-ms}" "${3-}" "$2"
}
costs='"weightType":"samples","threadCPUDelta":[99,100,30,null,7]'
times=$(samples 2,3,null,2,1 ',"weight":null,"time":[5,6,7,8,9.5],'"$costs")
deltas=$(samples 2,3,null,2,1 ',"timeDeltas":[5,1,1,1,1.5],'"$costs")
sources='"sources":{"filename":[4,5,6]}'
source='"source":[0,0,1,2]'
new=$(shared "$strings" "$sources" "$(stacks "$offset")" \
  "$(functions "$source")" "$(frames ',"lib":[0,0,0,-1]')" "$no_libs")

firefox 70 "$(thread app '"7"' 7 "$deltas")" "$new" >good/firefox
cat >same <<'END'
call [/lib/prog] a.c:main@10@0x10 -> [/lib/prog] a.c:work 3 3 7
call [/lib/prog] a.c:main@10@0x10 -> m.js:js 1 1 100
call [/lib/prog] a.c:work@21@0x20 -> [/lib/prog] b.h:inl 2 2 0
call app -> [/lib/prog] a.c:main 4 4 107
self [/lib/prog] a.c:work@21@0x20 1 7
self [/lib/prog] b.h:inl@31@0x20 2 0
self app 0 30
self m.js:js@7 1 100
END
imports "firefox: stacks, and processor time" good/firefox <same
grep '^cmd:\|^desc:\|^event' out >got
cat >expected <<'END'
cmd: prog
desc: Time: 2023-11-14 22:13:20 UTC
desc: Interval: 2 ms
desc: Calls: numbers of samples, which count no calls
event: Samples : Samples
event: CPU : CPU (us)
events: Samples CPU
END
diff expected got >diff
result $? "firefox: what describes the profile, and its events" diff

per_thread=$(thread app 7 7 "$strings" "$(stacks "$prefix")" "$(frames)" \
  "$(functions "$files")" "$of_libs" "$times")
firefox 41 "$per_thread" ",$libs" >x
imports "firefox: version 41, tables of threads" x <same
firefox 40 "${per_thread%?},$(echo "$libs" | sed 's/,"codeId":null//')}" \
  | sed 's/"prefix":\[null/"prefix":[-1/' >x
imports "firefox: version 40, libraries of threads" x <same
rest=$(echo "$per_thread" | sed 's/"main"/"other"/; s/"tid":7/"tid":8/; s/app/too/')
firefox 41 "$per_thread,$rest" ",$(echo "$libs" | sed 's#/lib/prog##')" >x
"$import" -o out x && show out >got && ! grep -q /lib got \
  && grep -q '^call app -> \[prog\] a.c:main 4 4 107' got \
  && grep -q '^call too -> \[prog\] a.c:other 4 4 107' got
result $? "firefox: tables of each thread; a library without a path" got
firefox 56 "$(thread app '"7"' 7 "$(stacks "$prefix")" "$(frames)" \
  "$(functions "$files")" "$of_libs" "$deltas")" "$(shared "$strings")" >x
imports "firefox: version 56, strings of all threads" x <same
firefox 58 "$(thread app '"7"' 7 "$(stacks "$prefix")" "$(frames)" \
  "$(functions "$source")" "$of_libs" "$deltas")" \
  "$(shared "$strings" "$sources")" >x
imports "firefox: version 58, sources" x <same
firefox 60 "$(thread app '"7"' 7 "$deltas")" \
  "$(shared "$strings" "$sources" "$(stacks "$prefix")" "$(frames)" \
    "$(functions "$source")" "$of_libs")" >x
imports "firefox: version 60, tables of all threads" x <same
firefox 66 "$(thread app '"7"' 7 "$deltas")" \
  "$(shared "$strings" "$sources" "$(stacks "$offset")" "$(frames)" \
    "$(functions "$source")" "$of_libs")" >x
imports "firefox: version 66, distances of callers" x <same
sed 's/Version":70/Version":71/' good/firefox >x
imports "firefox: a version that is not known" x <same
grep -qx 'cgw-import: x: warning: its version is newer than those that are known' err
result $? "firefox: which has a warning" err

firefox 41 "$per_thread" ",$libs" >x
cat >some <<'END'
call [/lib/prog] a.c:main@10@0x10 -> [/lib/prog] a.c:work 1 1
call [/lib/prog] a.c:main@10@0x10 -> m.js:js 1 1
call app -> [/lib/prog] a.c:main 2 2
self [/lib/prog] a.c:work b.h@31@0x20 1
self m.js:js@7 1
END
for file in good/firefox x; do
  imports "firefox: --inline lines, --time, --event: $file" $file \
    --inline lines --time 0.001,0.004 --event Samples <some
done
# Too many samples of one stack for one sum; ids that are no numbers.
many=$(awk 'BEGIN { for (i = 0; i < 513; i++) printf "%s%s", i ? "," : "", 3 }')
firefox 70 "$(thread '' '"7"' 7 '"processName":"app"' \
    "$(samples "$many" ',"weight":null')"),$(thread web '"7.1"' '"8.1"' \
    "$(samples 0,1 ',"timeDeltas":[9,-2]')"),$(thread web '"x"' '"9"' \
    "$(samples 0 ',"timeDeltas":[6.5]')")" "$new" >x
"$import" --threads -o out x 2>err \
  && grep -E '^(pid|thread|totals|desc: Thread): ' out >got
cat >expected <<'END'
thread: 9
desc: Thread: web
totals: 1
pid: 7
thread: 2
desc: Thread: web
totals: 2
pid: 7
thread: 7
desc: Thread: app
totals: 513
END
diff expected got >diff
result $? "firefox: threads, and processes that have a number again" diff
refuses "firefox: --time, and no times" x 'its samples have no times' --time ,1
firefox 70 "$(thread app 1 2 "$(samples 2 ',"time":[6.5]')"),$(
  thread web 1 1 "$(samples 0,1 ',"timeDeltas":[9,-2]')")" "$new" >x
"$import" --time 0.0005,0.002 -o out x && grep -qx 'totals: 1' out \
  && grep -q ' work$' out && ! grep -q ' inl$' out
result $? "firefox: times count from the first sample of all threads" out

# What is weighed, one kind of weights a thread; bytes that are freed.
firefox 70 "$(thread a 1 1 "$(samples 0,0,null \
    ',"weight":[1.5,1.001,0.125],"weightType":"tracing-ms","timeDeltas":[0,1,1]')"),$(
  thread b 1 2 "$(samples 1,0 ',"weight":[4096,1],"weightType":"bytes"')"),$(
  thread c 1 3 "$(samples 1,3 ',"weight":[-5,8],"weightType":"samples"')"),$(
  thread d 1 4 "$(samples '')" \
    '"jsAllocations":{"stack":[3],"weight":[8],"time":[1]}' \
    '"nativeAllocations":{"stack":[0,0,null],"weight":[100,-30,7],"time":[3,1,2]}'
  )" "$new" >x
imports "firefox: weights, and allocations" x <<'END'
call [/lib/prog] a.c:main@10@0x10 -> [/lib/prog] a.c:work 2 0 0 4096 0 0 0
call [/lib/prog] a.c:main@10@0x10 -> m.js:js 2 8 0 0 8 0 0
call a -> [/lib/prog] a.c:main 2 0 2501000 0 0 0 0
call b -> [/lib/prog] a.c:main 2 0 0 4097 0 0 0
call c -> [/lib/prog] a.c:main 2 3 0 0 0 0 0
call d -> [/lib/prog] a.c:main 3 0 0 0 8 100 30
self [/lib/prog] a.c:main@10@0x10 0 2501000 1 0 100 30
self [/lib/prog] a.c:work@21@0x20 0 0 4096 0 0 0
self a 0 125000 0 0 0 0
self d 0 0 0 0 7 0
self m.js:js@7 8 0 0 8 0 0
END
grep '^events\?:' out >got
cat >expected <<'END'
event: Samples : Samples
event: Time : Time (ns)
event: Bytes : Bytes (bytes)
event: JsAllocated : JsAllocated (bytes)
event: Allocated : Allocated (bytes)
event: Freed : Freed (bytes)
events: Samples Time Bytes JsAllocated Allocated Freed
END
diff expected got >diff
result $? "firefox: an event for each kind" diff
sed 's/"address":\[16,32,32/"address":[-1,-1,-1/' good/firefox >x
"$import" -o out x && grep -qx 'positions: line' out
result $? "firefox: no addresses" out
unit=bytes firefox 70 "$(thread a 1 1 "$(samples 0 \
  ',"weight":[7],"weightType":"bytes","timeDeltas":[9]')")" "$new" >x
refuses "firefox: places in a file are no times" x \
  'its samples have no times' --time ,1

wrong_firefox () # NAME MESSAGE SAMPLES [SED]: other samples, and tables changed
{
  firefox 70 "$(thread app 7 7 "$3")" "$(echo "$new" | sed "${4-}")" >bad
  refuses "firefox: $1" bad "$2"
}
of_thread='"threads"[0]."samples"'
none='there is no such row'
# Threads with the common tables, and between them threads with tables of their
# own.
awk 'BEGIN {
  n = 3000
  printf "{\"meta\":{\"preprocessedProfileVersion\":58},\"shared\":{"
  printf "\"stringArray\":[\"f\"],\"funcTable\":{\"name\":[0]},"
  printf "\"frameTable\":{\"func\":[0"
  for (i = 1; i < n; i++) printf ",0"
  printf "]},\"stackTable\":{\"frame\":[0"
  for (i = 1; i < n; i++) printf ",%d", i
  printf "],\"prefix\":[null"
  for (i = 1; i < n; i++) printf ",%d", i - 1
  printf "]}},\"threads\":["
  for (i = 0; i < 1500; i++)
    {
      printf "%s{\"samples\":{\"stack\":[%d]}},", i ? "," : "", n - 1
      printf "{\"samples\":{\"stack\":[0]},\"stackTable\":"
      printf "{\"frame\":[0],\"prefix\":[null]}}"
    }
  print "]}"
}' >turns
(
  ulimit -v 150000
  "$import" -o out turns 2>log
)
status=$?
if grep -q AddressSanitizer log; then
  skip "firefox: threads whose tables take turns, in bounded memory" \
    "AddressSanitizer needs more address space"
else
  test $status = 0 && grep -q '^totals: 3000$' out
  result $? "firefox: threads whose tables take turns, in bounded memory" log
fi
wrong_firefox "a stack that is not there" "$of_thread.\"stack\"[1]: $none" \
  "$(samples 0,4)"
wrong_firefox "a stack below 0" "$of_thread.\"stack\"[0]: $none" \
  "$(samples -1)"
wrong_firefox "a stack that is a text" "$of_thread.\"stack\"[1]: $none" \
  "$(samples '0,"0"')"
wrong_firefox "a frame that is not there" "\"stackTable\".\"frame\"[3]: $none" \
  "$(samples 3)" 's/"frame":\[0,1,2,3/"frame":[0,1,2,4/'
wrong_firefox "no frame" "\"stackTable\".\"frame\"[3]: $none" \
  "$(samples 3)" 's/"frame":\[0,1,2,3/"frame":[0,1,2,null/'
wrong_firefox "a function that is not there" \
  "\"frameTable\".\"func\"[0]: $none" "$(samples 3)" \
  's/"func":\[0/"func":[9/'
wrong_firefox "a name that is not there" "\"funcTable\".\"name\"[0]: $none" \
  "$(samples 0)" 's/\("funcTable":{"name":\)\[0/\1[7/'
wrong_firefox "a source that is not there" "\"funcTable\".\"source\"[0]: $none" \
  "$(samples 0)" 's/"source":\[0/"source":[3/'
wrong_firefox "a source's name that is not there" \
  "\"sources\".\"filename\"[0]: $none" "$(samples 0)" \
  's/"filename":\[4/"filename":[1e3/'
wrong_firefox "a library that is not there" "\"frameTable\".\"lib\"[0]: $none" \
  "$(samples 0)" 's/"lib":\[0/"lib":[-2/'
before='its caller does not come before it'
wrong_firefox "a caller before the first" \
  "\"stackTable\".\"prefixOffset\"[1]: $before" "$(samples 1)" \
  's/"prefixOffset":\[0,1/"prefixOffset":[0,2/'
wrong_firefox "a caller that follows" \
  "\"stackTable\".\"prefixOffset\"[1]: $before" "$(samples 1)" \
  's/"prefixOffset":\[0,1/"prefixOffset":[0,-1/'
wrong_firefox "a caller that is no number" \
  "\"stackTable\".\"prefixOffset\"[1]: $before" "$(samples 1)" \
  's/"prefixOffset":\[0,1/"prefixOffset":[0,null/'
wrong_firefox "a circle" "\"stackTable\".\"prefix\"[1]: $before" \
  "$(samples 1)" 's/"prefixOffset":\[0,1/"prefix":[1,1/'
wrong_firefox "a caller that is not there" "\"stackTable\".\"prefix\"[1]: $none" \
  "$(samples 1)" 's/"prefixOffset":\[0,1/"prefix":[null,4/'
wrong_firefox "too few weights" \
  "$of_thread.\"weight\": it has more or fewer rows than \"stack\"" \
  "$(samples 0,1 ',"weight":[1]')"
wrong_firefox "too many times" \
  "$of_thread.\"timeDeltas\": it has more or fewer rows than \"stack\"" \
  "$(samples 0 ',"timeDeltas":[1,2]')"
wrong_firefox "no time" "$of_thread.\"time\"[1]: it is no time in ms" \
  "$(samples 0,1 ',"time":[1,null]')"
wrong_firefox "times that are too large" \
  "$of_thread.\"timeDeltas\"[1]: it is no time in ms" \
  "$(samples 0,1 ',"timeDeltas":[3e12,3e12]')"
wrong_firefox "processor time below 0" \
  "$of_thread.\"threadCPUDelta\"[1]: it is no processor time" \
  "$(samples 0,1 ',"threadCPUDelta":[-1,-1]')"
wrong_firefox "a fraction of a sample" \
  "$of_thread.\"weight\"[0]: it is no whole number" \
  "$(samples 0 ',"weight":[0.5]')"
wrong_firefox "a weight that is too large" \
  "$of_thread.\"weight\"[0]: it is no whole number" \
  "$(samples 0 ',"weight":[1e16]')"
wrong_firefox "a weight that is a text" \
  "$of_thread.\"weight\"[0]: it is no whole number" \
  "$(samples 0 ',"weight":["1"]')"
wrong_firefox "a weight of another type" \
  "$of_thread.\"weightType\": it is not known" \
  "$(samples 0 ',"weight":[1],"weightType":"hours"')"
wrong_firefox "no stacks" 'there are no samples' "$(samples null,null)"
wrong_firefox "no samples" '"threads": there are no samples' "$(samples '')"
firefox 41 "$(thread app 7 7 "$strings" "$(stacks "$prefix")" "$(frames)" \
  "$(functions "$files")" '"resourceTable":{"lib":[null]}' "$times")" \
  ",$libs" >bad
refuses "firefox: a resource that is not there" bad \
  "\"threads\"[0].\"funcTable\".\"resource\"[2]: $none"
for files in '"fileName":[9,9,9,9]' '"fileName":["",0,0,0]'; do
  firefox 41 "$(thread app 7 7 "$strings" "$(stacks "$prefix")" "$(frames)" \
    "$(functions "$files")" "$of_libs" "$(samples 0)")" ",$libs" >bad
  refuses "firefox: a file that is not there" bad \
    "\"threads\"[0].\"funcTable\".\"fileName\"[0]: $none"
done
opens='profiler.firefox.com opens'
firefox 37 "$per_thread" ",$libs" >bad
refuses "firefox: an old version" bad \
  "\"meta\": its version is too old: $opens it, and saves what is read"
printf '{"meta":{"processType":0,"version":31},"threads":[{"samples":{"schema":{"stack":0,"time":1},"data":[[0,1.5]]}}]}' >bad
refuses "firefox: what Firefox itself writes" bad \
  "\"meta\": it has no \"preprocessedProfileVersion\", as what Firefox itself writes: $opens that, and saves what is read"
awk 'BEGIN {
  n = 1048577
  printf "{\"meta\":{\"preprocessedProfileVersion\":70},\"threads\":[{"
  printf "\"samples\":{\"stack\":[%d]},\"stackTable\":{\"frame\":[0", n - 1
  for (i = 1; i < n; i++) printf ",0"
  printf "],\"prefixOffset\":[0"
  for (i = 1; i < n; i++) printf ",1"
  print "]},\"frameTable\":{\"func\":[0]},\"funcTable\":{\"name\":[0]},\"stringArray\":[\"f\"]}]}"
}' >bad
refuses "firefox: too many frames" bad \
  '"threads"[0]."stackTable"."frame"[0]: there are too many frames'
fi

# CPU profiles of gperftools.

# As hexadecimal digits, of 8 bytes, the lowest first.
words () # WORD...
{
  for word; do
    printf %016x "$word"
  done | awk '{ for (i = 1; i < length($0); i += 16)
                  for (k = 14; k >= 0; k -= 2)
                    printf "%s", substr($0, i + k, 2) }'
}
# 3 samples of a stack, 2 of its leaf.
gperf () # ADDRESS...
{ words 0 3 0 10000 0  3 $# "$@"  2 1 "$1"  0 1 0; }
maps='400000-500000 r-xp 00001000 00:00 7   /no/such prog (deleted)
500000-600000 rw-p 00000000 00:00 0
600000-601000 r-xp 00000000 08:01 12                 /no/lib.so
'
{ bytes "$(gperf $((0x400010)) $((0x600020)) $((0x400099)))"
  printf %s "$maps"; } >good/gperftools
imports "gperftools: addresses become those in files" good/gperftools <<'END'
call (root) -> [/no/such prog (deleted)] ??? 5 50000 5
call [/no/lib.so] ???@0x1f -> [/no/such prog (deleted)] ??? 3 0 0
call [/no/such prog (deleted)] ???@0x1098 -> [/no/lib.so] ??? 3 30000 3
self [/no/such prog (deleted)] ???@0x1010 50000 5
END
# The other sizes and orders of words.
as_words () # BYTES BIG_ENDIAN
{
  echo "$stack" | awk -v n="$1" -v big="$2" '{
    for (i = 1; i < length($0); i += 16)
      for (k = 0; k < n; k++)
        printf "%s", substr($0, i + 2 * (big ? n - 1 - k : k), 2) }'
}
stack=$(gperf $((0x400010)) $((0x600020)) $((0x400099)))
status=0
for how in '4 0' '4 1' '8 1'; do
  # Words.
  # shellcheck disable=SC2086
  { bytes "$(as_words $how)"; printf %s "$maps"; } >x
  "$import" x >out 2>err && "$import" good/gperftools 2>err | cmp -s - out \
    || { status=1; echo "$how" >>wrong; }
done
result $status "gperftools: words of 4 and 8 bytes, in both orders" wrong
bytes "$(words 0 3 0 10000 0 3 1000000 5)" >bad
refuses "gperftools: an address too many" bad \
  'at byte 40: a stack has too many addresses, or none'
bytes "$(words 0 3 0 10000 0 3 1 5)" >bad
refuses "gperftools: no trailer" bad 'at byte 64: there is no trailer'
bytes "$(words 0 999 0 10000 0 3 1 5)" >bad
refuses "gperftools: a header too long" bad 'at byte 8008: there is no trailer'
bytes "$(words 0 3 0 1000000000000000 0 1000000000 1 5 0 1 0)" >bad
refuses "gperftools: a cost too large" bad \
  'at byte 40: the sum of costs passed 2^64-1'

# Functions of a program, by its symbols.
printf 'int work (void);\nint work (void)\n{\n  return 3;\n}\nint main (void)\n{\n  return work ();\n}\n' >prog.c
if test ! -x "$trace"; then
  skip "functions by symbols" "there is no libdw"
elif ! ${CC-cc} $(echo "${CFLAGS-} ${LDFLAGS-}" | sed 's/-fsanitize[^ ]*//g; s/--coverage//g') \
       -g -O0 -no-pie -fno-pie -o prog prog.c 2>err; then
  skip "functions by symbols" "the compiler builds no such program"
else
  work=$((0x$(nm prog | sed -n 's/ T work$//p')))
  main=$((0x$(nm prog | sed -n 's/ T main$//p')))
  # The segment of the code: offset, address, size.
  set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E /{ print $2, $3, $5 }')
  # It is mapped at 0x70000000.
  base=$((0x70000000 - $2))
  end=$(printf %x $((0x70000000 + $3 + 4096)))
  { bytes "$(gperf $((work + base + 1)) $((main + base + 6)))"
    echo "70000000-$end r-xp $1 08:01 99 $dir/prog"; } >x
  "$import" -o out x && show out | sed "s#$dir/##g; s/@0x[0-9a-f]*//" >got
  cat >expected <<'END'
call (root) -> [prog] prog.c:main 3 30000 3
call (root) -> [prog] prog.c:work 2 20000 2
call [prog] prog.c:main@8 -> [prog] prog.c:work 3 30000 3
self [prog] prog.c:work@3 50000 5
END
  diff expected got >diff
  result $? "gperftools: functions by symbols" diff

  # What a profile says that has this address in a file with this build ID.
  by_build_id () # ID
  {
    bytes "$types$(message 3 "$(number 1 1)$(number 2 $((0x70000000)))$(
      number 3 $((0x$end)))$(number 4 $(($segment)))$(number 5 5)$(
      test -z "$1" || number 6 6)")$(
      message 4 "$(number 1 1)$(number 2 1)$(
        number 3 $((work + base + 1)))")$(
      strings '' samples count cpu nanoseconds "$dir/prog" "$1")$(
      message 2 "$(number 1 1)$(number 2 4)$(number 2 7)")" >x
    "$import" -o out x && show out | sed "s#$dir/##g; s/@0x[0-9a-f]*//"
  }
  segment=$1
  by_build_id '' >got
  cat >expected <<'END'
call (root) -> [prog] prog.c:work 1 7 4
self [prog] prog.c:work@3 7 4
END
  diff expected got >diff
  result $? "pprof: functions by symbols" diff

  # Addresses are those of the file that ran, and else offsets in it.
  # addresses ID [OPTION...]: of a profile that names the function.
  addresses ()
  {
    bytes "$types$(message 3 "$(number 1 1)$(number 2 $((0x70000000)))$(
      number 3 $((0x$end)))$(number 4 $(($segment)))$(number 5 5)$(
      number 6 6)")$(
      message 4 "$(number 1 1)$(number 2 1)$(number 3 $((work + base + 1)))$(
        message 4 "$(number 1 1)")")$(message 5 "$(number 1 1)$(number 2 7)")$(
      strings '' samples count cpu nanoseconds "$dir/prog" "$1" work)$(
      message 2 "$(number 1 1)$(number 2 4)$(number 2 7)")" >x
    shift
    "$import" "$@" -o out x && show out | sed -n 's/^self .* work@\(.*\) 7 4/\1/p'
  }
  in_file=$(printf 0x%x $((work + 1)))
  offset=$(printf 0x%x $((work + 1 - $2 + $1)))
  mkdir -p "machine$dir"
  test "$(addresses '')" = $in_file && test "$(addresses not/hex)" = $in_file \
    && test "$(addresses '' --symfs machine)" = $offset \
    && test "$(addresses 0123456789abcdef)" = $offset \
    && cp prog "machine$dir" \
    && test "$(addresses '' --symfs machine)" = $in_file
  result $? "pprof: addresses in the file that ran"

  # Of a program with another build ID, nothing can be said.
  own=$(readelf -n prog | sed -n 's/.*Build ID: //p')
  if test -n "$own"; then
    by_build_id "$own" >got && diff expected got >diff
    result $? "pprof: a program with its build ID" diff
    by_build_id "$(echo "$own" | tr 0-9a-f 1-9a-f0)" >got 2>&1 \
      && grep -q '^self \[prog\] ??? 7 4' got
    result $? "pprof: a program with another build ID" got
  else
    skip "pprof: build IDs" "the compiler builds no program with one"
  fi

  # Firefox profiles count addresses from the beginning of the first segment.
  first=$(($(readelf -lW prog | awk '$1 == "LOAD" { print $3; exit }')))
  # by_names NAME ID: of a function at an address that is called by another.
  is_x86=false call=5
  test "$(uname -m)" != x86_64 || { is_x86=true && call=8; }
  by_names ()
  {
    cat >x <<END
{"meta":{"preprocessedProfileVersion":70},
"libs":[{"path":"$dir/prog","codeId":$2}],"threads":[{"name":"app",
"samples":{"stack":[1]},"stackTable":{"frame":[0,1],"prefixOffset":[0,1]},
"frameTable":{"func":[0,1],"lib":[0,0],
"address":[$((main + call - first)),$((work + 1 - first))]},
"funcTable":{"name":[0,1]},"stringArray":["0x1","$1"]}]}
END
    "$import" -o out x && show out | sed "s#$dir/##g"
  }
  has_libjansson=true
  by_names 0x2 null 2>&1 | grep -q 'without libjansson' && has_libjansson=false
  if test -z "$own" || ! $has_libjansson; then
    skip "firefox: functions by symbols" "there is no build ID, or no libjansson"
  else
    by_names 0x2 "\"$own\"" >got
    cat >expected <<'END'
call [prog] prog.c:main@8 -> [prog] prog.c:work 1 1
call app -> [prog] prog.c:main 1 1
self [prog] prog.c:work@3 1
END
    sed 's/@0x[0-9a-f]*//' got | diff expected - >diff
    result $? "firefox: functions by symbols" diff
    ! $is_x86 || grep -q "^call \[prog\] prog.c:main@8@$(
      printf 0x%x $((main + 4))) " got
    result $? "firefox: the address of a call" got
    by_names work "\"$own\"" | grep -q "^self .* work@$in_file 1"
    result $? "firefox: addresses in the file that ran" out
    by_names 0x2 null >got && grep -q '^self \[prog\] ???@0x[0-9a-f]* 1' got
    result $? "firefox: addresses of a program without a build ID" got
  fi
fi

# Text of perf script: commands, symbols and objects with blanks and parentheses;
# inlined functions; a tracepoint; lines of -F +srcline; two events.
printf '%s\n' '# captured on: Mon' \
  'web 1/2 (x) 23/24 [001] 3.500000:     250000 cycles:u: ' \
  '	            1136 ns::f(int, char (*)(long)) const+0x16 (/dir/my (x) prog)' \
  '	    7f0000000010 [unknown] (/usr/lib/libc.so.6 (deleted))' \
  '	            1234 LazyCompile:*go (a.js:3) 4: 5+0x10 (/tmp/perf-1.map)' \
  '	            1200 inl<int>+0x4 (inlined)' '  a b.h:7' \
  '	            1200 main+0x4 (/dir/my (x) prog)' '  a.c:12' '' \
  'web 1/2 (x) 23/24 [001] 3.600000:     250000 cycles:u: ' \
  '	            1140 main+0x44 (/dir/my (x) prog)' '' \
  'sh    25 [000]     4.000000001: sched:sched_switch: prev_comm=a 1/2 [000] 3.1: 7 cycles: next=b' \
  '	ffffffff81000000 schedule+0x0 ([kernel.kallsyms])' '' \
  '              sh    25 [000]     4.100000:         10 cycles:u:             1136 ns::g()+0x1 (/dir/my (x) prog)' \
  >good/perf-script
imports "perf-script: free text, inlined functions, two events" \
  good/perf-script <<'END'
call [/dir/my (x) prog] a b.h:inl<int>@7 -> [/tmp/perf-1.map] LazyCompile:*go (a.js:3) 4: 5 1 250000 0
call [/dir/my (x) prog] a.c:main@12 -> [/dir/my (x) prog] a b.h:inl<int> 1 250000 0
call [/tmp/perf-1.map] LazyCompile:*go (a.js:3) 4: 5 -> [/usr/lib/libc.so.6 (deleted)] ??? 1 250000 0
call [/usr/lib/libc.so.6 (deleted)] ??? -> [/dir/my (x) prog] ns::f(int, char (*)(long)) const 1 250000 0
call sh -> [/dir/my (x) prog] ns::g() 1 10 0
call sh -> [[kernel.kallsyms]] schedule 1 0 1
call web 1/2 (x) -> [/dir/my (x) prog] a.c:main 1 250000 0
call web 1/2 (x) -> [/dir/my (x) prog] main 1 250000 0
self [/dir/my (x) prog] main 250000 0
self [/dir/my (x) prog] ns::f(int, char (*)(long)) const 250000 0
self [/dir/my (x) prog] ns::g() 10 0
self [[kernel.kallsyms]] schedule 0 1
END
grep '^event' out >got
cat >expected <<'END'
event: cycles_u : cycles:u
event: sched_sched_switch : sched:sched_switch
events: cycles_u sched_sched_switch
END
diff expected got >diff
result $? "perf-script: names of events" diff
imports "perf-script: --inline, --time, --comm, --event" good/perf-script \
  --inline lines --time ,0.05 --comm 'web 1/2 (x)' --event cycles_u <<'END'
call [/dir/my (x) prog] a.c:main a b.h@7 -> [/tmp/perf-1.map] LazyCompile:*go (a.js:3) 4: 5 1 250000
call [/tmp/perf-1.map] LazyCompile:*go (a.js:3) 4: 5 -> [/usr/lib/libc.so.6 (deleted)] ??? 1 250000
call [/usr/lib/libc.so.6 (deleted)] ??? -> [/dir/my (x) prog] ns::f(int, char (*)(long)) const 1 250000
call web 1/2 (x) -> [/dir/my (x) prog] a.c:main 1 250000
self [/dir/my (x) prog] ns::f(int, char (*)(long)) const 250000
END
"$import" --threads -o out good/perf-script && grep -qx 'pid: 23' out \
  && grep -qx 'thread: 24' out && grep -qx 'thread: 25' out \
  && grep -qx 'desc: Thread: web 1/2 (x)' out
result $? "perf-script: --threads" out
# Names that differ at their ends tell threads apart that have no ids.
name=$(head -c 300 /dev/zero | tr '\0' x)
printf '%s 0 1.5: 1 e: \n\t 12 f (/x)\n\n' "${name}1" "${name}2" >x
"$import" --threads -o out x && grep -qx "desc: Thread: ${name}1" out \
  && grep -qx "desc: Thread: ${name}2" out && grep -qx 'totals: 1' out
result $? "perf-script: --threads by long names" out
"$import" --threads=files -o named x >log 2>&1 \
  && grep -qx "desc: Thread: ${name}1" named.0-0 \
  && grep -qx "desc: Thread: ${name}2" named.0-0-2
result $? "perf-script: --threads=files by names" log
refuses "--comm without such a command" good/perf-script \
  'no such command; it has web 1/2 (x), sh' --comm web
refuses "--time without a sample" good/perf-script \
  'there are no samples then; the last is 0.6 s after the first' --time 1,2
refuses "--time without a sample of the command" good/perf-script \
  'there are no samples then; the last is 0.6 s after the first' --time 0,0.1 \
  --comm sh
printf 'a 1 1.5: \n\t 12 f (/x)\n\na 1 1.7: \n\t 12 f (/x)\n' >x
imports "perf-script: no event, no period" x <<'END'
call a -> [/x] f 2 2
self [/x] f 2
END
# As of perf record -k CLOCK_REALTIME.
printf 'a 7 1795835560.548171: 1000 cycles: \n\t 12 f (/x)\n\n' >x
printf 'a 7 18446744073.5: 10 cycles: \n\t 12 f (/x)\n\n' >>x
imports "perf-script: any seconds" x --time ,1 <<'END'
call a -> [/x] f 1 1000
self [/x] f 1000
END
"$import" --threads -o out x && grep -qx 'thread: 7' out \
  && grep -qx 'totals: 1010' out
result $? "perf-script: seconds are no period, and this no thread" out
printf 'a 1 cycles: \n\t 12\n\t 13 f\n' >x
imports "perf-script: no time, no symbol, no object" x <<'END'
call a -> f 1 1
call f -> ??? 1 1
self ??? 1
END
printf 'a 1 1.5: e: \n\t12 f (/x)\n  :0\n\t12 g (/x)\n  [/x][12]\n\t12 h (/x)\n  h.c:9\n\nb 2 2.5: e: \n\t12 i (/x)\n  i.c:9\n\n' >x
imports "perf-script: lines that are not known, or not wanted" x --comm a <<'END'
call [/x] g -> [/x] f 1 1
call [/x] h.c:h@9 -> [/x] g 1 1
call a -> [/x] h.c:h 1 1
self [/x] f 1
END
printf 'a 1 1.5: cycles: \n\t12 (/x)\n\t13 g (/x)\n\n' >x
imports "perf-script: an object and no symbol" x <<'END'
call [/x] g -> [/x] ??? 1 1
call a -> [/x] g 1 1
self [/x] ??? 1
END
printf '%s\n' 'a 1 1.5:  1 cycles: ' '	12 f (/x)' '' \
  'b 2 1.6: PERF_RECORD_MMAP2 2/2: [0x1000(0x10) @ 0 fe:00 9 0]: r-xp /x' \
  'b 2 [000] 1.7: PERF_RECORD_COMM: b:2/2' \
  'b 2 [001] 1.7: PERF_RECORD_COMM exec: c d:2/2' \
  'b 2 1.8: PERF_RECORD_FORK(3:3):(2:2)' \
  'swapper 0 0.000000: PERF_RECORD_MMAP -1/0: [0x1000(0x10) @ 0]: x [k]_text' \
  >x
imports "perf-script: records that are no samples" x <<'END'
call a -> [/x] f 1 1
self [/x] f 1
END
awk 'BEGIN { for (i = 0; i <= 200; i++) print "a 1 1.5: e" i ": \n\t12 f (/x)\n" }' >bad
refuses "perf-script: too many events" bad '601: it has too many events'
awk 'BEGIN { print "a 1 1.5: e: "
             for (i = 0; i <= 1048576; i++) print "\t12 f (/x)" }' >bad
refuses "perf-script: too many frames" bad \
  '1048578: a stack has too many frames'

# A file for each thread.
"$import" --threads=files -o thread good/perf-script >log 2>&1 \
  && test ! -s log && test ! -e thread \
  && test "$(echo thread.*)" = 'thread.0-25 thread.23-24' \
  && grep -qx 'desc: Thread: web 1/2 (x)' thread.23-24 \
  && grep -qx 'thread: 24' thread.23-24 \
  && grep -qx 'totals: 500000 0' thread.23-24 \
  && grep -qx 'desc: Thread: sh' thread.0-25 \
  && grep -qx 'totals: 10 1' thread.0-25
result $? "--threads=files" log
"$import" --threads=files -o no/thread good/perf-script >log 2>&1
test $? = 1 \
  && test "$(cat log)" = "cgw-import: no/thread.0-25: No such file or directory"
result $? "--threads=files: a file that cannot be made" log

# Folded stacks: see folded.sh.
printf 'main;work (x.py:12);read_[j] 3 17\r\nmain;f(int) 4 5\n' >good/folded

# Callgrind profiles: the sums of cgw-merge.
cat >good/callgrind <<'END'
# callgrind format
pid: 7
thread: 1
positions: instr line
event: Ipc : per cycle = Ir / Cy
events: Ir Cy
ob=(1) prog
fl=(1) a.c
fn=(1) main
0x10 3 5 2
cfn=(2) work
calls=0 0x20 9
0x14 4 30 20
fn=(2)
0x20 9 30 20

thread: 2
events: Ir Cy
fn=(2)
0x20 9 7
END
"$import" --threads -o both good/callgrind 2>err && test ! -s err \
  && grep -q '^pid: 7$' both && grep -q '^thread: 1$' both \
  && grep -q '^thread: 2$' both && "$import" --event Cy good/callgrind >one \
  && grep -q '^events: Cy$' one && grep -q '^totals: 22$' one \
  && grep -q '^calls=1 ' one && ! grep -q '^calls=0' one
result $? "callgrind: parts, events and calls" err
# Formulas in two parts, each of the other one's event; and each of all before,
# which are 2^60 ways to the first.
printf '%s\n' 'event: D1 = D0' 'events: X D0' fn=f '1 1 2' '' 'part: 2' \
  'event: D0 = D1' 'events: X D1' fn=f '1 1 2' >x
"$import" --event X x >one 2>err && grep -q '^totals: 2$' one
result $? "callgrind: formulas of each other" err
{
  all=A i=0
  while test $i -lt 60; do
    echo "event: D$i = $all"
    all="$all + D$i" i=$((i + 1))
  done
  printf '%s\n' 'events: A B' fn=f '1 1 2'
} >x
(ulimit -t 60; exec "$import" --event B x) >one 2>err && grep -q '^events: B$' one
result $? "callgrind: formulas of all before" err
{
  awk 'BEGIN { for (i = 0; i < 200000; i++) print "desc: a: " i }'
  printf '%s\n' 'events: A' fn=f '1 1'
} >x
(ulimit -t 60; exec "$import" --from callgrind x) >one 2>err \
  && test "$(grep -c '^desc: a' one)" = 200000
result $? "callgrind: many descriptions" err
awk 'BEGIN { for (i = 1; i <= 300000; i++)
  print "thread: " i "\nevents: A\nfn=f\n1 1" }' >x
(ulimit -t 60; exec "$import" --from callgrind --threads x) >one 2>err \
  && test "$(grep -c '^thread:' one)" = 300000
result $? "callgrind: many threads" err
gzip -c good/callgrind >x
"$import" x >zipped && "$import" good/callgrind >plain \
  && cmp zipped plain && grep -q '^totals: 42 22$' plain
result $? "callgrind: compressed"
# Calls that have a count keep it; the others get one for each record.
sums () # FILE
{
  "$cgread" --no-pad --allow-zero-calls --dump "$1" | grep '^c[ao]'
}
for file in "$data"/by-*; do
  "$import" -o imported "$file" 2>err && "$merge" -o merged "$file" 2>>err \
    && sums imported >got && sums merged >expected && test -s got \
    && paste got expected | awk -F '\t' '{
      for (i = 1; i < NF / 2; i++)
        if ($i != $(i + NF / 2))
          print
      split ($(NF / 2), a, " "); split ($NF, b, " ")
      counts = $1 == "call" && b[1] == 0 && a[1] != 0
      for (i = 1 + counts; i in a || i in b; i++)
        if (a[i] != b[i])
          print
    }' >wrong && test ! -s wrong
  result $? "callgrind: ${file##*/}" wrong
done

# What is wrong with a whole file, whatever its kind.
for kind in callgrind cpuprofile firefox folded gperftools perf perf-script \
  pprof speedscope; do
  "$import" --from $kind -o kept . >log 2>&1
  status=$?
  if grep -q 'no such kind of input' log; then
    skip "$kind: a directory" "this kind was not built"
    continue
  fi
  test $status = 1 && test "$(cat log)" = 'cgw-import: .: Is a directory'
  result $? "$kind: a directory" log
done
gzip -nc <good/callgrind >x
if "$import" x 2>&1 | grep -q zlib; then
  skip "compressed data that are damaged" "there is no zlib"
elif gzip -nc <good/callgrind >damaged.gz; then
  # The byte behind the header begins a block of a type that there is not.
  printf '\377' | dd of=damaged.gz bs=1 seek=10 conv=notrunc 2>/dev/null
  for kind in callgrind folded; do
    refuses "compressed data that are damaged, $kind" damaged.gz \
      'at byte 0: the compressed data are damaged' --from $kind
  done
  refuses "compressed data that are damaged" damaged.gz \
    'at byte 0: the compressed data are damaged'
  gzip -nc <good/callgrind | head -c 100 >cut.gz
  "$import" --from callgrind cut.gz 2>&1 >out | cat >log
  grep -q '^cgw-import: cut.gz: at byte [0-9]*: the .* are cut off$' log
  result $? "callgrind: cut off where it is compressed" log
fi
# Units: costs are converted into the finer one, whichever file comes first.
units () # NAME FILE FILE TOTALS LONG-NAME
{
  "$import" -o out "$2" "$3" 2>err && "$import" -o out.2 "$3" "$2" 2>>err \
    && test ! -s err && grep -qx "totals: $4" out && grep -q ": $5\$" out \
    && show out >got && show out.2 | diff got - >err
  result $? "$1" err
}
scope () # UNIT WEIGHTS
{
  printf '{"shared": {"frames": [{"name": "main"}, {"name": "f"}]},
"profiles": [{"type": "sampled", "name": "t", "unit": "%s", "startValue": 0,
"endValue": 9, "samples": [[0], [0, 1], [1, 0, 1]], "weights": [%s]}]}\n' \
    "$1" "$2"
}
scope milliseconds 700,50,1 >ms
scope microseconds 2,3,0.5 >us
scope none 2,3,4 >whole
scope none 2.5,3,4 >tenths
printf 'event: Time : Time in s\nevents: Time\nfn=f\n1 2\ncfn=g\ncalls=3 0\n2 4\n' >seconds
if "$import" ms 2>&1 | grep -q 'without libjansson'; then
  skip "units: speedscope's" "cgw-import has no libjansson"
else
  units "units: speedscope's ms and us" ms us 751005500 'Time in ns'
  units "units: speedscope's weights" whole tenths 185 \
    'Weight, in units of 10^-1'
  units "units: a callgrind file and a speedscope profile" seconds ms 2751 \
    'Time in ms'
fi
cat >expected <<'END'
desc: event cpu: 1 self cost below 0 was written as 0, -3000003 together
event: cpu : cpu (ns)
totals: 7000007
END
for unit in milliseconds nanoseconds; do
  bytes "$tables$(message 1 "$(number 1 3)$(number 2 15)")$(
    message 2 "$(number 1 6)$(number 1 5)$(number 2 7)")$(
    message 2 "$(number 1 5)$(message 2 "$minus_3")")$(
    strings $unit)" >$unit
done
"$import" -o out milliseconds nanoseconds 2>err \
  && grep '^event: \|^totals: \|below 0' out | diff - expected >diff
result $? "units: pprof's, and values below 0" diff
cp out out.1
"$import" -o out nanoseconds milliseconds 2>err && cmp out.1 out 2>>err
result $? "units: pprof's, in another order" err
printf 'event: A : A in ms\nevents: A\nfn=f\n1 2\npart: 2\nevent: A : A in us\nevents: A\nfn=f\n1 3\n' >parts
"$import" parts 2>err | grep -qx 'totals: 2003'
result $? "units: parts of one file" err
printf 'events: Time\nfn=f\n1 3\n' >none
"$import" -o out none seconds 2>err && grep -qx 'totals: 5' out && diff - err <<'END'
cgw-import: none: warning: event "Time" has no unit here, and "s" in seconds: it is taken for the same
END
result $? "units: a file that tells none" err
# refuses_both NAME FILE FILE MESSAGE
refuses_both ()
{
  echo kept >out
  "$import" -o out "$2" "$3" 2>err
  test $? = 1 && grep -v ': warning: ' err >left \
    && echo "cgw-import: $4" | diff - left >log && grep -qx kept out
  result $? "$1" log
}
printf 'event: Time : Time (cycles)\nevents: Time\nfn=f\n1 3\n' >cycles
refuses_both "units: others" seconds cycles \
  'cycles: event "Time" has the unit "cycles" here, and "s" in seconds: one cannot be converted into the other'
printf 'event: Time : Time in ps\nevents: Time\nfn=f\n1 3\n' >ps
printf 'event: Time : Time in s\nevents: Time\nfn=f\n1 18446745\n' >long
refuses_both "units: a cost that is too large in the finer one" long ps \
  'ps: a sum of costs passed 2^64-1'
refuses_both "units: likewise, in the other order" ps long \
  'long:4: a sum of costs passed 2^64-1'
printf '%s\n' 'positions: instr line' 'event: cpu : cpu (ns)' 'events: cpu' fn=f \
  '0x1 1 9223372036854775808' >above
refuses_both "units: 2^63 beside values that may be below 0" above nanoseconds \
  'nanoseconds: a sum of costs passed 2^64-1'
refuses_both "units: likewise, in the other order" nanoseconds above \
  'above:5: a sum of costs passed 2^64-1'

printf 'events: A\nfn=f\n1 1\n' >one
printf 'events: B\nfn=f\n1 1\n' >two
"$import" -o kept one two >log 2>&1
test $? = 1 && grep -q '^cgw-import: two: .*events' log
result $? "two files with other events" log

# What is known, and not read, is named; of what is not known, the kinds are.
unread () # MESSAGE FORMAT
{
  printf -- "$2" >bad
  refuses "not read: $1" bad "$1"
}
for text in '\375\067zXZ\000' '\050\265\057\375$' '\004\042\115\030d@' \
  'BZh91AY&SY' 'PK\003\004'; do
  unread 'it is compressed: decompress it first' "$text"
done
for text in 'heap profile: 3: 4 [ 3: 4] @ heapprofile\n' \
  'goroutine profile: total 5\n1 @ 0x1\n' 'threadcreate profile: total 9\n' \
  '--- contention:\ncycles/second=3\n' '--- mutex:\ncycles/second=3\n'; do
  unread 'it is a profile in an old format of pprof: pprof -proto converts it' \
    "$text"
done
unread "it is a recording of Java's Flight Recorder, which is not read: jfrconv of async-profiler makes collapsed stacks of it" \
  'FLR\000\000\002'
unread "it has statistics of Python's cProfile, which is not read: write_stats of cgw.py converts them" \
  '\373)\003\372'
for text in '\177ELF\002' '\317\372\355\376'; do
  unread 'it is a program or a library, and no profile' "$text"
done
opens='which is not read: speedscope opens it, and exports what is'
unread "it is a heap profile of V8, $opens" \
  '{"head":{"callFrame":{"functionName":"x"},"selfSize":0,"id":1}}'
unread "it is a trace of Chrome, $opens" '{"traceEvents":[{"shared":1}]}'
unread "it is a trace of Chrome, $opens" ' [{"name":"x","ph":"B","ts":1}]'
printf 'what\nis this\n' >bad
"$import" -o kept bad >log 2>&1
grep -Eq '^cgw-import: bad: it is of no known kind; known are callgrind, gperftools, (perf, )?pprof, cpuprofile, firefox, speedscope, perf-script, folded$' log
result $? "what is of no known kind" log

printf 'a;b 1\n' >bad
refuses "--comm, and no command" bad 'no such command; its samples name none' --comm x

# Damaged files of all kinds: cut off at each byte, changed at each byte.
"$fuzzer" --damage 1 good/* >log 2>&1
result $? "damaged files" log

# Each is of its kind, and of no other: they have the names of their kinds.
for file in good/*; do
  { "$import" "$file" >found && "$import" --from "${file#good/}" "$file" \
    | cmp found -; } >log 2>&1 || { echo "$file" && cat log; }
done >wrong
test ! -s wrong
result $? "files of each kind are of no other" wrong

done_testing
