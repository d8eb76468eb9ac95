/* trace_thread.c - the threads of a traced program: their calls, from the
   first one to the thread's end or the program's.

   SPDX-License-Identifier: MIT  */

#include "trace_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct trace_settings trace_settings;

static _Atomic bool stopped;
static struct thread *_Atomic threads;
static _Atomic unsigned n_threads;
static pid_t process;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Initial-exec: found without a call that might allocate.  */
static _Thread_local struct thread *self
    __attribute__ ((tls_model ("initial-exec")));
static _Thread_local bool beginning
    __attribute__ ((tls_model ("initial-exec")));

uint64_t
thread_now (const struct thread *t)
{
  struct timespec now;

  /* The clock of a thread that is gone: nothing has happened since.  */
  if (clock_gettime (t->clock, &now) != 0)
    return t->calls.depth == 0 ? 0 : t->calls.frames[t->calls.depth - 1].start;
  return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
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

  if (thread_hold ((uintptr_t) __builtin_frame_address (0)) != t)
    return;
  calls_end (&t->calls, thread_now (t));
  calls_free_stack (&t->calls);
  thread_release (t);
}

/* In a forked child, which begins a profile of its own.  */
static void
begin_child (void)
{
  struct thread *t = self;

  process = getpid ();
  trace_settings.command = false;
  trace_settings.with_pid = true;
  for (struct thread *next, *old = atomic_load (&threads); old; old = next)
    {
      next = old->next;
      if (old == t)
        continue;
      calls_free (&old->calls);
      munmap (old, sizeof *old);
    }
  atomic_store (&threads, t);
  atomic_store (&n_threads, t != NULL);
  if (t == NULL)
    return;
  /* A handler that interrupted the tracer has forked: give up.  */
  if (t->busy != 0)
    {
      atomic_store (&stopped, true);
      return;
    }
  t->next = NULL;
  t->number = 1;
  t->skipped = 0;
  set_clock (t);
  t->blind = !calls_restart (&t->calls, thread_now (t));
}

/* The path is made absolute at the beginning: the program may change its
   directory.  */
static char *
absolute (const char *path)
{
  char *directory = *path == '/' ? NULL : getcwd (NULL, 0);
  size_t length = directory ? strlen (directory) : 0;
  char *result = malloc (length + strlen (path) + 2);

  if (result)
    {
      if (directory)
        {
          memcpy (result, directory, length);
          result[length++] = '/';
        }
      strcpy (result + length, path);
    }
  free (directory);
  return result;
}

static void
begin (void)
{
  const char *out = getenv ("CGW_TRACE_OUT");
  const char *command = getenv ("CGW_TRACE_PID");
  const char *flags = getenv ("CGW_TRACE_FLAGS");

  process = getpid ();
  trace_settings.out = absolute (out ? out : "callgrind.out");
  trace_settings.command = command && atol (command) == (long) process;
  trace_settings.with_pid = !out || !trace_settings.command;
  trace_settings.cpu = flags && strchr (flags, 'c');
  trace_settings.parts = flags && strchr (flags, 'p');
  pthread_atfork (NULL, NULL, begin_child);
  if (pthread_key_create (&key, end_thread) != 0)
    atomic_store (&stopped, true);
}

static __attribute__ ((constructor)) void
begin_early (void)
{
  pthread_once (&once, begin);
}

static struct thread *
new_thread (void)
{
  struct thread *t;

  pthread_once (&once, begin);
  t = mmap (NULL, sizeof *t, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED)
    return NULL;
  t->number = atomic_fetch_add (&n_threads, 1) + 1;
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
  if (self == NULL && !beginning)
    {
      beginning = true;
      atomic_signal_fence (memory_order_seq_cst);
      self = new_thread ();
      atomic_signal_fence (memory_order_seq_cst);
      beginning = false;
    }
  return self;
}

struct thread *
thread_hold (uintptr_t frame)
{
  struct thread *t = self;

  if (atomic_load_explicit (&stopped, memory_order_relaxed))
    return NULL;
  if (t == NULL && (t = this_thread ()) == NULL)
    return NULL;
  if (atomic_load_explicit (&t->busy, memory_order_relaxed) != 0)
    return NULL;
  /* thread_stop sets stopped and then looks at busy: one of the two sees the
     other.  */
  atomic_store (&t->busy, frame);
  if (atomic_load (&stopped) || t->blind)
    {
      thread_release (t);
      return NULL;
    }
  if (t->calls.frames == NULL)
    pthread_setspecific (key, t);
  return t;
}

void
thread_skip (void)
{
  if (self && atomic_load_explicit (&self->busy, memory_order_relaxed) != 0)
    atomic_fetch_add_explicit (&self->skipped, 1, memory_order_relaxed);
}

void
thread_release (struct thread *t)
{
  atomic_store_explicit (&t->busy, 0, memory_order_release);
}

void
thread_cut (uintptr_t stack, bool to_first)
{
  struct thread *t = self;

  if (t == NULL)
    return;
  /* A jump out of a handler, over the tracer that it interrupted.  */
  if (t->busy != 0 && t->busy < stack)
    {
      calls_repair (&t->calls, thread_now (t));
      thread_release (t);
    }
  if (thread_hold ((uintptr_t) __builtin_frame_address (0)) != t)
    return;
  calls_cut (&t->calls, stack, to_first, thread_now (t));
  thread_release (t);
}

/* Waits until a thread is not inside the tracer; not for ever, for it may be
   halted.  */
static bool
is_at_rest (struct thread *t)
{
  static const struct timespec pause = { 0, 1000000 };

  for (int i = 0; i < 10000; i++)
    {
      if (atomic_load (&t->busy) == 0)
        return true;
      if (t == self)
        return false;
      nanosleep (&pause, NULL);
    }
  return false;
}

struct thread *
thread_stop (void)
{
  struct thread *first, **place = &first;

  if (process != getpid () || atomic_exchange (&stopped, true))
    return NULL;
  first = atomic_load (&threads);
  while (*place)
    if (is_at_rest (*place))
      {
        calls_end (&(*place)->calls, thread_now (*place));
        place = &(*place)->next;
      }
    else
      *place = (*place)->next;
  return first;
}
