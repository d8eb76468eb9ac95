# count.awk - instructions as tables and figures.
# SPDX-License-Identifier: MIT
#
# Reads what count.sh prints: "TOTAL LINES CONTENDER CONFIGURATION" of bench,
# "TOTAL NUMBER NAME" of profile.

function figure(name, value) {
  figures = figures sprintf("figure %s %.6g\n", name, value)
}

# Of two lengths, the difference is free of what comes once.
function each(name, first) {
  if (seen[name] != first + 1)
    failed = 1
  return (total[name, first + 1] - total[name, first]) \
         / (n[name, first + 1] - n[name, first])
}

function row(title, name, nothing, prefix, value) {
  value = each(name, 2) - each(nothing, 2)
  printf "  %-24s %8.1f\n", title, value
  figure(prefix, value)
}

NF == 3 || $4 == "steps" {
  seen[$3]++
  total[$3, seen[$3]] = $1
  n[$3, seen[$3]] = $2
  next
}

$4 != last {
  printf "\ninstructions per cost line, %s\n", $4
  last = $4
}

{
  per_line[$3, $4] = $1 / $2
  printf "  %-18s %9.1f%s\n", $3, $1 / $2, \
         $3 == "replay" ? " (which all of these include)" : ""
  figure("instructions_" $3 "_" $4, $1 / $2)
}

END {
  if (last != "") {
    replay = each("replay", 1)
    pure = each("libcgw", 1) - replay
    printf "\ninstructions per pure cost line: %.1f, and %.1f in the replay\n", \
           pure, replay
    figure("instructions_pure", pure)
    figure("instructions_pure_replay", replay)
    replay = per_line["replay", "instr_line_13"]
    figure("instructions_workload_13", \
           per_line["libcgw", "instr_line_13"] - replay)
    figure("instructions_workload_13_replay", replay)
  }
  else {
    # The first replay of each made all known.
    print "\ninstructions per"
    row("cost at a known position", "cost", "nothing_cost",
        "profile_instructions_cost")
    row("known stack of 30 frames", "stack", "nothing_stack",
        "profile_instructions_stack")
    row("call entered and left", "pair", "nothing_pair",
        "tracer_instructions_pair")
    row("the same by its edge", "edge_pair", "nothing_pair",
        "tracer_instructions_edge_pair")
    row("known file and function", "names_pair", "names_nothing",
        "names_instructions_pair")
    row("enter and leave, beside", "names_events", "names_nothing",
        "names_instructions_events")
    row("position of a run", "passed_run", "passed_nothing",
        "passed_instructions_run")
    row("position moved to, cost", "passed_moves", "passed_nothing",
        "passed_instructions_moves")
  }
  printf "\n%s", figures
  exit failed
}
