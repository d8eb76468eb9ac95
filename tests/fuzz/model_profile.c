/* model_profile.c - write the sums of a profile as a part.

   The profile has one position, or one edge, so it is one record: it adds up
   what the model adds up, too.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <string.h>

/* A profile, and what it is to have.  */
struct sums
{
  struct cgw_profile *p;
  uint64_t cost[MODEL_EVENTS];
  uint64_t count;
  bool has_record; /* which is not 0 */
  enum cgw_status first; /* error */
};

/* Add to a sum, which stops at its end.  */
static void
add_to (struct sums *s, uint64_t *sum, uint64_t more)
{
  s->has_record |= more != 0;
  if (__builtin_add_overflow (*sum, more, sum))
    {
      *sum = UINT64_MAX;
      s->first = s->first == CGW_OK ? CGW_EOVERFLOW : s->first;
    }
}

/* Which statuses an addition may return, as bits.  */
static unsigned
wanted_of_addition (const struct model_writer *m, const struct model_record *r,
                    unsigned shape)
{
  unsigned set = 0;

  if (r->n > model_n_events (shape))
    set |= 1u << CGW_ECOSTS;
  if (model_is_foreign (m, r->from)
      || (r->kind == MODEL_CALL && model_is_foreign (m, r->to)))
    set |= 1u << CGW_EHANDLE;
  if (set != 0)
    return set;
  return 1u << (model_no_memory (m) ? CGW_ENOMEM : CGW_OK);
}

static void
add (struct model_writer *m, struct sums *s, const struct model_record *r,
     unsigned shape)
{
  struct cgw_pos from = model_position (r->from), to;
  enum cgw_status status;
  unsigned set;

  model_before (m);
  if (r->kind == MODEL_CALL)
    {
      to = model_position (r->to);
      status = cgw_profile_call (s->p, &from, &to, r->count, r->cost, r->n);
    }
  else
    status = cgw_profile_cost (s->p, &from, r->cost, r->n);
  set = wanted_of_addition (m, r, shape);
  if (!(set >> status & 1))
    fuzz_fail ("a profile adds: %d is none of %#x", status, set);
  if (status != CGW_OK)
    {
      s->first = s->first == CGW_OK ? status : s->first;
      return;
    }
  if (r->kind == MODEL_CALL)
    add_to (s, &s->count, r->count);
  for (size_t i = 0; i < r->n; i++)
    add_to (s, &s->cost[i], r->cost[i]);
}

/* Return how many records the writer has lost since the last call.  */
static uint64_t
newly_lost (const struct model_writer *m)
{
  struct cgw_stats s = CGW_STATS_INIT;

  if (m->state >= MODEL_FINISHING || m->state == MODEL_NO_FILE)
    return 0;
  if (cgw_get_stats (m->w, &s) != CGW_OK)
    fuzz_fail ("cgw_get_stats fails");
  return s.lost - m->lost;
}

/* The part has begun, and its record has been recorded or lost.  */
static void
note_record (struct model_writer *m, const struct sums *s,
             const struct model_record *r, enum cgw_status status)
{
  struct model_record sum = *r;

  /* Without a count, one call is written.  */
  sum.count = s->count != 0 || m->flags & CGW_ZERO_CALLS ? s->count : 1;
  sum.cost = s->cost;
  sum.n = model_n_events (m->shape);
  if (s->has_record)
    model_note_record (m, &sum, status);
}

void
model_write_profile (struct model_writer *m, unsigned shape,
                     unsigned variant, const struct model_record *r,
                     unsigned times)
{
  static const char call[] = "cgw_profile_write";
  const struct cgw_part *part = model_right_part (shape, variant);
  struct sums s = { .p = NULL };
  enum cgw_status status;
  size_t n = m->n_entries;
  bool has_begun;

  if (m->n_parts == MODEL_PARTS || m->n_entries == MODEL_ENTRIES
      || m->names->freed)
    return;
  model_before (m);
  status = cgw_profile_new (&s.p, m->names->names, model_n_events (shape),
                            model_positions (shape));
  model_expect (m, "cgw_profile_new", status,
                model_no_memory (m) ? CGW_ENOMEM : CGW_OK);
  if (s.p == NULL)
    return;
  for (unsigned i = 0; i < times; i++)
    add (m, &s, r, shape);
  if (cgw_profile_error (s.p, NULL) != s.first)
    fuzz_fail ("cgw_profile_error: not %d", s.first);
  model_before (m);
  status = cgw_profile_write (s.p, m->w, part);
  has_begun = status == CGW_OK || newly_lost (m) != 0;
  model_end_begin (m, call, has_begun ? CGW_OK : status, part, shape);
  if (has_begun)
    {
      m->part[m->n_parts - 1].has_summary = true;
      if (s.first != CGW_OK && m->first == CGW_OK)
        m->first = s.first;
      note_record (m, &s, r, status);
    }
  model_after (m, call);
  if (has_begun)
    m->part[m->n_parts - 1].begin = m->written + m->buffered;
  if (m->n_entries != n && !model_is_silent (m, r))
    m->entry[n].end = m->written + m->buffered;
  cgw_profile_free (s.p);
}
