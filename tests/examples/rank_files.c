/* rank_files.c - writes files as the ranks of an MPI program leave them, and
   what rank 0 would write of all.

   rank_files FOLDER RANKS: writes FOLDER/rank-N.out of each rank N, and
   FOLDER/out.  Some ranks are as slow or as fast as others, one has nothing.

   SPDX-License-Identifier: MIT  */

#include <cgw.h>

#include <stdio.h>
#include <stdlib.h>

enum { COSTS = 3, DEPTH = 6, STACKS = 300 };

static unsigned random_state;

static unsigned
below (unsigned n)
{
  random_state = random_state * 1103515245u + 12345u;
  return (random_state >> 16) % n;
}

/* Of all files.  */
static struct cgw_names *names;

static struct cgw_writer *
new_writer (const char *folder, const char *name)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  char path[500];

  snprintf (path, sizeof path, "%s/%s", folder, name);
  options.flags = CGW_NO_PAD;
  if (cgw_open (&w, names, path, &options) != CGW_OK)
    exit (EXIT_FAILURE);
  return w;
}

static struct cgw_profile *
new_profile (size_t n_events)
{
  struct cgw_profile *p;

  if (cgw_profile_new (&p, names, n_events, CGW_INSTR_LINE) != CGW_OK)
    exit (EXIT_FAILURE);
  return p;
}

/* A few functions call each other, so there is recursion; line and address go
   together, some costs are 0, and some functions are in an unknown object.  */
static struct cgw_pos
random_position (void)
{
  unsigned fn = below (9);
  char name[20], file[20];
  struct cgw_object object = { 0 };
  struct cgw_pos pos;

  sprintf (name, "f%u", fn);
  sprintf (file, "%u.c", fn % 3);
  if (fn % 4 != 0)
    object = cgw_add_object (names, fn % 2 ? "program" : "libmpi.so");
  pos.line = below (30);
  pos.instr = 0x1000 * (fn + 1) + pos.line * 4;
  pos.file = (struct cgw_file){ 0 };
  if (fn == 5)
    pos.file = cgw_add_file (names, "inlined.h");
  pos.fn = cgw_add_fn (names, name, cgw_add_file (names, file), object);
  return pos;
}

/* The stacks of a rank.  If p has three events, the second are those of the
   slowest rank, the third those of the fastest.  */
static void
add_stacks (struct cgw_profile *p, unsigned rank, size_t n_events,
            unsigned slowest, unsigned fastest)
{
  struct cgw_pos stack[DEPTH];

  random_state = rank + 1;
  if (rank == 3)
    return;
  for (unsigned i = 0; i < STACKS; i++)
    {
      unsigned n = 1 + below (DEPTH);
      uint64_t ns = below (4) * UINT64_C (1000000007);
      uint64_t cost[COSTS] = { ns, rank == slowest ? ns : 0,
                               rank == fastest ? ns : 0 };

      for (unsigned k = 0; k < n; k++)
        stack[k] = random_position ();
      if (cgw_profile_stack (p, stack, n, 1 + below (3), cost, n_events)
          != CGW_OK)
        exit (EXIT_FAILURE);
    }
}

static void
write_profile (struct cgw_writer *w, struct cgw_profile *p,
               struct cgw_part *part)
{
  part->positions = CGW_INSTR_LINE;
  if (cgw_profile_write (p, w, part) != CGW_OK || cgw_finish (w) != CGW_OK)
    exit (EXIT_FAILURE);
  cgw_profile_free (p);
  cgw_free (w);
}

/* Nanoseconds outside MPI: the most and the least come twice.  */
static unsigned
outside (unsigned rank)
{
  return 1000 + (rank + 2) % 5;
}

static void
write_rank (const char *folder, unsigned rank, unsigned n_ranks)
{
  struct cgw_event event = { "Time", "Time in ns", NULL };
  struct cgw_part part = CGW_PART_INIT;
  char name[40], of[40], ns[40], cmd[40];
  const char *desc[] = { of, ns };
  struct cgw_writer *w;
  struct cgw_profile *p;

  sprintf (name, "rank-%02u.out", rank);
  sprintf (of, "Rank: %u of %u", rank, n_ranks);
  sprintf (ns, "Outside MPI: %u", outside (rank));
  sprintf (cmd, "program %u", rank / 4);
  w = new_writer (folder, name);
  p = new_profile (1);
  add_stacks (p, rank, 1, 0, 0);
  part.events = &event;
  part.n_events = 1;
  part.cmd = cmd;
  part.desc = desc;
  part.n_desc = 2;
  write_profile (w, p, &part);
}

static void
write_all (const char *folder, unsigned n_ranks)
{
  char bound[20];
  struct cgw_event events[]
      = { { "Time", "Time of all ranks in ns", NULL },
          { "Slow", "Time of the slowest rank", NULL },
          { "Fast", "Time of the fastest rank", NULL },
          { "Bound", "Time if all ranks were like the slowest", bound } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_writer *w = new_writer (folder, "out");
  struct cgw_profile *p = new_profile (COSTS);
  unsigned slowest = 0, fastest = 0;

  for (unsigned i = 1; i < n_ranks; i++)
    {
      if (outside (i) > outside (slowest))
        slowest = i;
      if (outside (i) < outside (fastest))
        fastest = i;
    }
  for (unsigned i = 0; i < n_ranks; i++)
    add_stacks (p, i, COSTS, slowest, fastest);
  sprintf (bound, "%u Slow", n_ranks);
  part.events = events;
  part.n_events = 4;
  part.cmd = "program 0";
  write_profile (w, p, &part);
}

int
main (int argc, char **argv)
{
  unsigned n_ranks = argc == 3 ? (unsigned) atoi (argv[2]) : 0;

  if (n_ranks == 0)
    return 2;
  if (cgw_names_new (&names, NULL) != CGW_OK)
    return EXIT_FAILURE;
  /* Objects are known as such from the first.  */
  cgw_add_object (names, "???");
  for (unsigned i = 0; i < n_ranks; i++)
    write_rank (argv[1], i, n_ranks);
  write_all (argv[1], n_ranks);
  cgw_names_free (names);
  return 0;
}
