/* record.h - check and write cost lines, calls and jumps.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_RECORD_H
#define CGWI_RECORD_H 1

#include "../format/lines.h"
#include "core.h"

enum cgwi_kind_of_record
{
  CGWI_COST,
  CGWI_CALL,
  CGWI_JUMP,
  CGWI_COND_JUMP
};

/* A record as it is submitted.  */
struct cgwi_record
{
  enum cgwi_kind_of_record kind;
  const struct cgw_pos *from; /* or the position of a cost line */
  const struct cgw_pos *to;   /* not of a cost line */
  uint64_t count;             /* of a call; `executed` of a jump */
  uint64_t followed;          /* of a conditional jump */
  const uint64_t *cost;
  size_t n;
};

/* Check a record for a file whose events are known: its pointers, its number of
   costs, its handles, and what the format asks of calls and jumps.  CGW_EINVAL,
   CGW_ECOSTS, CGW_EHANDLE: *why says why.  Any handler in any thread may call
   this.  */
enum cgw_status cgwi_check_record (const struct cgwi_encoder *e,
                                   const struct cgwi_record *r,
                                   struct cgwi_why *why);

/* Check and write a record.  CGW_EFINISHED, CGW_EORDER, or as
   cgwi_check_record: it is refused, and nothing changes.  CGW_EIO, CGW_EAGAIN,
   CGW_ELOST: it is lost, and counted.  CGW_EFORK: nothing changes.  *why says
   why.  */
enum cgw_status cgwi_write_cost (struct cgwi_core *c,
                                 const struct cgwi_record *r,
                                 struct cgwi_why *why);
enum cgw_status cgwi_write_edge (struct cgwi_core *c,
                                 const struct cgwi_record *r,
                                 struct cgwi_why *why);

static inline enum cgw_status
cgwi_write_record (struct cgwi_core *c, const struct cgwi_record *r,
                   struct cgwi_why *why)
{
  return r->kind == CGWI_COST ? cgwi_write_cost (c, r, why)
                              : cgwi_write_edge (c, r, why);
}

/* Whether a record with that status was refused, and so is not counted.  */
static inline bool
cgwi_is_refused (enum cgw_status status)
{
  return status != CGW_OK && status != CGW_EIO && status != CGW_EAGAIN
         && status != CGW_ELOST && status != CGW_EFORK;
}

/* Count the self costs of a record as lost.  */
static inline void
cgwi_lose_record (struct cgwi_accounts *a, const struct cgwi_record *r)
{
  cgwi_count_lost (a, r->cost, r->kind == CGWI_COST ? r->n : 0);
}

/* Write the cost line of what the open part lost.  The room must be there.  */
void cgwi_write_lost (struct cgwi_core *c, const uint64_t *lost);

/* Write a fast cost line.  False: it is not one, and nothing has changed.  */
static inline __attribute__ ((always_inline)) bool
cgwi_write_fast_cost (struct cgwi_core *c, const struct cgw_pos *pos,
                      const uint64_t *cost, size_t n)
{
  struct cgwi_encoder *e = &c->encoder;
  struct cgwi_buffer *b = &c->buffer;
  const struct cgw_pos at = *pos;
  char *end;

  /* n == 0 is not fast either.  */
  if (n - 1 >= e->fast || cgwi_handles (pos) != e->handles)
    return false;
  /* Of a constant, GCC would believe that it may change, and warn of a caller's
     array that is shorter.  */
  if (!__builtin_constant_p (n))
    n = cgwi_without_zeros (cost, n);
  end = cgwi_put_fast_cost_line (cgwi_buffer_end (b), e, &at, cost, n);
  if (end == NULL || !cgwi_buffer_is_inside (b, end))
    return false;
  cgwi_count_fast_record (&c->accounts, cost, n);
  cgwi_buffer_commit_inside (b, end, CGWI_RECORD);
  e->last.line = at.line;
  e->last.instr = at.instr;
  return true;
}

#endif
