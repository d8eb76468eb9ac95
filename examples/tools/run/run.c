/* run.c - runs a program for a tool, passes signals on to it, and waits for its
   end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "run.h"

#include "../base/coverage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is passed on.  */
static const int passed_on[]
    = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

static sigset_t old_mask;

static bool
catch_signals (struct run *run)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGCHLD);
  for (int i = 0; i < PASSED_ON; i++)
    sigaddset (&set, passed_on[i]);
  sigprocmask (SIG_BLOCK, &set, &old_mask);
  /* Were it ignored, the program's end would go unseen.  */
  signal (SIGCHLD, SIG_DFL);
  run->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return run->signals >= 0;
}

void
run_begin (struct run *run)
{
  sigaction (SIGXFSZ, NULL, &run->at_size_limit);
}

/* In the child.  Reports why it could not go on through the pipe, which
   closes when it could.  */
static void
become (const struct run *run, char **arguments, bool (*prepare) (void *),
        void *context, int report)
{
  int error;

  if (prepare (context))
    {
      sigaction (SIGXFSZ, &run->at_size_limit, NULL);
      sigprocmask (SIG_SETMASK, &old_mask, NULL);
      execvp (arguments[0], arguments);
    }
  error = errno;
  if (write (report, &error, sizeof error) < 0)
    leave (126);
  leave (125);
}

bool
run_start (struct run *run, char **arguments, bool (*prepare) (void *),
           void *context)
{
  int ends[2];
  int error = 0;

  if (!catch_signals (run) || pipe2 (ends, O_CLOEXEC) != 0)
    return false;
  run->pid = fork ();
  if (run->pid < 0)
    return false;
  if (run->pid == 0)
    become (run, arguments, prepare, context, ends[1]);
  close (ends[1]);
  while (read (ends[0], &error, sizeof error) < 0 && errno == EINTR)
    ;
  close (ends[0]);
  if (error == 0)
    return true;
  waitpid (run->pid, NULL, 0);
  errno = error;
  return false;
}

/* A signal from the terminal reached the program already: it is in the same
   group of processes.  */
static void
pass_on (struct run *run, const struct signalfd_siginfo *signal)
{
  static unsigned terminations;

  if (signal->ssi_code == SI_KERNEL)
    return;
  kill (run->pid, (int) signal->ssi_signo);
  if (signal->ssi_signo == SIGTERM && ++terminations == 2)
    run->is_urged = true;
}

static double
seconds (const struct timeval *t)
{
  return (double) t->tv_sec + (double) t->tv_usec / 1e6;
}

static void
take_end (struct run *run)
{
  struct rusage usage;

  if (wait4 (run->pid, &run->status, WNOHANG, &usage) != run->pid)
    return;
  run->has_ended = true;
  run->seconds = seconds (&usage.ru_utime) + seconds (&usage.ru_stime);
}

void
run_wait (struct run *run, int milliseconds)
{
  struct pollfd ready = { .fd = run->signals, .events = POLLIN };
  struct signalfd_siginfo signal;

  if (poll (&ready, 1, milliseconds) <= 0)
    return;
  while (read (run->signals, &signal, sizeof signal) == sizeof signal)
    if (signal.ssi_signo != SIGCHLD)
      pass_on (run, &signal);
    else
      take_end (run);
}

/* The program has dumped core if it wanted to.  */
static void
die_by (int number)
{
  struct rlimit none = { 0, 0 };
  sigset_t set;

  setrlimit (RLIMIT_CORE, &none);
  signal (number, SIG_DFL);
  sigemptyset (&set);
  sigaddset (&set, number);
  sigprocmask (SIG_UNBLOCK, &set, NULL);
  raise (number);
}

void
run_exit (const struct run *run)
{
  int number = run->has_ended ? 0 : SIGTERM;

  if (run->has_ended && WIFEXITED (run->status))
    exit (WEXITSTATUS (run->status));
  if (run->has_ended)
    number = WTERMSIG (run->status);
  die_by (number);
  exit (128 + number);
}
