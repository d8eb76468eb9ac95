/* test_profile_size.c - aggregation of a million positions and edges, by ten
   million adds, and the memory it takes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"
#include "test_profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#define SCALE (SANITIZED ? 20 : 1)
#define FUNCTIONS 1000u
#define LINES (1000u / SCALE)
#define ADDS (10000000u / SCALE)

/* A profile of one event, and the functions of both tests.  */
struct big
{
  struct heap heap;
  struct cgw_names *names;
  struct cgw_profile *p;
  struct written file;
  struct cgw_fn fns[FUNCTIONS];
  size_t before; /* bytes in use */
  double most;   /* bytes per entry, once there are some */
};

static void
start (struct big *b)
{
  b->names = make_names (&b->heap);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    {
      char name[20];
      snprintf (name, sizeof name, "function_%u", i);
      b->fns[i] = written_fn (b->names, "object", "file.c", name);
    }
  b->before = b->heap.bytes;
  cr_assert_eq (cgw_profile_new (&b->p, b->names, 1, CGW_LINE), CGW_OK);
}

static double
bytes_per_entry (struct big *b, unsigned n)
{
  double bytes = (double) (b->heap.bytes - b->before) / n;

  if (n >= FUNCTIONS && bytes > b->most)
    b->most = bytes;
  return bytes;
}

static struct cgw_pos
place (const struct big *b, unsigned number)
{
  return (struct cgw_pos){ .fn = b->fns[number % FUNCTIONS],
                           .line = number / FUNCTIONS };
}

static void
finish (struct big *b)
{
  struct cgw_part part = two_events (CGW_LINE);

  part.n_events = 1;
  written_open_with (&b->file, b->names, NULL);
  cgw_names_free (b->names);
  cr_assert_eq (cgw_profile_write (b->p, b->file.w, &part), CGW_OK);
  cgw_profile_free (b->p);
  written_end (&b->file, CGW_OK);
}

static void
print_figures (const char *one, double last, const char *most,
               const struct big *b)
{
  if (SANITIZED)
    return;
  print_figure (one, (unsigned long long) (last + 0.5));
  print_figure (most, (unsigned long long) (b->most + 0.5));
}

/* Position i gets 1 for each add that falls on it.  */
Test (profile_size, positions)
{
  const unsigned positions = FUNCTIONS * LINES;
  struct big b = { .most = 0 };
  uint64_t cost = 1;
  double last = 0;
  size_t full = 0;

  start (&b);
  for (unsigned i = 0; i < ADDS; i++)
    {
      /* 7919 is a prime: each position's turn comes.  */
      struct cgw_pos pos
          = place (&b, (unsigned) (i * UINT64_C (7919) % positions));
      cr_assert_eq (cgw_profile_cost (b.p, &pos, &cost, 1), CGW_OK);
      if (i < positions)
        {
          last = bytes_per_entry (&b, i + 1);
          full = b.heap.bytes;
        }
    }
  cr_assert_eq (b.heap.bytes, full,
                "an add to a known position takes memory");
  print_figures ("profile_bytes_per_position", last,
                 "profile_most_bytes_per_position", &b);
  finish (&b);
  cr_assert_eq (b.file.profile->costs.n, positions);
  for (unsigned row = 0; row < positions; row++)
    cr_assert_eq (profile_table_values (&b.file.profile->costs, row)[0],
                  ADDS / positions);
  cr_assert_lt (b.most, 60);
  written_free (&b.file);
  cr_assert_eq (b.heap.bytes, 0);
}

Test (profile_size, edges)
{
  const unsigned edges = FUNCTIONS * LINES;
  struct big b = { .most = 0 };
  uint64_t cost = 1;
  double last = 0;

  start (&b);
  for (unsigned i = 0; i < 2 * edges; i++)
    {
      struct cgw_pos from = place (&b, i % edges);
      struct cgw_pos to = place (&b, i % edges / 7 % FUNCTIONS);
      cr_assert_eq (cgw_profile_call (b.p, &from, &to, 1, &cost, 1), CGW_OK);
      if (i < edges)
        last = bytes_per_entry (&b, i + 1);
    }
  print_figures ("profile_bytes_per_edge", last,
                 "profile_most_bytes_per_edge", &b);
  finish (&b);
  cr_assert_eq (b.file.profile->edges.n, edges);
  for (unsigned row = 0; row < edges; row++)
    cr_assert_eq (profile_table_values (&b.file.profile->edges, row)[0], 2);
  cr_assert_lt (b.most, 100);
  written_free (&b.file);
  cr_assert_eq (b.heap.bytes, 0);
}

/* A profile that was cleared takes no more memory for the same again.  */
Test (profile_size, after_clear)
{
  struct big b = { .most = 0 };
  uint64_t cost = 1;
  size_t full = 0;

  start (&b);
  for (int round = 0; round < 4; round++)
    {
      for (unsigned i = 0; i < FUNCTIONS; i++)
        {
          struct cgw_pos at[] = { place (&b, i), place (&b, FUNCTIONS + i) };

          cr_assert_eq (cgw_profile_cost (b.p, &at[0], &cost, 1), CGW_OK);
          cr_assert_eq (cgw_profile_call (b.p, &at[1], &at[0], 1, &cost, 1),
                        CGW_OK);
          cr_assert_eq (cgw_profile_stack (b.p, at, 2, 1, &cost, 1), CGW_OK);
        }
      if (round == 0)
        full = b.heap.bytes;
      cr_assert_eq (b.heap.bytes, full);
      cgw_profile_clear (b.p);
    }
  cgw_profile_free (b.p);
  cgw_names_free (b.names);
  cr_assert_eq (b.heap.bytes, 0);
}
