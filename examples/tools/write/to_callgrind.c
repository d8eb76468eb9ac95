/* to_callgrind.c - writes a recording as a callgrind profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "to_callgrind.h"

#include "../base/memory.h"
#include "../base/outfile.h"

#include <stdlib.h>

static unsigned
write_part (const struct recording *r, const struct recorded *from,
            const struct reader *reader, struct cgw_writer *w)
{
  struct cgw_event fit[CGW_EVENTS_MAX];
  const char **desc = resize (NULL, r->n_desc + 2, sizeof *desc);
  struct cgw_part part = CGW_PART_INIT;
  char *thread = NULL;
  unsigned limits;

  for (size_t i = 0; i < r->n_desc; i++)
    desc[part.n_desc++] = r->desc[i];
  if (r->has_samples)
    desc[part.n_desc++] = "Calls: numbers of samples, which count no calls";
  if (from->comm != NULL)
    {
      thread = make_text ("Thread: %s", from->comm);
      desc[part.n_desc++] = thread;
    }
  part.desc = desc;
  part.events = r->events;
  part.n_events = r->n_events;
  part.positions = r->positions;
  part.cmd = r->cmd;
  part.pid = from->pid;
  part.thread = from->tid;
  limits = READER_CALLS | reader_fit (reader, &part, fit);
  cgw_profile_write (from->profile, w, &part);
  free (thread);
  free (desc);
  return limits;
}

bool
write_callgrind (const struct recording *r, const struct recorded *from,
                 size_t n, const struct reader *reader, const char *path,
                 unsigned *limits)
{
  /* Padding is for files that a killed program leaves behind.  */
  struct cgw_writer *w = outfile_writer (
      r->names, CGW_NO_PAD | (reader != NULL ? reader->flags : 0), NULL);

  for (size_t i = 0; i < n; i++)
    *limits |= write_part (r, &from[i], reader, w);
  return outfile_finish (path, w);
}
