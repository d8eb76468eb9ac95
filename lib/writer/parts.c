/* parts.c - cgw_begin_part, cgw_comment, cgw_flush, cgw_finish.

   SPDX-License-Identifier: MIT  */

#include "../core/part.h"
#include "../core/room.h"
#include "../format/escape.h"
#include "../format/events.h"
#include "../gate/deferred.h"
#include "../gate/gate.h"
#include "parts.h"
#include "structs.h"

/* Make sure that the slots of the queue, which is closed, have room for that
   many costs.  Keep a replaced queue until cgw_free, because another thread
   may still read it.  False: no memory.  */
static bool
reserve_queue (struct cgw_writer *w, size_t n_events)
{
  struct cgwi_queue *older = atomic_load (&w->queue);
  struct cgwi_queue *q;

  if (older->n_costs >= n_events)
    return true;
  q = cgwi_queue_make (&w->memory, w->n_slots, n_events);
  if (q == NULL)
    return false;
  q->older = older;
  atomic_store_explicit (&w->queue, q, memory_order_release);
  return true;
}

/* Open the queue, unless a handler's cgw_finish has ended the file: then this
   call completes it when it leaves.  The handler may come at any time; it has
   closed the queue, or the one before.  */
static void
open_queue (struct cgw_writer *w, size_t n_events)
{
  struct cgwi_queue *q = atomic_load (&w->queue);

  atomic_store (&w->n_events, (uint32_t) n_events);
  if (atomic_load (&w->finish_wanted))
    cgwi_slots_close (&q->deferred, CGWI_ENDED);
  else
    cgwi_slots_change (&q->deferred, CGWI_NOT_BEGUN, CGWI_OPEN);
}

/* Begin a part, inside.  */
static enum cgw_status
begin (struct cgw_writer *w, const struct cgw_part *theirs)
{
  struct cgwi_sentence *why = &w->core.errors.last_why;
  struct cgw_part part;
  enum cgw_status status;
  size_t n_events;

  if (w->core.state == CGWI_FINISHED)
    return CGW_EFINISHED;
  if (!cgwi_take_part (&part, theirs, why)
      || (n_events = cgwi_count_events (&part, why)) == 0)
    return CGW_EINVAL;
  /* Later parts of a file have the same events, or are refused.  */
  if (w->core.events == NULL && !reserve_queue (w, n_events))
    return CGW_ENOMEM;
  status = cgwi_begin_part (&w->core, &part, n_events);
  if (status == CGW_OK)
    open_queue (w, n_events);
  return status;
}

/* The records deferred so far belong to the part before; those that follow must
   not land there.  */
void
cgwi_miss_part (struct cgw_writer *w, enum cgw_status why)
{
  struct cgwi_queue *q = atomic_load (&w->queue);

  if (w->core.state == CGWI_FINISHED)
    return;
  cgwi_errors_miss_part (&w->core.errors,
                         why == CGW_EAGAIN ? CGW_ELOST : why);
  if (w->core.state != CGWI_PART_OPEN)
    return;
  cgwi_slots_change (&q->deferred, CGWI_OPEN, CGWI_NOT_BEGUN);
  cgwi_write_deferred (w, CGWI_KEEP_CLOSED);
  cgwi_refuse_part (&w->core);
}

enum cgw_status
cgw_begin_part (struct cgw_writer *w, const struct cgw_part *part)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  /* This also writes deferred records, which belong to the part before.  */
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  status = cgwi_errors_end (&w->core.errors, begin (w, part));
  if (status == CGW_EINVAL || status == CGW_ENOMEM || status == CGW_EIO
      || status == CGW_EAGAIN)
    cgwi_miss_part (w, status);
  cgwi_leave (w);
  return status;
}

/* Keep the error of a comment, which the caller may repeat, or forget it.  */
static void
keep_comment (struct cgwi_errors *e, const char *text, enum cgw_status status)
{
  uint64_t call = text != NULL ? cgwi_hash (text, strlen (text)) : 0;

  if (status == CGW_OK)
    cgwi_errors_forget_call (e, call);
  if (status == CGW_EINVAL || status == CGW_EORDER || status == CGW_ENOMEM)
    cgwi_errors_keep_call (e, status, &e->last_why, call);
}

enum cgw_status
cgw_comment (struct cgw_writer *w, const char *text)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  status = cgwi_errors_end (&w->core.errors,
                            cgwi_write_comment (&w->core, text));
  keep_comment (&w->core.errors, text, status);
  cgwi_leave (w);
  return status;
}

enum cgw_status
cgw_flush (struct cgw_writer *w)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  status = w->core.state == CGWI_FINISHED ? CGW_EFINISHED
                                          : cgwi_flush_waiting (&w->core);
  cgwi_leave (w);
  return status;
}

enum cgw_status
cgw_finish (struct cgw_writer *w)
{
  return w != NULL ? cgwi_close (w) : CGW_EINVAL;
}
