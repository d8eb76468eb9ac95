/* test_call.c - the call instruction before a return address, on each machine:
   what objdump says of the bytes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbols/call.h"

#include <criterion/criterion.h>

struct machine
{
  uint16_t number;
  unsigned char class;
  unsigned char data;
  uint32_t flags;
};

static const struct machine
    x86_64 = { EM_X86_64, ELFCLASS64, ELFDATA2LSB, 0 },
    x86_32 = { EM_386, ELFCLASS32, ELFDATA2LSB, 0 },
    aarch64 = { EM_AARCH64, ELFCLASS64, ELFDATA2LSB, 0 },
    arm = { EM_ARM, ELFCLASS32, ELFDATA2LSB, 0 },
    armeb = { EM_ARM, ELFCLASS32, ELFDATA2MSB, EF_ARM_BE8 },
    armeb_old = { EM_ARM, ELFCLASS32, ELFDATA2MSB, 0 },
    riscv64 = { EM_RISCV, ELFCLASS64, ELFDATA2LSB, 0 },
    riscv32 = { EM_RISCV, ELFCLASS32, ELFDATA2LSB, 0 },
    s390x = { EM_S390, ELFCLASS64, ELFDATA2MSB, 0 },
    ppc64le = { EM_PPC64, ELFCLASS64, ELFDATA2LSB, 0 },
    ppc64 = { EM_PPC64, ELFCLASS64, ELFDATA2MSB, 0 },
    ppc = { EM_PPC, ELFCLASS32, ELFDATA2MSB, 0 },
    mips64el = { EM_MIPS, ELFCLASS64, ELFDATA2LSB, 0 },
    mips32 = { EM_MIPS, ELFCLASS32, ELFDATA2MSB, 0 },
    loongarch64 = { 258, ELFCLASS64, ELFDATA2LSB, 0 },
    alpha = { EM_ALPHA, ELFCLASS64, ELFDATA2LSB, 0 },
    sparc32 = { EM_SPARC, ELFCLASS32, ELFDATA2MSB, 0 },
    sparcv8plus = { EM_SPARC32PLUS, ELFCLASS32, ELFDATA2MSB, 0 },
    sparc64 = { EM_SPARCV9, ELFCLASS64, ELFDATA2MSB, 0 },
    hppa = { EM_PARISC, ELFCLASS32, ELFDATA2MSB, 0 },
    m68k = { EM_68K, ELFCLASS32, ELFDATA2MSB, 0 };

static void
check (const char *file, int line, const struct machine *machine,
       const char *code, size_t n, size_t length)
{
  Elf64_Ehdr header = { .e_machine = machine->number,
                        .e_flags = machine->flags };
  size_t got;

  header.e_ident[EI_CLASS] = machine->class;
  header.e_ident[EI_DATA] = machine->data;
  got = call_length (&header, (const unsigned char *) code, n);
  cr_assert_eq (got, length, "%s:%d: %zu, not %zu", file, line, got, length);
}

#define CALL(machine, code, length)                                           \
  check (__FILE__, __LINE__, &machine, code, sizeof code - 1, length)

Test (call, x86)
{
  CALL (x86_64, "\x90\x90\xe8\x01\x02\x03\x04", 5); /* call rel32 */
  CALL (x86_64, "\x90\x90\x90\xff\xd0", 2);         /* *%rax */
  CALL (x86_64, "\x90\x90\x41\xff\xd4", 3);         /* *%r12 */
  CALL (x86_64, "\x90\x90\x90\xff\x10", 2);         /* *(%rax) */
  CALL (x86_64, "\x90\x90\x90\xff\x50\x18", 3);     /* *24(%rax) */
  CALL (x86_64, "\x90\xff\x90\x00\x01\x00\x00", 6); /* *256(%rax) */
  CALL (x86_64, "\x90\xff\x15\x10\x20\x00\x00", 6); /* *x(%rip) */
  CALL (x86_64, "\x90\x90\xff\x14\xc8", 3);         /* *(%rax,%rcx,8) */
  CALL (x86_64, "\x90\x41\xff\x54\xc5\x08", 5);     /* *8(%r13,%rax,8) */
  CALL (x86_64, "\x41\xff\x94\xc5\x00\x01\x00\x00", 8);
  /* A table: *x(,%rax,8).  */
  CALL (x86_64, "\x90\xff\x14\xc5\x40\x11\x60\x00", 7);
  CALL (x86_64, "\x42\xff\x14\xe5\x40\x11\x60\x00", 8);
  CALL (x86_32, "\x90\x90\xe8\x01\x02\x03\x04", 5);
  CALL (x86_32, "\x90\x65\xff\x15\x10\x00\x00\x00", 7); /* *%gs:0x10 */
  /* inc %ecx; call *%edx: 64-bit code has a prefix there.  */
  CALL (x86_32, "\x90\x41\xff\xd2", 2);
}

Test (call, x86_what_is_none)
{
  CALL (x86_64, "", 1);
  CALL (x86_64, "\xe8", 1);
  CALL (x86_64, "\xff", 1);
  CALL (x86_64, "\x90\xff\x14", 1); /* an operand is missing */
  CALL (x86_64, "\x90\x90\x90\x90\x90\x90\x90\x90", 1);
  CALL (x86_64, "\x90\x90\x90\xff\xe0", 1); /* jmp *%rax */
}

/* Calls of one length.  */
Test (call, four_bytes)
{
  CALL (aarch64, "\x1f\x20\x03\xd5\x01\x00\x00\x94", 4); /* bl */
  CALL (aarch64, "\x1f\x20\x03\xd5\x20\x00\x3f\xd6", 4); /* blr x1 */
  /* An x86 would see call *%eax in what is loaded before.  */
  CALL (aarch64, "\x00\xe8\x9f\xd2\x01\xff\xd0\x97", 4); /* bl */
  CALL (ppc64le, "\x00\x00\x00\x60\x01\x00\x00\x48", 4); /* bl */
  CALL (ppc64, "\x60\x00\x00\x00\x4e\x80\x04\x21", 4);   /* bctrl */
  CALL (ppc, "\x60\x00\x00\x00\x48\x00\x00\x01", 4);     /* bl */
  CALL (loongarch64, "\x00\x00\x40\x03\x21\x00\x00\x4c", 4); /* jirl $ra, $at */
  CALL (alpha, "\x1f\x04\xff\x47\x00\x40\x5b\x6b", 4); /* jsr $26,($27) */
  CALL (aarch64, "", 4);
}

/* What follows the call is executed before it.  */
Test (call, with_a_delay_slot)
{
  CALL (mips64el, "\x09\xf8\x20\x03\x00\x00\x00\x00", 8); /* jalr t9; nop */
  CALL (mips32, "\x0c\x00\x00\x01\x00\x00\x00\x00", 8);     /* jal; nop */
  CALL (sparc32, "\x40\x00\x00\x01\x01\x00\x00\x00", 8);    /* call; nop */
  CALL (sparcv8plus, "\x40\x00\x00\x01\x01\x00\x00\x00", 8);
  CALL (sparc64, "\x9f\xc0\x40\x00\x01\x00\x00\x00", 8); /* call %g1; nop */
  CALL (hppa, "\xe8\x40\x00\x00\x08\x00\x02\x40", 8);    /* b,l ,rp; nop */
}

Test (call, arm)
{
  CALL (arm, "\x00\xf0\x20\xe3\xfe\xff\xff\xeb", 4); /* bl */
  CALL (arm, "\x00\xf0\x20\xe3\x33\xff\x2f\xe1", 4); /* blx r3 */
  CALL (arm, "\x00\xbf\x00\xbf\xff\xf7\xfe\xff", 4); /* Thumb: bl */
  CALL (arm, "\x00\xbf\x00\xbf\x98\x47", 2);         /* Thumb: blx r3 */
  CALL (arm, "\x00\xbf\x00\xbf\xf0\x47", 2);         /* Thumb: blx lr */
  CALL (armeb, "\x00\xbf\x00\xbf\x98\x47", 2);
  CALL (armeb, "\x00\xf0\x20\xe3\x33\xff\x2f\xe1", 4);
  CALL (armeb_old, "\xbf\x00\xbf\x00\x47\x98", 2);
  CALL (armeb_old, "\xe3\x20\xf0\x00\xe1\x2f\xff\x33", 4);
}

Test (call, riscv)
{
  CALL (riscv64, "\x13\x00\x00\x00\xef\x00\x00\x01", 4); /* jal ra */
  CALL (riscv64, "\x97\x00\x00\x00\xe7\x80\x00\x00", 4); /* auipc; jalr ra */
  CALL (riscv64, "\x97\x02\x00\x00\xe7\x82\x02\x00", 4); /* jalr t0 */
  CALL (riscv64, "\x13\x00\x00\x00\x82\x97", 2);         /* c.jalr a5 */
  /* The second half of jal, jal ra, 0x120900, is c.jalr's number.  */
  CALL (riscv64, "\x13\x00\x00\x00\xef\x00\x82\x97", 4);
  CALL (riscv64, "\x13\x00\x00\x00\x02\x90", 1); /* c.ebreak */
  CALL (riscv64, "\x13\x00\x00\x00\x01\x20", 1); /* c.addiw */
  CALL (riscv32, "\x13\x00\x00\x00\x01\x20", 2); /* c.jal */
  CALL (riscv32, "\x13\x00\x00\x00\x82\x97", 2); /* c.jalr a5 */
  CALL (riscv64, "\x82\x97", 2);
  CALL (riscv64, "", 1);
}

Test (call, s390)
{
  CALL (s390x, "\x07\x07\xc0\xe5\x00\x00\x01\x02", 6); /* brasl %r14 */
  /* Of this one the distance is like basr.  */
  CALL (s390x, "\x07\x07\xc0\xe5\x00\x00\x0d\xe1", 6);
  CALL (s390x, "\x07\x07\xa7\xe5\x00\x10", 4);         /* bras %r14 */
  CALL (s390x, "\x07\x07\x4d\xe0\x10\x00", 4);         /* bas %r14 */
  CALL (s390x, "\x07\x07\x07\x07\x0d\xe1", 2);         /* basr %r14,%r1 */
  CALL (s390x, "\x07\x07\x07\x07\x0a\x77", 1);         /* svc */
  CALL (s390x, "\x0d", 1);
}

Test (call, of_a_machine_that_is_not_known)
{
  CALL (m68k, "\x4e\x71\x4e\x71\x4e\x71\x4e\x90", 1); /* jsr (%a0) */
}
