/* object.c - addresses in programs and libraries.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "object.h"

#ifdef HAVE_LIBDW

#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t
bias_in (Elf *elf, uint64_t offset)
{
  size_t n;
  GElf_Phdr p;

  if (elf_getphdrnum (elf, &n) != 0)
    return 0;
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && offset - p.p_offset < p.p_filesz)
      return p.p_vaddr - p.p_offset;
  return 0;
}

uint64_t
object_bias (const char *path, uint64_t offset)
{
  /* What a profile names may be a pipe.  */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  uint64_t bias = 0;
  struct stat st;
  Elf *elf;

  if (fd < 0)
    return 0;
  elf_version (EV_CURRENT);
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode)
      && (elf = elf_begin (fd, ELF_C_READ, NULL)) != NULL)
    {
      bias = bias_in (elf, offset);
      elf_end (elf);
    }
  close (fd);
  return bias;
}

#else

uint64_t
object_bias (const char *path, uint64_t offset)
{
  (void) path;
  (void) offset;
  return 0;
}

#endif
