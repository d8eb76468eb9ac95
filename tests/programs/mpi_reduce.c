/* mpi_reduce.c - tries cgw_mpi_reduce on all ranks of an MPI program.

   mpi_reduce FOLDER: each rank is the root once (of more than 8, ranks 0 and
   16 are) and writes FOLDER/reduced-ROOT; rank 0 writes FOLDER/merged, the same
   sums without MPI.  Prints what is wrong; the status is 1 then.

   SPDX-License-Identifier: MIT  */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header's own allocations: they fail on demand, and are counted.  */
static bool no_buffer;
static int buffers;
static void *
take_buffer (void *p, size_t n)
{
  void *bytes = no_buffer ? NULL : realloc (p, n);

  buffers += p == NULL && bytes != NULL;
  return bytes;
}
static void
free_buffer (void *p)
{
  buffers -= p != NULL;
  free (p);
}
#define realloc take_buffer
#define free free_buffer
#include <cgw_mpi.h>
#undef realloc
#undef free

/* Those of names, and of all that use them.  */
static bool no_memory;
static void *
allocate (void *context, void *p, size_t n)
{
  (void) context;
  if (n == 0)
    free (p);
  else if (!no_memory)
    return realloc (p, n);
  return NULL;
}

static int rank, size;
static int failures;

static void
expect (bool right, const char *what, int got)
{
  if (right)
    return;
  fprintf (stderr, "rank %d of %d: %s: %d\n", rank, size, what, got);
  failures++;
}

struct sums
{
  struct cgw_names *names;
  struct cgw_profile *p;
};

static struct sums
begin (size_t n_events)
{
  struct cgw_names_options options = CGW_NAMES_OPTIONS_INIT;
  struct sums s;

  options.allocate = allocate;
  if (cgw_names_new (&s.names, &options) != CGW_OK
      || cgw_profile_new (&s.p, s.names, n_events, CGW_LINE) != CGW_OK)
    MPI_Abort (MPI_COMM_WORLD, 1);
  return s;
}

static void
end (struct sums *s)
{
  cgw_profile_free (s->p);
  cgw_names_free (s->names);
}

static struct cgw_pos
position (struct cgw_names *names, const char *name, unsigned line)
{
  struct cgw_fn fn = cgw_add_fn (names, name, cgw_add_file (names, "ranks.c"),
                                 cgw_add_object (names, "ranks"));
  struct cgw_pos pos = { fn, { 0 }, line, 0 };

  return pos;
}

/* Names and costs that all ranks have, and some that only one has.  */
static void
add_costs (struct sums *s, int of)
{
  char name[40];
  uint64_t cost = (uint64_t) of + 1;
  struct cgw_pos stack[5];

  for (unsigned i = 0; i < 5; i++)
    stack[i] = position (s->names, i % 2 ? "recursive" : "function", i);
  cgw_profile_stack (s->p, stack, 5, 2, &cost, 1);
  for (unsigned i = 0; i < 100; i++)
    {
      sprintf (name, "f%u of %d", i, i % 3 == 0 ? of : -1);
      stack[i % 5] = position (s->names, name, i);
      cgw_profile_cost (s->p, &stack[i % 5], &cost, 1);
      cgw_profile_call (s->p, &stack[i % 5], &stack[(i + 1) % 5], i + 1,
                        &cost, 1);
    }
}

/* A name of that length.  */
static void
add_name (struct sums *s, size_t length)
{
  char *name = malloc (length + 1);
  struct cgw_pos pos;

  memset (name, 'x', length);
  name[length] = '\0';
  pos = position (s->names, name, 1);
  cgw_profile_cost (s->p, &pos, (uint64_t[]){ 1 }, 1);
  free (name);
}

static ssize_t
count (void *context, const void *bytes, size_t n)
{
  (void) bytes;
  *(size_t *) context += n;
  return (ssize_t) n;
}

static size_t
packed_size (struct sums *s)
{
  size_t n = 0;

  return cgw_profile_pack (s->p, count, &n) == CGW_OK ? n : 0;
}

/* What a rank has: usually costs; but one has none, one has so many names that
   several pieces travel, and one exactly as many bytes as are in a piece.  */
static void
fill (struct sums *s, int of)
{
  size_t length = 20000;
  struct sums trial;

  if (of == 1)
    return;
  if (of == 3)
    {
      trial = begin (1);
      add_name (&trial, length);
      length += CGW_MPI_PIECE - packed_size (&trial);
      end (&trial);
      add_name (s, length);
      expect (packed_size (s) == CGW_MPI_PIECE, "bytes of one piece",
              (int) packed_size (s));
      return;
    }
  add_costs (s, of);
  for (size_t i = 0; of == 2 && i < 10; i++)
    add_name (s, 30000 + i);
}

static void
write_file (struct sums *s, const char *folder, const char *name)
{
  char path[500];
  struct cgw_writer *w;
  struct cgw_event event = { "Ns", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;

  part.events = &event;
  part.n_events = 1;
  snprintf (path, sizeof path, "%s/%s", folder, name);
  cgw_open (&w, s->names, path, NULL);
  expect (cgw_profile_write (s->p, w, &part) == CGW_OK, "cgw_profile_write",
          0);
  expect (cgw_finish (w) == CGW_OK, "cgw_finish", 0);
  cgw_free (w);
}

/* Without MPI.  */
static void
merge (const char *folder)
{
  struct sums all = begin (1), one;

  for (int i = 0; i < size; i++)
    {
      one = begin (1);
      fill (&one, i);
      expect (cgw_profile_merge (all.p, one.p) == CGW_OK, "merge", i);
      end (&one);
    }
  write_file (&all, folder, "merged");
  end (&all);
}

/* In a communicator whose ranks are in another order, and with a receive under
   way that takes any message of the program's own.  */
static void
reduce (const char *folder, int root, MPI_Comm comm)
{
  char name[40];
  enum cgw_status status;
  struct sums s = begin (1);
  MPI_Request request;
  int own, got = -1;

  MPI_Comm_rank (comm, &own);
  MPI_Irecv (&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  snprintf (name, sizeof name, "reduced-%d", root);
  fill (&s, own);
  status = cgw_mpi_reduce (s.p, root, comm);
  expect (status == CGW_OK, "the status", (int) status);
  if (own == root)
    write_file (&s, folder, name);
  end (&s);
  MPI_Send (&own, 1, MPI_INT, (own + 1) % size, 0, comm);
  MPI_Wait (&request, MPI_STATUS_IGNORE);
  expect (got == (own + size - 1) % size, "the program's own message", got);
}

/* What can be wrong with one rank.  */
enum wrong
{
  NOTHING,
  NO_PROFILE,
  OTHER_EVENTS,
  NO_BUFFER,
  NO_MEMORY,
  N_WRONG
};

/* The status that all must get.  */
static enum cgw_status
expected (enum wrong wrong, int who, int root)
{
  int place = (who - root + size) % size;

  switch (wrong)
    {
    case NO_PROFILE:
      return CGW_EINVAL;
    case OTHER_EVENTS:
      return size > 1 ? CGW_EINVAL : CGW_OK;
    case NO_BUFFER: /* of one that receives */
      return place % 2 == 0 && place + 1 < size ? CGW_ENOMEM : CGW_OK;
    case NO_MEMORY:
      return size > 1 ? CGW_ENOMEM : CGW_OK;
    default:
      return CGW_OK;
    }
}

static void
fail (enum wrong wrong, int who, int root)
{
  bool is_me = rank == who;
  bool has_others = is_me && wrong == OTHER_EVENTS;
  struct sums s = begin (has_others ? 2 : 1);
  enum cgw_status status;

  if (!has_others)
    fill (&s, rank);
  no_buffer = is_me && wrong == NO_BUFFER;
  no_memory = is_me && wrong == NO_MEMORY;
  status = cgw_mpi_reduce (is_me && wrong == NO_PROFILE ? NULL : s.p, root,
                           MPI_COMM_WORLD);
  no_buffer = no_memory = false;
  if (status != expected (wrong, who, root))
    fprintf (stderr, "kind %d, rank %d, root %d:\n", (int) wrong, who, root);
  expect (status == expected (wrong, who, root), "the status", (int) status);
  end (&s);
}

int
main (int argc, char **argv)
{
  struct sums s;
  MPI_Comm comm;
  int sum;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  if (argc != 2)
    MPI_Abort (MPI_COMM_WORLD, 2);
  s = begin (1);
  expect (cgw_mpi_reduce (s.p, -1, MPI_COMM_WORLD) == CGW_EINVAL, "root", -1);
  expect (cgw_mpi_reduce (s.p, size, MPI_COMM_WORLD) == CGW_EINVAL, "root",
          size);
  end (&s);
  for (int wrong = NOTHING; wrong < N_WRONG; wrong++)
    for (int root = 0; root < size; root += size / 2 + 1)
      for (int who = 0; who < size; who += size / 2 + 1)
        fail ((enum wrong) wrong, who, root);

  MPI_Comm_split (MPI_COMM_WORLD, 0, -rank, &comm);
  /* More ranks than processors take turns: 32 reductions take a minute.  */
  for (int root = 0; root < size; root += size > 8 ? 16 : 1)
    reduce (argv[1], root, comm);
  MPI_Comm_free (&comm);
  if (rank == 0)
    merge (argv[1]);
  expect (buffers == 0, "buffers that were not freed", buffers);
  MPI_Allreduce (&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize ();
  return sum != 0;
}
