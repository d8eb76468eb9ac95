/* measure.c - all contenders, side by side: whether they write what they
   should, their processor time, and their instructions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"

#include <stdio.h>

enum
{
  LIBCGW,
  PLAIN,
  COMPRESSED,
  CALLGRIND,
  CALLGRIND_SMALL,
  BINARY,
  MEMCPY,
  NOTHING,
  N
};

static const struct contender *const contenders[N]
    = { &contender_libcgw,          &contender_plain,
        &contender_compressed,      &contender_callgrind,
        &contender_callgrind_small, &contender_binary,
        &contender_memcpy,          &contender_nothing };

/* What they write.  */

static bool
check_contender (const struct configuration *c, const struct contender *who,
                 const struct workload *w, const struct workload *truth,
                 struct sink *sink)
{
  struct entrant e;
  char what[80], suffix[64];
  size_t n;

  snprintf (what, sizeof what, "bench: %s, %s", who->name, c->title);
  entrant_open (&e, who, w, sink, NULL);
  bool ok = entrant_check (&e, truth, what,
                           sink->fd < 0 ? "memory" : "file", &n);
  entrant_close (&e);
  snprintf (suffix, sizeof suffix, "_%s", c->name);
  if (ok && sink->fd < 0)
    print_figure ("bytes_per_line_", who->name, suffix,
                  (double)n / (double)w->script.n);
  return ok;
}

bool
check_contenders (const struct configuration *c, const struct workload *w,
                  const struct workload *truth)
{
  struct sink memory = { .fd = -1 };
  struct sink file;
  const char *where;
  bool ok = true;

  sink_open_file (&file, &where);
  for (size_t i = 0; i < N; i++)
    if (contenders[i]->check)
      {
        ok &= check_contender (c, contenders[i], w, truth, &memory);
        ok &= check_contender (c, contenders[i], w, truth, &file);
      }
  sink_close (&file);
  return ok;
}

/* Time.  */

static void
measure_sink (const struct workload *w, struct sink *sink, size_t runs,
              struct quartiles q[N])
{
  struct entrant entrants[N];

  for (size_t i = 0; i < N; i++)
    entrant_open (&entrants[i], contenders[i], w, sink, NULL);
  run_entrants (entrants, N, runs, q);
  for (size_t i = 0; i < N; i++)
    entrant_close (&entrants[i]);
}

static void
print_figures (const char *prefix, const char *name,
               const struct quartiles q[N])
{
  static const struct
  {
    const char *name;
    int slow, fast;
  } ratios[] = { { "faster_than_callgrind_", CALLGRIND, LIBCGW },
                 { "faster_than_callgrind_small_", CALLGRIND_SMALL, LIBCGW },
                 { "faster_than_fprintf_", PLAIN, LIBCGW },
                 { "faster_than_fprintf_compressed_", COMPRESSED, LIBCGW },
                 { "slower_than_memcpy_", LIBCGW, MEMCPY },
                 { "against_binary_", LIBCGW, BINARY } };
  char p[64];

  for (size_t i = 0; i < N; i++)
    {
      snprintf (p, sizeof p, "%sns_%s_", prefix, contenders[i]->name);
      print_figure (p, name, "", q[i].median);
    }
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
    print_figure (prefix, ratios[i].name, name,
                  q[ratios[i].slow].median / q[ratios[i].fast].median);
  print_figure (prefix, "spread_percent_", name,
                100 * (q[LIBCGW].third - q[LIBCGW].first) / q[LIBCGW].median);
}

bool
measure_contenders (const struct configuration *c, const struct workload *w,
                    const struct workload *truth)
{
  static bool titled;
  size_t runs = runs_wanted (21);
  struct sink memory = { .fd = -1 };
  struct sink file;
  struct quartiles in_memory[N], in_file[N];
  const char *where;

  (void)truth;
  sink_open_file (&file, &where);
  if (!titled)
    printf ("ns per cost line, median (quartiles) of %zu runs\n"
            "  %-18s %s%23s a file (%s)\n",
            runs, "", "into memory", "", where);
  titled = true;
  measure_sink (w, &memory, runs, in_memory);
  measure_sink (w, &file, runs, in_file);
  printf ("\n%s: %zu cost lines, %zu of them of calls\n", c->title,
          w->script.n, w->script.n_calls);
  for (size_t i = 0; i < N; i++)
    {
      printf ("  %-18s", contenders[i]->name);
      print_quartiles (&in_memory[i]);
      printf ("   ");
      print_quartiles (&in_file[i]);
      putchar ('\n');
    }
  print_figures ("", c->name, in_memory);
  print_figures ("file_", c->name, in_file);
  fflush (stdout);
  sink_close (&file);
  return true;
}

/* Instructions.  */

static void
count_contender (const struct contender *c, const struct workload *w,
                 const char *name)
{
  struct sink sink = { .fd = -1 };
  struct entrant e;

  entrant_open (&e, c, w, &sink, NULL);
  entrant_run (&e);
  printf ("replay %zu %s %s\n", e.script.n, c->name, name);
  entrant_close (&e);
}

/* The slow contenders would take minutes in all configurations.  */
bool
count_contenders (const struct configuration *c, const struct workload *w,
                  const struct workload *truth)
{
  bool all = c->positions == CGW_INSTR_LINE && c->n_events != 9;

  (void)truth;
  for (size_t i = 0; i < N; i++)
    if (!contenders[i]->slow || all)
      count_contender (contenders[i], w, c->name);
  return true;
}

/* Two lengths: their difference is free of what comes once.  */
void
count_steps_of_lines (void)
{
  static const size_t lengths[] = { 10000, 110000 };

  for (size_t i = 0; i < 2; i++)
    {
      struct workload w;

      workload_steps (&w, lengths[i], 1, 1);
      count_contender (&contender_libcgw, &w, "steps");
      count_contender (&contender_nothing, &w, "steps");
      workload_free (&w);
    }
}
