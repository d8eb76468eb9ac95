/* mallocs.c - spends its time in the C library's malloc, calloc and free.

   SPDX-License-Identifier: MIT  */

#include <stdlib.h>
#include <time.h>

int
main (void)
{
  static void *volatile block;
  clock_t end = clock () + CLOCKS_PER_SEC / 2;

  while (clock () < end)
    for (int i = 0; i < 100000; i++)
      {
        block = malloc (24);
        free (block);
        block = calloc (1, 2000);
        free (block);
      }
  return 0;
}
