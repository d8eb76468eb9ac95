/* file.c - the whole of a file at once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "file.h"

#include "memory.h"

#include <errno.h>
#include <unistd.h>

char *
file_read (int fd, size_t *length)
{
  size_t n = 0, room = 1 << 16;
  char *text = resize (NULL, room + 1, 1);
  ssize_t got;

  while ((got = read (fd, text + n, room - n)) > 0
         || (got < 0 && errno == EINTR))
    {
      n += got > 0 ? (size_t) got : 0;
      if (n == room)
        {
          room *= 2;
          text = resize (text, room + 1, 1);
        }
    }
  text[n] = '\0';
  *length = n;
  return text;
}
