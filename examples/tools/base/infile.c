/* infile.c - inputs: by lines, twice, or whole.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "infile.h"

#include "memory.h"
#include "progress.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The lines of a file or a stream, in chunks: in bounded memory.  */

enum { CHUNK = 256 * 1024 };

/* Makes room for a chunk behind the bytes not yet handed out: moves them to
   the front, and enlarges the buffer only when a line fills most of it.  */
static bool
make_room (struct lines *in)
{
  size_t used = in->end - in->start;

  if (in->start != 0)
    memmove (in->buffer, in->buffer + in->start, used);
  in->start = 0;
  in->end = used;
  if (in->size - used >= CHUNK + LINES_NULS)
    return true;
  char *larger = realloc (in->buffer, used + 2 * CHUNK + LINES_NULS);
  if (!larger)
    return false;
  in->buffer = larger;
  in->size = used + 2 * CHUNK + LINES_NULS;
  return true;
}

static bool
read_chunk (struct lines *in)
{
  ssize_t n;

  if (!make_room (in))
    return false;
  do
    n = in->read != NULL ? in->read (in->source, in->buffer + in->end, CHUNK)
                         : read (in->fd, in->buffer + in->end, CHUNK);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return false;
  in->at_end = n == 0;
  in->any_nul
    = in->any_nul || memchr (in->buffer + in->end, '\0', (size_t) n);
  in->end += (size_t) n;
  memset (in->buffer + in->end, '\0', LINES_NULS);
  if (in->read == NULL)
    progress_add ((uint64_t) n);
  return true;
}

/* Finds the end of the next line; reads on as long as there is none.  */
static enum lines_status
find_end (struct lines *in, size_t *length)
{
  size_t seen = 0;

  for (;;)
    {
      size_t have = in->end - in->start;
      const char *from = in->buffer ? in->buffer + in->start : "";
      const char *newline
        = have > seen ? memchr (from + seen, '\n', have - seen) : NULL;
      *length = newline ? (size_t) (newline - from) : have;
      if (*length > LINES_MAX)
        return LINES_TOO_LONG;
      if (newline)
        return LINES_OK;
      if (in->at_end)
        return have == 0 ? LINES_END : LINES_OK;
      seen = have;
      if (!read_chunk (in))
        return LINES_ERRNO;
    }
}

enum lines_status
lines_next (struct lines *in, char **line, size_t *length)
{
  enum lines_status status = find_end (in, length);

  if (status == LINES_END)
    return status;
  in->number++;
  if (status != LINES_OK)
    return status;

  *line = in->buffer + in->start;
  in->no_newline = in->start + *length == in->end;
  in->start += *length + !in->no_newline;
  in->had_cr = *length > 0 && (*line)[*length - 1] == '\r';
  if (in->any_nul && memchr (*line, '\0', *length))
    return LINES_NUL;
  *length -= in->had_cr;
  (*line)[*length] = '\0';
  return LINES_OK;
}

void
lines_free (struct lines *in)
{
  free (in->buffer);
  in->buffer = NULL;
}

const char *
lines_compressed (const char *bytes)
{
  static const struct
  {
    const char *magic, *sentence;
  } kinds[] = {
    { "\x1f\x8b", "compressed by gzip: zcat it first" },
    { "BZh", "compressed by bzip2: bzcat it first" },
    { "\xfd" "7zXZ", "compressed by xz: xzcat it first" },
    { "\x28\xb5\x2f\xfd", "compressed by zstd: zstdcat it first" },
  };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp (bytes, kinds[i].magic, strlen (kinds[i].magic)) == 0)
      return kinds[i].sentence;
  return NULL;
}

/* An input that can be read twice, be it a pipe.  */

/* Copies a stream to a temporary file.  */
static bool
copy_stream (struct source *in, int fd)
{
  char bytes[65536];
  ssize_t n;

  while ((n = read (fd, bytes, sizeof bytes)) != 0)
    if (n > 0)
      {
        if (fwrite (bytes, 1, (size_t) n, in->copy) != (size_t) n)
          return tool_complain (in->name, 0,
                                "cannot copy it to a temporary file");
        progress_add ((uint64_t) n);
      }
    else if (errno != EINTR)
      return tool_complain (in->name, 0, strerror (errno));
  return fflush (in->copy) == 0
         || tool_complain (in->name, 0, "cannot copy it to a temporary file");
}

/* Makes the copy of a stream, and leaves it open for all times.  */
static bool
make_copy (struct source *in, int fd)
{
  in->copy = tmpfile ();
  if (in->copy == NULL)
    return tool_complain (in->name, 0, "cannot make a temporary file");
  progress_begin (0);
  bool ok = copy_stream (in, fd);
  progress_end ();
  return ok;
}

int
source_open (struct source *in)
{
  struct stat st;
  bool ok = true;
  int fd;

  if (in->copy == NULL)
    {
      fd = tool_open_input (in->path);
      if (fd < 0)
        return -1;
      if (fd != STDIN_FILENO && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
        return fd;
      ok = make_copy (in, fd);
      close (fd);
    }
  if (!ok)
    return -1;
  rewind (in->copy);
  return fileno (in->copy);
}

void
source_close (struct source *in, int fd)
{
  if (in->copy == NULL)
    close (fd);
}

void
source_free (struct source *in)
{
  if (in->copy != NULL)
    fclose (in->copy);
}

/* The whole of a file.  */

char *
file_read (int fd, size_t most, size_t *length)
{
  size_t n = 0, room = 1 << 16;
  char *text;
  struct stat st;
  ssize_t got;

  if (fstat (fd, &st) == 0 && (uint64_t) st.st_size > most)
    return NULL;
  text = resize (NULL, room + 1, 1);
  while (n <= most
         && ((got = read (fd, text + n, room - n)) > 0
             || (got < 0 && errno == EINTR)))
    {
      n += got > 0 ? (size_t) got : 0;
      if (n == room)
        {
          room *= 2;
          text = resize (text, room + 1, 1);
        }
    }
  if (n > most) /* as some of /proc, whose size is 0, or as it grew */
    {
      free (text);
      return NULL;
    }
  text[n] = '\0';
  *length = n;
  return text;
}
