/* trace_thread.h - the threads of a traced program.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_THREAD_H
#define TRACE_THREAD_H 1

#include "trace_calls.h"

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

struct thread
{
  struct thread *next;
  unsigned number;     /* in the order of their first calls, from 1 */
  _Atomic uintptr_t busy; /* not 0 while the tracer works on this thread:
                             the address of its stack frame */
  clockid_t clock;
  _Atomic uint64_t skipped; /* calls in handlers that interrupted the tracer */
  bool blind;          /* there was no memory: what came then is missing */
  struct calls calls;
};

/* What the command, examples/trace, wants; see trace.c.  */
struct trace_settings
{
  char *out;     /* path, absolute */
  bool with_pid; /* the process id is to be added */
  bool command;  /* this process is what the command has become */
  bool cpu;      /* CPU time, not wall-clock time */
  bool parts;    /* one file, with a part for each thread */
};
extern struct trace_settings trace_settings;

/* Works on the present thread's calls from here to thread_release; frame is
   the address of the stack frame of who does.  NULL: there is nothing to do.
   */
struct thread *thread_hold (uintptr_t frame);
void thread_release (struct thread *t);

/* Counts a call for which it was NULL because a handler has interrupted the
   tracer.  */
void thread_skip (void);

uint64_t thread_now (const struct thread *t);

/* Control goes to a frame of the present thread with that stack pointer; see
   calls_cut.  */
void thread_cut (uintptr_t stack, bool to_first);

/* Stops the tracing and ends what is active in all threads; returns them, the
   last first.  NULL when there is none, or when they are not this process's,
   or when it was called before.  */
struct thread *thread_stop (void);

/* Writes the profile.  */
void trace_write (void);

#endif /* TRACE_THREAD_H */
