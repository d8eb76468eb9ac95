/* model_files.c - the files that fuzzed writers write, and their folder.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[100];

static void
remove_directory (void)
{
  rmdir (directory);
}

const char *
model_directory (void)
{
  const char *parent = getenv ("TMPDIR");

  if (directory[0] != '\0')
    return directory;
  if (parent == NULL || parent[0] == '\0' || strlen (parent) > 80)
    parent = "/tmp";
  snprintf (directory, sizeof directory, "%s/cgw-fuzz-XXXXXX", parent);
  if (mkdtemp (directory) == NULL)
    fuzz_fail ("%s: %s", directory, strerror (errno));
  atexit (remove_directory);
  return directory;
}

void
model_remove_files (unsigned n)
{
  static const char *const suffixes[] = { ".fd", ".%", ".%.other" };
  char path[120];

  for (unsigned i = 0; i < n; i++)
    for (size_t j = 0; j < sizeof suffixes / sizeof *suffixes; j++)
      {
        snprintf (path, sizeof path, "%s/%u%s", directory, i, suffixes[j]);
        unlink (path);
      }
}

struct model_bytes
model_read_fd (int fd)
{
  struct model_bytes b = { NULL, 0 };
  size_t room = 0;
  ssize_t n = 0;

  do
    {
      b.n += (size_t) n;
      if (b.n == room)
        b.bytes = realloc (b.bytes, room = 2 * room + 4096);
      if (b.bytes == NULL)
        abort ();
      n = pread (fd, b.bytes + b.n, room - b.n, (off_t) b.n);
    }
  while (n > 0);
  return b;
}

struct model_bytes
model_read_path (const char *path)
{
  struct model_bytes b = { NULL, 0 };
  int kept = errno;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd != -1)
    {
      b = model_read_fd (fd);
      close (fd);
    }
  errno = kept;
  return b;
}

void
model_check_same (const char *what, const struct model_bytes *a,
                  const struct model_bytes *b)
{
  if ((a->bytes == NULL) != (b->bytes == NULL) || a->n != b->n
      || (a->n != 0 && memcmp (a->bytes, b->bytes, a->n) != 0))
    fuzz_fail ("%s: %zu bytes, and before it were %zu", what, a->n, b->n);
}
