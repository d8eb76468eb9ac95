#!/bin/sh
# lint_readers.sh - the readers that cgw-lint speaks of misread the files that it
# says they do (lint.cases), and read right what it says is right.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: the tools.

. "${srcdir-.}/tests/support/tap.sh"
lint=$build/examples/tools/lint/cgw-lint
. "$srcdir/tests/support/kcachegrind.sh"

cd "$dir" || exit 1
here=$(pwd -P)
cd "$here" || exit 1

awk -v here="$here" -f "$srcdir/tests/examples/lint_cases.awk" \
  "$srcdir/tests/examples/lint.cases" >cases 2>err && . ./cases
result $? "the cases" err
"$lint" --rules >rules

if command -v man >/dev/null; then
  man --warnings -E UTF-8 -l -Tutf8 -Z "$build/examples/tools/lint/cgw-lint.1" \
    2>log >formatted
  test ! -s log && test -s formatted
  result $? "man has no warnings"
else
  skip "man has no warnings" "there is no man"
fi

# The readers that are here.  Each file with a trap is meant as the one without,
# or two things in it are meant as different ("alike"): whoever is said to
# misread it shows something else, or the same.  What was proven with the other
# readers is in rules.def.

# cases_of READER OPTION [OLD]: lines "NAME ALIKE" of the cases whose rules name
# the reader; for readers of valgrind, OLD is 1 before 3.21.
cases_of ()
{
  awk -v reader="$1" -v option="$2" -v old="${3-}" '
    FNR == NR {
      split ($0, field, "\t")
      named[field[1]] = ", " field[2] ","
      next
    }
    function has (list) { return index ("," list ",", "," option ",") }
    {
      rule = $1
      sub (/[+].*/, "", rule)
      if ($5 == "-" ? !index (named[rule], ", " reader ",") : !has ($5))
        next
      if (old == 1 ? !has ($7) : old == "" || !has ($6))
        print $1, $8
    }' rules list
}

# compare_readings NAME ALIKE: of bad.out and good.out.
compare_readings ()
{
  if test "$2" = alike; then
    cmp -s bad.out good.out || echo "$1: not read alike"
  elif cmp -s bad.out good.out; then
    echo "$1: read right"
  fi
}

# What callgrind_annotate shows in each mode, in any order of equal costs.
annotate () # FILE
{
  for mode in --auto=no '--auto=no --inclusive=yes' '--auto=yes --context=0'; do
    # They are words.
    # shellcheck disable=SC2086
    callgrind_annotate --threshold=100 --show-percs=no --tree=both $mode "$1" \
      2>&1
    echo "status $?"
  done | sed -e 's/ (calculated)//' -e 's/[^ ]*\.bad/FILE/g' \
             -e 's/[^ ]*\.good/FILE/g' -e 's/[^ ]*\.plain/FILE/g' | sort
}

# The numbers in it: callgrind_annotate says much about parts.
numbers () # FILE
{
  grep -v '^ *line: \|WARNING: line\|uninitialized\|^Profile\|^$' "$1"
}

if command -v callgrind_annotate >/dev/null; then
  for file in f.c g.c inc.h a.c; do
    seq 100 | sed 's/^/line /' >$file && touch -d @1 $file
  done
  : >log
  : >wrong
  cases_of callgrind_annotate callgrind_annotate >misread
  while read -r name alike; do
    annotate "$name.bad" >bad.out
    annotate "$name.good" >good.out
    compare_readings "$name" "$alike" >>log
    "$build/examples/tools/recode/cgw-recode" --plain "$name.good" >"$name.plain" \
      2>err && annotate "$name.plain" >plain.out
    numbers good.out >good.numbers
    numbers plain.out | diff - good.numbers >difference \
      || { echo "$name:"; cat err difference; } >>wrong
  done <misread
  test ! -s log && test "$(wc -l <misread)" -gt 60
  result $? "callgrind_annotate misreads what it is said to"
  test ! -s wrong
  result $? "and reads right what is said to be right" wrong

  # It is right about these, though others are not.
  : >log
  for name in blank-before-version cfi-left-out-inlined cfn-not-repeated \
    comment-after-calls events-tab formula-hex id-defined-twice id-too-large \
    jump-without-source name-opens-id one-id-two-functions positions-missing \
    relative-after-fn tab trailing-blank unrecognized-start; do
    annotate $name.bad >bad.out
    annotate $name.good >good.out
    cmp -s bad.out good.out || echo "$name: misread" >>log
    ! grep -q "^$name " misread || echo "$name: the rule names it" >>log
  done
  test ! -s log
  result $? "and reads right what only others misread"
else
  skip "callgrind_annotate" "it is not installed"
fi

# What a reader of cachegrind's files makes of it.  cg_diff compares it with the
# file without the trap.
reading () # PROGRAM NAME.KIND
{
  case $1 in
    cg_annotate) cg_annotate "$2" ;;
    cg_merge) cg_merge -o merged "$2" "$2" && cat merged ;;
    cg_diff) cg_diff cg.good "$2" ;;
  esac 2>err
  echo "status $?"
  grep -v 'cg_merge: [pmw][a-z]*ing ' err
}

if command -v cg_annotate >/dev/null && command -v cg_merge >/dev/null \
  && command -v cg_diff >/dev/null && command -v valgrind >/dev/null; then
  old=0
  valgrind --version | grep -q '^valgrind-3\.\([0-9]\|1[0-9]\|20\)\.' && old=1
  for reader in cg_annotate cg_merge cg_diff; do
    : >log
    cases_of $reader $reader $old >misread
    while read -r name alike; do
      cp "$name.good" cg.good && cp "$name.bad" cg.bad
      reading $reader cg.good | sed 's/cg\.good/FILE/g' >good.out
      test ! -s err || grep -v 'cg_merge: [pmw][a-z]*ing ' err >>log
      reading $reader cg.bad | sed 's/cg\.bad/FILE/g; s/cg\.good/FILE/g' \
        >bad.out
      compare_readings "$name" "$alike" >>log
      grep -qx 'status 0' good.out || echo "$name.good: refused" >>log
    done <misread
    test ! -s log && test "$(wc -l <misread)" -ge 9
    result $? "$reader misreads what it is said to"
  done
else
  skip "cg_annotate, cg_merge and cg_diff" "they are not installed"
fi

# Those rules that it says something about while it loads the file: it has no
# other output.
if has_kcachegrind; then
  : >log
  cases_of KCachegrind kcachegrind >misread
  for name in blanks-only byte-order-mark calls-before-cfn cfn-before-fn \
    cost-dot cost-malformed header-key-unknown hex-prefix \
    id-from-earlier-part id-hex id-redefined id-undefined jcnd-malformed \
    jump-without-source leading-blank line-negative no-events \
    ob-inside-function part-line-after-events part-without-events \
    positions-after-events positions-bb record-before-fn \
    summary-before-events tab too-many-costs unknown-line; do
    ! kcachegrind_opens "$here/$name.bad" err || echo "$name.bad" >>log
    kcachegrind_opens "$here/$name.good" err || cat err >>log
    grep -q "^$name " misread \
      || echo "$name: the rule does not name it" >>log
  done
  test ! -s log
  result $? "kcachegrind refuses, crashes or complains"
else
  skip "kcachegrind" "it is not installed"
fi

done_testing
