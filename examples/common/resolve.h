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

/* The function of the position is the one that stands in the symbol table, in
   whose code the place is: inlined functions do not become functions of their
   own.  But file and line are those of the inlined code, which may be in
   another file.  The address is that in the ELF file.  */
struct place
{
  struct cgw_pos pos;
  bool is_main; /* the function's name is "main" */
};

struct resolver_object;
struct resolver_function;

/* Begins as {0}, with resolver_begin.  */
struct resolver
{
  const struct maps *maps;
  struct cgw_names *names;
  struct resolver_object *objects; /* by number, as in maps */
  uint32_t n_objects;
  struct intern functions;         /* object and address of the beginning */
  struct resolver_function *found;
  struct intern locations;         /* and whether they are calls */
  struct place *places;
};

/* Positions have names of this names object.  */
void resolver_begin (struct resolver *r, const struct maps *maps,
                     struct cgw_names *names);

/* is_call: the location is the last byte of a call instruction.  */
struct place resolve (struct resolver *r, struct location location,
                      bool is_call);

void resolver_end (struct resolver *r);

#endif /* RESOLVE_H */
