#!/bin/sh
# trace_storm.sh - cgw-trace and a timer whose handlers interrupt it anywhere:
# each call is recorded, or said to be missing.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder: the tools,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/trace.sh"

for level in -O0 -O2; do
  # shellcheck disable=SC2086 # flags are words
  ${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g $level traced.c \
    -o traced >log 2>&1
  result $? "$level: the program compiles" log
  run 0 ./traced storm
  status=$?
  edges out 1 >got || status=1
  missing=$(sed -n 's/^desc: Missing: \([0-9]*\) calls by.*/\1/p' out)
  recorded=$(awk '$1 == "tick" { n += $3 } $2 == "tick" { n += $3 }
                  END { print n + 0 }' got)
  echo "ticks $(cat printed), missing $missing, recorded $recorded" >>log
  # Each tick is two calls.
  test $((${missing:-0} + recorded)) = $((2 * $(cat printed))) || status=1
  result $status "$level: handlers that interrupt the tracer" log
done
done_testing
