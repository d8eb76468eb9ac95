/* profile.h - what a callgrind file says: parts, exact sums, edges, jumps.

   Filled by profile_read (reader.h).  Sums run over all parts of the file.
   Unknown names (no ob= line, an empty name, NULL in a look-up) are "???".

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROFILE_H
#define PROFILE_H 1

#include "profile_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
  uint64_t bytes;
  uint64_t lines;
  uint64_t cost_lines; /* self cost only */
  uint64_t calls;
  uint64_t jump_lines;
  uint64_t blank_lines;
  uint64_t comment_lines;
  uint64_t ignored_lines; /* lenient: lines that all readers skip */
};

void profile_free (struct profile *p);

/* The index of an event of the events: line, or PROFILE_NO_ROW.  */
size_t profile_event (const struct profile *p, const char *name);

/* Self cost at one position; 0 when there is none.  */
uint64_t profile_cost (const struct profile *p, const char *object,
                       const char *file, const char *fn, const char *source,
                       uint64_t instr, uint64_t line, size_t event);

/* Self cost of a whole function.  */
uint64_t profile_self (const struct profile *p, const char *object,
                       const char *file, const char *fn, size_t event);

/* Self cost of the whole file, and whether it passed 2^64-1.  */
struct profile_sum profile_total (const struct profile *p, size_t event);

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

/* The calls from one function to another, from wherever to wherever in it. */
uint64_t profile_calls (const struct profile *p, const struct profile_at *from,
                        const struct profile_at *to);
uint64_t profile_inclusive (const struct profile *p,
                            const struct profile_at *from,
                            const struct profile_at *to, size_t event);

/* The sums of exactly one edge (count, then costs) or one jump (executed,
   followed), or NULL.  An edge's target has no source file of its own.  */
const uint64_t *profile_edge (const struct profile *p,
                              const struct profile_at *from,
                              const struct profile_at *to);
const uint64_t *profile_jump (const struct profile *p,
                              const struct profile_at *from,
                              const struct profile_at *to, bool conditional);

/* Whether two files mean the same: all sums, edges and jumps.  Else why names
   the first difference.  Events correspond by index.  What is all zero counts
   as absent.  A name's \xHH is the byte it stands for, so that an escaped
   name equals its raw one.  */
bool profile_same (const struct profile *a, const struct profile *b, char *why,
                   size_t size);

/* One sorted line per sum, edge and jump.  */
void profile_dump (const struct profile *p, FILE *out);

#endif /* PROFILE_H */
