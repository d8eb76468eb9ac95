/* module.c - what elfutils' libdw knows about the code of an object.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "module.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols.  */

static bool
is_mangled (const char *name)
{
  return name[0] == '_' && name[1] == 'Z';
}

/* Which of several names of a function is the best: the one that programs call
   it by.  Other files see it; it has no old version, as cfree@GLIBC_2.2.5 does
   that is free; it is not reserved, as __libc_malloc is; and it is global.  */
static uint32_t
rank (const GElf_Sym *symbol, const char *name)
{
  const char *version = strchr (name, '@');
  bool is_old = version != NULL && version[1] != '@';
  bool is_reserved = name[0] == '_' && !is_mangled (name);
  int bind = GELF_ST_BIND (symbol->st_info);
  uint32_t binding = bind == STB_GLOBAL ? 2 : bind == STB_WEAK;

  if (bind == STB_LOCAL)
    return 0;
  return 1u << 4 | (uint32_t) !is_old << 3 | (uint32_t) !is_reserved << 2
         | binding;
}

/* Where a symbol without a size ends at the latest: with its section.  One
   that is in none is but an address.  */
static GElf_Addr
label_end (GElf_Addr start, Elf *elf, GElf_Word section, Dwarf_Addr bias)
{
  GElf_Shdr header;

  if (section >= SHN_LORESERVE
      || gelf_getshdr (elf_getscn (elf, section), &header) == NULL)
    return start + 1;
  return header.sh_addr + header.sh_size + bias;
}

/* Symbols that other files see count more than local ones.  */
static bool
add_symbol (struct module *m, Dwfl_Module *dwfl, int i)
{
  struct range range = { .level = RANGES_LABEL };
  GElf_Sym symbol;
  GElf_Word section;
  Elf *elf;
  Dwarf_Addr bias;
  const char *name = dwfl_module_getsym_info (dwfl, i, &symbol, &range.start,
                                              &section, &elf, &bias);
  int type;

  if (name == NULL || name[0] == '\0' || symbol.st_shndx == SHN_UNDEF)
    return true;
  type = GELF_ST_TYPE (symbol.st_info);
  if (type == STT_SECTION || type == STT_FILE || type == STT_TLS)
    return true;
  range.what = name;
  range.rank = rank (&symbol, name);
  /* Of public names in C the short one is usual: free, not cfree.  */
  if (GELF_ST_BIND (symbol.st_info) != STB_LOCAL && !is_mangled (name))
    range.order = (uint32_t) strlen (name);
  range.end = range.start + symbol.st_size;
  if (symbol.st_size == 0)
    range.end = label_end (range.start, elf, section, bias);
  else
    range.level = GELF_ST_BIND (symbol.st_info) == STB_LOCAL ? 1 : 2;
  return ranges_add (&m->symbols, range);
}

const char *
module_symbol (const struct module *m, Dwarf_Addr address, Dwarf_Addr *start)
{
  const struct range *symbol = ranges_find (&m->symbols, address);

  if (symbol == NULL)
    return NULL;
  *start = symbol->start;
  return symbol->what;
}

/* Compilation units.  */

static bool
add_unit (struct module *m, Dwarf_Die *unit)
{
  struct range range = { .level = 1, .what = unit };
  Dwarf_Addr base;
  ptrdiff_t next = 0;

  while ((next = dwarf_ranges (unit, next, &base, &range.start, &range.end))
         > 0)
    if (!ranges_add (&m->units, range))
      return false;
  return true;
}

struct source
module_source (const struct module *m, Dwarf_Addr address)
{
  struct source s = { .pc = address - m->unit_bias };
  const struct range *unit = ranges_find (&m->units, s.pc);
  Dwarf_Line *line;

  if (unit == NULL)
    return s;
  /* libdw has no const.  */
  memcpy (&s.unit, &unit->what, sizeof s.unit);
  line = dwarf_getsrc_die (s.unit, s.pc);
  if (line != NULL)
    s.file = dwarf_linesrc (line, NULL, NULL);
  if (s.file == NULL || dwarf_lineno (line, &s.line) != 0 || s.line < 0)
    s.line = 0;
  return s;
}

char *
module_path (Dwarf_Die *unit, const char *file)
{
  Dwarf_Attribute attribute;
  const char *folder = NULL;
  size_t size;
  char *path;

  if (file == NULL)
    file = "";
  else if (file[0] != '/')
    folder = dwarf_formstring (dwarf_attr (unit, DW_AT_comp_dir, &attribute));
  if (folder == NULL)
    return strdup (file);
  while (strncmp (file, "./", 2) == 0)
    file += 2;
  size = strlen (folder) + strlen (file) + 2;
  path = malloc (size);
  if (path != NULL)
    snprintf (path, size, "%s/%s", folder, file);
  return path;
}

/* Functions.  */

/* Whether the functions of a scope are among its children; libdw's own search
   does not look into namespaces, where clang has them.  */
static bool
has_functions (Dwarf_Die *die)
{
  int tag = dwarf_tag (die);

  return tag == DW_TAG_namespace || tag == DW_TAG_module
         || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/* local: also those of classes and lambdas that are inside functions, where
   gcc has them.  */
static int
find_functions (Dwarf_Die *scope, Dwarf_Addr pc, bool local,
                Dwarf_Die *functions, int n)
{
  Dwarf_Die die;

  if (n == MODULE_FUNCTIONS || dwarf_child (scope, &die) != 0)
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

int
module_functions (const struct source *source,
                  Dwarf_Die functions[MODULE_FUNCTIONS])
{
  int n = 0;

  if (source->unit != NULL)
    n = find_functions (source->unit, source->pc, false, functions, 0);
  if (source->unit != NULL && n == 0)
    n = find_functions (source->unit, source->pc, true, functions, 0);
  return n;
}

/* Modules.  */

void
module_read (struct module *m, Dwfl_Module *dwfl)
{
  int n = dwfl_module_getsymtab (dwfl);
  Dwarf_Die *unit = NULL;
  bool ok = true;

  for (int i = 1; i < n && ok; i++)
    ok = add_symbol (m, dwfl, i);
  ranges_sort (&m->symbols);
  /* Not every compiler lists the addresses of all units, so they are asked one
     by one.  */
  while (ok && (unit = dwfl_module_nextcu (dwfl, unit, &m->unit_bias)) != NULL)
    ok = add_unit (m, unit);
  ranges_sort (&m->units);
}

void
module_free (struct module *m)
{
  ranges_free (&m->symbols);
  ranges_free (&m->units);
}
