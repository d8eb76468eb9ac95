#!/bin/sh
# profile.sh - makes the real profile that the benchmark replays, with
# valgrind's callgrind, unless it is there already.
# SPDX-License-Identifier: MIT
#
# Usage: profile.sh OUT.  From the environment: srcdir, CC.
#
# The program is python3 with some of its own modules, or else the compiler on
# a file of the library: whichever comes to enough cost lines first.

enough=100000
out=$1
test ! -s "$out" || exit 0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

if ! command -v valgrind >/dev/null; then
  echo "bench: valgrind is missing: it makes the profile" >&2
  exit 1
fi

cost_lines () { grep -c '^[0-9+*-]' "$1"; }

# try COMMAND...: the profile of the command, or of that child of it which has
# the largest; succeeds if it is large enough.
try () {
  rm -f "$dir"/profile.*
  valgrind --tool=callgrind --dump-instr=yes --cache-sim=yes \
    --branch-sim=yes --trace-children=yes \
    --callgrind-out-file="$dir/profile.%p" "$@" >"$dir/log" 2>&1 \
    || return 1
  # shellcheck disable=SC2012 # the names are ours
  largest=$(ls -S "$dir"/profile.* | head -n 1)
  test "$(cost_lines "$largest")" -ge "$enough" || return 1
  mv "$largest" "$out"
}

# python3 itself, not a script that looks for one.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
PYTHONHASHSEED=0
export PYTHONHASHSEED

echo "bench: making a profile with callgrind" >&2
{ test -n "$python" && try "$python" -S -s -B -c '
import argparse, json, random, re
random.seed(1)
numbers = {str(i): [random.random(), i] for i in range(300)}
json.loads(json.dumps(numbers))
re.findall(r"(\w+)\s(a|b)*", "hello world " * 50)
'; } || try "$CC" -O0 -I "$srcdir/include" -S -o /dev/null \
          "$srcdir/lib/names/names.c" || {
  echo "bench: no program came to $enough cost lines" >&2
  cat "$dir/log" >&2
  exit 1
}
