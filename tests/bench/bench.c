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
#include <stdlib.h>
#include <string.h>

const struct configuration configurations[N_CONFIGURATIONS] = {
  { CGW_LINE, 1, "line_1", "line, 1 counter" },
  { CGW_LINE, 9, "line_9", "line, 9 counters" },
  { CGW_LINE, 13, "line_13", "line, 13 counters" },
  { CGW_INSTR_LINE, 1, "instr_line_1", "instr+line, 1 counter" },
  { CGW_INSTR_LINE, 9, "instr_line_9", "instr+line, 9 counters" },
  { CGW_INSTR_LINE, 13, "instr_line_13", "instr+line, 13 counters" },
};

const struct contender *const contenders[N_CONTENDERS]
    = { &contender_libcgw,          &contender_plain,
        &contender_compressed,      &contender_callgrind,
        &contender_callgrind_small, &contender_binary,
        &contender_memcpy,          &contender_nothing };

void
entrant_open (struct entrant *e, const struct contender *c,
              const struct workload *w, struct sink *sink)
{
  e->contender = c;
  e->script = w->script;
  e->context = c->open (w, sink, &e->script);
}

void
entrant_close (struct entrant *e)
{
  e->contender->close (e->context);
}

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

/* Hands over the workload and the one to compare with.  */
static bool
compare (const struct workload *w, const struct workload *truth,
         bool (*act) (const struct configuration *c, const struct workload *w,
                      const struct workload *truth))
{
  bool ok = true;

  for (size_t i = 0; i < N_CONFIGURATIONS; i++)
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

static void
for_each (const struct workload *w, void (*act) (const struct configuration *c,
                                                 const struct workload *w))
{
  for (size_t i = 0; i < N_CONFIGURATIONS; i++)
    {
      const struct configuration *c = &configurations[i];
      struct workload derived;
      workload_derive (&derived, w, c->n_events, c->positions);
      act (c, &derived);
      workload_free (&derived);
    }
}

static bool
run (const char *what, const struct workload *w, const struct workload *truth)
{
  if (strcmp (what, "--check") == 0)
    return compare (w, truth, check_contenders);
  if (strcmp (what, "--ways") == 0)
    return compare (w, truth, ways);
  if (strcmp (what, "--measure") == 0)
    for_each (w, measure);
  else
    {
      for_each (w, count_configuration);
      count_steps ();
    }
  return true;
}

static int
usage (void)
{
  fputs ("Usage: bench (--check | --measure | --ways | --count) PROFILE "
         "[TRUTH]\n",
         stderr);
  return 2;
}

/* Whether there is such a mode, and whether it takes so many arguments.  */
static bool
is_mode (const char *what, int n_arguments)
{
  if (strcmp (what, "--check") == 0 || strcmp (what, "--ways") == 0)
    return n_arguments <= 2;
  return n_arguments == 1
         && (strcmp (what, "--measure") == 0 || strcmp (what, "--count") == 0);
}

int
main (int argc, char **argv)
{
  struct workload w, truth;

  if (argc < 3 || !is_mode (argv[1], argc - 2))
    return usage ();
  const char *expected = argc > 3 ? argv[3] : argv[2];
  if (!load (&w, argv[2]) || !load (&truth, expected)
      || (strcmp (argv[1], "--check") == 0 && !confirm (&truth, expected)))
    return 1;
  bool ok = run (argv[1], &w, &truth);
  workload_free (&w);
  workload_free (&truth);
  return fflush (stdout) || ferror (stdout) || !ok ? 1 : 0;
}
