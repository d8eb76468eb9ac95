#!/bin/sh
# lint.sh - cgw-lint: each rule has a file that breaks it, and one that does
# not (lint.cases); what the library writes breaks none.  For the readers see
# lint_readers.sh.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: the tools,
# tests/format/cachegrind_files, tests/format/spec_fixtures, tests/fuzz/profile.

. "${srcdir-.}/tests/support/tap.sh"
lint=$build/examples/tools/lint/cgw-lint

cd "$dir" || exit 1
here=$(pwd -P)
cd "$here" || exit 1

awk -v here="$here" -f "$srcdir/tests/examples/lint_cases.awk" \
  "$srcdir/tests/examples/lint.cases" >cases 2>err && . ./cases
result $? "the cases" err
"$lint" --rules >rules
result $? "--rules"

# A file of 4 GiB, most of it a hole, which cannot be read.
head='# callgrind format\nversion: 1\npositions: line\nevents: A\n'
printf "$head" >large && dd if=/dev/null of=large bs=1048576 seek=4096 \
  2>/dev/null
if test "$(wc -c <large)" = 4294967296; then
  "$lint" large >out 2>err
  test $? = 2 && grep -q '^large: file-too-large: KCachegrind: ' out \
    && printf "$head" >large && dd if=/dev/null of=large bs=1 \
      seek=4294967295 2>/dev/null && { "$lint" large 2>err || :; } >out \
    && ! grep -q file-too-large out
  result $? "file-too-large" out
else
  skip "file-too-large" "there is no file of 4 GiB"
fi
rm -f large

# findings KIND OPTION...: in all files of the kind; a few are read as cachegrind's.
findings ()
{
  kind=$1
  shift
  # shellcheck disable=SC2046 # names are words
  {
    "$lint" "$@" $(awk -v kind=$kind '$4 == "-" { print $1 "." kind }' list)
    "$lint" --cachegrind "$@" \
      $(awk -v kind=$kind '$4 != "-" { print $1 "." kind }' list)
  } 2>&1 | grep -v '^[^ ]*: \(no mistakes; \)*limits: '
}
findings bad --all -r all >bad.all
findings bad >bad.out
findings good >good.out
findings good -r all >good.all

# A file with a trap breaks its rule in its line; a mistake is found without
# options, with those behind "also" and no others, a limit is not.  Where there is
# no trap, that rule is kept, and no mistake is found.
awk '
  FILENAME == "rules" {
    split ($0, field, "\t")
    is_mistake[field[1]] = field[3] == "mistake"
    next
  }
  FILENAME == "list" {
    rule = $1
    sub (/[+].*/, "", rule)
    rule_of[$1] = rule
    where[$1] = $1 ".bad:" ($2 == 0 ? "" : $2 ":") " " rule ":"
    n = split (rule "," $3, also, ",")
    for (i = 1; i <= n && is_mistake[rule]; i++)
      if (also[i] != "-")
        wanted[$1, also[i]]
    next
  }
  {
    name = $1
    sub (/[.](bad|good):.*/, "", name)
    rule = substr ($2, 1, length ($2) - 1)
    found[FILENAME, $1 " " $2]
    found[FILENAME, name, rule]
  }
  !(name in rule_of) || FILENAME == "good.out" \
    || FILENAME == "bad.out" && !((name, rule) in wanted) \
    || FILENAME == "good.all" && rule == rule_of[name] { print }
  END {
    for (name in where)
      if (!(("bad.all", where[name]) in found))
        print where[name], "was not found"
    for (pair in wanted)
      if (!(("bad.out" SUBSEP pair) in found)) {
        split (pair, part, SUBSEP)
        print part[1] ": " part[2] " was not found without options"
      }
  }' rules list bad.all bad.out good.out good.all >log
test "$(wc -l <list)" -gt 150 && test ! -s log
result $? "the cases' findings" log
cut -f 1 rules | sort >known
{ cut -d ' ' -f 1 list | sed 's/+.*//'; echo file-too-large; } | sort -u \
  | diff known - >log
result $? "each rule has a case"
awk -F '\t' '$2 == "" || $4 == "" || $5 == ""' rules >log
test ! -s log
result $? "each rule has readers, an effect and a fix"

# The list of rules as the manual page has it.
page=$build/examples/tools/lint/cgw-lint.1
listed () # KIND
{
  awk -F '\t' -v kind="$1" 'BEGIN { print ".Bl -tag -width Ds" }
    $3 == kind {
      gsub (/\\/, "\\e")
      printf ".It Ic %s\n%s:\n%s;\n%s.\n", $1, $2, $4, $5
    }
    END { print ".El" }' rules
}
{
  echo .Ss Mistakes
  listed mistake
  echo .Ss Limits
  listed limit
} >expected
sed -n '/^\.Ss Mistakes/,/^\.Sh EXIT/p' "$page" \
  | sed '$d' | diff expected - >log
result $? "the manual page lists the rules"
# What the library writes.

clean () # NAME FILE...
{
  name=$1
  shift
  test -s "$1" && "$lint" --all "$@" >log 2>&1
  result $? "$name"
}

mkdir spec && (cd spec && "$build/tests/format/spec_fixtures")
clean "the examples of the document" spec/*

# A count of 0 is what the writer of the original said.
for file in "$srcdir"/tests/fuzz/seeds/profile/by-*; do
  name=${file##*/by-}
  { "$build/examples/tools/recode/cgw-recode" "$file" >recoded \
      && "$build/examples/tools/recode/cgw-recode" --plain "$file" >plain; } 2>log
  "$lint" --all recoded plain 2>&1 | grep -v ': calls-zero: \|limits: ' >log
  test -s recoded && test -s plain && test ! -s log
  result $? "$name: recoded"
done

printf 'main;work;read 3\nmain;work 10\nmain;(x);work 1\n' \
  | "$build/examples/tools/import/cgw-import" >folded
clean "folded stacks" folded

mkdir cachegrind
"$build/tests/format/cachegrind_files" cachegrind 2>err
cd cachegrind && clean "files with CGW_CACHEGRIND" records profile callgrind \
  addresses lost long
cd ..

# Options and statuses.

"$lint" crlf.good calls-zero.bad crlf.good >out
test $? = 1
result $? "the status is that of the worst file" out

"$lint" calls-zero.bad missing >out 2>err
test $? = 2 && grep -q '^cgw-lint: missing: ' err && grep -q calls-zero out
result $? "a file that is not there: status 2, and the others are read" err

for i in 1 2 3 4 5; do echo ' 1 5'; done >many
{ printf "$head"'fl=f.c\nfn=main\n'; cat many; echo 'totals: 25'; } >repeated
"$lint" repeated >out
test "$(grep -c '^repeated:[0-9]*: leading-blank: ' out)" = 3 \
  && grep -qx 'repeated: leading-blank: and 2 more' out \
  && "$lint" -a repeated >out
test "$(grep -c '^repeated:[0-9]*: leading-blank: ' out)" = 5 \
  && ! grep -q more out
result $? "three findings of a rule are printed, with --all all" out

"$lint" -r speedscope zeros-left-out.bad >out
test $? = 1 && grep -q ' zeros-left-out: speedscope: ' out \
  && "$lint" -r kcachegrind,gprof2dot zeros-left-out.bad >out
result $? "--reader: also limits, and no others" out
"$lint" -r cg_diff -r speedscope zeros-left-out.bad | cut -d ' ' -f 2 >out
printf 'zeros-left-out:\n' | diff - out >log
result $? "--reader twice"

"$lint" several-parts.bad >out \
  && echo "several-parts.bad: no mistakes; limits: several-parts, no-summary;"\
" see -r READER" | diff - out >log
result $? "the limits of a file are named, and no findings" log
"$lint" leading-blank.bad >out
test $? = 1 && test "$(wc -l <out)" = 2 && tail -1 out | grep -q \
  '^leading-blank.bad: limits: [a-z, -]*; see -r READER$'
result $? "its limits are named behind its mistakes" out
"$lint" -r kcachegrind several-parts.bad >out && test ! -s out
result $? "--reader: limits of others are not named" out
"$lint" -q leading-blank.bad several-parts.bad >out 2>err
test $? = 1 && test ! -s out && test ! -s err \
  && "$lint" --quiet several-parts.bad >out && test ! -s out
result $? "--quiet: nothing but the status" out
"$lint" --quiet missing >out 2>err
test $? = 2 && test ! -s out && grep -q '^cgw-lint: missing: ' err
result $? "--quiet: errors are printed" err

"$lint" cachegrind-no-desc.bad >out
grep -q cachegrind-no-desc out && "$lint" --callgrind cachegrind-no-desc.bad \
  >out
test $? = 1 && grep -q positions-missing out \
  && "$lint" --cachegrind crlf.good >out
test $? = 1 && grep -q cachegrind-header out
result $? "--callgrind and --cachegrind" out
"$lint" -r cg_annotate crlf.good >out
test $? = 1 && grep -q ' cachegrind-header: cg_annotate: ' out
result $? "cg_annotate takes a callgrind file for a wrong one" out
"$lint" -r qtcreator,speedscope cachegrind-no-desc.bad >out
test $? = 1 && grep -q ' positions-missing: Qt Creator: ' out
result $? "readers of callgrind's files read cachegrind's as such" out

"$lint" - <calls-zero.bad >out
test $? = 1 && grep -q '^standard input:9: calls-zero: ' out
result $? "standard input" out
cat calls-zero.bad | "$lint" - >out
test $? = 1 && grep -q '^standard input:9: calls-zero: ' out
result $? "a pipe" out

compressed () # NAME PROGRAM WHAT-READS-IT
{
  if command -v "$2" >/dev/null; then
    "$2" -c crlf.good >packed && "$lint" packed >out 2>err
    test $? = 2 && test ! -s out \
      && grep -qx "cgw-lint: packed: compressed by $2: $3 it first" err
    result $? "$1" err
  else
    skip "$1" "there is no $2"
  fi
}
compressed "compressed by gzip" gzip zcat
compressed "compressed by bzip2" bzip2 bzcat
compressed "compressed by xz" xz xzcat
compressed "compressed by zstd" zstd zstdcat

# No function, no call.
printf 'events: A\n' | "$lint" --all -r all - >out 2>err
test $? = 1 && test ! -s err && grep -q ':1: no-totals: ' out
result $? "a header alone" err

# Any bytes: it comes to an end, with a status that it may have.
"$build/tests/fuzz/profile" --damage 1 crlf.bad jcnd-malformed.bad \
  cob-left-out.bad >out 2>&1
result $? "cut at every byte, and each one changed" out
head -c 300000 "$lint" >binary
"$lint" binary >out 2>&1
test $? -le 2
result $? "a program" out
done_testing
