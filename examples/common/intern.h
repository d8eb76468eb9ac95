/* intern.h - a table that numbers distinct byte strings.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INTERN_H
#define INTERN_H 1

#include "hash.h"

#include <stddef.h>
#include <stdint.h>

struct intern_entry
{
  size_t offset; /* into the bytes, a multiple of 8 */
  size_t length;
};

/* Begins as {0}.  */
struct intern
{
  struct intern_entry *entries;
  uint32_t n;
  struct hash hash; /* of numbers */
  unsigned char *bytes;
  size_t used;
  size_t size;
};

/* The number of a string, counted from 0 in the order in which they came
   first.  */
uint32_t intern (struct intern *t, const void *bytes, size_t n);

/* The string of a number, until the next is added.  */
const void *intern_bytes (const struct intern *t, uint32_t index, size_t *n);

void intern_free (struct intern *t);

#endif /* INTERN_H */
