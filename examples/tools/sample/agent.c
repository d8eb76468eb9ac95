/* agent.c - the part of sample that is preloaded into the program: records the
   stacks that ticks interrupt.  Samples go to memory that is shared with
   sample.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../agent/agent_parts.h"
#include "agent_process.h"
#include "sample_shared.h"

#include "cgw.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many deep stacks of a thread are walked to their end before that is
   given up.  */
enum { DEEP_WALKS = 3 };

/* A thread that is sampled.  */
struct thread
{
  struct agent_thread agent;
  uint64_t root;       /* the outermost address of a whole stack, or 0 */
  unsigned deep_walks; /* how often one may be walked to its end */
  uint64_t frames[SAMPLE_FRAMES];
};

static struct sample_shared *shared;
static struct cgw_recorder *notes;
static struct cgw_recorder *samples;
static uint64_t process; /* this one's number */

/* A fork must not copy locks of libunwind that are taken: it waits until no
   handler walks a stack, and meanwhile none begins.  */
static _Atomic uint32_t walking;
static _Atomic uint32_t forking;

/* Notes.  */

/* One thread at a time calls this: the first before there are more, or the one
   that reads /proc/self/maps.  */
static bool
take_note (enum sample_note kind, const struct sample_note_head *head,
           const char *bytes, size_t n)
{
  static uint64_t words[SAMPLE_NOTE_FRAMES];

  memset (words, 0, sizeof words);
  memcpy (words, head, sizeof *head);
  memcpy (words + SAMPLE_NOTE_WORDS, bytes, n);
  return cgw_recorder_push_shared (notes, SAMPLE_NOTES, SAMPLE_NOTE_FRAMES, 0,
                                   process << 8 | kind, words,
                                   SAMPLE_NOTE_WORDS + (n + 7) / 8, NULL, 0)
         == CGW_OK;
}

static void
note_process (void)
{
  struct sample_note_head head;
  char command[SAMPLE_NOTE_BYTES];

  agent_process_describe (&head, command);
  take_note (SAMPLE_NOTE_PROCESS, &head, command, (size_t) head.length);
}

/* Stacks.  */

/* Whether a stack that ends at this address is whole.  */
static bool
is_root (const struct thread *t, uint64_t address)
{
  return t->root != 0 ? address == t->root : agent_process_is_entry (address);
}

/* Walks a stack, unless another thread forks: then only the leaf is taken.  */
static struct agent_walk
walk (struct thread *t, ucontext_t *context, bool deep)
{
  struct agent_walk w = { .cursor = t->agent.cursor,
                          .frames = t->frames,
                          .max = SAMPLE_FRAMES };

  atomic_fetch_add (&walking, 1);
  if (atomic_load (&forking) != 0)
    w.max = 1;
  else
    w.deep = deep;
  agent_unwind (context, &w);
  atomic_fetch_sub (&walking, 1);
  return w;
}

/* Walks a stack through what is mapped now: what was unmapped must not be
   walked through, and what is new stops the walk.  */
static struct agent_walk
walk_and_see (struct thread *t, ucontext_t *context, bool deep)
{
  struct agent_walk w;

  agent_maps_see (NULL, 0);
  w = walk (t, context, deep);
  if (agent_maps_see (t->frames, w.n))
    w = walk (t, context, deep);
  return w;
}

/* What a thread's stack looks like, and whether it is whole.  The first deep ones
   are walked to their end, whatever it takes, until one is whole: sample must
   know where the thread began.  A stack that is not deep does not tell that: a
   constructor's has no main.  */
static size_t
take_stack (struct thread *t, ucontext_t *context, bool *whole)
{
  struct agent_walk w = walk_and_see (t, context, t->deep_walks != 0);

  *whole = w.end && is_root (t, t->frames[w.n - 1]);
  if (w.n == SAMPLE_FRAMES && t->deep_walks != 0)
    t->deep_walks = *whole ? 0 : t->deep_walks - 1;
  return w.n;
}

static bool
wants_sample (const ucontext_t *context)
{
  (void) context;
  return atomic_load (&shared->stop) == 0;
}

static void
take_sample (struct agent_thread *thread, ucontext_t *context, uint64_t ticks)
{
  struct thread *t = (struct thread *) thread;
  bool whole;
  size_t n = take_stack (t, context, &whole);
  uint64_t cost[SAMPLE_COSTS] = { ticks, agent_maps_noted () };

  atomic_fetch_add (&shared->taken, 1);
  atomic_fetch_add (&shared->taken_ticks, ticks);
  cgw_recorder_push_shared (samples, SAMPLE_SLOTS, SAMPLE_FRAMES, SAMPLE_COSTS,
                            sample_tag (process, !whole, thread->id),
                            t->frames, n, cost, SAMPLE_COSTS);
}

/* Finds the outermost address of this thread's stack.  This also has libunwind
   make its caches, outside any handler.  The first thread begins at an entry
   of the process.  */
static void
take_root (struct agent_thread *thread, bool first)
{
  struct thread *t = (struct thread *) thread;
  struct agent_walk w = walk_and_see (t, &thread->context, false);

  t->deep_walks = DEEP_WALKS;
  t->root = !first && w.end && w.n > 1 ? t->frames[w.n - 1] : 0;
}

static void
note_clock (enum agent_clock_kind kind, int event_error)
{
  switch (kind)
    {
    case AGENT_EVENT:
      atomic_fetch_add (&shared->events, 1);
      break;
    case AGENT_TIMER:
      atomic_fetch_add (&shared->timers_set, 1);
      break;
    case AGENT_NO_CLOCK:
      atomic_store (&shared->clock_errno, (uint64_t) errno);
      atomic_fetch_add (&shared->no_clock, 1);
      break;
    }
  if (event_error != 0)
    atomic_store (&shared->event_errno, (uint64_t) event_error);
}

static const struct agent agent = { .thread_size = sizeof (struct thread),
                                    .wants_sample = wants_sample,
                                    .take_sample = take_sample,
                                    .take_root = take_root,
                                    .note_clock = note_clock };

/* Forks.  */

/* Handlers are short, and wait for nothing.  One that never ends, because its
   thread was cancelled, must not stop the program.  */
static void
before_fork (void)
{
  atomic_fetch_add (&forking, 1);
  for (int i = 0; i < 10000 && atomic_load (&walking) != 0; i++)
    sched_yield ();
}

static void
after_fork (void)
{
  atomic_fetch_sub (&forking, 1);
}

/* The child has this thread alone, without its clock.  */
static void
in_child (void)
{
  int saved = errno;
  sigset_t all, old;

  sigfillset (&all);
  agent_real.pthread_sigmask (SIG_SETMASK, &all, &old);
  atomic_store (&forking, 0);
  atomic_store (&walking, 0);
  process = atomic_fetch_add (&shared->processes, 1) + 1;
  agent_maps_restart ();
  note_process ();
  agent_threads_continue ();
  agent_real.pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = saved;
}

/* The beginning.  */

static bool
map_shared (void)
{
  const char *path = getenv (SAMPLE_ENV);
  size_t size = sample_shared_size ();
  struct sample_shared *s;
  struct stat st;
  int fd = path != NULL ? open (path, O_RDWR | O_CLOEXEC) : -1;

  if (fd < 0)
    return false;
  s = fstat (fd, &st) == 0 && (size_t) st.st_size == size
          ? mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
          : MAP_FAILED;
  close (fd);
  if (s == MAP_FAILED)
    return false;
  if (s->magic != SAMPLE_MAGIC)
    {
      munmap (s, size);
      return false;
    }
  notes = (struct cgw_recorder *) (void *) ((char *) s + sample_notes_offset ());
  samples
      = (struct cgw_recorder *) (void *) ((char *) s
                                          + sample_samples_offset ());
  shared = s;
  return true;
}

__attribute__ ((constructor)) static void
begin (void)
{
  int saved = errno;

  agent_find_real ();
  if (map_shared ())
    {
      process = atomic_fetch_add (&shared->processes, 1) + 1;
      note_process ();
      agent_maps_begin (take_note, &shared->left_out);
      agent_process_find_entries ();
      if (!agent_unwind_begin (shared->frame_pointers != 0))
        atomic_fetch_add (&shared->no_unwinder, 1);
      pthread_atfork (before_fork, after_fork, in_child);
      /* Programs in Go execute others by the system call itself.  */
      agent_threads_begin (&agent, shared->interval,
                           shared->timers == 0 && !agent_process_is_go ());
    }
  errno = saved;
}
