# setprofile.py - a tracer on Python's sys.setprofile:
#   python3 setprofile.py libcgw.so
# writes callgrind.out.python, and prints the calls and costs that the program
# counts itself.
# SPDX-License-Identifier: MIT
import collections
import ctypes
import math
import sys
from ctypes import c_char_p, c_size_t, c_uint32, c_uint64, c_void_p


class Handle(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class Pos(ctypes.Structure):
    _fields_ = [("fn", Handle), ("file", Handle), ("line", c_uint32),
                ("instr", c_uint64)]


class Event(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("long_name", c_char_p),
                ("formula", c_char_p)]


class Part(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("events", ctypes.POINTER(Event)),
                ("n_events", c_size_t), ("positions", ctypes.c_uint),
                ("pid", c_uint64), ("part", c_uint64), ("thread", c_uint64),
                ("cmd", c_char_p), ("desc", c_void_p), ("n_desc", c_size_t),
                ("summary", c_void_p), ("n_summary", c_size_t)]


cgw = ctypes.CDLL(sys.argv[1])
cgw.cgw_add_file.restype = Handle
cgw.cgw_add_file.argtypes = [c_void_p, c_char_p]
cgw.cgw_add_fn.restype = Handle
cgw.cgw_add_fn.argtypes = [c_void_p, c_char_p, Handle, Handle]
cgw.cgw_tracer_depth.restype = c_size_t
cgw.cgw_tracer_tag.restype = c_uint64
cgw.cgw_tracer_tag.argtypes = [c_void_p, c_size_t]
cgw.cgw_tracer_enter.argtypes = [c_void_p, c_void_p, c_void_p, c_uint64,
                                 c_void_p]
writer, profile, tracer = c_void_p(), c_void_p(), c_void_p()
positions = {}


def check(status):
    if status != 0:
        sys.exit("setprofile.py: status %d" % status)


def position(name, path, line):
    if (name, line) not in positions:
        file = cgw.cgw_add_file(writer, path and path.encode())
        fn = cgw.cgw_add_fn(writer, name.encode(), file, Handle())
        positions[name, line] = Pos(fn=fn, line=line)
    return ctypes.byref(positions[name, line])


# The counter is the sum of the costs that the program has counted.  The tag of
# a call is its frame, or 0 for C functions, which have none.
def hook(frame, event, arg):
    now = ctypes.byref(c_uint64(sum(costs.values())))
    if event == "call":
        code = frame.f_code
        callee = position(code.co_name, code.co_filename, code.co_firstlineno)
        check(cgw.cgw_tracer_enter(tracer, None, callee, id(frame), now))
    elif event == "c_call":
        callee = position(arg.__name__, None, 0)
        check(cgw.cgw_tracer_enter(tracer, None, callee, 0, now))
    else:  # return, c_return, c_exception: always of the innermost call
        innermost = cgw.cgw_tracer_tag(tracer, cgw.cgw_tracer_depth(tracer))
        if innermost != (id(frame) if event == "return" else 0):
            sys.exit("setprofile.py: %s of another call" % event)
        check(cgw.cgw_tracer_leave(tracer, now))


# The program's own count: of "CALLER CALLEE", and of each function's cost.  No
# function does that, for its calls would count.
calls, costs = collections.defaultdict(int), collections.defaultdict(int)


def fib(n):
    costs["fib"] += 1
    if n < 2:
        return n
    calls["fib fib"] += 2
    return fib(n - 1) + fib(n - 2)


# Each time that a generator goes on is a call, and each yield a return.
def numbers(caller, n):
    calls[caller + " numbers"] += 1
    for i in range(n):
        costs["numbers"] += 1
        yield i
        calls[caller + " numbers"] += 1


def delegate(caller):
    calls[caller + " delegate"] += 4
    yield from numbers("delegate", 3)
    costs["delegate"] += 1


def careful():
    calls["next careful"] += 1
    try:
        yield
    except KeyError:
        calls["throw careful"] += 1
        costs["careful"] += 10
    try:
        yield
    except GeneratorExit:
        calls["close careful"] += 1
        costs["careful"] += 100
        raise


def generators():
    for i in numbers("generators", 5):
        costs["generators"] += i
    for i in delegate("generators"):
        costs["generators"] += i
    calls["generators sum"] += 2
    sum(numbers("sum", 4))
    sum(delegate("sum"))
    calls["generators next"] += 1
    generator = careful()
    next(generator)
    calls["generators throw"] += 1
    generator.throw(KeyError)
    calls["generators close"] += 1
    generator.close()


class Failure(Exception):
    def __init__(self):
        costs["__init__"] += 1


def fail(depth):
    costs["fail"] += 1
    try:
        if depth == 0:
            calls["fail __init__"] += 1
            raise Failure()
        calls["fail fail"] += 1
        fail(depth - 1)
    finally:
        costs["fail"] += 10


def key(value):
    calls["sorted key"] += 1
    costs["key"] += value
    if value == 4:
        calls["key fail"] += 1
        fail(2)
    return -value


def c_functions():
    calls["c_functions len"] += 1
    costs["c_functions"] += len("twelve")
    calls["c_functions sorted"] += 2
    sorted([1, 2, 3], key=key)
    try:
        sorted([3, 4, 5], key=key)
    except Failure:
        costs["c_functions"] += 1
    calls["c_functions sqrt"] += 2
    math.sqrt(4)
    try:
        math.sqrt(-1)
    except ValueError:
        costs["c_functions"] += 1
    calls["c_functions pop"] += 1
    try:
        [].pop()
    except IndexError:
        costs["c_functions"] += 1


def main():
    costs["main"] += 1
    calls["main fib"] += 1
    fib(10)
    calls["main generators"] += 1
    generators()
    calls["main c_functions"] += 1
    c_functions()
    calls["main fail"] += 1
    try:
        fail(3)
    except Failure:
        costs["main"] += 1


part = Part(size=ctypes.sizeof(Part), events=ctypes.pointer(Event(b"Cost")),
            n_events=1)
check(cgw.cgw_create(ctypes.byref(writer), b"callgrind.out.python", None))
check(cgw.cgw_profile_new(ctypes.byref(profile), writer, c_size_t(1), 0))
check(cgw.cgw_tracer_new(ctypes.byref(tracer), profile, None))
sys.setprofile(hook)
main()
sys.setprofile(None)  # is called, and does not return
if cgw.cgw_tracer_depth(tracer) != 1:
    sys.exit("setprofile.py: calls are open")
check(cgw.cgw_tracer_end(tracer, ctypes.byref(c_uint64(sum(costs.values())))))
check(cgw.cgw_profile_write(profile, ctypes.byref(part)))
check(cgw.cgw_finish(writer))
for edge, count in calls.items():
    print("call", edge, count)
for function, cost in costs.items():
    print("cost", function, cost)
cgw.cgw_tracer_free(tracer)
cgw.cgw_profile_free(profile)
cgw.cgw_free(writer)
