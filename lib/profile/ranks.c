/* ranks.c - order a writer's names by their texts.

   SPDX-License-Identifier: MIT  */

#include "ranks.h"
#include "sort.h"

/* Comparisons before the gate is left for a moment: about 20 us.  */
#define BREATH 128

struct ranking
{
  struct cgw_writer *w;
  const struct cgwi_names *t;
  const struct cgwi_ranks *ranks; /* of objects and files, if t is fns */
  unsigned compared;
  enum cgw_status status;         /* CGW_OK while we are inside the gate */
};

/* From time to time leave the gate and enter again, to write deferred records
   and let other threads in.  Names do not change meanwhile, but may move.  */
static bool
breathe (struct ranking *r)
{
  if (r->status == CGW_OK && ++r->compared % BREATH == 0)
    {
      cgwi_leave (r->w);
      r->status = cgwi_enter (r->w);
    }
  return r->status == CGW_OK;
}

static bool
text_less (const struct cgwi_names *t, uint32_t index_a, uint32_t index_b)
{
  const struct cgwi_text *a = &t->spelled[index_a];
  const struct cgwi_text *b = &t->spelled[index_b];
  uint32_t n = a->length < b->length ? a->length : b->length;
  int order = memcmp (t->texts + a->start, t->texts + b->start, n);

  return order != 0 ? order < 0 : a->length < b->length;
}

static bool
name_less (void *context, uint32_t index_a, uint32_t index_b)
{
  struct ranking *r = context;
  const struct cgwi_name *a, *b;

  if (!breathe (r))
    return false;
  a = &r->t->entries[index_a];
  b = &r->t->entries[index_b];
  if (a->object != b->object)
    return r->ranks->objects[a->object] < r->ranks->objects[b->object];
  if (a->file != b->file)
    return r->ranks->files[a->file] < r->ranks->files[b->file];
  return text_less (r->t, index_a, index_b);
}

/* Return the ranks of the first n names of a table; NULL: no memory.  */
static uint32_t *
rank (struct ranking *r, const struct cgwi_names *t, uint32_t n)
{
  uint32_t *order;

  r->t = t;
  order = cgwi_sort (&r->w->memory, n, name_less, r);
  if (order == NULL)
    return NULL;
  /* cgwi_sort leaves room behind the order: build the ranks there.  */
  for (uint32_t i = 0; i < n; i++)
    order[n + order[i]] = i;
  memmove (order, order + n, n * sizeof *order);
  return order;
}

enum cgw_status
cgwi_rank_names (struct cgw_writer *w, struct cgwi_ranks *ranks)
{
  struct ranking r = { .w = w, .ranks = ranks };
  uint32_t n_objects, n_files, n_fns;

  *ranks = (struct cgwi_ranks){ 0 };
  if ((r.status = cgwi_enter (w)) != CGW_OK)
    return r.status;
  /* Read these together, so that each function has its object and file among
     them.  */
  n_objects = w->core.encoder.objects.n;
  n_files = w->core.encoder.files.n;
  n_fns = w->core.encoder.fns.n;
  if ((ranks->objects = rank (&r, &w->core.encoder.objects, n_objects)) == NULL
      || (ranks->files = rank (&r, &w->core.encoder.files, n_files)) == NULL
      || (ranks->fns = rank (&r, &w->core.encoder.fns, n_fns)) == NULL)
    cgwi_free_ranks (w, ranks);
  if (r.status != CGW_OK)
    {
      cgwi_free_ranks (w, ranks);
      return r.status;
    }
  cgwi_leave (w);
  return ranks->fns != NULL ? CGW_OK : CGW_ENOMEM;
}

void
cgwi_free_ranks (struct cgw_writer *w, struct cgwi_ranks *ranks)
{
  cgwi_release (&w->memory, ranks->objects);
  cgwi_release (&w->memory, ranks->files);
  cgwi_release (&w->memory, ranks->fns);
  *ranks = (struct cgwi_ranks){ 0 };
}
