# profile.py - run a Python program under cProfile, and write its calls and
# times for KCachegrind and callgrind_annotate:
#   python3 profile.py [-o OUT] SCRIPT [ARG...]
# OUT is callgrind.out.PID by default.  PYTHONPATH must have the folder of the
# module cgw, which "pkg-config --variable=pythondir cgw" prints.  Threads that
# the script starts are not profiled: cProfile sees only the first thread.
# SPDX-License-Identifier: MIT
import os
import sys

# Remove this file's folder from the path: the script must not import from it,
# and cProfile must import the standard module profile, not this file.
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p) != here]

import argparse  # noqa: E402
import cProfile  # noqa: E402
import types  # noqa: E402

import cgw  # noqa: E402

parser = argparse.ArgumentParser(description="Profile a Python script.")
parser.add_argument("-o", dest="out", metavar="OUT",
                    help="the profile (default: callgrind.out.PID)")
parser.add_argument("script", metavar="SCRIPT")
parser.add_argument("args", metavar="ARG", nargs=argparse.REMAINDER)
options = parser.parse_args()
out = options.out or "callgrind.out.%d" % os.getpid()

try:
    with open(options.script, "rb") as file:
        code = compile(file.read(), options.script, "exec")
except (OSError, SyntaxError, ValueError) as error:
    sys.exit("profile.py: %s" % error)

# Give the script the sys.argv, sys.path and __main__ of a direct run.
sys.argv[:] = [options.script] + options.args
sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
main = types.ModuleType("__main__")
main.__file__ = options.script
main.__builtins__ = __builtins__
sys.modules["__main__"] = main

profiler = cProfile.Profile()
try:
    profiler.runctx(code, main.__dict__, main.__dict__)
finally:
    try:
        cgw.write_stats(profiler, out, cmd=" ".join(sys.argv))
    except cgw.Error as error:
        sys.exit("profile.py: %s" % error)
