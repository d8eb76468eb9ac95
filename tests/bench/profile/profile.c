/* profile.c - the benchmark of profiles: sums by position, whole stacks,
   traced calls, and names.

   Usage: profile (--check | --differ | --measure | --count)
                  [POSITIONS STACKS DISTINCT]

   --check    compares what each contender writes with what it was given
   --differ   compares it with something else (and so finds them all wrong)
   --measure  processor time of each, and the library's memory
   --count    replays for valgrind (see count.sh)

   10^6 positions, as many levels of calls, and 10^6 stacks of which 20,000 are
   distinct, unless other numbers are given.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number from the command line, 0 if it is none.  */
static size_t
number (const char *text)
{
  char *end;
  unsigned long n = strtoul (text, &end, 10);

  return *end || n > 100000000 ? 0 : (size_t)n;
}

static bool
read_size (struct size *size, char **arguments)
{
  size->positions = number (arguments[0]);
  size->stacks = number (arguments[1]);
  size->distinct = number (arguments[2]);
  return size->positions > 0 && size->distinct > 0
         && size->stacks >= size->distinct;
}

static bool
check (const struct size *size, bool differ)
{
  bool positions = check_positions (size, differ);
  bool stacks = check_stacks (size, differ);
  bool calls = check_tracer (differ);

  return positions && stacks && calls;
}

static void
measure (const struct size *size)
{
  measure_positions (size);
  measure_stacks (size);
  measure_positions_memory (size);
  measure_stacks_memory (size);
  measure_tracer ();
  measure_names ();
  measure_passed ();
  measure_tracer_memory (size->positions);
}

static void
count (void)
{
  count_positions ();
  count_stacks ();
  count_tracer ();
  count_names ();
  count_passed ();
}

int
main (int argc, char **argv)
{
  struct size size = { 1000000, 1000000, 20000 };
  const char *mode
      = argc == 2 || (argc == 5 && read_size (&size, argv + 2)) ? argv[1] : "";
  bool ok = true;

  if (strcmp (mode, "--check") == 0)
    ok = check (&size, false);
  else if (strcmp (mode, "--differ") == 0)
    ok = check (&size, true);
  else if (strcmp (mode, "--measure") == 0)
    measure (&size);
  else if (strcmp (mode, "--count") == 0)
    count ();
  else
    {
      fputs ("Usage: profile (--check | --differ | --measure | --count)\n"
             "               [POSITIONS STACKS DISTINCT]\n",
             stderr);
      return 2;
    }
  return ok && !fflush (stdout) && !ferror (stdout) ? 0 : 1;
}
