/* module.h - symbols, functions, files and lines of an object, by elfutils'
   libdw.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MODULE_H
#define MODULE_H 1

#include "ranges.h"

#include <elfutils/libdwfl.h>

struct unit;

/* Begins as {0}.  */
struct module
{
  struct ranges symbols;
  struct ranges units;
  struct unit *first;
  Dwarf_Addr unit_bias; /* of the module's addresses to the units' */
};

/* Where the code at an address comes from.  */
struct source
{
  struct unit *of;  /* NULL: nothing is known */
  Dwarf_Die *unit;  /* its DIE */
  Dwarf_Addr pc;    /* the address, as the unit counts */
  const char *file; /* NULL: unknown */
  int line;         /* 0: unknown */
};

/* Reads all symbols and units but those that there is no memory for.  */
void module_read (struct module *m, Dwfl_Module *dwfl);

/* The symbol that an address belongs to, where that begins, and whether it has
   no size; NULL: none.  */
const char *module_symbol (const struct module *m, Dwarf_Addr address,
                           Dwarf_Addr *start, bool *is_label);

/* Whether that symbol is of ARM's second set of instructions, Thumb.  */
bool module_is_thumb (const struct module *m, Dwarf_Addr address);

struct source module_source (const struct module *m, Dwarf_Addr address);

/* The functions around a source's address, from that with the machine code to
   the innermost that was inlined; returns how many.  */
enum
{
  MODULE_FUNCTIONS = 64
};
int module_functions (const struct source *source,
                      Dwarf_Die functions[MODULE_FUNCTIONS]);

/* The function that was inlined, or of which a DIE is one copy.  */
void module_origin (Dwarf_Die *die, Dwarf_Die *origin);

/* The name of a function that was inlined at a source's address, by its origin:
   as a copy of it that was not inlined is named.  To be freed; NULL: there is
   none, or no memory.  */
char *module_name (const struct module *m, const struct source *source,
                   Dwarf_Die *origin);

/* The linkage name of a function's DIE; NULL: it has none.  */
const char *module_linkage_name (Dwarf_Die *die);

/* The file that a function's DIE says it is declared in; if that is unknown,
   `other`, which is a file of the source's unit.  As module_path.  */
char *module_decl_file (Dwarf_Die *die, const struct source *source,
                        const char *other);

/* Where the call was that an inlined function's DIE replaces; NULL and 0 are
   unknown.  */
void module_call (Dwarf_Die *die, const char **file, int *line);

/* A file of a compilation unit, absolute if the folder of the compilation is
   known; "" if it is NULL.  To be freed.  NULL: no memory.  */
char *module_path (Dwarf_Die *unit, const char *file);

void module_free (struct module *m);

#endif /* MODULE_H */
