#!/bin/sh
# lib/cgw.py and examples/profile.py: a Python program counts its own calls, and
# the ticks of its own clock.  The profile must have the same.
# SPDX-License-Identifier: MIT

build=$(cd "${builddir-.}" && pwd -P)
source=$(cd "${srcdir-.}" && pwd -P)
cgread=$build/tests/support/cgread
program=$source/tests/programs/profiled.py
. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/python.sh"
PYTHONIOENCODING=utf-8
LC_ALL=C
export PYTHONIOENCODING LC_ALL
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
echo 1..15

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
        p.merge(other)
        p.unpack(other.pack())
        assert other.total() == [7, 7], other.total()
        t = cgw.Tracer(p, 1, root.fn)
        t.enter(f, [0], 11)
        edge = t.edge(f, g)
        t.enter_edge(edge, [1], 12)
        assert (t.depth(), t.tag(1), t.tag(2), t.tag(3)) == (2, 11, 12, 0)
        t.tail(f, [3], 13)
        t.cost([20])
        t.cost([40], f)
        t.move(g, [7])
        t.pause([15])
        t.resume([100])
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
            coroutine.resume_from(t, [596])
            coroutine.enter(f, [596])
            coroutine.yield_([596])
            coroutine.resume_from(t, [596], at=cgw.Pos(cgw.Fn(), 7))
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
        p.save("saved.%p", ["A", "B"], cmd="sums", thread=2)
        with open("saved.%d" % os.getpid()) as saved:
            text = saved.read()
        assert "summary: %d %d\n" % tuple(p.total()) in text
        try:
            p.save("no/such/out", ["A", "B"])
        except cgw.Error as error:
            assert error.status == cgw.Status.EIO
            assert "cgw_profile_save: path" in str(error), error
        t.end([700])
        stats = w.stats(2)
        assert stats.recorded_costs == [p.total()[0] - 104, p.total()[1]]
        assert stats.lost == 0 and stats.lost_costs == [0, 0]
        assert stats.recorded > 3
        assert w.error() is p.error() is t.error() is names.error() is None
    w.jump(f, f, 5)
    w.cond_jump(f, f, 6, 7)
    w.flush()
    w.finish()
    w.recreate("again")
    w.begin_part(["A"])
    w.finish()
    w.reset(os.open("reset", os.O_WRONLY | os.O_CREAT))
    w.begin_part(["A"])
    w.cost(f, [1])
    w.salvage()
    w.finish()
assert cgw.strerror(cgw.Status.OK) == "success"
END
python3 sums.py >log 2>&1 && test ! -s log && "$cgread" --dump sums >dump.sums \
  && "$cgread" --dump again >dump.again && "$cgread" --dump reset >>dump.again \
  && grep -q '^cost	.*	1$' dump.again \
  && awk -F '\t' '
    $1 == "cost" { print $4, $7, $8 }
    $1 == "call" { split ($13, c, " "); print $4, $7, $10, c[1], c[2], c[3] }
    $1 ~ /^j/ { print "jump", $4, $10 }' dump.sums | sort >got
cat >expected <<'END'
f 1 143 60
f 1 f 1 0 0
f 1 g 24 308 19
g 2 392 14
g 2 f 2 0 0
g 2 g 1 0 0
g 7 f 1 0 0
jump f f
jump f f
r 0 f 19 525 74
END
diff expected got >>log
result $? "sums, tracers, the next files" log

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
assert len(constants) == 13
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
assert len(structs) == 10
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
w = cgw.Writer(names, "wrong")
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
sentence(t.resume, [0])
sentence(names.add_fn, "f", cgw.File(1 << 31))
for incomplete in w, p, t, names:
    show(incomplete.error())
sentence(w.finish)
w.finish()
sentence(cgw.Writer(cgw.Names(), "nothing").finish)
END
cat >expected <<'END'
7 2 cgw_create: path "no/such/out"
1 0 cgw_begin_part: part.events[0].name, "wall time"
5 0 cgw_cost: n is 2
1 0 cgw_profile_new: n_events is 0
5 0 cgw_profile_cost: n is 3
16 0 cgw_profile_unpack: 
1 0 cgw_profile_write: part.events: the profile has 1 event
1 0 cgw_tracer_new: options.n_counters is 2
14 0 cgw_tracer_leave: no call is open
2 0 cgw_tracer_resume: the tracer is not paused
4 0 cgw_add_fn_n, "f": file is a handle of another names object
1 0 cgw_begin_part: part.events[0].name, "wall time"
5 0 cgw_profile_cost: n is 3
14 0 cgw_tracer_leave: no call is open
4 0 cgw_add_fn_n, "f": file is a handle of another names object
1 0 cgw_begin_part: part.events[0].name, "wall time"
2 0 cgw_finish: the file has no part
END
python3 errors.py >log 2>&1
awk 'NR == FNR { begin[FNR] = $0; n = FNR; next }
  index ($0, begin[FNR]) == 1 { right++ }
  END { exit right != n || FNR != n }' expected log
result $? "errors are exceptions with the library's sentence" log

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

python3 "$source/examples/profile.py" -o no/such/out "$program" x >out 2>log
test $? = 1 && test "$(wc -l <log)" = 1 && grep -q '^profile.py: .*no/such' log
result $? "the lesson reports a profile that cannot be written" log
test $failures = 0
