/* sorted.c - the sums of a profile in the order of its part.

   SPDX-License-Identifier: MIT  */

#include "sorted.h"

#include "profile.h"

#include <string.h>

/* Sorting.  */

/* Whether index a is before b.  */
typedef bool less_fn (void *context, uint32_t a, uint32_t b);

/* Two adjacent runs of sorted indices: [at, middle) and [middle, end).  */
struct runs
{
  size_t at;
  size_t middle;
  size_t end;
};

static void
merge (uint32_t *to, const uint32_t *from, struct runs r, less_fn *less,
       void *context)
{
  size_t b = r.middle;
  size_t a = r.at;

  for (size_t i = r.at; i < r.end; i++)
    to[i] = b == r.end || (a < r.middle && !less (context, from[b], from[a]))
                ? from[a++]
                : from[b++];
}

static size_t
at_most (size_t n, size_t most)
{
  return n < most ? n : most;
}

/* Sort n indices.  `room` is for n more, and has no meaning afterwards.  Not
   qsort, which may call malloc and passes no context to its comparison.  */
static void
sort (uint32_t *at, uint32_t *room, size_t n, less_fn *less,
      void *context)
{
  uint32_t *from = at, *to = room;

  for (size_t width = 1; width < n; width *= 2)
    {
      uint32_t *sorted = to;

      for (size_t i = 0; i < n; i += 2 * width)
        merge (to, from,
               (struct runs){ i, at_most (i + width, n),
                              at_most (i + 2 * width, n) },
               less, context);
      to = from;
      from = sorted;
    }
  if (from != at)
    memcpy (at, from, n * sizeof *at);
}

/* Names.  */

static uint32_t
count (const struct cgw_names *names, int kind)
{
  return atomic_load_explicit (&names->tables[kind].n, memory_order_acquire);
}

bool
cgwi_make_numbers (struct cgwi_numbers *n, const struct cgw_names *names,
                   struct cgw_profile *p)
{
  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    {
      uint32_t n_names = count (names, kind);

      n->of[kind] = cgwi_scratch (p, n_names, sizeof *n->of[kind]);
      if (n->of[kind] == NULL)
        return false;
      memset (n->of[kind], 0xff, n_names * sizeof *n->of[kind]);
    }
  return true;
}

struct ranking
{
  struct cgw_profile *p;
  enum cgwi_kind_of_name kind;
  const struct cgwi_numbers *ranks; /* of objects and files, for functions */
};

static bool
text_less (const struct cgwi_name *a, const struct cgwi_name *b)
{
  uint32_t n = a->length < b->length ? a->length : b->length;
  int order = memcmp (a->text, b->text, n);

  return order != 0 ? order < 0 : a->length < b->length;
}

static bool
name_less (void *context, uint32_t index_a, uint32_t index_b)
{
  const struct ranking *r = context;
  const struct cgwi_name *a = cgwi_name (r->p->names, r->kind, index_a);
  const struct cgwi_name *b = cgwi_name (r->p->names, r->kind, index_b);
  uint32_t *const *rank = r->ranks->of;

  if (a->object != b->object)
    return rank[CGWI_OBJECTS][a->object] < rank[CGWI_OBJECTS][b->object];
  if (a->file != b->file)
    return rank[CGWI_FILES][a->file] < rank[CGWI_FILES][b->file];
  return text_less (a, b);
}

/* Return the ranks of the first n names of a kind; NULL: no memory.  */
static uint32_t *
rank (struct ranking *r, uint32_t n)
{
  uint32_t *ranks = cgwi_scratch (r->p, n, sizeof *ranks);
  uint32_t *order = cgwi_scratch (r->p, n, sizeof *order);

  if (ranks == NULL || order == NULL)
    return NULL;
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  sort (order, ranks, n, name_less, r);
  for (uint32_t i = 0; i < n; i++)
    ranks[order[i]] = i;
  return ranks;
}

/* Rank the present names: by their texts; functions first by object and file.
   Indices follow the order in which names were added, and a sorted file must
   not depend on that.  Count functions first: their objects and files came
   before them.  */
static bool
rank_names (struct cgwi_numbers *ranks, struct cgw_profile *p)
{
  uint32_t n_fns = count (p->names, CGWI_FNS);

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    {
      struct ranking r = { p, (enum cgwi_kind_of_name) kind, ranks };

      ranks->of[kind]
          = rank (&r, kind == CGWI_FNS ? n_fns : count (p->names, kind));
      if (ranks->of[kind] == NULL)
        return false;
    }
  return true;
}

/* Entries.  */

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
  const struct cgwi_key *s = cgwi_table_entry (e->t, index);

  return rank_of (e, CGWI_FNS, s->fn);
}

static struct place
place_of (const struct entries *e, uint32_t index)
{
  const struct cgwi_key *s = cgwi_table_entry (e->t, index);
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
  uint32_t *order = cgwi_scratch (p, t->n, 2 * sizeof *order);
  uint32_t *ends = cgwi_scratch (p, n_fns, sizeof *ends);
  uint32_t begin = 0;

  if (order == NULL || ends == NULL)
    return NULL;
  order_by_function (&e, order, ends, n_fns);
  for (uint32_t i = 0; i < n_fns; begin = ends[i++])
    sort (order + begin, order + t->n, ends[i] - begin, entry_less, &e);
  return order;
}

enum cgw_status
cgwi_sort_profile (struct cgw_profile *p, struct cgwi_sorted *s)
{
  enum cgw_status status = cgwi_expand_stacks (p);

  s->next_self = s->next_edge = 0;
  if (status != CGW_OK)
    return status;
  return rank_names (&s->ranks, p)
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
  const struct cgwi_table *t;
  const void *entry;
  bool is_edge;
  uint32_t i;

  if (s->next_self == p->self.n && s->next_edge == p->edges.n)
    return false;
  is_edge = edge_is_next (p, s);
  t = is_edge ? &p->edges : &p->self;
  i = is_edge ? s->edges[s->next_edge++] : s->self[s->next_self++];
  entry = cgwi_table_entry (t, i);
  *sum = (struct cgwi_sum){ .at = entry, .edge = is_edge ? entry : NULL,
                            .count = is_edge ? ((const struct cgwi_edge *)
                                                entry)->count : 0,
                            .costs = cgwi_table_costs (t, i) };
  return true;
}
