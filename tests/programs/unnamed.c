/* unnamed.c - takes its processor time in a function that has neither a
   symbol, once this is stripped, nor anything that says how to unwind it, as
   in hand-written assembler.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <time.h>

void spin (unsigned long n);
int before (int n);

__attribute__ ((noinline)) int
before (int n)
{
  return n * 3;
}

__asm__ (".text\n"
         "spin:\n"
         "  dec %rdi\n"
         "  jnz spin\n"
         "  ret\n");

int
main (void)
{
  struct timespec now;

  do
    {
      spin (1000000ul * (unsigned long) before (1));
      clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
    }
  while (now.tv_sec == 0 && now.tv_nsec < 400000000);
  return 0;
}
