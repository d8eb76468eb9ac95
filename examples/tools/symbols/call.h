/* call.h - the call instruction that a return address belongs to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALL_H
#define CALL_H 1

#include <elf.h>
#include <stddef.h>

/* The most bytes from the beginning of a call to where it returns.  */
#define CALL_BYTES_MAX 8

/* How many bytes before a return address the call begins, on the machine of an
   ELF header; 1 if it cannot be told.  `code` has the n bytes before the return
   address; there may be none.  */
size_t call_length (const Elf64_Ehdr *header, const unsigned char *code,
                    size_t n);

#endif /* CALL_H */
