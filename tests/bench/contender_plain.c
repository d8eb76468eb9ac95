/* contender_plain.c - what tools write by hand: fprintf, names in full,
   absolute positions, all costs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>

static void
put_spec (void *context, const char *spec, enum text_kind kind, uint32_t index)
{
  struct stream *s = context;

  fprintf (s->file, "%s=%s\n", spec, text_name (s->text.w, kind, index));
}

static void
put_position (const struct stream *s, const struct cgw_pos *pos)
{
  if (s->text.w->positions & CGW_INSTR)
    fprintf (s->file, "0x%" PRIx64 " %" PRIu32, pos->instr, pos->line);
  else
    fprintf (s->file, "%" PRIu32, pos->line);
}

static void
put_line (const struct stream *s, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n)
{
  put_position (s, pos);
  for (size_t i = 0; i < n; i++)
    fprintf (s->file, " %" PRIu64, cost[i]);
  putc ('\n', s->file);
}

static int
plain_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  struct stream *s = context;

  text_place (&s->text, pos, put_spec, s);
  put_line (s, pos, cost, n);
  return 0;
}

static int
plain_call (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t count,
            const uint64_t *inclusive_cost, size_t n)
{
  struct stream *s = context;

  text_place (&s->text, from, put_spec, s);
  text_callee (&s->text, to->fn.handle, put_spec, s);
  fprintf (s->file, "calls=%" PRIu64 " ", count);
  put_position (s, to);
  putc ('\n', s->file);
  put_line (s, from, inclusive_cost, n);
  return 0;
}

const struct contender contender_plain
    = { "fprintf",  stream_open, stream_close,  stream_begin, plain_cost,
        plain_call, stream_end,  check_lenient, true };
