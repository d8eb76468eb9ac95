# report.awk - the benchmark's tables and figures, and whether they reach what
# they are to reach.
# SPDX-License-Identifier: MIT
#
# Usage: awk -f report.awk targets VALUES.  The values:
#
#   group NAME BASE TITLE             a table; others are compared with BASE
#   row NAME TITLE                    in it
#   value GROUP ROW COLUMN MEDIAN [FIRST-QUARTILE THIRD-QUARTILE]
#   count INSTRUCTIONS NUMBER GROUP ROW
#
# Instructions are for one of NUMBER.  If there are several counts, those for the
# difference of the last two, which is free of what comes once.  Those of the
# row "nothing" are left out of the others'.
#
# A figure's name is GROUP.ROW.COLUMN; GROUP.ROW.COLUMN.times is its ratio to
# that of BASE.

function words(from, i, text) {
  for (i = from; i <= NF; i++)
    text = text (i > from ? " " : "") $i
  return text
}

function figure(name, value) {
  figures = figures sprintf("figure %s %.6g\n", name, value)
  names[++n_names] = name
  measured[name] = value
}

function cell(group, row, column, key, base, times) {
  key = group "." row "." column
  base = group "." base_of[group] "." column
  if (key in value)
    figure(key, value[key])
  if (key in value && base in value && value[base] > 0) {
    times = sprintf("%.2f", value[key] / value[base])
    figure(key ".times", value[key] / value[base])
  }
  printf " %8s", key in value ? sprintf("%.1f", value[key]) : ""
  if ((group, column) in has_spread)
    printf " %-14s", spread[key]
  printf " %5s", times
}

function instructions(group, row, key, n) {
  key = group "." row
  n = counts[key]
  return n > 1 ? (total[key, n] - total[key, n - 1]) \
                 / (number[key, n] - number[key, n - 1]) \
               : total[key, n] / number[key, n]
}

function table(group, i, k, row, own) {
  printf "\n%s\n", title[group]
  if (base_of[group] != "-")
    printf "(times: how many times as much as %s)\n", row_title[group, base_of[group]]
  printf "%-40s", ""
  for (i = 1; i <= n_columns[group]; i++) {
    printf " %8s", columns[group, i]
    if ((group, columns[group, i]) in has_spread)
      printf " %-14s", "(quartiles)"
    printf " %5s", base_of[group] != "-" ? "times" : ""
  }
  print group in has_counts ? "  instructions" : ""
  for (k = 1; k <= n_rows[group]; k++) {
    row = rows[group, k]
    printf "  %-38s", row_title[group, row]
    for (i = 1; i <= n_columns[group]; i++)
      cell(group, row, columns[group, i])
    if ((group "." row) in counts) {
      own = instructions(group, row)
      if (row != "nothing" && (group ".nothing") in counts)
        own -= instructions(group, "nothing")
      figure(group "." row ".instructions", own)
      printf " %13.1f", own
    }
    print ""
  }
}

# "-" is a target that nothing reaches.
function reaches(i, value, target) {
  return target != "-" && (way[i] == "more" ? value >= target \
                                            : value <= target)
}

function compare(i, k, name, rows) {
  for (k = 1; k <= n_names; k++)
    for (i = 1; i <= n_targets; i++) {
      name = names[k]
      if (name !~ ("^" target[i] "$"))
        continue
      if (!rows++)
        printf "\n%-42s %6s %6s %9s  %s\n", "figure", "must", "reach", \
               "measured", "met?"
      printf "%-42s %6s %6s %9.3g  %s\n", name, must[i], reach[i], \
             measured[name], \
             reaches(i, measured[name], reach[i]) ? "reached" \
             : reaches(i, measured[name], must[i]) ? "yes" : "NO"
    }
}

FNR == NR {
  if ($0 !~ /^#/ && NF == 4) {
    target[++n_targets] = $1
    way[n_targets] = $2
    must[n_targets] = $3
    reach[n_targets] = $4
  }
  next
}

$1 == "group" {
  group = groups[++n_groups] = $2
  base_of[group] = $3
  title[group] = words(4)
}

$1 == "row" {
  rows[group, ++n_rows[group]] = $2
  row_title[group, $2] = words(3)
}

$1 == "value" {
  key = $2 "." $3 "." $4
  value[key] = $5
  if (NF == 7) {
    spread[key] = sprintf("(%.1f-%.1f)", $6, $7)
    has_spread[$2, $4] = 1
  }
  if (!(($2, $4) in seen))
    columns[$2, ++n_columns[$2]] = $4
  seen[$2, $4] = 1
}

$1 == "count" {
  key = $4 "." $5
  total[key, ++counts[key]] = $2
  number[key, counts[key]] = $3
  has_counts[$4] = 1
}

END {
  for (i = 1; i <= n_groups; i++)
    table(groups[i])
  printf "\n%s", figures
  compare()
  exit n_names == 0
}
