/* sink.c - where a contender's bytes go: into nothing, or into a file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "sink.h"

#include "runs.h"

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

struct out *
out_new (struct sink *sink)
{
  struct out *o = aligned_alloc (_Alignof(struct out), sizeof *o);

  if (!o)
    bench_fail ("an allocation");
  o->sink = sink;
  out_restart (o);
  return o;
}

void
out_restart (struct out *o)
{
  o->p = o->bytes;
  o->failed = false;
}

void
out_flush (struct out *o)
{
  const char *from = o->bytes;

  while (from < o->p && !o->failed)
    {
      ssize_t n = sink_write (o->sink, from, (size_t)(o->p - from));
      o->failed = n <= 0;
      from += n > 0 ? n : 0;
    }
  o->p = o->bytes;
}
