/* structs.h - copy structs from callers compiled with another version of cgw.h.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STRUCTS_H
#define CGWI_STRUCTS_H 1

#include "../format/sentence.h"
#include "cgw.h"

#include <stdbool.h>
#include <stddef.h>

/* Copy a caller's struct, whose first member is its size, into one of n bytes.
   Set members that the caller does not know to 0.  False, and a sentence: the
   size is wrong, or the caller has set a member that this library does not
   know.  */
bool cgwi_take_struct (void *ours, size_t n, const void *theirs,
                       const char *name, const char *init,
                       struct cgwi_sentence *why);

/* The same for a part, which may be NULL.  */
bool cgwi_take_part (struct cgw_part *ours, const struct cgw_part *theirs,
                     struct cgwi_sentence *why);

#endif
