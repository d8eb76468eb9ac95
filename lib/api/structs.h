/* structs.h - structs of callers that may be from other versions.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STRUCTS_H
#define CGWI_STRUCTS_H 1

#include <stdbool.h>
#include <stddef.h>

/* Copy a caller's struct, whose first member is its size, into one of n bytes.
   A member that the caller does not know is 0.  False: the caller has set one
   that this library does not know.  */
bool cgwi_take_struct (void *ours, size_t n, const void *theirs);

#endif
