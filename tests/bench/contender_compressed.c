/* contender_compressed.c - fprintf with both compressions: each name in full
   only once, subpositions relative, no zeros at a line's end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>

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
put_position (const struct stream *s, const struct cgw_pos *pos)
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

static int
compressed_cost (void *context, const struct cgw_pos *pos,
                 const uint64_t *cost, size_t n)
{
  struct stream *s = context;

  text_place (&s->text, pos, put_spec, s);
  put_line (s, pos, cost, n);
  return 0;
}

static int
compressed_call (void *context, const struct cgw_pos *from,
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

const struct contender contender_compressed
    = { "fprintf_compressed", stream_open,     stream_close,
        stream_begin,         compressed_cost, compressed_call,
        stream_end,           check_lenient,   true };
