/* module.c - symbols, functions and lines of an object, by elfutils' libdw.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "module.h"

#include "demangle.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols.  */

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

/* Of ARM's functions, odd addresses say that their instructions are Thumb.  */
static void
set_thumb (struct range *range, Elf *elf, int type)
{
  GElf_Ehdr header;

  if (type != STT_FUNC || gelf_getehdr (elf, &header) == NULL
      || header.e_machine != EM_ARM)
    return;
  range->is_thumb = range->start % 2 != 0;
  range->start -= range->start % 2;
}

/* Marks where code and data begin, on ARM and RISC-V, and labels that compilers
   made: they are no functions.  */
static bool
is_mark (const GElf_Sym *symbol, const char *name)
{
  return GELF_ST_TYPE (symbol->st_info) == STT_NOTYPE
         && GELF_ST_BIND (symbol->st_info) == STB_LOCAL
         && (name[0] == '$' || strncmp (name, ".L", 2) == 0);
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
  if (type == STT_SECTION || type == STT_FILE || type == STT_TLS
      || is_mark (&symbol, name))
    return true;
  set_thumb (&range, elf, type);
  range.what = name;
  range.rank = rank (&symbol, name);
  /* Of names in C the short one is usual: free, not cfree; and of local ones,
     _dl_find_object, not __GI__dl_find_object.  */
  if (!is_mangled (name))
    range.order = (uint32_t) strlen (name);
  range.end = range.start + symbol.st_size;
  if (symbol.st_size == 0)
    range.end = label_end (range.start, elf, section, bias);
  else
    range.level = GELF_ST_BIND (symbol.st_info) == STB_LOCAL ? 1 : 2;
  return ranges_add (&m->symbols, range);
}

const char *
module_symbol (const struct module *m, Dwarf_Addr address, Dwarf_Addr *start,
               bool *is_label)
{
  const struct range *symbol = ranges_find (&m->symbols, address);

  if (symbol == NULL)
    return NULL;
  *start = symbol->start;
  *is_label = symbol->level == RANGES_LABEL;
  return symbol->what;
}

bool
module_is_thumb (const struct module *m, Dwarf_Addr address)
{
  const struct range *symbol = ranges_find (&m->symbols, address);

  return symbol != NULL && symbol->is_thumb;
}

/* Compilation units.  */

struct unit
{
  struct unit *next;
  struct unit *head;       /* the module's first one, for modules move */
  size_t n_left;           /* of that: how many more ranges there may be */
  struct ranges sections;  /* of that: with code; none if they are not known */
  Dwarf_Die *die;
  bool is_read;            /* its functions are */
  struct ranges functions; /* with machine code, by the addresses of DIEs */
};

/* Finds the sections with code.  Those of a file that was never linked have no
   addresses of their own.  */
static bool
read_sections (struct ranges *sections, Elf *elf)
{
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  GElf_Ehdr file;
  bool ok = true;

  if (gelf_getehdr (elf, &file) == NULL || file.e_type == ET_REL)
    return true;
  while (ok && (section = elf_nextscn (elf, section)) != NULL)
    if (gelf_getshdr (section, &header) != NULL
        && (header.sh_flags & SHF_EXECINSTR) != 0)
      ok = ranges_add (sections,
                       (struct range){ .start = header.sh_addr,
                                       .end = header.sh_addr + header.sh_size,
                                       .level = 1 });
  ranges_sort (sections);
  return ok;
}

/* Adds where a DIE has code, if it has, unless there are too many ranges.  What
   linkers leave out stays at address 0.  */
static bool
add_code (struct unit *head, struct ranges *ranges, Dwarf_Die *die,
          const void *what)
{
  struct range range = { .level = 1, .what = what };
  Dwarf_Addr base;
  ptrdiff_t next = 0;

  while ((next = dwarf_ranges (die, next, &base, &range.start, &range.end))
         > 0)
    {
      bool is_linked = head->sections.n == 0
                       || ranges_find (&head->sections, range.start) != NULL;

      if (head->n_left == 0 || (is_linked && !ranges_add (ranges, range)))
        return false;
      head->n_left--;
    }
  return true;
}

static bool
add_unit (struct module *m, Dwarf_Die *die)
{
  struct unit *unit = calloc (1, sizeof *unit);
  Elf *elf = dwarf_getelf (dwarf_cu_getdwarf (die->cu));

  if (unit == NULL)
    return false;
  unit->die = die;
  unit->head = m->first != NULL ? m->first->head : unit;
  unit->next = m->first;
  m->first = unit;
  /* Each range takes more than a byte of the file, unless functions that are an
     attack on the memory share them.  */
  if (unit->head == unit)
    elf_rawfile (elf, &unit->n_left);
  return (unit->head != unit || read_sections (&unit->sections, elf))
         && add_code (unit->head, &m->units, die, unit);
}

struct source
module_source (const struct module *m, Dwarf_Addr address)
{
  struct source s = { .pc = address - m->unit_bias };
  const struct range *unit = ranges_find (&m->units, s.pc);
  Dwarf_Line *line;

  if (unit == NULL)
    return s;
  /* The table's pointers are const.  */
  memcpy (&s.of, &unit->what, sizeof s.of);
  s.unit = s.of->die;
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
  char *path;

  if (file == NULL)
    file = "";
  else if (file[0] != '/')
    folder = dwarf_formstring (
        dwarf_attr_integrate (unit, DW_AT_comp_dir, &attribute));
  if (folder == NULL)
    return strdup (file);
  while (strncmp (file, "./", 2) == 0)
    file += 2;
  return asprintf (&path, "%s/%s", folder, file) >= 0 ? path : NULL;
}

/* Functions.  */

/* Code that may have other code in it.  */
static bool
is_code (Dwarf_Die *die)
{
  int tag = dwarf_tag (die);

  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine
         || tag == DW_TAG_lexical_block;
}

/* Whether functions are among a scope's children: in namespaces, where clang
   has them and libdw does not look; in classes and lambdas that are inside
   functions, where gcc has them.  */
static bool
has_functions (Dwarf_Die *die)
{
  int tag = dwarf_tag (die);

  return tag == DW_TAG_namespace || tag == DW_TAG_module
         || tag == DW_TAG_class_type || tag == DW_TAG_structure_type
         || tag == DW_TAG_union_type || is_code (die);
}

/* How deep functions may be nested in classes, namespaces and others.  Compilers
   nest them a few levels deep; a file that nests them deeper may be an attack
   on the stack.  */
#define MODULE_DEPTH 200

/* Goes once through a unit, for looking into all of it for each address would
   take long.  A DIE that is not behind all others so far is a child of two.  */
static bool
add_functions (struct unit *unit, Dwarf_Die *scope, const void **last,
               int depth)
{
  Dwarf_Die die;
  bool ok = depth < MODULE_DEPTH;

  if (!ok || dwarf_child (scope, &die) != 0)
    return ok;
  do
    {
      ok = die.addr > *last;
      *last = die.addr;
      if (ok && dwarf_tag (&die) == DW_TAG_subprogram)
        ok = add_code (unit->head, &unit->functions, &die, die.addr);
      if (ok && has_functions (&die))
        ok = add_functions (unit, &die, last, depth + 1);
    }
  while (ok && dwarf_siblingof (&die, &die) == 0);
  return ok;
}

/* The DIE of a function with machine code.  */
static bool
get_function (const struct unit *unit, const struct range *range,
              Dwarf_Die *die)
{
  void *address;

  /* The table's pointers are const.  */
  memcpy (&address, &range->what, sizeof address);
  return dwarf_die_addr_die (dwarf_cu_getdwarf (unit->die->cu), address, die)
         != NULL;
}

/* The DIE that has all of a unit: with -gsplit-dwarf it is in another file.  */
static Dwarf_Die
whole_unit (Dwarf_Die *die)
{
  Dwarf_Die split = { 0 };

  return dwarf_cu_info (die->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL)
                   == 0
               && split.cu != NULL
             ? split
             : *die;
}

/* The function with the machine code.  */
static bool
find_function (struct unit *unit, Dwarf_Addr pc, Dwarf_Die *die)
{
  const struct range *range;

  if (!unit->is_read)
    {
      Dwarf_Die all = whole_unit (unit->die);
      const void *last = all.addr;

      add_functions (unit, &all, &last, 0);
      ranges_sort (&unit->functions);
      unit->is_read = true;
    }
  range = ranges_find (&unit->functions, pc);
  return range != NULL && get_function (unit, range, die);
}

int
module_functions (const struct source *source,
                  Dwarf_Die functions[MODULE_FUNCTIONS])
{
  Dwarf_Die die;
  int n = 1;
  bool is_found;

  if (source->of == NULL || !find_function (source->of, source->pc, functions))
    return 0;
  for (is_found = dwarf_child (functions, &die) == 0; is_found;)
    if (is_code (&die) && dwarf_haspc (&die, source->pc) == 1)
      {
        if (dwarf_tag (&die) != DW_TAG_lexical_block)
          functions[n++] = die;
        is_found = n < MODULE_FUNCTIONS && dwarf_child (&die, &die) == 0;
      }
    else
      is_found = dwarf_siblingof (&die, &die) == 0;
  return n;
}

const char *
module_linkage_name (Dwarf_Die *die)
{
  static const unsigned linkage[]
      = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
  Dwarf_Attribute attribute;

  for (int i = 0; i < 2; i++)
    if (dwarf_attr_integrate (die, linkage[i], &attribute) != NULL)
      return dwarf_formstring (&attribute);
  return NULL;
}

void
module_origin (Dwarf_Die *die, Dwarf_Die *origin)
{
  Dwarf_Attribute attribute;

  if (dwarf_formref_die (dwarf_attr (die, DW_AT_abstract_origin, &attribute),
                         origin)
      == NULL)
    *origin = *die;
}

/* The symbol of the machine code that a unit has of a function; NULL: none.  */
static const char *
copy_symbol (const struct module *m, const struct unit *unit,
             const Dwarf_Die *origin)
{
  Dwarf_Die copy, of;
  Dwarf_Addr start;
  bool is_label;

  for (uint32_t i = 0; i < unit->functions.n; i++)
    {
      const struct range *range = &unit->functions.range[i];

      if (!get_function (unit, range, &copy))
        continue;
      module_origin (&copy, &of);
      if (of.addr == origin->addr)
        return module_symbol (m, range->start + m->unit_bias, &start,
                              &is_label);
    }
  return NULL;
}

/* Whether functions of a unit may have no linkage name although they have
   scopes: gcc gives none to those that are local to a file, nor to lambdas.  */
static bool
is_cxx (Dwarf_Die *unit)
{
  switch (dwarf_srclang (unit))
    {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++ 17 and 20 in DWARF 6 */
    case 0x2c:
      return true;
    default:
      return false;
    }
}

/* Puts the name of a scope before a name; the old name is freed.  */
static char *
put_before (Dwarf_Die *scope, char *name)
{
  int tag = dwarf_tag (scope);
  const char *of = dwarf_diename (scope);
  char *both;

  if (tag != DW_TAG_namespace && tag != DW_TAG_class_type
      && tag != DW_TAG_structure_type && tag != DW_TAG_union_type
      && tag != DW_TAG_subprogram)
    return name;
  if (of == NULL)
    of = tag == DW_TAG_namespace ? "(anonymous namespace)" : "{lambda}";
  if (asprintf (&both, "%s::%s", of, name) < 0)
    both = NULL;
  free (name);
  return both;
}

/* Finds the scopes around a DIE, the outermost first; returns how many.  What
   is in a scope is before its next sibling.  libdw's function for this has no
   limit for its stack.  */
static int
find_scopes (Dwarf_Die *die, Dwarf_Die scopes[MODULE_DEPTH])
{
  Dwarf_Die scope, next;
  bool is_found = dwarf_diecu (die, &scope, NULL, NULL) != NULL
                  && dwarf_child (&scope, &scope) == 0;
  int n = 0;

  while (is_found && n < MODULE_DEPTH)
    {
      while (dwarf_siblingof (&scope, &next) == 0 && next.addr <= die->addr)
        scope = next;
      if (scope.addr >= die->addr)
        break;
      scopes[n++] = scope;
      is_found = dwarf_child (&scope, &scope) == 0;
    }
  return n;
}

/* The name of a function's DIE and of its scopes.  */
static char *
scoped_name (Dwarf_Die *die)
{
  const char *plain = dwarf_diename (die);
  char *name = plain != NULL ? strdup (plain) : NULL;
  Dwarf_Die scopes[MODULE_DEPTH], declared;
  Dwarf_Attribute attribute;
  int n;

  if (dwarf_formref_die (dwarf_attr (die, DW_AT_specification, &attribute),
                         &declared)
      == NULL)
    declared = *die;
  n = find_scopes (&declared, scopes);
  while (n-- > 0 && name != NULL)
    name = put_before (&scopes[n], name);
  return name;
}

char *
module_name (const struct module *m, const struct source *source,
             Dwarf_Die *origin)
{
  const char *name = module_linkage_name (origin);
  Dwarf_Die unit = whole_unit (source->unit);
  char *cut, *readable;

  if (name == NULL && is_cxx (&unit))
    {
      name = copy_symbol (m, source->of, origin);
      if (name == NULL || !is_mangled (name))
        return scoped_name (origin);
    }
  else if (name == NULL)
    name = dwarf_diename (origin);
  if (name == NULL)
    return NULL;
  cut = strndup (name, symbol_length (name));
  readable = cut != NULL ? demangle (cut) : NULL;
  free (cut);
  return readable;
}

/* The name of the file in an attribute, and the unit that has this: with link
   time optimization, functions are inlined into other units.  Files count from
   1, but since DWARF 5 from 0, which dwarf_decl_file does not know.  */
static const char *
file_of (Dwarf_Die *die, unsigned attribute_name, Dwarf_Die *unit)
{
  Dwarf_Attribute attribute;
  Dwarf_Half version;
  Dwarf_Files *files;
  Dwarf_Word number;
  size_t n;

  if (dwarf_formudata (
          dwarf_attr_integrate (die, attribute_name, &attribute), &number)
          != 0
      || dwarf_cu_die (attribute.cu, unit, &version, NULL, NULL, NULL, NULL,
                       NULL)
             == NULL
      || (number == 0 && version < 5)
      || dwarf_getsrcfiles (unit, &files, &n) != 0)
    return NULL;
  return dwarf_filesrc (files, number, NULL, NULL);
}

char *
module_decl_file (Dwarf_Die *die, const struct source *source,
                  const char *other)
{
  Dwarf_Die unit;
  const char *file = file_of (die, DW_AT_decl_file, &unit);

  return file != NULL ? module_path (&unit, file)
                      : module_path (source->unit, other);
}

void
module_call (Dwarf_Die *die, const char **file, int *line)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  Dwarf_Die unit;

  *file = file_of (die, DW_AT_call_file, &unit);
  if (dwarf_formudata (dwarf_attr (die, DW_AT_call_line, &attribute), &number)
          != 0
      || number > INT_MAX)
    number = 0;
  *line = (int) number;
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
  for (struct unit *unit = m->first, *next; unit != NULL; unit = next)
    {
      next = unit->next;
      ranges_free (&unit->functions);
      ranges_free (&unit->sections);
      free (unit);
    }
  ranges_free (&m->symbols);
  ranges_free (&m->units);
}
