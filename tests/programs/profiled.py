# profiled.py - counts its own calls, and the ticks of a clock that it advances
# itself, for tests of profilers:
#   python3 profiled.py WORD
# prints "call CALLER CALLEE COUNT", "cost FUNCTION TICKS", and WORD; its status
# is 3.  Functions that share a name are told apart by their first line.
# SPDX-License-Identifier: MIT
import sys

calls = {}
costs = {}
clock = [0]


# A piece of each function: a function for it would be called, too.
STEP = """
calls[caller, me] = calls.get((caller, me), 0) + 1
costs[me] = costs.get(me, 0) + ticks
clock[0] += ticks
"""


def define(me, function, name, ticks, body):
    # As if it stood in this file, 100 lines behind the one before.
    shared["line"] += 100
    source = "\n" * (shared["line"] - 1) + "def %s:\n" % function
    for line in ["me, ticks = %r, %d" % (me, ticks)] + STEP.split("\n"):
        source += "    %s\n" % line
    exec(compile(source + "    " + body, __file__, "exec"), shared)
    made = shared[function.split("(")[0]]
    made.__code__ = made.__code__.replace(co_name=name)


shared = {"calls": calls, "costs": costs, "clock": clock, "line": 0}

define("fib", "fib(caller, n)", "fib", 3,
       "return n if n < 2 else fib(me, n - 1) + fib(me, n - 2)")
define("even", "even(caller, n)", "even", 5,
       "return n == 0 or odd(me, n - 1)")
define("odd", "odd(caller, n)", "odd", 7,
       "return n != 0 and even(me, n - 1)")
define("same:400", "same_a(caller)", "same", 11, "return fib(me, 4)")
define("same:500", "same_b(caller)", "same", 13, "return even(me, 9)")
define("(1) od\\x0ad \u00e9", "strange(caller)", "(1) od\nd \u00e9", 17,
       "same_a(me); same_b(me); return odd(me, 4)")


def main():
    caller = "main"
    calls["<module>", "main"] = 1
    costs["main"] = 19
    clock[0] += 19
    fib = shared["fib"]
    fib(caller, 10)
    for _ in range(3):
        shared["strange"](caller)
    shared["same_b"](caller)


main()
for (caller, callee), count in calls.items():
    print("call", caller, callee, count, sep="\t")
for name, ticks in costs.items():
    print("cost", name, ticks, sep="\t")
print(sys.argv[1])
sys.exit(3)
