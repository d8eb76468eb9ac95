/* structs.c - copy structs from callers that may be of another version.

   SPDX-License-Identifier: MIT  */

#include "structs.h"

#include "../sized.h"

#include <stdint.h>

/* Members are only ever added behind the last one.  Nothing sets the padding
   there, so a member in it would be taken from callers that do not know it.
   Therefore no struct ends in padding, on any processor.  */
#define ENDS_WITH(type, member)                                               \
  _Static_assert (sizeof (struct type)                                        \
                      == offsetof (struct type, member)                       \
                             + sizeof ((struct type *) 0)->member,            \
                  "a struct that grows ends in padding")

ENDS_WITH (cgw_part, thread);
ENDS_WITH (cgw_options, allocate_context);
ENDS_WITH (cgw_stats, names_changed);
ENDS_WITH (cgw_tracer_options, flags);
ENDS_WITH (cgw_recorder_stats, lost_costs);

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
