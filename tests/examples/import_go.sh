#!/bin/sh
# import_go.sh - cgw-import on what a Go program wrote of itself: costs of the
# first functions as "go tool pprof" shows them.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder:
# examples/tools/import/cgw-import, tests/support/cgread.

import=$(pwd)/examples/tools/import/cgw-import
programs=$(cd "${srcdir-.}/tests/programs" && pwd)
. "${srcdir-.}/tests/support/tap.sh"
ulimit -S -v unlimited # Go needs more.
GOFLAGS=-mod=mod GO111MODULE=off
export GOFLAGS GO111MODULE
command -v go >/dev/null || skip_all "go is not installed"
cd "$dir" || exit 1
HOME=$dir
export HOME
if ! go build -o prog "$programs/profiled.go" >go.log 2>&1 || ! ./prog; then
  skip_all "go builds no program"
fi

# pprof_rows FILE EVENT UNIT COLUMN [OPTION]: the costs and names of its first
# functions.
pprof_rows ()
{
  go tool pprof -top -nodecount=10 -unit="$3" -sample_index="$2" ${5-} "$1" \
    2>err | awk -v column="$4" '
    rows {
      name = $6
      for (i = 7; i <= NF; i++) if ($i != "(inline)") name = name " " $i
      if ($column + 0 != 0) print $column + 0, name
    }
    /flat%/ { rows = 1 }' | sort
}

# our_sums KIND COLUMN: the sums of all functions, "cost" for self costs, "call"
# for inclusive costs.
our_sums ()
{
  awk -F '\t' -v kind="$1" -v column="$2" '
    $1 == kind {
      split($NF, cost, " ")
      sums[kind == "cost" ? $4 : $10] += cost[column + (kind == "call")]
    }
    END { for (f in sums) printf "%d %s\n", sums[f], f }' dump | sort
}

for event in cpu samples inuse_space inuse_objects alloc_space alloc_objects; do
  case $event in
    cpu) file=cpu unit=nanoseconds ;;
    samples) file=cpu unit=count ;;
    *_space) file=heap unit=bytes ;;
    *) file=heap unit=count ;;
  esac
  "$import" --event "$event" -o out $file.pb.gz && "$cgread" --no-pad --dump out >dump
  pprof_rows $file.pb.gz $event $unit 1 >flat
  pprof_rows $file.pb.gz $event $unit 4 -cum >cum
  our_sums cost 1 | comm -13 - flat >differ
  our_sums call 1 | comm -13 - cum >>differ
  test -s flat && test -s cum && test ! -s differ
  result $? "$event: $(cat flat cum | wc -l) costs as pprof shows them" differ
done

done_testing
