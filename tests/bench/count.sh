#!/bin/sh
# count.sh - instructions per cost line, counted by valgrind's callgrind inside
# the function bench_replay.
# SPDX-License-Identifier: MIT
#
# Usage: count.sh BENCH PROFILE.  Prints a table and figures.  From the
# environment: AWK.

bench=$1
profile=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Each time that bench_replay returns, callgrind dumps: count.1, count.2, ...
if ! valgrind --tool=callgrind --toggle-collect=bench_replay \
    --dump-after=bench_replay --callgrind-out-file="$dir/count" \
    "$bench" --count "$profile" >"$dir/replays" 2>"$dir/log"; then
  cat "$dir/log" >&2
  exit 1
fi

i=0
while read -r replay lines contender configuration; do
  i=$((i + 1))
  total=$(sed -n 's/^totals: *//p' "$dir/count.$i")
  echo "$configuration $contender $lines ${total:?no such dump}"
done <"$dir/replays" >"$dir/totals" || exit 1

"$AWK" '
  function figure(name, value) {
    figures = figures sprintf("figure %s %.6g\n", name, value)
  }
  $1 == "steps" {
    n = ++seen[$2]
    lines[n] = $3
    total[$2, n] = $4
    next
  }
  $1 != last {
    printf "\ninstructions per cost line, %s\n", $1
    last = $1
  }
  {
    per_line = $4 / $3
    if ($2 != "replay")
      printf "  %-18s %9.1f\n", $2, per_line
    else
      printf "  %-18s %9.1f (which all of these include)\n", $2, per_line
    figure("instructions_" $2 "_" $1, per_line)
  }
  END {
    if (seen["libcgw"] != 2 || seen["replay"] != 2)
      exit 1
    more = lines[2] - lines[1]
    replay = (total["replay", 2] - total["replay", 1]) / more
    libcgw = (total["libcgw", 2] - total["libcgw", 1]) / more
    printf "\ninstructions per pure cost line: %.1f, and %.1f in the replay\n\n",
           libcgw - replay, replay
    figure("instructions_pure", libcgw - replay)
    figure("instructions_pure_replay", replay)
    printf "%s", figures
  }' "$dir/totals" >"$dir/table" || exit 1
cat "$dir/table"
# The whole workload, without the replay.
"$AWK" '$2 == "instructions_libcgw_instr_line_13" { libcgw = $3 }
  $2 == "instructions_replay_instr_line_13" { replay = $3 }
  END { printf "figure instructions_workload_13 %.6g\n", libcgw - replay
        printf "figure instructions_workload_13_replay %.6g\n", replay }' \
  "$dir/table"
