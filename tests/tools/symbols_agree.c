/* symbols_agree.c - compares the names of the tools' tables of symbols with
   what libdw finds by searching all symbols.

   symbols_agree FILE...: at all places in a file's code where the answer can
   change, so that they agree at every address of it.  Prints how many
   addresses were looked up, at how many the table chose another name of the
   same function, and at how many it differs otherwise; then the status is 1,
   and it prints where.  symbols_agree -n FILE NAME...: what the functions of
   these names are called.

   SPDX-License-Identifier: MIT  */

#include "symbols/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counts
{
  size_t addresses;
  size_t unnamed;
  size_t aliases;
  size_t differences;
};

static const Dwfl_Callbacks callbacks
    = { .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address };

static int
compare (const void *a, const void *b)
{
  const GElf_Addr *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* Adds an address if it is code's.  */
static size_t
add_code (Elf *elf, GElf_Addr bias, GElf_Addr address, GElf_Addr *places,
          size_t n)
{
  Elf_Scn *section = NULL;
  GElf_Shdr header;

  while ((section = elf_nextscn (elf, section)) != NULL)
    if (gelf_getshdr (section, &header) != NULL
        && (header.sh_flags & SHF_EXECINSTR) != 0
        && address - bias - header.sh_addr < header.sh_size)
      {
        places[n++] = address;
        break;
      }
  return n;
}

/* The code's addresses around which a symbol or a section begins or ends.  */
static size_t
find_places (Dwfl_Module *dwfl, GElf_Addr **places)
{
  int n_symbols = dwfl_module_getsymtab (dwfl);
  GElf_Addr bias;
  Elf *elf = dwfl_module_getelf (dwfl, &bias);
  Elf_Scn *section = NULL;
  size_t n = 0, room = n_symbols > 0 ? 4 * (size_t)n_symbols : 0, left = 0;
  GElf_Shdr header;
  GElf_Addr *p;

  while ((section = elf_nextscn (elf, section)) != NULL)
    room += 2;
  p = *places = calloc (room + 1, sizeof *p);
  if (p == NULL)
    abort ();
  for (int i = 1; i < n_symbols; i++)
    {
      GElf_Sym symbol;
      GElf_Addr start;

      if (dwfl_module_getsym_info (dwfl, i, &symbol, &start, NULL, NULL, NULL)
          == NULL)
        continue;
      n = add_code (elf, bias, start, p, n);
      n = add_code (elf, bias, start - 1, p, n);
      n = add_code (elf, bias, start + symbol.st_size, p, n);
      n = add_code (elf, bias, start + symbol.st_size - 1, p, n);
    }
  while ((section = elf_nextscn (elf, section)) != NULL)
    if (gelf_getshdr (section, &header) != NULL)
      {
        n = add_code (elf, bias, header.sh_addr + bias, p, n);
        n = add_code (elf, bias, header.sh_addr + bias + header.sh_size - 1, p,
                      n);
      }
  qsort (p, n, sizeof *p, compare);
  for (size_t i = 0; i < n; i++)
    if (left == 0 || p[left - 1] != p[i])
      p[left++] = p[i];
  return left;
}

static void
look (Dwfl_Module *dwfl, const struct module *m, GElf_Addr address,
      struct counts *counts)
{
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char *name = dwfl_module_addrinfo (dwfl, address, &offset, &symbol,
                                           NULL, NULL, NULL);
  GElf_Addr start = 0;
  bool is_label;
  const char *found = module_symbol (m, address, &start, &is_label);
  bool is_function
      = name != NULL && found != NULL && address - offset == start;

  counts->addresses++;
  if (name == NULL && found == NULL)
    counts->unnamed++;
  else if (is_function && strcmp (name, found) == 0)
    return;
  else if (is_function)
    counts->aliases++;
  else
    {
      counts->differences++;
      printf ("0x%" PRIx64 ": %s+%" PRIu64 ", not %s+%" PRIu64 "\n", address,
              found != NULL ? found : "none",
              found != NULL ? address - start : 0,
              name != NULL ? name : "none", offset);
    }
}

/* Opens a file; NULL: it cannot be read.  */
static Dwfl_Module *
open_module (Dwfl **session, const char *path)
{
  Dwfl_Module *dwfl;

  *session = dwfl_begin (&callbacks);
  dwfl = dwfl_report_offline (*session, path, path, -1);
  dwfl_report_end (*session, NULL, NULL);
  if (dwfl == NULL)
    printf ("%s: not readable\n", path);
  return dwfl;
}

static bool
agree (const char *path)
{
  Dwfl *session;
  Dwfl_Module *dwfl = open_module (&session, path);
  struct module m = { 0 };
  struct counts counts = { 0 };
  GElf_Addr *places = NULL;
  size_t n = dwfl != NULL ? find_places (dwfl, &places) : 0;

  module_read (&m, dwfl);
  for (size_t i = 0; i < n; i++)
    look (dwfl, &m, places[i], &counts);
  printf ("%s: %zu addresses, %zu without a name, %zu with another name of the"
          " same function, %zu differences\n",
          path, counts.addresses, counts.unnamed, counts.aliases,
          counts.differences);
  free (places);
  module_free (&m);
  dwfl_end (session);
  return counts.differences == 0 && counts.addresses > counts.unnamed;
}

/* Prints the name at each symbol that has one of the names, without its
   version.  */
static void
print_names (const char *path, char **names)
{
  Dwfl *session;
  Dwfl_Module *dwfl = open_module (&session, path);
  int n = dwfl_module_getsymtab (dwfl);
  struct module m = { 0 };

  module_read (&m, dwfl);
  for (; *names != NULL; names++)
    for (int i = 1; i < n; i++)
      {
        GElf_Sym symbol;
        GElf_Addr start;
        const char *name = dwfl_module_getsym_info (dwfl, i, &symbol, &start,
                                                    NULL, NULL, NULL);
        size_t length = name != NULL ? strcspn (name, "@") : 0;
        bool is_label;

        if (symbol.st_shndx == SHN_UNDEF || length != strlen (*names)
            || strncmp (name, *names, length) != 0)
          continue;
        name = module_symbol (&m, start, &start, &is_label);
        printf ("%s is %.*s\n", *names, (int)strcspn (name, "@"), name);
        break;
      }
  module_free (&m);
  dwfl_end (session);
}

int
main (int argc, char **argv)
{
  bool ok = true;

  if (argc > 2 && strcmp (argv[1], "-n") == 0)
    {
      print_names (argv[2], argv + 3);
      return 0;
    }
  while (*++argv != NULL)
    ok = agree (*argv) && ok;
  return ok ? 0 : 1;
}
