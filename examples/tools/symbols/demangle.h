/* demangle.h - turns symbols of C++, Rust and D into names as in the source.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef COMMON_DEMANGLE_H
#define COMMON_DEMANGLE_H 1

#include <stdbool.h>
#include <stddef.h>

/* Whether a symbol encodes a name with its scopes and types.  */
bool is_mangled (const char *symbol);

/* How long a symbol is without its version, and without what a compiler puts
   behind those of the copies and parts that it makes of a function: ".isra.0",
   ".cold".  Other symbols may have dots, too, so of them only ".llvm.123" is
   left out, by which clang makes local symbols of several files differ.  */
size_t symbol_length (const char *symbol);

/* The name of a symbol as in the source, without its version and ".llvm.123";
   to be freed.  NULL: no memory.  */
char *demangle (const char *symbol);

#endif /* COMMON_DEMANGLE_H */
