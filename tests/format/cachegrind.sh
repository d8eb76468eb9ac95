#!/bin/sh
# cachegrind.sh - cg_annotate, cg_merge and cg_diff read files with
# CGW_CACHEGRIND, and find the exact sums; callgrind_annotate and kcachegrind
# read them, too.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder:
# tests/format/cachegrind_files, whose beginning says what the files are.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/kcachegrind.sh"
writer=tests/format/cachegrind_files

has () { command -v "$1" >/dev/null; }

$writer "$dir" 2>"$dir/log"
result $? "the files are written" "$dir/log"
test "$(grep -c . "$dir/truth")" -gt 500
result $? "they have many lines" "$dir/truth"

# Truths, each sorted: per line, per function of a file, and the totals, "A B
# C"; factor: what each number is multiplied by.

# Reads "KEY<tab>COSTS", where a key may have tabs, and adds up equal keys: two
# functions of one name, inlined from one file, are one to the readers.  Leaves
# out what is 0, as a profile does.
sums () # FACTOR
{
  awk -F '\t' -v factor="$1" '{
      split ($NF, c, " ")
      key = substr ($0, 1, length ($0) - length ($NF) - 1)
      for (i = 1; i <= 3; i++)
        sum[key, i] += c[i] * factor
      keys[key] = 1
    }
    END { for (key in keys)
            if (sum[key, 1] + sum[key, 2] + sum[key, 3] != 0)
              printf "%s\t%.0f %.0f %.0f\n", key, sum[key, 1], sum[key, 2],
                     sum[key, 3] }' | sort
}

truth_of_lines () # FACTOR
{
  grep -v '^total ' "$dir/truth" | sums "$1"
}

functions () # makes "FILE:FUNCTION<tab>COSTS" of lines
{
  awk -F '\t' '{ print $1 ":" $2 "\t" $4 }' | sums 1
}

total=$(sed -n 's/^total //p' "$dir/truth")
truth_of_lines 1 >"$dir/lines"
functions <"$dir/lines" >"$dir/functions"

# A file in the cachegrind format, as lines.
lines_of ()
{
  awk '/^fl=/ { file = substr ($0, 4) }
    /^fn=/ { fn = substr ($0, 4) }
    /^[0-9]/ { print file "\t" fn "\t" $1 "\t" $2 " " $3 " " $4 }' "$1" \
    | sums 1
}

# same FILE FILE NAME
same ()
{
  diff "$1" "$2" >"$dir/diff"
  result $? "$3" "$dir/diff"
}

for file in records profile; do
  lines_of "$dir/$file" >"$dir/ours"
  same "$dir/lines" "$dir/ours" "$file: the lines of the file are exact"
done

# cg_annotate.

# Prints "FILE:FUNCTION<tab>COSTS" of what a reader printed: a row has three
# columns, with commas, and a name.
rows ()
{
  sed -n 's/^ *\([0-9.][0-9.,]*\)  *\([0-9.][0-9.,]*\)  *\([0-9.][0-9.,]*\)  *\(.*\)$/\4\t\1 \2 \3/p' \
    "$1" | awk -F '\t' '{
      gsub (/,/, "", $2)
      gsub (/(^| )\.( |$)/, " 0 ", $2)
      gsub (/(^| )\.( |$)/, " 0 ", $2)
      gsub (/^ *| *$/, "", $2)
      gsub (/  */, " ", $2)
      print $1 "\t" $2 }'
}

annotated () # FILE: what cg_annotate says of it
{
  cg_annotate --threshold=0 --show-percs=no --auto=no "$1" \
    >"$dir/annotated" 2>"$dir/log" || return 1
  test ! -s "$dir/log"
}

total_is () # COSTS
{
  rows "$dir/annotated" | grep '^PROGRAM TOTALS' | cut -f 2 >"$dir/total"
  test "$(cat "$dir/total")" = "$1"
}

if has cg_annotate; then
  for file in records profile addresses lost; do
    annotated "$dir/$file" && total_is "$total"
    result $? "cg_annotate, $file: the total is exact" "$dir/log"
  done
  # The layout of older versions.
  for file in records profile addresses; do
    annotated "$dir/$file"
    if grep -q ' file:function$' "$dir/annotated"; then
      rows "$dir/annotated" | grep -v '^PROGRAM TOTALS' | sort >"$dir/theirs"
      same "$dir/functions" "$dir/theirs" \
        "cg_annotate, $file: each function of each file is exact"
    else
      skip "cg_annotate, $file: each function" \
        "cg_annotate is 3.20 or older"
    fi
  done
  annotated "$dir/lost"
  rows "$dir/annotated" | grep -q '^???:\[lost\]'
  result $? "cg_annotate, lost: what was lost has a row" "$dir/annotated"
  annotated "$dir/long" && total_is "2 2 0"
  result $? "cg_annotate takes long names and a header that was cut" "$dir/log"
  ! cg_annotate "$dir/unfinished" >/dev/null 2>"$dir/log"
  result $? "cg_annotate refuses a file that was not finished"
else
  skip "cg_annotate" "it is not installed"
fi

# cg_merge writes the format that it reads.

if has cg_merge; then
  for file in records profile; do
    for factor in 1 2 3; do
      set --
      for i in 1 2 3; do
        test $i -gt $factor || set -- "$@" "$dir/$file"
      done
      cg_merge -o "$dir/merged" "$@" >"$dir/log" 2>&1
      lines_of "$dir/merged" >"$dir/theirs"
      truth_of_lines $factor >"$dir/expected"
      same "$dir/expected" "$dir/theirs" "cg_merge, $factor times $file"
    done
  done
  cg_merge -o "$dir/merged" "$dir/records" "$dir/profile" >"$dir/log" 2>&1
  lines_of "$dir/merged" >"$dir/theirs"
  truth_of_lines 2 >"$dir/expected"
  same "$dir/expected" "$dir/theirs" "cg_merge, records and profile"
  cg_merge -o "$dir/merged" "$dir/long" "$dir/lost" "$dir/addresses" \
    >"$dir/log" 2>&1
  result $? "cg_merge takes long names, what was lost, and no desc" "$dir/log"
  ! cg_merge -o "$dir/merged" "$dir/unfinished" >"$dir/log" 2>&1
  result $? "cg_merge refuses a file that was not finished"
else
  skip "cg_merge" "it is not installed"
fi

# cg_diff of two files with the same costs is 0 everywhere.

if has cg_diff; then
  cg_diff "$dir/records" "$dir/profile" >"$dir/difference" 2>"$dir/log" \
    && test ! -s "$dir/log" && grep -qx 'summary: 0 0 0 *' "$dir/difference"
  result $? "cg_diff: no difference in all" "$dir/log"
  sed -n '/^[0-9]/p' "$dir/difference" | grep -vx '0 0 0 0 *' >"$dir/other"
  grep -c '^fn=' "$dir/difference" | grep -qx "$(wc -l <"$dir/functions")" \
    && test ! -s "$dir/other"
  result $? "cg_diff: none in any function" "$dir/other"
  cg_diff "$dir/long" "$dir/records" >"$dir/difference" 2>"$dir/log"
  awk '/^summary:/ { print $2 + 2, $3 + 2, $4 }' "$dir/difference" \
    >"$dir/total"
  test "$(cat "$dir/total")" = "$total"
  result $? "cg_diff: a difference is exact" "$dir/total"
  ! cg_diff "$dir/records" "$dir/unfinished" >"$dir/difference" 2>"$dir/log"
  result $? "cg_diff refuses a file that was not finished"
else
  skip "cg_diff" "it is not installed"
fi

# Readers of the callgrind format: the same self costs as without the flag; but
# they take "(1)x" for the name "x".

annotated_by_callgrind () # FILE
{
  callgrind_annotate --threshold=100 --show-percs=no --auto=no --tree=none \
    "$1" >"$dir/annotated" 2>"$dir/log" || return 1
  rows "$dir/annotated" | sed 's/ \[[^]]*\]\t/\t/' | grep -v '^PROGRAM TOTALS' \
    | cut -f 1,2 | sort >"$dir/theirs"
}

if has callgrind_annotate; then
  sed 's/:(1)x/:x/' "$dir/functions" | sort >"$dir/expected"
  for file in records profile unfinished; do
    annotated_by_callgrind "$dir/$file"
    same "$dir/expected" "$dir/theirs" \
      "callgrind_annotate, $file: each function of each file is exact"
  done
else
  skip "callgrind_annotate" "it is not installed"
fi

for file in records profile long unfinished; do
  if has_kcachegrind; then
    # Alone in its folder: it opens all files whose names begin so.
    mkdir "$dir/alone.$file" && cp "$dir/$file" "$dir/alone.$file/keep"
    kcachegrind_opens "$dir/alone.$file/keep" "$dir/log"
    result $? "kcachegrind, $file" "$dir/log"
  else
    skip "kcachegrind, $file" "kcachegrind is not installed"
  fi
done

done_testing
