/* agent_libc.c - replaces functions of libc that matter to an agent that takes
   samples: those that start threads, block signals, set handlers or list the
   objects.  agent_exec.c has those that execute another program, agent_maps.c
   the one that unmaps code.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <stdlib.h>
#include <sys/signalfd.h>

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

  agent_find_real ();
  if (start == NULL)
    return agent_real.pthread_create (thread, attributes, routine, arg);
  error = agent_real.pthread_create (thread, attributes, start_thread, start);
  if (error != 0)
    free (start);
  return error;
}

AGENT_STAND_IN int
thrd_create (thrd_t *thread, thrd_start_t routine, void *arg)
{
  struct start *start = make_start (NULL, routine, arg);
  int error;

  agent_find_real ();
  if (start == NULL)
    return agent_real.thrd_create (thread, routine, arg);
  error = agent_real.thrd_create (thread, start_c11_thread, start);
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
change_mask (agent_mask_fn *const *change, int how, const sigset_t *set,
             sigset_t *old, const void *caller)
{
  sigset_t changed;

  if (agent_is_inside ())
    {
      if (old != NULL)
        sigfillset (old);
      return 0;
    }
  agent_find_real ();
  return (*change) (how, without_tick (how, set, &changed, caller), old);
}

AGENT_STAND_IN int
sigprocmask (int how, const sigset_t *set, sigset_t *old)
{
  return change_mask (&agent_real.sigprocmask, how, set, old,
                      __builtin_return_address (0));
}

AGENT_STAND_IN int
pthread_sigmask (int how, const sigset_t *set, sigset_t *old)
{
  return change_mask (&agent_real.pthread_sigmask, how, set, old,
                      __builtin_return_address (0));
}

/* What waits for all signals must not take the tick from its handler.  */

#define WAITED(set)                                                           \
  without_tick (SIG_BLOCK, set, &(sigset_t){ { 0 } },                         \
                __builtin_return_address (0))

AGENT_STAND_IN int
sigwait (const sigset_t *set, int *number)
{
  agent_find_real ();
  return agent_real.sigwait (WAITED (set), number);
}

AGENT_STAND_IN int
sigwaitinfo (const sigset_t *set, siginfo_t *info)
{
  agent_find_real ();
  return agent_real.sigwaitinfo (WAITED (set), info);
}

AGENT_STAND_IN int
sigtimedwait (const sigset_t *set, siginfo_t *info,
              const struct timespec *timeout)
{
  agent_find_real ();
  return agent_real.sigtimedwait (WAITED (set), info, timeout);
}

AGENT_STAND_IN int
signalfd (int fd, const sigset_t *set, int flags)
{
  agent_find_real ();
  return agent_real.signalfd (fd, WAITED (set), flags);
}

/* The agent keeps its handler of the tick, which calls the program's.  A program
   that resets all signals must not reset that: a tick would kill it.  */
AGENT_STAND_IN int
sigaction (int number, const struct sigaction *action, struct sigaction *old)
{
  struct sigaction before;

  agent_find_real ();
  if (number == SIGIO && agent_is_on ())
    return agent_io_action (action, old);
  if (number != AGENT_TICK || !agent_is_on ())
    return agent_real.sigaction (number, action, old);
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

  agent_find_real ();
  if ((number != AGENT_TICK && number != SIGIO) || !agent_is_on ())
    return agent_real.signal (number, handler);
  return sigaction (number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* What unwinding needs.  */

AGENT_STAND_IN int
pipe2 (int ends[2], int flags)
{
  int result;

  agent_find_real ();
  result = agent_real.pipe2 (ends, flags);
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
  agent_find_real ();
  return agent_real.dl_iterate_phdr (callback, data);
}
