/* profile.h - what a callgrind file says: parts, exact sums, edges, jumps.

   Filled by profile_read (reader.h).  Sums run over all parts of the file.
   Unknown names (no ob= line, an empty name, NULL in a look-up) are "???".

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROFILE_H
#define PROFILE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a look-up returns when there is no such row.  */
#define PROFILE_NO_ROW SIZE_MAX

/* realloc, calloc, and room for one more element of size bytes at index n of p.
   Without memory they end the program: this is test code.  */
void *profile_resize (void *p, size_t n);
void *profile_zeros (size_t n, size_t size);
void *profile_grow (void *p, size_t n, size_t *capacity, size_t size);

/* The open-addressed index of both kinds: row + 1, or 0 where empty.  */
struct profile_index
{
  uint32_t *slots;
  size_t n_slots; /* a power of 2, or 0 */
};

/* Rows of n_keys integers that identify them and n_values exact sums, which
   only grow.  */
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

struct profile_event
{
  char *name;
  char *long_name; /* or NULL */
  char *formula;   /* derived events only, else NULL */
};

struct profile_sum
{
  uint64_t value; /* modulo 2^64 */
  bool overflow;  /* passed 2^64-1 */
};

#define PROFILE_LINE 1u
#define PROFILE_INSTR 2u

struct profile_part
{
  uint64_t pid; /* 0 when absent, as part and thread */
  uint64_t part;
  uint64_t thread;
  char *cmd; /* or NULL */
  char **desc;
  size_t n_desc;
  unsigned positions;           /* PROFILE_LINE | PROFILE_INSTR */
  struct profile_event *events; /* of the events: line */
  size_t n_events;
  struct profile_event *derived; /* of event: lines with a formula */
  size_t n_derived;
  bool has_summary;
  bool has_totals;
  uint64_t *summary;
  size_t n_summary;
  uint64_t *totals;
  size_t n_totals;
  char **comments; /* without "#" and the blank after it */
  size_t n_comments;
  struct profile_sum *self; /* sums of the part's cost lines, per event */
};

/* Keys of the tables.  A function is a row of profile.fns.  */
enum { FN_OBJECT, FN_FILE, FN_NAME, FN_KEYS };
enum { COST_FN, COST_SOURCE, COST_INSTR, COST_LINE, COST_KEYS };
enum
{
  EDGE_FN, EDGE_SOURCE, EDGE_INSTR, EDGE_LINE,
  EDGE_TO, EDGE_TO_INSTR, EDGE_TO_LINE, EDGE_KEYS
};
enum
{
  JUMP_FN, JUMP_SOURCE, JUMP_INSTR, JUMP_LINE,
  JUMP_TO, JUMP_TO_SOURCE, JUMP_TO_INSTR, JUMP_TO_LINE,
  JUMP_CONDITIONAL, JUMP_KEYS
};
/* Values: costs have one per event, edges the count and then one per event. */
enum { EDGE_COUNT, EDGE_COST };
enum { JUMP_EXECUTED, JUMP_FOLLOWED, JUMP_VALUES };

struct profile
{
  struct profile_part *parts;
  size_t n_parts;
  size_t n_events; /* of each part */
  struct profile_names names;
  struct profile_table fns;
  struct profile_table costs;
  struct profile_table edges;
  struct profile_table jumps;
  /* What the file consists of.  */
  uint64_t lines;
  uint64_t cost_lines; /* self cost only */
  uint64_t calls;
  uint64_t jump_lines;
  uint64_t blank_lines;
};

void profile_free (struct profile *p);

/* Self cost at one position; 0 when there is none.  */
uint64_t profile_cost (const struct profile *p, const char *object,
                       const char *file, const char *fn, const char *source,
                       uint64_t instr, uint64_t line, size_t event);

/* Self cost of a whole function.  */
uint64_t profile_self (const struct profile *p, const char *object,
                       const char *file, const char *fn, size_t event);

/* Self cost of the whole file, and whether it passed 2^64-1.  */
struct profile_sum profile_total (const struct profile *p, size_t event);

/* Whether sums below 0 became 0, as desc: lines of the library say.  */
bool profile_had_below_0 (const struct profile *p);

/* A function's name in full, and a position in it (source NULL: file).  */
struct profile_at
{
  const char *object;
  const char *file;
  const char *fn;
  const char *source;
  uint64_t instr;
  uint64_t line;
};

/* The sum of one value of the edges between two functions, from wherever to
   wherever in them.  */
uint64_t profile_edges (const struct profile *p, const struct profile_at *from,
                        const struct profile_at *to, size_t value);

/* The sums of exactly one edge (count, then costs), or NULL.  Its target has no
   source file of its own.  */
const uint64_t *profile_edge (const struct profile *p,
                              const struct profile_at *from,
                              const struct profile_at *to);

/* Whether two files mean the same: all sums, edges and jumps.  Else why names
   the first difference.  Events correspond by index.  What is all zero counts
   as absent.  A name's \xHH is the byte it stands for, so that an escaped
   name equals its raw one.  */
bool profile_same (const struct profile *a, const struct profile *b, char *why,
                   size_t size);

/* One sorted line per sum, edge and jump.  */
void profile_dump (const struct profile *p, FILE *out);

#endif /* PROFILE_H */
