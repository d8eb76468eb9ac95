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

static void
fill_recorded (const struct cgw_writer *w, uint64_t *costs, size_t n)
{
  const struct cgwi_sums *s = &w->sums;

  for (size_t i = 0; i < n; i++)
    costs[i] = i < w->n_events ? s->file[i] + s->part[i] : 0;
}

static void
fill_lost (const struct cgw_writer *w, uint64_t *costs, size_t n)
{
  const struct cgwi_sums *s = &w->sums;

  for (size_t i = 0; i < n; i++)
    costs[i] = i < w->n_events ? s->file_lost[i] + s->part_lost[i]
                                     + w->busy_costs[i]
                               : 0;
}

/* Inside the guard.  */
static void
fill (const struct cgw_writer *w, struct cgw_stats *s)
{
  s->recorded = w->recorded;
  s->lost_busy = w->file_busy + w->busy;
  s->lost = w->lost + s->lost_busy;
  s->refused = w->refused;
  s->written = w->buffer.offset + w->buffer.out - w->start;
  s->buffered = w->buffer.used - w->buffer.out;
  s->discarded = w->discarded;
  s->names_changed = w->objects.changed + w->files.changed + w->fns.changed;
  if (s->recorded_costs != NULL)
    fill_recorded (w, s->recorded_costs, s->n_costs);
  if (s->lost_costs != NULL)
    fill_lost (w, s->lost_costs, s->n_costs);
}

enum cgw_status
cgw_stats (struct cgw_writer *w, struct cgw_stats *theirs)
{
  struct cgw_stats s;
  enum cgw_status status;

  if (w == NULL || theirs == NULL
      || !cgwi_take_struct (&s, sizeof s, theirs))
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  cgwi_write_parked (w);
  fill (w, &s);
  cgwi_leave (w);
  memcpy (theirs, &s, s.size < sizeof s ? s.size : sizeof s);
  return CGW_OK;
}

enum cgw_status
cgw_error (const struct cgw_writer *w)
{
  if (w == NULL)
    return CGW_EINVAL;
  return w->failing ? CGW_EIO : (enum cgw_status) w->error;
}

int
cgw_errno (const struct cgw_writer *w)
{
  return w != NULL ? w->error_number : 0;
}
