# targets.awk - compares figures with what they are to reach.
# SPDX-License-Identifier: MIT
#
# Usage: awk -f targets.awk targets FIGURES

# "-" is a target that nothing reaches.
function reaches(value, target) {
  return target != "-" && (way[i] == "more" ? value >= target \
                                            : value <= target)
}

FNR == NR {
  if ($0 !~ /^#/ && NF == 4) {
    n++
    name[n] = "^" $1 "$"
    way[n] = $2
    must[n] = $3
    reach[n] = $4
  }
  next
}

$1 == "figure" {
  for (i = 1; i <= n; i++)
    if ($2 ~ name[i]) {
      if (!rows++)
        printf "\n%-42s %6s %6s %9s  %s\n", "figure", "must", "reach", \
               "measured", "met?"
      printf "%-42s %6s %6s %9.3g  %s\n", $2, must[i], reach[i], $3, \
             reaches($3, reach[i]) ? "reached" \
             : reaches($3, must[i]) ? "yes" : "NO"
    }
}

END { exit rows == 0 }
