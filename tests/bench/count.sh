#!/bin/sh
# count.sh - instructions, counted by valgrind's callgrind inside the functions
# counted_records and counted_steps.
# SPDX-License-Identifier: MIT
#
# Usage: count.sh PROGRAM ARGUMENT...  The program prints a line "replay NUMBER
# NAME..." for each replay; this prints "count TOTAL NUMBER NAME...", for
# report.awk.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Each time that such a function returns, callgrind dumps: count.1, count.2, ...
# (It takes a pattern for where to collect, not for where to dump.)
if ! valgrind --tool=callgrind --toggle-collect='counted_*' \
    --dump-after=counted_records --dump-after=counted_steps \
    --callgrind-out-file="$dir/count" "$@" >"$dir/replays" 2>"$dir/log"; then
  cat "$dir/log" >&2
  exit 1
fi

i=0
while read -r _ n name; do
  i=$((i + 1))
  total=$(sed -n 's/^totals: *//p' "$dir/count.$i")
  test "${total:-0}" -gt 0 || exit 1
  echo "count $total $n $name"
done <"$dir/replays"
