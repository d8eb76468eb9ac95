#!/bin/sh
# saved.sh - --save-every of cgw-trace and cgw-sample: after kill -9 there is
# what was saved last, which is a complete profile, and nothing else.
# Nothing depends on speed: programs make a known number of calls, or send
# themselves ticks, and wait; the test waits until these are in a file.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/trace/cgw-trace, examples/tools/sample/cgw-sample, tests/support/cgread.

. "${srcdir-.}/tests/support/tap.sh"
trace=$build/examples/tools/trace/cgw-trace
sample=$build/examples/tools/sample/cgw-sample
cd "$dir" || exit 1
at_end 'kill -9 $pid 2>/dev/null'

# Two threads, and with an argument a forked child, make 100 calls each, and 50
# more when there is a file "more".  They end when there is a file "end".
cat >calls.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void
small (void)
{
  free (malloc (100));
}

__attribute__ ((no_instrument_function)) static void
await (const char *path)
{
  while (access (path, F_OK) != 0)
    usleep (10000);
}

static void *
loop (void *unused)
{
  for (int i = 0; i < 150; i++)
    {
      if (i == 100)
        await ("more");
      small ();
    }
  await ("end");
  return unused;
}

int
main (int argc, char **argv)
{
  pthread_t thread;

  (void) argv;
  if (argc > 1 && fork () == 0)
    {
      loop (NULL);
      _exit (0);
    }
  pthread_create (&thread, NULL, loop, NULL);
  loop (NULL);
  pthread_join (thread, NULL);
  return 0;
}
END
${CC-cc} -g -finstrument-functions calls.c -o calls -lpthread 2>log || exit 1

# has FILE NUMBER FUNCTION [CALLER]: waits, for a minute, until so many calls of
# a function by another, or so many samples of it, are in a complete file.
has ()
{
  tries=0
  no_pad=--no-pad
  test $# -lt 4 || no_pad=
  until test -s "$1" && "$cgread" ${no_pad:+"$no_pad"} --dump "$1" >counts 2>&1 \
    && awk -F '\t' -v wanted="$2" -v f="$3" -v caller="${4-}" '
      $1 == "call" && $4 == caller && $10 == f { split($13, c, " "); n += c[1] }
      $1 == "cost" && caller == "" && $4 == f { split($NF, c, " "); n += c[2] }
      END { exit n != wanted }' counts; do
    tries=$((tries + 1))
    test $tries -lt 600 || return 1
    sleep 0.1
  done
}

# has_calls NUMBER FILE...: of small by loop.
has_calls ()
{
  wanted=$1
  shift
  for file; do
    has "$file" "$wanted" small loop || return 1
  done
}

# cgw-trace.

if test -x "$trace"; then
  "$trace" -o out --save-every 1 ./calls fork >log 2>&1 &
  pid=$!
  has_calls 100 out out-2
  result $? "each thread is saved while the program runs" counts
  has out 1 loop main
  result $? "what is saved has the open calls" counts
  until set -- out.* && test -s "$1"; do
    kill -0 $pid || break
    sleep 0.1
  done
  child=$1
  has_calls 100 "$child"
  result $? "a forked child is saved, too" counts
  : >more
  has_calls 150 out out-2 "$child"
  result $? "what is saved next has the calls since" counts
  kill -9 "$(sed -n 's/^pid: //p' out)" "$(sed -n 's/^pid: //p' "$child")"
  wait $pid 2>/dev/null
  has_calls 150 out out-2 "$child" \
    && grep -q '^cgw-trace: profiles: out out-2 out\.[0-9]*$' log \
    && grep -q 'out: is what was saved last: signal 9 ' log
  result $? "after kill -9 there is what was saved last" log
  "$trace" -o ended --save-every 1 ./calls >log 2>&1 &
  pid=$!
  has_calls 150 ended
  : >end
  wait $pid
  test $? = 0 && has_calls 150 ended ended-2 \
    && grep -qx 'cgw-trace: profiles: ended ended-2' log \
    && ! grep -q 'saved last' log
  result $? "a program that ends after it was saved: nothing is missing" log
  "$trace" --save-every 1 --parts ./calls >log 2>&1
  test $? = 125 && grep -q 'save-every and --parts exclude' log
  result $? "--parts is refused" log
else
  skip cgw-trace "it was not built"
fi

# cgw-sample.

if test -x "$sample"; then
  ${CC-cc} -g -w -D_GNU_SOURCE -DTICKS "$srcdir/tests/programs/sampled.c" \
    -o sampled -ldl -lpthread 2>log || exit 1
  "$sample" -F 1 -o out --save-every 1 ./sampled endless >said 2>log &
  pid=$!
  await said
  program=$(cat said)
  has out 540 hot
  result $? "the samples are saved while the program runs" log
  kill -9 $pid
  wait $pid 2>/dev/null
  # A child of cgw-sample may be saving, and completes that.
  kill -9 "$program"
  has out 540 hot && test ! -s log
  result $? "after kill -9 of cgw-sample there is a complete profile" counts
  "$sample" -F 1 -o first --save-every 1 sh -c './sampled loop
    until test -s first; do sleep 0.1; done' >log 2>&1
  test $? = 0 && has first.[0-9]* 540 hot \
    && grep -q '^cgw-sample: 600 samples taken ' log
  result $? "a program that ends after it was saved: it is saved again" log
  "$sample" -o - --save-every 1 ./sampled loop >log 2>&1
  test $? = 125 && grep -q 'needs a regular file' log
  result $? "standard output is refused" log
else
  skip cgw-sample "it was not built"
fi
done_testing
