/* samples.c - the samples between the MPI calls of a program, where the
   processor is one that agent_unwind.c knows.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent.h"

#include "../agent/agent_parts.h"
#include "calls.h"

#include <stdatomic.h>

static struct rank_memory *memory;
static _Atomic bool is_sampling; /* until MPI_Finalize */

/* A thread that is sampled.  */
struct thread
{
  struct agent_thread agent;
  uint64_t frames[RANK_FRAMES];
};

static __attribute__ ((constructor)) void
find_functions (void)
{
  agent_find_real ();
}

/* The bounds of this object, from the linker.  */
extern const char __ehdr_start[] __attribute__ ((visibility ("hidden")));
extern const char etext[] __attribute__ ((visibility ("hidden")));

/* Whether a signal interrupted the agent itself, for example a wrapper that has
   not yet noted that the thread is in MPI.  */
static bool
is_own (const ucontext_t *context)
{
  uintptr_t ip = (uintptr_t) context->uc_mcontext.gregs[REG_RIP];

  return ip - (uintptr_t) __ehdr_start
         < (uintptr_t) etext - (uintptr_t) __ehdr_start;
}

static bool
wants_sample (const ucontext_t *context)
{
  return atomic_load (&is_sampling) && !calls_inside () && !is_own (context);
}

static struct agent_walk
walk (struct agent_thread *thread, ucontext_t *context)
{
  struct thread *t = (struct thread *) thread;
  struct agent_walk w = { .cursor = thread->cursor,
                          .frames = t->frames,
                          .max = RANK_FRAMES };

  agent_maps_see (NULL, 0);
  agent_unwind (context, &w);
  if (agent_maps_see (w.frames, w.n))
    agent_unwind (context, &w);
  return w;
}

static void
take_sample (struct agent_thread *thread, ucontext_t *context, uint64_t ticks)
{
  struct agent_walk w = walk (thread, context);

  calls_sample (w.frames, w.n, ticks * memory->interval);
}

/* Has libunwind make its caches, outside any handler.  */
static void
take_root (struct agent_thread *thread, bool first)
{
  (void) first;
  walk (thread, &thread->context);
}

static void
note_clock (enum agent_clock_kind kind, int event_error)
{
  (void) event_error;
  if (kind == AGENT_NO_CLOCK)
    atomic_fetch_add (&memory->no_clock, 1);
}

void
samples_begin (struct rank_memory *m)
{
  static const struct agent agent = { .thread_size = sizeof (struct thread),
                                      .wants_sample = wants_sample,
                                      .take_sample = take_sample,
                                      .take_root = take_root,
                                      .note_clock = note_clock };

  memory = m;
  agent_find_real (); /* perhaps before the constructor */
  atomic_store (&is_sampling, true);
  agent_threads_begin (&agent, m->interval, true);
}

void
samples_stop (void)
{
  atomic_store (&is_sampling, false);
}

void
samples_forget (void)
{
  samples_stop ();
  agent_threads_forget ();
}
