/* formats.h - what writes each of the formats of stacks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef FORMATS_H
#define FORMATS_H 1

#include "../format/recording.h"

#include <stdio.h>

/* Write a recording's profiles to a stream, whose errors they leave there.
   `out` is what messages name.  */
void write_folded (const struct recording *r, const char *out, FILE *to);
void write_pprof (const struct recording *r, const char *out, FILE *to);
void write_speedscope (const struct recording *r, const char *out, FILE *to);

#endif /* FORMATS_H */
