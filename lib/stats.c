/* stats.c - cgw_stats, cgw_error, cgw_errno: what a writer says of itself.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

bool
cgwi_take_struct (void *ours, size_t n, const void *theirs)
{
  const unsigned char *bytes = theirs;
  size_t size;

  memcpy (&size, theirs, sizeof size);
  if (size < sizeof size)
    return false;
  for (size_t i = n; i < size; i++)
    if (bytes[i] != 0)
      return false;
  memset (ours, 0, n);
  memcpy (ours, theirs, size < n ? size : n);
  return true;
}

/* The sums of an event over the parts before and the open one.  */
static void
fill_costs (const struct cgw_writer *w, uint64_t *costs, size_t n,
            const uint64_t *file, const uint64_t *part)
{
  if (costs != NULL)
    for (size_t i = 0; i < n; i++)
      costs[i] = i < w->n_events ? file[i] + part[i] : 0;
}

enum cgw_status
cgw_stats (const struct cgw_writer *w, struct cgw_stats *theirs)
{
  struct cgw_stats s;
  size_t size;

  if (w == NULL || theirs == NULL
      || !cgwi_take_struct (&s, sizeof s, theirs))
    return CGW_EINVAL;
  size = s.size < sizeof s ? s.size : sizeof s;
  s.recorded = w->recorded;
  s.lost = w->lost;
  s.refused = w->refused;
  s.written = w->buffer.offset + w->buffer.out - w->start;
  s.buffered = w->buffer.used - w->buffer.out;
  s.discarded = w->discarded;
  s.names_changed = w->objects.changed + w->files.changed + w->fns.changed;
  fill_costs (w, s.recorded_costs, s.n_costs, w->sums.file, w->sums.part);
  fill_costs (w, s.lost_costs, s.n_costs, w->sums.file_lost,
              w->sums.part_lost);
  memcpy (theirs, &s, size);
  return CGW_OK;
}

enum cgw_status
cgw_error (const struct cgw_writer *w)
{
  if (w == NULL)
    return CGW_EINVAL;
  return w->failing ? CGW_EIO : w->error;
}

int
cgw_errno (const struct cgw_writer *w)
{
  return w != NULL ? w->error_number : 0;
}
