/* source.h - an input that can be read again.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SOURCE_H
#define SOURCE_H 1

#include <stdio.h>

/* Begins with path and name alone.  */
struct source
{
  char *path;       /* "-": the standard input */
  const char *name; /* for messages */
  FILE *copy;       /* of what cannot be read twice, or NULL */
};

/* Opens an input at its begin.  A pipe is copied to a temporary file first.
   Returns the descriptor, or -1 after printing a message.  */
int source_open (struct source *in);
void source_close (struct source *in, int fd);

/* Removes the copy.  */
void source_free (struct source *in);

#endif /* SOURCE_H */
