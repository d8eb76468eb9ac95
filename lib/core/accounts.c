/* accounts.c - counts and sums of recorded and lost records.

   SPDX-License-Identifier: MIT  */

#include "accounts.h"

#define ARRAYS 5

bool
cgwi_accounts_make (struct cgwi_accounts *a, const struct cgwi_memory *m,
                    size_t n)
{
  size_t size = ARRAYS * n * sizeof (uint64_t);
  uint64_t *p = cgwi_resize (m, NULL, size);

  if (p == NULL)
    return false;
  memset (p, 0, size);
  a->memory = p;
  a->part = p;
  a->before = a->part + n;
  a->lost = a->before + n;
  a->lost_before = a->lost + n;
  a->busy = (_Atomic uint64_t *) (a->lost_before + n);
  a->n_events = n;
  return true;
}

void
cgwi_accounts_free (struct cgwi_accounts *a, const struct cgwi_memory *m)
{
  cgwi_release (m, a->memory);
}

/* Add to a sum of the open part.  */
static void
add_to_sum (struct cgwi_accounts *a, uint64_t *sums, size_t i, uint64_t more)
{
  if (__builtin_add_overflow (sums[i], more, &sums[i]))
    cgwi_mark_overflow (a, i);
}

void
cgwi_count_lost (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    add_to_sum (a, a->lost, i, cost[i]);
  a->n_lost++;
}

/* The costs come first: see cgwi_close_losses.  */
void
cgwi_count_busy (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      uint64_t before = atomic_fetch_add_explicit (&a->busy[i], cost[i],
                                                   memory_order_relaxed);
      if (before + cost[i] < before)
        cgwi_mark_overflow (a, i);
    }
  atomic_fetch_add_explicit (&a->n_busy, 1, memory_order_release);
}

/* A handler may count a record at any time, its costs first: so the costs are
   those of all records that are counted here, and maybe of one more, which is
   counted in the next part.  */
void
cgwi_close_losses (struct cgwi_accounts *a)
{
  uint64_t n_busy
      = atomic_exchange_explicit (&a->n_busy, 0, memory_order_acquire);

  for (size_t i = 0; i < a->n_events; i++)
    add_to_sum (
        a, a->lost, i,
        atomic_exchange_explicit (&a->busy[i], 0, memory_order_relaxed));
  a->n_lost += n_busy;
  a->n_busy_before += n_busy;
}

bool
cgwi_totals_fit (struct cgwi_accounts *a)
{
  for (size_t i = 0; i < a->n_events; i++)
    if (a->part[i] + a->lost[i] < a->lost[i])
      cgwi_mark_overflow (a, i);
  return !atomic_exchange_explicit (&a->overflow, false, memory_order_relaxed);
}

void
cgwi_accounts_end_part (struct cgwi_accounts *a)
{
  for (size_t i = 0; i < a->n_events; i++)
    {
      a->before[i] += a->part[i];
      a->lost_before[i] += a->lost[i];
      a->part[i] = a->lost[i] = 0;
    }
  a->n_lost_before += a->n_lost;
  a->n_lost = 0;
  a->near_overflow = false;
}

struct cgwi_counts
cgwi_count (const struct cgwi_accounts *a, const struct cgwi_buffer *b,
            bool ended, size_t n_costs, uint64_t *recorded, uint64_t *lost)
{
  uint64_t n_busy = atomic_load_explicit (&a->n_busy, memory_order_relaxed);
  struct cgwi_counts counts = {
    .recorded = a->n_encoded + a->n_silent,
    .lost = a->n_lost_before + a->n_lost + n_busy,
    .lost_busy = a->n_busy_before + n_busy
  };

  for (size_t i = 0; i < n_costs; i++)
    {
      bool has_sums = i < a->n_events;

      if (recorded != NULL)
        recorded[i] = has_sums ? a->before[i] + a->part[i] : 0;
      if (lost != NULL)
        lost[i] = has_sums ? a->lost_before[i] + a->lost[i]
                                 + atomic_load_explicit (&a->busy[i],
                                                         memory_order_relaxed)
                           : 0;
    }
  if (ended)
    {
      uint64_t unwritten = cgwi_buffer_unwritten (b);
      counts.recorded -= unwritten;
      counts.lost += unwritten;
    }
  return counts;
}
