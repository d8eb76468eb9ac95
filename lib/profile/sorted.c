/* sorted.c - the sums of a profile in the order of its part.

   SPDX-License-Identifier: MIT  */

#include "sorted.h"

#include "expand.h"
#include "sort.h"

/* A key as three numbers to be compared in this order: function and source
   file; address; line and callee.  A function's own file sorts before all
   others, and costs sort before calls.  */
struct place
{
  uint64_t words[3];
};

/* For comparisons of entries.  */
struct entries
{
  const struct cgw_profile *p;
  const struct cgwi_table *t;
  const struct cgwi_ranks *ranks;
};

static struct place
place_of (const struct entries *e, uint32_t index)
{
  const struct cgwi_spot *s = cgwi_table_entry (e->t, index);
  const struct cgwi_ranks *ranks = e->ranks;
  uint32_t source = cgwi_source (e->p, s);
  uint32_t callee = s->callee == CGWI_NONE ? 0 : ranks->fns[s->callee] + 1;

  source = source == 0 ? 0 : ranks->files[source - 1] + 1;
  return (struct place){ { (uint64_t) ranks->fns[s->fn] << 32 | source,
                           s->instr, (uint64_t) s->line << 32 | callee } };
}

static bool
place_less (const struct place *a, const struct place *b)
{
  for (int i = 0; i < 2; i++)
    if (a->words[i] != b->words[i])
      return a->words[i] < b->words[i];
  return a->words[2] < b->words[2];
}

static bool
entry_less (void *context, uint32_t index_a, uint32_t index_b)
{
  struct place a = place_of (context, index_a);
  struct place b = place_of (context, index_b);

  return place_less (&a, &b);
}

static uint32_t *
sort_table (const struct cgw_profile *p, const struct cgwi_table *t,
            const struct cgwi_ranks *ranks)
{
  struct entries e = { p, t, ranks };

  return cgwi_sort (&p->w->memory, t->n, entry_less, &e);
}

enum cgw_status
cgwi_sort_profile (struct cgw_profile *p, struct cgwi_sorted *s)
{
  enum cgw_status status;

  *s = (struct cgwi_sorted){ 0 };
  if ((status = cgwi_expand_all (p)) != CGW_OK
      || (status = cgwi_learn_homes (p)) != CGW_OK
      || (status = cgwi_rank_names (p->w, &s->ranks)) != CGW_OK)
    return status;
  s->self = sort_table (p, &p->self, &s->ranks);
  s->edges = sort_table (p, &p->edges, &s->ranks);
  s->costs = cgwi_resize (&p->w->memory, NULL,
                          p->n_events * sizeof *s->costs);
  if (s->self != NULL && s->edges != NULL && s->costs != NULL)
    return CGW_OK;
  cgwi_free_sorted (p, s);
  return CGW_ENOMEM;
}

void
cgwi_free_sorted (struct cgw_profile *p, struct cgwi_sorted *s)
{
  cgwi_free_ranks (p->w, &s->ranks);
  cgwi_release (&p->w->memory, s->self);
  cgwi_release (&p->w->memory, s->edges);
  cgwi_release (&p->w->memory, s->costs);
}

/* Where a walk stands in one of the tables.  */
struct walk
{
  struct entries e;
  const uint32_t *order;
  uint32_t *next;
};

static struct walk
walk_of (const struct cgw_profile *p, struct cgwi_sorted *s, bool is_edge)
{
  return is_edge ? (struct walk){ { p, &p->edges, &s->ranks }, s->edges,
                                  &s->next_edge }
                 : (struct walk){ { p, &p->self, &s->ranks }, s->self,
                                  &s->next_self };
}

static bool
is_at_end (const struct walk *w)
{
  return *w->next == w->e.t->n;
}

static struct place
place_at (const struct walk *w, uint32_t i)
{
  return place_of (&w->e, w->order[i]);
}

/* Whether an edge is next.  One of the tables may be at its end.  */
static bool
edge_is_next (const struct walk *self, const struct walk *edges)
{
  struct place a, b;

  if (is_at_end (self) || is_at_end (edges))
    return is_at_end (self);
  a = place_at (self, *self->next);
  b = place_at (edges, *edges->next);
  return !place_less (&a, &b);
}

/* Add the next entry to the sum, if it is at the same place.  False: it is
   not, or a sum would overflow; then it is the next sum, at the same place, and
   readers add both.  */
static bool
add_next (const struct cgw_profile *p, const struct walk *w,
          struct cgwi_sum *sum, uint64_t *costs)
{
  uint32_t i = *w->next;
  struct place a, b;
  const struct cgwi_edge *more;
  const uint64_t *more_costs;

  if (is_at_end (w))
    return false;
  a = place_at (w, i - 1);
  b = place_at (w, i);
  more = cgwi_table_entry (w->e.t, w->order[i]);
  more_costs = cgwi_table_costs (w->e.t, w->order[i]);
  if (place_less (&a, &b) || !cgwi_costs_fit (costs, more_costs, p->n_events))
    return false;
  if (sum->is_edge)
    {
      if (sum->at.count + more->count < more->count)
        return false;
      sum->at.count += more->count;
      cgwi_add_target (&sum->at, more->to_instr, more->to_line);
    }
  cgwi_add_costs (costs, more_costs, p->n_events);
  ++*w->next;
  return true;
}

/* Get the next sum, which may be one of an earlier interval, all 0.  */
static bool
next (const struct cgw_profile *p, struct cgwi_sorted *s,
      struct cgwi_sum *sum)
{
  struct walk self = walk_of (p, s, false);
  struct walk edges = walk_of (p, s, true);
  const struct walk *w = edge_is_next (&self, &edges) ? &edges : &self;
  uint32_t index;

  if (is_at_end (w))
    return false;
  index = w->order[(*w->next)++];
  memset (sum, 0, sizeof *sum);
  sum->is_edge = w == &edges;
  memcpy (&sum->at, cgwi_table_entry (w->e.t, index), w->e.t->head);
  sum->at.key.source = cgwi_source (p, &sum->at.key);
  memcpy (s->costs, cgwi_table_costs (w->e.t, index),
          p->n_events * sizeof *s->costs);
  sum->costs = s->costs;
  while (add_next (p, w, sum, s->costs))
    continue;
  return true;
}

bool
cgwi_sorted_next (const struct cgw_profile *p, struct cgwi_sorted *s,
                  struct cgwi_sum *sum)
{
  while (next (p, s, sum))
    if (!cgwi_is_stale (p, sum->at.count, sum->costs))
      return true;
  return false;
}
