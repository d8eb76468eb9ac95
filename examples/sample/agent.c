/* agent.c - the part of sample that is preloaded into the program: a clock for
   each thread, and the handler that records the stack.

   The program needs no changes: agent_libc.c replaces the functions of libc
   that start threads, block signals and unload libraries.  Samples go to memory
   that is shared with sample.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent.h"

#include "cgw.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How many deep stacks of a thread are walked to their end before that is
   given up.  */
enum { DEEP_WALKS = 3 };

/* A thread that is sampled.  In memory behind its agent's stacks.  */
struct thread
{
  struct agent_clock clock;
  uint32_t id;
  uint64_t root;       /* the outermost address of a whole stack, or 0 */
  unsigned deep_walks; /* how often one may be walked to its end */
  volatile sig_atomic_t inside; /* in the handler, or walking a stack */
  ucontext_t context;  /* where it began; stacks may be small */
  alignas (16) unsigned char cursor[AGENT_CURSOR_BYTES];
  uint64_t frames[SAMPLE_FRAMES];
};

static struct sample_shared *shared;
static struct cgw_recorder *notes;
static struct cgw_recorder *samples;
static uint64_t process; /* this one's number */
static pthread_key_t thread_key;

/* Initial-exec: the agent is loaded with the program, so access never
   allocates.  */
static __thread struct thread *self
    __attribute__ ((tls_model ("initial-exec")));

/* A fork must not copy locks of libunwind that are taken: it waits until no
   handler walks a stack, and meanwhile none begins.  */
static _Atomic uint32_t walking;
static _Atomic uint32_t forking;

/* Programs in Go execute others by the system call itself.  */
static bool is_go;

/* Notes.  */

void
agent_note (enum sample_note kind, const struct sample_note_head *head,
            const char *bytes)
{
  /* One thread at a time uses it: the first before there are more, or the one
     that reads /proc/self/maps.  */
  static uint64_t words[SAMPLE_NOTE_FRAMES];
  struct sample_note_head h = *head;

  if (h.length > SAMPLE_NOTE_BYTES)
    h.length = SAMPLE_NOTE_BYTES;
  memset (words, 0, sizeof words);
  memcpy (words, &h, sizeof h);
  memcpy (words + SAMPLE_NOTE_WORDS, bytes, (size_t) h.length);
  cgw_recorder_push (notes, process << 8 | kind, words,
                     SAMPLE_NOTE_WORDS + (size_t) (h.length + 7) / 8, NULL,
                     0);
}

/* The handler.  */

bool
agent_is_on (void)
{
  return shared != NULL;
}

bool
agent_is_inside (void)
{
  return self != NULL && self->inside;
}

void *
agent_cursor (void)
{
  return self->cursor;
}

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
  struct agent_walk w = { .frames = t->frames, .max = SAMPLE_FRAMES };

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

/* What a thread's stack looks like, and whether it is whole.  As long as no
   whole one was seen, deep ones are walked to their end, whatever it takes:
   sample must know where the thread began.  */
static size_t
take_stack (struct thread *t, ucontext_t *context, bool *whole)
{
  struct agent_walk w = walk_and_see (t, context, t->deep_walks != 0);

  *whole = w.end && is_root (t, t->frames[w.n - 1]);
  if (*whole)
    t->deep_walks = 0;
  else if (w.n == SAMPLE_FRAMES && t->deep_walks != 0)
    t->deep_walks--;
  return w.n;
}

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
  struct thread *t = self;
  uint64_t ticks = agent_clock_ticks (&t->clock, k->info, k->context);
  bool whole;
  size_t n = take_stack (t, k->context, &whole);

  atomic_fetch_add (&shared->taken, 1);
  atomic_fetch_add (&shared->taken_ticks, ticks);
  cgw_recorder_push (samples, sample_tag (process, !whole, t->id), t->frames,
                     n, &ticks, 1);
}

/* The kernel sends SIGIO for an event when its queue of signals is full.  */
static bool
is_of_clock (int number, const siginfo_t *info)
{
  return number == SIGIO
             ? info->si_code == SI_KERNEL
             : info->si_code == SI_TIMER || info->si_code == POLL_IN;
}

/* All signals are blocked here.  This takes little of the stack that it is on:
   it may be the program's.  */
static void
on_tick (int number, siginfo_t *info, void *context)
{
  struct thread *t = self;
  int saved = errno;

  if (t == NULL || t->inside || !is_of_clock (number, info)
      || atomic_load (&shared->stop) != 0)
    return;
  t->inside = 1;
  agent_stacks_call (t, take_sample, &(struct tick){ info, context });
  t->inside = 0;
  errno = saved;
}

/* Threads.  */

static void
block_all (sigset_t *old)
{
  sigset_t all;

  sigfillset (&all);
  agent_sigmask (SIG_SETMASK, &all, old);
}

static void
lack_clock (void)
{
  atomic_fetch_add (&shared->no_clock, 1);
  atomic_store (&shared->clock_errno, (uint64_t) errno);
}

/* The clock counts processor time, so a thread that waits is not woken up.  */
static enum agent_clock_kind
start_clock (struct thread *t)
{
  enum agent_event_where where = shared->timers != 0 ? AGENT_NOWHERE
                                 : is_go ? AGENT_OUTSIDE_KERNEL
                                         : AGENT_EVERYWHERE;
  enum agent_clock_kind kind;
  int event_error;

  t->id = (uint32_t) syscall (SYS_gettid);
  kind = agent_clock_start (&t->clock, t->id, shared->interval, where,
                            &event_error);
  if (event_error != 0)
    atomic_store (&shared->event_errno, (uint64_t) event_error);
  return kind;
}

static void
start_first_clock (struct thread *t)
{
  switch (start_clock (t))
    {
    case AGENT_EVENT:
      atomic_fetch_add (&shared->events, 1);
      atomic_fetch_add (&shared->go_events, is_go);
      break;
    case AGENT_TIMER:
      atomic_fetch_add (&shared->timers_set, 1);
      break;
    case AGENT_NO_CLOCK:
      lack_clock ();
      break;
    }
}

/* A child of vfork, which has its parent's memory, has no clock.  */
bool
agent_pause (void)
{
  struct thread *t = self;

  agent_libc_find ();
  if (t == NULL || t->clock.event == NULL
      || t->id != (uint32_t) syscall (SYS_gettid))
    return false;
  agent_clock_stop (&t->clock);
  return true;
}

void
agent_resume (void)
{
  start_clock (self);
}

static void
allow_ticks (void)
{
  sigset_t tick;

  sigemptyset (&tick);
  sigaddset (&tick, AGENT_TICK);
  agent_sigmask (SIG_UNBLOCK, &tick, NULL);
}

/* On the agent's own stack: finds the outermost address of this thread's.
   This also has libunwind make its caches, outside any handler.  */
static void
find_root (void *context)
{
  struct thread *t = self;
  struct agent_walk w = walk_and_see (t, context, false);

  t->root = w.end && w.n > 1 ? t->frames[w.n - 1] : 0;
}

static void
look_at_stack (struct thread *t)
{
  sigset_t old;

  if (getcontext (&t->context) != 0)
    return;
  block_all (&old);
  t->inside = 1;
  agent_stacks_call (t, find_root, &t->context);
  t->inside = 0;
  agent_sigmask (SIG_SETMASK, &old, NULL);
}

static void
begin_thread (bool first)
{
  int saved = errno;
  struct thread *t = agent_stacks_new (sizeof *t);

  if (t == NULL)
    {
      lack_clock ();
      errno = saved;
      return;
    }
  self = t;
  t->deep_walks = DEEP_WALKS;
  look_at_stack (t);
  if (first)
    t->root = 0; /* it begins at an entry */
  pthread_setspecific (thread_key, t);
  agent_stacks_use (t);
  start_first_clock (t);
  allow_ticks ();
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
  struct thread *t = thread;

  self = NULL;
  atomic_signal_fence (memory_order_seq_cst);
  agent_clock_stop (&t->clock);
  agent_stacks_free (t, sizeof *t);
}

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
  sigset_t old;

  block_all (&old);
  atomic_store (&forking, 0);
  atomic_store (&walking, 0);
  process = atomic_fetch_add (&shared->processes, 1) + 1;
  agent_maps_restart ();
  agent_process_note ();
  if (self != NULL)
    start_first_clock (self);
  agent_sigmask (SIG_SETMASK, &old, NULL);
  errno = saved;
}

/* The beginning.  */

static bool
map_shared (void)
{
  const char *path = getenv (SAMPLE_ENV);
  struct sample_shared *s;
  struct stat st;
  int fd = path != NULL ? open (path, O_RDWR | O_CLOEXEC) : -1;

  if (fd < 0)
    return false;
  s = fstat (fd, &st) == 0 && (size_t) st.st_size > sizeof *s
          ? mmap (NULL, (size_t) st.st_size, PROT_READ | PROT_WRITE,
                  MAP_SHARED, fd, 0)
          : MAP_FAILED;
  close (fd);
  if (s == MAP_FAILED)
    return false;
  if (s->magic != SAMPLE_MAGIC || s->size != (uint64_t) st.st_size)
    {
      munmap (s, (size_t) st.st_size);
      return false;
    }
  notes = (struct cgw_recorder *) (void *) ((char *) s + s->notes);
  samples = (struct cgw_recorder *) (void *) ((char *) s + s->samples);
  shared = s;
  return true;
}

/* sigfillset leaves out the two signals by which libc cancels threads and
   changes their ids; they must not leave the agent's stack, either.  */
static void
catch_ticks (void)
{
  struct sigaction action = { .sa_sigaction = on_tick,
                              .sa_flags = SA_RESTART | SA_SIGINFO
                                          | SA_ONSTACK };
  struct sigaction old;

  memset (&action.sa_mask, 0xff, sizeof action.sa_mask);
  agent_sigaction (AGENT_TICK, &action, NULL);
  /* It would end the program.  */
  if (shared->timers == 0 && agent_sigaction (SIGIO, NULL, &old) == 0
      && old.sa_handler == SIG_DFL)
    agent_sigaction (SIGIO, &action, NULL);
}

__attribute__ ((constructor)) static void
begin (void)
{
  int saved = errno;

  agent_libc_find ();
  if (map_shared ())
    {
      process = atomic_fetch_add (&shared->processes, 1) + 1;
      agent_process_note ();
      agent_process_find_entries ();
      is_go = agent_process_is_go ();
      if (!agent_unwind_begin (shared->frame_pointers != 0))
        atomic_fetch_add (&shared->no_unwinder, 1);
      pthread_key_create (&thread_key, end_thread);
      pthread_atfork (before_fork, after_fork, in_child);
      catch_ticks ();
      begin_thread (true);
    }
  errno = saved;
}
