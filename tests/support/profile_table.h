/* profile_table.h - sums keyed by a few integers, and interned names.

   Both only grow.  Without memory they end the program: this is test code.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROFILE_TABLE_H
#define PROFILE_TABLE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a look-up returns when there is no such row.  */
#define PROFILE_NO_ROW SIZE_MAX

/* Room for one more element of size bytes at index n of p.  */
void *profile_grow (void *p, size_t n, size_t *capacity, size_t size);

/* The open-addressed index of both kinds: row + 1, or 0 where empty.  */
struct profile_index
{
  uint32_t *slots;
  size_t n_slots; /* a power of 2, or 0 */
};

/* Rows of n_keys integers that identify them and n_values exact sums.  */
struct profile_table
{
  size_t n_keys;
  size_t n_values;
  size_t n; /* rows */
  size_t key_room;
  size_t value_room;
  size_t overflow_room;
  uint64_t *keys;
  uint64_t *values;
  bool *overflow; /* some sum of the row passed 2^64-1 */
  struct profile_index index;
};

void profile_table_init (struct profile_table *t, size_t n_keys,
                         size_t n_values);
void profile_table_free (struct profile_table *t);

/* The row with this key, or PROFILE_NO_ROW.  */
size_t profile_table_find (const struct profile_table *t, const uint64_t *key);

/* The row with this key, made of zeros if it is new.  */
size_t profile_table_row (struct profile_table *t, const uint64_t *key);

/* Adds to one sum of a row.  */
void profile_table_add (struct profile_table *t, size_t row, size_t value,
                        uint64_t addend);

const uint64_t *profile_table_key (const struct profile_table *t, size_t row);
const uint64_t *profile_table_values (const struct profile_table *t,
                                      size_t row);

/* Names by number, each text once.  Number 0 is "???", which "" means, too. */
struct profile_names
{
  size_t n;
  size_t room;
  char **text;
  struct profile_index index;
};

void profile_names_init (struct profile_names *names);
void profile_names_free (struct profile_names *names);
uint32_t profile_names_add (struct profile_names *names, const char *text,
                            size_t length);

/* The number of a text (NULL is "???"), or PROFILE_NO_ROW.  */
size_t profile_names_find (const struct profile_names *names,
                           const char *text);

#endif /* PROFILE_TABLE_H */
