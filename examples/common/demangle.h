/* demangle.h - turns symbols of C++ into names as in the source.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef DEMANGLE_H
#define DEMANGLE_H 1

#include <stdbool.h>

/* Whether a symbol says how a name in the source is written.  */
bool is_mangled (const char *symbol);

/* The name of a symbol as in the source, without its version; to be freed.
   NULL: no memory.  */
char *demangle (const char *symbol);

#endif /* DEMANGLE_H */
