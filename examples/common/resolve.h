/* resolve.h - symbolizes a location in a program or a library: function, file
   and line, by elfutils' libdw.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RESOLVE_H
#define RESOLVE_H 1

#include "intern.h"
#include "maps.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* Strings are numbers in the resolver's table; 0 is "", unknown.

   The function is the one that stands in the symbol table, in whose code the
   place is: inlined functions do not become functions of their own.  But file
   and line are those of the inlined code, which may be in another file.  */
struct place
{
  uint32_t object;
  uint32_t function;
  uint32_t function_file;
  uint32_t file;
  uint32_t line;
  uint64_t address; /* as in the ELF file */
};

struct resolver_object;
struct resolver_function;

/* Begins as {0}, with resolver_begin.  */
struct resolver
{
  const struct maps *maps;
  struct resolver_object *objects; /* by number, as in maps */
  uint32_t n_objects;
  struct intern strings;
  struct intern functions;         /* object and address of the beginning */
  struct resolver_function *found;
  uint32_t n_found;
};

void resolver_begin (struct resolver *r, const struct maps *maps);

/* is_call: the location is the last byte of a call instruction.  */
struct place resolve (struct resolver *r, struct location location,
                      bool is_call);

const char *resolver_string (const struct resolver *r, uint32_t string);

/* A place as a writer knows it.  */
struct cgw_pos resolver_position (const struct resolver *r,
                                  struct cgw_writer *w,
                                  const struct place *place);

void resolver_end (struct resolver *r);

#endif /* RESOLVE_H */
