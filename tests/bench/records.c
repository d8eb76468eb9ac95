/* records.c - records of a real profile, written by the library and in other
   ways, into memory and into a file; and nothing but cost lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "contender.h"

#include "../support/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct subject subjects[] = {
  { "libcgw", "libcgw", NULL, &contender_libcgw },
  { "threads", "  CGW_THREADS", NULL, &contender_threads },
  { "no_pad", "  CGW_NO_PAD", NULL, &contender_no_pad },
  { "absolute", "  CGW_ABSOLUTE | CGW_PLAIN_NAMES", NULL,
    &contender_absolute },
  { "buffer_4k", "  a buffer of 4 KiB", NULL, &contender_4k },
  { "fprintf", "fprintf, full names", NULL, &contender_fprintf },
  { "compressed", "fprintf, both compressions", NULL, &contender_compressed },
  { "memcpy", "memcpy of the lines", NULL, &contender_memcpy },
  { "nothing", "the replay alone", NULL, &contender_nothing },
};

enum
{
  N = sizeof subjects / sizeof *subjects,
  WHOLE = 3 /* the group that has all of the profile */
};

static const struct configuration
{
  unsigned positions;
  size_t n_events;
} configurations[] = { { CGW_LINE, 1 },
                       { CGW_INSTR_LINE, 1 },
                       { CGW_INSTR_LINE, 9 },
                       { CGW_INSTR_LINE, 13 } };

struct records
{
  struct workload w;
  struct sink memory;
  struct sink file;
  struct entrant entrants[N][2];
};

/* The profile is read once.  */
static void *
records_open (const struct group *g)
{
  static struct workload all;
  const struct configuration *c = &configurations[g->variant];
  struct records *r = bench_allocate (1, sizeof *r);

  if (!all.names)
    workload_load (&all, bench.profile);
  workload_derive (&r->w, &all, c->n_events, c->positions);
  r->memory.fd = -1;
  r->file.fd = sink_open_file ();
  for (size_t i = 0; i < N; i++)
    {
      entrant_open (&r->entrants[i][0], subjects[i].contender, &r->w,
                    &r->memory);
      entrant_open (&r->entrants[i][1], subjects[i].contender, &r->w,
                    &r->file);
    }
  return r;
}

static void
records_close (void *world)
{
  struct records *r = world;

  for (size_t i = 0; i < 2 * N; i++)
    entrant_close (&r->entrants[i / 2][i % 2]);
  close (r->file.fd);
  workload_free (&r->w);
  free (r);
}

static void
records_run (void *world, size_t i, double *values)
{
  struct records *r = world;

  values[0] = entrant_run (&r->entrants[i][0]);
  values[1] = entrant_run (&r->entrants[i][1]);
}

/* The slow contenders would take minutes in all configurations.  */
static void
records_count (const struct group *g, void *world, size_t i)
{
  struct entrant *e = &((struct records *)world)->entrants[i][0];

  if (e->contender->is_slow && e->script.n_events != 1)
    return;
  entrant_run (e);
  print_replay (g, i, e->script.n);
}

/* All have written the same profile, which is that of the file.  */
static void
records_check (const struct group *g, void *world)
{
  struct records *r = world;
  struct profile *first = NULL;
  char why[512];

  if (g->variant == WHOLE)
    first = profile_read_file (bench.profile, READER_LENIENT, why, sizeof why);
  for (size_t i = 0; i < N && subjects[i].contender != &contender_nothing; i++)
    {
      size_t n;
      struct profile *p
          = entrant_read (&r->entrants[i][0], subjects[i].name, &n);

      print_value (g, subjects[i].name, "bytes",
                   (double)n / (double)r->w.script.n);
      if (first)
        must_be_same (first, p, g->name, subjects[i].name);
      if (first)
        profile_free (p);
      else
        first = p;
    }
  profile_free (first);
}

static const char *const columns[] = { "memory_ns", "file_ns" };

#define RECORDS(number, group_name, what)                                     \
  {                                                                           \
    .name = group_name, .variant = number,                                    \
    .title = "a cost line of a real profile with " what, .base = "memcpy",    \
    .subjects = subjects, .n = N, .runs = 21, .open = records_open,           \
    .close = records_close, .columns = columns, .n_columns = 2,               \
    .run = records_run, .count = records_count, .check = records_check        \
  }
const struct group records_groups[]
    = { RECORDS (0, "line_1", "lines, 1 counter"),
        RECORDS (1, "instr_line_1", "addresses and lines, 1 counter"),
        RECORDS (2, "instr_line_9", "addresses and lines, 9 counters"),
        RECORDS (WHOLE, "instr_line_13",
                 "addresses and lines, 13 counters") };

/* Cost lines of one function, with small steps of both subpositions.  */

enum
{
  FEW = 10000,
  MANY = 110000
};

static const struct subject lines_subjects[]
    = { { "libcgw", "libcgw", NULL, &contender_libcgw },
        { "fprintf", "fprintf, full names", NULL, &contender_fprintf },
        { "nothing", "the replay alone", NULL, &contender_nothing } };

static void *
lines_open (const struct group *g)
{
  struct records *r = bench_allocate (1, sizeof *r);

  workload_empty (&r->w, NULL, MANY, 1, 1);
  for (size_t i = 0; i < MANY; i++)
    workload_add (&r->w, 0, 0x401000 + 7 * i / 2, (uint32_t)(10 + i / 3));
  r->memory.fd = -1;
  for (size_t i = 0; i < g->n; i++)
    entrant_open (&r->entrants[i][0], g->subjects[i].contender, &r->w,
                  &r->memory);
  return r;
}

static void
lines_close (void *world)
{
  struct records *r = world;

  for (size_t i = 0; i < lines_group.n; i++)
    entrant_close (&r->entrants[i][0]);
  workload_free (&r->w);
  free (r);
}

static void
lines_run (void *world, size_t i, double *values)
{
  values[0] = entrant_run (&((struct records *)world)->entrants[i][0]);
}

/* Two lengths: their difference is free of what comes once.  */
static void
lines_count (const struct group *g, void *world, size_t i)
{
  struct entrant *e = &((struct records *)world)->entrants[i][0];
  static const size_t lengths[] = { FEW, MANY };

  for (size_t k = 0; k < 2; k++)
    {
      e->script.n = lengths[k];
      entrant_run (e);
      print_replay (g, i, e->script.n);
    }
}

static const char *const lines_columns[] = { "memory_ns" };

const struct group lines_group
    = { .name = "lines",
        .title = "a cost line near the last one of the same function",
        .base = "-",
        .subjects = lines_subjects,
        .n = sizeof lines_subjects / sizeof *lines_subjects,
        .runs = 21,
        .open = lines_open,
        .close = lines_close,
        .columns = lines_columns,
        .n_columns = 1,
        .run = lines_run,
        .count = lines_count };
