/* symbols.h - addresses in programs and libraries, and the functions there, for
   inputs that lack them; by libdw, if there is one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SYMBOLS_H
#define SYMBOLS_H 1

#include "samples.h"

struct symbols;

struct symbols *symbols_new (struct import *im);
void symbols_free (struct symbols *s);

/* What to add to an offset in an object's file, and to those near it, to have
   the address that its symbols have; 0 if there is no such file.  The build ID
   is hexadecimal, or "" if it is not known.  */
uint64_t symbols_bias (struct symbols *s, const char *object,
                       const char *build_id, uint64_t offset);

/* The positions at an offset, the innermost inlined function first.  What is
   not known is one function of the object.  is_call: the offset is that of the
   last byte of a call.  They stay until the next call.  */
const struct cgw_pos *symbols_at (struct symbols *s, const char *object,
                                  const char *build_id, uint64_t offset,
                                  bool is_call, uint32_t *n);

/* Where an object's first segment is loaded, as its file says; 0 if there is no
   such file.  */
uint64_t symbols_base (struct symbols *s, const char *object,
                       const char *build_id);

/* As symbols_at, of an address that the object's file has.  */
const struct cgw_pos *symbols_at_address (struct symbols *s,
                                          const char *object,
                                          const char *build_id,
                                          uint64_t address, bool is_call,
                                          uint32_t *n);

#endif /* SYMBOLS_H */
