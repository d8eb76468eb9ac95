/* agent_thread.c - the threads that an agent samples: starts a clock for each,
   and calls the agent at its ticks.

   The program needs no changes: agent_libc.c replaces the functions of libc
   that start threads, block signals and unload libraries.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct agent *agent;
static _Atomic bool is_on;
static uint64_t interval;
static bool want_events;
static pthread_key_t key;

/* Initial-exec: the agent is loaded with the program, so access never
   allocates.  */
static __thread struct agent_thread *self
    __attribute__ ((tls_model ("initial-exec")));

bool
agent_is_on (void)
{
  return atomic_load (&is_on);
}

bool
agent_is_inside (void)
{
  return self != NULL && self->inside;
}

/* The handler.  */

struct tick
{
  const siginfo_t *info;
  ucontext_t *context;
};

/* On the agent's own stack.  */
static void
take_sample (void *tick)
{
  const struct tick *k = tick;

  agent->take_sample (self, k->context,
                     agent_clock_ticks (&self->clock, k->info, k->context));
}

/* What the program wants done at the signal of the tick.  A handler reads it at
   any time, so a new one takes the other place.  */
static struct sigaction wanted[2];
static _Atomic unsigned wanted_now;

struct sigaction
agent_tick_action (const struct sigaction *action)
{
  unsigned now = atomic_load (&wanted_now);
  struct sigaction old = wanted[now];

  if (action != NULL)
    {
      wanted[1 - now] = *action;
      atomic_store (&wanted_now, 1 - now);
    }
  return old;
}

/* Somebody else has sent a signal that has no handler: it is to end the
   process, when the signals are no longer blocked.  */
static void
end_process (int number)
{
  struct sigaction action = { .sa_handler = SIG_DFL };

  agent_real.sigaction (number, &action, NULL);
  syscall (SYS_tgkill, syscall (SYS_getpid), syscall (SYS_gettid), number);
}

/* Whether a process has sent a signal, by kill, sigqueue or tgkill.  */
static bool
is_sent (const siginfo_t *info)
{
  return info->si_code == SI_USER || info->si_code == SI_QUEUE
         || info->si_code == SI_TKILL;
}

/* Calls the program's own handler, if it has one.  */
static void
pass_on (int number, siginfo_t *info, void *context)
{
  struct sigaction action = { .sa_handler = SIG_DFL };
  sigset_t mask;

  if (number == AGENT_TICK)
    action = agent_tick_action (NULL);
  if ((action.sa_flags & (int) SA_RESETHAND) != 0)
    agent_tick_action (&(struct sigaction){ .sa_handler = SIG_DFL });
  /* The kernel's own may be ticks of a clock from before an exec.  */
  if (action.sa_handler == SIG_DFL && is_sent (info))
    end_process (number);
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
    return;
  sigorset (&mask, &((ucontext_t *) context)->uc_sigmask, &action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0)
    sigaddset (&mask, number);
  agent_real.pthread_sigmask (SIG_SETMASK, &mask, NULL);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction (number, info, context);
  else
    action.sa_handler (number);
}

/* All signals are blocked here.  This takes little of the stack that it is on:
   it may be the program's.  */
static void
on_tick (int number, siginfo_t *info, void *context)
{
  struct agent_thread *t = self;
  int saved = errno;

  if (!agent_clock_is_tick (number, info))
    {
      pass_on (number, info, context);
      return;
    }
  if (t == NULL || t->inside || !agent->wants_sample (context))
    return;
  t->inside = 1;
  agent_stacks_call (t, take_sample, &(struct tick){ info, context });
  t->inside = 0;
  agent_clock_end (&t->clock);
  errno = saved;
}

/* sigfillset leaves out the two signals by which libc cancels threads and
   changes their ids; they must not leave the agent's stack, either.  */
static struct sigaction
own_action (void)
{
  struct sigaction action = { .sa_sigaction = on_tick,
                              .sa_flags = SA_RESTART | SA_SIGINFO
                                          | SA_ONSTACK };

  memset (&action.sa_mask, 0xff, sizeof action.sa_mask);
  return action;
}

/* SIGIO would end the program.  */
static void
catch_ticks (void)
{
  struct sigaction action = own_action ();
  struct sigaction old;

  agent_real.sigaction (AGENT_TICK, &action, &old);
  agent_tick_action (&old);
  if (want_events && agent_real.sigaction (SIGIO, NULL, &old) == 0
      && old.sa_handler == SIG_DFL)
    agent_real.sigaction (SIGIO, &action, NULL);
}

int
agent_io_action (const struct sigaction *action, struct sigaction *old)
{
  struct sigaction own = own_action ();
  int result;

  if (want_events && action != NULL && action->sa_handler == SIG_DFL)
    action = &own;
  result = agent_real.sigaction (SIGIO, action, old);
  if (result == 0 && old != NULL && (old->sa_flags & SA_SIGINFO) != 0
      && old->sa_sigaction == on_tick)
    memset (old, 0, sizeof *old);
  return result;
}

/* Clocks.  */

/* A clock counts processor time, so a thread that waits is not woken up.  */
static enum agent_clock_kind
start_clock (struct agent_thread *t, int *event_error)
{
  t->id = (uint32_t) syscall (SYS_gettid);
  return agent_clock_start (&t->clock, t->id, interval, want_events,
                            event_error);
}

static void
start_first_clock (struct agent_thread *t)
{
  int event_error;
  enum agent_clock_kind kind = start_clock (t, &event_error);

  agent->note_clock (kind, event_error);
}

/* A child of vfork, which has its parent's memory, has no clock.  */
bool
agent_pause (void)
{
  struct agent_thread *t = self;

  agent_find_real ();
  if (t == NULL || t->clock.event == NULL
      || t->id != (uint32_t) syscall (SYS_gettid))
    return false;
  agent_clock_stop (&t->clock);
  agent_clock_take_waiting ();
  return true;
}

void
agent_resume (void)
{
  int event_error;

  start_clock (self, &event_error);
}

/* Threads.  */

static void
allow_ticks (void)
{
  sigset_t tick;

  sigemptyset (&tick);
  sigaddset (&tick, AGENT_TICK);
  agent_real.pthread_sigmask (SIG_UNBLOCK, &tick, NULL);
}

static void
take_root (void *first)
{
  agent->take_root (self, *(bool *) first);
}

static void
look_at_stack (struct agent_thread *t, bool first)
{
  sigset_t all, old;

  if (getcontext (&t->context) != 0)
    return;
  sigfillset (&all);
  agent_real.pthread_sigmask (SIG_SETMASK, &all, &old);
  t->inside = 1;
  agent_stacks_call (t, take_root, &first);
  t->inside = 0;
  agent_real.pthread_sigmask (SIG_SETMASK, &old, NULL);
}

static void
begin_thread (bool first)
{
  int saved = errno;
  struct agent_thread *t = agent_stacks_new (agent->thread_size);

  if (t == NULL)
    agent->note_clock (AGENT_NO_CLOCK, 0);
  else
    {
      self = t;
      look_at_stack (t, first);
      pthread_setspecific (key, t);
      agent_stacks_use (t);
      start_first_clock (t);
      allow_ticks ();
    }
  errno = saved;
}

void
agent_begin_thread (void)
{
  begin_thread (false);
}

/* A tick may still be on its way: it finds no thread.  */
static void
end_thread (void *thread)
{
  struct agent_thread *t = thread;

  self = NULL;
  atomic_signal_fence (memory_order_seq_cst);
  agent_clock_stop (&t->clock);
  agent_stacks_free (t, agent->thread_size);
}

void
agent_threads_begin (const struct agent *a, uint64_t ns, bool events)
{
  agent = a;
  interval = ns;
  want_events = events;
  pthread_key_create (&key, end_thread);
  catch_ticks ();
  atomic_store (&is_on, true);
  begin_thread (true);
}

void
agent_threads_continue (void)
{
  if (self != NULL)
    start_first_clock (self);
}

void
agent_threads_forget (void)
{
  atomic_store (&is_on, false);
}
