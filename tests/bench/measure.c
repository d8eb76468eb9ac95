/* measure.c - processor time of all contenders, side by side: they take turns,
   and each round begins with another one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "replay.h"
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>

/* Nanoseconds per line of all contenders into one sink.  */
struct times
{
  struct quartiles of[N_CONTENDERS];
};

static void
run_rounds (struct entrant *entrants, struct sink *sink, size_t runs,
            double *values[N_CONTENDERS])
{
  /* Round 0 warms up.  */
  for (size_t run = 0; run <= runs; run++)
    for (size_t i = 0; i < N_CONTENDERS; i++)
      {
        size_t k = (i + run) % N_CONTENDERS;
        struct entrant *e = &entrants[k];
        sink_restart (sink);
        double ns = bench_run (&e->script, e->contender, e->context);
        if (run > 0)
          values[k][run - 1] = ns / (double)e->script.n;
      }
}

static struct times
measure_sink (const struct workload *w, struct sink *sink, size_t runs)
{
  struct entrant entrants[N_CONTENDERS];
  double *values[N_CONTENDERS];
  struct times t;

  for (size_t i = 0; i < N_CONTENDERS; i++)
    {
      entrant_open (&entrants[i], contenders[i], w, sink);
      values[i] = bench_allocate (runs, sizeof **values);
    }
  run_rounds (entrants, sink, runs, values);
  for (size_t i = 0; i < N_CONTENDERS; i++)
    {
      t.of[i] = quartiles (values[i], runs);
      free (values[i]);
      entrant_close (&entrants[i]);
    }
  return t;
}

static void
print_table (const struct configuration *c, const struct workload *w,
             const struct times *memory, const struct times *file)
{
  printf ("\n%s: %zu cost lines, %zu of them of calls\n", c->title,
          w->script.n, w->script.n_calls);
  for (size_t i = 0; i < N_CONTENDERS; i++)
    printf ("  %-18s %8.1f (%6.1f -%6.1f)    %8.1f (%6.1f -%6.1f)\n",
            contenders[i]->name, memory->of[i].median, memory->of[i].first,
            memory->of[i].third, file->of[i].median, file->of[i].first,
            file->of[i].third);
}

/* The ratio of two medians, how many times as long the first takes.  */
static double
ratio (const struct times *t, int slow, int fast)
{
  return t->of[slow].median / t->of[fast].median;
}

static void
print_figures (const char *prefix, const char *name, const struct times *t)
{
  char p[64];

  for (size_t i = 0; i < N_CONTENDERS; i++)
    {
      snprintf (p, sizeof p, "%sns_%s_", prefix, contenders[i]->name);
      print_figure (p, name, "", t->of[i].median);
    }
  print_figure (prefix, "faster_than_callgrind_", name,
                ratio (t, CONTENDER_CALLGRIND, CONTENDER_LIBCGW));
  print_figure (prefix, "faster_than_callgrind_small_", name,
                ratio (t, CONTENDER_CALLGRIND_SMALL, CONTENDER_LIBCGW));
  print_figure (prefix, "faster_than_fprintf_", name,
                ratio (t, CONTENDER_PLAIN, CONTENDER_LIBCGW));
  print_figure (prefix, "faster_than_fprintf_compressed_", name,
                ratio (t, CONTENDER_COMPRESSED, CONTENDER_LIBCGW));
  print_figure (prefix, "slower_than_memcpy_", name,
                ratio (t, CONTENDER_LIBCGW, CONTENDER_MEMCPY));
  print_figure (prefix, "against_binary_", name,
                ratio (t, CONTENDER_LIBCGW, CONTENDER_BINARY));
  const struct quartiles *q = &t->of[CONTENDER_LIBCGW];
  print_figure (prefix, "spread_percent_", name,
                100 * (q->third - q->first) / q->median);
}

void
measure (const struct configuration *c, const struct workload *w)
{
  static bool titled;
  size_t runs = runs_wanted (21);
  struct sink memory = { .fd = -1 };
  struct sink file;
  const char *where;

  sink_open_file (&file, &where);
  if (!titled)
    printf ("ns per cost line, median (quartiles) of %zu runs\n"
            "  %-18s %s%23s a file (%s)\n",
            runs, "", "into memory", "", where);
  titled = true;
  struct times in_memory = measure_sink (w, &memory, runs);
  struct times in_file = measure_sink (w, &file, runs);
  print_table (c, w, &in_memory, &in_file);
  print_figures ("", c->name, &in_memory);
  print_figures ("file_", c->name, &in_file);
  fflush (stdout);
  sink_close (&memory);
  sink_close (&file);
}
