/* tree.c - plays the binomial tree of cgw_mpi_reduce in one process: each rank
   has names and a profile, and packed profiles are what travels.

   tree RANKS FUNCTIONS same|different [all]: prints for each level of the tree
   the largest message and the longest times, and "figure NAME VALUE" lines:
   the critical path, which is the time until the root has all, from measured
   processor time and a network with the LATENCY and BANDWIDTH below; bytes;
   and memory at the root.  A message is packed, sent and unpacked one after
   the other.

   With the same names on all ranks, subtrees of one size are packed once: all
   ranks have the same costs then, too.  "all" packs each of them.  The status
   is 1 if the sums are wrong.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../support/heap.h"
#include "rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As of clusters of today.  */
#define LATENCY 2e-6     /* seconds of a message */
#define BANDWIDTH 10e9   /* bytes a second */

enum { LEVELS = 32 };

struct message
{
  unsigned char *bytes;
  size_t n, room;
  double ready;            /* seconds after the start */
  unsigned long ranks;     /* whose sum it is */
  struct message *next;
};

struct level
{
  unsigned long messages;
  size_t most_bytes;
  double longest_pack, longest_unpack;
};

struct memory
{
  struct heap heap;
  size_t peak;
};

struct rank
{
  struct cgw_names *names;
  struct cgw_profile *p;
  struct memory memory;
  double time;
};

static unsigned n_functions;
static bool same_names, pack_all;
static struct level levels[LEVELS];
static struct message *kept; /* by number of ranks, for same names */

static void
fail (const char *what)
{
  fprintf (stderr, "bench-mpi: %s\n", what);
  exit (EXIT_FAILURE);
}

static double
processor_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void *
allocate (void *context, void *p, size_t n)
{
  struct memory *m = context;
  void *block = heap_allocate (&m->heap, p, n);

  if (m->heap.bytes > m->peak)
    m->peak = m->heap.bytes;
  return block;
}

/* The rank whose costs a rank has.  */
static unsigned long
costs_of (unsigned long number)
{
  return same_names && !pack_all ? 0 : number;
}

static void
begin_rank (struct rank *r, unsigned long number)
{
  struct cgw_names_options options = CGW_NAMES_OPTIONS_INIT;

  *r = (struct rank){ 0 };
  options.allocate = allocate;
  options.allocate_context = &r->memory;
  if (cgw_names_new (&r->names, &options) != CGW_OK
      || cgw_profile_new (&r->p, r->names, RANK_EVENTS, CGW_INSTR_LINE)
             != CGW_OK)
    fail ("no memory");
  rank_fill (r->names, r->p, costs_of (number), n_functions, same_names);
}

static void
end_rank (struct rank *r)
{
  cgw_profile_free (r->p);
  cgw_names_free (r->names);
}

/* Messages.  */

static ssize_t
append (void *context, const void *bytes, size_t n)
{
  struct message *m = context;

  if (m->room - m->n < n)
    {
      m->room = 2 * m->room + n;
      m->bytes = realloc (m->bytes, m->room);
      if (m->bytes == NULL)
        {
          errno = ENOMEM;
          return -1;
        }
    }
  memcpy (m->bytes + m->n, bytes, n);
  m->n += n;
  return (ssize_t) n;
}

static struct message
pack (struct rank *r, struct level *level)
{
  struct message m = { 0 };
  double start = processor_time ();
  double seconds;

  if (cgw_profile_pack (r->p, append, &m) != CGW_OK)
    fail ("cgw_profile_pack failed");
  seconds = processor_time () - start;
  if (seconds > level->longest_pack)
    level->longest_pack = seconds;
  m.ready = r->time + seconds;
  return m;
}

static void
unpack (struct rank *r, const struct message *m, struct level *level)
{
  double arrival = m->ready + LATENCY + (double) m->n / BANDWIDTH;
  double start = processor_time ();
  double seconds;

  if (cgw_profile_unpack (r->p, m->bytes, m->n) != CGW_OK)
    fail ("cgw_profile_unpack failed");
  seconds = processor_time () - start;
  level->messages++;
  if (seconds > level->longest_unpack)
    level->longest_unpack = seconds;
  if (m->n > level->most_bytes)
    level->most_bytes = m->n;
  r->time = (r->time > arrival ? r->time : arrival) + seconds;
}

/* The tree.  */

/* Adds to the first of n ranks what the others have.  */
static void receive (struct rank *r, unsigned long first, unsigned long n);

/* What the first of n ranks sends.  */
static struct message
subtree (unsigned long first, unsigned long n, struct level *level)
{
  struct rank r;
  struct message m;

  begin_rank (&r, first);
  receive (&r, first, n);
  m = pack (&r, level);
  m.ranks = n;
  end_rank (&r);
  return m;
}

static const struct message *
kept_subtree (unsigned long first, unsigned long n, struct level *level)
{
  struct message *m = kept;

  while (m != NULL && m->ranks != n)
    m = m->next;
  if (m == NULL)
    {
      struct message new = subtree (first, n, level);

      m = malloc (sizeof *m);
      if (m == NULL)
        fail ("no memory");
      *m = new;
      m->next = kept;
      kept = m;
    }
  return m;
}

static void
receive (struct rank *r, unsigned long first, unsigned long n)
{
  struct level *level = levels;

  for (unsigned long step = 1; step < n; step *= 2, level++)
    {
      unsigned long ranks = step < n - step ? step : n - step;

      if (same_names && !pack_all)
        unpack (r, kept_subtree (first + step, ranks, level), level);
      else
        {
          struct message m = subtree (first + step, ranks, level);

          unpack (r, &m, level);
          free (m.bytes);
        }
    }
}

static void
check_sum (const struct rank *root, unsigned long n_ranks)
{
  uint64_t total, expected = 0;

  cgw_profile_total (root->p, &total, 1);
  for (unsigned long i = 0; i < n_ranks; i++)
    expected += rank_total (costs_of (i), n_functions);
  if (total != expected)
    fail ("wrong: the sum of all ranks");
}

static void
print_levels (void)
{
  printf ("ranks below  largest message KB  pack ms  unpack ms\n");
  for (int i = 0; i < LEVELS && levels[i].messages > 0; i++)
    printf ("%11lu  %18.1f  %7.2f  %9.2f\n", 1ul << i,
            (double) levels[i].most_bytes / 1e3, levels[i].longest_pack * 1e3,
            levels[i].longest_unpack * 1e3);
}

static void
print_figure (char **argv, const char *name, double value)
{
  printf ("figure tree_%s_%sx%s_%s %.2f\n", argv[3], argv[1], argv[2], name,
          value);
}

int
main (int argc, char **argv)
{
  unsigned long n_ranks = argc > 3 ? strtoul (argv[1], NULL, 10) : 0;
  struct rank root;
  size_t own, last = 0;
  double at_root; /* bytes */

  n_functions = argc > 3 ? (unsigned) atoi (argv[2]) : 0;
  if (n_ranks == 0 || n_functions == 0)
    return 2;
  same_names = strcmp (argv[3], "same") == 0;
  pack_all = argc > 4;
  begin_rank (&root, 0);
  own = root.memory.heap.bytes;
  receive (&root, 0, n_ranks);
  check_sum (&root, n_ranks);
  for (int i = 0; i < LEVELS; i++)
    if (levels[i].most_bytes > last)
      last = levels[i].most_bytes;
  at_root = (double) (root.memory.peak + last);
  print_levels ();
  print_figure (argv, "ms", root.time * 1e3);
  print_figure (argv, "largest_kbytes", (double) last / 1e3);
  print_figure (argv, "root_mbytes", at_root / 1e6);
  print_figure (argv, "root_grows", at_root / (double) own);
  end_rank (&root);
  while (kept != NULL)
    {
      struct message *next = kept->next;

      free (kept->bytes);
      free (kept);
      kept = next;
    }
  return 0;
}
