/* header.c - what all parts agree on.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "header.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

static int
compare_texts (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The descriptions of a part, sorted, each once.  */
static const char **
sorted_desc (const struct cgw_part *part, size_t *n)
{
  const char **sorted = resize (NULL, part->n_desc, sizeof *sorted);

  for (size_t i = 0; i < part->n_desc; i++)
    sorted[i] = part->desc[i];
  if (part->n_desc != 0)
    qsort (sorted, part->n_desc, sizeof *sorted, compare_texts);
  *n = 0;
  for (size_t i = 0; i < part->n_desc; i++)
    if (*n == 0 || strcmp (sorted[*n - 1], sorted[i]) != 0)
      sorted[(*n)++] = sorted[i];
  return sorted;
}

static void
take_first (struct header *h, const struct cgw_part *part, const char **desc,
            size_t n_desc)
{
  h->any = true;
  h->cmd = copy_text (part->cmd);
  h->pid = part->pid;
  h->thread = part->thread;
  h->desc = resize (NULL, n_desc, sizeof *h->desc);
  for (size_t i = 0; i < n_desc; i++)
    h->desc[i] = copy_text (desc[i]);
  h->n_desc = n_desc;
}

/* Drops the descriptions that another part, whose are sorted, too, lacks.  */
static void
drop_desc (struct header *h, const char **desc, size_t n_desc)
{
  size_t kept = 0;
  size_t k = 0;

  for (size_t i = 0; i < h->n_desc; i++)
    {
      while (k < n_desc && strcmp (desc[k], h->desc[i]) < 0)
        k++;
      if (k < n_desc && strcmp (desc[k], h->desc[i]) == 0)
        h->desc[kept++] = h->desc[i];
      else
        free (h->desc[i]);
    }
  h->n_desc = kept;
}

static void
drop_others (struct header *h, const struct cgw_part *part, const char **desc,
             size_t n_desc)
{
  if (h->cmd != NULL && (part->cmd == NULL || strcmp (h->cmd, part->cmd) != 0))
    {
      free (h->cmd);
      h->cmd = NULL;
    }
  if (h->pid != part->pid)
    h->pid = 0;
  if (h->thread != part->thread)
    h->thread = 0;
  drop_desc (h, desc, n_desc);
}

void
header_take (struct header *h, const struct cgw_part *part)
{
  size_t n_desc;
  const char **desc = sorted_desc (part, &n_desc);

  if (h->any)
    drop_others (h, part, desc, n_desc);
  else
    take_first (h, part, desc, n_desc);
  free (desc);
}

void
header_free (struct header *h)
{
  for (size_t i = 0; i < h->n_desc; i++)
    free (h->desc[i]);
  free (h->desc);
  free (h->cmd);
}
