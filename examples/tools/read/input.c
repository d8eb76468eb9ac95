/* input.c - the bytes of an input, decompressed if it is gzipped.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "input.h"

#include "../base/memory.h"
#include "../base/progress.h"
#include "../base/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { CHUNK = 256 * 1024 };

/* Reading.  */

/* Reads from the file.  Returns how many bytes; 0 also after an error.  */
static size_t
read_file (struct input *in, unsigned char *to, size_t room)
{
  ssize_t n;

  do
    n = read (in->fd, to, room);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    in->error = errno;
  if (n <= 0)
    return 0;
  in->read += (size_t) n;
  progress_add ((uint64_t) n);
  return (size_t) n;
}

#ifdef HAVE_ZLIB

struct inflate
{
  z_stream stream;
  bool in_member; /* a file may be several members, one after the other */
  unsigned char bytes[CHUNK];
};

/* Begins to decompress; what was read ahead is compressed.  */
static void
begin_inflate (struct input *in)
{
  struct inflate *z = resize (NULL, 1, sizeof *z);
  size_t n = in->end - in->start;

  memset (&z->stream, 0, sizeof z->stream);
  if (inflateInit2 (&z->stream, 15 + 16) != Z_OK)
    no_memory ();
  memcpy (z->bytes, in->bytes + in->start, n);
  z->stream.next_in = z->bytes;
  z->stream.avail_in = (unsigned) n;
  z->in_member = true;
  in->start = in->end = 0;
  in->at_end = false;
  in->inflate = z;
}

/* Makes compressed bytes available.  False: there are no more.  */
static bool
have_compressed (struct input *in, struct inflate *z)
{
  if (z->stream.avail_in != 0)
    return true;
  z->stream.next_in = z->bytes;
  z->stream.avail_in = (unsigned) read_file (in, z->bytes, sizeof z->bytes);
  return z->stream.avail_in != 0;
}

static size_t
read_inflated (struct input *in, unsigned char *to, size_t room)
{
  struct inflate *z = in->inflate;
  int status = Z_OK;

  z->stream.next_out = to;
  z->stream.avail_out = (unsigned) room;
  while (z->stream.next_out == to && status == Z_OK)
    {
      if (!have_compressed (in, z))
        {
          if (z->in_member && in->error == 0)
            in->reason = "the compressed data are cut off";
          return 0;
        }
      if (!z->in_member && inflateReset (&z->stream) != Z_OK)
        no_memory ();
      z->in_member = true;
      status = inflate (&z->stream, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        {
          z->in_member = false;
          status = Z_OK;
        }
    }
  if (status == Z_MEM_ERROR)
    no_memory ();
  if (status != Z_OK)
    in->reason = "the compressed data are damaged";
  return (size_t) (z->stream.next_out - to);
}

static void
end_inflate (struct input *in)
{
  struct inflate *z = in->inflate;

  if (z != NULL)
    inflateEnd (&z->stream);
  free (z);
  in->inflate = NULL;
}

#else

static void
begin_inflate (struct input *in)
{
  in->reason = "it is compressed, and this program was built without zlib";
  in->at_end = true;
}

static size_t
read_inflated (struct input *in, unsigned char *to, size_t room)
{
  (void) in;
  (void) to;
  (void) room;
  return 0;
}

static void
end_inflate (struct input *in)
{
  (void) in;
}

#endif

static size_t
read_some (struct input *in, unsigned char *to, size_t room)
{
  size_t n = 0;

  if (!in->at_end)
    n = in->inflate != NULL ? read_inflated (in, to, room)
                            : read_file (in, to, room);
  in->at_end = n == 0;
  return n;
}

/* Makes room behind what was read ahead: moves it to the front, and enlarges
   the buffer only if it is needed.  */
static void
make_room (struct input *in, size_t n)
{
  size_t used = in->end - in->start;

  if (in->start != 0)
    memmove (in->bytes, in->bytes + in->start, used);
  in->start = 0;
  in->end = used;
  if (in->size - used >= n)
    return;
  in->size = used + n > 2 * in->size ? used + n : 2 * in->size;
  in->bytes = resize (in->bytes, in->size, 1);
}

size_t
input_need (struct input *in, size_t n)
{
  while (in->end - in->start < n && !in->at_end)
    {
      if (in->size - in->end < CHUNK)
        make_room (in, CHUNK);
      in->end += read_some (in, in->bytes + in->end, CHUNK);
    }
  return in->end - in->start;
}

bool
input_open (struct input *in, const char *path)
{
  static const unsigned char gzip[] = { 0x1f, 0x8b, 8 };

  *in = (struct input){ .name = tool_input_name (path) };
  in->fd = tool_open_input (path);
  if (in->fd < 0)
    return false;
  progress_begin (progress_size (in->fd));
  if (input_need (in, sizeof gzip) >= sizeof gzip
      && memcmp (input_bytes (in), gzip, sizeof gzip) == 0)
    begin_inflate (in);
  return true;
}

bool
input_refuse (const struct input *in, uint64_t offset, const char *reason)
{
  char text[256];

  snprintf (text, sizeof text, "at byte %" PRIu64 ": %s", offset, reason);
  return tool_complain (in->name, 0, text);
}

/* Copies the rest of the input to another file, which it is from then on.
   False: errno says why not.  */
static bool
copy_to (struct input *in, FILE *file)
{
  size_t n;

  while ((n = input_need (in, 1)) != 0)
    {
      if (fwrite (input_bytes (in), 1, n, file) != n)
        return false;
      input_take (in, n);
    }
  if (fflush (file) != 0 || lseek (fileno (file), 0, SEEK_SET) != 0
      || dup2 (fileno (file), in->fd) < 0)
    return false;
  end_inflate (in);
  in->read = in->offset = in->start = in->end = 0;
  in->at_end = false;
  progress_begin (progress_size (in->fd));
  return true;
}

static bool
make_file (struct input *in)
{
  FILE *file = tmpfile ();
  bool ok = file != NULL && copy_to (in, file);
  int error = errno;

  if (file != NULL)
    fclose (file);
  if (!ok)
    tool_complain ("temporary file", 0, strerror (error));
  return ok && input_check (in);
}

bool
input_make_file (struct input *in)
{
  off_t at = lseek (in->fd, 0, SEEK_CUR);

  if (at < 0 || in->inflate != NULL)
    return make_file (in);
  in->begin = (uint64_t) at - in->read;
  return true;
}

bool
input_read_at (struct input *in, uint64_t offset, void *to, size_t n)
{
  unsigned char *bytes = to;

  while (n > 0)
    {
      ssize_t got
          = in->begin + offset > INT64_MAX
                ? 0
                : pread (in->fd, bytes, n, (off_t) (in->begin + offset));

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return tool_complain (in->name, 0, strerror (errno));
      if (got == 0)
        return input_refuse (in, offset, "the file is cut off here");
      bytes += got;
      offset += (uint64_t) got;
      n -= (size_t) got;
    }
  return true;
}

bool
input_read_all (struct input *in, size_t most)
{
  char reason[80];

  if (input_need (in, most + 1) > most)
    {
      snprintf (reason, sizeof reason, "it is longer than %zu MB",
                most / 1000000);
      return tool_complain (in->name, 0, reason);
    }
  make_room (in, 1);
  in->bytes[in->end] = '\0';
  return input_check (in);
}

void
input_close (struct input *in)
{
  progress_end ();
  end_inflate (in);
  lines_free (&in->lines);
  free (in->bytes);
  if (in->fd > STDIN_FILENO)
    close (in->fd);
}

/* Lines.  */

ssize_t
input_read (void *context, void *to, size_t n)
{
  struct input *in = context;
  size_t have = input_need (in, 1);

  if (in->error != 0 && have == 0)
    {
      errno = in->error;
      return -1;
    }
  n = have < n ? have : n;
  memcpy (to, input_bytes (in), n);
  input_take (in, n);
  return (ssize_t) n;
}

char *
input_line (struct input *in, size_t *length)
{
  char *line;
  size_t n;

  in->lines.read = input_read;
  in->lines.source = in;
  in->status = lines_next (&in->lines, &line, length != NULL ? length : &n);
  return in->status == LINES_OK ? line : NULL;
}

bool
input_refuse_line (const struct input *in, const char *reason)
{
  return tool_complain (in->name, in->lines.number, reason);
}

bool
input_check (const struct input *in)
{
  if (in->error != 0)
    return tool_complain (in->name, 0, strerror (in->error));
  if (in->reason != NULL)
    return input_refuse (in, in->offset, in->reason);
  switch (in->status)
    {
    case LINES_ERRNO:
      no_memory ();
    case LINES_TOO_LONG:
      return input_refuse_line (in, "the line is too long");
    case LINES_NUL:
      return input_refuse_line (in, "the line has a NUL byte");
    default:
      return true;
    }
}
