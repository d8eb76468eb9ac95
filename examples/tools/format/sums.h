/* sums.h - the sums of a profile, or of two that are compared: self costs and
   calls, by position or by function, and what follows of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SUMS_H
#define SUMS_H 1

#include "../base/table.h"

#include <cgw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A profile alone is the one after.  */
enum side
{
  BEFORE,
  AFTER,
  SIDES
};

struct sums_key
{
  uint32_t fn;
  uint32_t zero;
};

struct sums_function
{
  struct sums_key key;
  bool is_in[SIDES];
  uint32_t line[SIDES];  /* the lowest one in its own file, or 0 */
  uint64_t calls[SIDES]; /* of it; set by sums_add_up, as what follows */
  uint64_t costs[];      /* see sums_self */
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

/* The inclusive cost of a function, of stacks.  */
struct whole
{
  struct sums_key key;
  uint64_t costs[];
};

struct sums
{
  const struct cgw_names *names;
  size_t n;               /* events */
  bool by_line;           /* else positions are functions */
  bool is_signed;         /* costs may be below 0, in two's complement */
  bool is_whole[SIDES];   /* inclusive costs are those of sums_whole */
  struct table functions;
  struct table places;    /* costs per position */
  struct table edges;     /* calls */
  struct table wholes;
  struct table matches;   /* of sums_match */
  uint64_t total[SIDES][CGW_EVENTS_MAX]; /* set by sums_add_up */
};

void sums_begin (struct sums *s, const struct cgw_names *names,
                 size_t n_events, bool by_line, bool is_signed);
void sums_free (struct sums *s);

/* Add n costs to one side.  CGW_EOVERFLOW: a sum would pass 2^64-1.  */
enum cgw_status sums_cost (struct sums *s, enum side side,
                           const struct cgw_pos *pos, const uint64_t *cost);
enum cgw_status sums_call (struct sums *s, enum side side,
                           const struct cgw_pos *from,
                           const struct cgw_pos *to, uint64_t count,
                           const uint64_t *cost);

/* Adds to the inclusive cost of a function: of a profile whose stacks are
   known, it is that of the stacks that have the function.  */
void sums_whole (struct sums *s, enum side side, struct cgw_fn fn,
                 const uint64_t *cost);

/* The function with this handle, which must be there.  */
struct sums_function *sums_function (const struct sums *s, uint32_t fn);

/* Its place among the functions.  */
uint32_t sums_index (const struct sums *s, uint32_t fn);

/* sums_match.c: makes one function of two that are each in one profile only, if
   the names tell that they are the same: built in another folder, for
   example.  */
void sums_match (struct sums *s);

/* The function that one was made part of; or itself.  */
uint32_t sums_matched (const struct sums *s, uint32_t fn);

/* Sums up totals and functions.  What passes 2^64-1 stays there.

   If no stacks tell it, the inclusive cost of a function is its own and that of
   the calls that it makes of others, or that of the calls that others make of
   it, if this is more: in a profile that is whole, it is the same, but if
   nothing calls the function.  Of functions that call each other in a cycle,
   the costs of these calls are in one another; so it is at most what the whole
   cycle costs, by the same rule.  It is never more than the total.  */
void sums_add_up (struct sums *s);

/* What sums_add_up found for each event.  */
static inline uint64_t *
sums_self (const struct sums *s, struct sums_function *f, enum side side)
{
  return f->costs + 2 * side * s->n;
}

static inline uint64_t *
sums_inclusive (const struct sums *s, struct sums_function *f, enum side side)
{
  return f->costs + (2 * side + 1) * s->n;
}

/* Adds n costs.  What passes 2^64-1 stays there; or they have signs, and
   wrap.  */
void sums_add (uint64_t *to, const uint64_t *costs, size_t n, bool is_signed);

#endif /* SUMS_H */
