/* homes.c - the own file of each function, as the profile knows it.

   SPDX-License-Identifier: MIT  */

#include "homes.h"

/* Functions to look at before the gate is left for a moment: about 5 us.  */
#define BREATH 2048

static bool
reserve (struct cgw_profile *p, uint32_t n)
{
  struct cgwi_homes *h = &p->homes;
  uint32_t capacity = n + n / 2;
  uint32_t *files;

  if (n <= h->capacity)
    return true;
  files = cgwi_resize (&p->w->memory, h->files, capacity * sizeof *files);
  if (files == NULL)
    return false;
  h->files = files;
  h->capacity = capacity;
  return true;
}

/* Learn some more, at most up to n.  */
static enum cgw_status
learn_some (struct cgw_profile *p, uint32_t n)
{
  struct cgwi_homes *h = &p->homes;
  uint32_t end = n - h->n > BREATH ? h->n + BREATH : n;
  enum cgw_status status = cgwi_enter (p->w);

  if (status != CGW_OK)
    return status;
  for (; h->n < end; h->n++)
    h->files[h->n] = p->w->core.encoder.fns.entries[h->n].file;
  cgwi_leave (p->w);
  return CGW_OK;
}

enum cgw_status
cgwi_learn_homes (struct cgw_profile *p)
{
  uint32_t n = atomic_load_explicit (&p->w->n_fns, memory_order_relaxed);
  enum cgw_status status = reserve (p, n) ? CGW_OK : CGW_ENOMEM;

  while (status == CGW_OK && p->homes.n < n)
    status = learn_some (p, n);
  return status;
}
