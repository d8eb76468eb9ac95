/* contender.c - where the bytes of contenders go; runs contenders; and one that
   writes nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
sink_open_file (void)
{
  int fd = memfd_create ("libcgw-bench", MFD_CLOEXEC);

  if (fd < 0)
    bench_fail ("memfd_create");
  return fd;
}

void
sink_restart (struct sink *s)
{
  s->n = 0;
  if (s->fd >= 0
      && (ftruncate (s->fd, 0) != 0 || lseek (s->fd, 0, SEEK_SET) != 0))
    bench_fail ("a file on tmpfs");
}

void
sink_forget (struct sink *s)
{
  free (s->bytes);
  *s = (struct sink){ .fd = s->fd };
}

ssize_t
sink_write (void *context, const void *bytes, size_t n)
{
  struct sink *s = context;

  if (s->fd >= 0)
    return write (s->fd, bytes, n);
  if (s->keep)
    {
      if (s->n + n > s->room)
        {
          s->room = 2 * (s->n + n);
          s->bytes = realloc (s->bytes, s->room);
          if (!s->bytes)
            bench_fail ("an allocation");
        }
      memcpy (s->bytes + s->n, bytes, n);
      s->n += n;
    }
  return (ssize_t)n;
}

static ssize_t
write_cookie (void *context, const char *bytes, size_t n)
{
  ssize_t written = sink_write (context, bytes, n);

  return written > 0 ? written : 0;
}

FILE *
sink_stream (struct sink *s)
{
  cookie_io_functions_t io = { .write = write_cookie };
  FILE *f = fopencookie (s, "w", io);

  if (!f || setvbuf (f, NULL, _IOFBF, BENCH_BUFFER) != 0)
    bench_fail ("a stream");
  return f;
}

void
entrant_open (struct entrant *e, const struct contender *c,
              const struct workload *w, struct sink *sink)
{
  *e = (struct entrant){ c, c->open (c, w, sink), sink, w->script };
}

void
entrant_close (struct entrant *e)
{
  e->contender->close (e->context);
}

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) static int
counted_records (const struct script *s, const struct contender *c,
                 void *context)
{
  const struct bench_event *end = s->events + s->n;
  const uint64_t *cost = s->costs;
  int failed = 0;

  for (const struct bench_event *e = s->events; e < end; e++)
    {
      failed |= replay_record (s, e, cost, c, context);
      cost += s->n_events;
    }
  return failed;
}

void
entrant_begin (struct entrant *e)
{
  sink_restart (e->sink);
  if (!e->contender->begin (e->context))
    bench_fail ("a contender");
}

void
entrant_end (struct entrant *e)
{
  if (!e->contender->end (e->context))
    bench_fail ("a contender");
}

double
entrant_run (struct entrant *e)
{
  entrant_begin (e);
  double start = bench_time ();
  if (counted_records (&e->script, e->contender, e->context) != 0)
    bench_fail ("a contender");
  entrant_end (e);
  return (bench_time () - start) / (double)e->script.n;
}

/* What the replay itself costs.  */

static void *
nothing_open (const struct contender *c, const struct workload *w,
              struct sink *sink)
{
  (void)c, (void)w;
  return sink;
}

static void
nothing_close (void *context)
{
  (void)context;
}

static bool
nothing_begin (void *context)
{
  (void)context;
  return true;
}

static int
nothing_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n)
{
  (void)context, (void)pos, (void)cost, (void)n;
  return 0;
}

static int
nothing_call (void *context, const struct cgw_pos *from,
              const struct cgw_pos *to, uint64_t count,
              const uint64_t *inclusive_cost, size_t n)
{
  (void)context, (void)from, (void)to, (void)count;
  (void)inclusive_cost, (void)n;
  return 0;
}

const struct contender contender_nothing = { .open = nothing_open,
                                             .close = nothing_close,
                                             .begin = nothing_begin,
                                             .cost = nothing_cost,
                                             .call = nothing_call,
                                             .end = nothing_begin };
