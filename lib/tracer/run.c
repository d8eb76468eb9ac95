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
find_pos (const struct cgw_profile *p, const struct cgwi_key *key,
          uint32_t last)
{
  const unsigned char *entry = cgwi_table_entry (&p->self, last);
  const void *next = entry + p->self.entry_size;

  if (last + 1 < p->self.n && cgwi_key_equal (next, key))
    return last + 1;
  return cgwi_key_equal ((const void *) entry, key)
             ? last
             : cgwi_table_find (&p->self, key);
}

/* Add position i, which is in function `fn`, if it is new.  CGW_EHANDLE,
   CGW_ENOMEM.  */
static __attribute__ ((noinline)) enum cgw_status
add_pos (const struct run *r, size_t i, uint32_t fn, uint32_t *self)
{
  struct cgw_profile *p = r->t->p;
  struct cgw_pos at = r->pos[i];
  enum cgw_status status;
  struct cgwi_key key;

  at.fn.handle = fn;
  status = cgwi_check_names (p, &at, CGWI_ARG_RUN_POS, (uint32_t) i);
  if (status != CGW_OK)
    return status;
  key = cgwi_checked_key (p, &at);
  *self = cgwi_table_add (&p->self, cgwi_memory_of (p), &key);
  return *self != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

/* Find or add position i behind the one before.  Function {0} is the running
   one.  CGW_EHANDLE, CGW_ENOMEM.  */
static inline enum cgw_status
find_or_add_pos (const struct run *r, size_t i, uint32_t *self)
{
  const struct cgw_profile *p = r->t->p;
  const struct cgw_pos *at = &r->pos[i];
  uint32_t fn = at->fn.handle;
  struct cgwi_key key;

  if (r->t->missed != 0) /* the frame is that of the missed call's caller */
    *self = r->t->top->self;
  if (fn == 0)
    fn = cgwi_self_key (r->t, *self)->fn;
  key = cgwi_key (p, at, fn);
  *self = find_pos (p, &key, *self);
  return *self != CGWI_NONE ? CGW_OK : add_pos (r, i, fn, self);
}

static inline __attribute__ ((always_inline)) enum cgw_status
run (const struct run *r, size_t n_pos, struct cgwi_shape shape)
{
  struct cgw_tracer *t = r->t;
  enum cgw_status status = CGW_OK;
  uint32_t self = t->top->self;

  for (size_t i = 0; i < n_pos; i++)
    {
      if ((status = find_or_add_pos (r, i, &self)) != CGW_OK)
        break;
      if (t->missed == 0)
        t->top->self = self;
      for (size_t k = 0; k < r->n; k++)
        cgwi_book (t, t->top->self, shape.n_counters + k, r->cost[k], shape);
    }
  return status;
}

enum cgw_status
cgwi_run (struct cgw_tracer *t, const struct cgw_pos *pos, size_t n_pos,
          const uint64_t *cost, size_t n)
{
  const struct run r = { t, pos, cost, n };
  struct cgwi_shape shape = cgwi_shape_of (t);

  if (shape.calls_only)
    return run (&r, n_pos, shape);
  /* The compiler makes a second, faster copy of it.  */
  shape.calls_only = false;
  return run (&r, n_pos, shape);
}
