/* machine.c - which QEMU runs a program, and with which libraries.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "machine.h"

#include "../base/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct
{
  unsigned machine;
  unsigned char class;
  unsigned char data;
  struct machine is;
} machines[] = {
#define LITTLE32 ELFCLASS32, ELFDATA2LSB
#define LITTLE64 ELFCLASS64, ELFDATA2LSB
#define BIG32 ELFCLASS32, ELFDATA2MSB
#define BIG64 ELFCLASS64, ELFDATA2MSB
  { EM_X86_64, LITTLE64, { "qemu-x86_64", "x86_64-linux-gnu",
                           "libc6-amd64-cross", NULL } },
  { EM_386, LITTLE32, { "qemu-i386", "i686-linux-gnu", "libc6-i386-cross",
                        NULL } },
  { EM_AARCH64, LITTLE64, { "qemu-aarch64", "aarch64-linux-gnu",
                            "libc6-arm64-cross", NULL } },
  { EM_AARCH64, BIG64, { "qemu-aarch64_be", NULL, NULL, NULL } },
  { EM_ARM, LITTLE32, { "qemu-arm", "arm-linux-gnueabihf",
                        "libc6-armhf-cross", NULL } },
  { EM_ARM, BIG32, { "qemu-armeb", NULL, NULL, NULL } },
  { EM_RISCV, LITTLE64, { "qemu-riscv64", "riscv64-linux-gnu",
                          "libc6-riscv64-cross", NULL } },
  { EM_RISCV, LITTLE32, { "qemu-riscv32", "riscv32-linux-gnu", NULL, NULL } },
  { EM_S390, BIG64, { "qemu-s390x", "s390x-linux-gnu", "libc6-s390x-cross",
                      NULL } },
  { EM_PPC64, LITTLE64, { "qemu-ppc64le", "powerpc64le-linux-gnu",
                          "libc6-ppc64el-cross", NULL } },
  { EM_PPC64, BIG64, { "qemu-ppc64", "powerpc64-linux-gnu",
                       "libc6-ppc64-cross", NULL } },
  { EM_PPC, BIG32, { "qemu-ppc", "powerpc-linux-gnu", "libc6-powerpc-cross",
                     NULL } },
  { EM_MIPS, LITTLE64, { "qemu-mips64el", "mips64el-linux-gnuabi64",
                         "libc6-mips64el-cross", NULL } },
  { EM_MIPS, BIG64, { "qemu-mips64", "mips64-linux-gnuabi64",
                      "libc6-mips64-cross", NULL } },
  { EM_MIPS, LITTLE32, { "qemu-mipsel", "mipsel-linux-gnu",
                         "libc6-mipsel-cross", NULL } },
  { EM_MIPS, BIG32, { "qemu-mips", "mips-linux-gnu", "libc6-mips-cross",
                      NULL } },
  { 258, LITTLE64, { "qemu-loongarch64", "loongarch64-linux-gnu",
                     "libc6-loong64-cross", NULL } },
  { EM_SPARCV9, BIG64, { "qemu-sparc64", "sparc64-linux-gnu",
                         "libc6-sparc64-cross", NULL } },
  { EM_SPARC32PLUS, BIG32, { "qemu-sparc32plus", NULL, NULL, NULL } },
  { EM_SPARC, BIG32, { "qemu-sparc", NULL, NULL, NULL } },
  { 0x9026, LITTLE64, { "qemu-alpha", "alpha-linux-gnu", "libc6-alpha-cross",
                        NULL } },
  { EM_PARISC, BIG32, { "qemu-hppa", "hppa-linux-gnu", "libc6-hppa-cross",
                        NULL } },
  { EM_68K, BIG32, { "qemu-m68k", "m68k-linux-gnu", "libc6-m68k-cross",
                     NULL } },
  { EM_SH, LITTLE32, { "qemu-sh4", "sh4-linux-gnu", "libc6-sh4-cross",
                       NULL } },
  { EM_XTENSA, LITTLE32, { "qemu-xtensa", NULL, NULL, NULL } },
  { EM_OPENRISC, BIG32, { "qemu-or1k", NULL, NULL, NULL } },
};

static void
read_interpreter (Elf *elf, struct machine *m)
{
  size_t n = 0, size;
  const char *file = elf_rawfile (elf, &size);
  GElf_Phdr p;

  elf_getphdrnum (elf, &n);
  for (size_t i = 0; file != NULL && i < n; i++)
    if (gelf_getphdr (elf, (int) i, &p) != NULL && p.p_type == PT_INTERP
        && p.p_offset < size && p.p_filesz <= size - p.p_offset)
      m->interpreter = strndup (file + p.p_offset, p.p_filesz);
}

/* n32 programs of MIPS have 32 bits, but processors of 64.  */
static void
find_n32 (const GElf_Ehdr *header, struct machine *m)
{
  if (header->e_machine != EM_MIPS || (header->e_flags & EF_MIPS_ABI2) == 0)
    return;
  m->qemu = header->e_ident[EI_DATA] == ELFDATA2LSB ? "qemu-mipsn32el"
                                                    : "qemu-mipsn32";
  m->triplet = m->package = NULL;
}

static const char *
read_header (Elf *elf, struct machine *m)
{
  GElf_Ehdr header;

  if (gelf_getehdr (elf, &header) == NULL)
    return "is not an ELF file";
  for (size_t i = 0; m != NULL && i < sizeof machines / sizeof *machines; i++)
    if (machines[i].machine == header.e_machine
        && machines[i].class == header.e_ident[EI_CLASS]
        && machines[i].data == header.e_ident[EI_DATA])
      {
        *m = machines[i].is;
        find_n32 (&header, m);
        read_interpreter (elf, m);
        return NULL;
      }
  return m == NULL
           ? NULL
           : "is for a processor that is not known here: name QEMU's command, "
             "as in cgw-qemu qemu-ARCH PROGRAM";
}

static const char *
read_file (int fd, struct machine *m)
{
  char start[2] = "";
  const char *reason;
  Elf *elf;

  if (pread (fd, start, sizeof start, 0) < 0)
    return strerror (errno);
  if (memcmp (start, "#!", sizeof start) == 0)
    return "is a script: name its interpreter, as in cgw-qemu sh SCRIPT";
  elf_version (EV_CURRENT);
  elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  reason = read_header (elf, m);
  elf_end (elf);
  return reason;
}

const char *
machine_of (const char *path, struct machine *m)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const char *reason;

  if (m != NULL)
    *m = (struct machine){ .qemu = NULL };
  if (fd < 0)
    return strerror (errno);
  reason = read_file (fd, m);
  close (fd);
  return reason;
}

/* Some processors' linkers have one name.  */
bool
machine_has_linker (const struct machine *m, const char *folder)
{
  char *path = make_text ("%s%s", folder, m->interpreter);
  struct machine found;
  bool is_same = machine_of (path, &found) == NULL
                 && strcmp (found.qemu, m->qemu) == 0;

  free (found.interpreter);
  free (path);
  return is_same;
}

/* The folder above a program that has its dynamic linker, to be freed: the
   program is in a copy of a system.  NULL: none has.  */
static char *
find_own_system (const struct machine *m, const char *path)
{
  char *folder = realpath (path, NULL);

  while (folder != NULL && *folder != '\0')
    {
      *strrchr (folder, '/') = '\0';
      if (*folder != '\0' && machine_has_linker (m, folder))
        return folder;
    }
  free (folder);
  return NULL;
}

char *
machine_sysroot (const struct machine *m, const char *path)
{
  char *folder;

  if (m->interpreter == NULL)
    return copy_text ("");
  folder = find_own_system (m, path);
  if (folder != NULL)
    return folder;
  if (machine_has_linker (m, ""))
    return copy_text ("");
  if (m->triplet == NULL)
    return NULL;
  folder = make_text ("/usr/%s", m->triplet);
  if (machine_has_linker (m, folder))
    return folder;
  free (folder);
  return NULL;
}
