/* source.c - an input that can be read again.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "source.h"

#include "progress.h"
#include "tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies a stream to a temporary file.  */
static bool
copy (struct source *in, int fd)
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
  bool ok = copy (in, fd);
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
