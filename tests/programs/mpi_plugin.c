/* mpi_plugin.c - runs a program of MPI that is a shared object, loaded so that
   no other object sees its symbols or those of the MPI library.

   SPDX-License-Identifier: MIT  */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int
main (int argc, char **argv)
{
  void *plugin = dlopen ("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  void *symbol = plugin != NULL ? dlsym (plugin, "program_main") : NULL;
  int (*program_main) (int, char **);

  if (symbol == NULL)
    {
      fprintf (stderr, "%s\n", dlerror ());
      return 1;
    }
  memcpy (&program_main, &symbol, sizeof symbol);
  return program_main (argc, argv);
}
