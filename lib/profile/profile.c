/* profile.c - make, clear and free profiles; what adding shares.

   SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <string.h>

/* Return an epoch that no profile had before.  */
static uint32_t
next_epoch (void)
{
  static _Atomic uint32_t last;

  return atomic_fetch_add_explicit (&last, 1, memory_order_relaxed) + 1;
}

enum cgw_status
cgwi_profile_make (struct cgw_profile **result, struct cgw_names *names,
                   size_t n_events, unsigned positions)
{
  size_t size = sizeof (struct cgw_profile)
                + n_events * (sizeof (uint64_t) + sizeof (bool));
  const struct cgwi_factors factors = cgwi_secret_factors (names);
  struct cgw_profile *p = cgwi_resize (&names->memory, NULL, size);

  if (p == NULL)
    return CGW_ENOMEM;
  memset (p, 0, size);
  cgwi_hold_names (names);
  p->names = names;
  p->positions = positions != 0 ? positions : CGW_LINE;
  p->line_mask = p->positions & CGW_LINE ? UINT32_MAX : 0;
  p->instr_mask = p->positions & CGW_INSTR ? UINT64_MAX : 0;
  p->epoch = next_epoch ();
  p->n_events = n_events;
  p->is_signed = (bool *) (p->totals + n_events);
  cgwi_table_init (&p->self, sizeof (struct cgwi_key), n_events, &factors);
  cgwi_table_init (&p->edges, sizeof (struct cgwi_edge), n_events, &factors);
  cgwi_stacks_init (&p->stacks, p->positions, n_events, &factors);
  *result = p;
  return CGW_OK;
}

enum cgw_status
cgwi_profile_make_like (struct cgw_profile **result,
                        const struct cgw_profile *p)
{
  enum cgw_status status
      = cgwi_profile_make (result, p->names, p->n_events, p->positions);

  if (status == CGW_OK)
    {
      (*result)->has_signed = p->has_signed;
      memcpy ((*result)->is_signed, p->is_signed,
              p->n_events * sizeof *p->is_signed);
    }
  return status;
}

/* Several threads may have this refused at a time: a word is all that is
   kept.  */
CGWI_COLD enum cgw_status
cgw_profile_new (struct cgw_profile **result, struct cgw_names *names,
                 size_t n_events, unsigned positions)
{
  struct cgwi_why why = { .reason = CGWI_WHY_NO_REASON };
  enum cgw_status status = CGW_EINVAL;

  if (result != NULL)
    *result = NULL;
  if (names == NULL)
    return CGW_EINVAL;
  if (result == NULL)
    why = (struct cgwi_why){ .reason = CGWI_WHY_NULL_ARGUMENT,
                             .parameter = CGWI_ARG_PROFILE };
  else if (n_events == 0 || n_events > CGW_EVENTS_MAX)
    why = (struct cgwi_why){ .reason = CGWI_WHY_N_EVENTS,
                             .parameter = CGWI_ARG_N_EVENTS,
                             .value = cgwi_n_and_most (n_events,
                                                       CGW_EVENTS_MAX) };
  else if (positions > CGW_INSTR_LINE)
    why = (struct cgwi_why){ .reason = CGWI_WHY_POSITIONS,
                             .parameter = CGWI_ARG_POSITIONS,
                             .value = positions };
  else
    status = cgwi_profile_make (result, names, n_events, positions);
  return status == CGW_OK
             ? CGW_OK
             : cgwi_refuse (&names->refusals, CGWI_CALLED_PROFILE_NEW, status,
                            &why);
}

/* Make an event signed, inside.  Its costs must be signed from the first.  */
static enum cgw_status
set_signed (struct cgw_profile *p, size_t event)
{
  if (event >= p->n_events)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_TOO_LARGE,
                      .parameter = CGWI_ARG_EVENT, .a = event,
                      .b = p->n_events - 1);
  if (p->tracers != NULL || p->self.n != 0 || p->edges.n != 0
      || p->stacks.n != 0)
    return CGWI_FAIL (p, CGW_EORDER, .reason = CGWI_WHY_SIGNED_LATE);
  p->is_signed[event] = p->has_signed = true;
  return CGW_OK;
}

CGWI_COLD enum cgw_status
cgw_profile_set_signed (struct cgw_profile *p, size_t event)
{
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_SET_SIGNED);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_SET_SIGNED,
                                 set_signed (p, event))
             : status;
}

static enum cgw_status
set_root (struct cgw_profile *p, struct cgw_fn root)
{
  if (!cgwi_has_name (p->names, CGWI_FNS, cgwi_index (p->names, root.handle)))
    return CGWI_FAIL (p, CGW_EHANDLE, .reason = CGWI_WHY_FOREIGN,
                      .parameter = CGWI_ARG_ROOT);
  p->root = root;
  return CGW_OK;
}

CGWI_COLD enum cgw_status
cgw_profile_set_root (struct cgw_profile *p, struct cgw_fn root)
{
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_SET_ROOT);

  return status == CGW_OK ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_SET_ROOT,
                                              set_root (p, root))
                          : status;
}

/* Memory of a call.  */

struct cgwi_scratch_block
{
  struct cgwi_scratch_block *next;
  uint64_t bytes[];
};

void *
cgwi_scratch (struct cgw_profile *p, size_t n, size_t size)
{
  struct cgwi_scratch_block *b
      = n < SIZE_MAX / 2 / size
            ? cgwi_resize (cgwi_memory_of (p), NULL, sizeof *b + n * size)
            : NULL;

  if (b == NULL)
    return NULL;
  b->next = p->scratch;
  p->scratch = b;
  return b->bytes;
}

void
cgwi_free_scratch (struct cgw_profile *p)
{
  struct cgwi_scratch_block *b;

  while ((b = p->scratch) != NULL)
    {
      p->scratch = b->next;
      cgwi_release (cgwi_memory_of (p), b);
    }
  cgw_profile_free (p->expanded);
  p->expanded = NULL;
}

/* Free the sums.  */
static void
free_sums (struct cgw_profile *p)
{
  const struct cgwi_memory *m = cgwi_memory_of (p);

  cgwi_table_clear (&p->self, m);
  cgwi_table_clear (&p->edges, m);
  cgwi_stacks_clear (&p->stacks, m);
  cgwi_release_array (m, &p->listed.edges);
  cgwi_release_array (m, &p->listed.of_fn);
  cgwi_release_array (m, &p->frames);
  cgwi_release_array (m, &p->sites);
}

/* Set the sums to 0, and keep the entries, for tracers have their indices, and
   the targets, which open calls do not know.  */
static void
clear_sums (struct cgw_profile *p)
{
  size_t size = p->n_events * sizeof *p->totals;

  for (uint32_t i = 0; i < p->self.n; i++)
    memset (cgwi_table_costs (&p->self, i), 0, size);
  for (uint32_t i = 0; i < p->edges.n; i++)
    {
      struct cgwi_edge *edge = cgwi_table_entry (&p->edges, i);

      edge->count = 0;
      memset (cgwi_table_costs (&p->edges, i), 0, size);
    }
  cgwi_stacks_clear (&p->stacks, cgwi_memory_of (p));
}

CGWI_COLD enum cgw_status
cgw_profile_clear (struct cgw_profile *p)
{
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_CLEAR);

  if (status != CGW_OK)
    return status;
  p->interval++;
  for (struct cgwi_tracing *t = p->tracers; t != NULL; t = t->next)
    t->path = CGWI_SLOW;
  if (p->tracers != NULL)
    clear_sums (p);
  else
    {
      free_sums (p);
      p->epoch = next_epoch ();
    }
  memset (p->totals, 0, p->n_events * sizeof *p->totals);
  cgwi_forget_first (&p->refusals);
  return cgwi_profile_end (p, CGWI_CALLED_PROFILE_CLEAR, CGW_OK);
}

CGWI_COLD void
cgw_profile_free (struct cgw_profile *p)
{
  struct cgw_names *names;
  struct cgwi_tracing *t;

  if (p == NULL)
    return;
  names = p->names;
  while ((t = p->tracers) != NULL)
    {
      p->tracers = t->next;
      t->free (t);
    }
  cgwi_free_scratch (p);
  free_sums (p);
  cgwi_release (&names->memory, p);
  cgwi_release_names (names);
}

/* Refusals.  */

enum cgw_status
cgwi_profile_refuse (struct cgw_profile *p, enum cgwi_called called,
                     enum cgw_status status)
{
  return cgwi_refuse (&p->refusals, called, status,
                      status == CGW_ENOMEM || status == CGW_EBUSY ? NULL
                                                                  : &p->why);
}

CGWI_COLD enum cgw_status
cgwi_fail (struct cgw_profile *p, enum cgw_status status,
           const struct cgwi_why *why)
{
  p->why = *why;
  return status;
}

CGWI_COLD const char *
cgw_profile_explain (struct cgw_profile *p)
{
  return cgwi_explain_last (p != NULL ? &p->refusals : NULL);
}

CGWI_COLD enum cgw_status
cgw_profile_error (struct cgw_profile *p, const char **sentence)
{
  struct cgwi_refusals *r = p != NULL ? &p->refusals : NULL;

  return cgwi_tell_first (r, r, sentence);
}

/* Checks.  */

enum cgw_status
cgwi_check_names (struct cgw_profile *p, const struct cgw_pos *pos,
                  enum cgwi_parameter parameter, uint32_t i)
{
  const struct cgw_names *names = p->names;
  bool has_fn = cgwi_has_name (names, CGWI_FNS,
                               cgwi_index (names, pos->fn.handle));

  if (has_fn
      && cgwi_has_name (names, CGWI_FILES,
                        cgwi_index (names, pos->file.handle)))
    return CGW_OK;
  return CGWI_FAIL (p, CGW_EHANDLE,
                    .reason = has_fn ? CGWI_WHY_FOREIGN_FILE
                                     : CGWI_WHY_FOREIGN_FN,
                    .parameter = parameter, .value = i);
}

enum cgw_status
cgwi_take_pos (struct cgw_profile *p, const struct cgw_pos *pos,
               enum cgwi_parameter parameter, struct cgwi_key *key)
{
  enum cgw_status status = cgwi_check_names (p, pos, parameter, 0);

  if (status == CGW_OK)
    *key = cgwi_checked_key (p, pos);
  return status;
}

enum cgw_status
cgwi_check_costs (struct cgw_profile *p, const uint64_t *cost, size_t n,
                  size_t most)
{
  if (cost == NULL && n != 0)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_NULL_ARRAY,
                      .parameter = CGWI_ARG_COST,
                      .value = cgwi_n_and_most (n, 0));
  if (n > most)
    return CGWI_FAIL (p, CGW_ECOSTS, .reason = CGWI_WHY_MANY_COSTS,
                      .parameter = CGWI_ARG_N,
                      .value = cgwi_n_and_most (n, most));
  return CGW_OK;
}

uint64_t
cgwi_overflow (struct cgw_profile *p, size_t event, uint64_t sum)
{
  if (p->is_signed[event])
    return sum;
  cgwi_keep_error (&p->refusals, CGW_EOVERFLOW, CGWI_WHY_SUM_OVERFLOW,
                   (uint32_t) event);
  return UINT64_MAX;
}

/* Tracers.  */

void
cgwi_profile_add_tracer (struct cgw_profile *p, struct cgwi_tracing *t)
{
  t->next = p->tracers;
  t->link = &p->tracers;
  if (t->next != NULL)
    t->next->link = &t->next;
  p->tracers = t;
}

void
cgwi_profile_remove_tracer (struct cgwi_tracing *t)
{
  *t->link = t->next;
  if (t->next != NULL)
    t->next->link = t->link;
}

void
cgwi_profile_sync (struct cgw_profile *p)
{
  for (struct cgwi_tracing *t = p->tracers; t != NULL; t = t->next)
    t->book (t);
}

/* Adding.  */

bool
cgwi_reserve_words (const struct cgwi_memory *m, struct cgwi_array *words,
                    size_t n)
{
  size_t had = words->room;

  if (!cgwi_grow (m, words, n, sizeof (uint32_t)))
    return false;
  memset ((uint32_t *) words->at + had, 0,
          (words->room - had) * sizeof (uint32_t));
  return true;
}

void
cgwi_add_target (struct cgwi_edge *edge, uint64_t instr, uint32_t line)
{
  bool known = edge->to_instr != 0 || edge->to_line != 0;

  if (instr == 0 && line == 0)
    return;
  if (known
      && (edge->to_instr < instr
          || (edge->to_instr == instr && edge->to_line <= line)))
    return;
  edge->to_instr = instr;
  edge->to_line = line;
}
