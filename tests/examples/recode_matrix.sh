#!/bin/sh
# Profiles real programs with callgrind under each of its options, recodes the
# files, and compares before and after: for a strict reader, for
# callgrind_annotate, in size, and some for kcachegrind.
#
# SPDX-License-Identifier: MIT

builddir=$(cd "${builddir-.}" && pwd -P)
srcdir=$(cd "${srcdir-.}" && pwd -P)
export builddir srcdir
recode=$builddir/examples/recode/cgw-recode
cgread=$builddir/tests/support/cgread
. "$srcdir/tests/examples/annotate.sh"
. "$srcdir/tests/support/kcachegrind.sh"

# The options, each with a name for the report.
options='
default
instr      --dump-instr=yes
jumps      --collect-jumps=yes
instrjumps --dump-instr=yes --collect-jumps=yes
cache      --cache-sim=yes --branch-sim=yes
threads    --separate-threads=yes
combined   --combine-dumps=yes --dump-every-bb=300000
dumps      --separate-threads=yes --combine-dumps=yes --dump-every-bb=300000
callers    --separate-callers=2
recursion  --separate-recs=3
noline     --dump-line=no
fullnames  --compress-strings=no
absolute   --compress-pos=no
systime    --collect-systime=nsec
bus        --collect-bus=yes
'

option_names () { echo "$options" | awk 'NF { print $1 }'; }
option_flags () # NAME
{
  echo "$options" | awk -v name="$1" '$1 == name { $1 = ""; print }'
}

# Runs a program under callgrind; the words before it are callgrind's.
program () # NAME FLAG...
{
  name=$1
  shift
  set -- valgrind --tool=callgrind "$@"
  case $name in
    gzip) "$@" gzip -9 -n -c text ;;
    xz) "$@" xz -0 -T2 --block-size=20KiB -c text ;;
    sort) "$@" sort -n --parallel=2 text ;;
    awk) "$@" awk '{ n[$1 % 50] += $2 } END { for (i in n) print n[i] }' \
           text ;;
    perl) "$@" perl -e 'my %n; while (<>) { $n{$1}++ while /(\d)/g }
        print map { "$_ $n{$_}\n" } sort keys %n' small ;;
    bash) "$@" bash -c 'f () { local n=$1; ((n)) && f $((n - 1)); x+=$n; }
        for i in {1..20}; do f $((i % 7)); done; echo ${#x}' ;;
    names) "$@" ./names ;;
    threads) "$@" ./threads ;;
  esac
}

# One program under one option.

# The messages of callgrind_annotate, without what may differ: file names, line
# numbers, and the text of the lines that it stumbles over.
messages () # FILE
{
  sed -e 's/[0-9][0-9]*/N/g' -e "/^ *line: '/d" -e '/^ *$/d' "$1" | sort -u
}

# Totals that callgrind_annotate computes have calls of count 0 in them.
without_totals () # FILE NUMBERS
{
  if grep -q '^calls=0 ' "$1"; then
    grep -v 'PROGRAM TOTALS' "$2"
  else
    cat "$2"
  fi
}

check_annotate () # FILE
{
  annotate "$1" "$1.n1" "$1.e1" || { echo "cannot annotate $1"; return 1; }
  annotate "$1.r" "$1.n2" "$1.e2" || { echo "cannot annotate $1.r"; return 1; }
  without_totals "$1" "$1.n1" >"$1.a1"
  without_totals "$1" "$1.n2" >"$1.a2"
  messages "$1.e1" >"$1.m1"
  messages "$1.e2" >"$1.m2"
  test -s "$1.a1" && diff "$1.a1" "$1.a2" \
    && test -z "$(comm -13 "$1.m1" "$1.m2")"
}

check_file () # FILE NAME
{
  before=$(wc -c <"$1")
  "$recode" -o "$1.r" "$1" 2>"$1.err" || { cat "$1.err"; return 1; }
  # callgrind itself writes such lines in the middle of a run, and calls that
  # began in an earlier dump.
  if grep -vE ': warning: (line number below 0: |calls with a cost and calls=0 )' \
    "$1.err"; then
    return 1
  fi
  after=$(wc -c <"$1.r")
  echo "$2 $before $after" >>sizes
  "$cgread" --allow-zero-calls --no-pad --same "$1" "$1.r" || return 1
  "$recode" "$1.r" 2>"$1.err" | cmp - "$1.r" || return 1
  # With several threads in one dump, callgrind uses names in one part that it
  # defined in another, where KCachegrind does not find them.
  test "$after" -le "$before" || test "${2#* }" = dumps \
    || { echo "$1: $after bytes after, $before before"; return 1; }
  check_annotate "$1"
}

# Whether an option had the effect that it is tested for.
has_effect () # PROGRAM OPTION FILES
{
  case $1,$2 in
    *,combined | *,dumps) test "$(grep -c '^part: ' cg)" -ge 2 ;;
    *,jumps | *,instrjumps) grep -q '^jump=' cg && grep -q '^jcnd=' cg ;;
    *,instr) grep -q '^positions: instr line' cg ;;
    *,cache) grep -q '^events: Ir Dr Dw ' cg ;;
    *,fullnames) ! grep -q '^fn=([0-9]' cg ;;
    threads,threads) test "$3" -ge 2 ;;
  esac
}

# Called by xargs: writes the file "result" in a directory of its own.
if test "$1" = --job; then
  mkdir "$4/$2.$3" && cd "$4/$2.$3" || exit 1
  ln -s ../text ../small ../names ../threads .
  flags=$(option_flags "$3")
  if ! program "$2" --callgrind-out-file=cg $flags >program.out 2>log; then
    cp log result
    exit 0
  fi
  files=0
  : >result
  for file in cg cg.* cg-*; do
    test -s "$file" || continue
    files=$((files + 1))
    check_file "$file" "$2 $3" >>result 2>&1 || echo failed >>result
  done
  test $files -gt 0 || echo "callgrind wrote no file" >>result
  has_effect "$2" "$3" $files || echo "the option has no effect" >>result
  # For kcachegrind.
  test ! -s cg || mv cg.r keep
  rm -f cg*.a? cg*.n? cg*.e? cg*.m? cg*.raw
  exit 0
fi

. "$srcdir/tests/support/tap.sh"
command -v valgrind >/dev/null && command -v callgrind_annotate >/dev/null \
  || skip_all "valgrind is not installed"
LC_ALL=C
export LC_ALL

# The programs, and what they work on.
awk 'BEGIN { for (i = 1; i <= 9000; i++) print i * 7919 % 10007, i }' \
  >"$dir/text"
head -n 300 "$dir/text" >"$dir/small"
programs=
for name in gzip xz sort awk perl bash; do
  if command -v $name >/dev/null; then
    programs="$programs $name"
  else
    skip "$name" "there is no $name"
  fi
done
${CXX-c++} -std=c++17 -g -O1 "$srcdir/tests/programs/names.cc" \
  -o "$dir/names" >"$dir/log" 2>&1 && programs="$programs names"
${CC-cc} -g -O1 -pthread "$srcdir/tests/programs/threads.c" \
  -o "$dir/threads" >>"$dir/log" 2>&1 && programs="$programs threads"

for name in $programs; do
  for option in $(option_names); do
    echo "--job $name $option $dir"
  done
done >"$dir/jobs"
xargs -P "$(nproc 2>/dev/null || echo 2)" -L 1 sh "$0" <"$dir/jobs"

for name in $programs; do
  for option in $(option_names); do
    log=$dir/$name.$option/result
    test -e "$log" && test ! -s "$log"
    result $? "$name, $option" "$log"
  done
done
set -- $programs
test $# -ge 6
result $? "at least six programs ran" "$dir/log"

# kcachegrind loads what recode wrote.

for file in names.default names.instrjumps threads.combined perl.cache \
    names.fullnames; do
  if ! has_kcachegrind; then
    skip "kcachegrind, $file" "kcachegrind is not installed"
  elif ! test -s "$dir/$file/keep"; then
    skip "kcachegrind, $file" "there is no such profile"
  else
    kcachegrind_opens "$dir/$file/keep" "$dir/kcachegrind"
    result $? "kcachegrind, $file" "$dir/kcachegrind"
  fi
done

# The sizes of all files of a program and an option together.
cat "$dir"/*/sizes | awk '
  { key = $1 " " $2; before[key] += $3; after[key] += $4 }
  END { for (key in before)
          printf "# size %s %d %d %.3f\n", key, before[key], after[key],
                 after[key] / before[key] }' | sort
done_testing
