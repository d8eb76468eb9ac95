/* sink.c - where a contender's bytes go: into nothing, or into a file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TMPFS 0x01021994 /* f_type of statfs(2) */

static void
give_up (const char *what)
{
  fprintf (stderr, "bench: %s: %s\n", what, strerror (errno));
  exit (1);
}

void
sink_open_file (struct sink *s, const char **where)
{
  char path[] = "/dev/shm/libcgw-bench.XXXXXX";
  struct statfs fs;

  *s = (struct sink){ .fd = -1 };
  *where = "/dev/shm";
  if (statfs (*where, &fs) == 0 && fs.f_type == TMPFS
      && (s->fd = mkostemp (path, O_CLOEXEC)) >= 0)
    {
      unlink (path);
      return;
    }
  *where = "memfd_create";
  if ((s->fd = memfd_create ("libcgw-bench", MFD_CLOEXEC)) < 0)
    give_up (*where);
}

void
sink_close (struct sink *s)
{
  if (s->fd >= 0)
    close (s->fd);
  free (s->bytes);
}

void
sink_restart (struct sink *s)
{
  s->n = 0;
  if (s->fd >= 0
      && (ftruncate (s->fd, 0) != 0 || lseek (s->fd, 0, SEEK_SET) != 0))
    give_up ("a file on tmpfs");
}

void
sink_forget (struct sink *s)
{
  free (s->bytes);
  *s = (struct sink){ .fd = s->fd };
}

static void
make_room (struct sink *s, size_t n)
{
  if (n <= s->room)
    return;
  s->room = 2 * n;
  s->bytes = realloc (s->bytes, s->room);
  if (!s->bytes)
    give_up ("what was written");
}

ssize_t
sink_write (void *context, const void *bytes, size_t n)
{
  struct sink *s = context;

  if (s->fd >= 0)
    return write (s->fd, bytes, n);
  if (s->keep)
    {
      make_room (s, s->n + n);
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
    give_up ("a stream");
  return f;
}

const char *
sink_bytes (struct sink *s, size_t *n)
{
  struct stat st;

  if (s->fd >= 0)
    {
      if (fstat (s->fd, &st) != 0)
        give_up ("a file on tmpfs");
      s->n = (size_t)st.st_size;
      make_room (s, s->n + 1);
      if (pread (s->fd, s->bytes, s->n, 0) != st.st_size)
        give_up ("a file on tmpfs");
    }
  *n = s->n;
  return s->bytes;
}

struct out *
out_new (struct sink *sink)
{
  struct out *o = aligned_alloc (_Alignof(struct out), sizeof *o);

  if (!o)
    give_up ("a buffer");
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
