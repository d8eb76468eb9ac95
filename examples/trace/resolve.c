/* resolve.c - what an address in this process means, by elfutils' libdw:
   from the debug information, or from the symbols where there is none.

   SPDX-License-Identifier: MIT  */

#include "resolve.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef char *demangle_fn (const char *, char *, size_t *, int *);

struct resolver
{
  Dwfl *dwfl;
  void *known;        /* a tree of struct address */
  void *demangler;    /* libstdc++, when it was loaded for this */
  demangle_fn *demangle;
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

void
resolver_free (struct resolver *r)
{
  if (r == NULL)
    return;
  tdestroy (r->known, free_address);
  if (r->dwfl)
    dwfl_end (r->dwfl);
  if (r->demangler)
    dlclose (r->demangler);
  free (r);
}

/* Names.  */

/* A C++ program has the demangler loaded, unless it was linked statically.  */
static demangle_fn *
find_demangler (struct resolver *r)
{
  static const char name[] = "__cxa_demangle";
  void *found = dlsym (RTLD_DEFAULT, name);

  if (!found && !r->demangler)
    r->demangler = dlopen ("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (!found && r->demangler)
    found = dlsym (r->demangler, name);
  return (demangle_fn *) found;
}

static char *
demangled (struct resolver *r, const char *name)
{
  char *result = NULL;

  if (strncmp (name, "_Z", 2) == 0)
    {
      if (!r->demangle)
        r->demangle = find_demangler (r);
      if (r->demangle)
        result = r->demangle (name, NULL, NULL, NULL);
    }
  return result ? result : strdup (name);
}

/* The name of a function's DIE; symbol is that of its machine code, or NULL
   when it was inlined.  */
static char *
name_of (struct resolver *r, Dwarf_Die *die, const char *symbol)
{
  static const unsigned linkage[]
      = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
  const char *name = NULL;
  Dwarf_Attribute attribute;

  for (int i = 0; i < 2 && !name; i++)
    if (dwarf_attr_integrate (die, linkage[i], &attribute))
      name = dwarf_formstring (&attribute);
  /* Some local functions of C++ have a linkage name only as a symbol.  */
  if (!name && symbol && strncmp (symbol, "_Z", 2) == 0)
    name = symbol;
  if (!name)
    name = dwarf_diename (die);
  return demangled (r, name ? name : symbol ? symbol : "");
}

/* Older debug information has files relative to the directory in which the
   compiler ran.  */
static char *
path_of (Dwarf_Die *cu, const char *file)
{
  Dwarf_Attribute attribute;
  const char *directory = NULL;
  char *path;

  if (!file)
    return strdup ("");
  if (*file != '/' && dwarf_attr (cu, DW_AT_comp_dir, &attribute))
    directory = dwarf_formstring (&attribute);
  if (!directory)
    return strdup (file);
  path = malloc (strlen (directory) + strlen (file) + 2);
  if (path)
    sprintf (path, "%s/%s", directory, file);
  return path;
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

/* Whether the functions of a scope are among its children; libdw's own search
   does not look into namespaces, where clang has them.  */
static bool
has_functions (Dwarf_Die *die)
{
  int tag = dwarf_tag (die);
  return tag == DW_TAG_namespace || tag == DW_TAG_module
         || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/* The functions around an address, from that with the machine code to the
   innermost that was inlined; returns how many, at most MAX_FUNCTIONS.
   local: also those of classes and lambdas that are inside functions, where gcc
   has them.  */
enum { MAX_FUNCTIONS = 64 };
static int
find_functions (Dwarf_Die *scope, Dwarf_Addr pc, bool local,
                Dwarf_Die *functions, int n)
{
  Dwarf_Die die;

  if (n == MAX_FUNCTIONS || dwarf_child (scope, &die) != 0)
    return n;
  do
    {
      int tag = dwarf_tag (&die);
      bool is_code = tag == DW_TAG_subprogram
                     || tag == DW_TAG_inlined_subroutine
                     || tag == DW_TAG_lexical_block;
      if (is_code && dwarf_haspc (&die, pc) == 1)
        {
          if (tag != DW_TAG_lexical_block)
            functions[n++] = die;
          return find_functions (&die, pc, local, functions, n);
        }
      if (n == 0 && (has_functions (&die) || (local && is_code)))
        n = find_functions (&die, pc, local, functions, n);
    }
  while (dwarf_siblingof (&die, &die) == 0);
  return n;
}

/* Where an inlined function was called.  */
static void
find_call (Dwarf_Die *cu, Dwarf_Die *die, const char **file, int *line)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  Dwarf_Files *files;
  size_t n;

  *file = NULL;
  *line = 0;
  if (dwarf_attr (die, DW_AT_call_file, &attribute)
      && dwarf_formudata (&attribute, &number) == 0
      && dwarf_getsrcfiles (cu, &files, &n) == 0)
    *file = dwarf_filesrc (files, number, NULL, NULL);
  if (dwarf_attr (die, DW_AT_call_line, &attribute)
      && dwarf_formudata (&attribute, &number) == 0)
    *line = (int) number;
}

/* The function with the machine code; file and line are those of the code,
   which is what is known of a lambda.  */
static bool
set_function (struct resolver *r, struct address *a, Dwarf_Die *cu,
              Dwarf_Die *die, const char *symbol, const char *file, int line)
{
  const char *declared = dwarf_decl_file (die);

  dwarf_decl_line (die, &line);
  a->function = (struct place){ name_of (r, die, symbol),
                                path_of (cu, declared ? declared : file),
                                line > 0 ? (unsigned) line : 0 };
  return a->function.fn && a->function.file;
}

/* A place for each function around an address, the innermost first.  */
static bool
add_places (struct resolver *r, struct address *a, Dwarf_Die *cu,
            Dwarf_Addr pc, const char *symbol)
{
  Dwarf_Die functions[MAX_FUNCTIONS];
  Dwarf_Line *source = dwarf_getsrc_die (cu, pc);
  const char *file = source ? dwarf_linesrc (source, NULL, NULL) : NULL;
  int line = 0;
  int n = find_functions (cu, pc, false, functions, 0);

  if (n == 0)
    n = find_functions (cu, pc, true, functions, 0);
  if (source)
    dwarf_lineno (source, &line);
  if (n > 0 && !set_function (r, a, cu, functions, symbol, file, line))
    return false;
  while (n-- > 0)
    {
      if (!add_place (a, name_of (r, functions + n, n == 0 ? symbol : NULL),
                      path_of (cu, file), line))
        return false;
      find_call (cu, functions + n, &file, &line);
    }
  return true;
}

/* The compilation unit of an address.  The index of addresses is something
   that not all compilers write.  */
static Dwarf_Die *
find_unit (Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
  Dwarf_Die *cu = dwfl_module_addrdie (module, address, bias);

  if (cu)
    return cu;
  while ((cu = dwfl_module_nextcu (module, cu, bias)) != NULL)
    if (dwarf_haspc (cu, address - *bias) == 1)
      return cu;
  return NULL;
}

static bool
add_from_debug_information (struct resolver *r, struct address *a,
                            Dwfl_Module *module, const char *symbol)
{
  Dwarf_Addr bias = 0;
  Dwarf_Die *cu = find_unit (module, a->address, &bias);

  return !cu || add_places (r, a, cu, a->address - bias, symbol);
}

/* Where there is no debug information: the symbol, or else a number.  */
static bool
add_from_symbols (struct resolver *r, struct address *a, Dwfl_Module *module,
                  const char *symbol)
{
  char number[32];
  Dwarf_Addr start = 0;

  if (!symbol)
    {
      if (module)
        dwfl_module_info (module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
      snprintf (number, sizeof number, "0x%llx",
                (unsigned long long) (a->address - start));
      symbol = number;
    }
  if (!a->function.fn)
    a->function = (struct place){ demangled (r, symbol), strdup (""), 0 };
  return a->function.fn && a->function.file
         && (a->n_places != 0
             || add_place (a, strdup (a->function.fn), strdup (""), 0));
}

static bool
fill_in (struct resolver *r, struct address *a)
{
  Dwfl_Module *module
      = r->dwfl ? dwfl_addrmodule (r->dwfl, a->address) : NULL;
  const char *object = NULL, *symbol = NULL;

  if (module)
    {
      object = dwfl_module_info (module, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL);
      symbol = dwfl_module_addrname (module, a->address);
      if (!add_from_debug_information (r, a, module, symbol))
        return false;
    }
  a->object = strdup (object ? object : "");
  return a->object && add_from_symbols (r, a, module, symbol);
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
