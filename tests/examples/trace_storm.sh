#!/bin/sh
# trace_storm.sh - cgw-trace and a timer whose handlers interrupt it anywhere, and
# jump out of what they interrupt: each call is recorded, or said to be missing.
#
# From the environment: srcdir, CC, CFLAGS, LDFLAGS.  In the build folder: the tools,
# tests/support/cgread.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
test "$(uname -m)" = x86_64 || skip_all "jumps are known for x86-64 only"
. "${srcdir-.}/tests/support/trace.sh"

# Each tick of the timer is two calls, recorded or missing.  A handler that was
# left before it had ticked made at most two.
storm () # NAME WAY
{
  run 0 ./traced "$2"
  status=$?
  edges out 1 >got || status=1
  missing=$(sed -n 's/^desc: Missing: \([0-9]*\) calls by.*/\1/p' out)
  recorded=$(awk '$1 == "tick" { n += $3 } $2 == "tick" { n += $3 }
                  END { print n + 0 }' got)
  read -r ticks abandoned <printed || { ticks=0; abandoned=0; status=1; }
  echo "ticks $ticks, abandoned $abandoned, missing $missing," \
    "recorded $recorded" >>log
  calls=$((${missing:-0} + recorded))
  test $calls -ge $((2 * ticks)) \
    && test $calls -le $((2 * (ticks + abandoned))) || status=1
  result $status "$1" log
}

for level in -O0 -O2; do
  # shellcheck disable=SC2086 # flags are words
  ${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g $level traced.c \
    -o traced >log 2>&1
  result $? "$level: the program compiles" log
  storm "$level: handlers that interrupt the tracer and jump out" storm
  name="$level: handlers on another stack that do"
  case $CFLAGS in
    *-fsanitize*) skip "$name" "the sanitizer cannot follow them" ;;
    *) storm "$name" storm-aside ;;
  esac
done
done_testing
