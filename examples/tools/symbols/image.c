/* image.c - an ELF file as it is loaded.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "image.h"

#include <string.h>
#include <unistd.h>

/* Finds the procedure linkage tables, by the names that linkers give to
   sections.  What does not fit into memory counts as a function.  */
static void
read_linkage (struct image *image)
{
  static const char *const names[] = { ".plt", ".iplt", ".MIPS.stubs" };
  size_t strings;
  Elf_Scn *section = NULL;
  GElf_Shdr header;

  if (elf_getshdrstrndx (image->elf, &strings) != 0)
    return;
  while ((section = elf_nextscn (image->elf, section)) != NULL)
    {
      const char *name = gelf_getshdr (section, &header) != NULL
                             ? elf_strptr (image->elf, strings, header.sh_name)
                             : NULL;

      for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        if (strncmp (name, names[i], strlen (names[i])) == 0
            && (header.sh_flags & SHF_EXECINSTR) != 0)
          ranges_add (&image->linkage,
                      (struct range){ .start = header.sh_addr,
                                      .end = header.sh_addr + header.sh_size,
                                      .level = 1 });
    }
  ranges_sort (&image->linkage);
}

/* Files that were never linked, such as modules of the kernel, do not say where
   they are loaded.  */
Dwfl_Module *
image_open (struct image *image, const Dwfl_Callbacks *callbacks,
            const char *path, int fd)
{
  Dwfl_Module *dwfl;
  Elf *elf;

  image->dwfl = dwfl_begin (callbacks);
  dwfl = dwfl_report_offline (image->dwfl, path, path, fd);
  dwfl_report_end (image->dwfl, NULL, NULL);
  if (dwfl == NULL)
    {
      close (fd);
      return NULL;
    }
  elf = dwfl_module_getelf (dwfl, &image->bias);
  if (elf == NULL || gelf_getehdr (elf, &image->header) == NULL
      || image->header.e_type == ET_REL)
    return NULL;
  image->elf = elf;
  image->bytes = (const unsigned char *) elf_rawfile (elf, &image->size);
  read_linkage (image);
  return dwfl;
}

void
image_free (struct image *image)
{
  ranges_free (&image->linkage);
  dwfl_end (image->dwfl);
}

/* The segment that has an address or, unless by_address, an offset.  */
static bool
find_segment (const struct image *image, uint64_t place, bool by_address,
              GElf_Phdr *p)
{
  size_t n = 0;

  elf_getphdrnum (image->elf, &n);
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (image->elf, (int) i, p) != NULL && p->p_type == PT_LOAD
        && place - (by_address ? p->p_vaddr : p->p_offset) < p->p_filesz)
      return true;
  return false;
}

uint64_t
image_address (const struct image *image, uint64_t offset)
{
  GElf_Phdr p;

  return find_segment (image, offset, false, &p)
             ? offset - p.p_offset + p.p_vaddr
             : offset;
}

bool
image_offset (const struct image *image, uint64_t address, uint64_t *offset)
{
  GElf_Phdr p;

  if (image->elf == NULL || !find_segment (image, address, true, &p))
    return false;
  *offset = address - p.p_vaddr + p.p_offset;
  return true;
}

const unsigned char *
image_bytes (const struct image *image, uint64_t offset, size_t size)
{
  return offset < image->size && size <= image->size - offset
             ? image->bytes + offset
             : NULL;
}

const unsigned char *
image_first (const struct image *image, size_t *n)
{
  GElf_Phdr first = { .p_vaddr = UINT64_MAX }, p;
  size_t n_segments = 0;

  elf_getphdrnum (image->elf, &n_segments);
  for (size_t i = 0; i < n_segments; i++)
    if (gelf_getphdr (image->elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && p.p_filesz != 0 && p.p_vaddr < first.p_vaddr)
      first = p;
  *n = first.p_filesz;
  return *n != 0 ? image_bytes (image, first.p_offset, *n) : NULL;
}

bool
image_is_linkage (const struct image *image, uint64_t address)
{
  return ranges_find (&image->linkage, address) != NULL;
}
