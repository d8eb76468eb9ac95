/* test_fast.c - fast cost lines are what cgwi_write_cost writes, and are
   taken.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/core/record.h"
#include "../../lib/gate/gate.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_EVENTS = 13, FNS = 3, FILES = 3 };

struct bytes
{
  char *bytes;
  size_t n;
  size_t writes;
};

static ssize_t
keep (void *context, const void *bytes, size_t n)
{
  struct bytes *b = context;

  b->bytes = realloc (b->bytes, b->n + n);
  cr_assert_neq (b->bytes, NULL);
  memcpy (b->bytes + b->n, bytes, n);
  b->n += n;
  b->writes++;
  return (ssize_t) n;
}

/* What a profile is written with.  */
struct setting
{
  unsigned flags;
  unsigned positions;
  size_t n_events;
  size_t buffer_size;
};

/* One of two writers that are told the same.  */
struct twin
{
  struct cgw_writer *w;
  struct bytes out;
  struct cgw_fn fns[FNS];
  struct cgw_file files[FILES];
  bool fast; /* may write fast lines */
};

static enum cgw_status
begin_part (struct twin *t, const struct setting *s)
{
  static const struct cgw_event events[MOST_EVENTS]
      = { { "A", 0, 0 }, { "B", 0, 0 }, { "C", 0, 0 }, { "D", 0, 0 },
          { "E", 0, 0 }, { "F", 0, 0 }, { "G", 0, 0 }, { "H", 0, 0 },
          { "I", 0, 0 }, { "J", 0, 0 }, { "K", 0, 0 }, { "L", 0, 0 },
          { "M", 0, 0 } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = s->n_events;
  part.positions = s->positions;
  return cgw_begin_part (t->w, &part);
}

static void
set_up (struct twin *t, const struct setting *s, bool fast)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_names *names = test_names ();

  memset (t, 0, sizeof *t);
  o.flags = s->flags;
  o.buffer_size = s->buffer_size;
  o.write = keep;
  o.write_context = &t->out;
  cr_assert_eq (cgw_open_fd (&t->w, names, -1, &o), CGW_OK);
  t->fast = fast;
  for (int i = 0; i < FILES; i++)
    t->files[i] = cgw_add_file (names,
                                i == 0 ? "a.c" : i == 1 ? "b.h" : "c.h");
  for (int i = 0; i < FNS; i++)
    t->fns[i] = cgw_add_fn (names, i == 0 ? "f" : i == 1 ? "g" : "h",
                            t->files[i / 2], cgw_add_object (names, "o"));
  cr_assert_eq (begin_part (t, s), CGW_OK);
}

/* A record, without its handles.  */
struct record
{
  unsigned kind;
  unsigned fn, file; /* 0: handle 0; one more than there are: no handle */
  uint32_t line;
  uint64_t instr;
  uint64_t cost[MOST_EVENTS + 1];
  size_t n;
};

static struct cgw_pos
place (const struct twin *t, const struct record *r)
{
  struct cgw_pos pos = { { 0 }, { 0 }, r->line, r->instr };

  pos.fn.handle = r->fn > FNS ? 1 : r->fn > 0 ? t->fns[r->fn - 1].handle : 0;
  pos.file.handle = r->file > FILES ? 1
                    : r->file > 0   ? t->files[r->file - 1].handle
                                    : 0;
  return pos;
}

static enum cgw_status
hand_over (struct twin *t, const struct setting *s, const struct record *r)
{
  struct cgw_pos pos = place (t, r);
  struct cgw_pos to = { t->fns[0], { 0 }, r->line / 2, r->instr + 7 };

  if (!t->fast)
    t->w->core.encoder.fast = 0;
  switch (r->kind)
    {
    case 0:
      return cgw_call (t->w, &pos, &to, 3, r->cost, r->n);
    case 1:
      return cgw_jump (t->w, &pos, &to, 5);
    case 2:
      return cgw_comment (t->w, "a comment");
    case 3:
      return begin_part (t, s);
    case 4:
      return cgw_cost (t->w, &pos, NULL, r->n);
    case 5:
      return cgw_flush (t->w);
    default:
      return cgw_cost (t->w, &pos, r->cost, r->n);
    }
}

static uint32_t
next_random (uint64_t *state)
{
  *state = *state * UINT64_C (6364136223846793005) + 1442695040888963407u;
  return (uint32_t) (*state >> 33);
}

static uint64_t
random_cost (uint64_t *state)
{
  static const uint64_t limits[] = { 9, 10, 99, 100, 999, 1000, 1001, 9999,
                                     10000, 10007, 99999, 100000, 999999,
                                     1000000, 1000001, UINT64_MAX / 2 };
  uint32_t r = next_random (state);

  return r % 8 < 4 ? 0 : r % 8 < 7 ? r / 8 % 1200 : limits[r / 8 % 16];
}

/* The next record after r: mostly near it, at times somewhere else.  */
static void
choose (struct record *r, const struct setting *s, uint64_t *state)
{
  static const uint32_t lines[] = { 0, 5, 95, 105, 990, 1003, 100000,
                                    UINT32_MAX - 3 };
  static const uint64_t instrs[] = { 0, 14, 20, 250, 0x401000, 0xfffffff0,
                                     UINT64_MAX - 5, UINT64_C (1) << 63 };
  uint32_t kind = next_random (state);

  r->kind = kind % 64 > 40 ? 6 : kind % 64 < 6 ? kind % 64 : 6;
  if (kind / 64 % 3000 != 0 && r->kind == 3)
    r->kind = 6;
  if (kind / 64 % 16 == 0)
    r->fn = next_random (state) % (FNS + 1) + (kind / 1024 % 50 == 0);
  if (kind / 64 % 16 < 2)
    r->file = next_random (state) % (FILES + 1) + (kind / 1024 % 50 == 1);
  r->line += next_random (state) % 32 < 2
                 ? next_random (state) % 240 - 120
                 : next_random (state) % 5 - 2;
  r->instr += next_random (state) % 32 < 2
                  ? next_random (state) % 240 - UINT64_C (120)
                  : next_random (state) % 12;
  if (next_random (state) % 32 == 0)
    {
      r->line = lines[next_random (state) % 8];
      r->instr = instrs[next_random (state) % 8];
    }
  for (size_t i = 0; i <= MOST_EVENTS; i++)
    r->cost[i] = random_cost (state);
  kind = next_random (state);
  r->n = kind % 100 == 0 ? s->n_events + 1
         : kind % 16 < 3 ? kind / 16 % (s->n_events + 1)
                         : s->n_events;
}

static void
check_stats (const struct twin *a, const struct twin *b)
{
  uint64_t costs[2][MOST_EVENTS];
  struct cgw_stats stats[2] = { CGW_STATS_INIT, CGW_STATS_INIT };

  for (int i = 0; i < 2; i++)
    {
      stats[i].n_costs = MOST_EVENTS;
      stats[i].recorded_costs = costs[i];
      memset (costs[i], 0, sizeof costs[i]);
      cr_assert_eq (cgw_get_stats (i == 0 ? a->w : b->w, &stats[i]), CGW_OK);
    }
  cr_expect_eq (stats[0].recorded, stats[1].recorded);
  cr_expect_eq (stats[0].refused, stats[1].refused);
  cr_expect_arr_eq (costs[0], costs[1], sizeof costs[0]);
}

static void
tear_down (struct twin *t)
{
  cgw_free (t->w);
  free (t->out.bytes);
}

/* Tells two writers the same, one of which never writes fast lines.  */
static void
compare (const struct setting *s, uint64_t seed)
{
  struct twin a, b;
  struct record r = { 0 };
  uint64_t state = seed;

  set_up (&a, s, true);
  set_up (&b, s, false);
  for (int i = 0; i < 4000; i++)
    {
      choose (&r, s, &state);
      cr_assert_eq (hand_over (&a, s, &r), hand_over (&b, s, &r));
    }
  check_stats (&a, &b);
  cr_expect_eq (cgw_finish (a.w), cgw_finish (b.w));
  cr_assert_eq (a.out.writes, b.out.writes);
  cr_assert_eq (a.out.n, b.out.n);
  cr_assert_arr_eq (a.out.bytes, b.out.bytes, a.out.n,
                    "flags %x positions %u events %zu buffer %zu", s->flags,
                    s->positions, s->n_events, s->buffer_size);
  tear_down (&a);
  tear_down (&b);
}

Test (fast, same_bytes)
{
  static const unsigned flags[] = { 0, CGW_ABSOLUTE, CGW_KEEP_ZEROS,
                                    CGW_NO_PAD, CGW_THREADS, CGW_ZERO_CALLS };
  static const unsigned positions[] = { CGW_LINE, CGW_INSTR, CGW_INSTR_LINE };
  static const size_t n_events[] = { 1, 2, 13 };
  static const size_t sizes[] = { 1, 100, 4096, 5000, 65536 };
  struct setting s;

  for (int f = 0; f < 6; f++)
    for (int p = 0; p < 3; p++)
      for (int e = 0; e < 3; e++)
        for (int b = 0; b < 5; b++)
          {
            s = (struct setting){ flags[f], positions[p], n_events[e],
                                  sizes[b] };
            compare (&s, (uint64_t) (f * 1000 + p * 100 + e * 10 + b));
          }
}

/* Where it may be, a line is written as a fast one.  */

static const struct setting plain = { 0, CGW_INSTR_LINE, 2, 0 };

/* Whether the record after one at line 500 and 0x1000, of f in its own file,
   is fast.  */
static bool
is_fast (struct record r)
{
  struct record first = { .kind = 6, .fn = 1, .line = 500, .instr = 0x1000,
                          .cost = { 1 }, .n = 1 };
  struct cgw_pos pos;
  struct twin t;
  size_t used;
  bool fast;

  set_up (&t, &plain, true);
  cr_assert_eq (hand_over (&t, &plain, &first), CGW_OK);
  pos = place (&t, &r);
  used = cgwi_buffer_used (&t.w->core.buffer);
  fast = cgwi_write_fast_cost (&t.w->core, &pos, r.cost, r.n);
  cr_assert_eq (fast, cgwi_buffer_used (&t.w->core.buffer) > used);
  cr_assert_eq (fast, t.w->core.accounts.n_encoded == 2);
  tear_down (&t);
  return fast;
}

Test (fast, taken)
{
  struct record near = { .fn = 1, .line = 504, .instr = 0x1003,
                         .cost = { 999999, 0 }, .n = 2 };
  struct record r = near;

  cr_expect (is_fast (r));
  r.instr = 0x1000 + 99;
  cr_expect (is_fast (r));
  r.instr = 0x1000 - 99;
  r.line = 500;
  r.n = 1;
  cr_expect (is_fast (r));
  r = near;
  r.cost[1] = 1000000;
  cr_expect (!is_fast (r));
  r = near;
  r.instr = 0x1000 + 100;
  cr_expect (!is_fast (r));
  r = near;
  r.line = 510; /* is shorter than +10 */
  cr_expect (is_fast (r));
  r.line = 9999;
  cr_expect (is_fast (r));
  r.line = 10000;
  cr_expect (!is_fast (r));
  r = near;
  r.fn = 2;
  cr_expect (!is_fast (r));
  r = near;
  r.file = 3;
  cr_expect (!is_fast (r));
  r = near;
  r.n = 3;
  cr_expect (!is_fast (r));
  r.n = 0;
  cr_expect (!is_fast (r));
}

/* No line goes on where a finished file ended: here one that a crash handler
   salvaged while a call was inside the writer, which then leaves it.  */
Test (fast, salvaged)
{
  struct record r = { .kind = 6, .fn = 1, .line = 500, .instr = 0x1000,
                      .cost = { 1 }, .n = 1 };
  struct twin t;

  set_up (&t, &plain, true);
  for (int i = 0; i < 2; i++)
    cr_assert_eq (hand_over (&t, &plain, &r), CGW_OK);
  atomic_store (&t.w->held, true);
  cr_assert_eq (cgw_salvage (t.w), CGW_ELOST);
  cgwi_leave (t.w);
  cr_expect_eq (hand_over (&t, &plain, &r), CGW_EFINISHED);
  tear_down (&t);
}
