/* thread.c - the threads of a traced program: their calls, from the
   first one to the thread's end or the program's.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "thread.h"

#include "../format/reader.h"
#include "arena.h"
#include "clock.h"
#include "outcome.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>
#ifdef SYS_membarrier
#include <linux/membarrier.h>
#endif

#define FRAME ((uintptr_t) __builtin_frame_address (0))

struct trace_settings trace_settings;

_Atomic int thread_state;
static struct thread *_Atomic threads;
static _Atomic unsigned n_threads;
static pid_t process;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
_Thread_local struct thread *thread_self
    __attribute__ ((tls_model ("initial-exec")));
static _Thread_local bool beginning
    __attribute__ ((tls_model ("initial-exec")));

/* Orders what all threads of the process read and write, so that the hooks need
   no instruction for it.  */
static void
order_threads (void)
{
  static const struct timespec long_enough = { 0, 10000000 };

#ifdef SYS_membarrier
  if (syscall (SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0
      || syscall (SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
    return;
#endif
  /* No processor holds back a store for so long.  */
  nanosleep (&long_enough, NULL);
}

/* While there is one thread, that is quick.  */
static void
allow_ordering (void)
{
#ifdef SYS_membarrier
  syscall (SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
#endif
}

static void
set_clock (struct thread *t)
{
  t->clock = CLOCK_MONOTONIC;
  /* Other threads can read this one, too.  */
  if (trace_settings.cpu)
    pthread_getcpuclockid (pthread_self (), &t->clock);
}

/* At a thread's end; what it calls later, in destructors of other keys, makes
   the key's value anew, and this is called again.  */
static void
end_thread (void *context)
{
  struct thread *t = context;

  if (!t->ready || thread_hold (FRAME) == NULL)
    return;
  t->ready = false;
  calls_close (&t->calls);
  thread_release (t);
}

/* A child must not get calls that are being copied.  */

static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

static void
before_fork (void)
{
  pthread_mutex_lock (&copying);
}

static void
after_fork (void)
{
  pthread_mutex_unlock (&copying);
}

/* In a forked child, which begins a profile of its own.  */
static void
begin_child (void)
{
  struct thread *t = thread_self;

  after_fork ();
  process = getpid ();
  allow_ordering ();
  trace_settings.command = false;
  trace_settings.with_pid = true;
  /* What a thread was changing stays: pointers may lead to what is unmapped. */
  for (struct thread *old = atomic_load (&threads); old; old = old->next)
    if (old != t && atomic_load (&old->busy) == 0)
      calls_free (&old->calls);
  atomic_store (&threads, t);
  atomic_store (&n_threads, t != NULL);
  if (t == NULL)
    return;
  /* A handler that interrupted the tracer has forked: give up.  */
  if (t->busy != 0)
    {
      atomic_store (&thread_state, THREADS_STOPPED);
      return;
    }
  t->next = NULL;
  t->number = 1;
  t->skipped = 0;
  set_clock (t);
  if (t->ready && !calls_restart (&t->calls, t->clock))
    thread_go_blind (t);
}

/* A path is in the folder where the command began: the program, and what
   starts others of it, may change theirs.  */
static char *
absolute (const char *path)
{
  const char *folder = *path == '/' ? NULL : getenv ("CGW_TRACE_FOLDER");
  char *result;

  if (asprintf (&result, "%s%s%s", folder ? folder : "", folder ? "/" : "",
                path) < 0)
    result = NULL;
  return result;
}

static void
begin (void)
{
  const char *out = getenv ("CGW_TRACE_OUT");
  const char *name = out ? out : "callgrind.out";
  const char *command = getenv ("CGW_TRACE_PID");
  const char *flags = getenv ("CGW_TRACE_FLAGS");
  const char *save = getenv ("CGW_TRACE_SAVE");
  const char *reader = getenv ("CGW_TRACE_FOR");

  process = getpid ();
  trace_settings.out = absolute (name);
  trace_settings.command = command && atol (command) == (long) process;
  trace_settings.with_pid = !out || !trace_settings.command;
  trace_settings.cpu = flags && strchr (flags, 'c');
  trace_settings.parts = flags && strchr (flags, 'p');
  trace_settings.trees = calls_are_trees = flags && strchr (flags, 't');
  trace_settings.reader = reader ? reader_named (reader) : NULL;
  trace_settings.save_every = save ? (unsigned) atol (save) : 0;
  pthread_atfork (before_fork, after_fork, begin_child);
  if (pthread_key_create (&key, end_thread) != 0)
    atomic_store (&thread_state, THREADS_STOPPED);
  outcome_begin ();
  allow_ordering ();
}

void
thread_begin (void)
{
  pthread_once (&once, begin);
}

static void
begin_clock (void)
{
  if (!trace_settings.cpu)
    clock_begin ();
}

static struct thread *
new_thread (void)
{
  static pthread_once_t clock_once = PTHREAD_ONCE_INIT;
  struct thread *t;

  thread_begin ();
  pthread_once (&clock_once, begin_clock);
  t = memory_keep (sizeof *t);
  if (t == NULL)
    return NULL;
  t->number = atomic_fetch_add (&n_threads, 1) + 1;
  if (trace_settings.command)
    outcome_called ();
  set_clock (t);
  t->next = atomic_load (&threads);
  while (!atomic_compare_exchange_weak (&threads, &t->next, t))
    continue;
  return t;
}

/* The present thread's calls; at its first call, they are made.  Not inside
   a handler that interrupted just that.  */
static struct thread *
this_thread (void)
{
  if (thread_self == NULL && !beginning)
    {
      beginning = true;
      atomic_signal_fence (memory_order_seq_cst);
      thread_self = new_thread ();
      atomic_signal_fence (memory_order_seq_cst);
      beginning = false;
    }
  return thread_self;
}

void
thread_go_blind (struct thread *t)
{
  t->blind = true;
  t->ready = false;
  if (t->calls.tracer)
    calls_end (&t->calls);
}

/* Opens the calls of a thread that is held.  */
static void
make_ready (struct thread *t)
{
  if (!calls_open (&t->calls, t->clock))
    {
      thread_go_blind (t);
      return;
    }
  t->ready = true;
  pthread_setspecific (key, t);
}

/* Waits while the saver reads, and tells whether the tracing goes on.  The
   system call itself, because nanosleep is a cancellation point.  */
static bool
is_running (void)
{
  static const struct timespec pause = { 0, 50000 };
  int error = errno;

  while (atomic_load (&thread_state) == THREADS_PAUSED)
    syscall (SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
  errno = error;
  return atomic_load (&thread_state) == THREADS_RUN;
}

struct thread *
thread_hold_later (uintptr_t frame)
{
  return is_running () ? thread_hold (frame) : NULL;
}

struct thread *
thread_hold_unready (uintptr_t frame)
{
  struct thread *t;

  if (!is_running () || (t = this_thread ()) == NULL
      || t->blind || t->lost || atomic_load (&t->busy) != 0)
    return NULL;
  atomic_store (&t->busy, frame);
  if (atomic_load (&thread_state) == THREADS_PAUSED)
    {
      thread_release (t);
      return thread_hold_later (frame);
    }
  if (atomic_load (&thread_state) == THREADS_RUN)
    make_ready (t);
  if (t->ready)
    return t;
  thread_release (t);
  return NULL;
}

void
thread_skip (void)
{
  struct thread *t = thread_self;

  if (t && atomic_load_explicit (&t->busy, memory_order_relaxed) != 0)
    atomic_fetch_add_explicit (&t->skipped, 1, memory_order_relaxed);
}

void
thread_cut (uintptr_t stack, bool to_first)
{
  struct thread *t = thread_self;
  uintptr_t busy = t ? atomic_load (&t->busy) : 0;

  if (t == NULL)
    return;
  if (busy != 0 && busy < stack)
    {
      /* The sums are half changed, and nobody will complete that.  */
      t->lost = true;
      return;
    }
  if (!t->ready || thread_hold (FRAME) == NULL)
    return;
  calls_cut (&t->calls, stack, to_first);
  thread_release (t);
}

/* Waits until a thread is not inside the tracer; not for ever, for it may be
   halted.  */
static bool
is_at_rest (struct thread *t, int milliseconds)
{
  static const struct timespec pause = { 0, 1000000 };

  for (int i = 0; i < milliseconds && !t->lost; i++)
    {
      if (atomic_load (&t->busy) == 0)
        return true;
      if (t == thread_self)
        return false;
      nanosleep (&pause, NULL);
    }
  return false;
}

void
thread_ignore (void)
{
  beginning = true;
}

struct thread *
thread_list (void)
{
  return atomic_load (&threads);
}

/* Copies what a thread that is at rest has called.  */
static bool
copy_calls (struct thread *t, struct thread *copy)
{
  bool is_open = t->ready;

  if (t->calls.n == 0 || (!is_open && t->calls.sums.n == t->n_saved))
    return false;
  copy->number = t->number;
  copy->blind = t->blind;
  atomic_store (&copy->skipped, atomic_load (&t->skipped));
  if (!calls_copy (&t->calls, &copy->calls))
    return false;
  t->n_saved = is_open ? 0 : t->calls.sums.n;
  return true;
}

/* A short wait: the thread may be inside a handler that interrupted the tracer,
   and fork there, which waits for this.  */
bool
thread_copy (struct thread *t, struct thread *copy)
{
  int runs = THREADS_RUN;
  bool ok = false;

  pthread_mutex_lock (&copying);
  if (atomic_compare_exchange_strong (&thread_state, &runs, THREADS_PAUSED))
    {
      order_threads ();
      ok = is_at_rest (t, 100) && copy_calls (t, copy);
      atomic_store (&thread_state, THREADS_RUN);
    }
  pthread_mutex_unlock (&copying);
  return ok;
}

void
thread_free_copy (struct thread *copy)
{
  calls_free_copy (&copy->calls);
}

static _Unwind_Reason_Code
look_for_signal (struct _Unwind_Context *context, void *found)
{
  int before = 0;

  /* Only where a signal came, the address is that of the next instruction. */
  _Unwind_GetIPInfo (context, &before);
  *(int *) found |= before;
  return before ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool
thread_in_handler (void)
{
  int found = 0;

  _Unwind_Backtrace (look_for_signal, &found);
  return found != 0;
}

bool
thread_is_lent (void)
{
  return process != getpid ();
}

struct thread *
thread_stop (unsigned *missing)
{
  struct thread *first = NULL;

  *missing = 0;
  if (atomic_exchange (&thread_state, THREADS_STOPPED) == THREADS_STOPPED)
    return NULL;
  if (atomic_load (&threads) != NULL)
    order_threads ();
  for (struct thread *next, *t = atomic_load (&threads); t; t = next)
    {
      next = t->next;
      if (is_at_rest (t, 10000))
        {
          calls_close (&t->calls);
          t->next = first;
          first = t;
        }
      else
        ++*missing;
    }
  return first;
}
