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

# Children that are forked while other threads make tables larger, and end.
{
  cat <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
END
  awk 'BEGIN {
    for (i = 0; i < 400; i++)
      print "static void f" i " (void) {}"
    print "static void *all (void *unused) {"
    for (i = 0; i < 400; i++)
      print "  f" i " ();"
    print "  return unused;\n}"
  }'
  cat <<'END'
static void *threads (void *unused)
{
  pthread_t t;
  for (;;)
    if (pthread_create (&t, NULL, all, NULL) == 0)
      pthread_join (t, NULL);
  return unused;
}

int main (void)
{
  pthread_t t;
  int status, died = 0;

  for (int i = 0; i < 4; i++)
    if (pthread_create (&t, NULL, threads, NULL) != 0)
      return 100;
  for (int i = 0; i < 100; i++)
    {
      pid_t child = fork ();
      if (child == 0)
        _exit (0);
      if (waitpid (child, &status, 0) != child)
        return 101;
      died += status != 0;
    }
  _exit (died);
}
END
} >forks.c
# shellcheck disable=SC2086 # flags are words
${CC-cc} $CFLAGS $LDFLAGS -finstrument-functions -pthread -g -O0 forks.c \
  -o forks >log 2>&1 && run 0 ./forks
result $? "children forked beside threads that begin and end" log
done_testing
