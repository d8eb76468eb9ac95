/* structs.c - copy structs from callers that may be of another version.

   SPDX-License-Identifier: MIT  */

#include "structs.h"

#include <string.h>

bool
cgwi_take_struct (void *ours, size_t n, const void *theirs)
{
  const unsigned char *bytes = theirs;
  size_t size;

  memcpy (&size, theirs, sizeof size);
  if (size < sizeof size)
    return false;
  for (size_t i = n; i < size; i++)
    if (bytes[i] != 0)
      return false;
  memset (ours, 0, n);
  memcpy (ours, theirs, size < n ? size : n);
  return true;
}
