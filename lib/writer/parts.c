/* parts.c - cgw_begin_part, cgw_comment, cgw_flush, cgw_finish, cgw_salvage.

   SPDX-License-Identifier: MIT  */

#include "../gate/gate.h"
#include "writer.h"

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
  /* seq_cst: either cgw_salvage finds this queue, and closes it, or
     change_queue finds that cgw_salvage has begun.  */
  atomic_store (&w->queue, q);
  return true;
}

/* Open the queue, or close it for another reason, unless it was closed for a
   third one; but if cgw_salvage has ended the file, maybe before this queue
   was published, end it, too.  */
static void
change_queue (struct cgw_writer *w, unsigned from, unsigned to)
{
  struct cgwi_queue *q = atomic_load (&w->queue);

  cgwi_slots_change (&q->deferred, from, to);
  if (atomic_load (&w->salvaged))
    cgwi_slots_close (&q->deferred, CGWI_ENDED);
}

/* Begin a part, inside.  */
static enum cgw_status
begin_part (struct cgw_writer *w, const struct cgw_part *theirs,
            struct cgwi_why *why)
{
  struct cgw_part part;
  enum cgw_status status;
  size_t n_events;

  if (cgwi_is_over (&w->core))
    return CGW_EFINISHED;
  if ((n_events = cgwi_take_part (&part, theirs, why)) == 0)
    return CGW_EINVAL;
  *why = (struct cgwi_why){ .reason = CGWI_WHY_NO_REASON };
  /* Later parts of a file have the same events, or are refused.  */
  if (w->core.events == NULL && !reserve_queue (w, n_events))
    return CGW_ENOMEM;
  status = cgwi_begin_part (&w->core, &part, n_events, why);
  if (status != CGW_OK)
    return status;
  change_queue (w, CGWI_NOT_BEGUN, CGWI_OPEN);
  return CGW_OK;
}

/* The next part was refused.  The records deferred so far belong to the part
   before; those that follow must not land there.  */
static void
refuse_part (struct cgw_writer *w)
{
  if (cgwi_state (&w->core) != CGWI_PART_OPEN)
    return;
  change_queue (w, CGWI_OPEN, CGWI_NOT_BEGUN);
  cgwi_write_deferred (w, CGWI_KEEP_CLOSED);
  cgwi_refuse_part (&w->core);
}

/* Say with which errno a call failed.  */
static struct cgwi_why
why_io (const struct cgw_writer *w, enum cgw_status status)
{
  return status == CGW_EIO
             ? (struct cgwi_why){ .reason = CGWI_WHY_CALL_FAILED,
                                  .value = (uint32_t) cgw_errno (w) }
             : (struct cgwi_why){ .reason = CGWI_WHY_NO_REASON };
}

/* End a call that was to begin a part.  */
static enum cgw_status
end_begin (struct cgw_writer *w, enum cgwi_called called,
           enum cgw_status status, const struct cgwi_why *why)
{
  struct cgwi_why io = why_io (w, status);

  if (status == CGW_EIO || status == CGW_EFINISHED)
    why = &io;
  if (status != CGW_OK && status != CGW_EFINISHED && status != CGW_EFORK)
    refuse_part (w);
  return cgwi_end (w, called, status, why);
}

enum cgw_status
cgwi_begin_part_for (struct cgw_writer *w, const struct cgw_part *part,
                     enum cgwi_called called)
{
  struct cgwi_why why = { .reason = CGWI_WHY_NO_REASON };
  /* This also writes deferred records, which belong to the part before.  */
  enum cgw_status status = cgwi_enter (w, called);

  return status == CGW_OK
             ? end_begin (w, called, begin_part (w, part, &why), &why)
             : status;
}

enum cgw_status
cgwi_refuse_part_for (struct cgw_writer *w, enum cgwi_called called,
                      enum cgw_status status, const struct cgwi_why *why)
{
  enum cgw_status entered = cgwi_enter (w, called);

  if (entered != CGW_OK)
    return entered;
  if (cgwi_is_over (&w->core))
    status = CGW_EFINISHED;
  return end_begin (w, called, status, why);
}

void
cgwi_wait_for_room (struct cgw_writer *w)
{
  if (cgwi_wait_to_enter (w) != CGW_OK)
    return;
  cgwi_make_room_waiting (&w->core);
  cgwi_leave (w);
}

CGWI_COLD enum cgw_status
cgw_begin_part (struct cgw_writer *w, const struct cgw_part *part)
{
  return w != NULL ? cgwi_begin_part_for (w, part, CGWI_CALLED_BEGIN_PART)
                   : CGW_EINVAL;
}

CGWI_COLD enum cgw_status
cgw_comment (struct cgw_writer *w, const char *text)
{
  struct cgwi_why why = { .reason = CGWI_WHY_NO_REASON };
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w, CGWI_CALLED_COMMENT)) != CGW_OK)
    return status;
  if (text != NULL || cgwi_is_over (&w->core))
    status = cgwi_write_comment (&w->core, text);
  else
    {
      why = (struct cgwi_why){ .reason = CGWI_WHY_NULL_ARGUMENT,
                               .parameter = CGWI_ARG_TEXT };
      status = CGW_EINVAL;
    }
  if (status == CGW_EORDER)
    why.reason = CGWI_WHY_NO_PART;
  if (status == CGW_EIO)
    why = why_io (w, status);
  return cgwi_end (w, CGWI_CALLED_COMMENT, status, &why);
}

enum cgw_status
cgw_flush (struct cgw_writer *w)
{
  struct cgwi_why why;
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w, CGWI_CALLED_FLUSH)) != CGW_OK)
    return status;
  status = cgwi_is_over (&w->core) ? CGW_EFINISHED
                                   : cgwi_flush_waiting (&w->core);
  why = why_io (w, status);
  return cgwi_end (w, CGWI_CALLED_FLUSH, status, &why);
}

/* Refuse records from now on, and wait for those that other threads are losing:
   they belong to the last part.  */
static enum cgw_status
refuse_records (struct cgw_writer *w)
{
  enum cgw_status status = cgwi_enter (w, CGWI_CALLED_FINISH);

  if (status != CGW_OK)
    return status;
  if (w->core.events != NULL && !cgwi_is_over (&w->core))
    {
      cgwi_write_deferred (w, CGWI_ENDED);
      cgwi_set_state (&w->core, CGWI_FINISHING);
    }
  cgwi_leave (w);
  return cgwi_wait_for_losers (w)
             ? CGW_OK
             : cgwi_refuse (&w->core.refusals, CGWI_CALLED_FINISH, CGW_EBUSY,
                            NULL);
}

/* Whether there is a file that has ended.  */
static bool
has_ended (const struct cgw_writer *w)
{
  return cgwi_state (&w->core) == CGWI_FINISHED
         && (w->core.events != NULL || atomic_load (&w->salvaged));
}

/* Return the file's first error, or that of its names, when it ends; it is also
   why this call failed.  */
static enum cgw_status
end_file (struct cgw_writer *w)
{
  struct cgwi_refusals *r = &w->core.refusals;

  cgwi_inherit (r, &w->core.encoder.names->refusals);
  return cgwi_repeat_first (r);
}

CGWI_COLD enum cgw_status
cgw_finish (struct cgw_writer *w)
{
  struct cgwi_why why = { .reason = CGWI_WHY_NO_REASON };
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = refuse_records (w)) != CGW_OK
      || (status = cgwi_enter (w, CGWI_CALLED_FINISH)) != CGW_OK)
    return status;
  status = has_ended (w)             ? CGW_EFINISHED
           : w->core.events == NULL ? CGW_EORDER
                                    : cgwi_finish_file (&w->core);
  if (status == CGW_OK
      || (status == CGW_EORDER
          && cgwi_first_error (&w->core.refusals) != CGW_OK))
    {
      status = end_file (w);
      cgwi_leave (w);
      return status;
    }
  if (status == CGW_EORDER)
    why.reason = CGWI_WHY_NO_PART;
  return cgwi_end (w, CGWI_CALLED_FINISH, status, &why);
}

/* End cgw_salvage, after the file was ended with that status: keep what it
   lacks, and return it.  Any handler in any thread may be here.  */
static enum cgw_status
end_salvage (struct cgw_writer *w, enum cgw_status status, bool is_inside)
{
  struct cgwi_refusals *r = &w->core.refusals;
  enum cgw_status first;

  if (status == CGW_EAGAIN)
    cgwi_keep_error (r, CGW_ELOST, CGWI_WHY_LOST_DESCRIPTOR, 0);
  else if (status == CGW_ELOST || is_inside || cgwi_has_deferred (w))
    cgwi_keep_error (r, CGW_ELOST, CGWI_WHY_LOST_SALVAGED, 0);
  first = cgwi_repeat_first (r);
  if (first == CGW_OK && cgwi_is_empty (&w->core))
    return cgwi_refuse (r, CGWI_CALLED_SALVAGE, CGW_EORDER,
                        &(struct cgwi_why){ .reason = CGWI_WHY_NO_PART });
  if (first == CGW_OK)
    first = cgwi_first_error (&w->core.encoder.names->refusals);
  return status == CGW_EAGAIN ? status : first;
}

/* seq_cst: either this finds the queue that cgw_begin_part publishes, and
   closes it, or change_queue finds that the file is salvaged.  */
CGWI_COLD enum cgw_status
cgw_salvage (struct cgw_writer *w)
{
  struct cgwi_refusals *r;
  enum cgw_status status;
  bool is_first, is_inside;

  if (w == NULL)
    return CGW_EINVAL;
  r = &w->core.refusals;
  if (!cgwi_mark_is_ours (&w->mark))
    return cgwi_refuse (r, CGWI_CALLED_SALVAGE, CGW_EFORK, NULL);
  if (has_ended (w))
    return cgwi_refuse (r, CGWI_CALLED_SALVAGE, CGW_EFINISHED, NULL);
  is_first = !atomic_exchange (&w->salvaged, true);
  atomic_store_explicit (&w->mark.page->takes_records, false,
                         memory_order_relaxed);
  cgwi_slots_close (&atomic_load (&w->queue)->deferred, CGWI_ENDED);
  is_inside = cgwi_is_held (w);
  status = cgwi_salvage_file (&w->core, is_first);
  return status == CGW_EFORK || status == CGW_EFINISHED
             ? cgwi_refuse (r, CGWI_CALLED_SALVAGE, status, NULL)
             : end_salvage (w, status, is_inside);
}
