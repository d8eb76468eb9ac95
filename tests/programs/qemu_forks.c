/* qemu_forks.c - processes that leave no profile, and some that do: prints the
   ids of those that a signal ends, and of the one that stays.  The latter waits
   for a byte of the standard input.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const program[] = { "true", NULL };
static char *const no_environment[] = { NULL };

static void
end_by_signal (void)
{
  raise (SIGKILL);
}

/* A failed exec changes nothing, and a thread is no process.  */
static void *
end_in_thread (void *nothing)
{
  execve ("/nowhere", program, no_environment);
  raise (SIGKILL);
  return nothing;
}

static void
end_beside_thread (void)
{
  pthread_t thread;

  pthread_create (&thread, NULL, end_in_thread, NULL);
  pthread_join (thread, NULL);
}

static void
execute (void)
{
  execve ("/nowhere", program, no_environment);
  execvp (program[0], program);
}

static void
end (void)
{
  exit (0);
}

static void
stay (void)
{
  char byte;

  exit (read (STDIN_FILENO, &byte, 1) != 1);
}

static pid_t
start (void (*function) (void))
{
  pid_t child = fork ();

  if (child == 0)
    {
      function ();
      _exit (0);
    }
  return child;
}

static void
kill_in_child (void)
{
  waitpid (start (end_by_signal), NULL, 0);
  exit (0);
}

static void
run (const char *what, void (*function) (void))
{
  pid_t child = start (function);

  waitpid (child, NULL, 0);
  if (strcmp (what, "") != 0)
    printf ("%s %ld\n", what, (long) child);
}

static void
execute_in_other_ways (void)
{
  pid_t child;

  posix_spawnp (&child, program[0], NULL, NULL, program, no_environment);
  waitpid (child, NULL, 0);
  child = vfork ();
  if (child == 0)
    execvp (program[0], program);
  waitpid (child, NULL, 0);
}

int
main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (strcmp (what, "executes") == 0)
    {
      run ("", execute);
      execute_in_other_ways ();
    }
  else if (strcmp (what, "stays") == 0)
    printf ("stays %ld\n", (long) start (stay));
  else
    {
      run ("killed", end_by_signal);
      run ("killed", end_beside_thread);
      run ("", kill_in_child);
      run ("", end);
    }
}
