/* contender_fprintf.c - what tools write by hand, with fprintf: names in full,
   absolute positions, all costs; and with both compressions: each name in full
   only once, subpositions relative, no zeros at a line's end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A stream of stdio, what has been written to it, and how it is written.  */
struct stream
{
  FILE *file;
  struct text text;
  struct defined defined;
  put_spec_function *put_spec;
  void (*put_position) (struct stream *s, const struct cgw_pos *pos);
  void (*put_line) (struct stream *s, const struct cgw_pos *pos,
                    const uint64_t *cost, size_t n);
};

/* In full.  */

static void
put_plain_spec (void *context, const char *spec, enum text_kind kind,
                uint32_t index)
{
  struct stream *s = context;

  fprintf (s->file, "%s=%s\n", spec, text_name (s->text.w, kind, index));
}

static void
put_plain_position (struct stream *s, const struct cgw_pos *pos)
{
  if (s->text.w->positions & CGW_INSTR)
    fprintf (s->file, "0x%" PRIx64 " %" PRIu32, pos->instr, pos->line);
  else
    fprintf (s->file, "%" PRIu32, pos->line);
}

static void
put_plain_line (struct stream *s, const struct cgw_pos *pos,
                const uint64_t *cost, size_t n)
{
  put_plain_position (s, pos);
  for (size_t i = 0; i < n; i++)
    fprintf (s->file, " %" PRIu64, cost[i]);
  putc ('\n', s->file);
}

/* Compressed.  */

static void
put_spec (void *context, const char *spec, enum text_kind kind, uint32_t index)
{
  struct stream *s = context;
  bool *defined = &s->defined.names[kind][index];

  if (*defined)
    fprintf (s->file, "%s=(%" PRIu32 ")\n", spec, index + 1);
  else
    fprintf (s->file, "%s=(%" PRIu32 ") %s\n", spec, index + 1,
             text_name (s->text.w, kind, index));
  *defined = true;
}

/* One subposition and a blank.  */
static void
put_subposition (const struct stream *s, uint64_t value, uint64_t base,
                 bool hex)
{
  if (s->text.absolute || !text_is_near (value, base))
    fprintf (s->file, hex ? "0x%" PRIx64 " " : "%" PRIu64 " ", value);
  else if (value == base)
    fputs ("* ", s->file);
  else
    fprintf (s->file, "%+" PRId64 " ", (int64_t)(value - base));
}

static void
put_position (struct stream *s, const struct cgw_pos *pos)
{
  if (s->text.w->positions & CGW_INSTR)
    put_subposition (s, pos->instr, s->text.instr, true);
  put_subposition (s, pos->line, s->text.line, false);
}

static void
put_line (struct stream *s, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  while (n > 1 && cost[n - 1] == 0)
    n--;
  put_position (s, pos);
  fprintf (s->file, "%" PRIu64, cost[0]);
  for (size_t i = 1; i < n; i++)
    fprintf (s->file, " %" PRIu64, cost[i]);
  putc ('\n', s->file);
  text_moved (&s->text, pos);
}

/* Both.  */

static void *
stream_open (const struct workload *w, struct sink *sink,
             const struct setup *setup, struct script *script)
{
  struct stream *s = bench_allocate (1, sizeof *s);

  (void)setup, (void)script;
  s->file = sink_stream (sink);
  defined_open (&s->defined, w);
  text_start (&s->text, w);
  return s;
}

static void
stream_close (void *context)
{
  struct stream *s = context;

  fclose (s->file);
  defined_close (&s->defined);
  free (s);
}

static bool
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

static bool
stream_end (void *context)
{
  struct stream *s = context;

  return fflush (s->file) == 0 && !ferror (s->file);
}

static void *
plain_open (const struct workload *w, struct sink *sink,
            const struct setup *setup, struct script *script)
{
  struct stream *s = stream_open (w, sink, setup, script);

  s->put_spec = put_plain_spec;
  s->put_position = put_plain_position;
  s->put_line = put_plain_line;
  return s;
}

static void *
compressed_open (const struct workload *w, struct sink *sink,
                 const struct setup *setup, struct script *script)
{
  struct stream *s = stream_open (w, sink, setup, script);

  s->put_spec = put_spec;
  s->put_position = put_position;
  s->put_line = put_line;
  return s;
}

static int
stream_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  struct stream *s = context;

  text_place (&s->text, pos, s->put_spec, s);
  s->put_line (s, pos, cost, n);
  return 0;
}

static int
stream_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  struct stream *s = context;

  text_place (&s->text, from, s->put_spec, s);
  text_callee (&s->text, to->fn.handle, s->put_spec, s);
  fprintf (s->file, "calls=%" PRIu64 " ", count);
  s->put_position (s, to);
  putc ('\n', s->file);
  s->put_line (s, from, inclusive_cost, n);
  return 0;
}

#define STREAM(wanted_name, wanted_open)                                      \
  {                                                                           \
    .name = wanted_name, .open = wanted_open, .close = stream_close,          \
    .begin = stream_begin, .cost = stream_cost, .call = stream_call,          \
    .end = stream_end, .check = check_lenient, .slow = true                   \
  }

const struct contender contender_plain = STREAM ("fprintf", plain_open);
const struct contender contender_compressed
    = STREAM ("fprintf_compressed", compressed_open);
