#!/bin/sh
# count.sh - instructions per cost at a known position, per known stack and
# per call, counted by valgrind's callgrind inside the functions profile_replay_*.
# SPDX-License-Identifier: MIT
#
# Usage: count.sh PROFILE, the program.  Prints a table and figures.  From the
# environment: AWK.

profile=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Each time that such a function returns, callgrind dumps: count.1, count.2, ...
# (It takes a pattern for where to collect, not for where to dump.)
if ! valgrind --tool=callgrind --toggle-collect='profile_replay_*' \
    --dump-after=profile_replay_costs --dump-after=profile_replay_stacks \
    --dump-after=profile_replay_calls \
    --callgrind-out-file="$dir/count" "$profile" --count \
    >"$dir/replays" 2>"$dir/log"; then
  cat "$dir/log" >&2
  exit 1
fi

i=0
while read -r _ n name; do
  i=$((i + 1))
  total=$(sed -n 's/^totals: *//p' "$dir/count.$i")
  echo "$name $n ${total:?no such dump}"
done <"$dir/replays" >"$dir/totals" || exit 1

# Of each the first replay made all known; the others differ in their length.
# The functions that do nothing show what the replay takes.
"$AWK" '
  function each(name) {
    return (total[name, 3] - total[name, 2]) / (n[name, 3] - n[name, 2])
  }
  { seen[$1]++; n[$1, seen[$1]] = $2; total[$1, seen[$1]] = $3 }
  END {
    if (seen["cost"] != 3 || seen["stack"] != 3 || seen["edge_pair"] != 3)
      exit 1
    cost = each("cost") - each("nothing_cost")
    stack = each("stack") - each("nothing_stack")
    pair = each("pair") - each("nothing_pair")
    edge_pair = each("edge_pair") - each("nothing_pair")
    printf "\ninstructions per\n"
    printf "  cost at a known position %8.1f\n", cost
    printf "  known stack of 30 frames %8.1f\n", stack
    printf "  call entered and left    %8.1f\n", pair
    printf "  the same by its edge     %8.1f\n", edge_pair
    printf "figure profile_instructions_cost %.6g\n", cost
    printf "figure profile_instructions_stack %.6g\n", stack
    printf "figure tracer_instructions_pair %.6g\n", pair
    printf "figure tracer_instructions_edge_pair %.6g\n", edge_pair
  }' "$dir/totals"
