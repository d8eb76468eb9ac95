/* positions.c - costs that a profile adds up by position; and what tools do by
   hand instead.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "contender.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum
{
  PER_FN = 100,  /* positions */
  PER_FILE = 10, /* functions */
  KNOWN = 1000
};

struct positions
{
  struct workload w;
  struct cgw_profile *p;
};

/* n positions in random order, each once, and then all again in another
   order.  */
static struct positions *
positions_new (struct heap *heap, size_t n)
{
  struct positions *p = bench_allocate (1, sizeof *p);
  size_t n_fns = (n + PER_FN - 1) / PER_FN;
  uint32_t *order = workload_order (n);

  workload_empty (&p->w, heap, 2 * n, n_fns,
                  (n_fns + PER_FILE - 1) / PER_FILE);
  for (size_t i = 0; i < 2 * n; i++)
    {
      size_t k = order[i < n ? i : order[i - n]];

      workload_add (&p->w, k / PER_FN, 0x401000 + 5 * k,
                    (uint32_t)(1 + k % 10000));
    }
  free (order);
  if (cgw_profile_new (&p->p, p->w.names, 1, CGW_INSTR_LINE) != CGW_OK)
    bench_fail ("cgw_profile_new");
  return p;
}

static void *
positions_open (const struct group *g)
{
  return positions_new (NULL, g->variant ? g->variant : bench.positions);
}

static void
positions_close (void *world)
{
  struct positions *p = world;

  cgw_profile_free (p->p);
  workload_free (&p->w);
  free (p);
}

/* Nanoseconds per position.  */
static double
add_positions (struct positions *p, size_t first, size_t n)
{
  const struct script *s = &p->w.script;
  double start = bench_time ();

  for (size_t i = first; i < first + n; i++)
    if (cgw_profile_cost (p->p, &s->events[i].pos, &s->costs[i], 1) != CGW_OK)
      bench_fail ("cgw_profile_cost");
  return (bench_time () - start) / (double)n;
}

/* Each position is new, and then each is known.  */
static void
positions_run (void *world, size_t i, double *values)
{
  struct positions *p = world;
  size_t n = p->w.script.n / 2;

  (void)i;
  if (cgw_profile_clear (p->p) != CGW_OK)
    bench_fail ("cgw_profile_clear");
  values[0] = add_positions (p, 0, n);
  values[1] = add_positions (p, n, n);
}

static void
positions_weigh (const struct group *g, void *world)
{
  struct heap heap = { 0 };
  struct positions *p = positions_new (&heap, bench.positions);
  size_t before = heap.bytes;

  (void)world;
  add_positions (p, 0, p->w.script.n);
  print_value (g, "libcgw", "bytes",
               (double)(heap.bytes - before) / (double)bench.positions);
  positions_close (p);
}

static const struct subject subjects[]
    = { { "libcgw", "cgw_profile", NULL, NULL } };
static const char *const columns[] = { "new_ns", "known_ns" };

const struct group positions_group
    = { .name = "positions",
        .title = "a cost added at a position, in random order: new; known",
        .base = "-",
        .subjects = subjects,
        .n = 1,
        .runs = 11,
        .open = positions_open,
        .close = positions_close,
        .columns = columns,
        .n_columns = 2,
        .run = positions_run,
        .finish = positions_weigh };

/* Known positions, over and over.  */

static int
add_known (void *world, size_t i)
{
  const struct positions *p = world;

  return (int)cgw_profile_cost (p->p, &p->w.script.events[i % KNOWN].pos,
                                &p->w.script.costs[i % KNOWN], 1);
}

static int
add_nothing (void *world, size_t i)
{
  const struct positions *p = world;

  return do_nothing (p->p, &p->w.script.events[i % KNOWN].pos,
                     &p->w.script.costs[i % KNOWN], 1, NULL);
}

static const struct subject known_subjects[]
    = { { "cost", "cgw_profile_cost", add_known, NULL },
        { "nothing", "the replay alone", add_nothing, NULL } };

const struct group known_group
    = { .name = "known",
        .title = "a cost added at one of a thousand known positions",
        .base = "-",
        .subjects = known_subjects,
        .n = 2,
        .variant = KNOWN,
        .each = 1,
        .runs = 11,
        .open = positions_open,
        .close = positions_close };

/* Lines that come once, from adding them to the closed file.  */

/* By hand: a hash table that grows, qsort, fprintf.  */

struct cell
{
  uint32_t fn; /* 0: nothing is here */
  uint32_t line;
  uint64_t cost;
};

struct table
{
  struct cell *cells;
  size_t size; /* a power of two */
  size_t n;
};

static struct cell *
table_find (const struct table *t, uint32_t fn, uint32_t line)
{
  uint64_t hash
      = ((uint64_t)fn << 32 | line) * UINT64_C (0x9e3779b97f4a7c15);
  size_t i = hash >> 32 & (t->size - 1);

  while (t->cells[i].fn != 0
         && (t->cells[i].fn != fn || t->cells[i].line != line))
    i = (i + 1) & (t->size - 1);
  return &t->cells[i];
}

static void
table_grow (struct table *t)
{
  size_t size = t->size > 0 ? 2 * t->size : 64;
  struct table larger
      = { bench_allocate (size, sizeof *t->cells), size, t->n };

  for (size_t i = 0; i < t->size; i++)
    if (t->cells[i].fn != 0)
      *table_find (&larger, t->cells[i].fn, t->cells[i].line) = t->cells[i];
  free (t->cells);
  *t = larger;
}

static void
table_add (struct table *t, const struct cgw_pos *pos, uint64_t cost)
{
  struct cell *cell;

  if (t->n >= t->size / 4 * 3)
    table_grow (t);
  cell = table_find (t, pos->fn.handle, pos->line);
  t->n += cell->fn == 0;
  cell->fn = pos->fn.handle;
  cell->line = pos->line;
  cell->cost += cost;
}

static int
compare_cells (const void *a, const void *b)
{
  const struct cell *x = a, *y = b;

  return x->fn != y->fn ? (x->fn > y->fn) - (x->fn < y->fn)
                        : (x->line > y->line) - (x->line < y->line);
}

static void
table_write (const struct table *t, const struct workload *w, FILE *file)
{
  uint32_t fn = 0;

  fprintf (file, "# callgrind format\nevents: %s\n", w->event_names[0]);
  for (size_t i = 0; i < t->n; i++)
    {
      const struct cell *cell = &t->cells[i];

      if (cell->fn != fn)
        {
          const struct bench_name *name
              = workload_name (w, CGIN_FN, fn = cell->fn);
          fprintf (file, "fl=%s\nfn=%s\n",
                   workload_name (w, CGIN_FILE, name->file)->text,
                   name->text);
        }
      fprintf (file, "%" PRIu32 " %" PRIu64 "\n", cell->line, cell->cost);
    }
}

static void
once_by_hand (const struct positions *p, size_t n, int fd)
{
  const struct script *s = &p->w.script;
  FILE *file = fdopen (dup (fd), "w");
  struct table t = { 0 };
  size_t kept = 0;

  for (size_t i = 0; i < n; i++)
    table_add (&t, &s->events[i].pos, s->costs[i]);
  for (size_t i = 0; i < t.size; i++)
    if (t.cells[i].fn != 0)
      t.cells[kept++] = t.cells[i];
  qsort (t.cells, t.n, sizeof *t.cells, compare_cells);
  table_write (&t, &p->w, file);
  if (fclose (file) != 0 || t.n != n)
    bench_fail ("fprintf");
  free (t.cells);
}

static void
once_by_libcgw (const struct positions *p, size_t n, int fd)
{
  const struct cgw_event event = { .name = p->w.event_names[0] };
  struct cgw_part part = CGW_PART_INIT;
  struct positions lines = *p;
  struct cgw_writer *w;

  part.events = &event;
  part.n_events = 1;
  if (cgw_profile_new (&lines.p, p->w.names, 1, CGW_LINE) != CGW_OK
      || cgw_open_fd (&w, p->w.names, fd, NULL) != CGW_OK)
    bench_fail ("cgw_open_fd");
  add_positions (&lines, 0, n);
  if (cgw_profile_write (lines.p, w, &part) != CGW_OK
      || cgw_finish (w) != CGW_OK)
    bench_fail ("cgw_profile_write");
  cgw_free (w);
  cgw_profile_free (lines.p);
}

static void
once_run (void *world, size_t i, double *ns)
{
  const struct positions *p = world;
  size_t n = p->w.script.n / 2;
  int fd = sink_open_file ();
  double start = bench_time ();

  (i == 0 ? once_by_hand : once_by_libcgw) (p, n, fd);
  *ns = (bench_time () - start) / (double)n;
  close (fd);
}

static const struct subject once_subjects[]
    = { { "by_hand", "hash table, qsort and fprintf", NULL, NULL },
        { "libcgw", "cgw_profile", NULL, NULL } };
static const char *const once_columns[] = { "ns" };

const struct group once_group
    = { .name = "once",
        .title = "a line that comes once, in random order, to the file",
        .base = "by_hand",
        .subjects = once_subjects,
        .n = 2,
        .runs = 11,
        .open = positions_open,
        .close = positions_close,
        .columns = once_columns,
        .n_columns = 1,
        .run = once_run };
