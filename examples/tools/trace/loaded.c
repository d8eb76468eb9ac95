/* loaded.c - whether a loaded object calls the hooks: then the dynamic
   linker has to tell it their address, and a relocation says so.

   SPDX-License-Identifier: MIT  */

#include "loaded.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#if __ELF_NATIVE_CLASS == 64
# define SYMBOL_OF(info) ELF64_R_SYM (info)
#else
# define SYMBOL_OF(info) ELF32_R_SYM (info)
#endif

/* A table of relocations.  Those with an addend begin as those without.  */
struct table
{
  const char *bytes;
  size_t size;
  size_t entry_size;
};

struct object
{
  const char *strings;
  const ElfW (Sym) *symbols;
  struct table tables[3]; /* with addends, without, and those of calls */
};

/* The dynamic linker has added the base to most objects' addresses.  */
static const void *
pointer (const struct dl_phdr_info *info, ElfW (Addr) address)
{
  return (const void *) (address < info->dlpi_addr ? address + info->dlpi_addr
                                                   : address);
}

static struct object
read_dynamic (const struct dl_phdr_info *info, const ElfW (Dyn) *d)
{
  struct object o = { .tables = { { .entry_size = sizeof (ElfW (Rela)) },
                                  { .entry_size = sizeof (ElfW (Rel)) } } };

  for (; d->d_tag != DT_NULL; d++)
    switch (d->d_tag)
      {
      case DT_STRTAB: o.strings = pointer (info, d->d_un.d_ptr); break;
      case DT_SYMTAB: o.symbols = pointer (info, d->d_un.d_ptr); break;
      case DT_RELA: o.tables[0].bytes = pointer (info, d->d_un.d_ptr); break;
      case DT_RELASZ: o.tables[0].size = d->d_un.d_val; break;
      case DT_REL: o.tables[1].bytes = pointer (info, d->d_un.d_ptr); break;
      case DT_RELSZ: o.tables[1].size = d->d_un.d_val; break;
      case DT_JMPREL: o.tables[2].bytes = pointer (info, d->d_un.d_ptr); break;
      case DT_PLTRELSZ: o.tables[2].size = d->d_un.d_val; break;
      case DT_PLTREL:
        o.tables[2].entry_size = d->d_un.d_val == DT_RELA
                                     ? sizeof (ElfW (Rela))
                                     : sizeof (ElfW (Rel));
        break;
      default: break;
      }
  return o;
}

static bool
names_hook (const struct object *o, const struct table *t)
{
  for (size_t at = 0; t->bytes && at + t->entry_size <= t->size;
       at += t->entry_size)
    {
      ElfW (Rel) r;
      memcpy (&r, t->bytes + at, sizeof r);
      if (SYMBOL_OF (r.r_info) != 0
          && !strcmp (o->strings + o->symbols[SYMBOL_OF (r.r_info)].st_name,
                      "__cyg_profile_func_enter"))
        return true;
    }
  return false;
}

static int
look (struct dl_phdr_info *info, size_t size, void *context)
{
  (void) size;
  (void) context;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      {
        struct object o = read_dynamic (
          info, (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
        for (int j = 0; j < 3 && o.strings && o.symbols; j++)
          if (names_hook (&o, o.tables + j))
            return 1;
      }
  return 0;
}

bool
loaded_is_instrumented (void)
{
#if defined __mips__
  /* It has no relocations for functions of other objects.  */
  return true;
#else
  return dl_iterate_phdr (look, NULL) != 0;
#endif
}
