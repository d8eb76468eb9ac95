/* sorted.c - aggregation: write the sums as one part, sorted by object, file,
   function, source file, address and line.

   Names are ordered by their texts, so the bytes depend on the sums alone.

   SPDX-License-Identifier: MIT  */

#include "../api/parts.h"
#include "../api/structs.h"
#include "../core/room.h"
#include "profile.h"
#include "ranks.h"
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
  const struct cgwi_table *t;
  const struct cgwi_ranks *ranks;
};

static struct place
place_of (const struct entries *e, uint32_t index)
{
  const struct cgwi_spot *s = cgwi_table_entry (e->t, index);
  const struct cgwi_ranks *ranks = e->ranks;
  uint32_t source = s->source == 0 ? 0 : ranks->files[s->source - 1] + 1;
  uint32_t callee = s->callee == CGWI_NONE ? 0 : ranks->fns[s->callee] + 1;

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

/* Both tables, sorted.  */
struct sorted
{
  struct cgwi_ranks ranks;
  uint32_t *self;
  uint32_t *edges;
};

static void
free_sorted (struct cgw_profile *p, struct sorted *s)
{
  cgwi_free_ranks (p->w, &s->ranks);
  cgwi_release (&p->w->memory, s->self);
  cgwi_release (&p->w->memory, s->edges);
}

static uint32_t *
sort_table (const struct cgw_profile *p, const struct cgwi_table *t,
            const struct cgwi_ranks *ranks)
{
  struct entries e = { t, ranks };

  return cgwi_sort (&p->w->memory, t->n, entry_less, &e);
}

static enum cgw_status
sort (struct cgw_profile *p, struct sorted *s)
{
  enum cgw_status status;

  *s = (struct sorted){ 0 };
  if ((status = cgwi_rank_names (p->w, &s->ranks)) != CGW_OK)
    return status;
  s->self = sort_table (p, &p->self, &s->ranks);
  s->edges = sort_table (p, &p->edges, &s->ranks);
  if (s->self != NULL && s->edges != NULL)
    return CGW_OK;
  free_sorted (p, s);
  return CGW_ENOMEM;
}

/* Writing.  */

static struct cgw_pos
position (const struct cgw_profile *p, const struct cgwi_spot *s)
{
  const struct cgwi_core *c = &p->w->core;

  return (struct cgw_pos){
    .fn = { cgwi_handle (c, s->fn) },
    .file = { s->source == 0 ? 0 : cgwi_handle (c, s->source - 1) },
    .line = s->line,
    .instr = s->instr
  };
}

static enum cgw_status
write_self (struct cgw_profile *p, uint32_t index)
{
  struct cgw_pos pos = position (p, cgwi_table_entry (&p->self, index));

  return cgw_cost (p->w, &pos, cgwi_table_costs (&p->self, index),
                   p->n_events);
}

static enum cgw_status
write_edge (struct cgw_profile *p, uint32_t index)
{
  const struct cgwi_edge *edge = cgwi_table_entry (&p->edges, index);
  struct cgw_pos from = position (p, &edge->key);
  struct cgw_pos to = { .fn = { cgwi_handle (&p->w->core, edge->key.callee) },
                        .line = edge->to_line,
                        .instr = edge->to_instr };

  return cgw_call (p->w, &from, &to, edge->count,
                   cgwi_table_costs (&p->edges, index), p->n_events);
}

/* Wait until the buffer has room: records do not wait, but normal code may.
   If this fails, the next record returns the error.  */
static void
wait_for_room (struct cgw_writer *w)
{
  if (cgwi_enter (w) != CGW_OK)
    return;
  cgwi_make_room_waiting (&w->core);
  cgwi_leave (w);
}

/* Whether self cost a is before edge b.  One of the tables may be at its
   end.  */
static bool
self_is_next (const struct cgw_profile *p, const struct sorted *s, uint32_t a,
              uint32_t b)
{
  struct entries self = { &p->self, &s->ranks };
  struct entries edges = { &p->edges, &s->ranks };
  struct place at_a, at_b;

  if (a == p->self.n || b == p->edges.n)
    return a < p->self.n;
  at_a = place_of (&self, s->self[a]);
  at_b = place_of (&edges, s->edges[b]);
  return place_less (&at_a, &at_b);
}

/* Merge both tables into the file.  Records that find no room are lost and
   counted as usual, so the part's totals are right even then.  */
static enum cgw_status
write_sorted (struct cgw_profile *p, const struct sorted *s)
{
  enum cgw_status first = CGW_OK;
  enum cgw_status status;
  uint32_t a = 0, b = 0;

  while (a < p->self.n || b < p->edges.n)
    {
      if (first == CGW_OK)
        wait_for_room (p->w);
      status = self_is_next (p, s, a, b) ? write_self (p, s->self[a++])
                                         : write_edge (p, s->edges[b++]);
      first = first == CGW_OK ? status : first;
    }
  return first;
}

/* Check that the part has the events and positions of the profile.
   cgw_begin_part checks the rest.  */
static bool
suits (const struct cgw_profile *p, const struct cgw_part *part,
       struct cgwi_sentence *why)
{
  size_t n = 0;

  for (size_t i = 0; part->events != NULL && i < part->n_events; i++)
    n += part->events[i].formula == NULL;
  if (n != p->n_events)
    return cgwi_say (why, "part.events: the profile was made for %U events that "
                          "are not derived, the part has %U",
                     (uint64_t) p->n_events, (uint64_t) n);
  if ((part->positions != 0 ? part->positions : CGW_LINE) != p->positions)
    return cgwi_say (why, "part.positions are not those that the profile was "
                          "made for");
  return true;
}

/* Keep that the profile's part is missing, if the writer can be entered.  */
static enum cgw_status
miss_part (struct cgw_writer *w, enum cgw_status status)
{
  if (status == CGW_ENOMEM && cgwi_enter (w) == CGW_OK)
    {
      cgwi_miss_part (w, status);
      cgwi_leave (w);
    }
  return status;
}

/* Copy the caller's part, and check it.  */
static enum cgw_status
take_part (struct cgw_profile *p, const struct cgw_part *theirs,
           struct cgw_part *part)
{
  struct cgwi_errors *e = &p->w->core.errors;
  enum cgw_status status = cgwi_enter (p->w);

  if (status != CGW_OK)
    return status;
  if (p->w->core.state == CGWI_FINISHED)
    status = CGW_EFINISHED;
  else if (!cgwi_take_part (part, theirs, &e->last_why)
           || !suits (p, part, &e->last_why))
    {
      status = cgwi_errors_end (e, CGW_EINVAL);
      cgwi_miss_part (p->w, status);
    }
  else if (part->summary == NULL && part->n_summary == 0)
    {
      part->summary = p->totals;
      part->n_summary = p->n_events;
    }
  cgwi_leave (p->w);
  return status;
}

/* The file lacks what the profile could not add.  */
static void
keep_refused (const struct cgw_profile *p)
{
  struct cgwi_errors *e = &p->w->core.errors;
  struct cgwi_sentence *s
      = p->refused != CGW_OK ? cgwi_errors_keep (e, p->refused) : NULL;

  if (s == NULL)
    return;
  cgwi_say (s, "a call of cgw_profile_cost, _call or _stack was refused: %s",
            cgw_strerror (p->refused));
  cgwi_errors_explained (e, p->refused);
}

enum cgw_status
cgw_profile_write (struct cgw_profile *p, const struct cgw_part *theirs)
{
  struct cgw_part part;
  struct sorted s;
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  if ((status = take_part (p, theirs, &part)) != CGW_OK)
    return status;
  if ((status = sort (p, &s)) != CGW_OK)
    return miss_part (p->w, status);
  status = cgw_begin_part (p->w, &part);
  if (status == CGW_OK)
    {
      keep_refused (p);
      status = write_sorted (p, &s);
    }
  free_sorted (p, &s);
  return status;
}
