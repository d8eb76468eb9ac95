#!/bin/sh
# import_recorded.sh - cgw-import reads what perf records here: perf report must
# show the same percentages.  import_perf.sh has each kind of record.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/import/cgw-import, tests/support/cgread.

import=$(pwd)/examples/tools/import/cgw-import
here=$(cd "${srcdir-.}" && pwd)/tests/examples
. "${srcdir-.}/tests/support/tap.sh"
ulimit -S -v unlimited # Node.js needs more.
command -v perl >/dev/null || skip_all "perl is missing"

cd "$dir" || exit 1
HOME=$dir
export HOME

"$import" --from perf </dev/null 2>log
if grep -q 'no such kind' log; then
  skip_all "cgw-import was built without libdw"
fi

try_perf ()
{
  command -v perf >/dev/null && perf record -q -o try.data -e cpu-clock true \
    && perf report -i try.data --stdio
}

try_perf >log 2>&1 || skip_all "perf is missing, or may not record"

cat >prog.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

volatile unsigned long sum;
#define APART __attribute__ ((noinline, noclone))

APART void leaf (int n) { for (int i = 0; i < n; i++) sum += i * sum; }
APART void recurse (int n)
{
  leaf (3000);
  if (n > 0)
    recurse (n - 1);
  leaf (500);
}
APART void touch (void)
{
  char *p = malloc (1 << 22);
  memset (p, 1, 1 << 22);
  sum += p[4711];
  free (p);
}
APART void work (int n)
{
  for (int i = 0; i < n; i++)
    {
      recurse (5);
      if (i % 50 == 0)
        touch ();
    }
}
void *thread (void *name) { prctl (PR_SET_NAME, name); work (800); return 0; }
int main (int argc, char **argv)
{
  pthread_t t[2];

  if (argc > 1)
    {
      work (800);
      return 0;
    }
  pthread_create (&t[0], 0, thread, "first one");
  pthread_create (&t[1], 0, thread, "second");
  work (500);
  pthread_join (t[0], 0);
  pthread_join (t[1], 0);
  if (fork () == 0)
    {
      work (500);
      execl ("./again", "again", "x", (char *) 0);
    }
  wait (0);
  return 0;
}
END
${CC-cc} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
  -o prog prog.c -pthread 2>log
result $? "a program to record" log
ln prog again

# They have no frame pointers, so chance decides which of their functions are in
# a chain.
not_compared="libc.so.6 ld-linux-x86-64.so.2"

# agrees NAME FILE [SAMPLES]: perf report prints what the profile says, but for
# so many samples.
agrees ()
{
  what=$1
  file=$2
  more=${3-2}
  "$import" --inline=lines -o out "$file" 2>err \
    && "$cgread" --no-pad --dump out >got \
    && perf report -i "$file" --stdio --children --no-inline -g none \
      --sort dso,sym -t '|' 2>/dev/null \
      | perl "$here/perf_report.pl" got "$more" _start _dl_start_user \
        $not_compared >log
  status=$?
  cat err >>log
  result $status "$what"
  grep '^# compared' log
}

# record FILE OPTION...
record ()
{
  file=$1
  shift
  perf record -q -F 1499 "$@" -o "$file" ./prog >perf.log 2>&1
}

record fp.data -e cpu-clock,page-faults -g
agrees "two events, frame pointers" fp.data
record dwarf.data -e cpu-clock --call-graph dwarf
# After an execve, perf's unwinder loses frames of the dynamic linker.
not_compared="__libc_start_main ld-linux-x86-64.so.2"
agrees "call graphs of copied stacks" dwarf.data 3
not_compared=libc.so.6

if ! command -v node >/dev/null; then
  skip "code that node made" "node is missing"
else
  cat >prog.js <<'END'
function fib (n) { return n < 2 ? n : fib (n - 1) + fib (n - 2); }
fib (32);
END
  perf record -q -F 999 -e cpu-clock -g -o node.data \
    node --perf-basic-prof prog.js >perf.log 2>&1
  agrees "code that node made" node.data
  "$cgread" --no-pad --dump out 2>/dev/null | grep -q 'fib .*prog.js'
  result $? "functions of JavaScript have names"
  rm -f /tmp/perf-"$(perf script -i node.data -F pid 2>/dev/null | head -n 1 \
                     | tr -d ' ')".map
fi

done_testing
