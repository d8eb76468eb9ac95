/* ledger.c - what was handed over, by the statuses of the calls.  See
   ledger.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ledger.h"
#include "support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>

/* No call may change errno from this.  */
#define MARKER 4243

static bool
is_taken (enum cgw_status status)
{
  return status == CGW_OK || status == CGW_EIO || status == CGW_EAGAIN
         || status == CGW_ELOST;
}

static size_t
at_most_events (size_t n)
{
  return n < LEDGER_EVENTS ? n : LEDGER_EVENTS;
}

void
ledger_begin (struct ledger *l, const uint64_t *cost, size_t n)
{
  atomic_fetch_add (&l->open, 1);
  for (size_t i = 0; i < at_most_events (n); i++)
    atomic_fetch_add (&l->open_costs[i], cost[i]);
}

enum cgw_status
ledger_end (struct ledger *l, enum cgw_status status, const uint64_t *cost,
            size_t n)
{
  atomic_fetch_add (&l->by_status[status], 1);
  for (size_t i = 0; i < at_most_events (n); i++)
    {
      atomic_fetch_sub (&l->open_costs[i], cost[i]);
      atomic_fetch_add (&l->costs[i], is_taken (status) ? cost[i] : 0);
    }
  atomic_fetch_sub (&l->open, 1);
  return status;
}

/* Sets errno before a call; what it was is restored behind it.  */
static int
mark (void)
{
  int kept = errno;

  errno = MARKER;
  return kept;
}

static void
check_mark (struct ledger *l, int kept)
{
  atomic_fetch_add (&l->errno_changed, errno != MARKER);
  errno = kept;
}

enum cgw_status
ledger_cost (struct ledger *l, struct cgw_writer *w, const struct cgw_pos *pos,
             const uint64_t *cost, size_t n)
{
  enum cgw_status status;
  int kept = mark ();

  ledger_begin (l, cost, n);
  status = cgw_cost (w, pos, cost, n);
  check_mark (l, kept);
  return ledger_end (l, status, cost, n);
}

enum cgw_status
ledger_call (struct ledger *l, struct cgw_writer *w,
             const struct cgw_pos *from, const struct cgw_pos *to,
             uint64_t count, const uint64_t *cost, size_t n)
{
  enum cgw_status status;
  int kept = mark ();

  ledger_begin (l, NULL, 0);
  status = cgw_call (w, from, to, count, cost, n);
  check_mark (l, kept);
  return ledger_end (l, status, NULL, 0);
}

enum cgw_status
ledger_jump (struct ledger *l, struct cgw_writer *w,
             const struct cgw_pos *from, const struct cgw_pos *to,
             uint64_t executed)
{
  enum cgw_status status;
  int kept = mark ();

  ledger_begin (l, NULL, 0);
  status = cgw_jump (w, from, to, executed);
  check_mark (l, kept);
  return ledger_end (l, status, NULL, 0);
}

enum cgw_status
ledger_cond_jump (struct ledger *l, struct cgw_writer *w,
                  const struct cgw_pos *from, const struct cgw_pos *to,
                  uint64_t followed, uint64_t executed)
{
  enum cgw_status status;
  int kept = mark ();

  ledger_begin (l, NULL, 0);
  status = cgw_cond_jump (w, from, to, followed, executed);
  check_mark (l, kept);
  return ledger_end (l, status, NULL, 0);
}

uint64_t
ledger_taken (const struct ledger *l)
{
  return l->by_status[CGW_OK] + l->by_status[CGW_EIO]
         + l->by_status[CGW_EAGAIN] + l->by_status[CGW_ELOST];
}

/* A forked child's records are counted nowhere.  */
uint64_t
ledger_refused (const struct ledger *l)
{
  return ledger_calls (l) - ledger_taken (l) - l->by_status[CGW_EFORK];
}

uint64_t
ledger_calls (const struct ledger *l)
{
  uint64_t n = 0;

  for (size_t i = 0; i < sizeof l->by_status / sizeof *l->by_status; i++)
    n += l->by_status[i];
  return n;
}

/* The writer's counts.  */
struct counts
{
  struct cgw_stats s;
  uint64_t recorded[LEDGER_EVENTS];
  uint64_t lost[LEDGER_EVENTS];
};

static void
get_counts (struct counts *c, struct cgw_writer *w, const char *what)
{
  static const struct cgw_stats none = CGW_STATS_INIT;
  enum cgw_status status;

  c->s = none;
  c->s.n_costs = LEDGER_EVENTS;
  c->s.recorded_costs = c->recorded;
  c->s.lost_costs = c->lost;
  status = cgw_get_stats (w, &c->s);
  cr_assert_eq (status, CGW_OK, "%s: cgw_get_stats: %s", what,
                cgw_strerror (status));
}

/* With the calls that did not come back, or without them: the same for the
   records and for all costs.  */
static void
check_counts (const struct ledger *l, const struct counts *c,
              const char *what)
{
  uint64_t taken = ledger_taken (l), have = c->s.recorded + c->s.lost;
  bool with_open = l->open != 0 && have == taken + l->open;

  cr_assert (have == taken || with_open,
             "%s: %llu recorded, %llu lost, %llu taken and %llu left", what,
             (unsigned long long) c->s.recorded,
             (unsigned long long) c->s.lost, (unsigned long long) taken,
             (unsigned long long) l->open);
  for (size_t i = 0; i < LEDGER_EVENTS; i++)
    {
      uint64_t cost = l->costs[i] + (with_open ? l->open_costs[i] : 0);
      cr_assert_eq (c->recorded[i] + c->lost[i], cost,
                    "%s: event %zu: %llu recorded, %llu lost, %llu taken",
                    what, i, (unsigned long long) c->recorded[i],
                    (unsigned long long) c->lost[i],
                    (unsigned long long) cost);
    }
  cr_assert (l->open != 0 || c->s.refused == ledger_refused (l),
             "%s: %llu refused, not %llu", what,
             (unsigned long long) c->s.refused,
             (unsigned long long) ledger_refused (l));
  cr_assert_eq (l->errno_changed, 0, "%s: errno changed", what);
}

void
ledger_balance (const struct ledger *l, struct cgw_writer *w, const char *what)
{
  struct counts c;

  get_counts (&c, w, what);
  check_counts (l, &c, what);
}

static void
check_file (const struct profile *p, const struct counts *c,
            uint64_t n_lost_lines, bool complete, const char *what)
{
  uint64_t records = p->cost_lines + p->calls + p->jump_lines - n_lost_lines;

  cr_assert_eq (records, c->s.recorded,
                "%s: %llu records in the file, not %llu", what,
                (unsigned long long) records,
                (unsigned long long) c->s.recorded);
  for (size_t i = 0; i < LEDGER_EVENTS && i < p->n_events; i++)
    {
      uint64_t total = profile_total (p, i).value;
      uint64_t lost = profile_self (p, NULL, NULL, "[lost]", i);
      /* Those of records that were discarded are still recorded.  */
      cr_assert (total - lost == c->recorded[i]
                     || (c->s.discarded != 0 && total - lost < c->recorded[i]),
                 "%s: event %zu: %llu in the file, not %llu", what, i,
                 (unsigned long long) (total - lost),
                 (unsigned long long) c->recorded[i]);
      if (complete)
        cr_assert_eq (lost, c->lost[i], "%s: event %zu: %llu reported lost",
                      what, i, (unsigned long long) lost);
    }
}

void
ledger_balance_file (const struct ledger *l, struct cgw_writer *w,
                     const char *bytes, size_t n, unsigned reader_flags,
                     const char *what)
{
  struct profile *p;
  struct counts c;

  get_counts (&c, w, what);
  check_counts (l, &c, what);
  p = must_read (bytes, n, reader_flags, what);
  check_file (p, &c, lost_lines (bytes, n),
              !(reader_flags & READER_UNFINISHED), what);
  profile_free (p);
}
