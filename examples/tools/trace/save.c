/* save.c - saves the profile every few seconds, in a thread of its own.

   SPDX-License-Identifier: MIT  */

#include "save.h"

#include "thread.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Held while calls are copied, and while there is work for the files.  */
static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t saving = PTHREAD_MUTEX_INITIALIZER;

void
save_now (bool by_abort)
{
  pthread_mutex_lock (&saving);
  trace_save (by_abort);
  pthread_mutex_unlock (&saving);
}

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
void
save_begin (void)
{
  pthread_attr_t detached;
  pthread_t thread;
  sigset_t all, before;

  if (trace_settings.save_every == 0)
    return;
  sigfillset (&all);
  pthread_attr_init (&detached);
  pthread_attr_setdetachstate (&detached, PTHREAD_CREATE_DETACHED);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  pthread_create (&thread, &detached, save_for_ever, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&detached);
}

void
save_begin_in_child (void)
{
  pthread_mutex_init (&saving, NULL);
  if (trace_settings.save_every != 0 && !in_handler ())
    save_begin ();
}

void
save_wait (void)
{
  pthread_mutex_lock (&saving);
}

void
save_go_on (void)
{
  pthread_mutex_unlock (&saving);
}

bool
save_copy (struct thread *t, struct thread *copy)
{
  bool ok;

  pthread_mutex_lock (&copying);
  ok = thread_copy (t, copy);
  pthread_mutex_unlock (&copying);
  return ok;
}

void
save_before_fork (void)
{
  pthread_mutex_lock (&copying);
}

void
save_after_fork (void)
{
  pthread_mutex_unlock (&copying);
}
