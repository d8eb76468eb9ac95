/* run.c - a function passes through positions one after the other.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

/* A run.  Each position costs the same.  */
struct run
{
  struct cgw_tracer *t;
  const struct cgw_pos *pos;
  const uint64_t *cost; /* n, of the events behind the counters */
  size_t n;
};

/* Return the index of a position's entry; CGWI_NONE: there is none.  Entries
   are in the order in which positions were first passed, so the next one is
   mostly behind the last one, or it is the same line.  */
static inline uint32_t
find (const struct cgw_profile *p, const struct cgwi_spot *key, uint32_t last)
{
  const unsigned char *spot = cgwi_table_entry (&p->self, last);
  const void *next = spot + p->self.entry_size;

  if (last + 1 < p->self.n && cgwi_spot_equal (next, key))
    return last + 1;
  return cgwi_spot_equal ((const void *) spot, key)
             ? last
             : cgwi_table_find (&p->self, key);
}

/* Add position i, which is in function `fn`, if it is new.  CGW_EHANDLE,
   CGW_ENOMEM.  */
static __attribute__ ((noinline)) enum cgw_status
add (const struct run *r, size_t i, uint32_t fn, uint32_t *self)
{
  struct cgw_profile *p = r->t->p;
  struct cgw_pos at = r->pos[i];
  enum cgw_status status;
  struct cgwi_spot key;

  at.fn.handle = fn;
  status = cgwi_check_names (p, &at, CGWI_ARG_RUN, (uint32_t) i);
  if (status != CGW_OK)
    return status;
  key = cgwi_checked_key (p, &at);
  *self = cgwi_table_add (&p->self, cgwi_memory_of (p), &key);
  return *self != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

/* Find or add position i behind the one before.  Function {0} is the running
   one.  CGW_EHANDLE, CGW_ENOMEM.  */
static inline enum cgw_status
find_or_add (const struct run *r, size_t i, uint32_t *self)
{
  const struct cgw_profile *p = r->t->p;
  const struct cgw_pos *at = &r->pos[i];
  uint32_t fn = at->fn.handle;
  struct cgwi_spot key;

  if (r->t->missed != 0) /* the frame is that of the missed call's caller */
    *self = r->t->top->self;
  if (fn == 0)
    fn = cgwi_self_spot (r->t, *self)->fn;
  key = cgwi_key (p, at, fn);
  *self = find (p, &key, *self);
  return *self != CGWI_NONE ? CGW_OK : add (r, i, fn, self);
}

/* Return where the costs of a position are booked.  */
static inline uint32_t
place_of (const struct run *r, uint32_t self)
{
  return r->t->missed == 0 ? self : r->t->top->self;
}

/* Take back the first n costs at a position.  */
static void
take_back (const struct run *r, uint32_t self, size_t n)
{
  struct cgw_tracer *t = r->t;
  size_t first = t->n_counters;

  cgwi_subtract_costs (t->sums + first, r->cost, n);
  if (t->calls_only)
    return;
  cgwi_subtract_costs (t->p->totals + first, r->cost, n);
  cgwi_subtract_costs (cgwi_self_costs (t, self, cgwi_shape_of (t)) + first,
                       r->cost, n);
}

/* Take back the costs of the first n positions, which the profile has.  */
static void
take_back_positions (const struct run *r, size_t n)
{
  uint32_t self = r->t->top->self;

  for (size_t i = 0; i < n; i++)
    {
      find_or_add (r, i, &self);
      take_back (r, place_of (r, self), r->n);
    }
}

/* Book all costs at a position, or none.  CGW_EOVERFLOW.  */
static inline __attribute__ ((always_inline)) enum cgw_status
book (const struct run *r, uint32_t self, struct cgwi_shape shape)
{
  for (size_t i = 0; i < r->n; i++)
    if (!cgwi_book (r->t, self, shape.n_counters + i, r->cost[i], shape))
      {
        take_back (r, self, i);
        return cgwi_fail_to_book (r->t, self, shape.n_counters + i,
                                  r->cost[i]);
      }
  return CGW_OK;
}

static inline __attribute__ ((always_inline)) enum cgw_status
run (const struct run *r, size_t n_pos, struct cgwi_shape shape)
{
  struct cgw_profile *p = r->t->p;
  uint32_t n_self = p->self.n, self = r->t->top->self;

  for (size_t i = 0; i < n_pos; i++)
    {
      enum cgw_status status = find_or_add (r, i, &self);

      if (status == CGW_OK)
        status = book (r, place_of (r, self), shape);
      if (status != CGW_OK)
        {
          take_back_positions (r, i);
          cgwi_table_truncate (&p->self, n_self);
          return status;
        }
    }
  if (r->t->missed == 0)
    r->t->top->self = self;
  return CGW_OK;
}

enum cgw_status
cgwi_run (struct cgw_tracer *t, const struct cgw_pos *pos, size_t n_pos,
          const uint64_t *cost, size_t n)
{
  const struct run r = { t, pos, cost, n };
  struct cgwi_shape shape = cgwi_shape_of (t);

  if (shape.is_special)
    return run (&r, n_pos, shape);
  /* The compiler makes a second, faster copy of it.  */
  shape.is_special = false;
  return run (&r, n_pos, shape);
}
