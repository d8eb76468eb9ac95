/* call.c - the call instruction that a return address belongs to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "call.h"

/* The length of "call *OPERAND" at p, of at most n bytes; 0 if it is none:
   perhaps a REX prefix, FF, a ModRM byte with 2 as the operation, perhaps a
   SIB byte, a displacement.  A base of 5 without mode is none, but a
   displacement: *TABLE(,%rax,8).  */
static size_t
indirect_call_length (const unsigned char *p, size_t n)
{
  size_t prefix = n != 0 && (p[0] & 0xf0) == 0x40;
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

size_t
call_length (const unsigned char *code, size_t n)
{
  if (n >= 5 && code[n - 5] == 0xe8)
    return 5;
  for (size_t length = n < CALL_BYTES_MAX ? n : CALL_BYTES_MAX; length >= 2;
       length--)
    if (indirect_call_length (code + n - length, length) == length)
      return length;
  return 1;
}
