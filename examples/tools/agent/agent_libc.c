/* agent_libc.c - replaces functions of libc that matter to an agent that takes
   samples: those that start threads, block signals, set handlers or list the
   objects.  agent_exec.c has those that execute another program, agent_load.c
   the one that unmaps code.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

/* libc's own functions.  */

typedef int mask_fn (int, const sigset_t *, sigset_t *);

static struct
{
  int (*pthread_create) (pthread_t *, const pthread_attr_t *,
                         void *(*) (void *), void *);
  int (*thrd_create) (thrd_t *, thrd_start_t, void *);
  mask_fn *pthread_sigmask;
  mask_fn *sigprocmask;
  int (*sigaction) (int, const struct sigaction *, struct sigaction *);
  void (*(*signal) (int, void (*) (int))) (int);
  int (*pipe2) (int *, int);
  int (*dl_iterate_phdr) (int (*) (struct dl_phdr_info *, size_t, void *),
                          void *);
} real;

void
agent_libc_find (void)
{
  if (real.dl_iterate_phdr != NULL)
    return;
  agent_find ("pthread_create", &real.pthread_create);
  agent_find ("thrd_create", &real.thrd_create);
  agent_find ("pthread_sigmask", &real.pthread_sigmask);
  agent_find ("sigprocmask", &real.sigprocmask);
  agent_find ("sigaction", &real.sigaction);
  agent_find ("signal", &real.signal);
  agent_find ("pipe2", &real.pipe2);
  agent_exec_find ();
  agent_find ("dl_iterate_phdr", &real.dl_iterate_phdr);
}

int
agent_sigmask (int how, const sigset_t *set, sigset_t *old)
{
  return real.pthread_sigmask (how, set, old);
}

int
agent_sigaction (int number, const struct sigaction *action,
                 struct sigaction *old)
{
  return real.sigaction (number, action, old);
}

/* Threads.  */

/* A thread's start, by either interface.  */
struct start
{
  void *(*routine) (void *);
  thrd_start_t c11_routine;
  void *arg;
};

static void *
start_thread (void *arg)
{
  struct start start = *(struct start *) arg;

  free (arg);
  agent_begin_thread ();
  return start.routine (start.arg);
}

static int
start_c11_thread (void *arg)
{
  struct start start = *(struct start *) arg;

  free (arg);
  agent_begin_thread ();
  return start.c11_routine (start.arg);
}

static struct start *
make_start (void *(*routine) (void *), thrd_start_t c11_routine, void *arg)
{
  struct start *start = agent_is_on () ? malloc (sizeof *start) : NULL;

  if (start != NULL)
    *start = (struct start){ routine, c11_routine, arg };
  return start;
}

AGENT_STAND_IN int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                void *(*routine) (void *), void *arg)
{
  struct start *start = make_start (routine, NULL, arg);
  int error;

  agent_libc_find ();
  if (start == NULL)
    return real.pthread_create (thread, attributes, routine, arg);
  error = real.pthread_create (thread, attributes, start_thread, start);
  if (error != 0)
    free (start);
  return error;
}

AGENT_STAND_IN int
thrd_create (thrd_t *thread, thrd_start_t routine, void *arg)
{
  struct start *start = make_start (NULL, routine, arg);
  int error;

  agent_libc_find ();
  if (start == NULL)
    return real.thrd_create (thread, routine, arg);
  error = real.thrd_create (thread, start_c11_thread, start);
  if (error != thrd_success)
    free (start);
  return error;
}

/* Signals.  */

/* If a program blocks all signals, keep the tick unblocked.  Exception: if the
   program itself calls libunwind, the handler must not interrupt it, because it
   would wait for a lock of the interrupted code.  */
static const sigset_t *
without_tick (int how, const sigset_t *set, sigset_t *changed,
              const void *caller)
{
  if (set == NULL || how == SIG_UNBLOCK || !agent_is_on ()
      || agent_unwind_is_code (caller))
    return set;
  *changed = *set;
  sigdelset (changed, AGENT_TICK);
  return changed;
}

/* libunwind blocks all signals around its locks.  Where the agent calls it,
   they are blocked already.  */
static int
change_mask (mask_fn *const *change, int how, const sigset_t *set,
             sigset_t *old, const void *caller)
{
  sigset_t changed;

  if (agent_is_inside ())
    {
      if (old != NULL)
        sigfillset (old);
      return 0;
    }
  agent_libc_find ();
  return (*change) (how, without_tick (how, set, &changed, caller), old);
}

AGENT_STAND_IN int
sigprocmask (int how, const sigset_t *set, sigset_t *old)
{
  return change_mask (&real.sigprocmask, how, set, old,
                      __builtin_return_address (0));
}

AGENT_STAND_IN int
pthread_sigmask (int how, const sigset_t *set, sigset_t *old)
{
  return change_mask (&real.pthread_sigmask, how, set, old,
                      __builtin_return_address (0));
}

/* The agent keeps its handler of the tick, which calls the program's.  A program
   that resets all signals must not reset that: a tick would kill it.  */
AGENT_STAND_IN int
sigaction (int number, const struct sigaction *action, struct sigaction *old)
{
  struct sigaction before;

  agent_libc_find ();
  if (number == SIGIO && agent_is_on ())
    return agent_io_action (action, old);
  if (number != AGENT_TICK || !agent_is_on ())
    return real.sigaction (number, action, old);
  before = agent_tick_action (action);
  if (old != NULL)
    *old = before;
  return 0;
}

AGENT_STAND_IN void (*
signal (int number, void (*handler) (int))) (int)
{
  struct sigaction action
      = { .sa_handler = handler, .sa_flags = SA_RESTART };
  struct sigaction old;

  agent_libc_find ();
  if ((number != AGENT_TICK && number != SIGIO) || !agent_is_on ())
    return real.signal (number, handler);
  return sigaction (number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* What unwinding needs.  */

AGENT_STAND_IN int
pipe2 (int ends[2], int flags)
{
  int result;

  agent_libc_find ();
  result = real.pipe2 (ends, flags);
  if (result == 0)
    agent_unwind_move_pipe (ends);
  return result;
}

AGENT_STAND_IN int
dl_iterate_phdr (int (*callback) (struct dl_phdr_info *, size_t, void *),
                 void *data)
{
  if (agent_is_inside ())
    return agent_maps_iterate (callback, data);
  agent_libc_find ();
  return real.dl_iterate_phdr (callback, data);
}
