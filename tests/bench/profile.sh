#!/bin/sh
# profile.sh - makes the real profile that the benchmark replays, with
# valgrind's callgrind, unless it is there already.
# SPDX-License-Identifier: MIT
#
# Usage: profile.sh OUT.  The program is python3 with some of its own modules.

out=$1
test ! -s "$out" || exit 0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# python3 itself, not a script that looks for one.
python=$(python3 -c 'import sys; print(sys.executable)') || exit 1

echo "bench: making a profile with callgrind" >&2
if ! PYTHONHASHSEED=0 valgrind --tool=callgrind --dump-instr=yes --cache-sim=yes \
  --branch-sim=yes --callgrind-out-file="$dir/profile" \
  "$python" -S -s -B -c '
import argparse, json, random, re
random.seed(1)
numbers = {str(i): [random.random(), i] for i in range(300)}
json.loads(json.dumps(numbers))
re.findall(r"(\w+)\s(a|b)*", "hello world " * 50)
' 2>"$dir/log"; then
  cat "$dir/log" >&2
  exit 1
fi
mv "$dir/profile" "$out"
