/* earlier.c - removes what an earlier run of a tool left.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "earlier.h"

#include "memory.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_LINES = 10 }; /* of which one is the mark */

static bool
has_mark (const char *path, const char *mark)
{
  struct stat st;
  FILE *in;
  char *line = NULL;
  size_t size = 0;
  bool found = false;

  if (lstat (path, &st) != 0 || !S_ISREG (st.st_mode)
      || (in = fopen (path, "re")) == NULL)
    return false;
  for (int i = 0; i < HEADER_LINES && !found
                  && getline (&line, &size, in) > 0; i++)
    found = strncmp (line, mark, strlen (mark)) == 0;
  free (line);
  fclose (in);
  return found;
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
