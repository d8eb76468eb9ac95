/* ways.c - what the library costs when it is used in other ways than the
   usual one, which is the first.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ways.h"
#include "../support/reader.h"
#include "bench.h"

#include <stdio.h>

struct way
{
  const char *name; /* in figures */
  const char *title;
  const struct contender *contender;
  unsigned flags; /* of the writer, as its buffer size */
  unsigned reader_flags;
  size_t buffer_size;
  size_t times;   /* all records so many times over */
  bool in_file;   /* on tmpfs; else into memory */
  bool scattered; /* the records are in a scattered order */
};

enum
{
  N_WAYS = 14
};

static const struct way all_ways[N_WAYS] = {
  { "handles", "handles", &contender_libcgw, .times = 1 },
  { "names", "names again for each record", &way_names, .times = 1 },
  { "threads", "CGW_THREADS", &contender_libcgw, .flags = CGW_THREADS,
    .times = 1 },
  { "no_pad", "CGW_NO_PAD", &contender_libcgw, .flags = CGW_NO_PAD,
    .reader_flags = READER_NO_PAD, .times = 1 },
  { "absolute_plain", "CGW_ABSOLUTE | CGW_PLAIN_NAMES", &contender_libcgw,
    .flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES,
    .reader_flags = READER_ABSOLUTE | READER_PLAIN, .times = 1 },
  { "scattered", "records in a scattered order", &contender_libcgw,
    .times = 1, .scattered = true },
  { "file_4k", "file, buffer of 4 KiB", &contender_libcgw, .buffer_size = 4096,
    .times = 1, .in_file = true },
  { "file_64k", "file, buffer of 64 KiB", &contender_libcgw,
    .buffer_size = 65536, .times = 1, .in_file = true },
  { "file_256k", "file, buffer of 256 KiB", &contender_libcgw,
    .buffer_size = 262144, .times = 1, .in_file = true },
  { "file_1m", "file, buffer of 1 MiB", &contender_libcgw,
    .buffer_size = 1048576, .times = 1, .in_file = true },
  { "times_10", "10 times, as records", &contender_libcgw, .times = 10 },
  { "profile_10", "10 times, into a cgw_profile", &way_profile, .times = 10 },
  { "profile_10_scattered", "... in a scattered order", &way_profile,
    .times = 10, .scattered = true },
  { "push", "cgw_recorder_push, not drained", &way_push, .times = 1 },
};

/* A way, ready to run.  */
static void
way_open (struct entrant *e, const struct way *way, const struct workload *w,
          struct sink *sink)
{
  const struct setup setup
      = { .flags = way->flags, .buffer_size = way->buffer_size };

  entrant_open (e, way->contender, w, sink, &setup);
  e->times = way->times;
  e->reader_flags = way->reader_flags;
}

/* Checks a way, and notes its bytes per record that is handed over.  */
static bool
way_check (struct entrant *e, const struct way *way,
           const struct configuration *c, const struct workload *truth,
           double *bytes)
{
  char what[80];
  size_t n;

  snprintf (what, sizeof what, "bench: %s", way->title);
  bool ok = entrant_check (e, truth, what, c->title, &n);
  *bytes = (double)n / (double)(e->times * e->script.n);
  return ok;
}

static void
print_ways (const struct quartiles q[N_WAYS], const double bytes[N_WAYS],
            const struct configuration *c)
{
  char suffix[64];

  for (size_t i = 0; i < N_WAYS; i++)
    {
      printf ("  %-31s", all_ways[i].title);
      print_quartiles (&q[i]);
      printf (" %6.2f", q[i].median / q[0].median);
      if (all_ways[i].contender != &way_push)
        printf (" %8.2f", bytes[i]);
      putchar ('\n');
    }
  snprintf (suffix, sizeof suffix, "_%s", c->name);
  for (size_t i = 0; i < N_WAYS; i++)
    {
      const char *name = all_ways[i].name;

      print_figure ("ways_ns_", name, suffix, q[i].median);
      print_figure ("ways_against_handles_", name, suffix,
                    q[i].median / q[0].median);
      if (all_ways[i].contender != &way_push)
        print_figure ("ways_bytes_", name, suffix, bytes[i]);
    }
  fflush (stdout);
}

bool
measure_ways (const struct configuration *c, const struct workload *w,
              const struct workload *truth)
{
  static bool titled;
  struct entrant entrants[N_WAYS];
  struct quartiles q[N_WAYS];
  double bytes[N_WAYS];
  struct workload scattered;
  struct sink memory = { .fd = -1 };
  struct sink file;
  const char *where;
  size_t runs = runs_wanted (21);
  bool ok = true;

  if (c->positions != CGW_INSTR_LINE || c->n_events == 9)
    return true;
  sink_open_file (&file, &where);
  workload_scatter (&scattered, w);
  for (size_t i = 0; i < N_WAYS; i++)
    {
      const struct way *way = &all_ways[i];

      way_open (&entrants[i], way, way->scattered ? &scattered : w,
                way->in_file ? &file : &memory);
      ok &= way_check (&entrants[i], way, c, truth, &bytes[i]);
    }
  if (ok)
    {
      if (!titled)
        printf ("\nways to use the library: ns per cost line, median "
                "(quartiles) of %zu runs;\n"
                "times as long as the first; bytes per cost line\n",
                runs);
      titled = true;
      printf ("\n%s: %zu cost lines, %zu of them of calls\n"
              "%zu of another function than the one before; scattered, %zu\n",
              c->title, w->script.n, w->script.n_calls, workload_changes (w),
              workload_changes (&scattered));
      run_entrants (entrants, N_WAYS, runs, q);
      print_ways (q, bytes, c);
    }
  for (size_t i = 0; i < N_WAYS; i++)
    entrant_close (&entrants[i]);
  workload_free (&scattered);
  sink_close (&file);
  return ok;
}
