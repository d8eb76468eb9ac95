#!/bin/sh
# export.sh - cgw-export, and --to of cgw-import: pprof, folded stacks and
# speedscope, made of inputs whose results are known, and read by decoders that
# are not the tools'.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder:
# examples/tools/export/cgw-export, examples/tools/import/cgw-import,
# tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
export=$(pwd)/examples/tools/export/cgw-export
import=$(pwd)/examples/tools/import/cgw-import
show=$srcdir/tests/examples/export_show.py
cd "$dir" || exit 1
command -v python3 >/dev/null || skip_all "there is no python3"
echo '{"profiles":[]}' >in
"$import" in 2>&1 | grep -q 'without libjansson' \
  && skip_all "there is no libjansson"

# Exports a file; compares what the output says with the standard input.
exports () # FORMAT NAME [OPTION...] FILE
{
  format=$1 name=$2
  shift 2
  cat >expected
  rm -f out
  { "$export" --to "$format" -o out "$@" && python3 "$show" "$format" out; } \
    >got 2>err && diff expected got >diff
  status=$?
  cat err >>diff
  result $status "$format: $name" diff
}

# The last export printed a message, and nothing else.
says () # NAME MESSAGE
{
  echo "cgw-export: $2" | diff - err >diff
  result $? "$1" diff
}

# Stacks, and names that the formats have no room for.  What is no text is
# escaped when it is read.
printf 'main;work;read 3\nmain;work 10\nmain;work;read 4\nmain 1\n' >stacks
printf 'a b 12;x  99;c 7\n f ;g 1 ;"q<script>&\\ 3\n;; 2\n' >names
printf 'x\001\377;\302\205z;\303\251\342\200\250 4\nr;s;r;r;s 5\nz 0\n' >>names

exports pprof "stacks, added up" stacks <<'END'
type Samples count
stack 7 main; work; read
stack 10 main; work
stack 1 main
END
exports speedscope "stacks, added up" stacks <<'END'
name profile
profile profile: Samples: 18 none
stack 7 main; work; read
stack 10 main; work
stack 1 main
END
exports folded "stacks, added up" stacks <<'END'
stack 7 main; work; read
stack 10 main; work
stack 1 main
END
printf 'main;work;read 7\nmain;work 10\nmain 1\n' | cmp -s - out
result $? "folded: each byte" out
exports pprof "names" names <<'END'
type Samples count
stack 7 a b 12; x  99; c
stack 3 f; g 1; "q<script>&\
stack 2 ???; ???; ???
stack 4 x\x01\xff; \xc2\x85z; é\xe2\x80\xa8
stack 5 r; s; r; r; s
stack 0 z
END
exports speedscope "names" names <<'END'
name profile
profile profile: Samples: 21 none
stack 7 a b 12; x  99; c
stack 3 f; g 1; "q<script>&\
stack 2 ???; ???; ???
stack 4 x\x01\xff; \xc2\x85z; é\xe2\x80\xa8
stack 5 r; s; r; r; s
END
! grep -q '[<>&]' out
result $? "speedscope: what would be markup in a page is escaped" out
exports folded "names" names <<'END'
stack 7 a b 12; x  99; c
stack 3 f; g 1; "q<script>&\
stack 2 ???; ???; ???
stack 4 x\x01\xff; \xc2\x85z; é\xe2\x80\xa8
stack 5 r; s; r; r; s
END

cat >odd <<'END'
{"shared": {"frames": [{"name": "a;b 1.5  "}, {"name": " 12"}, {"name": "x "},
                       {"name": "12"}, {"name": "a\tb\nc\u0085"}, {"name": ""},
                       {"name": " "}, {"name": "g  1 .5"}]},
 "profiles": [{"type": "sampled", "unit": "none", "startValue": 0,
               "endValue": 6, "weights": [1, 2, 3, 4, 5, 6, 7, 8],
               "samples": [[0], [1], [2], [3], [4], [5], [6], [7, 7]]}]}
END
exports folded "semicolons; a number at the end would be a cost" odd <<'END'
stack 1 a:b 1.5 \x20
stack 2 \x2012
stack 3 x\x20
stack 4 12
stack 5 a\x09b\x0ac\xc2\x85
stack 6 ???
stack 7 \x20
stack 8 g  1 .5; g__1_.5
END

# Folded stacks stay as they are.
printf 'main;work;read 7\nmain;work 10\nmain 1\n' >one
"$import" --to folded -o out one && cmp -s one out \
  && "$export" --to callgrind out >two && "$import" one | cmp -s - two
result $? "cgw-import --to"
exports folded "--root" --root all stacks <<'END'
stack 7 all; main; work; read
stack 10 all; main; work
stack 1 all; main
END

# pprof: types of values with units, mappings with build IDs, inlined functions,
# recursion at one address, costs below 0, threads.
cat >pb.py <<'END'
import sys

strings = {"": 0}

def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])

def number(field, n):
    return varint(field << 3) + varint(n)

def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data

def text(field, s):
    return number(field, strings.setdefault(s, len(strings)))

def kind(name, unit):
    return message(1, text(1, name) + text(2, unit))

def mapping(i, start, limit, offset, file, build_id):
    return message(3, number(1, i) + number(2, start) + number(3, limit)
                   + number(4, offset) + text(5, file) + text(6, build_id))

def location(i, mapping, address, *lines):
    return message(4, number(1, i) + number(2, mapping) + number(3, address)
                   + b"".join(message(4, number(1, f) + number(2, l))
                              for f, l in lines))

def function(i, name, file):
    return message(5, number(1, i) + text(2, name) + text(3, name)
                   + text(4, file))

def sample(locations, values, **labels):
    return message(2, message(1, b"".join(map(varint, locations)))
                   + message(2, b"".join(map(varint, values)))
                   + b"".join(message(3, text(1, k)
                                      + (text(2, v) if isinstance(v, str)
                                         else number(3, v)))
                              for k, v in labels.items()))

def write(*parts):
    sys.stdout.buffer.write(b"".join(parts)
                            + b"".join(message(6, s.encode())
                                       for s in strings))
END
cat >rich.py <<'END'
from pb import *
write(kind("samples", "count"), kind("cpu time", "10ns"),
      kind("space", "kB"), text(14, "samples"), text(13, "made by hand"),
      mapping(1, 0x1000, 0x2000, 0x400, "/no/prog", "c0ffee"),
      mapping(2, 0, 0, 0, "/no/lib.so", ""),
      location(1, 1, 0x1010, (1, 5), (2, 17), (3, 9)),
      location(2, 1, 0x1020, (3, 11)),
      location(3, 2, 0, (4, 0)),
      location(4, 1, 0x1030, (1, 6), (3, 7)),
      location(5, 1, 0x1040, (3, 8)),
      function(1, "leaf", "leaf.h"), function(2, "mid", "mid.h"),
      function(3, "main", "main.c"), function(4, "lib", ""),
      sample([1, 2], [1, 10, -3], pid=5, tid=6, thread_comm="web"),
      sample([3, 2], [2, 20, 4], pid=5, tid=7),
      # main calls itself by leaf, which is inlined.
      sample([4, 4, 4, 5, 5], [4, 40, 7], pid=5, tid=6, thread_comm="web"),
      sample([3], [-8, 1 << 62, -(1 << 63)], pid=5, tid=6, thread_comm="db"),
      sample([], [0, 5, 0]))
END
python3 rich.py >rich
exports pprof "of pprof: units, mappings, inlined functions, threads" rich <<'END'
type samples count default
type cpu time nanoseconds
type space kilobytes
comment made by hand
mapping /no/prog c0ffee 0-441+0 1111
mapping /no/lib.so - 0-1+0 1111
stack 0 50 0 (root)
stack -8 9223372036854775807 -9223372036854775808 lib [/no/lib.so] {comm=db, pid=5, tid=6}
stack 1 100 -3 main (main.c:11) 0x420 [/no/prog]; leaf (leaf.h:5) < mid (mid.h:17) < main (main.c:9) 0x410 [/no/prog] {comm=web, pid=5, tid=6}
stack 4 400 7 main (main.c:8) 0x440 [/no/prog]; main (main.c:8) 0x440 [/no/prog]; leaf (leaf.h:6) < main (main.c:7) 0x430 [/no/prog]; leaf (leaf.h:6) < main (main.c:7) 0x430 [/no/prog]; leaf (leaf.h:6) < main (main.c:7) 0x430 [/no/prog] {comm=web, pid=5, tid=6}
stack 2 200 4 main (main.c:11) 0x420 [/no/prog]; lib [/no/lib.so] {pid=5, tid=7}
END
says "pprof: costs that are too large" \
  "out: warning: costs above 2^63-1 became that"
"$export" --to pprof -o again out && cmp out again
result $? "pprof: exported again, it is the same"
exports pprof "of pprof: --inline lines" --inline lines --comm web rich <<'END'
type samples count default
type cpu time nanoseconds
type space kilobytes
comment made by hand
mapping /no/prog c0ffee 0-441+0 1111
stack 1 100 -3 main (main.c:11) 0x420 [/no/prog]; main (leaf.h:5) 0x410 [/no/prog] {comm=web, pid=5, tid=6}
stack 4 400 7 main (main.c:8) 0x440 [/no/prog]; main (main.c:8) 0x440 [/no/prog]; main (leaf.h:6) 0x430 [/no/prog]; main (leaf.h:6) 0x430 [/no/prog]; main (leaf.h:6) 0x430 [/no/prog] {comm=web, pid=5, tid=6}
END
exports folded "of pprof: costs below 0 are left out" rich <<'END'
stack 1 main; main; mid; leaf
stack 2 main; lib
stack 4 main; main; main; leaf; main; leaf; main; leaf
END
exports speedscope "of pprof: a profile for each event of each thread" \
  --threads --event samples,space rich <<'END'
name profile
profile db, process 5, thread 6: samples: 5 none
stack 1 main (main.c); main (main.c); mid (mid.h); leaf (leaf.h)
stack 4 main (main.c); main (main.c); main (main.c); leaf (leaf.h); main (main.c); leaf (leaf.h); main (main.c); leaf (leaf.h)
profile db, process 5, thread 6: space: 7168 bytes
stack 7168 main (main.c); main (main.c); main (main.c); leaf (leaf.h); main (main.c); leaf (leaf.h); main (main.c); leaf (leaf.h)
profile profile, process 5, thread 7: samples: 2 none
stack 2 main (main.c); lib
profile profile, process 5, thread 7: space: 4096 bytes
stack 4096 main (main.c); lib
END

# More functions at one address than a location has.
cat >deep.py <<'END'
from pb import *
n = 50000
write(kind("Ir", "count"), mapping(1, 0, 99, 0, "/no/prog", ""),
      *(location(i, 1, 16, (i, 5)) for i in range(1, n + 1)),
      *(function(i, "f%d" % i, "") for i in range(1, n + 1)),
      sample(range(1, n + 1), [7]))
END
python3 deep.py >deep && "$export" --to pprof -o out deep \
  && python3 "$show" self pprof out >got && echo '7 f1' | diff - got >diff \
  && "$export" --to folded -o got deep && "$export" --to folded out | cmp - got
result $? "pprof: 50,000 functions at one address" diff

# A few megabytes may claim any number of frames.
cat >claims.py <<'END'
import json
import sys

from pb import *

n = 24000
if sys.argv[1] == "pprof":
    write(kind("Ir", "count"), location(1, 0, 0, *[(1, 5)] * 1000),
          function(1, "f", ""), *[sample([1] * 1000, [7])] * 300)
elif sys.argv[1] == "cpuprofile":
    json.dump({"nodes": [{"id": i, "callFrame": {"functionName": "f"},
                          "children": [i + 1] if i < n else []}
                         for i in range(1, n + 1)],
               "samples": list(range(1, n + 1)), "timeDeltas": [1] * n},
              sys.stdout)
else:
    events = [{"type": t, "frame": 0, "at": 0} for t in "O" * n + "C" * n]
    json.dump({"shared": {"frames": [{"name": "f"}]},
               "profiles": [{"type": "evented", "unit": "none",
                             "startValue": 0, "endValue": 0,
                             "events": events}]}, sys.stdout)
END
for kind in cpuprofile pprof speedscope; do
  python3 claims.py $kind >claims
  "$export" --to folded claims >out 2>err
  test $? = 1 && test ! -s out
  result $? "too many frames: $kind"
  says "too many frames: $kind: the message" \
    "claims: its stacks have too many frames together"
done
# One stack may have any number of samples, and any number of lines.
cat >samples.py <<'END'
import json
import sys

n, m = 5000, 20000
json.dump({"nodes": [{"id": i, "callFrame": {"functionName": "f%d" % i},
                      "children": [i + 1] if i < n else []}
                     for i in range(1, n)]
           + [{"id": n, "callFrame": {"functionName": "leaf"},
               "positionTicks": [{"line": 3, "ticks": 0}] * m
               + [{"line": 7, "ticks": m}]}],
           "samples": [n] * m, "timeDeltas": [1] * m}, sys.stdout)
END
python3 samples.py >samples
"$export" --to folded --event Samples samples >out 2>err \
  && awk 'END { exit NR != 1 || $2 != 20000 }' out
result $? "many samples of a long stack" err

# Costs below 0 may come with a later file.
cat >below.py <<'END'
from pb import *
write(kind("Ir", "count"), location(1, 0, 0, (1, 5)),
      location(2, 0, 0, (2, 6)), function(1, "leaf", ""),
      function(2, "main", ""), sample([1, 2], [-3]), sample([2], [10]))
END
python3 below.py >below
printf 'events: Ir\nfn=main\n7 9\n' >above
for files in 'above below' 'below above'; do
  exports pprof "costs below 0: $files" $files <<'END'
type Ir count
stack -3 main (:6); leaf (:5)
stack 10 main (:6)
stack 9 main (:7)
END
done

cat >big <<'END'
events: Time_(10ns) Mem
event: Mem : memory (kB)
fn=f
1 18446744073709551614 9223372036854775807
fn=g
1 1 9223372036854775807
END
exports pprof "costs above 2^63-1" big <<'END'
type Time nanoseconds default
type Mem kilobytes
stack 9223372036854775807 9223372036854775807 f (:1)
stack 10 9223372036854775807 g (:1)
END
says "pprof: and a warning" \
  "out: warning: costs above 2^63-1 became that"
exports folded "costs above 2^63-1" big <<'END'
stack 18446744073709551614 f
stack 1 g
END
exports speedscope "costs above 2^63-1" big <<'END'
name profile
profile profile: Time: 9223372036854775807 nanoseconds
stack 9223372036854775807 f
stack 10 g
profile profile: Mem: 9223372036854775807 bytes
stack 9223372036854775807 f
stack 9223372036854775807 g
END

# What has no stacks.

cat >flat <<'END'
desc: I1 cache: 1
cmd: ./prog y
events: Ir Dr
fl=a.c
fn=f
1 10 2
2 20 3
fn=g
9 5 0
0 0 1
summary: 35 6
END
exports pprof "cachegrind: each position is a stack" flat <<'END'
type Ir count default
type Dr count
comment Command: ./prog y
comment I1 cache: 1
stack 10 2 f (a.c:1)
stack 20 3 f (a.c:2)
stack 0 1 g (a.c:0)
stack 5 0 g (a.c:9)
END
exports folded "cachegrind: each function is a stack" flat <<'END'
stack 30 f
stack 5 g
END
exports speedscope "cachegrind, one event" --event Dr flat <<'END'
name ./prog y
profile ./prog y: Dr: 6 none
stack 2 f (a.c)
stack 3 f (a.c)
stack 1 g (a.c)
END
printf 'events: Ir\nfn=f\n1 4\ncfn=f\ncalls=2 1\n1 3\n' >self
exports folded "a function that calls itself alone" self <<'END'
stack 4 f
END

# Two callers of h.
cat >edges <<'END'
version: 1
pid: 7
thread: 3
cmd: ./prog x
positions: line
event: Time_(10ns)
events: Ir Time_(10ns)
ob=prog
fl=a.c
fn=main
1 10 1
cfn=f
calls=2 5
2 30 4
cfn=g
calls=1 9
3 60 5
fn=f
5 20 2
cfn=h
calls=2 1
6 10 2
fn=g
9 40 4
cfn=h
calls=4 1
10 20 1
fn=h
1 30 3
END
for format in pprof folded speedscope; do
  echo old >out
  "$export" --to $format -o out edges >stdout 2>err
  status=$?
  "$export" --to $format edges >>stdout 2>/dev/null
  test $? = 1 && test $status = 1 && test "$(cat out)" = old && test ! -s stdout
  result $? "$format: calls without stacks are refused, and nothing is written"
  says "$format: with a message" \
    "edges: it has costs and calls, but no stacks: --estimate makes some of them"
done
exports pprof "estimated stacks, marked" --estimate edges <<'END'
type Ir count default
type Time nanoseconds
comment Command: ./prog x
comment Stacks: estimated from costs and calls
mapping prog - 0-1+0 1111
stack 10 10 (estimated); main (a.c:0) [prog] {pid=7, tid=3}
stack 20 20 (estimated); main (a.c:0) [prog]; f (a.c:0) [prog] {pid=7, tid=3}
stack 10 20 (estimated); main (a.c:0) [prog]; f (a.c:0) [prog]; h (a.c:0) [prog] {pid=7, tid=3}
stack 40 40 (estimated); main (a.c:0) [prog]; g (a.c:0) [prog] {pid=7, tid=3}
stack 20 10 (estimated); main (a.c:0) [prog]; g (a.c:0) [prog]; h (a.c:0) [prog] {pid=7, tid=3}
END
exports folded "estimated stacks, marked" --estimate edges <<'END'
stack 10 (estimated); main
stack 20 (estimated); main; f
stack 10 (estimated); main; f; h
stack 40 (estimated); main; g
stack 20 (estimated); main; g; h
END
exports speedscope "estimated stacks, marked" --estimate --event Ir edges <<'END'
name ./prog x
profile ./prog x: Ir: 100 none
stack 10 (estimated); main (a.c)
stack 20 (estimated); main (a.c); f (a.c)
stack 10 (estimated); main (a.c); f (a.c); h (a.c)
stack 40 (estimated); main (a.c); g (a.c)
stack 20 (estimated); main (a.c); g (a.c); h (a.c)
END
printf 'x;y 5\n' >stack
exports folded "stacks and calls: these stay whole" --estimate --event Ir \
  stack edges <<'END'
stack 5 x; y
stack 10 (estimated); main
stack 20 (estimated); main; f
stack 10 (estimated); main; f; h
stack 40 (estimated); main; g
stack 20 (estimated); main; g; h
END

# Costs of each function are exact, whatever the calls say.  Each graph is for
# one event more.

# estimates NAME FILE EVENTS: FILE.self has what functions cost.
estimates ()
{
  for format in pprof speedscope folded; do
    case $format in
      folded)
        awk '$1 != 0 { print $1, $NF }' "$2.self" >expected ;;
      *) cp "$2.self" expected ;;
    esac
    { "$export" --to $format --estimate -o out "$2" \
        && python3 "$show" self $format out; } >got 2>err \
      && diff expected got >diff && test ! -s err \
      && "$export" --to $format --estimate "$2" | cmp - out >>diff
    result $? "$format: $1" diff
  done
}

cat >graph.py <<'END'
import random
import sys

kind = sys.argv[1]
costs, calls = {}, []
random.seed(kind)
if kind == "random":  # with cycles, and calls that cost more than all
    n, events = 60, 3
    for f in range(n):
        costs[f] = [random.choice((0, 1, 7, 1000, 1 << 40, 1 << 57))
                    for _ in range(events)]
        for _ in range(6):
            calls.append((f, random.randrange(n),
                          [random.choice((0, 1, 50, 1 << 41, 1 << 59))
                           for _ in range(events)]))
elif kind == "diamonds":  # 2^200 stacks
    n, events = 401, 1
    below = 0
    for f in range(400, -1, -1):
        costs[f] = [1000]
        below += 1000
        for g in {(f - 1) // 2 * 2 + 3, (f - 1) // 2 * 2 + 4}:
            if f < 399:
                calls.append((f, g if f else g, [below // 2]))
elif kind == "complete":
    n, events = 300, 2
    for f in range(n):
        costs[f] = [1000 + f, 7]
        calls += [(f, g, [100000, 900]) for g in range(n)]
elif kind == "fan":  # 5,000 functions that call a chain of 800
    n, events = 5801, 1
    for f in range(n):
        costs[f] = [100 if f <= 5000 else 1000000]
    for f in range(1, 5001):
        calls += [(0, f, [160100]), (f, 5001, [160000])]
    for f in range(5001, 5800):
        calls.append((f, f + 1, [(5800 - f) * 1000000]))
names = ["f%d" % f for f in range(n)]
called = {}
for f, g, c in calls:
    called.setdefault(f, []).append((g, c))
print("events: " + " ".join("E%d" % e for e in range(events)))
for f in range(n):
    print("fn=" + names[f])
    print(1, *costs[f])
    for g, c in called.get(f, []):
        print("cfn=%s\ncalls=1 1\n1" % names[g], *c)
with open(kind + ".self", "w") as to:
    for f in sorted(range(n), key=lambda f: names[f]):
        if any(costs[f]):
            print(*costs[f], names[f], file=to)
END
for kind in random diamonds complete fan; do
  python3 graph.py $kind >$kind || echo "Bail out! graph.py $kind"
done
estimates "estimated: a graph with cycles" random
estimates "estimated: as many stacks as 2^200" diamonds
estimates "estimated: each of 300 functions calls each" complete
# A limit of all frames.
"$export" --to folded --estimate fan >out && LC_ALL=C tr -cd ';' <out >got \
  && test "$(wc -c <got)" -lt 25000000 \
  && awk '{ self[substr($1, length($1) - 4)] += $2 }
          END { exit self["f5001"] != 1000000 || self["f5799"] != 1000000 }' out
result $? "folded: estimated: a long chain that many call"

# Valgrind's recursion: the calls of a cycle cost what is below them.
cat >recursion <<'END'
events: Ir
fn=main
1 1
cfn=a
calls=1 1
1 99
fn=a
1 40
cfn=b
calls=1 1
1 90
cfn=a
calls=3 1
1 70
fn=b
1 59
cfn=a
calls=9 1
1 31
END
exports folded "estimated: recursion" --estimate recursion <<'END'
stack 1 (estimated); main
stack 40 (estimated); main; a
stack 59 (estimated); main; a; b
END

# Threads.

cat >threads <<'END'
version: 1
cmd: ./prog x
pid: 7
thread: 1
events: Ir
fn=main
1 10

pid: 7
thread: 2
events: Ir
fn=main
1 5
fn=work
1 6
END
exports pprof "threads are labels" threads <<'END'
type Ir count
comment Command: ./prog x
stack 10 main (:1) {pid=7, tid=1}
stack 5 main (:1) {pid=7, tid=2}
stack 6 work (:1) {pid=7, tid=2}
END
exports folded "without --threads, added up" threads <<'END'
stack 15 main
stack 6 work
END
exports folded "--threads" --threads threads <<'END'
stack 10 ./prog x, process 7, thread 1; main
stack 5 ./prog x, process 7, thread 2; main
stack 6 ./prog x, process 7, thread 2; work
END
for format in pprof folded speedscope; do
  rm -f out.*
  "$export" --to $format --threads=files -o out threads 2>err \
    && test "$(echo out.*)" = "out.7-1 out.7-2" \
    && python3 "$show" self $format out.7-1 >got \
    && python3 "$show" self $format out.7-2 >>got \
    && printf '10 main\n5 main\n6 work\n' | diff - got >diff && test ! -s err
  result $? "$format: --threads=files" diff
done

# Outputs that cannot be written.  The long one is more than a pipe takes.

python3 -c '
for i in range(30000):
    print("main;function_%d;function_%d %d" % (i * 7919 % 9973, i, i + 1))' >long
for format in pprof folded speedscope; do
  for file in stacks long; do
    "$export" --to $format $file >/dev/full 2>err
    test $? = 1
    result $? "$format: a device that is full: $file"
    says "$format: with a message" \
      "standard output: No space left on device"
  done
  "$export" --to $format stacks >&- 2>err
  test $? = 1
  result $? "$format: a standard output that is closed"
  says "$format: with a message" "standard output: Bad file descriptor"
  (trap '' PIPE; "$export" --to $format long 2>err; echo $? >status) \
    | head -c 1 >/dev/null
  test "$(cat status)" = 1
  result $? "$format: a pipe that is closed"
  says "$format: with a message" "standard output: Broken pipe"

  "$export" --to $format long >out && python3 -c '
import os, subprocess, sys, time
end, begin = os.pipe()
os.set_blocking(begin, False)
p = subprocess.Popen(sys.argv[1:], stdout=begin)
os.close(begin)
with os.fdopen(end, "rb") as f:
    data = f.read()
if p.wait() != 0 or data != open("out", "rb").read():
    sys.exit("%d bytes, and status %d" % (len(data), p.returncode))
' "$export" --to $format long 2>err
  result $? "$format: a pipe that does not block" err
  "$export" --to $format long | cmp -s - out
  result $? "$format: equal input gives equal bytes"

  rm -f out.small*
  if can_limit_files; then
    (ulimit -f 1; "$export" --to $format -o out.small long 2>err)
    test $? = 1 && test "$(echo out.small*)" = 'out.small*'
    result $? "$format: a file that may not grow is removed"
    says "$format: with a message" "out.small: File too large"
  else
    skip "$format: a file that may not grow" "coverage is written, too"
  fi
done

# Usage.

wrong () # MESSAGE [OPTION...]
{
  message=$1
  shift
  "$export" "$@" stacks >out 2>err
  test $? = 2 && test ! -s out \
    && test "$(head -n 1 err)" = "cgw-export: $message"
  result $? "$message" err
}
wrong "--to FORMAT is missing"
wrong "no such format: svg" --to svg
wrong "--threads=files needs -o" --to pprof --threads=files
wrong "a callgrind profile needs no --estimate" --to callgrind --estimate
done_testing
