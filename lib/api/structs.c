/* structs.c - copy structs from callers that may be of another version.

   SPDX-License-Identifier: MIT  */

#include "structs.h"

#include "../sized.h"

#include <stdint.h>

bool
cgwi_take_struct (void *ours, size_t n, const void *theirs, const char *name,
                  const char *init, struct cgwi_sentence *why)
{
  size_t size, wrong;

  if (cgwi_copy_sized (ours, n, theirs, &wrong))
    return true;
  memcpy (&size, theirs, sizeof size);
  return wrong == 0
             ? cgwi_say (why, "%s.size is %U: initialize the struct with %s",
                         name, (uint64_t) size, init)
             : cgwi_say (why, "%s has a member, at byte %U, that libcgw "
                              CGW_VERSION_STRING " does not know: the program "
                              "was compiled for a newer one, or the struct "
                              "lacks %s", name, (uint64_t) wrong, init);
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
