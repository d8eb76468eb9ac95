/* ledger.c - what was handed over, by the statuses of the calls.  See
   ledger.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ledger.h"
#include "step.h"
#include "support.h"

#include <stdarg.h>
#include <stdio.h>

#define TAKEN                                                                 \
  (BIT (CGW_OK) | BIT (CGW_EIO) | BIT (CGW_EAGAIN) | BIT (CGW_ELOST))

const uint64_t ledger_costs[LEDGER_EVENTS] = { 3, 1000005, 7 };

unsigned long fail_at;

__attribute__ ((weak)) void
fail (const char *file, int line, const char *format, ...)
{
  char text[400];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  cr_assert_fail ("%s:%d, at %lu: %s", file, line, fail_at, text);
}

void
expect_errno (const char *call)
{
  EXPECT (errno == MARKER, "%s changed errno to %d", call, errno);
  errno = MARKER;
}

static void
count (struct ledger *l, enum cgw_status status, const struct handed *h)
{
  l->by_status[status] += h->records;
  for (size_t i = 0; i < LEDGER_EVENTS && TAKEN & BIT (status); i++)
    l->costs[i] += h->cost[i];
}

enum cgw_status
ledger_record (struct ledger *l, struct cgw_writer *w, enum kind kind,
               const struct cgw_pos *from, const struct cgw_pos *to)
{
  size_t n = kind == COST || kind == CALL            ? l->n_events
             : kind == ONE_COST && l->n_events != 0 ? 1
                                                     : 0;
  struct handed h = { .records = 1 };
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; kind < CALL && i < n; i++)
    h.cost[i] = ledger_costs[i];
  l->under_way[l->n_under_way] = h;
  l->n_under_way++;
  errno = MARKER;
  switch (kind)
    {
    case COST:
    case ONE_COST:
      STEPPED (status = cgw_cost (w, from, ledger_costs, n));
      break;
    case BARE_COST:
      STEPPED (status = cgw_cost (w, from, NULL, 0));
      break;
    case CALL:
      STEPPED (status = cgw_call (w, from, to, 4, ledger_costs, n));
      break;
    case BARE_CALL:
      STEPPED (status = cgw_call (w, from, to, 2, NULL, 0));
      break;
    case JUMP:
      STEPPED (status = cgw_jump (w, from, to, 9));
      break;
    default:
      STEPPED (status = cgw_cond_jump (w, from, to, 3, 9));
      break;
    }
  expect_errno ("a record");
  l->n_under_way--;
  count (l, status, &h);
  return status;
}

void
ledger_begin_bulk (struct ledger *l, uint64_t records, uint64_t cost)
{
  l->bulk.records = records;
  for (size_t i = 0; i < l->n_events; i++)
    l->bulk.cost[i] = cost;
}

void
ledger_end_bulk (struct ledger *l, bool all)
{
  if (!all)
    return;
  count (l, CGW_OK, &l->bulk);
  l->bulk = (struct handed){ 0 };
}

static uint64_t
sum_of (const struct ledger *l, unsigned statuses)
{
  uint64_t n = 0;

  for (unsigned i = 0; i <= CGW_EFORK; i++)
    n += statuses & BIT (i) ? l->by_status[i] : 0;
  return n;
}

uint64_t
ledger_taken (const struct ledger *l)
{
  return sum_of (l, TAKEN);
}

/* A forked child's records are counted nowhere.  */
uint64_t
ledger_refused (const struct ledger *l)
{
  return sum_of (l, ~(TAKEN | BIT (CGW_EFORK)));
}

enum cgw_status
counts_get (struct counts *c, struct cgw_writer *w)
{
  static const struct counts none = { .s = CGW_STATS_INIT };
  enum cgw_status status = CGW_OK;

  *c = none;
  c->s.n_costs = LEDGER_EVENTS;
  c->s.recorded_costs = c->recorded;
  c->s.lost_costs = c->lost;
  errno = MARKER;
  STEPPED (status = cgw_get_stats (w, &c->s));
  expect_errno ("cgw_get_stats");
  return status;
}

/* Whether so much more is counted as some of the calls under way hand over.  */
static bool
is_under_way (const struct ledger *l, const struct handed *more)
{
  for (unsigned set = 0; set < 1u << l->n_under_way; set++)
    {
      struct handed rest = *more;
      bool fits;

      for (unsigned i = 0; i < l->n_under_way; i++)
        if (set & 1u << i)
          {
            rest.records -= l->under_way[i].records;
            for (size_t j = 0; j < LEDGER_EVENTS; j++)
              rest.cost[j] -= l->under_way[i].cost[j];
          }
      fits = rest.records <= l->bulk.records;
      for (size_t j = 0; j < LEDGER_EVENTS; j++)
        fits &= rest.cost[j] <= l->bulk.cost[j];
      if (fits)
        return true;
    }
  return false;
}

void
ledger_check (const struct ledger *l, const struct counts *c)
{
  struct handed more = { c->s.recorded + c->s.lost - ledger_taken (l), { 0 } };

  for (size_t i = 0; i < LEDGER_EVENTS; i++)
    more.cost[i] = c->recorded[i] + c->lost[i] - l->costs[i];
  EXPECT (is_under_way (l, &more),
          "%llu recorded, %llu lost, %llu handed over; costs %llu+%llu, not "
          "%llu; %u calls under way",
          (unsigned long long) c->s.recorded, (unsigned long long) c->s.lost,
          (unsigned long long) ledger_taken (l),
          (unsigned long long) c->recorded[0], (unsigned long long) c->lost[0],
          (unsigned long long) l->costs[0], l->n_under_way);
}

static void
check_profile (const struct profile *p, const struct counts *c,
               uint64_t n_lost_lines, bool complete)
{
  uint64_t records = p->cost_lines + p->calls + p->jump_lines - n_lost_lines;

  EXPECT (records == c->s.recorded, "%llu records in the file, not %llu",
          (unsigned long long) records, (unsigned long long) c->s.recorded);
  for (size_t i = 0; i < LEDGER_EVENTS && i < p->n_events; i++)
    {
      uint64_t lost = profile_self (p, NULL, NULL, "[lost]", i);
      uint64_t cost = profile_total (p, i).value - lost;

      /* Those of records that were discarded are still recorded.  */
      EXPECT (cost == c->recorded[i]
                  || (c->s.discarded != 0 && cost < c->recorded[i]),
              "event %zu: %llu in the file, not %llu", i,
              (unsigned long long) cost, (unsigned long long) c->recorded[i]);
      EXPECT (!complete || lost == c->lost[i],
              "event %zu: %llu reported lost, not %llu", i,
              (unsigned long long) lost, (unsigned long long) c->lost[i]);
    }
}

struct profile *
ledger_check_file (const struct counts *c, const char *bytes, size_t n,
                   unsigned reader_flags)
{
  char error[200] = "";
  struct profile *p = profile_read (bytes, n, reader_flags, error,
                                    sizeof error);

  if (p == NULL)
    {
      fail (__FILE__, __LINE__, "the reader refuses the file: %s", error);
      return NULL;
    }
  if (c != NULL)
    check_profile (p, c, lost_lines (bytes, n),
                   !(reader_flags & READER_UNFINISHED));
  return p;
}
