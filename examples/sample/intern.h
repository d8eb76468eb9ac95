/* intern.h - a table of byte strings, each of which gets a number.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_INTERN_H
#define SAMPLE_INTERN_H 1

#include <stddef.h>
#include <stdint.h>

struct intern_entry
{
  size_t offset; /* into the bytes, a multiple of 8 */
  uint32_t length;
  uint32_t hash;
};

/* Begins as {0}.  */
struct intern
{
  struct intern_entry *entries;
  uint32_t n;
  uint32_t capacity;
  uint32_t *slots; /* open addressing: index + 1, or 0 */
  uint32_t n_slots;
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

/* As realloc to n elements of a size; ends the program when there is no
   memory.  */
void *resize (void *p, size_t n, size_t size);

/* Makes room in an array for the element at `index`, zeroed.  */
void *resize_for (void *array, uint32_t index, uint32_t *capacity,
                  size_t size);

#endif /* SAMPLE_INTERN_H */
