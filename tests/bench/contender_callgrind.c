/* contender_callgrind.c - callgrind's strategy, written anew from its
   description: each piece of a line is one small formatted write into a
   buffer of 8 KiB, and the costs of a line are first built as a string on the
   heap.  Both compressions, no zeros at a line's end.

   A formatted write is the C library's vsnprintf.  Callgrind has one of its
   own; the second contender has a small one that can do nothing but what is
   needed here, a character at a time, as a lower bound.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  PIECES = 8192,
  NUMBER_MAX = 22 /* a blank, a number and a NUL */
};

struct pieces
{
  struct text text;
  struct defined defined;
  int (*format) (char *p, size_t size, const char *form, va_list args);
  struct sink *sink;
  bool failed;
  size_t used;
  char bytes[PIECES];
};

static void
flush (struct pieces *o)
{
  size_t done = 0;

  while (done < o->used && !o->failed)
    {
      ssize_t n = sink_write (o->sink, o->bytes + done, o->used - done);
      o->failed = n <= 0;
      done += n > 0 ? (size_t)n : 0;
    }
  o->used = 0;
}

/* The one way to write something: at the buffer's end, and if it does not fit
   there, again in the empty buffer.  */
static void __attribute__ ((format (printf, 2, 3)))
put (struct pieces *o, const char *form, ...)
{
  for (int i = 0; i < 2; i++)
    {
      va_list args;
      size_t room = PIECES - o->used;
      va_start (args, form);
      int n = o->format (o->bytes + o->used, room, form, args);
      va_end (args);
      if (n >= 0 && (size_t)n < room)
        {
          o->used += (size_t)n;
          return;
        }
      flush (o);
    }
  o->failed = true; /* longer than the buffer */
}

static void
put_spec (void *context, const char *spec, enum text_kind kind, uint32_t index)
{
  struct pieces *o = context;
  bool *defined = &o->defined.names[kind][index];

  put (o, "%s=(%" PRIu64 ")", spec, (uint64_t)index + 1);
  if (!*defined)
    put (o, " %s", text_name (o->text.w, kind, index));
  put (o, "\n");
  *defined = true;
}

/* One subposition and a blank.  */
static void
put_subposition (struct pieces *o, uint64_t value, uint64_t base, bool hex)
{
  if (o->text.absolute || !text_is_near (value, base))
    put (o, hex ? "0x%" PRIx64 " " : "%" PRIu64 " ", value);
  else if (value == base)
    put (o, "* ");
  else if (value > base)
    put (o, "+%" PRIu64 " ", value - base);
  else
    put (o, "-%" PRIu64 " ", base - value);
}

static void
put_position (struct pieces *o, const struct cgw_pos *pos)
{
  if (o->text.w->positions & CGW_INSTR)
    put_subposition (o, pos->instr, o->text.instr, true);
  put_subposition (o, pos->line, o->text.line, false);
}

/* A string on the heap that grows.  */
struct string
{
  char *bytes;
  size_t n;
  size_t room;
};

static void
reserve (struct string *s, size_t n)
{
  if (s->n + n <= s->room)
    return;
  s->room = 2 * s->room + n;
  s->bytes = realloc (s->bytes, s->room);
  if (!s->bytes)
    abort ();
}

static void __attribute__ ((format (printf, 3, 4)))
append (struct pieces *o, struct string *s, const char *form, ...)
{
  va_list args;

  reserve (s, NUMBER_MAX);
  va_start (args, form);
  s->n += (size_t)o->format (s->bytes + s->n, NUMBER_MAX, form, args);
  va_end (args);
}

static char *
costs_as_string (struct pieces *o, const uint64_t *cost, size_t n)
{
  struct string s = { NULL, 0, 0 };

  while (n > 1 && cost[n - 1] == 0)
    n--;
  append (o, &s, "%" PRIu64, cost[0]);
  for (size_t i = 1; i < n; i++)
    append (o, &s, " %" PRIu64, cost[i]);
  return s.bytes;
}

static void
put_line (struct pieces *o, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  put_position (o, pos);
  char *costs = costs_as_string (o, cost, n);
  put (o, "%s\n", costs);
  free (costs);
  text_moved (&o->text, pos);
}

static int
callgrind_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
                size_t n)
{
  struct pieces *o = context;

  text_place (&o->text, pos, put_spec, o);
  put_line (o, pos, cost, n);
  return 0;
}

static int
callgrind_call (void *context, const struct cgw_pos *from,
                const struct cgw_pos *to, uint64_t count,
                const uint64_t *inclusive_cost, size_t n)
{
  struct pieces *o = context;

  text_place (&o->text, from, put_spec, o);
  text_callee (&o->text, to->fn.handle, put_spec, o);
  put (o, "calls=%" PRIu64 " ", count);
  put_position (o, to);
  put (o, "\n");
  put_line (o, from, inclusive_cost, n);
  return 0;
}

static struct pieces *
open_pieces (const struct workload *w, struct sink *sink)
{
  struct pieces *o = bench_allocate (1, sizeof *o);

  o->sink = sink;
  text_start (&o->text, w);
  defined_open (&o->defined, w);
  return o;
}

static void *
callgrind_open (const struct workload *w, struct sink *sink,
                const struct setup *setup, struct script *script)
{
  struct pieces *o = open_pieces (w, sink);

  (void)setup, (void)script;
  o->format = vsnprintf;
  return o;
}

/* The text so far; n counts what did not fit, too.  */
struct formatted
{
  char *bytes;
  size_t size;
  size_t n;
};

static inline void
put_char (struct formatted *t, char c)
{
  if (t->n < t->size)
    t->bytes[t->n] = c;
  t->n++;
}

static void
put_string (struct formatted *t, const char *s)
{
  while (*s)
    put_char (t, *s++);
}

static void
put_number (struct formatted *t, unsigned long n, unsigned base)
{
  char digits[3 * sizeof n];
  unsigned i = 0;

  do
    {
      digits[i++] = "0123456789abcdef"[n % base];
      n /= base;
    }
  while (n > 0);
  while (i > 0)
    put_char (t, digits[--i]);
}

/* With the contract of vsnprintf, for these forms: %s, and %lu and %lx for an
   unsigned long.  All else stands for itself.  */
static int
format (char *p, size_t size, const char *form, va_list args)
{
  struct formatted t = { p, size, 0 };

  for (; *form; form++)
    if (*form != '%')
      put_char (&t, *form);
    else if (*++form == 's')
      put_string (&t, va_arg (args, const char *));
    else
      put_number (&t, va_arg (args, unsigned long), *++form == 'x' ? 16 : 10);
  size_t n = t.n;
  put_char (&t, '\0');
  return (int)n;
}

static void *
small_open (const struct workload *w, struct sink *sink,
            const struct setup *setup, struct script *script)
{
  struct pieces *o = open_pieces (w, sink);

  (void)setup, (void)script;
  o->format = format;
  return o;
}

static void
callgrind_close (void *context)
{
  struct pieces *o = context;

  defined_close (&o->defined);
  free (o);
}

static bool
callgrind_begin (void *context)
{
  struct pieces *o = context;
  const struct workload *w = o->text.w;

  o->used = 0;
  o->failed = false;
  text_start (&o->text, w);
  defined_restart (&o->defined, w);
  put (o, "# callgrind format\nversion: 1\ncreator: bench\n");
  put (o, "positions: %s\nevents:",
       w->positions == CGW_LINE ? "line" : "instr line");
  for (size_t i = 0; i < w->script.n_events; i++)
    put (o, " %s", w->event_names[i]);
  put (o, "\n");
  return true;
}

static bool
callgrind_end (void *context)
{
  struct pieces *o = context;

  flush (o);
  return !o->failed;
}

#define CALLGRIND(wanted_name, wanted_open)                                   \
  {                                                                           \
    .name = wanted_name, .open = wanted_open, .close = callgrind_close,       \
    .begin = callgrind_begin, .cost = callgrind_cost, .call = callgrind_call, \
    .end = callgrind_end, .check = check_lenient, .slow = true                \
  }

const struct contender contender_callgrind
    = CALLGRIND ("callgrind", callgrind_open);
const struct contender contender_callgrind_small
    = CALLGRIND ("callgrind_small", small_open);
