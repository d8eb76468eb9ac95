/* save.c - saves the profile: at the end, and every few seconds, in a thread of
   its own.

   SPDX-License-Identifier: MIT  */

#include "save.h"

#include "loaded.h"
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

/* Adds up what is in the files now, some of which were written earlier.  */
static void
count_saved (struct tell_profile *all)
{
  all->calls = all->threads = 0;
  for (const struct thread *t = thread_list (); t; t = t->next)
    if (t->calls_saved != 0)
      {
        all->calls += t->calls_saved;
        all->threads++;
      }
}

static void
save_copies (struct thread *copies, bool by_abort)
{
  struct tell_profile all = { 0 };

  if (!copies || !write_threads (copies, &all) || !trace_settings.command)
    return;
  count_saved (&all);
  tell_saved (&all, by_abort);
}

void
save_now (bool by_abort)
{
  struct thread *copies;

  pthread_mutex_lock (&saving);
  copies = copy_threads ();
  save_copies (copies, by_abort);
  free_copies (copies);
  pthread_mutex_unlock (&saving);
}

void
save_at_end (void)
{
  struct tell_profile all = { 0 };
  struct thread *threads;

  if (thread_is_lent ())
    return;
  pthread_mutex_lock (&saving);
  threads = thread_stop (&all.missing);
  pthread_mutex_unlock (&saving);
  if (threads && write_threads (threads, &all) && all.threads != 0
      && trace_settings.command)
    tell_written (&all);
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
      save_now (false);
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
  bool is_traceable;

  write_begin ();
  thread_begin ();
  pthread_atfork (NULL, NULL, begin_child);
  if (!trace_settings.command && trace_settings.save_every == 0)
    return;
  is_traceable = loaded_is_instrumented ();
  if (trace_settings.command)
    tell_traceable (is_traceable);
  if (is_traceable && trace_settings.save_every != 0)
    begin_saver ();
}
