#!/bin/sh
# Recodes files of other writers, the seeds by-* of the fuzzer of profiles: the
# same profile must come out, for a strict reader and for callgrind_annotate, and twice the same bytes.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/examples/annotate.sh"
recode=$build/examples/tools/recode/cgw-recode

same_numbers () # NAME
{
  annotate "$dir/spelled" "$dir/before" "$dir/before.err"
  if test $? != 0 || test -s "$dir/before.err"; then
    skip "$1" "callgrind_annotate cannot read the original"
    return
  fi
  annotate "$dir/out" "$dir/after" "$dir/log" && test ! -s "$dir/log" \
    && test -s "$dir/before" \
    && comparable "$dir/in" "$dir/before" >"$dir/1" && comparable "$dir/in" "$dir/after" >"$dir/2" \
    && diff "$dir/1" "$dir/2" >"$dir/log"
  result $? "$1"
}

one_file () # FILE
{
  name=${1##*/by-}
  cat "$1" >"$dir/in"
  "$recode" -o "$dir/out" "$dir/in" 2>"$dir/log"
  result $? "$name: read and written"

  spell_out <"$dir/in" >"$dir/spelled"
  "$cgread" --allow-zero-calls --no-pad --same "$dir/spelled" "$dir/out" \
    >"$dir/log" 2>&1
  result $? "$name: the same profile"

  "$recode" "$dir/out" >"$dir/again" 2>"$dir/log" \
    && cmp "$dir/out" "$dir/again" >"$dir/log" 2>&1
  result $? "$name: a second time, the same bytes"

  "$recode" --plain "$dir/in" >"$dir/plain" 2>"$dir/log" \
    && "$cgread" --allow-zero-calls --no-pad --plain --absolute "$dir/plain" \
         >"$dir/log" 2>&1 \
    && "$recode" - <"$dir/plain" >"$dir/again" 2>"$dir/log" \
    && cmp "$dir/out" "$dir/again" >"$dir/log" 2>&1
  result $? "$name: plain and back, the same bytes"

  if command -v callgrind_annotate >/dev/null 2>&1; then
    same_numbers "$name: the same numbers for callgrind_annotate"
  else
    skip "$name: the same numbers" "there is no callgrind_annotate"
  fi
}

data=$srcdir/tests/fuzz/seeds/profile
for file in "$data"/by-*; do
  one_file "$file"
done
# 13 files, or the loop found none.
test $number -ge 65
result $? "all files were there"

# From a pipe, a summary: after the costs comes too late.
"$recode" - <"$data/by-xdebug" >"$dir/file" 2>"$dir/log" \
  && test ! -s "$dir/log" && grep -q '^summary: 5463317 989088$' "$dir/file"
result $? "a late summary of a file goes to the header"
cat "$data/by-xdebug" | "$recode" - >"$dir/pipe" 2>"$dir/log"
grep -q '^# summary: 5463317 989088$' "$dir/pipe" \
  && grep -q '^cgw-recode: standard input:[0-9]*: warning: summary:' "$dir/log"
result $? "a late summary of a pipe becomes a comment, with a warning"

done_testing
