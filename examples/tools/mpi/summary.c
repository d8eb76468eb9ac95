/* summary.c - what cgw-mpi prints at the end: the time of ranks, and the calls
   that took most of it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "summary.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/shell.h"
#include "../base/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  ALL_RANKS = 16, /* so many have a line each */
  SITES = 5
};

static double
share (uint64_t part, uint64_t all)
{
  return all != 0 ? 100. * (double) part / (double) all : 0;
}

/* Ranks.  */

static void
print_row (FILE *to, const char *rank, const struct rank_row *r,
           const char *remark)
{
  fprintf (to, "  %8s %12.3f s %6.1f %%%s\n", rank, (double) r->time / 1e9,
           share (r->mpi, r->time), remark);
}

static void
print_rank (FILE *to, const struct rank_memory *m, uint32_t i,
            const char *remark)
{
  char rank[16];

  snprintf (rank, sizeof rank, "%" PRIu32, i);
  print_row (to, rank, &m->rows[i], remark);
}

/* The ranks that stand out.  Of equal ones, the lowest.  */
struct extremes
{
  uint32_t slowest, least, most; /* most time outside MPI; shares in MPI */
  struct rank_row sum;
};

static struct extremes
find_extremes (const struct rank_memory *m, uint32_t n)
{
  struct extremes e = { .slowest = 0 };

  for (uint32_t i = 0; i < n; i++)
    {
      const struct rank_row *r = &m->rows[i];
      double in_mpi = share (r->mpi, r->time);

      if (r->outside > m->rows[e.slowest].outside)
        e.slowest = i;
      if (in_mpi < share (m->rows[e.least].mpi, m->rows[e.least].time))
        e.least = i;
      if (in_mpi > share (m->rows[e.most].mpi, m->rows[e.most].time))
        e.most = i;
      e.sum.time += r->time;
      e.sum.mpi += r->mpi;
    }
  return e;
}

static void
print_ranks (FILE *to, const struct rank_memory *m, uint32_t n)
{
  static const char slowest[] = "  slowest: most time outside MPI";
  struct extremes e = find_extremes (m, n);
  struct rank_row mean = { .time = e.sum.time / n,
                           .mpi = e.sum.mpi / n };

  fprintf (to, "%" PRIu32 " rank%s, %.3f s, %.1f %% of it in MPI\n\n", n,
           n == 1 ? "" : "s", (double) e.sum.time / 1e9,
           share (e.sum.mpi, e.sum.time));
  if (n == 1)
    return;
  fprintf (to, "  %8s %14s %8s\n", "rank", "time", "in MPI");
  for (uint32_t i = 0; i < n && n <= ALL_RANKS; i++)
    print_rank (to, m, i, i == e.slowest ? slowest : "");
  if (n > ALL_RANKS)
    {
      print_rank (to, m, e.slowest, slowest);
      print_rank (to, m, e.least, "  least in MPI");
      print_rank (to, m, e.most, "  most in MPI");
    }
  print_row (to, "mean", &mean, "");
  fputc ('\n', to);
}

/* Calls.  */

struct site
{
  uint32_t caller, file, line;
  uint32_t callee; /* an MPI function */
  uint64_t count;
  uint64_t time;
};

struct calls
{
  const struct cgw_names *names;
  struct table sites;
};

static enum cgw_status
take_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  struct calls *c = context;
  struct site key = { .caller = from->fn.handle,
                      .file = from->file.handle,
                      .line = from->line,
                      .callee = to->fn.handle };
  const char *callee = cgw_fn_name (c->names, to->fn, NULL, NULL);
  struct site *site;

  if (n == 0 || strncmp (callee, "MPI_", 4) != 0)
    return CGW_OK;
  site = table_add (&c->sites, &key);
  site->count += count;
  site->time += cost[0];
  return CGW_OK;
}

/* The most time first; of equal ones, the first in the profile, which is
   sorted.  */
static int
compare (const void *a, const void *b)
{
  const struct site *x = a;
  const struct site *y = b;

  if (x->time != y->time)
    return x->time < y->time ? 1 : -1;
  return x < y ? -1 : 1;
}

static void
print_site (FILE *to, const struct calls *c, const struct site *s)
{
  struct cgw_file file;
  const char *caller
      = cgw_fn_name (c->names, (struct cgw_fn){ s->caller }, &file, NULL);
  const char *path, *slash;

  if (s->file != 0)
    file.handle = s->file;
  path = cgw_file_name (c->names, file);
  slash = strrchr (path, '/');
  fprintf (to, "  %10.3f s %12" PRIu64 "  %-20s ", (double) s->time / 1e9,
           s->count,
           cgw_fn_name (c->names, (struct cgw_fn){ s->callee }, NULL, NULL));
  printable_print (to, caller);
  if (s->line != 0)
    {
      fputs (" (", to);
      printable_print (to, slash != NULL ? slash + 1 : path);
      fprintf (to, ":%" PRIu32 ")", s->line);
    }
  fputc ('\n', to);
}

static void
print_sites (FILE *to, struct calls *c)
{
  struct site *sites = (struct site *) (void *) c->sites.entries;

  if (c->sites.n == 0)
    return;
  qsort (sites, c->sites.n, sizeof *sites, compare);
  fprintf (to, "  %12s %12s  %-20s %s\n", "time", "calls", "function",
           "caller");
  for (uint32_t i = 0; i < c->sites.n && i < SITES; i++)
    print_site (to, c, &sites[i]);
  fputc ('\n', to);
}

char *
summary_make (const struct rank_memory *memory, struct cgw_profile *profile,
              const struct cgw_names *names, const char *out)
{
  struct calls calls = { .names = names,
                         .sites = { .key_size = offsetof (struct site, count),
                                    .entry_size = sizeof (struct site) } };
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  uint32_t n_ranks = memory->size;
  char *text;
  size_t n;
  FILE *to;

  if (n_ranks == 0 || n_ranks > RANK_ROWS) /* a program gone wild */
    return NULL;
  to = open_memstream (&text, &n);
  if (to == NULL)
    no_memory ();
  fputs ("cgw-mpi: ", to);
  print_ranks (to, memory, n_ranks);
  visitor.context = &calls;
  visitor.call = take_call;
  if (cgw_profile_visit (profile, &visitor) == CGW_ENOMEM)
    no_memory ();
  print_sites (to, &calls);
  table_free (&calls.sites);
  if (strcmp (out, "-") != 0)
    {
      fputs ("Open it:  kcachegrind", to);
      shell_print_file (to, out);
      fputc ('\n', to);
    }
  fclose (to);
  return text;
}
