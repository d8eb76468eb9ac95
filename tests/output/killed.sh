#!/bin/sh
# killed.sh - files of killed writers, for other readers: callgrind_annotate
# finds the sums that the strict reader finds, the tools read them, and
# kcachegrind opens them without a message.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: tests/output/test_kill,
# tests/support/cgread, the tools.

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/examples/annotate.sh"
. "$srcdir/tests/support/kcachegrind.sh"
test -x tests/output/test_kill || skip_all "Criterion is not installed"
killed=$dir/files
mkdir "$killed" || exit 1

CGW_KILLED_FILES=$killed tests/output/test_kill --filter kill/at_each_moment \
  >"$log" 2>&1 && test -s "$killed/killed.byte.0" \
  && test -s "$killed/killed.waiting.30"
result $? "writers are killed"

# Each reader must see what is wrong with this one.
{ cat "$killed/killed.waiting.30" && printf cal; } >"$dir/torn"

# Of a header in the middle of a file, callgrind_annotate says that each line
# is malformed; all else that it says is printed, and wrong.
only_headers () # FILE MESSAGES
{
  awk -v names='version|creator|pid|part|thread|cmd|desc|positions|events?' '
    FILENAME == ARGV[1] && /^ *line: / { next }
    FILENAME == ARGV[1] && /^WARNING: line [0-9]+ malformed/ {
      malformed[$3] = 1
      next
    }
    FILENAME == ARGV[1] || (FNR in malformed && $0 !~ "^(" names "): ") {
      print
      wrong = 1
    }
    END { exit wrong }' "$2" "$1"
}

# The sums of the functions' self costs, which are in front of a "*".
self_costs () # NUMBERS N-EVENTS
{
  awk -v n="$2" '
    $(n + 1) == "*" {
      gsub (/,/, "")
      for (i = 1; i <= n; i++)
        sum[i] += $i
    }
    END { for (i = 1; i <= n; i++) printf "%.0f\n", sum[i] }' "$1"
}

totals () # FILE
{
  "$cgread" --no-pad --allow-unfinished "$1" | sed -n 's/^total [^ ]* //p'
}

annotated () # FILE
{
  annotate "$1" "$dir/numbers" "$dir/messages" || return
  only_headers "$1" "$dir/messages" || return
  totals "$1" >"$dir/expected"
  self_costs "$dir/numbers" "$(wc -l <"$dir/expected")" >"$dir/found"
  diff "$dir/expected" "$dir/found"
}

recoded () # FILE
{
  examples/tools/recode/cgw-recode -o "$dir/out" "$1" || return
  totals "$1" >"$dir/expected"
  totals "$dir/out" | diff "$dir/expected" -
}

merged () # FILE
{
  examples/tools/merge/cgw-merge -o "$dir/out" "$1" "$1" || return
  totals "$1" | awk '{ printf "%.0f\n", 2 * $1 }' >"$dir/expected"
  totals "$dir/out" | diff "$dir/expected" -
}

linted () # FILE
{
  examples/tools/lint/cgw-lint "$1"
}

each () # FUNCTION
{
  for file in "$killed"/*; do
    "$1" "$file" || { echo "$file"; return 1; }
  done
}

for reader in recoded merged linted; do
  each $reader >"$log" 2>&1
  result $? "the files are $reader"
done

name="callgrind_annotate finds the strict reader's sums"
if command -v callgrind_annotate >/dev/null; then
  annotated "$dir/torn" >"$log"
  grep -qx cal "$log"
  result $? "callgrind_annotate sees a torn line"
  each annotated >"$log" 2>&1
  result $? "$name"
else
  skip "$name" "callgrind_annotate is not installed"
fi

# It opens all files whose names begin with that of the first.
name="kcachegrind opens all without a message"
if has_kcachegrind; then
  cp "$killed/killed.byte.0" "$killed/killed"
  kcachegrind_opens "$killed/killed" "$log"
  result $? "$name"
  cp "$dir/torn" "$killed/killed.torn"
  kcachegrind_opens "$killed/killed" "$log"
  grep -q '^Loading .*killed\.torn' "$log"
  result $? "kcachegrind sees a torn line"
else
  skip "$name" "kcachegrind is not installed"
fi

done_testing
