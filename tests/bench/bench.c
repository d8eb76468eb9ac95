/* bench.c - the benchmark: writes one real profile through all contenders.

   Usage: bench (--check | --measure | --ways | --count) PROFILE [TRUTH]

   --check    compares what each contender writes with the profile; with
              TRUTH, with that other profile (and so finds them all wrong)
   --measure  processor time of each
   --ways     processor time of the library, used in several ways; compares
              what they write first, as --check does
   --count    replays for valgrind (see count.sh)

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "../support/reader.h"
#include "truth.h"

#include <stdio.h>
#include <string.h>

static const struct configuration configurations[] = {
  { CGW_LINE, 1, "line_1", "line, 1 counter" },
  { CGW_LINE, 9, "line_9", "line, 9 counters" },
  { CGW_LINE, 13, "line_13", "line, 13 counters" },
  { CGW_INSTR_LINE, 1, "instr_line_1", "instr+line, 1 counter" },
  { CGW_INSTR_LINE, 9, "instr_line_9", "instr+line, 9 counters" },
  { CGW_INSTR_LINE, 13, "instr_line_13", "instr+line, 13 counters" },
};

static const struct mode
{
  const char *name;
  bench_action *act;
  bool compares; /* with TRUTH, if that is given */
} modes[] = { { "--check", check_contenders, true },
              { "--ways", measure_ways, true },
              { "--measure", measure_contenders, false },
              { "--count", count_contenders, false } };

/* Reads the profile; false when it cannot serve.  */
static bool
load (struct workload *w, const char *path)
{
  if (!workload_load (w, path))
    return false;
  if (w->positions == CGW_INSTR_LINE && w->script.n_events == MOST_EVENTS)
    return true;
  fprintf (stderr,
           "%s: not with --dump-instr=yes --cache-sim=yes "
           "--branch-sim=yes\n",
           path);
  return false;
}

/* Whether the other reader, which shares nothing with the first, finds the
   same in the file.  */
static bool
confirm (const struct workload *w, const char *path)
{
  char why[512];
  struct profile *read
      = profile_read_file (path, READER_LENIENT, why, sizeof why);
  struct profile *truth = truth_make (w);
  bool same = read && profile_same (truth, read, why, sizeof why);

  profile_free (truth);
  profile_free (read);
  if (!same)
    fprintf (stderr, "%s: the two readers differ: %s\n", path, why);
  return same;
}

/* Hands over the workload and the one to compare with, in all
   configurations.  */
static bool
for_each (bench_action *act, const struct workload *w,
          const struct workload *truth)
{
  bool ok = true;

  for (size_t i = 0; i < sizeof configurations / sizeof *configurations; i++)
    {
      const struct configuration *c = &configurations[i];
      struct workload written, expected;

      workload_derive (&written, w, c->n_events, c->positions);
      workload_derive (&expected, truth, c->n_events, c->positions);
      ok &= act (c, &written, &expected);
      workload_free (&written);
      workload_free (&expected);
    }
  return ok;
}

/* The mode of these arguments, or NULL.  */
static const struct mode *
find_mode (int argc, char **argv)
{
  for (size_t i = 0; argc >= 3 && i < sizeof modes / sizeof *modes; i++)
    if (strcmp (argv[1], modes[i].name) == 0)
      return argc == 3 || (argc == 4 && modes[i].compares) ? &modes[i] : NULL;
  return NULL;
}

int
main (int argc, char **argv)
{
  const struct mode *mode = find_mode (argc, argv);
  struct workload w, truth;

  if (!mode)
    {
      fputs ("Usage: bench (--check | --measure | --ways | --count) PROFILE "
             "[TRUTH]\n",
             stderr);
      return 2;
    }
  const char *expected = argv[argc - 1];
  if (!load (&w, argv[2]) || !load (&truth, expected)
      || (mode->act == check_contenders && !confirm (&truth, expected)))
    return 1;
  bool ok = for_each (mode->act, &w, &truth);
  if (mode->act == count_contenders)
    count_steps_of_lines ();
  workload_free (&w);
  workload_free (&truth);
  return fflush (stdout) || ferror (stdout) || !ok ? 1 : 0;
}
