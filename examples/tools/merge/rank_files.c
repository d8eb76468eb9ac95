/* rank_files.c - the rank-N files of cgw-mpi.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "rank_files.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "../format/unit.h"
#include "../run/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reading the header.  */

/* Each of these returns true only if formatting the numbers again gives the
   same text.  */

static bool
read_rank (struct rank_file *file, const char *desc)
{
  char again[64];

  if (sscanf (desc, RANKS_RANK, &file->rank, &file->of) != 2)
    return false;
  snprintf (again, sizeof again, RANKS_RANK, file->rank, file->of);
  return strcmp (desc, again) == 0 && file->rank < file->of;
}

static bool
read_outside (struct rank_file *file, const char *desc)
{
  char again[64];

  if (sscanf (desc, RANKS_OUTSIDE, &file->outside) != 1)
    return false;
  snprintf (again, sizeof again, RANKS_OUTSIDE, file->outside);
  return strcmp (desc, again) == 0;
}

static bool
has_own_events (const struct cgw_part *part, bool bytes)
{
  if (part->n_events != ranks_n_own (bytes))
    return false;
  for (size_t i = 0; i < part->n_events; i++)
    if (strcmp (part->events[i].name, ranks_own_events[i].name) != 0
        || !unit_fits (&part->events[i], &ranks_own_events[i]))
      return false;
  return true;
}

bool
rank_files_take (struct rank_files *r, const char *name,
                 const struct cgw_part *part)
{
  struct rank_file file = { .name = name };
  unsigned ranks = 0;
  unsigned outsides = 0;

  for (size_t i = 0; i < part->n_desc; i++)
    {
      ranks += read_rank (&file, part->desc[i]);
      outsides += read_outside (&file, part->desc[i]);
    }
  file.bytes = has_own_events (part, true);
  if (ranks != 1 || outsides != 1
      || (!file.bytes && !has_own_events (part, false)))
    return tool_complain (name, 0,
                          "is not a rank-N file of cgw-mpi");
  file.cmd = copy_text (part->cmd);
  r->list = resize_for_one (r->list, r->n, sizeof *r->list);
  r->list[r->n++] = file;
  return true;
}

/* Comparing the files.  */

static int
compare_ranks (const void *a, const void *b)
{
  const struct rank_file *x = *(const struct rank_file *const *) a;
  const struct rank_file *y = *(const struct rank_file *const *) b;

  return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool
refuse_pair (const struct rank_file *file, const char *what,
             const struct rank_file *other)
{
  char text[600];

  snprintf (text, sizeof text, "%s %s", what, other->name);
  return tool_complain (file->name, 0, text);
}

static void
warn_of_missing (const struct rank_files *r)
{
  char text[100];

  snprintf (text, sizeof text, "%zu of %" PRIu32 " ranks are missing",
            r->first->of - r->n, r->first->of);
  tool_warn (r->first->name, 0, text);
}

/* Of equal ranks, the lowest counts.  */
static bool
find_slowest (struct rank_files *r, struct rank_file *const *sorted)
{
  r->first = r->slowest = r->fastest = sorted[0];
  for (size_t i = 1; i < r->n; i++)
    {
      if (sorted[i]->of != r->first->of)
        return refuse_pair (sorted[i], "has another number of ranks than",
                            r->first);
      if (sorted[i]->bytes != r->first->bytes)
        return refuse_pair (sorted[i], "has other events than", r->first);
      if (sorted[i]->rank == sorted[i - 1]->rank)
        return refuse_pair (sorted[i], "has the same rank as", sorted[i - 1]);
      if (sorted[i]->outside > r->slowest->outside)
        r->slowest = sorted[i];
      if (sorted[i]->outside < r->fastest->outside)
        r->fastest = sorted[i];
    }
  if (r->n < r->first->of)
    warn_of_missing (r);
  return true;
}

bool
rank_files_compare (struct rank_files *r)
{
  struct rank_file **sorted = resize (NULL, r->n, sizeof *sorted);
  bool ok;

  for (size_t i = 0; i < r->n; i++)
    sorted[i] = &r->list[i];
  qsort (sorted, r->n, sizeof *sorted, compare_ranks);
  ok = find_slowest (r, sorted);
  free (sorted);
  return ok;
}

const char *
rank_file_begin (struct rank_file *file, const struct cgw_part *part)
{
  if (file->begun)
    return "a second part: a rank-N file has only one";
  file->begun = true;
  return has_own_events (part, file->bytes) ? NULL
                                            : "the events have changed";
}

void
rank_files_free (struct rank_files *r)
{
  for (size_t i = 0; i < r->n; i++)
    free (r->list[i].cmd);
  free (r->list);
}
