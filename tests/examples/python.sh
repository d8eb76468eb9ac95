#!/bin/sh
# lib/cgw.py and examples/profile.py: a Python program counts its own calls, and
# the ticks of its own clock.  The profile must have the same.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
source=$(cd "${srcdir-.}" && pwd -P)
program=$source/tests/programs/profiled.py
. "${srcdir-.}/tests/support/python.sh"
PYTHONIOENCODING=utf-8
export PYTHONIOENCODING
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1

python3 "$source/examples/profile.py" -o real "$program" -h >printed 2>log
test $? = 3 && test ! -s log && test "$(tail -n 1 printed)" = -h
result $? "the lesson passes on arguments, output and status" log

"$cgread" --dump real >dump
result $? "the strict reader takes the profile" dump

# Calls of the program's functions.
awk -F '\t' -v OFS='\t' '$1 == "call" && $9 == "'"$program"'" {
    split ($13, c, " "); print "call", $4, $10, c[1] }' dump \
  | grep -v '	define\|	<module>	[^	]*$' | sort >got
grep '^call' printed | sort >expected
test "$(wc -l <expected)" = 12 && diff expected got >log
result $? "each function called each other as often" log

# The same by the program's own clock: 1 tick is 1 ns.
cat >ticks.py <<'END'
import cProfile, os, pstats, sys
import cgw
sys.argv[1:] = ["x"]
path = sys.path[0] = os.environ["PROGRAM"]
names = {"__name__": "__main__", "__file__": path}
profiler = cProfile.Profile(lambda: names["clock"][0] if "clock" in names
                            else 0, 1e-9)
try:
    profiler.runctx(compile(open(path).read(), path, "exec"), names, names)
except SystemExit:
    pass
cgw.write_stats(profiler, "ticks")
cgw.write_stats(profiler, "again")
profiler.dump_stats("saved")
cgw.write_stats("saved", "from-file")
stats = pstats.Stats("saved")
turned = {}
for at, (cc, nc, tt, ct, callers) in reversed(stats.stats.items()):
    turned[at] = cc, nc, tt, ct, dict(reversed(callers.items()))
stats.stats = turned
cgw.write_stats(stats, "turned")
for at, (cc, nc, tt, ct, callers) in stats.stats.items():
    if callers and at[0] == path and at[1] > 1:
        print("%d\t%d" % (at[1], round(ct * 1e9)))
END
PROGRAM=$program python3 ticks.py >out 2>log && "$cgread" --dump ticks >dump
result $? "write_stats" log

sums=$(sed -n 's/^totals: //p' ticks)
test -n "$sums" && test "$(sed -n 's/^summary: //p' ticks)" = "$sums"
result $? "Qt Creator takes its percentages from summary:" ticks

awk -F '\t' -v OFS='\t' '$1 == "cost" && $8 > 0 {
    split ($8, c, " "); if (c[1] > 0) print "cost", $4, c[1] }' dump \
  | sort >got
grep '^cost' printed | sort >expected
test "$(wc -l <expected)" = 7 && diff expected got >log
result $? "each function has its own ticks" log

# What its callers include is what pstats calls cumulative, in recursion, too.
# (Of the seven codes on line 1, pstats keeps one.)
awk -F '\t' '$1 == "call" && $9 == "'"$program"'" {
    split ($13, c, " "); n[$12] += c[2] }
  END { for (line in n) if (line > 1) print line "\t" n[line] }' dump | sort >got
grep '^[0-9]' out | sort >expected
test "$(wc -l <expected)" = 8 && diff expected got >log
result $? "inclusive ticks are the cumulative ones" log

python3 -c 'import cgw; cgw.write_stats("saved", "elsewhere")' >log 2>&1 \
  && cmp ticks again >>log 2>&1 && cmp from-file turned >>log 2>&1 \
  && cmp from-file elsewhere >>log 2>&1
result $? "equal stats give equal bytes" log

sum=$(awk -F '\t' '$1 == "cost" { print $3 }' printed | paste -s -d + -)
sum=$(($sum))
shows "the total" ticks "^$sum [0-9]* PROGRAM TOTALS"
shows "a real profile" real

# Two functions of one place, a lone surrogate, NUL, no file; numbers that C
# would take modulo 2^64.
cat >odd.py <<'END'
import cProfile
import cgw
pair = [lambda: 1, lambda: 2]
profiler = cProfile.Profile()
profiler.enable(); pair[0](); pair[1](); pair[1](); profiler.disable()
cgw.write_stats(profiler, "pair")
class Stats:
    stats = {("a\ud800", 1, "n\0x"): (1, 1, 1e-9, 3e-9, {}),
             ("a\udcff", 1, "n\0y"): (1, 1, -1e-9, 2e-9,
                                      {("a\ud800", 1, "n\0x"): 1}),
             ("~", 0, "<c>"): (1, 1, 1e-9, 1e-9,
                               {("not", 7, "kept"): (1, 1, 1e-9, 1e-9)})}
cgw.write_stats(Stats, "odd")
names = cgw.Names()
with cgw.Writer(names, "full", cgw.ABSOLUTE) as w:
    fn = names.add_fn("f", names.add_file("a"), names.add_object("o"))
    name, file, obj = names.fn_name(fn)
    print(end="" if (name, names.file_name(file), names.object_name(obj))
          == ("f", "a", "o") else "names")
    try:
        names.file_name(cgw.Names().add_file("other"))
        print("taken")
    except cgw.Error as error:
        assert error.status == cgw.Status.EHANDLE
    w.begin_part(["A", ("B", "long"), ("C", None, "A + 2 B")], cgw.INSTR_LINE,
                 cmd="c", desc=["Trigger: end"], summary=[9, 9])
    w.comment("note")
    w.cost(cgw.Pos(fn, 3, names.add_file("inlined"), 16), [1, 2])
    w.call(cgw.Pos(fn, 4, instr=17), cgw.Pos(fn, 3, instr=16), 5, [6])
    w.cost(cgw.Pos(names.add_fn(b"n\0z", names.add_file(None))), [7])
    for wrong in (lambda: cgw.Pos(fn, -1), lambda: w.cost(cgw.Pos(fn), [-1]),
                  lambda: w.call(cgw.Pos(fn), cgw.Pos(fn), 1 << 64, [])):
        try:
            wrong()
            print("taken")
        except ValueError:
            pass
END
python3 odd.py >log 2>&1 && test ! -s log \
  && "$cgread" --dump pair >dump.pair && "$cgread" --dump odd >dump.odd \
  && "$cgread" --dump full >dump.full \
  && grep -q '<lambda>.*	[0-9]* 3$' dump.pair \
  && grep -q 'a\\xed\\xa0\\x80	n\\x00x	.*1 1$' dump.odd \
  && grep -q 'a\\xff	n\\x00y	.*0 1$' dump.odd && grep -q '<c>' dump.odd \
  && grep -q '^call	.*	kept	.*1 1' dump.odd \
  && grep -q '^cost	o	a	f	inlined	0x10	3	1 2' dump.full \
  && grep -q '	n\\x00z	' dump.full \
  && grep -q "^0x11 4 6" full && grep -q '^# note' full \
  && grep -q '^summary: 9 9' full
result $? "odd names, one name twice, refused numbers, all of the API" dump.odd

# Each method of sums and tracers, and the next files of a writer.
cat >sums.py <<'END'
import os
import cgw
names = cgw.Names()
f, g, root = (cgw.Pos(names.add_fn(n), i) for i, n in enumerate("fgr", 1))
with cgw.Writer(names, "sums") as w:
    with cgw.Profile(names, 2) as p:
        other = cgw.Profile(names, 2)
        p.cost(f, [1, 2])
        p.clear()
        p.cost(f, [10, 0])
        p.call(f, g, 3, [4, 5])
        other.set_root(root.fn)
        other.stack([g, f], [6, 7], 8)
        other.stack([g, f], [1])
        other.node([g, f], [0, 1], 4)
        whole, turned, stacks = (cgw.Profile(names, 2), cgw.Profile(names, 2),
                                 [])
        def keep_stack(*stack):
            stacks.append(stack)
            whole.stack(*stack)
        other.visit(whole.cost, whole.call, keep_stack)
        (frames, costs, count), = stacks
        assert [names.fn_name(at.fn)[0] for at in frames] == ["g", "f", "r"]
        assert (costs, count) == ([7, 8], 9), stacks
        whole.visit(turned.cost, turned.call)
        p.merge(other)
        assert turned.pack() == whole.pack() == other.pack()
        try:
            other.visit(call=lambda *_: [][0])
            print("nothing was raised")
        except IndexError:
            pass
        p.unpack(turned.pack())
        net, sums = cgw.Profile(names, 1), []
        net.set_signed(0)
        net.cost(f, [-5])
        net.visit(lambda pos, costs: sums.append((pos.line, costs)))
        assert sums == [(1, [-5])], sums
        assert other.total() == [7, 8], other.total()
        p.set_root(root.fn)
        t = cgw.Tracer(p, 1)
        p.set_root(cgw.Fn())
        t.enter(f, [0], 11)
        edge = t.edge(f, g)
        t.enter_edge(edge, [1], 12)
        assert (t.depth(), t.tag(1), t.tag(2), t.tag(3)) == (2, 11, 12, 0)
        t.tail(f, [3], 13)
        t.cost([20])
        t.cost([40], f)
        t.move(g, [7])
        t.stop([15])
        t.start([100])
        t.enter(g, [116], at=f)
        t.leave([148])
        t.enter(g, [148], 5)
        t.enter(f, [148])
        t.unwind_tag(5, [148])
        assert t.depth() == 3
        t.leave([148])
        t.unwind(1, [212])
        t.enter(g, [340])
        with cgw.Tracer(p) as coroutine:
            coroutine.resume(t, [596])
            coroutine.enter(f, [596])
            coroutine.yield_([596])
            coroutine.resume(t, [596], at=cgw.Pos(cgw.Fn(), 7))
            coroutine.yield_([596])
        t.sync([596])
        for wrong in (lambda: t.leave([]), lambda: t.leave([1, 2]),
                      lambda: t.tag(-1), lambda: cgw.Profile(names, -1)):
            try:
                wrong()
                print("taken")
            except ValueError:
                pass
        p.write(w, ["A", "B"], cmd="sums", thread=2)
        p.save("saved.%p", ["A", "B"], flags=cgw.PATH_EXPAND, cmd="sums",
               thread=2)
        with open("saved.%d" % os.getpid()) as saved:
            text = saved.read()
        assert "summary: %d %d\n" % tuple(p.total()) in text
        try:
            p.save("no/such/out", ["A", "B"])
        except cgw.Error as error:
            assert error.status == cgw.Status.EIO
            assert "Profile.save: path" in str(error), error
        t.unwind(0, [700])
        stats = w.stats(2)
        assert stats.recorded_costs == [p.total()[0] - 104, p.total()[1]]
        assert stats.lost == 0 and stats.lost_costs == [0, 0]
        assert stats.recorded > 3
        assert w.error() is p.error() is t.error() is names.error() is None
    w.jump(f, f, 5)
    w.cond_jump(f, f, 6, 7)
    w.flush()
    w.finish()
assert cgw.strerror(cgw.Status.OK) == "success"
END
python3 sums.py >log 2>&1 && test ! -s log && "$cgread" --dump sums >dump.sums \
  && awk -F '\t' '
    $1 == "cost" { print $4, $7, $8 }
    $1 == "call" { split ($13, c, " "); print $4, $7, $10, c[1], c[2], c[3] }
    $1 ~ /^j/ { print "jump", $4, $10 }' dump.sums | sort >got
cat >expected <<'END'
f 1 143 60
f 1 f 1 0 0
f 1 g 32 308 21
g 2 392 16
g 2 f 2 0 0
g 2 g 1 0 0
g 7 f 1 0 0
jump f f
jump f f
r 0 f 19 525 76
END
diff expected got >>log
result $? "sums, tracers, the next files" log

# A tracer on sys.setprofile.  Each time that a generator goes on is a call; each
# return must be that of the innermost one.
cat >hook.py <<'END'
import math
import sys
import cgw
names = cgw.Names()
profile = cgw.Profile(names, 1)
tracer = cgw.Tracer(profile)
ticks = [0]
def hook(frame, event, arg):
    is_c = event.startswith("c_")
    name = arg.__name__ if is_c else frame.f_code.co_name
    tag = 0 if is_c else id(frame)
    if event.endswith("call"):
        tracer.enter(cgw.Pos(names.add_fn(name)), ticks, tag)
    else:  # return, c_return, c_exception
        assert tracer.tag(tracer.depth()) == tag, event
        tracer.leave(ticks)
def fib(n):
    ticks[0] += 1
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def numbers(n):
    for i in range(n):
        ticks[0] += 10
        yield i
def delegate():
    yield from numbers(2)
def fail(depth):
    try:
        if depth == 0:
            raise KeyError
        fail(depth - 1)
    finally:
        ticks[0] += 100
def key(value):
    ticks[0] += 1000
    if value == 4:
        fail(2)
    return value
def main():
    fib(5)
    sum(numbers(3))
    for i in delegate():
        pass
    sorted([1, 2, 3], key=key)
    try:
        sorted([3, 4, 5], key=key)
    except KeyError:
        pass
    try:
        math.sqrt(-1)
    except ValueError:
        pass
    generator = numbers(9)
    next(generator)
    try:
        generator.throw(KeyError)
    except KeyError:
        pass
    next(generator, 0)
    generator = numbers(9)
    next(generator)
    generator.close()
sys.setprofile(hook)
main()
sys.setprofile(None)  # is called, and does not return
tracer.unwind(0, ticks)
profile.save("hook", ["Ticks"])
END
python3 hook.py >log 2>&1 && test ! -s log && "$cgread" --dump hook >dump \
  && awk -F '\t' '$1 == "cost" { print $4, $8 }
    $1 == "call" { print $4, $10, $13 }' dump | sort >got
sort >expected <<'END'
fib 15
numbers 70
fail 300
key 5000
main fib 1 15
fib fib 14 0
main sum 1 30
sum numbers 4 30
main delegate 3 20
delegate numbers 3 20
main sorted 2 5300
sorted key 5 5300
key fail 1 300
fail fail 2 0
main sqrt 1 0
main next 3 20
next numbers 2 20
main throw 1 0
throw numbers 1 0
main close 1 0
close numbers 1 0
END
diff expected got >>log
result $? "a tracer on sys.setprofile"

# Python's types, members and constants are those of C.
cat >header.py <<'END'
import ctypes
import re
import subprocess
import sys
import cgw

header, symbols, module = (open(path).read() for path in sys.argv[1:4])
header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
names = set(re.findall(r"^    (cgw_\w+);", symbols, re.M))
structs = {"cgw_" + re.sub("([a-z])([A-Z])", r"\1_\2", n.lstrip("_")).lower(): s
           for n, s in vars(cgw).items() if isinstance(s, type)
           and issubclass(s, ctypes.Structure) and n != "Pos"}
plain = {"int": ctypes.c_int, "unsigned": ctypes.c_uint, "void": None,
         "size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64,
         "enum cgw_status": ctypes.c_int, "char *": ctypes.c_char_p}

def suits(declared, python):
    declared = declared.replace("const ", "").strip()
    if declared in plain:
        return python == plain[declared]
    if declared == "char **":
        return python is ctypes.POINTER(ctypes.c_char_p)
    struct = structs.get(declared.split()[-1 - declared.count("*")])
    if "**" in declared:
        return python is ctypes.POINTER(ctypes.c_void_p)
    if struct:
        return python is (ctypes.POINTER(struct) if "*" in declared else struct)
    if "uint64_t" in declared:
        return python is ctypes.POINTER(ctypes.c_uint64)
    return python in (ctypes.c_void_p, ctypes.c_char_p, cgw._Hook)

assert len(names) > 50 and names.issuperset(cgw.LEFT_OUT)
for name in names.difference(cgw.LEFT_OUT):
    result, tail = re.search(r"CGW_API ([^;]*?)%s \(([^;]*)\)\s*CGW_NOEXCEPT;"
                             % name, header).groups()
    tail = re.sub(r"ssize_t \(\*\w+\) \([^)]*\)", "hook * x", tail)
    tail = [] if tail == "void" else tail.split(",")
    function = getattr(cgw._lib, name)
    python = [function.restype, *(function.argtypes or ())]
    declared = [result, *(re.sub(r"\w+$", "", a.strip()) for a in tail)]
    assert len(declared) == len(python), name
    for c, p in zip(declared, python):
        assert suits(c, p), (name, c, p)
    assert re.search(r"_lib\.%s\b" % name, module), name + " is not called"

constants = re.findall(r"^#define CGW_([A-Z_]+) (\d+)u", header, re.M)
assert len(constants) == 15
for name, value in constants:
    assert getattr(cgw, name) == int(value), name
statuses = re.findall(r"^  CGW_(\w+) = (\d+)", header, re.M)
assert [(s.name, str(s.value)) for s in cgw.Status] == statuses

with open("layout.c", "w") as c:
    c.write("#include <cgw.h>\n#include <stdio.h>\nint main (void)\n{\n")
    for name, struct in structs.items():
        c.write('printf ("%%zu\\n", sizeof (struct %s));\n' % name)
        for member, _ in struct._fields_:
            c.write('printf ("%%zu\\n", offsetof (struct %s, %s));\n'
                    % (name, member))
    c.write("return 0;\n}\n")
subprocess.check_call(sys.argv[4:] + ["layout.c", "-o", "layout"])
layout = subprocess.check_output(["./layout"]).decode().split()
assert len(structs) == 11
assert list(map(int, layout)) == [
    n for s in structs.values()
    for n in [ctypes.sizeof(s)] + [getattr(s, m).offset for m, _ in s._fields_]]
END
# shellcheck disable=SC2086 # a compiler may come with flags
python3 header.py "$source/include/cgw.h" "$source/lib/libcgw.map" \
  "$source/lib/cgw.py" ${CC-cc} -I"$source/include" >log 2>&1
result $? "functions, structs and constants are those of cgw.h" log

# Each error has the sentence of the object that it is about.
cat >errors.py <<'END'
import cgw
def show(error):
    print(int(error.status), error.errno, error)
def sentence(function, *args):
    try:
        function(*args)
        print("no error")
    except cgw.Error as error:
        show(error)
names = cgw.Names()
sentence(cgw.write_stats, "saved", "no/such/out")
w = cgw.Writer(names, "wrong", queue_slots=7)
sentence(w.begin_part, ["wall time"])
w.begin_part(["A"])
sentence(w.cost, cgw.Pos(cgw.Fn()), [1, 2])
sentence(cgw.Profile, names, 0)
p = cgw.Profile(names, 1)
sentence(p.cost, cgw.Pos(cgw.Fn()), [3, 4, 5])
sentence(p.unpack, b"no")
sentence(p.write, w, ["A", "B"])
sentence(cgw.Tracer, p, 2)
t = cgw.Tracer(p)
sentence(t.leave, [0])
sentence(t.start, [0])
sentence(names.add_fn, "f", cgw.File(1 << 31))
for incomplete in w, p, names:
    show(incomplete.error())
sentence(w.finish)
w.finish()
sentence(cgw.Writer(cgw.Names(), "nothing").finish)
# In the words of Python.
w = cgw.Writer(names, "words", cgw.CACHEGRIND)
sentence(w.begin_part, ["A", "_x"])
w.begin_part(["A"])
main = cgw.Pos(names.add_fn("cgw_cost() is NULL"))
other = cgw.Pos(cgw.Names().add_fn("f"))
sentence(w.call, main, other, 1, [1])
sentence(w.call, main, main, 0, [1])
o, o2 = (cgw.Pos(names.add_fn("o", object=names.add_object(o))) for o in "ab")
sentence(w.jump, o, o2, 1)
sentence(p.call, other, main, 1, [1])
sentence(p.stack, [], [1])
sentence(p.merge, cgw.Profile(names, 2))
t.enter(main, [100])
sentence(t.block, [other], [], [100])
sentence(t.yield_, [100])
sentence(t.leave, [50])
sentence(cgw.Writer, names, "100%", cgw.PATH_EXPAND)
sentence(w.close)
sentence(w.cost, main, [1])
closed = cgw.Profile(names, 1), cgw.Names()
r = cgw.Tracer(closed[0])
for c in closed:
    c.close()
sentence(cgw.Writer, closed[1], "words")
sentence(p.merge, closed[0])
sentence(t.resume, r, [100])
w = cgw.Writer(names, "words")
sentence(closed[0].write, w, ["A"])
sentence(w.finish)
END
cat >expected <<'END'
7 2 Writer: file "no/such/out"
1 0 Writer.begin_part: events[0], "wall time": a name must be
5 0 Writer.cost: len(costs) is 2: the maximum is 1, the number
1 0 Profile: n_events is 0
5 0 Profile.cost: len(costs) is 3
16 0 Profile.unpack: 
1 0 Profile.write: the numbers of events of self and part that are not derived differ: 1 and 2
1 0 Tracer: n_counters is 2
14 0 Tracer.leave: no call is open
2 0 Tracer.start: the tracer is not stopped
4 0 Names.add_fn: file is not a handle of these names
1 0 Writer.begin_part: events[0], "wall time"
5 0 Profile.cost: len(costs) is 3
4 0 Names.add_fn: file is not a handle of these names
1 0 Writer.begin_part: events[0], "wall time"
2 0 Writer.finish: no part is open: call Writer.begin_part first, or Profile.write for sums; it must
1 0 Writer.begin_part: events[1], "_x": with cgw.CACHEGRIND a name must
4 0 Writer.call: the fn of callee is not a handle of
1 0 Writer.call: count is 0, which makes callgrind_annotate take inclusive cost for self cost; cgw.ZERO_CALLS allows it
1 0 Writer.jump: target.fn and source.fn are in different objects
4 0 Profile.call: the fn of caller is not a handle of
1 0 Profile.stack: len(frames) is 0
1 0 Profile.merge: the numbers of events of both profiles differ: 1 and 2
4 0 Tracer.block: the fn of positions[0] is not a handle of
2 0 Tracer.yield_: the tracer has no resumer
15 0 Tracer.leave: counters[0] is 50, below its last value 100, in "cgw_cost() is NULL"; counters are running totals, not differences
1 0 Writer: file "100%": a "%" must be followed by "p", for
1 0 Writer.begin_part: events[1], "_x"
1 0 this Writer is closed
1 0 names is closed
1 0 other is closed
1 0 resumer is closed
1 0 this Profile is closed
2 0 Writer.finish: no part is open: call
END
python3 errors.py >log 2>&1
awk 'NR == FNR { begin[FNR] = $0; n = FNR; next }
  index ($0, begin[FNR]) == 1 { right++ }
  END { exit right != n || FNR != n }' expected log
result $? "errors are exceptions with the library's sentence" log

# Arguments of a wrong type, with their names.
cat >kinds.py <<'END'
import cgw
names = cgw.Names()
fn = names.add_fn("f")
f = cgw.Pos(fn)
w, p = cgw.Writer(names, "kinds"), cgw.Profile(names, 1)
t = cgw.Tracer(p)
w.begin_part(["A"])
def wrong(kind, sentence, function, *args, **members):
    try:
        function(*args, **members)
        print("no error instead of:", sentence)
    except kind as error:
        if not str(error).startswith(sentence):
            print(error)
text = " must be a list or another sequence, not str"
for begin in w.begin_part, lambda *a, **m: p.write(w, *a, **m), \
        lambda *a, **m: p.save("kinds", *a, **m):
    wrong(TypeError, "events" + text, begin, "us")
    wrong(TypeError, "events must be a list or", begin, b"us")
    wrong(TypeError, "events must be a list or", begin, {"A": 1})
    wrong(TypeError, "desc" + text, begin, ["A"], desc="hello")
    wrong(TypeError, "summary" + text, begin, ["A"], summary="12")
wrong(TypeError, "events[1] must be a name, or (name, long name[, formula]), "
      "not 5", w.begin_part, ["A", 5])
wrong(TypeError, "events[0] must be a name, or", w.begin_part, [tuple("ABCD")])
wrong(TypeError, "desc[0] must be str or bytes, not int", w.begin_part, ["A"],
      desc=[5])
wrong(TypeError, "cmd must be str or bytes, not list", w.begin_part, ["A"],
      cmd=["ls"])
wrong(ValueError, "summary[1] is -1: it must be between 0 and 2^64-1",
      w.begin_part, ["A", "B"], summary=[1, -1])
wrong(ValueError, "pid is -1", w.begin_part, ["A"], pid=-1)
for add in w.cost, p.cost:
    wrong(TypeError, "costs" + text, add, f, "1")
    wrong(TypeError, "costs must be a list or another sequence, not int",
          add, f, 1)
    wrong(TypeError, "costs must be a list or another sequence, not set",
          add, f, {1, 2})
    wrong(TypeError, "costs[0] must be an int, not float", add, f, [1.5])
    wrong(ValueError, "costs[0] is 18446744073709551616", add, f, [1 << 64])
    wrong(TypeError, "pos must be a cgw.Pos, not str", add, "main", [1])
    wrong(TypeError, "pos must be a cgw.Pos, not NoneType", add, None, [1])
for call in w.call, p.call:
    wrong(TypeError, "caller must be a cgw.Pos, not Fn", call, fn, f, 1, [1])
    wrong(TypeError, "callee must be a cgw.Pos, not Fn", call, f, fn, 1, [1])
    wrong(ValueError, "count is -1", call, f, f, -1, [1])
for jump in w.jump, lambda *a: w.cond_jump(*a, 1):
    wrong(TypeError, "source must be a cgw.Pos, not int", jump, 1, f, 1)
    wrong(TypeError, "target must be a cgw.Pos, not int", jump, f, 1, 1)
wrong(TypeError, "executed must be an int, not str", w.jump, f, f, "1")
wrong(ValueError, "followed is -1", w.cond_jump, f, f, -1, 1)
wrong(TypeError, "frames must be a list or another sequence, not Pos",
      p.stack, f, [1])
wrong(TypeError, "frames[1] must be a cgw.Pos, not Fn", p.stack, [f, fn], [1])
wrong(TypeError, "root must be a cgw.Fn, not Pos", p.set_root, f)
wrong(TypeError, "other must be a cgw.Profile, not Writer", p.merge, w)
wrong(TypeError, "writer must be a cgw.Writer, not str", p.write, "x", ["A"])
wrong(TypeError, "memoryview: a bytes-like object is required", p.unpack, "x")
wrong(TypeError, "counters" + text, t.enter, f, "1")
wrong(ValueError, "len(counters) is 2, but n_counters is 1", t.enter, f,
      [1, 2])
wrong(TypeError, "callee must be a cgw.Pos, not Fn", t.enter, fn, [1])
wrong(TypeError, "at must be a cgw.Pos, not Fn", t.enter, f, [1], at=fn)
wrong(TypeError, "at must be a cgw.Pos, not NoneType", t.edge, None, f)
wrong(TypeError, "edge must be a cgw.Edge, not Pos", t.enter_edge, f, [1])
wrong(TypeError, "callee must be a cgw.Pos, not Fn", t.tail, fn, [1])
wrong(TypeError, "pos must be a cgw.Pos, not Fn", t.move, fn, [1])
wrong(TypeError, "pos must be a cgw.Pos, not Fn", t.cost, [1], fn)
wrong(TypeError, "positions[0] must be a cgw.Pos, not Fn", t.block, [fn], [1],
      [1])
wrong(TypeError, "resumer must be a cgw.Tracer, not Profile", t.resume,
      p, [1])
wrong(TypeError, "names must be a cgw.Names, not str", cgw.Writer, "x", names)
wrong(ValueError, "file is -1", cgw.Writer, names, -1)
wrong(TypeError, "creator must be str or bytes, not int", cgw.Writer, names,
      "kinds", creator=5)
wrong(TypeError, "names must be a cgw.Names, not Writer", cgw.Profile, w, 1)
wrong(TypeError, "profile must be a cgw.Profile, not Writer", cgw.Tracer, w)
wrong(TypeError, "fn must be a cgw.Fn, not str", cgw.Pos, "main", 3)
wrong(TypeError, "file must be a cgw.File, not str", cgw.Pos, fn, 3, "a.c")
wrong(TypeError, "file must be a cgw.File, not str", names.add_fn, "f", "a.c")
wrong(TypeError, "name must be str or bytes, not int", names.add_file, 5)
w.finish()
END
python3 kinds.py >log 2>&1 && test ! -s log
result $? "arguments of a wrong type are refused by name" log

# A Writer that nobody finished.
cat >alone.py <<'END'
import os
import sys
import warnings
import cgw
names = cgw.Names()
f = cgw.Pos(names.add_fn("f"))
def write(path, *costs):
    w = cgw.Writer(names, path)
    w.begin_part(["A"])
    for cost in costs:
        try:
            w.cost(f, cost)
        except cgw.Error:
            pass
    return w
def warned(function):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function()
    return [(w.category.__name__, str(w.message)) for w in seen]
assert warned(lambda: write("deleted", [1])) == [
    ("ResourceWarning", "the Writer of 'deleted' was not finished")]
assert warned(lambda: write("incomplete", [1], [1, 2])) == [
    ("RuntimeWarning", "the Writer of 'incomplete' was not finished, and the "
     "file is incomplete: Writer.cost: len(costs) is 2: the maximum is 1, the "
     "number of events that take costs here")]
assert warned(lambda: write("closed", [1]).close()) == []
assert warned(lambda: write("finished", [1]).finish()) == []
assert warned(lambda: write("salvaged", [1]).salvage()) == []
assert warned(lambda: cgw.Writer(names, "empty")) == []
cgw.Writer(names, "empty").close()
def refused():
    try:
        cgw.Writer(names, "no/such/out")
    except cgw.Error:
        pass
assert warned(refused) == []
try:
    write("raises", [1], [1, 2]).close()
    print("no error")
except cgw.Error as error:
    assert error.status == cgw.Status.ECOSTS
w = write("at-exit", [1])
loop = [write("in-a-cycle", [1])]
loop.append(loop)
sys.stdout.flush()
if os.fork() == 0:
    w.cost  # a child's copy has nothing to end
    del loop
    sys.exit(0)
assert os.wait()[1] == 0
END
python3 -X dev alone.py >out 2>log; status=$?
test $status = 0 && test ! -s out && test "$(grep -c "Warning: the Writer" log)" = 2 \
  && grep -q "ResourceWarning: the Writer of 'at-exit' was not finished" log \
  && grep -q "ResourceWarning: the Writer of 'in-a-cycle' was not" log
result $? "a Writer that nobody finished warns" log
cat >many.py <<'END'
import cgw
writers = [cgw.Writer(cgw.Names(), 1) for _ in range(2000)]
writers[0].begin_part(["A"])
END
python3 many.py >out 2>log && test ! -s log && grep -q '^totals: 0$' out
result $? "thousands of Writers that nobody finished" log
for file in deleted incomplete closed at-exit in-a-cycle; do
  "$cgread" --dump "$file" | grep '^cost	.*	1$' || echo "$file"
done >log 2>&1
test "$(grep -c '^cost' log)" = 5 && test "$(wc -l <log)" = 5 \
  && grep -q '^totals: 1$' at-exit
result $? "and its file is complete" log

# Objects may be freed in any order, also by Python's collector of cycles.
cat >lives.py <<'END'
import gc
import cgw
names = cgw.Names()
f = cgw.Pos(names.add_fn("f"))
w, p = cgw.Writer(names, "lives"), cgw.Profile(names, 1)
t = cgw.Tracer(p)
names.close()
t.enter(f, [0])
t.leave([5])
p.write(w, ["A"])
w.finish()
p.close()
for function in (lambda: t.leave([6]), lambda: p.total(),
                 lambda: names.add_fn("g")):
    try:
        function()
        print("done")
    except cgw.Error as error:
        assert error.status == cgw.Status.EINVAL
t.close()
for i in range(20):
    p = cgw.Profile(cgw.Names(), 1)
    p.cycle = [cgw.Tracer(p), cgw.Tracer(p)]
    del p
    gc.collect()
cgw.Tracer.__new__(cgw.Tracer).close()
END
MALLOC_PERTURB_=85 python3 lives.py >log 2>&1 && test ! -s log \
  && "$cgread" --dump lives | grep -q '^cost	.*	5$'
result $? "objects are freed in any order" log

# What is closed while it is used: by another thread, or in a visit.
cat >used.py <<'END'
import os, sys, threading
import cgw
sys.setswitchinterval(1e-5)
def beside(use, close):
    ready = threading.Event()
    def run():
        try:
            while True:
                use()
                ready.set()
        except cgw.Error:
            pass
    threads = [threading.Thread(target=run) for _ in range(3)]
    for t in threads:
        t.start()
    ready.wait()
    close()
    for t in threads:
        t.join()
for i in range(40):
    names = cgw.Names()
    pos = cgw.Pos(names.add_fn("f"), 1)
    w = cgw.Writer(names, "/dev/null", cgw.THREADS | cgw.WAIT)
    w.begin_part(["A"])
    beside(lambda: w.cost(pos, [1]), w.close)
    beside(lambda: names.add_file("x\n" + "y" * 3000), names.close)
names = cgw.Names()
f, g = (cgw.Pos(names.add_fn(name), 1) for name in "fg")
p = cgw.Profile(names, 1)
try:
    p.cost(f, [1])
    p.visit(cost=lambda *_: p.close())
    print("a profile was closed")
except cgw.Error as error:
    assert error.status == cgw.Status.EBUSY, error
visit = cgw._lib.cgw_profile_visit
def interrupted(*arguments):
    visit(*arguments)
    raise KeyboardInterrupt
cgw._lib.cgw_profile_visit = interrupted
try:
    with cgw.Profile(names, 1) as interrupted_profile:
        interrupted_profile.visit()
except KeyboardInterrupt:
    cgw._lib.cgw_profile_visit = visit
w = cgw.Writer(names, "unended")
w.close()
assert not any(os.path.samefile("/proc/self/fd/" + fd, "unended")
               for fd in os.listdir("/proc/self/fd")
               if os.path.exists("/proc/self/fd/" + fd))
t = cgw.Tracer(p)
t.enter(f, [1])
t.enter(g, [2])
def drop(*_):
    global t
    t = None
p.visit(cost=drop)
p.clear()
p.visit(call=lambda *call: print("an open call:", call[2:]))
END
python3 used.py >log 2>&1 && test ! -s log
result $? "objects are closed while they are used" log

python3 "$source/examples/profile.py" -o no/such/out "$program" x >out 2>log
test $? = 1 && test "$(wc -l <log)" = 1 && grep -q '^profile.py: .*no/such' log
result $? "the lesson reports a profile that cannot be written" log
done_testing
