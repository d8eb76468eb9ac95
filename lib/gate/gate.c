/* gate.c - enter and leave a writer: one caller at a time.

   SPDX-License-Identifier: MIT  */

#include "gate.h"

#include "deferred.h"

/* Whether the holder is a call of this thread.  */
static bool
is_held_here (const struct cgw_writer *w)
{
  return w->threads
             ? atomic_load_explicit (&w->holder, memory_order_relaxed)
                   == cgwi_self ()
             : atomic_load_explicit (&w->held, memory_order_relaxed);
}

/* Check the mark each time, because a handler may fork meanwhile.  */
enum cgw_status
cgwi_wait_to_enter (struct cgw_writer *w)
{
  for (unsigned tries = 0; cgwi_mark_is_ours (&w->mark); tries++)
    {
      if (cgwi_try_enter (w))
        return CGW_OK;
      if (is_held_here (w))
        return CGW_EBUSY;
      cgwi_pause (tries);
    }
  return CGW_EFORK;
}

/* The file was ended by cgw_salvage while another call was inside: count what
   was deferred as lost.  Inside.  */
static void
conclude (struct cgw_writer *w)
{
  cgwi_lose_deferred (w);
  cgwi_set_state (&w->core, CGWI_FINISHED);
}

/* seq_cst: a holder that leaves sees the cut, or cgw_salvage, which makes it
   and then tries to enter, finds nobody.  */
static bool
is_to_conclude (const struct cgw_writer *w)
{
  return atomic_load (&w->salvaged) == CGWI_CUT
         && cgwi_state (&w->core) != CGWI_FINISHED;
}

/* Write what was deferred, inside.  Return an upper bound of the records.  */
static uint32_t
serve (struct cgw_writer *w)
{
  if (!is_to_conclude (w))
    return cgwi_write_deferred (w, CGWI_KEEP_CLOSED);
  conclude (w);
  return 0;
}

/* Whether a holder has something to do; a closed queue alone is nothing.  */
static bool
has_service (const struct cgw_writer *w)
{
  const struct cgwi_queue *q = atomic_load (&w->queue);

  return (atomic_load (&q->deferred) & CGWI_HEAD_TOP) != 0
         || is_to_conclude (w);
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
cgwi_enter (struct cgw_writer *w, enum cgwi_called called)
{
  enum cgw_status status = cgwi_wait_to_enter (w);

  if (status != CGW_OK)
    return cgwi_refuse_with (&w->core.refusals, called, status);
  serve (w);
  return CGW_OK;
}

/* A call fails that cgw_salvage has interrupted: the file has ended.  */
enum cgw_status
cgwi_end (struct cgw_writer *w, enum cgwi_called called,
          enum cgw_status status, const struct cgwi_why *why)
{
  struct cgwi_refusals *r = &w->core.refusals;

  if (status != CGW_OK
      && atomic_load_explicit (&w->salvaged, memory_order_relaxed))
    cgwi_refuse_with (r, called, status = CGW_EFINISHED);
  else if (status != CGW_OK)
    cgwi_refuse (r, called, status, why);
  cgwi_leave (w);
  return status;
}
