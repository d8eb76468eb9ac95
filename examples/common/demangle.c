/* demangle.c - turns symbols of C++ into names as in the source.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ runtime, which is there where C++ programs are.  */
typedef char *demangle_fn (const char *name, char *buffer, size_t *size,
                           int *status);

/* A C++ program has it loaded, unless it was linked statically.  */
static demangle_fn *
find_demangler (void)
{
  static const char name[] = "__cxa_demangle";
  void *found = dlsym (RTLD_DEFAULT, name);
  void *library = NULL;
  demangle_fn *function;

  if (found == NULL)
    library = dlopen ("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (library != NULL)
    found = dlsym (library, name);
  /* C knows no conversion to a pointer to a function.  */
  memcpy (&function, &found, sizeof function);
  return function;
}

bool
is_mangled (const char *symbol)
{
  return strncmp (symbol, "_Z", 2) == 0;
}

char *
demangle (const char *symbol)
{
  static demangle_fn *demangler;
  static bool is_tried;
  char *plain = strndup (symbol, strcspn (symbol, "@"));
  char *readable = NULL;

  if (plain == NULL || !is_mangled (plain))
    return plain;
  if (!is_tried)
    demangler = find_demangler ();
  is_tried = true;
  if (demangler != NULL)
    readable = demangler (plain, NULL, NULL, NULL);
  if (readable == NULL)
    return plain;
  free (plain);
  return readable;
}
