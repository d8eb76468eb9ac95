/* diff_sums.h - the sums of two profiles, and their differences.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_DIFF_SUMS_H
#define MERGE_DIFF_SUMS_H 1

#include "../base/table.h"
#include "../format/cgin.h"

#include <cgw.h>
#include <stdbool.h>
#include <stdio.h>

enum side
{
  BEFORE,
  AFTER,
  SIDES
};

struct name_key
{
  uint32_t kind;
  uint32_t handle;
};

struct name
{
  struct name_key key;
  char *text;
  uint32_t file; /* of a function */
  uint32_t object;
};

struct function_key
{
  uint32_t fn;
  uint32_t zero;
};

struct function
{
  struct function_key key;
  bool is_in[SIDES];
  uint32_t line[SIDES];       /* the lowest one in its own file, or 0 */
  uint64_t self[SIDES];       /* of the first event, as what follows */
  uint64_t inclusive[SIDES];
};

struct place_key
{
  uint32_t fn;
  uint32_t file;
  uint32_t line;
  uint32_t zero;
};

struct place
{
  struct place_key key;
  uint64_t costs[]; /* before, and after */
};

struct edge_key
{
  struct place_key from;
  uint32_t to;
  uint32_t zero;
};

struct edge
{
  struct edge_key key;
  uint64_t count[SIDES];
  uint64_t costs[];
};

struct diff_sums
{
  size_t n;               /* events */
  bool by_line;
  struct table names;     /* of files, objects and functions, by handle */
  struct table functions;
  struct table places;    /* costs per position */
  struct table edges;     /* calls */
};

void diff_sums_begin (struct diff_sums *d, size_t n_events, bool by_line);
void diff_sums_free (struct diff_sums *d);

/* Learns the text of a handle.  */
void diff_sums_name (struct diff_sums *d, const struct cgin_name *name);

/* Add n costs to one side.  CGW_EOVERFLOW: a sum would pass 2^64-1.  */
enum cgw_status diff_sums_cost (struct diff_sums *d, enum side side,
                                const struct cgw_pos *pos,
                                const uint64_t *cost);
enum cgw_status diff_sums_call (struct diff_sums *d, enum side side,
                                const struct cgw_pos *from,
                                const struct cgw_pos *to, uint64_t count,
                                const uint64_t *cost);

/* A function by its handle, which must be there; the text of a handle.  */
struct function *diff_sums_function (const struct diff_sums *d, uint32_t fn);
const char *diff_sums_text (const struct diff_sums *d, enum cgin_kind kind,
                            uint32_t handle);

/* diff_match.c: makes one function of two that are each in one file only, if
   the names tell that they are the same: built in another folder, for
   example.  */
void diff_sums_match (struct diff_sums *d);

/* Adds the differences to a profile of 2 n events: what is more, and what is
   less, of each.  */
void diff_sums_fill (const struct diff_sums *d, struct cgw_profile *profile);

/* diff_text.c: prints the largest changes of the first event, whose name is given.  */
void diff_sums_print (const struct diff_sums *d, const char *event,
                      FILE *stream);

#endif /* MERGE_DIFF_SUMS_H */
