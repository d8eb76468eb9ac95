/* call.c - the call instruction that a return address belongs to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "call.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef EM_LOONGARCH
# define EM_LOONGARCH 258
#endif

/* The length of x86's "call *OPERAND" at p, of at most n bytes; 0: it is none.
   It has perhaps a prefix (REX, or in 32-bit code %gs, for system calls), FF, a
   ModRM byte with 2 as the operation, perhaps a SIB byte, a displacement.  A
   base of 5 without mode is none, but a displacement: *TABLE(,%rax,8).  */
static size_t
indirect_call_length (const unsigned char *p, size_t n, bool is_64)
{
  size_t prefix = n != 0 && (is_64 ? (p[0] & 0xf0) == 0x40 : p[0] == 0x65);
  unsigned char modrm;
  unsigned mode, operand;
  size_t length;

  if (n < prefix + 2 || p[prefix] != 0xff)
    return 0;
  modrm = p[prefix + 1];
  mode = modrm >> 6;
  operand = modrm & 7;
  if ((modrm >> 3 & 7) != 2)
    return 0;
  length = prefix + 2;
  if (mode != 3 && operand == 4)
    {
      if (n == length)
        return 0;
      operand = p[length++] & 7;
    }
  if (mode == 1)
    length += 1;
  else if (mode == 2 || (mode == 0 && operand == 5))
    length += 4;
  return length;
}

/* A guess, because the end of another instruction may look like a call.  */
static size_t
x86_length (const unsigned char *code, size_t n, bool is_64)
{
  if (n >= 5 && code[n - 5] == 0xe8)
    return 5;
  for (size_t length = n < CALL_BYTES_MAX ? n : CALL_BYTES_MAX; length >= 2;
       length--)
    if (indirect_call_length (code + n - length, length, is_64) == length)
      return length;
  return 1;
}

static uint32_t
halfword (const unsigned char *p, bool is_big)
{
  return is_big ? (uint32_t) p[0] << 8 | p[1] : (uint32_t) p[1] << 8 | p[0];
}

/* Only Thumb's "blx REGISTER" has 2 bytes.  The code is little-endian in newer
   files of big-endian machines, too.  */
static size_t
arm_length (const Elf64_Ehdr *header, const unsigned char *code, size_t n)
{
  bool is_big = header->e_ident[EI_DATA] == ELFDATA2MSB
                && (header->e_flags & EF_ARM_BE8) == 0;

  return n >= 2 && (halfword (code + n - 2, is_big) & 0xff87) == 0x4780 ? 2 : 4;
}

/* jal and jalr that link to ra or t0; c.jalr, and c.jal, which 64-bit machines
   have not.  */
static size_t
riscv_length (const unsigned char *code, size_t n, bool is_64)
{
  uint32_t last, word;

  if (n < 2)
    return 1;
  last = halfword (code + n - 2, false);
  if (n >= 4)
    {
      word = halfword (code + n - 4, false) | last << 16;
      if ((word & 0xdff) == 0x0ef || (word & 0x7dff) == 0x00e7)
        return 4;
    }
  if (((last & 0xf07f) == 0x9002 && last != 0x9002)
      || (!is_64 && (last & 0xe003) == 0x2001))
    return 2;
  return 1;
}

/* brasl, bras, bas and basr that link to register 14.  */
static size_t
s390_length (const unsigned char *code, size_t n)
{
  const unsigned char *end = code + n;

  if (n >= 6 && end[-6] == 0xc0 && end[-5] == 0xe5)
    return 6;
  if (n >= 4
      && ((end[-4] == 0xa7 && end[-3] == 0xe5)
          || (end[-4] == 0x4d && end[-3] >> 4 == 14)))
    return 4;
  return n >= 2 && end[-2] == 0x0d && end[-1] >> 4 == 14 ? 2 : 1;
}

size_t
call_length (const Elf64_Ehdr *header, const unsigned char *code, size_t n)
{
  bool is_64 = header->e_ident[EI_CLASS] == ELFCLASS64;

  switch (header->e_machine)
    {
    case EM_386:
    case EM_X86_64:
      return x86_length (code, n, header->e_machine == EM_X86_64);
    case EM_ARM:
      return arm_length (header, code, n);
    case EM_RISCV:
      return riscv_length (code, n, is_64);
    case EM_S390:
      return s390_length (code, n);
    case EM_AARCH64:
    case EM_ALPHA:
    case EM_LOONGARCH:
    case EM_PPC:
    case EM_PPC64:
      return 4;
    /* The instruction behind the call is executed before it, and the call
       returns behind that.  */
    case EM_MIPS:
    case EM_PARISC:
    case EM_SPARC:
    case EM_SPARC32PLUS:
    case EM_SPARCV9:
      return 8;
    default:
      return 1;
    }
}
