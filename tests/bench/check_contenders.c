/* check_contenders.c - whether each contender writes what it should.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "replay.h"
#include "runs.h"

#include <stdio.h>

/* Two runs, for the second begins with what the first left behind.  */
static bool
check_contender (const struct configuration *c, const struct contender *who,
                 const struct workload *w, const struct workload *truth,
                 struct sink *sink)
{
  char why[512];
  struct entrant e;
  size_t n = 0;
  bool ok = true;

  entrant_open (&e, who, w, sink);
  for (int run = 1; ok && run <= 2; run++)
    {
      sink_restart (sink);
      bench_run (&e.script, who, e.context);
      const char *bytes = sink_bytes (sink, &n);
      ok = who->check (truth, bytes, n, why, sizeof why);
      if (!ok)
        fprintf (stderr, "bench: %s, %s, %s, run %d: wrong: %s\n", who->name,
                 c->title, sink->fd < 0 ? "memory" : "file", run, why);
    }
  entrant_close (&e);
  if (ok && sink->fd < 0)
    {
      char suffix[64];
      snprintf (suffix, sizeof suffix, "_%s", c->name);
      print_figure ("bytes_per_line_", who->name, suffix,
                    (double)n / (double)w->script.n);
    }
  return ok;
}

bool
check_contenders (const struct configuration *c, const struct workload *w,
                  const struct workload *truth)
{
  struct sink memory = { .fd = -1, .keep = true };
  struct sink file;
  const char *where;
  bool ok = true;

  sink_open_file (&file, &where);
  for (size_t i = 0; i < N_CONTENDERS; i++)
    if (contenders[i]->check)
      {
        ok &= check_contender (c, contenders[i], w, truth, &memory);
        ok &= check_contender (c, contenders[i], w, truth, &file);
      }
  sink_close (&memory);
  sink_close (&file);
  return ok;
}
