/* gate.c - enter and leave a writer: one caller at a time.

   SPDX-License-Identifier: MIT  */

#include "gate.h"

#include "../core/file.h"
#include "deferred.h"

/* How long normal code waits for another thread, which may be inside write(2)
   on a slow pipe; with CGW_WAIT, for ever.  */
#define WAIT_MS 10000

/* Whether the holder is a call of this thread.  */
static bool
is_held_here (const struct cgw_writer *w)
{
  return w->threads
             ? atomic_load_explicit (&w->holder, memory_order_relaxed)
                   == cgwi_self ()
             : atomic_load_explicit (&w->held, memory_order_relaxed);
}

/* Sleep rather than spin: a thread that finds the writer free a moment later
   would take the cache lines of the core from the thread that works in it, and
   each record would take several times as long.  Check the mark each time,
   because a handler may fork meanwhile.  */
enum cgw_status
cgwi_wait_to_enter (struct cgw_writer *w)
{
  bool for_ever = w->core.encoder.flags & CGW_WAIT;

  for (int ms = 0; cgwi_mark_is_ours (&w->mark); ms += !for_ever)
    {
      if (cgwi_try_enter (w))
        return CGW_OK;
      if (is_held_here (w) || ms == WAIT_MS)
        return CGW_EBUSY;
      cgwi_sleep_1ms ();
    }
  return CGW_EFORK;
}

static bool
is_finish_wanted (const struct cgw_writer *w)
{
  return atomic_load_explicit (&w->finish_wanted, memory_order_relaxed);
}

/* Whether this thread holds the writer and cgw_finish has ended it: cgw_finish
   was called after the holder entered, or was itself left by a longjmp.  */
static bool
is_ended_here (const struct cgw_writer *w)
{
  return is_held_here (w)
         && (is_finish_wanted (w) || w->core.state == CGWI_FINISHED);
}

/* Finish the file, inside.  Refuse records from the start.  */
static enum cgw_status
finish (struct cgw_writer *w)
{
  struct cgwi_queue *q = atomic_load (&w->queue);
  enum cgw_status status;

  if (w->core.events == NULL || w->core.state == CGWI_FINISHED)
    return cgwi_finish_file (&w->core);
  cgwi_write_deferred (w, CGWI_ENDED);
  status = cgwi_finish_file (&w->core);
  if (status == CGW_EAGAIN) /* not finished: take records again */
    cgwi_slots_change (&q->deferred, CGWI_ENDED,
                       w->core.state == CGWI_PART_OPEN ? CGWI_OPEN
                                                       : CGWI_NOT_BEGUN);
  return status;
}

/* Finish the file for a handler that was told CGW_EBUSY, inside.  From then on
   the writer is finished, even if there is no part.  */
static void
finish_for_handler (struct cgw_writer *w)
{
  static const struct cgwi_sentence no_part
      = { "cgw_finish ended the file in a handler, before it had a part" };

  if (w->core.events != NULL)
    finish (w);
  else
    cgwi_refuse_file (&w->core, CGW_EORDER, 0, &no_part);
  atomic_store_explicit (&w->finish_wanted, false, memory_order_relaxed);
}

/* Do what was left to the holder, inside.  Return an upper bound of the
   records written.  */
static uint32_t
serve (struct cgw_writer *w)
{
  uint32_t n = cgwi_write_deferred (w, CGWI_KEEP_CLOSED);

  if (is_finish_wanted (w))
    finish_for_handler (w);
  return n;
}

/* Whether a holder has records to write or a file to finish; a closed queue
   alone is nothing to do.  */
static bool
has_service (const struct cgw_writer *w)
{
  const struct cgwi_queue *q = atomic_load (&w->queue);

  return (atomic_load (&q->deferred) & CGWI_HEAD_TOP) != 0
         || is_finish_wanted (w);
}

/* After as many records as the queue holds, leave the rest to the next call:
   this may run in a handler.  */
enum cgw_status
cgwi_serve (struct cgw_writer *w)
{
  uint32_t n = 0;

  while (n <= w->n_slots && has_service (w) && cgwi_try_enter (w))
    {
      n += 1 + serve (w);
      cgwi_unlock (w);
    }
  return CGW_OK;
}

enum cgw_status
cgwi_enter (struct cgw_writer *w)
{
  enum cgw_status status = cgwi_wait_to_enter (w);

  if (status == CGW_OK)
    {
      cgwi_errors_begin (&w->core.errors);
      serve (w);
    }
  else if (status == CGW_EBUSY && is_ended_here (w))
    status = CGW_EFINISHED;
  return status;
}

/* Enter for that: another thread may be writing a sentence.  But do not
   wait.  */
enum cgw_status
cgwi_explain_call (struct cgw_writer *w, enum cgw_status status,
                   const struct cgwi_sentence *why)
{
  bool is_dead = !cgwi_mark_is_ours (&w->mark); /* no other thread exists */

  if (!is_dead && !cgwi_try_enter (w))
    return status;
  *cgwi_errors_begin (&w->core.errors) = *why;
  cgwi_errors_end (&w->core.errors, status);
  if (!is_dead)
    cgwi_leave (w);
  return status;
}

enum cgw_status
cgwi_try_take_over (struct cgw_writer *w, bool *entered)
{
  enum cgw_status status = cgwi_wait_to_enter (w);

  *entered = status == CGW_OK;
  if (*entered)
    cgwi_errors_begin (&w->core.errors);
  /* In a forked child, the parent's other threads do not exist.  */
  if (status == CGW_EFORK)
    {
      atomic_store (&w->holder, cgwi_self ());
      atomic_store (&w->held, true);
    }
  return status == CGW_EBUSY && !is_held_here (w) ? CGW_EBUSY : CGW_OK;
}

enum cgw_status
cgwi_take_over (struct cgw_writer *w)
{
  bool entered;

  return cgwi_try_take_over (w, &entered);
}

/* End the file for a holder in this thread, which may or may not continue.  If
   it does, it writes the deferred records.  A longjmp may leave this: the next
   cgw_finish does it again.  */
static enum cgw_status
close_for_holder (struct cgw_writer *w)
{
  atomic_store_explicit (&w->finish_wanted, true, memory_order_relaxed);
  cgwi_slots_close (&atomic_load (&w->queue)->deferred, CGWI_ENDED);
  cgwi_salvage (&w->core);
  return CGW_EBUSY;
}

/* Not by cgwi_enter, which would finish the file for a handler that asked for
   it meanwhile: then this call would not return how that went.  */
enum cgw_status
cgwi_close (struct cgw_writer *w)
{
  enum cgw_status status = cgwi_wait_to_enter (w);

  if (status == CGW_EBUSY && is_ended_here (w))
    {
      if (is_finish_wanted (w))
        close_for_holder (w);
      return CGW_EFINISHED;
    }
  if (status != CGW_OK)
    return is_held_here (w) && status == CGW_EBUSY ? close_for_holder (w)
                                                   : status;
  cgwi_errors_begin (&w->core.errors);
  status = finish (w);
  /* Without a part nothing is finished; then a handler that asked for it
     meanwhile has it done by cgwi_serve.  */
  if (w->core.events != NULL)
    atomic_store_explicit (&w->finish_wanted, false, memory_order_relaxed);
  cgwi_unlock (w);
  cgwi_serve (w);
  return status;
}
