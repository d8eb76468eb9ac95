/* accounts.h - counts and sums of recorded and lost records.

   submitted == recorded + lost, always: of the records that are encoded, those
   that never reach the file are counted as lost when it ends, by their
   checkpoints.  Their costs stay among the recorded ones.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ACCOUNTS_H
#define CGWI_ACCOUNTS_H 1

#include "../output/buffer.h"

struct cgwi_accounts
{
  size_t n_events;       /* 0: there are no accounts yet */
  void *memory;          /* the block that the arrays below lie in */
  /* Self costs that were encoded: in the open part, which are its totals; and
     in the parts before.  */
  uint64_t *part;
  uint64_t *before;
  /* Self costs that were lost: in the open part; and in the parts before.  */
  uint64_t *lost;
  uint64_t *lost_before;
  uint64_t n_encoded;    /* records encoded in all parts */
  uint64_t n_silent;     /* recorded, though the file has no bytes for them */
  uint64_t n_lost;       /* in the open part, as `lost` */
  uint64_t n_lost_before;
  uint64_t n_busy_before; /* of all these, those that came from n_busy */
  _Atomic bool overflow; /* a sum of the open part passed 2^64-1 */
  _Atomic uint32_t overflowed; /* that of this event */
  bool near_overflow;    /* a sum of the open part passed 2^63-1 */
  /* Lost because the queue was full, and not yet added to `lost`.  Any handler
     in any thread counts here.  */
  _Atomic uint64_t n_busy;
  _Atomic uint64_t *busy;
};

/* Make accounts for n events, all 0.  False: no memory, and nothing has
   changed.  */
bool cgwi_accounts_make (struct cgwi_accounts *a, const struct cgwi_memory *m,
                         size_t n);

void cgwi_accounts_free (struct cgwi_accounts *a, const struct cgwi_memory *m);

static inline void
cgwi_mark_overflow (struct cgwi_accounts *a, size_t event)
{
  atomic_store_explicit (&a->overflowed, (uint32_t) event,
                         memory_order_relaxed);
  atomic_store_explicit (&a->overflow, true, memory_order_relaxed);
}

/* Add the costs of a record.  */
static inline void
cgwi_count_record (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  uint64_t *part = a->part;
  uint64_t high = 0;

  for (size_t i = 0; i < n; i++)
    {
      if (__builtin_add_overflow (part[i], cost[i], &part[i]))
        cgwi_mark_overflow (a, i);
      high |= part[i];
    }
  if (high >> 63 != 0)
    a->near_overflow = true;
  a->n_encoded++;
}

/* Two sums at once.  */
typedef uint64_t cgwi_pair
    __attribute__ ((vector_size (16), aligned (8), may_alias));

/* The same for a fast cost line, whose costs are below a million.  No sum can
   pass 2^64-1: once a sum reaches 2^63 (a->near_overflow), no line is fast, and
   at most the 1024 fast lines of one page come before that is
   checked.  */
static inline __attribute__ ((always_inline)) void
cgwi_count_fast_record (struct cgwi_accounts *a, const uint64_t *cost,
                        size_t n)
{
  uint64_t *part = a->part;

  if (n % 2 != 0)
    part[0] += cost[0];
  for (size_t i = n % 2; i < n; i += 2)
    *(cgwi_pair *) &part[i] += *(const cgwi_pair *) &cost[i];
  a->n_encoded++;
}

/* Count a lost record, and its self costs.  */
void cgwi_count_lost (struct cgwi_accounts *a, const uint64_t *cost, size_t n);

/* Count a record that found the queue full.  Any handler in any thread may call
   this.  */
void cgwi_count_busy (struct cgwi_accounts *a, const uint64_t *cost, size_t n);

/* Complete what the open part lost: a->lost and a->n_lost.  */
void cgwi_close_losses (struct cgwi_accounts *a);

/* Whether no sum of the open part has passed 2^64-1, its losses included, which
   are complete.  Then there may be a next part.  */
bool cgwi_totals_fit (struct cgwi_accounts *a);

/* End the open part.  */
void cgwi_accounts_end_part (struct cgwi_accounts *a);

/* The counts of cgw_get_stats.  */
struct cgwi_counts
{
  uint64_t recorded;
  uint64_t lost;
  uint64_t lost_busy;
};

/* Count, and write n_costs recorded and lost costs to the arrays, either of
   which may be NULL.  If the file has ended, records of the buffer that are not
   written count as lost, but not their costs.  */
struct cgwi_counts cgwi_count (const struct cgwi_accounts *a,
                               const struct cgwi_buffer *b, bool ended,
                               size_t n_costs, uint64_t *recorded,
                               uint64_t *lost);

#endif
