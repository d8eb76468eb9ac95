/* sorted.c - the sums of a profile in the order of its part.

   SPDX-License-Identifier: MIT  */

#include "sorted.h"

#include "sort.h"
#include "sums.h"

#include <string.h>

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
  const struct cgw_names *names;
  const struct cgwi_table *t;
  const struct cgwi_numbers *ranks;
};

static uint32_t
rank_of (const struct entries *e, enum cgwi_kind_of_name kind,
         uint32_t handle)
{
  return e->ranks->of[kind][cgwi_index (e->names, handle)];
}

static uint32_t
fn_rank (const struct entries *e, uint32_t index)
{
  const struct cgwi_spot *s = cgwi_table_entry (e->t, index);

  return rank_of (e, CGWI_FNS, s->fn);
}

static struct place
place_of (const struct entries *e, uint32_t index)
{
  const struct cgwi_spot *s = cgwi_table_entry (e->t, index);
  uint32_t source = s->file == 0 ? 0 : rank_of (e, CGWI_FILES, s->file) + 1;
  uint32_t callee
      = s->callee == CGWI_NONE ? 0 : rank_of (e, CGWI_FNS, s->callee) + 1;

  return (struct place){ { (uint64_t) rank_of (e, CGWI_FNS, s->fn) << 32
                               | source,
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

/* Order the entries by function: count those of each, and turn the counts into
   where its entries begin.  Afterwards begins[i] is where those of function i
   end.  */
static void
order_by_function (const struct entries *e, uint32_t *order, uint32_t *begins,
                   uint32_t n_fns)
{
  uint32_t begin = 0;

  memset (begins, 0, n_fns * sizeof *begins);
  for (uint32_t i = 0; i < e->t->n; i++)
    begins[fn_rank (e, i)]++;
  for (uint32_t i = 0; i < n_fns; i++)
    {
      uint32_t n = begins[i];
      begins[i] = begin;
      begin += n;
    }
  for (uint32_t i = 0; i < e->t->n; i++)
    order[begins[fn_rank (e, i)]++] = i;
}

/* Comparing entries far apart misses the cache, so sort those of one function
   at a time.  */
static uint32_t *
sort_table (struct cgw_profile *p, const struct cgwi_table *t,
            const struct cgwi_sorted *s)
{
  struct entries e = { p->names, t, &s->ranks };
  uint32_t n_fns = atomic_load_explicit (&p->names->tables[CGWI_FNS].n,
                                         memory_order_relaxed);
  uint32_t *order = cgwi_borrow (p, t->n, 2 * sizeof *order);
  uint32_t *ends = cgwi_borrow (p, n_fns, sizeof *ends);
  uint32_t begin = 0;

  if (order == NULL || ends == NULL)
    return NULL;
  order_by_function (&e, order, ends, n_fns);
  for (uint32_t i = 0; i < n_fns; begin = ends[i++])
    cgwi_sort (order + begin, order + t->n, ends[i] - begin, entry_less, &e);
  return order;
}

enum cgw_status
cgwi_sort_profile (struct cgw_profile *p, struct cgwi_sorted *s)
{
  enum cgw_status status = cgwi_expand_all (p);

  s->next_self = s->next_edge = 0;
  if (status != CGW_OK)
    return status;
  return cgwi_rank_names (&s->ranks, p)
                 && (s->self = sort_table (p, &p->self, s)) != NULL
                 && (s->edges = sort_table (p, &p->edges, s)) != NULL
             ? CGW_OK
             : CGW_ENOMEM;
}

/* Whether an edge is next.  One of the tables may be at its end.  */
static bool
edge_is_next (const struct cgw_profile *p, const struct cgwi_sorted *s)
{
  struct entries self = { p->names, &p->self, &s->ranks };
  struct entries edges = { p->names, &p->edges, &s->ranks };
  struct place a, b;

  if (s->next_self == p->self.n || s->next_edge == p->edges.n)
    return s->next_self == p->self.n;
  a = place_of (&self, s->self[s->next_self]);
  b = place_of (&edges, s->edges[s->next_edge]);
  return !place_less (&a, &b);
}

bool
cgwi_sorted_next (const struct cgw_profile *p, struct cgwi_sorted *s,
                  struct cgwi_sum *sum)
{
  while (s->next_self < p->self.n || s->next_edge < p->edges.n)
    {
      bool is_edge = edge_is_next (p, s);
      const struct cgwi_table *t = is_edge ? &p->edges : &p->self;
      uint32_t i = is_edge ? s->edges[s->next_edge++]
                           : s->self[s->next_self++];
      const void *entry = cgwi_table_entry (t, i);

      *sum = (struct cgwi_sum){ .at = entry, .edge = is_edge ? entry : NULL,
                                .costs = cgwi_table_costs (t, i) };
      if (!cgwi_is_stale (p, is_edge ? sum->edge->count : 0, sum->costs))
        return true;
    }
  return false;
}
