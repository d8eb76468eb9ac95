/* demangled.c - prints what the tools call symbols: for each line of the input,
   a symbol, a line with its name.  demangled -k: whether the names of Rust and
   D are known.

   SPDX-License-Identifier: MIT  */

#include "symbols/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (int argc, char **argv)
{
  char *line = NULL;
  size_t size = 0;
  ssize_t n;

  if (argc > 1 && strcmp (argv[1], "-k") == 0)
#ifdef CGW_LIBIBERTY
    return 0;
#else
    return 1;
#endif
  while ((n = getline (&line, &size, stdin)) > 0)
    {
      char *name;

      line[n - 1] = '\0';
      name = demangle (line);
      puts (name != NULL ? name : "no memory");
      free (name);
    }
  free (line);
  return 0;
}
