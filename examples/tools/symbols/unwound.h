/* unwound.h - the functions of stripped code, by the table that says how to
   unwind each.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef UNWOUND_H
#define UNWOUND_H 1

#include "image.h"

enum unwound_kind
{
  UNWOUND_FUNCTION,
  UNWOUND_PART,   /* code that a compiler has moved away from a function */
  UNWOUND_BETWEEN /* two functions: code that the table does not know, like some in
                     assembler; *start is where the one before ends */
};

/* Finds where the function, or the part of one, begins that has an address.
   False: there is no table, or the address is before its first function.  */
bool unwound_find (const struct image *image, uint64_t address,
                   uint64_t *start, enum unwound_kind *kind);

#endif /* UNWOUND_H */
