#!/bin/sh
# recode_matrix.sh - what callgrind writes of real programs, with each of its
# options, is recoded, and compared before and after: for a strict reader, for
# callgrind_annotate, in size, and some for kcachegrind.
#
# From the environment: srcdir, CC, CXX.  In the build folder:
# examples/tools/recode/cgw-recode, tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/examples/annotate.sh"
. "$srcdir/tests/support/kcachegrind.sh"
recode=$build/examples/tools/recode/cgw-recode
command -v valgrind >/dev/null && command -v callgrind_annotate >/dev/null \
  || skip_all "valgrind is not installed"
cd "$dir" || exit 1

# Names, programs that show what the options do, and the options.
cat >runs <<'END'
default    names
xz         xz
gzip       gzip
instr      sort    --dump-instr=yes
jumps      bash    --collect-jumps=yes
instrjumps names   --dump-instr=yes --collect-jumps=yes
cache      perl    --cache-sim=yes --branch-sim=yes
threads    threads --separate-threads=yes
combined   threads --combine-dumps=yes --dump-every-bb=300000
dumps      threads --separate-threads=yes --combine-dumps=yes --dump-every-bb=300000
callers    names   --separate-callers=2
recursion  bash    --separate-recs=3
noline     awk     --dump-instr=yes --dump-line=no
fullnames  names   --compress-strings=no
absolute   awk     --compress-pos=no
systime    sort    --collect-systime=nsec
bus        perl    --collect-bus=yes
END

# Runs a program under callgrind; the words before it are callgrind's.
run () # PROGRAM FLAG...
{
  program=$1
  shift
  set -- valgrind --tool=callgrind "$@"
  case $program in
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

# The messages of callgrind_annotate, without what may differ: file names, line
# numbers, and the text of the lines that it stumbles over.
messages () # FILE
{
  sed -e 's/[0-9][0-9]*/N/g' -e "/^ *line: '/d" -e '/^ *$/d' "$1" | sort -u
}

check_annotate () # FILE
{
  annotate "$1" "$1.n1" "$1.e1" || { echo "cannot annotate $1"; return 1; }
  annotate "$1.r" "$1.n2" "$1.e2" || { echo "cannot annotate $1.r"; return 1; }
  comparable "$1" "$1.n1" >"$1.a1"
  comparable "$1" "$1.n2" >"$1.a2"
  messages "$1.e1" >"$1.m1"
  messages "$1.e2" >"$1.m2"
  test -s "$1.a1" && diff "$1.a1" "$1.a2" \
    && test -z "$(comm -13 "$1.m1" "$1.m2")"
}

check_file () # FILE NAME
{
  "$recode" -o "$1.r" "$1" 2>"$1.err" || { cat "$1.err"; return 1; }
  # callgrind itself writes such lines in the middle of a run, and calls that
  # began in an earlier dump.
  if grep -vE ': warning: (line number below 0: |calls with a cost and calls=0 )' \
    "$1.err"; then
    return 1
  fi
  "$cgread" --allow-zero-calls --no-pad --same "$1" "$1.r" || return 1
  "$recode" "$1.r" 2>"$1.err" | cmp - "$1.r" || return 1
  # With several threads in one dump, callgrind uses names in one part that it
  # defined in another, where KCachegrind does not find them.
  before=$(wc -c <"$1")
  after=$(wc -c <"$1.r")
  test "$after" -le "$before" || test "$2" = dumps \
    || { echo "$1: $after bytes after, $before before"; return 1; }
  check_annotate "$1"
}

# Whether an option had the effect that it is tested for.
has_effect () # NAME FILE...
{
  case $1 in
    combined | dumps) test "$(cat "$2"* | grep -c '^part: ')" -ge 2 ;;
    jumps | instrjumps) grep -q '^jump=' "$2" && grep -q '^jcnd=' "$2" ;;
    instr) grep -q '^positions: instr line' "$2" ;;
    noline) grep -q '^positions: instr$' "$2" ;;
    cache) grep -q '^events: Ir Dr Dw ' "$2" ;;
    bus) grep -q '^events: .*Ge' "$2" ;;
    systime) grep -q '^events: .*sysTime' "$2" ;;
    callers) grep -q "^fn=.*'[^0-9]" "$2" ;;
    recursion) grep -q "^fn=.*'3\$" "$2" ;;
    fullnames) ! grep -q '^fn=([0-9]' "$2" ;;
    absolute) ! grep -q '^[+*-]' "$2" ;;
    threads) test $# -ge 3 ;;
  esac
}

# Checks all files that a run wrote.
check_run () # NAME FILE...
{
  has_effect "$@" || { echo "the option has no effect"; return 1; }
  shift
  for file; do
    check_file "$file" "$name" || return 1
  done
}

# What the programs work on.
awk 'BEGIN { for (i = 1; i <= 9000; i++) print i * 7919 % 10007, i }' >text
head -n 300 text >small
{ ${CXX-c++} -std=c++17 -g -O1 "$srcdir/tests/programs/names.cc" -o names \
  && ${CC-cc} -g -O1 -pthread "$srcdir/tests/programs/threads.c" \
    -o threads; } >log 2>&1
result $? "the programs" log

while read -r name program flags; do
  if ! command -v "$program" >/dev/null && ! test -x "$program"; then
    skip "$name" "there is no $program"
    continue
  fi
  # shellcheck disable=SC2086 # words
  run "$program" --callgrind-out-file="$name.cg" $flags >out 2>log \
    </dev/null && find . -name "$name.cg*" -size +0 | sort >files \
    && check_run "$name" $(cat files) >log 2>&1
  result $? "$program, $name" log
done <runs

# kcachegrind loads what recode wrote.
for name in default instrjumps combined cache fullnames; do
  if has_kcachegrind; then
    kcachegrind_opens "$dir/$name.cg.r" "$dir/log"
    result $? "kcachegrind, $name" log
  else
    skip "kcachegrind, $name" "kcachegrind is not installed"
  fi
done

done_testing
