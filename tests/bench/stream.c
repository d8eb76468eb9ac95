/* stream.c - a stream of stdio and what has been written to it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "stream.h"

#include <stdlib.h>

void *
stream_open (const struct workload *w, struct sink *sink,
             struct script *script)
{
  struct stream *s = bench_allocate (1, sizeof *s);

  (void)script;
  s->file = sink_stream (sink);
  defined_open (&s->defined, w);
  text_start (&s->text, w);
  return s;
}

void
stream_close (void *context)
{
  struct stream *s = context;

  fclose (s->file);
  defined_close (&s->defined);
  free (s);
}

bool
stream_begin (void *context)
{
  struct stream *s = context;
  const struct workload *w = s->text.w;

  text_start (&s->text, w);
  defined_restart (&s->defined, w);
  fprintf (s->file, "# callgrind format\nversion: 1\ncreator: bench\n");
  fprintf (s->file, "positions: %s\nevents:",
           w->positions == CGW_LINE ? "line" : "instr line");
  for (size_t i = 0; i < w->script.n_events; i++)
    fprintf (s->file, " %s", w->event_names[i]);
  putc ('\n', s->file);
  return true;
}

bool
stream_end (void *context)
{
  struct stream *s = context;

  return fflush (s->file) == 0 && !ferror (s->file);
}
