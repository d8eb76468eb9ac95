/* thread.h - the threads of a traced program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_THREAD_H
#define TRACE_THREAD_H 1

#include "thread_calls.h"

#include <stdatomic.h>
#include <sys/types.h>

struct thread
{
  struct thread *next;
  unsigned number;     /* in the order of their first calls, from 1 */
  _Atomic uintptr_t busy; /* not 0 while the tracer works on this thread:
                             the address of its stack frame */
  bool ready;          /* its calls are open */
  bool blind;          /* there was no memory: what came then is missing */
  bool lost;           /* control left the tracer: its calls are unknown */
  clockid_t clock;
  _Atomic uint64_t skipped; /* calls in handlers that interrupted the tracer */
  size_t n_saved;      /* what thread_copy found when its calls were closed */
  struct calls calls;
};

struct reader;

/* What the command, examples/tools/trace, wants; see trace.c.  */
struct trace_settings
{
  char *out;     /* path, absolute */
  bool with_pid; /* the process id is to be added */
  bool command;  /* this process is what the command has become */
  bool cpu;      /* CPU time, not wall-clock time */
  bool parts;    /* one file, with a part for each thread */
  bool trees;    /* calling contexts, not functions: see run/tree.h */
  unsigned save_every; /* seconds; 0: only at the end */
  const struct reader *reader; /* whom the profile is for, or NULL: any */
};
extern struct trace_settings trace_settings;

/* Reads the settings, if that was not done.  */
void thread_begin (void);

/* Initial-exec: found without a call that might allocate.  */
extern _Thread_local struct thread *thread_self
    __attribute__ ((tls_model ("initial-exec")));
enum
{
  THREADS_RUN,
  THREADS_PAUSED, /* the saver reads a thread's calls: the tracer waits */
  THREADS_STOPPED
};
extern _Atomic int thread_state;

/* For thread_hold: a thread's first call, or a reason to do nothing.  */
struct thread *thread_hold_unready (uintptr_t frame);

/* For thread_hold: waits, or does nothing.  */
struct thread *thread_hold_later (uintptr_t frame);

static inline void
thread_release (struct thread *t)
{
  atomic_store_explicit (&t->busy, 0, memory_order_release);
}

/* Begins to work on the present thread's calls; thread_release ends that.
   frame is the address of the caller's stack frame.  NULL: there is nothing to
   do.  */
static inline struct thread *
thread_hold (uintptr_t frame)
{
  struct thread *t = thread_self;

  if (t == NULL || !t->ready)
    return thread_hold_unready (frame);
  if (atomic_load_explicit (&t->busy, memory_order_relaxed) != 0)
    return NULL;
  /* thread_stop sets the one, and then looks at the other.  It makes this
     thread do this in order, too.  */
  atomic_store_explicit (&t->busy, frame, memory_order_relaxed);
  atomic_signal_fence (memory_order_seq_cst);
  if (atomic_load_explicit (&thread_state, memory_order_relaxed)
      == THREADS_RUN)
    return t;
  thread_release (t);
  return thread_hold_later (frame);
}

/* Counts a call for which it was NULL because a handler has interrupted the
   tracer.  */
void thread_skip (void);

/* There is no memory for what comes now.  */
void thread_go_blind (struct thread *t);

/* Control goes to a frame of the present thread with that stack pointer; see
   calls_cut.  If it goes over the tracer, which a handler has interrupted, the
   thread is lost.  */
void thread_cut (uintptr_t stack, bool to_first);

/* Whether the present thread is inside a signal handler.  */
bool thread_in_handler (void);

/* Stops the tracing and ends what is active in all threads; returns them in
   order.  Those that do not leave the tracer are missing.  NULL when there is
   none, or when it was called before.  */
struct thread *thread_stop (unsigned *missing);

/* Whether the threads are not this process's: vfork lends them.  */
bool thread_is_lent (void);

/* For the saver: the present thread is not traced; and the threads of the
   process, the last first.  */
void thread_ignore (void);
struct thread *thread_list (void);

/* Copies what a thread has called so far, while the tracer waits, and no thread
   forks.  copy must be all zeros; free it by thread_free_copy.  False: there is
   nothing new, or the thread does not leave the tracer, or there is no
   memory.  */
bool thread_copy (struct thread *t, struct thread *copy);
void thread_free_copy (struct thread *copy);

#endif /* TRACE_THREAD_H */
