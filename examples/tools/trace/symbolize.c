/* symbolize.c - what an address in this process means, by elfutils' libdw:
   from the debug information, or from the symbols where there is none.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbolize.h"

#include "../symbols/demangle.h"
#include "../symbols/module.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct resolver
{
  Dwfl *dwfl;         /* its modules lead to struct module, once read */
  void *known;        /* a tree of struct address */
};

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_linux_proc_find_elf,
  .find_debuginfo = dwfl_standard_find_debuginfo,
};

struct resolver *
resolver_new (void)
{
  struct resolver *r = calloc (1, sizeof *r);

  if (r == NULL)
    return NULL;
  r->dwfl = dwfl_begin (&callbacks);
  if (r->dwfl)
    {
      dwfl_linux_proc_report (r->dwfl, getpid ());
      dwfl_report_end (r->dwfl, NULL, NULL);
    }
  return r;
}

static void
free_address (void *p)
{
  struct address *a = p;

  for (size_t i = 0; i < a->n_places; i++)
    {
      free (a->places[i].fn);
      free (a->places[i].file);
    }
  free (a->places);
  free (a->function.fn);
  free (a->function.file);
  free (a->object);
  free (a);
}

static int
free_module (Dwfl_Module *dwfl, void **data, const char *name,
             Dwarf_Addr start, void *unused)
{
  (void) dwfl, (void) name, (void) start, (void) unused;
  if (*data)
    module_free (*data);
  free (*data);
  return DWARF_CB_OK;
}

void
resolver_free (struct resolver *r)
{
  if (r == NULL)
    return;
  tdestroy (r->known, free_address);
  if (r->dwfl)
    {
      dwfl_getmodules (r->dwfl, free_module, NULL, 0);
      dwfl_end (r->dwfl);
    }
  free (r);
}

/* Names.  */

/* The name of a function's DIE; symbol is that of its machine code, or NULL
   when it was inlined.  */
static char *
name_of (Dwarf_Die *die, const char *symbol)
{
  const char *name = module_linkage_name (die);

  /* Some local functions of C++ have a linkage name only as a symbol.  */
  if (!name && symbol && is_mangled (symbol))
    name = symbol;
  if (!name)
    name = dwarf_diename (die);
  return demangle (name ? name : symbol ? symbol : "");
}

/* Places.  */

static bool
add_place (struct address *a, char *fn, char *file, int line)
{
  struct place *more
      = realloc (a->places, (a->n_places + 1) * sizeof *a->places);

  if (more)
    {
      a->places = more;
      a->places[a->n_places++] = (struct place){
        fn, file, line > 0 ? (unsigned) line : 0
      };
    }
  else
    {
      free (fn);
      free (file);
    }
  return more && fn && file;
}

/* The function with the machine code; file and line are those of the code,
   which is what is known of a lambda.  */
static bool
set_function (struct address *a, const struct source *source, Dwarf_Die *die,
              const char *symbol)
{
  int line = source->line;

  dwarf_decl_line (die, &line);
  a->function
      = (struct place){ name_of (die, symbol),
                        module_decl_file (die, source, source->file),
                        line > 0 ? (unsigned) line : 0 };
  return a->function.fn && a->function.file;
}

/* A place for each function around an address, the innermost first.  */
static bool
add_places (struct address *a, const struct source *source, const char *symbol)
{
  Dwarf_Die functions[MODULE_FUNCTIONS];
  const char *file = source->file;
  int line = source->line;
  int n = module_functions (source, functions);

  if (n > 0 && !set_function (a, source, functions, symbol))
    return false;
  while (n-- > 0)
    {
      if (!add_place (a, name_of (functions + n, n == 0 ? symbol : NULL),
                      module_path (source->unit, file), line))
        return false;
      module_call (functions + n, &file, &line);
    }
  return true;
}

/* Where there is no debug information: the symbol, or else a number.  */
static bool
add_from_symbols (struct address *a, Dwfl_Module *dwfl, const char *symbol)
{
  char number[32];
  Dwarf_Addr start = 0;

  if (!symbol)
    {
      if (dwfl)
        dwfl_module_info (dwfl, NULL, &start, NULL, NULL, NULL, NULL, NULL);
      snprintf (number, sizeof number, "0x%llx",
                (unsigned long long) (a->address - start));
      symbol = number;
    }
  if (!a->function.fn)
    a->function = (struct place){ demangle (symbol), strdup (""), 0 };
  return a->function.fn && a->function.file
         && (a->n_places != 0
             || add_place (a, strdup (a->function.fn), strdup (""), 0));
}

/* What is known of a module; NULL: no memory.  */
static struct module *
find_module (Dwfl_Module *dwfl, const char **name)
{
  void **data;

  *name = dwfl_module_info (dwfl, &data, NULL, NULL, NULL, NULL, NULL, NULL);
  if (!*data)
    {
      *data = calloc (1, sizeof (struct module));
      if (*data)
        module_read (*data, dwfl);
    }
  return *data;
}

static bool
fill_in (struct resolver *r, struct address *a)
{
  Dwfl_Module *dwfl = r->dwfl ? dwfl_addrmodule (r->dwfl, a->address) : NULL;
  const char *object = "", *symbol = NULL;

  if (dwfl)
    {
      struct module *module = find_module (dwfl, &object);
      struct source source;
      Dwarf_Addr start;
      bool is_label;

      if (!module)
        return false;
      symbol = module_symbol (module, a->address, &start, &is_label);
      source = module_source (module, a->address);
      if (!add_places (a, &source, symbol))
        return false;
    }
  a->object = strdup (object);
  return a->object && add_from_symbols (a, dwfl, symbol);
}

static int
compare (const void *p, const void *q)
{
  const struct address *a = p, *b = q;
  return (a->address > b->address) - (a->address < b->address);
}

const struct address *
resolve (struct resolver *r, uint64_t address)
{
  struct address wanted = { .address = address };
  struct address **found = tfind (&wanted, &r->known, compare);
  struct address *a;

  if (found)
    return *found;
  a = calloc (1, sizeof *a);
  if (a == NULL)
    return NULL;
  a->address = address;
  if (!fill_in (r, a) || !tsearch (a, &r->known, compare))
    {
      free_address (a);
      return NULL;
    }
  return a;
}
