/* unwound.h - the functions of stripped code, by the table that says how to
   unwind each.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef UNWOUND_H
#define UNWOUND_H 1

#include "image.h"

/* Finds where the function begins that has an address.  Code that the table
   does not know, like some in assembler, lies between two functions; then
   *start is where the one before ends.  False: there is no table, or the
   address is before its first function.  */
bool unwound_find (const struct image *image, uint64_t address,
                   uint64_t *start, bool *is_between);

#endif /* UNWOUND_H */
