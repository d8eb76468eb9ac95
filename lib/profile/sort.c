/* sort.c - merge sort of indices.

   SPDX-License-Identifier: MIT  */

#include "sort.h"

#include <string.h>

/* Two adjacent runs of sorted indices: [at, middle) and [middle, end).  */
struct runs
{
  size_t at;
  size_t middle;
  size_t end;
};

static void
merge (uint32_t *to, const uint32_t *from, struct runs r, cgwi_less *less,
       void *context)
{
  size_t b = r.middle;
  size_t a = r.at;

  for (size_t i = r.at; i < r.end; i++)
    to[i] = b == r.end || (a < r.middle && !less (context, from[b], from[a]))
                ? from[a++]
                : from[b++];
}

static size_t
at_most (size_t n, size_t most)
{
  return n < most ? n : most;
}

void
cgwi_sort (uint32_t *at, uint32_t *room, size_t n, cgwi_less *less,
           void *context)
{
  uint32_t *from = at, *to = room;

  for (size_t width = 1; width < n; width *= 2)
    {
      uint32_t *sorted = to;

      for (size_t i = 0; i < n; i += 2 * width)
        merge (to, from,
               (struct runs){ i, at_most (i + width, n),
                              at_most (i + 2 * width, n) },
               less, context);
      to = from;
      from = sorted;
    }
  if (from != at)
    memcpy (at, from, n * sizeof *at);
}
