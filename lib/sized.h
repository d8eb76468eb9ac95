/* sized.h - copy structs from callers compiled with another version of cgw.h.
   The first member of such a struct is its size.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SIZED_H
#define CGWI_SIZED_H 1

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The largest size accepted: without the INIT macro, the member may have any
   value, and we would read that many bytes.  */
#define CGWI_SIZE_BELIEVED 1024

/* Copy a caller's struct into one of n bytes.  Set members that the caller does
   not know to 0.  False: *wrong is the offset of the first byte of a member
   that the caller has set and this library does not know, or 0 if the size is
   wrong; then ours has not changed.  Async-signal-safe.  */
static inline bool
cgwi_copy_sized (void *ours, size_t n, const void *theirs, size_t *wrong)
{
  const unsigned char *bytes = theirs;
  size_t size;

  memcpy (&size, theirs, sizeof size);
  *wrong = 0;
  if (size < sizeof size || size > CGWI_SIZE_BELIEVED)
    return false;
  for (*wrong = n; *wrong < size; ++*wrong)
    if (bytes[*wrong] != 0)
      return false;
  memset (ours, 0, n);
  memcpy (ours, theirs, size < n ? size : n);
  return true;
}

#endif
