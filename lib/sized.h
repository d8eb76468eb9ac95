/* sized.h - copy structs from callers compiled with another version of cgw.h.
   The first member of such a struct is its size.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SIZED_H
#define CGWI_SIZED_H 1

#include "text/refusal.h"

/* Copy a caller's struct into one of n bytes.  Set members that the caller does
   not know to 0.  False, and a reason: theirs is NULL; its size is wrong; or it
   sets members that this library does not know.  Then ours has not changed.
   Async-signal-safe.  */
bool cgwi_take_struct (void *ours, size_t n, const void *theirs,
                       enum cgwi_parameter parameter, struct cgwi_why *why);

#endif
