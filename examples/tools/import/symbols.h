/* symbols.h - the functions at addresses, for inputs that have no names; by
   libdw, if there is one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SYMBOLS_H
#define SYMBOLS_H 1

#include "samples.h"

struct symbols;

struct symbols *symbols_new (struct import *im);
void symbols_free (struct symbols *s);

/* The positions at an offset in an object's file, the innermost inlined
   function first.  What is not known is one function of the object.  The build
   ID is hexadecimal, or "" if it is not known.  is_call: the offset is that of
   the last byte of a call.  They stay until the next call.  */
const struct cgw_pos *symbols_at (struct symbols *s, const char *object,
                                  const char *build_id, uint64_t offset,
                                  bool is_call, uint32_t *n);

#endif /* SYMBOLS_H */
