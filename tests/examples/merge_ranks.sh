#!/bin/sh
# merge_ranks.sh - cgw-merge --ranks: the files of an MPI program's ranks, in any
# order, make the bytes that rank 0 would write of all; what it refuses.
#
# From the environment: srcdir.  In the build folder: examples/merge/cgw-merge,
# tests/support/cgread, tests/examples/rank_files.
# SPDX-License-Identifier: MIT

merge=$(pwd)/examples/merge/cgw-merge
cgread=$(pwd)/tests/support/cgread
rank_files=$(pwd)/tests/examples/rank_files
. "${srcdir-.}/tests/support/tap.sh"
LC_ALL=C
export LC_ALL
cd "$dir" || exit 1
log=err

for ranks in 1 2 3 8 17; do
  mkdir $ranks && "$rank_files" $ranks $ranks \
    && "$cgread" --no-pad --dump $ranks/out >dump 2>err && test -s dump
  result $? "$ranks ranks: the files are made"
  "$merge" --ranks -o sum $ranks/rank-*.out 2>err && test ! -s err \
    && cmp $ranks/out sum >err
  result $? "$ranks ranks: the bytes that rank 0 would write"
done
grep -q '^event: Bound = 17 Slow :' sum && grep -q '^events: Time Slow Fast$' sum
result $? "the events"
# Ranks 2, 7, 12 have the most time outside MPI, ranks 3, 8, 13 the least.
total () { sed -n 's/^totals: //p' "$1"; }
test "$(total sum | cut -d ' ' -f 2)" = "$(total 17/rank-02.out)" \
  && test "$(total sum | cut -d ' ' -f 3)" = 0 \
  && test "$(total 17/rank-03.out)" = 0
result $? "of equals, the lowest rank counts"
ls -r 17/rank-*.out >list
"$merge" --ranks -o sum --files-from list 2>err && test ! -s err \
  && cmp 17/out sum >err
result $? "in another order"
mkfifo pipe
cat 2/rank-01.out >pipe &
"$merge" --ranks -o sum pipe - <2/rank-00.out 2>err && cmp 2/out sum >err
result $? "pipes"
wait

"$merge" --ranks -o sum 8/rank-05.out 8/rank-01.out 2>err
test $? = 0 && test "$(cat err)" = \
  'cgw-merge: 8/rank-01.out: warning: 6 of 8 ranks are missing' \
  && grep -q '^event: Bound = 2 Slow ' sum && grep -q '^cmd: program 0$' sum \
  && test "$(total sum | cut -d ' ' -f 2)" = "$(total 8/rank-01.out)" \
  && test "$(total sum | cut -d ' ' -f 3)" = "$(total 8/rank-05.out)"
result $? "ranks are missing: the others, with a warning"

# refuses NAME STATUS MESSAGE ARGUMENT...: it fails and leaves no output.
refuses ()
{
  name=$1 status=$2
  printf 'cgw-merge: %s\n' "$3" >message
  shift 3
  rm -f none
  "$merge" -o none "$@" >stdout 2>err
  test $? = "$status" && test ! -s stdout && test ! -f none \
    && head -n 1 err | diff message - >log
  result $? "$name" log
}

one=8/rank-01.out
no='is not a rank-N file of cgw-mpi'
cp $one copy
"$merge" --ranks -o none $one 8/rank-02.out copy 2>err
test $? = 1 && test ! -f none && test "$(wc -l <err)" = 1 \
  && grep -Eqx \
    "cgw-merge: (copy: has the same rank as $one|$one: has the same rank as copy)" err
result $? "the same rank twice"
refuses "files of two runs" 1 \
  "2/rank-01.out: has another number of ranks than 17/rank-00.out" --ranks \
  17/rank-00.out 2/rank-01.out
refuses "the profile of all ranks" 1 "8/out: $no" --ranks $one 8/out

# changed NAME SCRIPT: with that change, it is not a rank-N file.
changed ()
{
  sed "$2" $one >changed
  refuses "$1" 1 "changed: $no" --ranks 8/rank-02.out changed
}
changed "no rank" '/^desc: Rank/d'
changed "no time outside MPI" '/^desc: Outside/d'
changed "two ranks" 's/^desc: Rank: 1 of 8$/&\
desc: Rank: 2 of 8/'
changed "a rank that is no number" 's/Rank: 1 of/Rank: one of/'
changed "a rank with something behind it" 's/of 8/of 8 or so/'
changed "a rank that is too high" 's/Rank: 1 of 8/Rank: 8 of 8/'
changed "a rank below 0" 's/Rank: 1 of 8/Rank: -1 of 8/'
changed "no ranks" 's/Rank: 1 of 8/Rank: 0 of 0/'
changed "a time beyond 64 bits" 's/MPI: /MPI: 99999999999999999999/'
changed "another event" '/^event/s/Time/Ir/'
changed "more events" 's/^events: Time/& Ir/'
cat 1/rank-00.out >changed
sed '1,/^version/d' 1/rank-00.out >>changed
# A part begins with what follows its header.
line=$(($(grep -n '^summary' changed | sed -n '2s/:.*//p') + 1))
refuses "a second part" 1 \
  "changed:$line: a second part: a rank-N file has only one" --ranks changed
refuses "a file that is no profile" 1 "list:1: $(
  "$merge" -o none list 2>&1 | sed 's/.*:1: //')" --ranks list
refuses "--parts, too" 2 '--parts and --ranks exclude each other' --ranks \
  --parts $one
done_testing
