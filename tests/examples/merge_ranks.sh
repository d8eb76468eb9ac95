#!/bin/sh
# merge_ranks.sh - cgw-merge --ranks: the files of an MPI program's ranks, in any
# order, make the bytes that rank 0 would write of all.
#
# From the environment: srcdir.  In the build folder: examples/tools/merge/cgw-merge,
# tests/support/cgread, tests/examples/rank_files.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
merge=$(pwd)/examples/tools/merge/cgw-merge
rank_files=$(pwd)/tests/examples/rank_files
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

done_testing
