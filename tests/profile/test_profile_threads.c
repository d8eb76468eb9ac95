/* test_profile_threads.c - aggregation in threads that share names, and beside
   records in another thread.  races.sh runs it with ThreadSanitizer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>

/* Another thread adds names, and writes records, while the names are sorted
   and written.  */
static void *
use_writer (void *context)
{
  struct written *f = context;
  uint64_t one = 1;

  for (unsigned i = 0; i < 3000; i++)
    {
      char name[20];
      struct cgw_pos pos;

      snprintf (name, sizeof name, "other%u", i);
      pos = written_line (written_fn (f->names, "other", "other", name), 1);
      cr_assert_eq (cgw_cost (f->w, &pos, &one, 1), CGW_OK);
    }
  return NULL;
}

Test (profile_threads, beside_records)
{
  enum { LINES = 20000 };
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_profile *p;
  struct written f;
  pthread_t thread;

  options.flags = CGW_THREADS;
  options.queue_slots = 1 << 16;
  written_open (&f, &options);
  p = new_profile (f.names, CGW_LINE);
  for (uint32_t i = 0; i < LINES; i++)
    {
      uint64_t cost = 1;
      struct cgw_pos pos
          = written_line (written_fn (f.names, NULL, NULL, "f"), i);
      cr_assert_eq (cgw_profile_cost (p, &pos, &cost, 1), CGW_OK);
    }
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  cr_assert_eq (pthread_create (&thread, NULL, use_writer, &f), 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq (cgw_profile_write (p, f.w, &part), CGW_OK);
  cr_assert_eq (pthread_join (thread, NULL), 0);
  cgw_profile_free (p);
  written_end (&f, CGW_OK);
  cr_assert_eq (profile_total (f.profile, 0).value, 3 * LINES + 3000);
  written_free (&f);
}

/* Each thread has a profile of its own; they share the names, and all of them
   add names all the time, some of them the same.  */

enum { THREADS = 8, ROUNDS = 400 };

struct worker
{
  struct cgw_names *names;
  struct cgw_profile *p;
  unsigned number;
};

static void
add_round (struct worker *k, unsigned round)
{
  struct cgw_pos frames[3];
  uint64_t cost[COSTS] = { round, k->number };
  char name[40];

  for (unsigned i = 0; i < 3; i++)
    {
      snprintf (name, sizeof name, "f%u.%u", i < 2 ? 0 : k->number,
                round / (i + 1));
      frames[i] = written_line (written_fn (k->names, name, "file", name),
                                round % 7);
    }
  cr_assert_eq (cgw_profile_stack (k->p, frames, 3, 1, cost, COSTS), CGW_OK);
  cr_assert_eq (cgw_profile_cost (k->p, frames, cost, COSTS), CGW_OK);
}

static ssize_t
discard (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes;
  return (ssize_t) n;
}

static void *
work (void *context)
{
  struct worker *k = context;

  for (unsigned round = 0; round < ROUNDS; round++)
    add_round (k, round);
  /* Sorting reads the names that others add.  */
  cr_assert_eq (cgw_profile_pack (k->p, discard, NULL), CGW_OK);
  return NULL;
}

Test (profile_threads, profiles)
{
  struct worker workers[THREADS], alone;
  pthread_t threads[THREADS];
  struct one all, one;

  open_one (&all, 1, CGW_LINE);
  open_one (&one, 2, CGW_LINE);
  for (unsigned i = 0; i < THREADS; i++)
    {
      workers[i] = (struct worker){ all.names,
                                    new_profile (all.names, CGW_LINE), i };
      cr_assert_eq (pthread_create (&threads[i], NULL, work, &workers[i]), 0);
    }
  for (unsigned i = 0; i < THREADS; i++)
    {
      cr_assert_eq (pthread_join (threads[i], NULL), 0);
      cr_assert_eq (cgw_profile_merge (all.p, workers[i].p), CGW_OK);
      cgw_profile_free (workers[i].p);
      alone = (struct worker){ one.names, one.p, i };
      work (&alone);
    }
  same_files (&all, &one);
}
