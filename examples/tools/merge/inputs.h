/* inputs.h - the files to be merged, each of which is read twice.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_INPUTS_H
#define MERGE_INPUTS_H 1

#include "../base/infile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {0}.  */
struct inputs
{
  struct source *list;
  size_t n;
};

void inputs_add (struct inputs *in, const char *path);

/* Adds the paths in a file, one a line; "-" is the standard input.  False: it
   cannot be read; a message was printed.  */
bool inputs_add_from (struct inputs *in, const char *file);

/* How often the standard input is named.  */
size_t inputs_count_stdin (const struct inputs *in);

/* The bytes of all inputs, which were opened before.  */
uint64_t inputs_size (const struct inputs *in);

/* Warns if KCachegrind, which opens all files in the folder whose names begin
   with that of the file that it is given, would count something twice.  */
void inputs_check_names (const struct inputs *in, const char *out);

void inputs_free (struct inputs *in);

#endif /* MERGE_INPUTS_H */
