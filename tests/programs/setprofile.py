# setprofile.py - a tracer on Python's sys.setprofile: writes
# callgrind.out.python, and prints the calls and costs that the program counts
# itself.
# SPDX-License-Identifier: MIT
import collections
import math
import sys

import cgw

names = cgw.Names()
profile = cgw.Profile(names, 1)
tracer = cgw.Tracer(profile)
positions = {}


def position(name, path, line):
    if (name, line) not in positions:
        fn = names.add_fn(name, names.add_file(path))
        positions[name, line] = cgw.Pos(fn, line)
    return positions[name, line]


# The counter is the sum of the costs that the program has counted.  The tag of
# a call is its frame, or 0 for C functions, which have none.
def hook(frame, event, arg):
    now = [sum(costs.values())]
    if event == "call":
        code = frame.f_code
        callee = position(code.co_name, code.co_filename, code.co_firstlineno)
        tracer.enter(callee, now, id(frame))
    elif event == "c_call":
        tracer.enter(position(arg.__name__, None, 0), now)
    else:  # return, c_return, c_exception: always of the innermost call
        innermost = tracer.tag(tracer.depth())
        if innermost != (id(frame) if event == "return" else 0):
            sys.exit("setprofile.py: %s of another call" % event)
        tracer.leave(now)


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


sys.setprofile(hook)
main()
sys.setprofile(None)  # is called, and does not return
if tracer.depth() != 1:
    sys.exit("setprofile.py: calls are open")
tracer.end([sum(costs.values())])
with cgw.Writer(names, "callgrind.out.python") as writer:
    profile.write(writer, ["Cost"])
for edge, count in calls.items():
    print("call", edge, count)
for function, cost in costs.items():
    print("cost", function, cost)
