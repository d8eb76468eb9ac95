/* earlier.h - removes what an earlier run of a tool left.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef EARLIER_H
#define EARLIER_H 1

#include <stdint.h>

/* Removes the regular files whose names are `before`, a number, perhaps "-" and
   another number, and `behind`, if one of their first lines begins with `mark`:
   other people's files lack it.  This run replaces those with the numbers below
   `n_kept`, all with the digits that the highest needs: they stay.  */
void earlier_remove (const char *before, const char *behind, uint64_t n_kept,
                     const char *mark);

#endif /* EARLIER_H */
