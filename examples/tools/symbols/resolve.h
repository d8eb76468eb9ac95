/* resolve.h - symbolizes a location in a program or a library: function, file
   and line, by elfutils' libdw.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RESOLVE_H
#define RESOLVE_H 1

#include "../base/table.h"
#include "maps.h"

#include <cgw.h>

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/* Where code comes from.  The address is that in the ELF file.  */
struct place
{
  struct cgw_pos pos;
  bool is_main; /* the function's name is "main" */
};

/* One place is the function that stands in the symbol table, in whose code the
   location is; file and line are those of the code that was inlined there, if
   any was.  With inline_functions each function that was inlined has a place of
   its own, the innermost first; the function of the symbol table comes last.
   Its file and line, and those of all but the first, are where the one before
   was called.  */
struct places
{
  const struct place *at; /* until the next is asked for */
  uint32_t n;             /* at least 1 */
};

struct resolver_object;
struct resolver_function;
struct resolver_places;

/* Begins as {0} but for the first three, with resolver_begin.  */
struct resolver
{
  bool inline_functions;
  const char *symfs;      /* a folder that has the files of another machine, or
                             NULL */
  const char *debug_path; /* where separate debug information is, too: folders
                             with ":" between them, or NULL */
  const struct maps *maps;
  struct cgw_names *names;
  Dwfl_Callbacks callbacks;
  char *search;                    /* for debug information */
  struct resolver_object *objects; /* by number, as in maps */
  uint32_t n_objects;
  struct intern functions;
  struct resolver_function *found;
  struct intern locations;         /* and whether they are calls */
  struct resolver_places *resolved;
  struct place *places;
  uint32_t n_places;
};

/* Lets this process, and those that it begins, have as many files open as they
   may: an object takes one or two.  Without this, those behind some hundred have no
   names.  */
void resolver_open_many (void);

/* Positions have names of this names object.  */
void resolver_begin (struct resolver *r, const struct maps *maps,
                     struct cgw_names *names);

/* is_call: the location is the byte before the address that a call returns
   to.  */
struct places resolve (struct resolver *r, struct location location,
                       bool is_call);

/* The function that has the code at a location.  */
struct resolver_code
{
  struct cgw_pos start; /* the function, where it begins; {0}: none is known */
  const char *symbol;   /* of the function; NULL: it has none */
  uint64_t address;     /* the location's in the ELF file */
  bool is_entry;        /* calls of the function lead here */
  bool is_linkage;      /* in a procedure linkage table, which only leads to
                           functions of other objects */
  bool is_thumb;        /* of ARM's two sets of instructions, the function has
                           Thumb; not known without a symbol */
};
struct resolver_code resolver_code (struct resolver *r,
                                    struct location location);

/* Finds the location of an address of an object's ELF file.  False: the file
   has nothing there.  */
bool resolver_locate (struct resolver *r, uint64_t object, uint64_t address,
                      struct location *location);

/* The bytes that are loaded at the lowest address of an object's ELF file;
   NULL: there are none.  */
const unsigned char *resolver_first (struct resolver *r, uint64_t object,
                                     size_t *n);

/* Passes on the objects whose build IDs are known, from the maps or from files
   that were read, with these in hexadecimal.  */
void resolver_each_build_id (const struct resolver *r,
                             void (*take) (void *context, const char *path,
                                           const char *build_id),
                             void *context);

/* As object_file_open.  */
int resolver_open (const struct resolver *r, uint64_t object, char **path);

void resolver_end (struct resolver *r);

#endif /* RESOLVE_H */
