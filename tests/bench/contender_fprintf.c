/* contender_fprintf.c - what tools write by hand, with fprintf: names in full,
   absolute positions, all costs; and with both compressions: each name in full
   only once, subpositions relative, no zeros at a line's end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative subpositions are for distances below this.  */
#define NEAR 65536

/* A stream of stdio, and what readers remember of the lines so far.  */
struct stream
{
  FILE *file;
  const struct workload *w;
  bool is_compressed;
  bool *defined[NAME_KINDS]; /* by index: names that came before */
  uint32_t object; /* of the last ob=, and so on; or UINT32_MAX */
  uint32_t own;    /* fl= */
  uint32_t source; /* fl=, fi= or fe= */
  uint32_t fn;
  bool absolute; /* no cost line came since fn= */
  uint32_t line; /* of the last cost line */
  uint64_t instr;
};

static void
put_spec (struct stream *s, const char *spec, enum cgin_kind kind,
          uint32_t handle)
{
  const struct bench_name *name = workload_name (s->w, kind, handle);
  size_t i = (size_t)(name - s->w->texts[kind]);

  if (!s->is_compressed)
    fprintf (s->file, "%s=%s\n", spec, name->text);
  else if (s->defined[kind][i])
    fprintf (s->file, "%s=(%zu)\n", spec, i + 1);
  else
    fprintf (s->file, "%s=(%zu) %s\n", spec, i + 1, name->text);
  s->defined[kind][i] = true;
}

/* What comes before a cost line, or before a call.  */
static void
put_place (struct stream *s, const struct cgw_pos *pos)
{
  const struct bench_name *f = workload_name (s->w, CGIN_FN, pos->fn.handle);
  uint32_t source = pos->file.handle ? pos->file.handle : f->file;

  if (pos->fn.handle != s->fn)
    {
      if (f->object != s->object)
        put_spec (s, "ob", CGIN_OBJECT, f->object);
      if (f->file != s->own || s->source != s->own)
        put_spec (s, "fl", CGIN_FILE, f->file);
      put_spec (s, "fn", CGIN_FN, pos->fn.handle);
      s->object = f->object;
      s->own = s->source = f->file;
      s->fn = pos->fn.handle;
      s->absolute = true;
    }
  if (source != s->source)
    put_spec (s, source == s->own ? "fe" : "fi", CGIN_FILE, source);
  s->source = source;
}

/* A subposition and a blank: "*", a distance with its sign, or a number when
   the two are far apart.  */
static void
put_subposition (const struct stream *s, uint64_t value, uint64_t base,
                 bool hex)
{
  if (s->absolute || value - base + NEAR >= 2 * NEAR)
    fprintf (s->file, hex ? "0x%" PRIx64 " " : "%" PRIu64 " ", value);
  else if (value == base)
    fputs ("* ", s->file);
  else
    fprintf (s->file, "%+" PRId64 " ", (int64_t)(value - base));
}

static void
put_position (struct stream *s, const struct cgw_pos *pos)
{
  bool instr = s->w->positions & CGW_INSTR;

  if (s->is_compressed)
    {
      if (instr)
        put_subposition (s, pos->instr, s->instr, true);
      put_subposition (s, pos->line, s->line, false);
    }
  else if (instr)
    fprintf (s->file, "0x%" PRIx64 " %" PRIu32 " ", pos->instr, pos->line);
  else
    fprintf (s->file, "%" PRIu32 " ", pos->line);
}

static void
put_line (struct stream *s, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  while (s->is_compressed && n > 1 && cost[n - 1] == 0)
    n--;
  put_position (s, pos);
  fprintf (s->file, "%" PRIu64, cost[0]);
  for (size_t i = 1; i < n; i++)
    fprintf (s->file, " %" PRIu64, cost[i]);
  putc ('\n', s->file);
  s->line = pos->line;
  s->instr = pos->instr;
  s->absolute = false;
}

static void *
stream_open (const struct contender *c, const struct workload *w,
             struct sink *sink)
{
  struct stream *s = bench_allocate (1, sizeof *s);

  s->file = sink_stream (sink);
  s->w = w;
  s->is_compressed = c->is_compressed;
  for (int kind = 0; kind < NAME_KINDS; kind++)
    s->defined[kind] = bench_allocate (w->n_texts[kind], sizeof (bool));
  return s;
}

static void
stream_close (void *context)
{
  struct stream *s = context;

  fclose (s->file);
  for (int kind = 0; kind < NAME_KINDS; kind++)
    free (s->defined[kind]);
  free (s);
}

static bool
stream_begin (void *context)
{
  struct stream *s = context;
  const struct workload *w = s->w;

  s->object = s->own = s->source = s->fn = UINT32_MAX;
  for (int kind = 0; kind < NAME_KINDS; kind++)
    memset (s->defined[kind], 0, w->n_texts[kind] * sizeof (bool));
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

static int
stream_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  struct stream *s = context;

  put_place (s, pos);
  put_line (s, pos, cost, n);
  return 0;
}

static int
stream_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  struct stream *s = context;
  const struct bench_name *f = workload_name (s->w, CGIN_FN, to->fn.handle);

  put_place (s, from);
  if (f->object != s->object)
    put_spec (s, "cob", CGIN_OBJECT, f->object);
  if (f->file != s->own || s->source != s->own)
    put_spec (s, "cfi", CGIN_FILE, f->file);
  put_spec (s, "cfn", CGIN_FN, to->fn.handle);
  fprintf (s->file, "calls=%" PRIu64 " ", count);
  put_position (s, to);
  putc ('\n', s->file);
  put_line (s, from, inclusive_cost, n);
  return 0;
}

#define STREAM(compressed)                                                    \
  {                                                                           \
    .open = stream_open, .close = stream_close, .begin = stream_begin,        \
    .cost = stream_cost, .call = stream_call, .end = stream_end,              \
    .is_slow = true, .is_compressed = compressed                              \
  }

const struct contender contender_fprintf = STREAM (false);
const struct contender contender_compressed = STREAM (true);
