#!/bin/sh
# recode between callgrind's and cachegrind's formats, on files that valgrind
# writes: profiles become files with the same numbers for cg_annotate, and
# cachegrind's own files are read and written; and addresses of basic blocks,
# which no other reader takes.
#
# SPDX-License-Identifier: MIT

recode=${builddir-.}/examples/tools/recode/cgw-recode
. "${srcdir-.}/tests/support/tap.sh"

has () { command -v "$1" >/dev/null; }

has valgrind || skip_all "valgrind is not installed"

awk 'BEGIN { for (i = 1; i <= 4000; i++) print i * 7919 % 10007, i }' \
  >"$dir/text"

# profile FILE FLAG... PROGRAM...
profile ()
{
  file=$1
  shift
  valgrind -q --tool=callgrind --callgrind-out-file="$file" "$@" \
    >"$dir/stdout" 2>"$log"
}

# From callgrind's format to cachegrind's.

# The cost of each line of each function, whatever object it is in.
lines () # FILE
{
  "$cgread" --lenient --dump "$1" | awk -F '\t' '
    $1 == "cost" {
      key = $5 "\t" $4 "\t" $7
      n = split ($8, cost, " ")
      for (i = 1; i <= n; i++)
        sum[key, i] += cost[i]
      if (n > most)
        most = n
      keys[key] = 1
    }
    END {
      for (key in keys) {
        printf "%s", key
        for (i = 1; i <= most; i++)
          printf " %.0f", sum[key, i]
        print ""
      }
    }' | sort
}

# Prints "FILE:FUNCTION COST..." of what an annotating program printed.
rows ()
{
  awk '/^ *[0-9.]/ {
      costs = ""
      any = 0
      while (match ($0, /^ *[0-9.,]+( \(calculated\))? +/)) {
        cost = $1
        gsub (/,/, "", cost)
        costs = costs " " (cost == "." ? 0 : cost)
        any = any || cost + 0 > 0
        $0 = substr ($0, RLENGTH + 1)
      }
      sub (/ \[[^]]*\]$/, "")
      if (any)
        print $0 costs
    }' | sort
}

# The sums of the totals: lines of all parts; the totals that
# callgrind_annotate prints are those of summary:, where callgrind counts a
# little more.
totals () # FILE
{
  awk '/^totals:/ { n = NF; for (i = 2; i <= n; i++) sum[i] += $i }
    END { printf "PROGRAM TOTALS"
          for (i = 2; i <= n; i++) printf " %.0f", sum[i]
          print "" }' "$1"
}

# callgrind_annotate takes calls that happened 0 times, as parts have them, for
# costs of the caller: a file with absolute positions does without its calls.
without_calls () # FILE
{
  if grep -q '^calls=0 ' "$1"; then
    sed '/^calls=/{N;d}' "$1"
  else
    cat "$1"
  fi
}

same_numbers () # NAME
{
  if ! has cg_annotate || ! has callgrind_annotate; then
    skip "$1" "there is no cg_annotate, or no callgrind_annotate"
    return
  fi
  cg_annotate --threshold=0 --show-percs=no --auto=no "$dir/out" \
    >"$dir/annotated" 2>"$log"
  if ! grep -q ' file:function$' "$dir/annotated"; then
    skip "$1" "cg_annotate has another layout"
    return
  fi
  without_calls "$dir/cg" >"$dir/annotate"
  callgrind_annotate --threshold=100 --show-percs=no --auto=no --tree=none \
    "$dir/annotate" 2>"$dir/warnings" | rows | grep -v '^PROGRAM TOTALS' \
    >"$dir/expected"
  totals "$dir/cg" >>"$dir/expected"
  sort -o "$dir/expected" "$dir/expected"
  rows <"$dir/annotated" >"$dir/got"
  test ! -s "$log" && test "$(wc -l <"$dir/expected")" -gt 50 \
    && diff "$dir/expected" "$dir/got" >"$log"
  result $? "$1"
}

to_cachegrind () # NAME FLAG... PROGRAM...
{
  name=$1
  shift
  if ! profile "$dir/cg" "$@"; then
    result 1 "$name: a profile"
    return
  fi
  test -s "$dir/cg" || mv "$dir/cg.1" "$dir/cg" # of --combine-dumps
  "$recode" --cachegrind -o "$dir/out" "$dir/cg" 2>"$log" && test ! -s "$log" \
    && lines "$dir/cg" >"$dir/expected" && lines "$dir/out" >"$dir/got" \
    && test "$(wc -l <"$dir/expected")" -gt 50 \
    && diff "$dir/expected" "$dir/got" >"$log"
  result $? "$name: each line's cost in cachegrind's format"
  same_numbers "$name: the same numbers for cg_annotate"
}

to_cachegrind "gzip" gzip -c "$dir/text"
to_cachegrind "perl, 13 events" --cache-sim=yes --branch-sim=yes \
  perl -e 'my %n; $n{$_ % 7}++ for 1 .. 500; print sort values %n'
to_cachegrind "bash, addresses and jumps" --dump-instr=yes \
  --collect-jumps=yes bash -c 'for i in {1..40}; do x+=$i; done; echo $x'
to_cachegrind "sort, several parts" --combine-dumps=yes --compress-pos=no \
  --dump-every-bb=200000 sort -n "$dir/text"
test "$(grep -c '^events:' "$dir/cg")" -gt 1
result $? "there are several parts" "$dir/cg"
to_cachegrind "awk, addresses alone" --dump-instr=yes --dump-line=no \
  awk '{ n[$1 % 9] += $2 } END { print n[3] }' "$dir/text"

printf 'events: A\nfl=f\nfn=f\n1 2\npart: 2\nevents: B\nfl=f\nfn=f\n1 2\n' \
  >"$dir/in"
! "$recode" --cachegrind "$dir/in" >"$dir/out" 2>"$log" \
  && grep -q ' events or positions differ from the part before' "$log"
result $? "parts with different events are not added up"

# cachegrind's own files.

# The cost of each line as the file says it.
cachegrind_lines () # FILE
{
  awk '/^fl=/ { file = $0 }
    /^fn=/ { fn = $0 }
    /^[0-9]/ { sub (/ $/, ""); print file, fn, $0 }
    /^summary:/ { sub (/ $/, ""); print }
    /^events:/ { sub (/ $/, ""); print }' "$1" | sort
}

valgrind -q --tool=cachegrind --branch-sim=yes \
  --cachegrind-out-file="$dir/cachegrind" gzip -c "$dir/text" \
  >"$dir/stdout" 2>"$log"
cachegrind_lines "$dir/cachegrind" >"$dir/expected"
"$recode" -o "$dir/callgrind" "$dir/cachegrind" 2>"$log" \
  && test ! -s "$log" && "$cgread" --no-pad "$dir/callgrind" >"$log" \
  && "$cgread" --no-pad --same "$dir/cachegrind" "$dir/callgrind" >"$log"
result $? "cachegrind's file becomes one of callgrind"
"$recode" --cachegrind -o "$dir/back" "$dir/callgrind" 2>"$log" \
  && test ! -s "$log" && cachegrind_lines "$dir/back" >"$dir/got" \
  && test "$(wc -l <"$dir/expected")" -gt 200 \
  && diff "$dir/expected" "$dir/got" >"$log"
result $? "and back, with the same counts"
if has cg_diff; then
  cg_diff "$dir/cachegrind" "$dir/back" >"$dir/difference" 2>"$log" \
    && grep -q '^summary: [0 ]*$' "$dir/difference" \
    && ! grep '^[0-9].* [0-9]*[1-9]' "$dir/difference" >"$log"
  result $? "cg_diff finds no difference"
else
  skip "cg_diff finds no difference" "there is no cg_diff"
fi

# Addresses of basic blocks are left out; the rest is as it is without them.

# basic_blocks NAME FLAG...
basic_blocks ()
{
  name=$1
  shift
  profile "$dir/expected" "$@" gzip -c "$dir/text" \
    && profile "$dir/in" --dump-bb=yes "$@" gzip -c "$dir/text" \
    && grep -q '^positions: .*bb' "$dir/in" \
    && "$recode" -o "$dir/out" "$dir/in" 2>"$dir/err"
  if test $? != 0; then
    result 1 "$name"
    return
  fi
  grep -q ': warning: positions: bb is left out$' "$dir/err" \
    && test "$(wc -l <"$dir/err")" = 1 \
    && "$cgread" --no-pad "$dir/out" >"$log" \
    && "$cgread" --lenient --dump "$dir/out" >"$dir/1" \
    && "$cgread" --lenient --dump "$dir/expected" >"$dir/2" \
    && test "$(wc -l <"$dir/2")" -gt 200 && diff "$dir/2" "$dir/1" >"$log"
  result $? "$name"
}

basic_blocks "basic blocks, addresses and lines" --dump-instr=yes
basic_blocks "basic blocks and addresses, no lines" --dump-instr=yes \
  --dump-line=no
basic_blocks "basic blocks, addresses, lines and jumps" --dump-instr=yes \
  --collect-jumps=yes
basic_blocks "basic blocks, absolute positions" --dump-instr=yes \
  --compress-pos=no
basic_blocks "basic blocks and lines"

done_testing
