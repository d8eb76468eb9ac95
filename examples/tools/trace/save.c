/* save.c - saves the profile: at the end, and every few seconds, in a thread of
   its own.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "save.h"

#include "outcome.h"
#include "thread_files.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* Held while there is work for the files.  */
static pthread_mutex_t saving = PTHREAD_MUTEX_INITIALIZER;

/* Copies of what is new.  */
static struct thread *
copy_threads (void)
{
  struct thread *copies = NULL;

  for (struct thread *t = thread_list (); t; t = t->next)
    {
      struct thread *copy = calloc (1, sizeof *copy);

      if (copy && thread_copy (t, copy))
        {
          copy->next = copies;
          copies = copy;
        }
      else
        free (copy);
    }
  return copies;
}

static void
free_copies (struct thread *copies)
{
  while (copies)
    {
      struct thread *next = copies->next;

      thread_free_copy (copies);
      free (copies);
      copies = next;
    }
}

void
save_now (void)
{
  struct thread *copies;

  pthread_mutex_lock (&saving);
  copies = copy_threads ();
  if (copies)
    write_threads (copies);
  free_copies (copies);
  pthread_mutex_unlock (&saving);
}

void
save_at_end (void)
{
  struct thread *threads;
  unsigned n_missing;

  if (thread_is_lent ())
    return;
  pthread_mutex_lock (&saving);
  threads = thread_stop (&n_missing);
  pthread_mutex_unlock (&saving);
  if ((threads ? write_threads (threads) : n_missing != 0)
      && trace_settings.command)
    outcome_complete (n_missing);
}

/* The saver.  */

static void *
save_for_ever (void *nothing)
{
  const struct timespec pause = { trace_settings.save_every, 0 };

  (void) nothing;
  thread_ignore ();
  while (atomic_load (&thread_state) != THREADS_STOPPED)
    {
      nanosleep (&pause, NULL);
      save_now ();
    }
  return NULL;
}

/* The thread takes none of the program's signals.  */
static void
begin_saver (void)
{
  pthread_attr_t detached;
  pthread_t thread;
  sigset_t all, before;

  sigfillset (&all);
  pthread_attr_init (&detached);
  pthread_attr_setdetachstate (&detached, PTHREAD_CREATE_DETACHED);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  pthread_create (&thread, &detached, save_for_ever, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&detached);
}

/* Not if a handler has forked: it may have interrupted malloc.  */
static void
begin_child (void)
{
  pthread_mutex_init (&saving, NULL);
  if (trace_settings.save_every != 0 && !thread_in_handler ())
    begin_saver ();
}

void
save_begin (void)
{
  write_begin ();
  thread_begin ();
  pthread_atfork (NULL, NULL, begin_child);
  if (trace_settings.save_every != 0)
    begin_saver ();
}
