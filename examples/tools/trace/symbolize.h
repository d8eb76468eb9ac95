/* symbolize.h - what an address in this process means: the object, and
   the functions, files and lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_SYMBOLIZE_H
#define TRACE_SYMBOLIZE_H 1

#include <stddef.h>
#include <stdint.h>

/* A place in a source file.  The strings are never NULL; "" is unknown.  */
struct place
{
  char *fn;
  char *file;
  unsigned line; /* 0 for unknown */
};

/* What an address means.  */
struct address
{
  uint64_t address;
  char *object;
  /* The function that its machine code belongs to, and where that begins.  */
  struct place function;
  /* The place itself, and around it the places of the calls that were
     inlined, the innermost first; at least one.  */
  struct place *places;
  size_t n_places;
};

struct resolver;

/* Reads which objects this process has loaded.  NULL: no memory.  */
struct resolver *resolver_new (void);
void resolver_free (struct resolver *r);

/* Lives as long as the resolver.  NULL: no memory.  */
const struct address *resolve (struct resolver *r, uint64_t address);

#endif /* TRACE_SYMBOLIZE_H */
