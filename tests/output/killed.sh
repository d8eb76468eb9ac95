#!/bin/sh
# killed.sh - what writers leave that were killed at random points, for other
# readers: callgrind_annotate finds the sums that the strict reader finds, and
# kcachegrind opens the files without a message.
# SPDX-License-Identifier: MIT
#
# make check takes the 40 files of test_kill, every eighth of them for
# callgrind_annotate; with CGW_STRESS=30 in the environment there are 1,000, and
# each reader reads all.
#
# From the environment: srcdir; CGW_SEED; CGW_KILLED_FILES, an empty directory
# where the files are to stay.  In the build folder: tests/output/test_kill,
# tests/support/cgread.

srcdir=${srcdir-.}
cgread=tests/support/cgread
. "$srcdir/tests/examples/annotate.sh"
. "$srcdir/tests/support/kcachegrind.sh"
LC_ALL=C
export LC_ALL

. "$srcdir/tests/support/tap.sh"
test -x tests/output/test_kill || skip_all "Criterion is not installed"
log=$dir/log
trap 'exit 1' HUP INT TERM

if test -z "${CGW_KILLED_FILES-}"; then
  CGW_KILLED_FILES=$dir/files
  export CGW_KILLED_FILES
  mkdir "$CGW_KILLED_FILES" || exit 1
fi
killed=$CGW_KILLED_FILES/killed
tests/output/test_kill --filter kill/threads >"$log" 2>&1
result $? "writers with four threads are killed, the strict reader reads"
grep '^# figure' "$log"
kills=$(sed -n 's/^# figure kills_of_threads \([0-9]*\)$/\1/p' "$log")
test "${kills:-0}" -ge 40
result $? "there are files"

# Each reader must see what is wrong with this one.
{ cat "$killed.1" && printf cal; } >"$dir/killed.torn"

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

annotated () # FILE
{
  annotate "$1" "$dir/numbers" "$dir/messages" || return
  only_headers "$1" "$dir/messages" || return
  "$cgread" --allow-unfinished "$1" | sed -n 's/^total [^ ]* //p' \
    >"$dir/expected"
  self_costs "$dir/numbers" "$(wc -l <"$dir/expected")" >"$dir/found"
  test -s "$dir/expected" && diff "$dir/expected" "$dir/found"
}

annotated_all ()
{
  count=0
  for i in $(seq 0 $one_in $((kills - 1))); do
    annotated "$killed.$i" || { echo "killed.$i"; return 1; }
    count=$((count + 1))
  done
}

one_in=8
test -z "${CGW_STRESS-}" || one_in=1
name="callgrind_annotate finds the strict reader's sums"
if command -v callgrind_annotate >/dev/null; then
  annotated "$dir/killed.torn" >"$log"
  grep -qx cal "$log"
  result $? "callgrind_annotate sees a torn line"
  annotated_all >"$log" 2>&1
  result $? "$name"
  echo "# figure killed_annotated $count"
else
  skip "$name" "callgrind_annotate is not installed"
fi

# Many at once: it opens all files whose names begin with that of the first.
opened () # FILE...
{
  rm -rf "$dir/batch"
  mkdir "$dir/batch" && cp "$@" "$dir/batch" \
    && mv "$dir/batch/${1##*/}" "$dir/batch/killed" \
    && kcachegrind_opens "$dir/batch/killed" "$log"
}

opened_all ()
{
  count=0
  while test $count -lt "$kills"; do
    set --
    while test $# -lt 40 && test $count -lt "$kills"; do
      set -- "$@" "$killed.$count"
      count=$((count + 1))
    done
    opened "$@" || return
  done
}

name="kcachegrind opens all without a message"
if has_kcachegrind; then
  opened "$killed".? "$dir/killed.torn"
  grep -q '^Loading .*killed\.torn' "$log"
  result $? "kcachegrind sees a torn line"
  opened_all
  result $? "$name"
  echo "# figure killed_opened $count"
else
  skip "$name" "kcachegrind is not installed"
fi

done_testing
