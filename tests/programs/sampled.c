/* sampled.c - a program to be sampled, that takes known shares of processor
   time in known functions; with TICKS, known numbers of samples.

   SPDX-License-Identifier: MIT  */

#include "sampled_inline.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__ ((noinline, noclone))

static volatile unsigned sink;

NOINLINE void
hot (double ms)
{
  FOR_MS (ms)
    sink = mix (sink);
}

NOINLINE void
cold (double ms)
{
  FOR_MS (ms)
    sink = mix (sink);
}

NOINLINE static void
work (double ms)
{
  hot (ms * 0.9);
  cold (ms * 0.1);
}

/* Deep, and every frame is needed after the call.  */
NOINLINE static unsigned
recursion (unsigned depth, double ms)
{
  if (depth == 0)
    {
      hot (ms);
      return sink;
    }
  return recursion (depth - 1, ms) + depth;
}

/* Before main; glibc passes the arguments.  */
__attribute__ ((constructor)) static void
early (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "early-recursion") == 0)
    hot (100);
}

NOINLINE static void *
worker (void *blocks_signals)
{
  if (blocks_signals != NULL)
    {
      sigset_t all;

      sigfillset (&all);
      pthread_sigmask (SIG_SETMASK, &all, NULL);
    }
  work (300);
  return NULL;
}

static int
c11_worker (void *unused)
{
  worker (unused);
  return 0;
}

static int
threads (void)
{
  pthread_t thread[2];
  thrd_t c11_thread;

  for (int i = 0; i < 2; i++)
    if (pthread_create (&thread[i], NULL, worker, i == 0 ? thread : NULL) != 0)
      return 1;
  if (thrd_create (&c11_thread, c11_worker, NULL) != thrd_success)
    return 1;
  for (int i = 0; i < 2; i++)
    pthread_join (thread[i], NULL);
  thrd_join (c11_thread, NULL);
  return 0;
}

NOINLINE static void
child_work (void)
{
  hot (150);
}

/* A child that goes on, and one that becomes another program.  */
static int
forks (char *self)
{
  int status = 0;

  for (int i = 0; i < 2; i++)
    {
      pid_t pid = fork ();

      if (pid == 0 && i == 1)
        execl (self, self, "loop", NULL);
      if (pid == 0)
        {
          child_work ();
          _exit (0);
        }
      printf ("%ld\n", (long) pid);
    }
  work (150);
  while (wait (&status) > 0)
    ;
  return status;
}

/* Loads libraries one after the other, each of which may lie where the one
   before did, and ends without a farewell.  */
static int
load (char **libraries)
{
  for (; *libraries != NULL; libraries++)
    {
      void *library = dlopen (*libraries, RTLD_NOW);
      void (*run) (double);
      void *symbol = library != NULL ? dlsym (library, "run") : NULL;

      if (symbol == NULL)
        return 1;
      memcpy (&run, &symbol, sizeof run);
      run (150);
      dlclose (library);
    }
  _exit (0);
}

static void
on_terminate (int number)
{
  (void) number;
  if (write (STDOUT_FILENO, "\n", 1) != 1)
    _exit (3);
}

/* Says who it is when it has been sampled, and stays until it is stopped. */
_Noreturn static void
endless (void)
{
  work (600);
  printf ("%ld\n", (long) getpid ());
  fflush (stdout);
  for (;;)
    pause ();
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";

  if (strcmp (mode, "threads") == 0)
    return threads ();
  if (strcmp (mode, "forks") == 0)
    return forks (argv[0]);
  if (strcmp (mode, "load") == 0)
    return load (argv + 2);
  if (strcmp (mode, "stubborn") == 0)
    signal (SIGTERM, on_terminate);
  if (strcmp (mode, "endless") == 0 || strcmp (mode, "stubborn") == 0)
    endless ();
  if ((strcmp (mode, "recursion") == 0
       || strcmp (mode, "early-recursion") == 0)
      && argc > 2)
    return recursion ((unsigned) atoi (argv[2]), 200) == 1;
  if (strcmp (mode, "killed") == 0)
    {
      work (600);
      raise (SIGKILL);
    }
  if (strcmp (mode, "masked") == 0)
    {
      /* Not through libc, where the profiler would see it.  */
      unsigned long all = ~0ul;

      syscall (SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
      execl (argv[0], argv[0], "loop", NULL);
    }
  if (strcmp (mode, "all-signals") == 0)
    for (int i = 1; i < NSIG; i++)
      signal (i, SIG_DFL);
  if (strcmp (mode, "shares") == 0)
    for (int i = 0; i < 20; i++)
      work (100);
  work (600);
  return 7;
}
