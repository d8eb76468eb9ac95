#!/bin/sh
# report_readers.sh - the numbers of cgw-report against those of other readers, of
# files of many writers: callgrind_annotate, cg_annotate, and the strict reader of
# these tests, which has lines, too.  Each number is the same, or there is a reason,
# which report_readers.py lists.  And all that --json prints is as its schema says.
#
# From the environment: srcdir, CC.  In the build folder: cgw-report, cgw-recode,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/examples/annotate.sh"
command -v python3 >/dev/null || skip_all "there is no python3"
tools=$build/examples/tools
cd "$dir" || exit 1

compare ()
{
  python3 "$srcdir/tests/examples/report_readers.py" "$@" >>"$log" 2>&1
}

has_schema=
python3 -c 'import jsonschema' 2>/dev/null && has_schema=yes

# check FILE WHAT: it has one part, or "parts".
check ()
{
  name=$(basename "$1")
  : >"$log"
  spell_out <"$1" >spelled
  "$tools/report/cgw-report" --json --lines "$1" >json 2>err \
    && "$cgread" --lenient --allow-zero-calls --dump spelled >dump 2>>"$log" \
    && compare dump json dump
  result $? "$name: functions, calls and lines"
  if test -z "$has_schema"; then
    skip "$name: the schema" "python3-jsonschema is not installed"
  else
    compare schema json "$srcdir/examples/tools/report/report.schema.json"
    result $? "$name: the schema"
  fi
  test "$2" != parts || return
  if ! command -v callgrind_annotate >/dev/null; then
    skip "$name: callgrind_annotate" "it is not installed"
    return
  fi
  # It misreads what some writers write, adds the cost of calls=0 to the self cost,
  # and believes totals.
  "$tools/recode/cgw-recode" --plain "$1" 2>err \
    | sed 's/^calls=0 /calls=1 /; /^summary: /d; /^totals: /d' >plain
  annotate="callgrind_annotate --threshold=100 --show-percs=no --auto=no"
  : >"$log"
  "$tools/report/cgw-report" --json --lines plain >json 2>>"$log"
  $annotate --tree=both plain >self 2>>"$log" \
    && $annotate --tree=both --inclusive=yes plain >inclusive 2>>"$log" \
    && compare annotate json self inclusive
  result $? "$name: callgrind_annotate"
  sed 's/^#/# &/' "$log"
}

for file in "$srcdir"/tests/fuzz/seeds/profile/by-*; do
  check "$file" one
done
test $number -ge 39
result $? "all files were there"

if command -v valgrind >/dev/null; then
  cat >calls.c <<'END'
#include <stdlib.h>
#include <string.h>
static int odd (int n);
static __attribute__ ((noinline)) int even (int n)
{
  return n == 0 ? 1 : odd (n - 1);
}
static __attribute__ ((noinline)) int odd (int n)
{
  return n == 0 ? 0 : even (n - 1);
}
static __attribute__ ((noinline)) int fib (int n)
{
  return n < 2 ? n : fib (n - 1) + fib (n - 2);
}
static int compare (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}
int main (int argc, char **argv)
{
  int list[200];
  for (int i = 0; i < 200; i++)
    list[i] = i * 7919 % 211;
  qsort (list, 200, sizeof *list, compare);
  char *text = strdup (argv[0]);
  int n = fib (12) + even (30) + odd (argc + 40) + (int) strlen (text);
  free (text);
  return n == list[3];
}
END
  ${CC-cc} -w -gdwarf-4 -O1 calls.c -o calls 2>"$log"
  result $? "a program compiles"
  # callgrind_annotate leaves the current folder out, but not everywhere.
  here ()
  {
    sed "s|$(pwd -P)/||" "$1" >short && mv short "$1"
  }
  record () # FILE OPTION...
  {
    out=$1
    shift
    valgrind -q --tool=callgrind --callgrind-out-file="$out" "$@" ./calls \
      >/dev/null 2>"$log" && here "$out"
    result $? "$out is recorded"
  }
  record plain.out
  check plain.out one
  record caches.out --cache-sim=yes --branch-sim=yes --collect-jumps=yes
  check caches.out one
  record instructions.out --dump-instr=yes --separate-callers=2
  check instructions.out one
  record recursion.out --separate-recs=3
  check recursion.out one
  record parts.out --dump-every-bb=3000 --combine-dumps=yes
  check parts.out parts
  test "$(grep -c '^part: ' parts.out)" -gt 2
  result $? "there are parts"
else
  skip "files of valgrind" "it is not installed"
fi

# Files of cachegrind.
cachegrind () # FILE
{
  name=$(basename "$1")
  : >"$log"
  # Some files are cut off, so totals are made anew.
  "$tools/recode/cgw-recode" --cachegrind "$1" >shown.out 2>err
  "$tools/report/cgw-report" --json --lines shown.out >json 2>>"$log" \
    && cg_annotate --threshold=0 --auto=no --show-percs=no shown.out >shown \
         2>>"$log" \
    && compare cachegrind json shown
  result $? "$name: cg_annotate"
  sed 's/^#/# &/' "$log"
}
if command -v cg_annotate >/dev/null && command -v valgrind >/dev/null; then
  cachegrind "$srcdir/tests/fuzz/seeds/profile/by-cachegrind"
  valgrind -q --tool=cachegrind --cachegrind-out-file=cg.out --cache-sim=yes \
    --branch-sim=yes ./calls >/dev/null 2>"$log" && here cg.out
  cachegrind cg.out
else
  skip "cg_annotate" "it is not installed"
fi

done_testing
