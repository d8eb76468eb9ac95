/* sized.c - copy structs from callers compiled with another version of cgw.h.

   SPDX-License-Identifier: MIT  */

#include "sized.h"

#include <string.h>

/* Members are only ever added behind the last one.  Nothing sets the padding
   there, so a member in it would be taken from callers that do not know it.
   Therefore no struct ends in padding, on any processor.  */
#define ENDS_WITH(type, member)                                               \
  _Static_assert (sizeof (struct type)                                        \
                      == offsetof (struct type, member)                       \
                             + sizeof ((struct type *) 0)->member,            \
                  "a struct that grows ends in padding")

ENDS_WITH (cgw_part, thread);
ENDS_WITH (cgw_options, write_context);
ENDS_WITH (cgw_names_options, allocate_context);
ENDS_WITH (cgw_stats, names_changed);
ENDS_WITH (cgw_tracer_options, flags);
ENDS_WITH (cgw_visitor, stack);
ENDS_WITH (cgw_recorder_stats, lost_costs);

/* The largest size accepted: without the INIT macro, the member may have any
   value, and we would read that many bytes.  */
#define SIZE_BELIEVED 1024

/* Return the offset of the first byte that is not 0 from n on, or size.  If
   this is inlined into the caller's file, as cgw.c may be, GCC warns that the
   bytes are behind the caller's struct.  */
static __attribute__ ((noinline)) size_t
unknown_member (const unsigned char *bytes, size_t n, size_t size)
{
  while (n < size && bytes[n] == 0)
    n++;
  return n;
}

bool
cgwi_take_struct (void *ours, size_t n, const void *theirs,
                  enum cgwi_parameter parameter, struct cgwi_why *why)
{
  size_t size, end;

  if (theirs == NULL)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARGUMENT,
                         .parameter = parameter);
  memcpy (&size, theirs, sizeof size);
  if (size < sizeof size || size > SIZE_BELIEVED)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_STRUCT_SIZE,
                         .parameter = parameter, .a = size);
  end = unknown_member (theirs, n, size);
  if (end < size)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_STRUCT_MEMBER,
                         .parameter = parameter, .a = end);
  memset (ours, 0, n);
  memcpy (ours, theirs, size < n ? size : n);
  return true;
}
