/* deferred.c - write the records that were deferred, and explain those that are
   refused.

   SPDX-License-Identifier: MIT  */

#include "deferred.h"

/* Record costs that count as self costs.  */
static size_t
n_self_costs (const struct cgwi_deferred *d)
{
  return d->kind == CGWI_COST ? d->n : 0;
}

/* Write a record.  Its call returned CGW_OK, so if it proves wrong now it is
   lost, not refused.  */
static void
write_one (struct cgw_writer *w, const struct cgwi_deferred *d)
{
  struct cgwi_submitted r
      = { (enum cgwi_kind_of_record) d->kind, &d->from, &d->to, d->count,
          d->followed, d->cost, d->n };
  enum cgw_status status = cgwi_write_record (&w->core, r);

  if (!cgwi_is_refused (status))
    return;
  cgwi_count_lost (&w->core.accounts, d->cost, n_self_costs (d));
  cgwi_explain_record (w, &r, status);
}

static void
lose_one (struct cgw_writer *w, const struct cgwi_deferred *d)
{
  cgwi_count_lost (&w->core.accounts, d->cost, n_self_costs (d));
}

/* Take all deferred records, and do that with each.  */
static uint32_t
take_all (struct cgw_writer *w, unsigned closed,
          void (*take) (struct cgw_writer *w, const struct cgwi_deferred *d))
{
  struct cgwi_queue *q = atomic_load_explicit (&w->queue,
                                               memory_order_relaxed);
  uint32_t n = 0;
  uint32_t next;

  for (uint32_t slot = cgwi_slots_take_all (q->slots, &q->deferred, closed);
       slot != CGWI_NO_SLOT; slot = next, n++)
    {
      next = cgwi_slot_after (q->slots, slot);
      take (w, cgwi_queue_at (q, slot));
      cgwi_slots_push (q->slots, &q->idle, slot);
    }
  return n;
}

uint32_t
cgwi_write_deferred (struct cgw_writer *w, unsigned closed)
{
  const struct cgwi_queue *q = atomic_load_explicit (&w->queue,
                                                     memory_order_relaxed);

  return closed == CGWI_KEEP_CLOSED
                 && (atomic_load (&q->deferred) & CGWI_HEAD_TOP) == 0
             ? 0
             : take_all (w, closed, write_one);
}

uint32_t
cgwi_lose_deferred (struct cgw_writer *w)
{
  return take_all (w, CGWI_ENDED, lose_one);
}

/* Find the reason again: so the records' own path need not carry it.  */

static enum cgwi_called
called (const struct cgwi_submitted *r)
{
  return r->kind == CGWI_COST   ? CGWI_CALLED_COST
         : r->kind == CGWI_CALL ? CGWI_CALLED_CALL
         : r->kind == CGWI_JUMP ? CGWI_CALLED_JUMP
                                : CGWI_CALLED_COND_JUMP;
}

static bool
is_foreign (const struct cgw_writer *w, enum cgwi_kind_of_name kind,
            uint32_t handle)
{
  const struct cgw_names *names = w->core.encoder.names;

  return !cgwi_has_name (names, kind, cgwi_index (names, handle));
}

static bool
is_foreign_pos (const struct cgw_writer *w, const struct cgw_pos *pos,
                struct cgwi_why *why)
{
  bool is_fn = is_foreign (w, CGWI_FNS, pos->fn.handle);

  why->reason = is_fn ? CGWI_WHY_FOREIGN_FN : CGWI_WHY_FOREIGN_FILE;
  return is_fn || is_foreign (w, CGWI_FILES, pos->file.handle);
}

/* A number of costs, and of the part's events, in one value.  */
static uint32_t
n_and_events (const struct cgw_writer *w, size_t n)
{
  uint32_t shown = n < 0xffffff ? (uint32_t) n : 0xffffff;

  return atomic_load (&w->n_events) << 24 | shown;
}

static void
explain_argument (const struct cgwi_submitted *r, struct cgwi_why *why)
{
  why->reason = CGWI_WHY_NULL_ARGUMENT;
  if (r->from == NULL)
    return;
  why->parameter = CGWI_ARG_TO;
  if (r->to == NULL && r->kind != CGWI_COST)
    return;
  why->reason = r->cost == NULL && r->n != 0 ? CGWI_WHY_COSTS_NULL
                : r->kind == CGWI_CALL       ? CGWI_WHY_COUNT_ZERO
                                             : CGWI_WHY_OTHER_OBJECT;
  why->value = r->n < UINT32_MAX ? (uint32_t) r->n : UINT32_MAX;
}

static enum cgwi_reason
why_lost (const struct cgw_writer *w)
{
  return atomic_load_explicit (&w->salvaged, memory_order_relaxed)
             ? CGWI_WHY_LOST_SALVAGED
         : w->threads ? CGWI_WHY_LOST_QUEUE
                      : CGWI_WHY_LOST_ALONE;
}

enum cgw_status
cgwi_explain_record (struct cgw_writer *w, const struct cgwi_submitted *r,
                     enum cgw_status status)
{
  struct cgwi_why why
      = { .parameter = r->kind == CGWI_COST ? CGWI_ARG_POS : CGWI_ARG_FROM };

  switch (status)
    {
    case CGW_EINVAL:
      explain_argument (r, &why);
      break;
    case CGW_EHANDLE:
      if (!is_foreign_pos (w, r->from, &why) && r->kind != CGWI_COST)
        {
          why.parameter = CGWI_ARG_TO;
          is_foreign_pos (w, r->to, &why);
        }
      break;
    case CGW_ECOSTS:
      why.reason = CGWI_WHY_RECORD_COSTS;
      why.value = n_and_events (w, r->n);
      break;
    case CGW_EORDER:
      why.reason = CGWI_WHY_NO_PART;
      break;
    case CGW_EIO:
      why.reason = CGWI_WHY_NOT_WRITTEN;
      why.value = (uint32_t) atomic_load_explicit (&w->core.error_number,
                                                   memory_order_relaxed);
      break;
    case CGW_EAGAIN:
      why.reason = CGWI_WHY_LOST_DESCRIPTOR;
      break;
    case CGW_ELOST:
      why.reason = why_lost (w);
      break;
    default:
      break;
    }
  return cgwi_refuse (&w->core.refusals, called (r), status, &why);
}
