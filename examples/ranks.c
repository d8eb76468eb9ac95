/* ranks.c - an MPI program that profiles itself: each rank has a tracer, and
   cgw_mpi_reduce adds up the profiles of all ranks.
     mpicc ranks.c -o ranks $(pkg-config --cflags --libs cgw)
     mpirun -n 4 ./ranks; callgrind_annotate callgrind.out.ranks
   The ranks look for a number that takes 300 steps or more to 1, where an odd n
   becomes 3n + 1 and an even n becomes n / 2.  Higher ranks search more
   numbers; the others wait in agree.  SPDX-License-Identifier: MIT  */
#include <cgw_mpi.h>
#include <stdio.h>

enum { RUN, SEARCH, AGREE, N, STEPS = N };
static const char *const functions[N] = { "run", "search", "agree" };
static struct cgw_fn fns[N];
static struct cgw_tracer *tracer;
static uint64_t counts[N + 1]; /* calls of each function, and steps */
#define NOW ((uint64_t[]){ (uint64_t) (MPI_Wtime () * 1e9) }) /* nanoseconds */

static void
enter (int function, uint32_t line)
{
  struct cgw_pos begin = { fns[function], .line = line };
  counts[function]++;
  cgw_tracer_enter (tracer, NULL, &begin, 0, NOW);
}

static uint64_t
search (uint64_t end)
{
  uint64_t max = 0, all = 0, steps;
  enter (SEARCH, __LINE__);
  for (uint64_t first = 1; first < end; first++, all += steps)
    {
      steps = 0;
      for (uint64_t n = first; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
        steps++;
      max = steps > max ? steps : max;
    }
  counts[STEPS] += all;
  cgw_tracer_cost (tracer, NULL, &all, 1); /* event 1; 0 is the clock */
  cgw_tracer_leave (tracer, NOW);
  return max;
}

static uint64_t
agree (uint64_t max)
{
  enter (AGREE, __LINE__);
  MPI_Allreduce (MPI_IN_PLACE, &max, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  cgw_tracer_leave (tracer, NOW);
  return max;
}

static void
run (int rank)
{
  enter (RUN, __LINE__);
  for (uint64_t end = 1000; agree (search (end * (rank + 1u))) < 300;)
    end *= 2;
  cgw_tracer_leave (tracer, NOW);
}

int
main (int argc, char **argv)
{
  struct cgw_event events[] = { { .name = "Ns" }, { .name = "Steps" } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *profile;
  struct cgw_writer *w;
  uint64_t sums[N + 1];
  int rank;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  part.events = events;
  part.n_events = 2;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 2, CGW_LINE);
  cgw_tracer_new (&tracer, profile, NULL);
  for (int i = 0; i < N; i++)
    fns[i] = cgw_add_fn (names, functions[i],
                         cgw_add_file (names, __FILE__),
                         cgw_add_object (names, "ranks"));
  run (rank);
  enum cgw_status status = cgw_mpi_reduce (profile, 0, MPI_COMM_WORLD);
  MPI_Reduce (counts, sums, N + 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && status == CGW_OK)
    {
      cgw_open (&w, names, "callgrind.out.ranks", NULL);
      cgw_profile_write (profile, w, &part);
      status = cgw_finish (w);
      cgw_free (w);
    }
  if (status != CGW_OK)
    fprintf (stderr, "rank %d: %s\n", rank, cgw_strerror (status));
  for (int i = 0; rank == 0 && i <= STEPS; i++)
    printf ("%s %ju\n", i < N ? functions[i] : "steps", (uintmax_t) sums[i]);
  cgw_profile_free (profile); /* and the tracer */
  cgw_names_free (names);
  return MPI_Finalize () != MPI_SUCCESS || status != CGW_OK;
}
