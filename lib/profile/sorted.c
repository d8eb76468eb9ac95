/* sorted.c - the sums of a profile in the order of its part.

   SPDX-License-Identifier: MIT  */

#include "sorted.h"

#include "profile.h"

#include <string.h>

/* Sorting.  */

/* An item has an index in its lower half.  Items are sorted by their upper
   halves; this is whether index a is before b if these are equal.  */
typedef bool less_fn (void *context, uint32_t a, uint32_t b);

/* Two adjacent runs of sorted items: [at, middle) and [middle, end).  */
struct runs
{
  size_t at;
  size_t middle;
  size_t end;
};

static inline bool
item_less (uint64_t a, uint64_t b, less_fn *less, void *context)
{
  return a >> 32 != b >> 32 ? a < b
                            : less (context, (uint32_t) a, (uint32_t) b);
}

/* Choose between both runs without a branch: processors cannot predict it.  */
static inline void
merge (uint64_t *to, const uint64_t *from, struct runs r, less_fn *less,
       void *context)
{
  size_t a = r.at;
  size_t b = r.middle;

  for (size_t i = r.at; i < r.end; i++)
    {
      bool second
          = a == r.middle
            || (b < r.end && item_less (from[b], from[a], less, context));

      to[i] = from[second ? b : a];
      a += !second;
      b += second;
    }
}

static size_t
at_most (size_t n, size_t most)
{
  return n < most ? n : most;
}

/* Sort n items.  `room` is for n more, and has no meaning afterwards.  Not
   qsort, which may call malloc and passes no context to its comparison.  */
static void
sort (uint64_t *at, uint64_t *room, size_t n, less_fn *less, void *context)
{
  uint64_t *from = at, *to = room;

  for (size_t width = 1; width < n; width *= 2)
    {
      uint64_t *sorted = to;

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

bool
cgwi_make_numbers (struct cgwi_numbers *n, const struct cgw_names *names,
                   struct cgw_profile *p)
{
  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    {
      n->n[kind] = atomic_load_explicit (&names->tables[kind].n,
                                         memory_order_acquire);
      n->of[kind] = cgwi_scratch (p, n->n[kind], sizeof *n->of[kind]);
      if (n->of[kind] == NULL)
        return false;
      memset (n->of[kind], 0xff, n->n[kind] * sizeof *n->of[kind]);
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

/* Mark the names that the keys of a table have: they get a rank.  */
static void
mark_names (struct cgwi_sorted *s, const struct cgwi_table *t)
{
  uint32_t *const *rank = s->ranks.of;

  for (uint32_t i = 0; i < t->n; i++)
    {
      const struct cgwi_key *key = cgwi_table_entry (t, i);

      rank[CGWI_FNS][cgwi_index (s->names, key->fn)] = 0;
      if (key->callee != CGWI_NONE)
        rank[CGWI_FNS][cgwi_index (s->names, key->callee)] = 0;
      if (key->file != 0)
        rank[CGWI_FILES][cgwi_index (s->names, key->file)] = 0;
    }
}

/* Mark the objects and files of the functions that are marked.  */
static void
mark_homes (struct cgwi_sorted *s)
{
  uint32_t *const *rank = s->ranks.of;

  for (uint32_t i = 0; i < s->ranks.n[CGWI_FNS]; i++)
    if (rank[CGWI_FNS][i] != CGWI_NONE)
      {
        const struct cgwi_name *fn = cgwi_name (s->names, CGWI_FNS, i);

        rank[CGWI_OBJECTS][fn->object] = 0;
        rank[CGWI_FILES][fn->file] = 0;
      }
}

/* Rank the marked names of a kind; *n of them.  False: no memory.  */
static bool
rank (struct ranking *r, uint32_t *n)
{
  uint32_t *ranks = r->ranks->of[r->kind];
  uint32_t n_names = r->ranks->n[r->kind];
  uint64_t *items = cgwi_scratch (r->p, n_names, 2 * sizeof *items);

  if (items == NULL)
    return false;
  *n = 0;
  for (uint32_t i = 0; i < n_names; i++)
    if (ranks[i] != CGWI_NONE)
      items[(*n)++] = i;
  sort (items, items + *n, *n, name_less, r);
  for (uint32_t i = 0; i < *n; i++)
    ranks[items[i]] = i;
  return true;
}

/* Rank the names in the sums, of which there may be few beside those of other
   profiles: by their texts; functions first by object and file.  Indices follow
   the order in which names were added, and a sorted file must not depend on
   that.  */
static bool
rank_names (struct cgwi_sorted *s, struct cgw_profile *p,
            const struct cgw_profile *sums)
{
  if (!cgwi_make_numbers (&s->ranks, s->names, p))
    return false;
  mark_names (s, &sums->self);
  mark_names (s, &sums->edges);
  mark_homes (s);
  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    {
      struct ranking r = { p, (enum cgwi_kind_of_name) kind, &s->ranks };

      if (!rank (&r, &s->n_fns)) /* functions are the last kind */
        return false;
    }
  return true;
}

/* Entries.  */

static uint32_t
rank_of (const struct cgwi_sorted *s, enum cgwi_kind_of_name kind,
         uint32_t handle)
{
  return s->ranks.of[kind][cgwi_index (s->names, handle)];
}

/* Whether key a is before b: by function, source file, address, line and
   callee.  A function's own file sorts before all others, and costs sort before
   calls: where all else is the same, a is of a call.  */
static bool
key_less (const struct cgwi_sorted *s, const struct cgwi_key *a,
          const struct cgwi_key *b)
{
  if (a->fn != b->fn)
    return rank_of (s, CGWI_FNS, a->fn) < rank_of (s, CGWI_FNS, b->fn);
  if (a->file != b->file)
    return b->file != 0
           && (a->file == 0
               || rank_of (s, CGWI_FILES, a->file)
                      < rank_of (s, CGWI_FILES, b->file));
  if (a->instr != b->instr)
    return a->instr < b->instr;
  if (a->line != b->line)
    return a->line < b->line;
  return b->callee != CGWI_NONE
         && rank_of (s, CGWI_FNS, a->callee) < rank_of (s, CGWI_FNS, b->callee);
}

/* A table that is being sorted, by function.  */
struct grouping
{
  const struct cgwi_sorted *s;
  const struct cgwi_table *t;
  bool has_instr;
  uint64_t *lowest; /* of the places in each function, by rank */
  uint32_t *ends;   /* of the function's items */
};

static bool
entry_less (void *context, uint32_t index_a, uint32_t index_b)
{
  const struct grouping *g = context;

  return key_less (g->s, cgwi_table_entry (g->t, index_a),
                   cgwi_table_entry (g->t, index_b));
}

/* Return what most entries of a function differ in: the address, or the line if
   there are no addresses.  */
static uint64_t
place_of (const struct grouping *g, const struct cgwi_key *key)
{
  return g->has_instr ? key->instr : key->line;
}

/* Return an entry's item.  Its upper half is the distance from the function's
   lowest place, or the most for all that are too far away or in another
   file.  */
static uint64_t
item_of (const struct grouping *g, const struct cgwi_key *key, uint32_t fn,
         uint32_t index)
{
  uint64_t distance = place_of (g, key) - g->lowest[fn];

  if (key->file != 0 || distance > UINT32_MAX)
    distance = UINT32_MAX;
  return distance << 32 | index;
}

/* Put the items of each function together: count them, and turn the counts into
   where its items begin, which becomes where they end.  */
static void
group_by_function (struct grouping *g, uint64_t *items)
{
  uint32_t begin = 0;

  memset (g->lowest, 0xff, g->s->n_fns * sizeof *g->lowest);
  memset (g->ends, 0, g->s->n_fns * sizeof *g->ends);
  for (uint32_t i = 0; i < g->t->n; i++)
    {
      const struct cgwi_key *key = cgwi_table_entry (g->t, i);
      uint32_t fn = rank_of (g->s, CGWI_FNS, key->fn);

      g->ends[fn]++;
      if (place_of (g, key) < g->lowest[fn])
        g->lowest[fn] = place_of (g, key);
    }
  for (uint32_t i = 0; i < g->s->n_fns; i++)
    {
      uint32_t n = g->ends[i];
      g->ends[i] = begin;
      begin += n;
    }
  for (uint32_t i = 0; i < g->t->n; i++)
    {
      const struct cgwi_key *key = cgwi_table_entry (g->t, i);
      uint32_t fn = rank_of (g->s, CGWI_FNS, key->fn);

      items[g->ends[fn]++] = item_of (g, key, fn, i);
    }
}

/* Comparing entries far apart misses the cache, so sort the items of one
   function at a time, of which few need their entries.  False: no memory.  */
static bool
sort_table (struct cgw_profile *p, const struct cgwi_table *t,
            const struct cgwi_sorted *s, struct cgwi_order *order)
{
  struct grouping g = { s, t, p->instr_mask != 0,
                        cgwi_scratch (p, s->n_fns, sizeof *g.lowest),
                        cgwi_scratch (p, s->n_fns, sizeof *g.ends) };
  uint64_t *items = cgwi_scratch (p, t->n, 2 * sizeof *items);
  uint32_t begin = 0;

  *order = (struct cgwi_order){ t, items, 0 };
  if (g.lowest == NULL || g.ends == NULL || items == NULL)
    return false;
  group_by_function (&g, items);
  for (uint32_t i = 0; i < s->n_fns; begin = g.ends[i++])
    sort (items + begin, items + t->n, g.ends[i] - begin, entry_less, &g);
  return true;
}

enum cgw_status
cgwi_sort_profile (struct cgw_profile *p, bool whole, struct cgwi_sorted *s)
{
  const struct cgw_profile *sums;

  cgwi_profile_sync (p);
  s->names = p->names;
  return (sums = whole ? p : cgwi_expand_stacks (p)) != NULL
                 && rank_names (s, p, sums)
                 && sort_table (p, &sums->self, s, &s->self)
                 && sort_table (p, &sums->edges, s, &s->edges)
             ? CGW_OK
             : CGW_ENOMEM;
}

/* Return the entry that is n behind the next one; NULL: there is none.  */
static const void *
entry_behind (const struct cgwi_order *o, size_t n)
{
  return n < o->t->n - o->next
             ? cgwi_table_entry (o->t, (uint32_t) o->items[o->next + n])
             : NULL;
}

/* Fetch an entry before it is next, because it is in no cache.  */
bool
cgwi_sorted_next (struct cgwi_sorted *s, struct cgwi_sum *sum)
{
  const struct cgwi_key *self = entry_behind (&s->self, 0);
  const struct cgwi_key *edge = entry_behind (&s->edges, 0);
  bool is_edge = edge != NULL && (self == NULL || key_less (s, edge, self));
  const struct cgwi_key *next = is_edge ? edge : self;
  struct cgwi_order *o = is_edge ? &s->edges : &s->self;

  if (next == NULL)
    return false;
  __builtin_prefetch (entry_behind (o, 8));
  sum->is_call = is_edge;
  sum->count = 0;
  sum->at = cgwi_position (next);
  if (is_edge)
    {
      const struct cgwi_edge *entry = (const void *) edge;

      sum->count = entry->count;
      sum->to = (struct cgw_pos){ .fn = { edge->callee },
                                  .line = entry->to_line,
                                  .instr = entry->to_instr };
    }
  sum->costs = cgwi_table_costs (o->t, (uint32_t) o->items[o->next++]);
  return true;
}
