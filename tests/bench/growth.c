/* growth.c - make bench-growth: whether a record costs the same after many
   others, and among many names.

   Usage: growth [LINES NAMES]: from 10^4 to 10^LINES lines (8) and from 10^2
   to 10^NAMES names (6).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "growth.h"
#include "replay.h"
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>

/* Makes sure that what is measured is right.  */
static void
check (struct grown *g)
{
  char why[512];
  size_t n;

  g->sink.keep = true;
  grown_run (g, 0, 1);
  const char *bytes = sink_bytes (&g->sink, &n);
  if (!contender_libcgw.check (&g->w, bytes, n, why, sizeof why))
    {
      fprintf (stderr, "growth: wrong: %s\n", why);
      exit (1);
    }
  sink_close (&g->sink);
  g->sink = (struct sink){ .fd = -1 };
}

void
grown_open (struct grown *g)
{
  g->sink = (struct sink){ .fd = -1 };
  g->script = g->w.script;
  g->context = contender_libcgw.open (&g->w, &g->sink, &g->script);
  check (g);
}

void
grown_close (struct grown *g)
{
  contender_libcgw.close (g->context);
  workload_free (&g->w);
}

/* The records of s from `first` on, or those before it.  */
static struct script
rest (const struct script *s, size_t first)
{
  struct script r = *s;

  r.events += first;
  r.costs += first * r.n_events;
  r.n -= first;
  return r;
}

double
grown_run (struct grown *g, size_t first, size_t times)
{
  const struct contender *c = &contender_libcgw;
  struct script before = g->script;
  struct script timed = rest (&g->script, first);
  int failed = 0;

  before.n = first;
  bool ok
      = c->begin (g->context) && bench_replay (&before, c, g->context) == 0;
  double start = bench_time ();
  for (size_t i = 0; i < times; i++)
    failed |= bench_replay (&timed, c, g->context);
  double end = bench_time ();
  if (!ok || failed || !c->end (g->context))
    {
      fputs ("growth: libcgw failed\n", stderr);
      exit (1);
    }
  return end - start;
}

void
print_power (const char *name, unsigned digits, double value)
{
  char suffix[16];

  snprintf (suffix, sizeof suffix, "_1e%u", digits);
  print_figure (name, suffix, "", value);
}

/* A power of ten from the command line.  */
static unsigned
power (const char *text, unsigned least, unsigned most)
{
  char *end;
  unsigned long n = strtoul (text, &end, 10);

  if (*end || n < least || n > most)
    {
      fprintf (stderr, "Usage: growth [LINES NAMES]\n");
      exit (2);
    }
  return (unsigned)n;
}

int
main (int argc, char **argv)
{
  unsigned lines = argc == 3 ? power (argv[1], 5, 9) : 8;
  unsigned names = argc == 3 ? power (argv[2], 3, 6) : 6;

  if (argc != 1 && argc != 3)
    power ("", 1, 0);
  size_t runs = runs_wanted (7);
  grow_lines (lines, runs);
  grow_names (names, runs);
  return fflush (stdout) || ferror (stdout) ? 1 : 0;
}
