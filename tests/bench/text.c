/* text.c - which names have been defined.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "text.h"

#include <stdlib.h>
#include <string.h>

/* How many names of a kind there are.  */
static size_t
count (const struct workload *w, int kind)
{
  return kind == TEXT_FN ? w->n_fns : w->n_names;
}

void
defined_open (struct defined *d, const struct workload *w)
{
  for (int kind = TEXT_OBJECT; kind <= TEXT_FN; kind++)
    d->names[kind] = bench_allocate (count (w, kind), sizeof (bool));
}

void
defined_close (struct defined *d)
{
  for (int kind = TEXT_OBJECT; kind <= TEXT_FN; kind++)
    free (d->names[kind]);
}

void
defined_restart (struct defined *d, const struct workload *w)
{
  for (int kind = TEXT_OBJECT; kind <= TEXT_FN; kind++)
    memset (d->names[kind], 0, count (w, kind) * sizeof (bool));
}
