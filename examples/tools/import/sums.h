/* sums.h - the sums of what was imported, and how they are written.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SUMS_H
#define SUMS_H 1

#include "import.h"

void sums_begin (struct import *im, const struct import_options *options);

/* The next input begins: its times have nothing to do with those before.  */
void sums_next_input (struct import *im);

/* Whether there is anything to write.  If not, a message was printed that
   names an input.  */
bool sums_has_any (const struct import *im, const char *name);

/* Writes the profile, to the output that is open, if it is to be one file.
   False: it failed; a message was printed.  */
bool sums_write (struct import *im);

void sums_end (struct import *im);

#endif /* SUMS_H */
