/* test_step_ledger.c - the accounts of a run: what was handed over, by the
   statuses of the calls, and whether the writer's counts are the same.

   A call that has not come back may be counted or not: a handler may see it so,
   or may have left it by a jump.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

static const uint64_t costs[N_EVENTS] = { 3, 1000005 };

void
expect_status (const char *call, enum cgw_status status, unsigned mask)
{
  EXPECT (status >= CGW_OK && status <= CGW_EFORK && (mask & BIT (status)),
          "%s at level %d: %s", call, steps.level, cgw_strerror (status));
}

void
expect_errno (const char *call)
{
  EXPECT (errno == MARKER, "%s changed errno to %d", call, errno);
  errno = MARKER;
}

/* What a handler may be told while the call under step is under way.  Until
   that has got hold of the writer, and after it has let go, the writer is
   open or not as it was before, or will be.  */
static unsigned
allowed_inside (void)
{
  unsigned traits = t.scene->traits, mask = 0;

  if (t.begun && !t.finishing)
    mask |= BIT (CGW_OK);
  if (traits & OPENS && !t.finishing)
    mask |= BIT (CGW_OK) | BIT (CGW_EORDER);
  if (t.finishing || t.finish_begun || traits & FINISHES)
    mask |= BIT (CGW_EFINISHED);
  /* cgw_salvage loses what the call that it interrupted could not write.  */
  if (t.salvaged || (!t.finishing && (traits & SMALL_RING || steps.all)))
    mask |= BIT (CGW_ELOST);
  return mask;
}

static unsigned
allowed_record (const struct cgw_writer *w)
{
  if (w == NULL)
    return BIT (CGW_EINVAL);
  if (t.dead)
    return BIT (CGW_EFORK);
  if (t.inside)
    return allowed_inside ();
  return t.finishing ? BIT (CGW_EFINISHED)
         : t.begun   ? BIT (CGW_OK)
                     : BIT (CGW_EORDER);
}

unsigned
allowed_now (void)
{
  if (t.w == NULL)
    return BIT (CGW_EINVAL);
  if (t.dead)
    return BIT (CGW_EFORK);
  if (t.finishing)
    return BIT (CGW_EFINISHED)
           | (t.inside ? BIT (CGW_EBUSY) : 0);
  if (t.inside && (t.finish_begun || t.scene->traits & FINISHES))
    return BIT (CGW_OK) | BIT (CGW_EBUSY) | BIT (CGW_EFINISHED);
  return t.inside ? BIT (CGW_OK) | BIT (CGW_EBUSY) : BIT (CGW_OK);
}

/* Returns the call's place among those under way.  */
static unsigned
take_off (uint64_t records, const uint64_t *cost)
{
  unsigned place = t.n_flying++;

  t.flying[place].records = records;
  for (int i = 0; i < N_EVENTS; i++)
    t.flying[place].cost[i] = cost[i];
  return place;
}

/* A handler's call that was left goes on flying above the one that it
   interrupted, whose place stays empty.  */
static void
land (unsigned place, bool taken)
{
  struct flying *f = &t.flying[place];

  if (taken)
    {
      t.taken += f->records;
      for (int i = 0; i < N_EVENTS; i++)
        t.cost[i] += f->cost[i];
    }
  *f = (struct flying){ 0 };
  if (place == t.n_flying - 1)
    t.n_flying--;
}

static unsigned bulk_place; /* of cgw_profile_write */

void
enter_bulk (uint64_t records, uint64_t cost)
{
  bulk_place = take_off (records, (uint64_t[N_EVENTS]){ cost, cost });
}

/* When not all was taken, nobody knows how much was: it goes on flying.  */
void
leave_bulk (bool all)
{
  if (all)
    land (bulk_place, true);
}

void
forget_ledger (void)
{
  t.taken = t.refused = 0;
  t.seen = 0;
  t.n_flying = 0;
  t.refused_unknown = false;
  for (int i = 0; i < N_EVENTS; i++)
    t.cost[i] = 0;
}

static void
enter (unsigned place, enum cgw_status status)
{
  bool taken = status == CGW_OK || status == CGW_EIO || status == CGW_EAGAIN
               || status == CGW_ELOST;

  land (place, taken);
  t.refused += !taken && status != CGW_EFORK;
  t.seen |= BIT (status);
}

enum cgw_status
submit (enum kind kind, const struct cgw_pos *from, const struct cgw_pos *to)
{
  struct cgw_writer *w = t.w;
  size_t n = kind == COST || kind == CALL ? N_EVENTS : kind == ONE_COST ? 1 : 0;
  uint64_t cost[N_EVENTS] = { 0 };
  enum cgw_status status = CGW_OK;
  unsigned allowed = allowed_record (w), place;

  for (size_t i = 0; kind <= BARE_COST && i < n; i++)
    cost[i] = costs[i];
  place = take_off (1, cost);
  errno = MARKER;
  switch (kind)
    {
    case COST:
    case ONE_COST:
      STEPPED (status = cgw_cost (w, from, costs, n));
      break;
    case BARE_COST:
      STEPPED (status = cgw_cost (w, from, NULL, 0));
      break;
    case CALL:
      STEPPED (status = cgw_call (w, from, to, 4, costs, n));
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
  enter (place, status);
  expect_status ("a record", status, allowed | allowed_record (w));
  return status;
}

void
submit_all (enum fn fn)
{
  struct cgw_pos here = { t.fn[fn], { 0 }, 70, 0 };
  struct cgw_pos there = { t.fn[OTHER], { 0 }, 7, 0 };
  struct cgw_pos inside = { t.fn[fn], { 0 }, 75, 0 };

  for (enum kind kind = 0; kind < KINDS; kind++)
    submit (kind, &here,
            kind == CALL || kind == BARE_CALL ? &there : &inside);
}

/* Whether what is counted beyond the ledger is some of the calls that have
   not come back.  */
static bool
some_flying (uint64_t records, const uint64_t *cost)
{
  for (unsigned set = 0; set < 1u << t.n_flying; set++)
    {
      uint64_t n = 0, sum[N_EVENTS] = { 0 };
      for (unsigned i = 0; i < t.n_flying; i++)
        if (set & 1u << i)
          {
            n += t.flying[i].records;
            for (int j = 0; j < N_EVENTS; j++)
              sum[j] += t.flying[i].cost[j];
          }
      if (n == records && sum[0] == cost[0] && sum[1] == cost[1])
        return true;
    }
  return false;
}

/* The same, where a call makes many records: some of them.  */
static bool
part_of_flying (uint64_t records, const uint64_t *cost)
{
  struct flying sum = { 0 };
  bool bulk = false;

  for (unsigned i = 0; i < t.n_flying; i++)
    {
      bulk |= t.flying[i].records > 1;
      sum.records += t.flying[i].records;
      for (int j = 0; j < N_EVENTS; j++)
        sum.cost[j] += t.flying[i].cost[j];
    }
  return bulk && records <= sum.records && cost[0] <= sum.cost[0]
         && cost[1] <= sum.cost[1];
}

void
check_counts (const struct cgw_stats *s)
{
  uint64_t more = s->recorded + s->lost - t.taken, cost[N_EVENTS];

  for (int i = 0; i < N_EVENTS; i++)
    cost[i] = s->recorded_costs[i] + s->lost_costs[i] - t.cost[i];
  EXPECT (some_flying (more, cost) || part_of_flying (more, cost),
          "%llu recorded, %llu lost, %llu handed over; costs %llu+%llu, not "
          "%llu; %u calls under way",
          (unsigned long long) s->recorded, (unsigned long long) s->lost,
          (unsigned long long) t.taken,
          (unsigned long long) s->recorded_costs[0],
          (unsigned long long) s->lost_costs[0],
          (unsigned long long) t.cost[0], t.n_flying);
}

void
get_stats (struct cgw_stats *s, enum cgw_status *status)
{
  errno = MARKER;
  STEPPED (*status = cgw_get_stats (t.w, s));
  expect_errno ("cgw_get_stats");
}
