#!/bin/sh
# saved.sh - --save-every of cgw-trace and cgw-sample: after kill -9 there is
# what was saved last, which is a complete profile, and nothing else.
# Nothing depends on speed: each test waits for a file, and then kills.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder: examples/trace/cgw-trace,
# examples/sample/cgw-sample, tests/support/cgread.

builddir=$(cd "${builddir-.}" && pwd -P)
trace=$builddir/examples/trace/cgw-trace
sample=$builddir/examples/sample/cgw-sample
cgread=$builddir/tests/support/cgread
. "${srcdir-.}/tests/support/tap.sh"
# The preloaded library comes before the sanitizer's.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
LC_ALL=C
export ASAN_OPTIONS LC_ALL
cd "$dir" || exit 1
at_end 'kill -9 $pid 2>/dev/null'

# Two threads that call and allocate for ever, and a forked child that does.
cat >loops.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned long n;

static void
small (void)
{
  void *p = malloc (100);
  n++;
  free (p);
}

static void *
loop (void *parent)
{
  while (parent == NULL || getppid () == *(pid_t *) parent)
    small ();
  return NULL;
}

int
main (int argc, char **argv)
{
  pid_t parent = getpid ();
  pthread_t thread;

  (void) argv;
  if (argc > 1 && fork () == 0)
    {
      loop (&parent);
      _exit (0);
    }
  pthread_create (&thread, NULL, loop, NULL);
  loop (NULL);
}
END
${CC-cc} -g -finstrument-functions loops.c -o loops -lpthread 2>log \
  && ${CC-cc} -g loops.c -o plain -lpthread 2>log || exit 1

# It ends when a file is there.
cat >ends.c <<'END'
#include <unistd.h>

static volatile unsigned sum;

static void
small (void)
{
  for (unsigned i = 0; i < 1000; i++)
    sum += i;
}

int
main (int argc, char **argv)
{
  while (argc == 2 && access (argv[1], F_OK) != 0)
    small ();
  return 0;
}
END
${CC-cc} -g -finstrument-functions ends.c -o ends 2>log || exit 1

# calls FILE CALLER CALLEE: how often that was called, if the file is complete.
calls () {
  "$cgread" --dump "$1" | awk -F '\t' -v from="$2" -v to="$3" '
    $1 == "call" && $4 == from && $10 == to { split ($13, c, " "); n += c[1] }
    END { print n + 0 }'
}

# end FILE: kills the program that the profile is of, and waits for the tool.
end () {
  kill -9 "$(sed -n 's/^pid: //p' "$1")"
  wait $pid 2>/dev/null
}

# cgw-trace.

if test -x "$trace"; then
  "$trace" -o out --save-every 1 ./loops fork >log 2>&1 &
  pid=$!
  await out $pid && await out-2 $pid
  result $? "each thread is saved while the program runs" log
  first=$(calls out loop small)
  "$cgread" out >counts 2>&1 && "$cgread" out-2 >>counts 2>&1 \
    && test "$first" -gt 0 && test "$(calls out-2 loop small)" -gt 0 \
    && test "$(calls out main loop)" = 1
  result $? "what is saved is complete, and has the open calls" counts
  inode=$(ls -i out)
  while test "$(ls -i out)" = "$inode" && kill -0 $pid; do sleep 0.1; done
  second=$(calls out loop small)
  test "$second" -gt "$first"
  result $? "the next file has more calls: $first, $second" log
  until set -- out.* && test -s "$1"; do
    kill -0 $pid || break
    sleep 0.1
  done
  "$cgread" "$1" >counts 2>&1 && test "$(calls "$1" loop small)" -gt 0
  result $? "a forked child is saved, too" counts
  end out
  "$cgread" out >counts 2>&1 && "$cgread" out-2 >>counts 2>&1 \
    && test "$(calls out loop small)" -ge "$second" \
    && grep -q '^cgw-trace: out: [1-9][0-9]* calls, threads: 2$' log \
    && grep -q 'out: is what was saved last: signal 9 ' log
  result $? "after kill -9 there is what was saved last" counts
  "$trace" -o ended --save-every 1 ./ends ended >log 2>&1
  test $? = 0 && "$cgread" ended >counts 2>&1 \
    && test "$(calls ended main small)" -gt 0 \
    && grep -q '^cgw-trace: ended: [1-9][0-9]* calls, threads: 1$' log \
    && ! grep -q 'saved last' log
  result $? "a program that ends after it was saved: nothing is missing" log
  "$trace" --save-every 1 --parts ./loops >log 2>&1
  test $? = 125 && grep -q 'save-every and --parts exclude' log
  result $? "--parts is refused" log
else
  for n in 1 2 3 4 5 6 7; do skip "cgw-trace $n" "it was not built"; done
fi

# cgw-sample.

if test -x "$sample"; then
  "$sample" -o sampled --save-every 1 \
    sh -c 'echo $$ >program && exec ./plain' >log 2>&1 &
  pid=$!
  await sampled $pid
  result $? "the samples are saved while the program runs" log
  kill -9 $pid
  wait $pid 2>/dev/null
  # A child of cgw-sample may be saving, and completes that.
  kill -9 "$(cat program)"
  "$cgread" sampled >counts 2>&1 && grep -q '^cost-lines [1-9]' counts \
    && test ! -s log
  result $? "after kill -9 of cgw-sample there is a complete profile" counts
  "$sample" -o samples --save-every 1 ./ends samples >log 2>&1
  test $? = 0 && "$cgread" samples >counts 2>&1 \
    && grep -q '^cost-lines [1-9]' counts \
    && grep -q '^cgw-sample: [1-9][0-9]* samples taken ' log
  result $? "a program that ends after it was saved: it is saved again" log
  "$sample" -o - --save-every 1 ./plain >log 2>&1
  test $? = 125 && grep -q 'needs a regular file' log
  result $? "standard output is refused" log
else
  for n in 1 2 3 4; do skip "cgw-sample $n" "it was not built"; done
fi
done_testing
