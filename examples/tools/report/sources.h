/* sources.h - the text of lines of source files.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SOURCES_H
#define SOURCES_H 1

#include "../base/table.h"

#include <stddef.h>
#include <stdint.h>

struct source_file;

/* Begins with the folders alone.  */
struct sources
{
  const char *const *folders; /* where files are looked for by their names */
  size_t n_folders;
  struct intern names;
  struct source_file *files;  /* of each name */
  size_t n_bytes;             /* of all, at most FILE_MOST */
};

/* The lines of a file: NULL if it cannot be read.  A file that is no regular
   one, or too long, is not read.  Valid until the next call.  */
struct source_file *sources_find (struct sources *s, const char *name);

uint32_t source_n_lines (const struct source_file *file);

/* The text of a line, counted from 1, and its length; or NULL.  A line beyond
   the file is a warning, the first time.  */
const char *source_line (struct source_file *file, uint32_t line,
                         size_t *length);

void sources_free (struct sources *s);

#endif /* SOURCES_H */
