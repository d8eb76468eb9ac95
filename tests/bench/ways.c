/* ways.c - what the library costs when it is used in other ways than the
   usual one, which is the first: all take turns, as in measure.c.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ways.h"
#include "../support/reader.h"
#include "bench.h"
#include "replay.h"
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>

struct way
{
  const char *name; /* in figures */
  const char *title;
  const struct contender *contender;
  unsigned flags; /* of contender_libcgw's writer, as its buffer size */
  unsigned reader_flags;
  size_t buffer_size;
  size_t times;   /* all records so many times over; 0: once */
  bool in_file;   /* on tmpfs; else into memory */
  bool scattered; /* the records are in a scattered order */
};

enum
{
  TIMES = 10,
  N_WAYS = 14
};

static const struct way all_ways[N_WAYS] = {
  { "handles", "handles", &contender_libcgw, .times = 1 },
  { "names", "names again for each record", &way_names, .times = 1 },
  { "threads", "CGW_THREADS", &contender_libcgw, .flags = CGW_THREADS },
  { "no_pad", "CGW_NO_PAD", &contender_libcgw, .flags = CGW_NO_PAD,
    .reader_flags = READER_NO_PAD },
  { "absolute_plain", "CGW_ABSOLUTE | CGW_PLAIN_NAMES", &contender_libcgw,
    .flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES,
    .reader_flags = READER_ABSOLUTE | READER_PLAIN },
  { "scattered", "records in a scattered order", &contender_libcgw,
    .scattered = true },
  { "file_4k", "file, buffer of 4 KiB", &contender_libcgw, .buffer_size = 4096,
    .in_file = true },
  { "file_64k", "file, buffer of 64 KiB", &contender_libcgw,
    .buffer_size = 65536, .in_file = true },
  { "file_256k", "file, buffer of 256 KiB", &contender_libcgw,
    .buffer_size = 262144, .in_file = true },
  { "file_1m", "file, buffer of 1 MiB", &contender_libcgw,
    .buffer_size = 1048576, .in_file = true },
  { "times_10", "10 times, as records", &contender_libcgw, .times = TIMES },
  { "profile_10", "10 times, into a cgw_profile", &way_profile,
    .times = TIMES },
  { "profile_10_scattered", "... in a scattered order", &way_profile,
    .times = TIMES, .scattered = true },
  { "push", "cgw_recorder_push, not drained", &way_push, .times = 1 },
};

/* A way, ready to run.  */
struct walk
{
  const struct way *way;
  struct workload scattered;
  struct entrant entrant;
  struct sink sink;
  size_t times;
  double bytes; /* per record that is handed over */
  double *values;
  struct quartiles ns; /* likewise */
};

static void
walk_open (struct walk *k, const struct way *way, const struct workload *w)
{
  struct entrant *e = &k->entrant;
  struct cgw_options options = CGW_OPTIONS_INIT;
  const char *where;

  k->way = way;
  k->times = way->times > 0 ? way->times : 1;
  k->sink = (struct sink){ .fd = -1 };
  if (way->in_file)
    sink_open_file (&k->sink, &where);
  if (way->scattered)
    {
      workload_scatter (&k->scattered, w);
      w = &k->scattered;
    }
  if (way->contender != &contender_libcgw)
    {
      entrant_open (e, way->contender, w, &k->sink);
      return;
    }
  e->contender = way->contender;
  e->script = w->script;
  options.flags = way->flags;
  options.buffer_size = way->buffer_size;
  e->context = contender_libcgw_with (w, &k->sink, &e->script, &options);
}

static void
walk_close (struct walk *k)
{
  entrant_close (&k->entrant);
  sink_close (&k->sink);
  if (k->way->scattered)
    workload_free (&k->scattered);
}

/* Nanoseconds per record that is handed over.  */
static double
walk_run (struct walk *k)
{
  struct entrant *e = &k->entrant;

  sink_restart (&k->sink);
  double ns = bench_run_times (&e->script, e->contender, e->context, k->times);
  if (e->contender == &way_push)
    ns -= way_push_drained (e->context);
  return ns / (double)(k->times * e->script.n);
}

/* Whether these bytes are the truth.  */
static bool
is_right (const struct walk *k, const struct workload *truth,
          const char *bytes, size_t n, char *why, size_t size)
{
  struct workload sums;

  workload_multiply (&sums, truth, k->times);
  bool ok = k->way->reader_flags
                ? check_text (&sums, bytes, n, k->way->reader_flags, why, size)
                : k->way->contender->check (&sums, bytes, n, why, size);
  workload_free (&sums);
  return ok;
}

/* Two runs, for the second begins with what the first left behind.  */
static bool
walk_check (struct walk *k, const struct configuration *c,
            const struct workload *truth)
{
  char why[512];
  bool ok = true;

  k->sink.keep = true;
  for (int run = 1; ok && run <= 2; run++)
    {
      size_t n;
      walk_run (k);
      const char *bytes = sink_bytes (&k->sink, &n);
      ok = is_right (k, truth, bytes, n, why, sizeof why);
      if (!ok)
        fprintf (stderr, "bench: %s, %s, run %d: wrong: %s\n", k->way->title,
                 c->title, run, why);
      k->bytes = (double)n / (double)(k->times * k->entrant.script.n);
    }
  k->sink.keep = false;
  free (k->sink.bytes);
  k->sink.bytes = NULL;
  k->sink.room = 0;
  return ok;
}

static void
run_rounds (struct walk walks[N_WAYS], size_t runs)
{
  for (size_t i = 0; i < N_WAYS; i++)
    walks[i].values = bench_allocate (runs, sizeof (double));
  /* Round 0 warms up.  */
  for (size_t run = 0; run <= runs; run++)
    for (size_t i = 0; i < N_WAYS; i++)
      {
        struct walk *k = &walks[(i + run) % N_WAYS];
        double ns = walk_run (k);
        if (run > 0)
          k->values[run - 1] = ns;
      }
  for (size_t i = 0; i < N_WAYS; i++)
    {
      walks[i].ns = quartiles (walks[i].values, runs);
      free (walks[i].values);
    }
}

static void
print_table (const struct walk walks[N_WAYS], const struct configuration *c,
             const struct workload *w)
{
  printf ("\n%s: %zu cost lines, %zu of them of calls\n"
          "%zu of another function than the one before; ",
          c->title, w->script.n, w->script.n_calls, workload_changes (w));
  for (size_t i = 0; i < N_WAYS; i++)
    if (walks[i].way->scattered && walks[i].times == 1)
      printf ("scattered, %zu\n", workload_changes (&walks[i].scattered));
  for (size_t i = 0; i < N_WAYS; i++)
    {
      const struct walk *k = &walks[i];
      printf ("  %-31s %7.1f (%6.1f -%6.1f) %6.2f", k->way->title,
              k->ns.median, k->ns.first, k->ns.third,
              k->ns.median / walks[0].ns.median);
      if (k->way->contender != &way_push)
        printf (" %8.2f", k->bytes);
      putchar ('\n');
    }
}

static void
print_figures (const struct walk walks[N_WAYS], const struct configuration *c)
{
  char suffix[64];

  snprintf (suffix, sizeof suffix, "_%s", c->name);
  for (size_t i = 0; i < N_WAYS; i++)
    {
      const struct walk *k = &walks[i];
      print_figure ("ways_ns_", k->way->name, suffix, k->ns.median);
      print_figure ("ways_against_handles_", k->way->name, suffix,
                    k->ns.median / walks[0].ns.median);
      if (k->way->contender != &way_push)
        print_figure ("ways_bytes_", k->way->name, suffix, k->bytes);
    }
}

static void
measure_ways (struct walk walks[N_WAYS], const struct configuration *c,
              const struct workload *w)
{
  static bool titled;
  size_t runs = runs_wanted (21);

  if (!titled)
    printf ("\nways to use the library: ns per cost line, median (quartiles) "
            "of %zu runs;\ntimes as long as the first; bytes per cost line\n",
            runs);
  titled = true;
  run_rounds (walks, runs);
  print_table (walks, c, w);
  print_figures (walks, c);
  fflush (stdout);
}

bool
ways (const struct configuration *c, const struct workload *w,
      const struct workload *truth)
{
  struct walk walks[N_WAYS];
  bool ok = true;

  if (c->positions != CGW_INSTR_LINE || c->n_events == 9)
    return true;
  for (size_t i = 0; i < N_WAYS; i++)
    {
      walk_open (&walks[i], &all_ways[i], w);
      ok &= walk_check (&walks[i], c, truth);
    }
  if (ok)
    measure_ways (walks, c, w);
  for (size_t i = 0; i < N_WAYS; i++)
    walk_close (&walks[i]);
  return ok;
}
