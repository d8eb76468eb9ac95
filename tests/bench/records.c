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

static const struct subject lines_subjects[]
    = { { "libcgw", "libcgw", NULL, &contender_libcgw },
        { "fprintf", "fprintf, full names", NULL, &contender_fprintf },
        { "nothing", "the replay alone", NULL, &contender_nothing } };

enum
{
  N = sizeof subjects / sizeof *subjects,
  WHOLE = 3, /* the group that has all of the profile */
  LINES = 4, /* the group of nothing but cost lines */
  FEW = 10000,
  MANY = 110000
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
  const struct group *g;
  struct workload w;
  struct sink sinks[2]; /* memory, and a file */
  struct entrant entrants[N][2];
};

/* Cost lines of one function, with small steps of both subpositions.  */
static void
make_lines (struct workload *w)
{
  workload_empty (w, NULL, MANY, 1, 1);
  for (size_t i = 0; i < MANY; i++)
    workload_add (w, 0, 0x401000 + 7 * i / 2, (uint32_t)(10 + i / 3));
}

/* The profile is read once.  */
static void *
records_open (const struct group *g)
{
  static struct workload all;
  struct records *r = bench_allocate (1, sizeof *r);

  r->g = g;
  if (g->variant != LINES && !all.names)
    workload_load (&all, bench.profile);
  if (g->variant != LINES)
    workload_derive (&r->w, &all, configurations[g->variant].n_events,
                     configurations[g->variant].positions);
  else
    make_lines (&r->w);
  r->sinks[0].fd = -1;
  r->sinks[1].fd = sink_open_file ();
  for (size_t i = 0; i < 2 * g->n; i++)
    entrant_open (&r->entrants[i / 2][i % 2], g->subjects[i / 2].contender,
                  &r->w, &r->sinks[i % 2]);
  return r;
}

static void
records_close (void *world)
{
  struct records *r = world;

  for (size_t i = 0; i < 2 * r->g->n; i++)
    entrant_close (&r->entrants[i / 2][i % 2]);
  close (r->sinks[1].fd);
  workload_free (&r->w);
  free (r);
}

static void
records_run (void *world, size_t i, double *values)
{
  struct records *r = world;

  for (size_t k = 0; k < r->g->n_columns; k++)
    values[k] = entrant_run (&r->entrants[i][k]);
}

/* The slow contenders would take minutes in all configurations.  Lines are
   counted with two lengths, whose difference is free of what comes once.  */
static void
records_count (const struct group *g, void *world, size_t i)
{
  struct entrant *e = &((struct records *)world)->entrants[i][0];
  const size_t lengths[] = { FEW, e->script.n };

  if (e->contender->is_slow && e->script.n_events != 1)
    return;
  for (size_t k = g->variant == LINES ? 0 : 1; k < 2; k++)
    {
      e->script.n = lengths[k];
      entrant_run (e);
      print_replay (g, i, e->script.n);
    }
}

/* All have written the same profile, which is that of the file.  The reader of
   the tests shares nothing with the library.  */
static void
records_check (const struct group *g, void *world)
{
  struct records *r = world;
  struct profile *first = NULL;
  char why[512];

  if (g->variant == WHOLE)
    first = profile_read_file (bench.profile, READER_LENIENT, why, sizeof why);
  for (size_t i = 0; g->subjects[i].contender != &contender_nothing; i++)
    {
      const char *name = g->subjects[i].name;
      struct sink *s = &r->sinks[0];

      s->keep = true;
      entrant_run (&r->entrants[i][0]);
      print_value (g, name, "bytes", (double)s->n / (double)r->w.script.n);
      struct profile *p
          = profile_read (s->bytes, s->n, READER_LENIENT, why, sizeof why);
      if (!p || (first && !profile_same (first, p, why, sizeof why)))
        {
          fprintf (stderr, "bench: %s, %s: wrong: %s\n", g->name, name, why);
          exit (1);
        }
      sink_forget (s);
      if (first)
        profile_free (p);
      else
        first = p;
    }
  profile_free (first);
}

static const char *const columns[] = { "memory_ns", "file_ns" };

#define RECORDS(number, group_name, base_name, of, columns_used, what)        \
  {                                                                           \
    .name = group_name, .variant = number, .title = "a cost line " what,      \
    .base = base_name, .subjects = of, .n = sizeof of / sizeof *of,           \
    .runs = 21, .open = records_open, .close = records_close,                 \
    .columns = columns, .n_columns = columns_used, .run = records_run,        \
    .count = records_count, .finish = records_check                           \
  }
#define REAL(number, name, what)                                              \
  RECORDS (number, name, "memcpy", subjects, 2,                               \
           "of a real profile with " what)
const struct group records_groups[]
    = { REAL (0, "line_1", "lines, 1 counter"),
        REAL (1, "instr_line_1", "addresses and lines, 1 counter"),
        REAL (2, "instr_line_9", "addresses and lines, 9 counters"),
        REAL (WHOLE, "instr_line_13", "addresses and lines, 13 counters"),
        RECORDS (LINES, "lines", "-", lines_subjects, 1,
                 "near the last one of the same function") };
