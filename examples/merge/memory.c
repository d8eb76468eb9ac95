/* memory.c - memory that must come, or the program ends.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "memory.h"

#include "outfile.h"
#include "tool.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *
resize (void *p, size_t n, size_t size)
{
  void *q = n <= SIZE_MAX / size ? realloc (p, n != 0 ? n * size : 1) : NULL;

  if (q != NULL)
    return q;
  outfile_discard ();
  tool_complain ("memory", 0, strerror (ENOMEM));
  exit (TOOL_FAILED);
}

char *
copy_text (const char *text)
{
  size_t size = text != NULL ? strlen (text) + 1 : 0;

  return size != 0 ? memcpy (resize (NULL, size, 1), text, size) : NULL;
}
