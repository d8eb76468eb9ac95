/* accounts.h - counts and sums of recorded and lost records.

   A record's checkpoint in the buffer has its self costs.  A file may be
   finished between any two instructions: then recorded are the settled
   records, which left the buffer, and those whose checkpoint says that they
   are written; lost are all others with a checkpoint.  So one store decides on
   a whole record, and submitted == recorded + lost.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ACCOUNTS_H
#define CGWI_ACCOUNTS_H 1

#include "../output/buffer.h"

/* Kinds of checkpoints.  */
enum cgwi_kind
{
  CGWI_TEXT,  /* a header, a comment, totals, the report of lost records */
  CGWI_RECORD /* a cost line, whose words are its costs; a call; a jump */
};

/* A number of records and their self costs.  */
struct cgwi_tally
{
  uint64_t n;
  uint64_t silent; /* for `dropped`: records besides, which are recorded */
  uint64_t upto; /* for `settled`: the offset in the file where they end */
  uint64_t costs[];
};

struct cgwi_accounts
{
  size_t n_events;         /* 0: there are no accounts yet */
  void *memory;            /* the block that the pointers below point into */
  uint64_t *part;          /* self costs in the open part: its totals */
  uint64_t *before;        /* self costs in the parts before */
  /* What `dropped` and `busy` were when the open part began.  */
  uint64_t *dropped_before;
  _Atomic uint64_t *busy_before;
  uint64_t *busy_seen;     /* what `busy` was in cgwi_lost_in_part */
  uint64_t *lost;          /* in the open part: see cgwi_lost_in_part */
  uint64_t n_reported;     /* records lost in the parts before */
  uint64_t n_encoded;      /* records encoded in all parts */
  _Atomic bool overflow;   /* a sum of the open part passed 2^64-1 */
  bool near_overflow;      /* a sum of the open part passed 2^63-1 */
  struct cgwi_tally *settled;
  /* What was decided without being encoded: records that were lost, and
     silent ones.  */
  struct cgwi_tally *dropped;
  struct cgwi_tally *spare[2]; /* the next `settled`, the next `dropped` */
  /* Lost because the queue was full, or cgw_finish did not wait for it.  Any
     handler in any thread counts here.  */
  _Atomic uint64_t n_busy;
  _Atomic uint64_t *busy;
};

/* Make accounts for n events, all 0.  False: no memory, and nothing has
   changed.  */
bool cgwi_accounts_make (struct cgwi_accounts *a, const struct cgwi_memory *m,
                         size_t n);

/* Discard the accounts.  */
void cgwi_accounts_clear (struct cgwi_accounts *a,
                          const struct cgwi_memory *m);

static inline void
cgwi_note_overflow (struct cgwi_accounts *a)
{
  atomic_store_explicit (&a->overflow, true, memory_order_relaxed);
}

/* Add the costs of a record, and copy them to its checkpoint.  Return how many
   there are without trailing zeros.  */
static inline size_t
cgwi_count_record (struct cgwi_accounts *a, uint64_t *words,
                   const uint64_t *cost, size_t n)
{
  uint64_t *part = a->part;
  uint64_t high = 0;
  size_t kept = 0;

  for (size_t i = 0; i < n; i++)
    {
      uint64_t value = cost[i];
      words[i] = value;
      if (__builtin_add_overflow (part[i], value, &part[i]))
        cgwi_note_overflow (a);
      high |= part[i];
      kept = value != 0 ? i + 1 : kept;
    }
  if (high >> 63 != 0)
    a->near_overflow = true;
  a->n_encoded++;
  return kept;
}

/* Two sums at once.  */
typedef uint64_t cgwi_pair
    __attribute__ ((vector_size (16), aligned (8), may_alias));

/* The same for a usual cost line, whose costs are below a million.  No sum can
   pass 2^64-1: once a sum reaches 2^63 (a->near_overflow), no line is usual,
   and at most the 1024 usual lines of one page come before that is
   checked.  */
static inline __attribute__ ((always_inline)) void
cgwi_count_usual_record (struct cgwi_accounts *a, uint64_t *words,
                         const uint64_t *cost, size_t n)
{
  uint64_t *part = a->part;

  if (n % 2 != 0)
    {
      words[0] = cost[0];
      part[0] += cost[0];
    }
  for (size_t i = n % 2; i < n; i += 2)
    {
      cgwi_pair costs = *(const cgwi_pair *) &cost[i];
      *(cgwi_pair *) &words[i] = costs;
      *(cgwi_pair *) &part[i] += costs;
    }
  a->n_encoded++;
}

/* Settle the buffer's records up to that checkpoint, which are written.  */
void cgwi_settle (struct cgwi_accounts *a, const struct cgwi_buffer *b,
                  const struct cgwi_checkpoint *whole);

/* Count a lost record, and its self costs.  */
void cgwi_count_dropped (struct cgwi_accounts *a, const uint64_t *cost,
                         size_t n);

/* Count a silent record: one that is recorded though its file has no bytes for
   it, so it has no checkpoint, for there is room for one per bytes only, and it
   would end where the record before it does.  It has no self costs.  */
void cgwi_count_silent (struct cgwi_accounts *a);

/* The same as cgwi_count_dropped for a deferred record, or one that found the queue full.  Any
   handler in any thread may call this.  */
void cgwi_count_busy (struct cgwi_accounts *a, const uint64_t *cost, size_t n);

/* Count what the open part lost: fill in a->lost, and return the number of
   records.  */
uint64_t cgwi_lost_in_part (struct cgwi_accounts *a);

/* End the open part, which lost n_lost records with the costs a->lost.  */
void cgwi_accounts_end_part (struct cgwi_accounts *a, uint64_t n_lost);

/* The counts of cgw_get_stats.  */
struct cgwi_counts
{
  uint64_t recorded;
  uint64_t lost;
  uint64_t lost_busy;
};

/* Count, and write n_costs recorded and lost costs to the arrays, either of
   which may be NULL.  No record is being encoded.  */
struct cgwi_counts cgwi_count (const struct cgwi_accounts *a, size_t n_costs,
                               uint64_t *recorded, uint64_t *lost);

/* The same for a finished file: what is not written counts as lost.  A call
   that encodes a record may be interrupted: count from the checkpoints.  */
struct cgwi_counts cgwi_count_finished (const struct cgwi_accounts *a,
                                        const struct cgwi_buffer *b,
                                        size_t n_costs, uint64_t *recorded,
                                        uint64_t *lost);

#endif
