/* earlier.c - removes what an earlier run of a tool left.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "earlier.h"

#include "memory.h"

#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  HEADER_LINES = 10,    /* of which one is the mark */
  HEADER_MOST = 8 << 20 /* bytes; a command line has no more */
};

/* Whoever may write to the folder chooses what the file is.  */
static FILE *
open_regular (const char *path)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FILE *in = NULL;
  struct stat st;

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    in = fdopen (fd, "r");
  if (fd >= 0 && in == NULL)
    close (fd);
  return in;
}

static bool
has_mark (const char *path, const char *mark)
{
  FILE *in = open_regular (path);
  size_t column = 0, same = 0;
  int c, lines = 0;

  if (in == NULL)
    return false;
  for (int i = 0; i < HEADER_MOST && lines < HEADER_LINES
                  && mark[same] != '\0' && (c = getc (in)) != EOF; i++)
    if (c == '\n')
      {
        lines++;
        column = same = 0;
      }
    else if (column++ == same && c == mark[same])
      same++;
  fclose (in);
  return mark[same] == '\0';
}

/* What is between `before` and the end of a name.  */
static bool
is_earlier (const char *text, const char *behind, uint64_t n_kept)
{
  char *end;
  uint64_t number = strtoull (text, &end, 10);
  int digits = (int) (end - text);

  if (*end == '-' && isdigit ((unsigned char) end[1]))
    strtoull (end + 1, &end, 10);
  return strcmp (end, behind) == 0
         && (number >= n_kept
             || digits != snprintf (NULL, 0, "%" PRIu64, n_kept - 1));
}

void
earlier_remove (const char *before, const char *behind, uint64_t n_kept,
                const char *mark)
{
  char *pattern = resize (NULL, 2 * strlen (before) + 8, 1);
  char *to = pattern;
  glob_t found;

  for (const char *from = before; *from != '\0'; *to++ = *from++)
    *to++ = '\\';
  strcpy (to, "[0-9]*");
  if (glob (pattern, GLOB_NOSORT, NULL, &found) == 0)
    {
      for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_earlier (found.gl_pathv[i] + strlen (before), behind, n_kept)
            && has_mark (found.gl_pathv[i], mark))
          unlink (found.gl_pathv[i]);
      globfree (&found);
    }
  free (pattern);
}
