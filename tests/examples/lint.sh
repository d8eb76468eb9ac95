#!/bin/sh
# lint.sh - cgw-lint: each rule has a file that breaks it, and one that does
# not (lint.cases); what the library writes breaks none; the readers agree.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: the tools, the
# lessons, tests/format/cachegrind_files.

build=$(pwd)
lint=$build/examples/lint/cgw-lint
srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
. "$srcdir/tests/support/kcachegrind.sh"
. "$srcdir/tests/support/lint_cases.sh"
. "$srcdir/tests/support/tap.sh"
LC_ALL=C
export LC_ALL
log=$dir/log

cd "$dir" || exit 1
here=$(pwd -P)
cd "$here" || exit 1

lint_cases 2>err
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

# names FILE: the rules in an output, each once, on a line.
names () # FILE
{
  sed -n 's/^[^:]*:\([0-9]*:\)\{0,1\} \([a-z0-9-]*\): .*/\2/p' "$1" | sort -u \
    | paste -s -d ' ' -
}

one_case () # NAME LINE ALSO OPTION
{
  rule=${1%%+*}
  option=${4#-}
  test "$4" = - || option=$4
  expected=$(printf '%s\n' "$rule" "${3#-}" | tr , '\n' | sed '/^$/d' | sort \
    | paste -s -d ' ' -)
  where=$1.bad:$2
  test "$2" != 0 || where=$1.bad
  "$lint" --all -r all $option "$1.bad" >all.out 2>&1
  grep "^$where: $rule: " all.out >found || { cat all.out; return 1; }
  "$lint" $option "$1.bad" >bad.out 2>&1
  status=$?
  if grep -q "^$rule	[^	]*	mistake	" rules; then
    test $status = 1 && test "$(names bad.out)" = "$expected" \
      || { cat bad.out; return 1; }
  else
    test $status = 0 && test ! -s bad.out || { cat bad.out; return 1; }
  fi
  "$lint" $option "$1.good" || return 1
  "$lint" -r all $option "$1.good" >all.out
  if grep " $rule: " all.out; then return 1; fi
}

while read -r name line also option rest; do
  one_case "$name" "$line" "$also" "$option" >log 2>&1
  result $? "$name"
done <list
cut -f 1 rules | sort >known
{ cut -d ' ' -f 1 list | sed 's/+.*//'; echo file-too-large; } | sort -u \
  | diff known - >log
result $? "each rule has a case"
awk -F '\t' '$2 == "" || $4 == "" || $5 == ""' rules >log
test ! -s log
result $? "each rule has readers, an effect and a fix"

# The list of rules as the manual page has it.
page=$build/examples/lint/cgw-lint.1
listed () # KIND
{
  awk -F '\t' -v kind="$1" 'BEGIN { print ".Bl -tag -width Ds" }
    $3 == kind {
      gsub (/\\/, "\\e")
      n = split ($6, starred, ", ")
      for (i = 1; i <= n; i++)
        sub (starred[i], starred[i] "*", $2)
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
if command -v man >/dev/null; then
  man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>log >formatted
  test ! -s log && test -s formatted
  result $? "man has no warnings"
else
  skip "man has no warnings" "there is no man"
fi

# What the library writes.

clean () # NAME FILE...
{
  name=$1
  shift
  test -s "$1" && "$lint" --all "$@" >log 2>&1
  result $? "$name"
}

mkdir spec && "$build/examples/spec_fixtures" spec
clean "the examples of the document" spec/*

# A count of 0 is what the writer of the original said.
for file in "$srcdir"/tests/data/*; do
  name=${file##*/}
  test "$name" != README || continue
  { "$build/examples/recode/cgw-recode" "$file" >recoded \
      && "$build/examples/recode/cgw-recode" --plain "$file" >plain; } 2>log
  "$lint" --all recoded plain 2>&1 | grep -v ': calls-zero: ' >log
  test -s recoded && test -s plain && test ! -s log
  result $? "$name: recoded"
done

printf 'main;work;read 3\nmain;work 10\nmain;(x);work 1\n' \
  | "$build/examples/import/cgw-folded" >folded
clean "folded stacks" folded

mkdir cachegrind
"$build/tests/format/cachegrind_files" cachegrind 2>err
cd cachegrind && clean "files with CGW_CACHEGRIND" records profile callgrind \
  addresses lost long
cd ..
for lesson in first handler threads emulator; do
  mkdir $lesson && cd $lesson && "$build/examples/$lesson" >out 2>err
  clean "examples/$lesson.c" callgrind.out.*
  cd ..
done

cat >program.c <<'END'
#include <stdlib.h>
#include <time.h>

static int
compare (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

int
main (void)
{
  static int numbers[10000];

  while (clock () < CLOCKS_PER_SEC / 5)
    {
      for (int i = 0; i < 10000; i++)
        numbers[i] = rand ();
      qsort (numbers, 10000, sizeof *numbers, compare);
    }
  return 0;
}
END
if test -x "$build/examples/sample/cgw-sample" \
  && ${CC-cc} -g -O1 program.c -o program 2>err; then
  "$build/examples/sample/cgw-sample" -o sampled ./program 2>err
  clean "cgw-sample" sampled
else
  skip "cgw-sample" "it is not built"
fi
# A preloaded object that has a sanitizer needs a program that has it, too.
# shellcheck disable=SC2086 # flags are words
if test -x "$build/examples/trace/cgw-trace" \
  && ${CC-cc} ${CFLAGS-} ${LDFLAGS-} -finstrument-functions program.c \
    -o program 2>err; then
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 \
    "$build/examples/trace/cgw-trace" -o traced ./program 2>err
  clean "cgw-trace" traced
else
  skip "cgw-trace" "it is not built"
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
    "$build/examples/recode/cgw-recode" --plain "$name.good" >"$name.plain" \
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
"$lint" -r webgrind -r speedscope zeros-left-out.bad | cut -d ' ' -f 2 >out
printf 'zeros-left-out:\n' | diff - out >log
result $? "--reader twice"

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

"$lint" - <calls-zero.bad >out
test $? = 1 && grep -q '^standard input:9: calls-zero: ' out
result $? "standard input" out
cat calls-zero.bad | "$lint" - >out
test $? = 1 && grep -q '^standard input:9: calls-zero: ' out
result $? "a pipe" out

compressed () # NAME PROGRAM
{
  if command -v "$2" >/dev/null; then
    "$2" -c crlf.good >packed && "$lint" packed >out 2>err
    test $? = 2 && test ! -s out \
      && grep -qx "cgw-lint: packed: the file is compressed: try $2 -d" err
    result $? "$1" err
  else
    skip "$1" "there is no $2"
  fi
}
compressed "compressed by gzip" gzip
compressed "compressed by bzip2" bzip2
compressed "compressed by xz" xz

status=0
for arguments in '' '--what x' '-r x' '-r kcachegrind, x' '-r none x'; do
  # They are words.
  # shellcheck disable=SC2086
  "$lint" $arguments >out 2>err
  { test $? = 2 && grep -q '^Usage: cgw-lint ' err && test ! -s out; } \
    || { status=1; echo "# $arguments"; }
done
result $status "wrong usage: status 2"
"$lint" --help | grep -q '^Usage: cgw-lint ' \
  && "$lint" --version | grep -q '^cgw-lint (libcgw) [0-9]'
result $? "--help and --version"
if test -w /dev/full; then
  "$lint" calls-zero.bad >/dev/full 2>err
  test $? = 2 && grep -q '^cgw-lint: standard output: ' err
  result $? "a full device" err
  "$lint" --rules >/dev/full 2>err
  test $? = 2 && grep -q '^cgw-lint: standard output: ' err
  result $? "--rules to a full device" err
else
  skip "a full device" "there is no /dev/full"
  skip "--rules to a full device" "there is no /dev/full"
fi

# No function, no call.
printf 'events: A\n' | "$lint" --all -r all - >out 2>err
test $? = 1 && test ! -s err && grep -q ':1: no-totals: ' out
result $? "a header alone" err

# Any bytes: it comes to an end, with a status that it may have.
status=0
for file in crlf jcnd-malformed cob-left-out; do
  size=$(wc -c <$file.bad)
  for n in $(seq 1 "$size"); do
    head -c "$n" $file.bad >cut
    "$lint" cut >out 2>&1
    test $? -le 1 || { status=1; echo "# $file: $n bytes"; }
  done
done
head -c 300000 "$lint" >binary
"$lint" binary >out 2>&1
test $? -le 2 || status=1
result $status "cut at every byte, and a program"

done_testing
