/* diff_output.h - the differences of two profiles, as a profile and as a text.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_DIFF_OUTPUT_H
#define MERGE_DIFF_OUTPUT_H 1

#include "../format/sums.h"

#include <cgw.h>
#include <stdio.h>

/* diff_profile.c: adds the differences to a profile of 2 n events: what is more,
   and what is less, of each.  */
void diff_fill (const struct sums *s, struct cgw_profile *profile);

/* diff_text.c: prints the largest changes of the first event, whose name is
   given.  */
void diff_print (struct sums *s, const char *event, FILE *stream);

#endif /* MERGE_DIFF_OUTPUT_H */
