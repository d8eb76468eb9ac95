#!/bin/sh
# sample_exec.sh - no tick of cgw-sample that is pending when a program executes
# another one comes to that one, which it would kill.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir, CC.  In the build folder:
# examples/tools/sample/cgw-sample.

. "${srcdir-.}/tests/support/tap.sh"
. "${srcdir-.}/tests/support/sample.sh"

# The program blocks the tick, works until one is pending, and executes itself
# without an agent: by the C library, or by the system call if it is in Go, as the
# note of Go's linker says.
cat >program.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef GO
__asm__ (".pushsection .note.go.buildid, \"a\", @note\n"
         ".p2align 2\n"
         ".long 4, 4, 4\n"
         ".asciz \"Go\"\n"
         ".p2align 2\n"
         ".long 0\n"
         ".popsection");
# define EXECUTE(path, arguments, environment)                                \
    syscall (SYS_execve, path, arguments, environment)
#else
# define EXECUTE(path, arguments, environment)                                \
    execve (path, arguments, environment)
#endif

/* Not by the C library, in which the agent has functions of its own.  */
static int
is_pending (void)
{
  sigset_t set;

  sigemptyset (&set);
  syscall (SYS_rt_sigpending, &set, 8);
  return sigismember (&set, SIGRTMAX - 1);
}

int
main (int argc, char **argv)
{
  char *again[] = { argv[0], "again", NULL };
  char *nothing[] = { NULL };
  sigset_t tick;

  if (argc > 1)
    return is_pending () ? 9 : 7;
  sigemptyset (&tick);
  sigaddset (&tick, SIGRTMAX - 1);
  syscall (SYS_rt_sigprocmask, SIG_BLOCK, &tick, NULL, 8);
  while (!is_pending ())
    ;
  EXECUTE ("/proc/self/exe", again, nothing);
  return 2;
}
END

for language in C GO; do
  ${CC-cc} -g -D$language program.c -o $language >log 2>&1
  result $? "$language: the program compiles" log
  for clock in '' --timers; do
    # shellcheck disable=SC2086 # nothing, or an option
    "$sample" -q $clock -o out ./$language >log 2>&1
    status=$?
    echo "status $status" >>log
    test $status -eq 7
    result $? "$language $clock: no tick outlives an exec" log
  done
done
done_testing
