/* object.h - addresses in programs and libraries.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OBJECT_H
#define OBJECT_H 1

#include <stdint.h>

/* What is to be added to an offset in an ELF file, and to those near it, to
   have the address that its symbols have; 0 if the file cannot be read.  */
uint64_t object_bias (const char *path, uint64_t offset);

#endif /* OBJECT_H */
