/* structs.c - copy structs from callers that may be of another version.

   SPDX-License-Identifier: MIT  */

#include "structs.h"

#include <stdint.h>
#include <string.h>

/* The largest size to believe: a struct without its INIT macro may have any
   number there, and we read that many bytes.  */
#define SIZE_BELIEVED 1024

bool
cgwi_take_struct (void *ours, size_t n, const void *theirs, const char *name,
                  const char *init, struct cgwi_sentence *why)
{
  const unsigned char *bytes = theirs;
  size_t size;

  memcpy (&size, theirs, sizeof size);
  if (size < sizeof size || size > SIZE_BELIEVED)
    return cgwi_say (why, "%s.size is %U: initialize the struct with %s", name,
                     (uint64_t) size, init);
  for (size_t i = n; i < size; i++)
    if (bytes[i] != 0)
      return cgwi_say (why, "%s has a member, at byte %U, that libcgw "
                            CGW_VERSION_STRING " does not know: the program "
                            "was compiled for a newer one, or the struct lacks "
                            "%s", name, (uint64_t) i, init);
  memset (ours, 0, n);
  memcpy (ours, theirs, size < n ? size : n);
  return true;
}

bool
cgwi_take_part (struct cgw_part *ours, const struct cgw_part *theirs,
                struct cgwi_sentence *why)
{
  if (theirs == NULL)
    return cgwi_say (why, "part is NULL");
  return cgwi_take_struct (ours, sizeof *ours, theirs, "part",
                           "CGW_PART_INIT", why);
}
