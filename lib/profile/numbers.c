/* numbers.c - a number for each name of a names object.

   SPDX-License-Identifier: MIT  */

#include "numbers.h"

#include "sort.h"

#include <string.h>

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

      n->of[kind] = cgwi_borrow (p, n_names, sizeof *n->of[kind]);
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
  uint32_t *ranks = cgwi_borrow (r->p, n, 2 * sizeof *ranks);
  uint32_t *order;

  if (ranks == NULL)
    return NULL;
  order = ranks + n;
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  cgwi_sort (order, ranks, n, name_less, r);
  for (uint32_t i = 0; i < n; i++)
    ranks[order[i]] = i;
  return ranks;
}

/* Count functions first: their objects and files came before them.  */
bool
cgwi_rank_names (struct cgwi_numbers *ranks, struct cgw_profile *p)
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
