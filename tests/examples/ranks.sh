#!/bin/sh
# examples/ranks.c, with each MPI that is here: the profile of all ranks has the
# calls and steps that awk counts, and times that add up.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder:
# tests/support/cgread, .libs/libcgw.*.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
source=$(cd "${srcdir-.}" && pwd -P)/examples/ranks.c
. "${srcdir-.}/tests/support/mpi.sh"
. "${srcdir-.}/tests/examples/annotate.sh"
cd "$dir" || exit 1
profile=callgrind.out.ranks
log=log
ranks=3

# The same search: what each rank does until one has found enough.
awk -v ranks=$ranks 'function search (last,   n, k, all) {
    for (n = 1; n < last; n++) {
      if (!(n in known)) {
        k = 0
        for (i = n; i != 1; k++) i = i % 2 ? 3 * i + 1 : i / 2
        known[n] = k
      }
      all += known[n]
      if (known[n] > longest) longest = known[n]
    }
    return all
  }
  BEGIN {
    for (last = 1000; longest < 300; last *= 2) {
      rounds++
      for (r = 1; r <= ranks; r++) steps += search(last * r)
    }
    print "agree", ranks * rounds
    print "search", ranks * rounds
    print "steps", steps
  }' >expected

for mpi in mpich openmpi; do
  has_mpi $mpi || continue
  rm -f $profile
  mpi_compile $mpi -std=c11 -Wall -Wextra -Werror -o ranks "$source" \
    >log 2>&1
  result $? "$mpi: it compiles"
  mpi_run $mpi $ranks ./ranks >log 2>&1 && test ! -s log
  result $? "$mpi: it runs"
  "$cgread" --dump $profile >dump 2>log
  result $? "$mpi: the strict reader takes the profile"

  awk -F '\t' '
    $1 == "call" { split ($13, c, " "); calls[$10] += c[1]; inclusive[$10] += c[2] }
    $1 == "cost" { split ($8, c, " "); ns += c[1]; self[$4] += c[1]; steps[$4] += c[2] }
    END {
      print "agree", calls["agree"]
      print "search", calls["search"]
      print "steps", steps["search"]
      if (inclusive["search"] != self["search"] || inclusive["agree"] != self["agree"] \
          || self["run"] + inclusive["search"] + inclusive["agree"] != ns)
        print "the times do not add up"
    }' dump >got
  diff expected got >log
  result $? "$mpi: calls and steps are as many as awk says, and times add up"
  # The first rank has a third of the last one's work: its time is in agree.
  awk -F '\t' '$1 == "cost" && $4 == "agree" { split ($8, c, " "); ns = c[1] }
    END { exit !(ns > 0) }' dump
  result $? "$mpi: ranks wait in agree" dump
  if command -v callgrind_annotate >/dev/null; then
    annotate $profile got err
    steps=$(sed -n 's/^steps //p' expected)
    tr -d , <got >plain
    test ! -s err && grep -q "^[0-9]* *$steps PROGRAM TOTALS" plain
    result $? "$mpi: callgrind_annotate shows the steps, and no warning" got
  else
    skip "$mpi: callgrind_annotate shows the steps" "it is not installed"
  fi
done
done_testing
