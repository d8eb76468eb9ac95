# profile.py - run a Python program under cProfile, and write its calls and
# times for KCachegrind and callgrind_annotate:
#   python3 profile.py [-o OUT] SCRIPT [ARG...]
# OUT is callgrind.out.PID, if it is not given.  The module cgw must be in
# PYTHONPATH: "pkg-config --variable=pythondir cgw" prints its folder.  Threads
# that the script starts are not counted: cProfile sees the one that it was
# started in.
# SPDX-License-Identifier: MIT
import os
import sys

# This file's folder is not the script's; and cProfile imports a module named
# like this file.
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [p for p in sys.path if os.path.abspath(p) != here]

import argparse  # noqa: E402
import cProfile  # noqa: E402
import types  # noqa: E402

import cgw  # noqa: E402

parser = argparse.ArgumentParser(description="Profile a Python script.")
parser.add_argument("-o", dest="out", metavar="OUT", help="the profile")
parser.add_argument("script", metavar="SCRIPT")
parser.add_argument("args", metavar="ARG", nargs=argparse.REMAINDER)
options = parser.parse_args()
out = options.out or "callgrind.out.%p"

try:
    with open(options.script, "rb") as file:
        code = compile(file.read(), options.script, "exec")
except (OSError, SyntaxError, ValueError) as error:
    sys.exit("profile.py: %s" % error)

# The script finds itself where it would be without this file.
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
