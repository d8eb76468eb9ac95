/* accounts.c - counts and sums of recorded and lost records.

   SPDX-License-Identifier: MIT  */

#include "accounts.h"

static size_t
tally_size (size_t n)
{
  return sizeof (struct cgwi_tally) + n * sizeof (uint64_t);
}

bool
cgwi_accounts_make (struct cgwi_accounts *a, const struct cgwi_memory *m,
                    size_t n)
{
  size_t size = 4 * tally_size (n) + 7 * n * sizeof (uint64_t);
  unsigned char *p = cgwi_resize (m, NULL, size);
  struct cgwi_tally *tallies[4];

  if (p == NULL)
    return false;
  memset (p, 0, size);
  a->memory = p;
  for (int i = 0; i < 4; i++, p += tally_size (n))
    tallies[i] = (struct cgwi_tally *) (void *) p;
  a->part = (uint64_t *) (void *) p;
  a->before = a->part + n;
  a->dropped_before = a->before + n;
  a->busy_seen = a->dropped_before + n;
  a->lost = a->busy_seen + n;
  a->busy = (_Atomic uint64_t *) (a->lost + n);
  a->busy_before = a->busy + n;
  a->settled = tallies[0];
  a->dropped = tallies[1];
  a->spare[0] = tallies[2];
  a->spare[1] = tallies[3];
  cgwi_in_order ();
  a->n_events = n;
  return true;
}

void
cgwi_accounts_clear (struct cgwi_accounts *a, const struct cgwi_memory *m)
{
  void *memory = a->memory;

  a->n_events = 0;
  cgwi_in_order ();
  memset (a, 0, sizeof *a);
  cgwi_release (m, memory);
}

/* Swap in a spare tally, which must be complete.  */
static void
replace (struct cgwi_tally **current, struct cgwi_tally **spare)
{
  struct cgwi_tally *old = *current;

  cgwi_in_order ();
  *current = *spare;
  cgwi_in_order ();
  *spare = old;
}

/* Settled is everything encoded, minus the records behind `whole`.  */
void
cgwi_settle (struct cgwi_accounts *a, const struct cgwi_buffer *b,
             const struct cgwi_checkpoint *whole)
{
  struct cgwi_tally *next = a->spare[0];

  if (a->n_events == 0)
    return;
  next->n = a->n_encoded;
  next->upto = b->now.offset + whole->end;
  for (size_t i = 0; i < a->n_events; i++)
    next->costs[i] = a->before[i] + a->part[i];
  for (const struct cgwi_checkpoint *c = b->now.last; c != whole;
       c = cgwi_checkpoint_before (c))
    {
      next->n -= c->kind == CGWI_RECORD;
      for (size_t i = 0; i < c->n; i++)
        next->costs[i] -= cgwi_checkpoint_words (c)[i];
    }
  replace (&a->settled, &a->spare[0]);
}

void
cgwi_count_dropped (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  struct cgwi_tally *next = a->spare[1];

  next->n = a->dropped->n + 1;
  next->silent = a->dropped->silent;
  for (size_t i = 0; i < a->n_events; i++)
    {
      uint64_t in_part = a->dropped->costs[i] - a->dropped_before[i];
      uint64_t more = i < n ? cost[i] : 0;
      if (in_part + more < more)
        cgwi_note_overflow (a);
      next->costs[i] = a->dropped->costs[i] + more;
    }
  replace (&a->dropped, &a->spare[1]);
}

void
cgwi_count_silent (struct cgwi_accounts *a)
{
  struct cgwi_tally *next = a->spare[1];

  memcpy (next, a->dropped, tally_size (a->n_events));
  next->silent++;
  replace (&a->dropped, &a->spare[1]);
}

void
cgwi_count_busy (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      uint64_t in_part
          = atomic_fetch_add_explicit (&a->busy[i], cost[i],
                                       memory_order_relaxed)
            - atomic_load_explicit (&a->busy_before[i], memory_order_relaxed);
      if (in_part + cost[i] < cost[i])
        cgwi_note_overflow (a);
    }
  /* release: see cgwi_lost_in_part.  */
  atomic_fetch_add_explicit (&a->n_busy, 1, memory_order_release);
}

static uint64_t
lost_cost (const struct cgwi_accounts *a, size_t i)
{
  return a->dropped->costs[i]
         + atomic_load_explicit (&a->busy[i], memory_order_relaxed);
}

/* Sum up what the open part lost, but for the records of n_busy.  */
static void
sum_lost_costs (struct cgwi_accounts *a)
{
  for (size_t i = 0; i < a->n_events; i++)
    {
      uint64_t busy = atomic_load_explicit (&a->busy[i], memory_order_relaxed);
      uint64_t busy_in_part
          = busy
            - atomic_load_explicit (&a->busy_before[i], memory_order_relaxed);

      a->busy_seen[i] = busy;
      a->lost[i] = a->dropped->costs[i] - a->dropped_before[i];
      if (__builtin_add_overflow (a->lost[i], busy_in_part, &a->lost[i]))
        cgwi_note_overflow (a);
    }
}

/* Other threads may lose records all the time.  */
#define MOST_SUMS 100

/* A handler may count a lost record at any time, its cost first: sum up until
   none does meanwhile, or else count it in the next part, though its cost is in
   this one.  acquire and the order of cgwi_count_busy make the costs those of
   at least n_busy records.  */
uint64_t
cgwi_lost_in_part (struct cgwi_accounts *a)
{
  uint64_t n_busy;
  int sums = 0;

  do
    {
      n_busy = atomic_load_explicit (&a->n_busy, memory_order_acquire);
      sum_lost_costs (a);
      atomic_thread_fence (memory_order_acquire);
    }
  while (n_busy != atomic_load_explicit (&a->n_busy, memory_order_relaxed)
         && ++sums < MOST_SUMS);
  return a->dropped->n + n_busy - a->n_reported;
}

void
cgwi_accounts_end_part (struct cgwi_accounts *a, uint64_t n_lost)
{
  for (size_t i = 0; i < a->n_events; i++)
    {
      a->before[i] += a->part[i];
      a->part[i] = 0;
      a->dropped_before[i] = a->dropped->costs[i];
      atomic_store_explicit (&a->busy_before[i], a->busy_seen[i],
                             memory_order_relaxed);
    }
  a->n_reported += n_lost;
  a->near_overflow = false;
  atomic_store_explicit (&a->overflow, false, memory_order_relaxed);
}

/* Set an element of an array that may be NULL.  */
static void
set (uint64_t *costs, size_t i, uint64_t value)
{
  if (costs != NULL)
    costs[i] = value;
}

struct cgwi_counts
cgwi_count (const struct cgwi_accounts *a, size_t n_costs, uint64_t *recorded,
            uint64_t *lost)
{
  struct cgwi_counts counts = { 0, 0, 0 };

  for (size_t i = 0; i < n_costs; i++)
    {
      bool has_sums = i < a->n_events;
      set (recorded, i, has_sums ? a->before[i] + a->part[i] : 0);
      set (lost, i, has_sums ? lost_cost (a, i) : 0);
    }
  if (a->n_events == 0)
    return counts;
  counts.recorded = a->n_encoded + a->dropped->silent;
  counts.lost_busy = atomic_load_explicit (&a->n_busy, memory_order_relaxed);
  counts.lost = a->dropped->n + counts.lost_busy;
  return counts;
}

struct cgwi_counts
cgwi_count_finished (const struct cgwi_accounts *a,
                     const struct cgwi_buffer *b, size_t n_costs,
                     uint64_t *recorded, uint64_t *lost)
{
  struct cgwi_counts counts = cgwi_count (a, n_costs, recorded, lost);
  size_t out = cgwi_buffer_out (b);

  if (a->n_events == 0)
    return counts;
  counts.recorded = a->settled->n + a->dropped->silent;
  for (size_t i = 0; i < n_costs && i < a->n_events; i++)
    set (recorded, i, a->settled->costs[i]);
  for (const struct cgwi_checkpoint *c = b->now.last;
       c->end != 0 && b->now.offset + c->end > a->settled->upto;
       c = cgwi_checkpoint_before (c))
    {
      bool is_lost = c->end > out;
      uint64_t *sums = is_lost ? lost : recorded;

      *(is_lost ? &counts.lost : &counts.recorded) += c->kind == CGWI_RECORD;
      for (size_t i = 0; i < c->n && i < n_costs && sums != NULL; i++)
        sums[i] += cgwi_checkpoint_words (c)[i];
    }
  return counts;
}
