/* ranks.c - an MPI program that profiles itself: each rank has a tracer, and
   cgw_mpi_reduce adds up the profiles of all ranks.
     mpicc ranks.c -o ranks $(pkg-config --cflags --libs cgw)
     mpirun -n 4 ./ranks; callgrind_annotate callgrind.out.ranks
   The ranks look for an n that takes 300 steps or more to 1, by 3n + 1 if it is
   odd and n / 2 if it is even.  Lower ranks search less, and wait in agree.
   SPDX-License-Identifier: MIT  */
#include <cgw_mpi.h>
#include <stdio.h>

static struct cgw_tracer *tracer;
static struct cgw_pos in_run, in_search, in_agree;

static uint64_t *
now (void)
{
  static uint64_t ns;
  ns = (uint64_t) (MPI_Wtime () * 1e9);
  return &ns;
}

static uint64_t
search (uint64_t end)
{
  uint64_t max = 0, all = 0, steps;
  cgw_tracer_enter (tracer, NULL, &in_search, 0, now ());
  for (uint64_t first = 1; first < end; first++, all += steps)
    {
      steps = 0;
      for (uint64_t n = first; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
        steps++;
      max = steps > max ? steps : max;
    }
  cgw_tracer_cost (tracer, NULL, &all, 1); /* event 1; 0 is the clock */
  cgw_tracer_leave (tracer, now ());
  return max;
}

static uint64_t
agree (uint64_t max)
{
  cgw_tracer_enter (tracer, NULL, &in_agree, 0, now ());
  MPI_Allreduce (MPI_IN_PLACE, &max, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  cgw_tracer_leave (tracer, now ());
  return max;
}

int
main (int argc, char **argv)
{
  struct cgw_event events[] = { { .name = "Ns" }, { .name = "Steps" } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *p;
  int rank;
  part.events = events;
  part.n_events = 2;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  cgw_names_new (&names, NULL);
  cgw_profile_new (&p, names, 2, CGW_LINE);
  cgw_tracer_new (&tracer, p, NULL);
  struct cgw_file file = cgw_add_file (names, __FILE__);
  struct cgw_object ranks = cgw_add_object (names, "ranks");
  in_run.fn = cgw_add_fn (names, "run", file, ranks);
  in_search.fn = cgw_add_fn (names, "search", file, ranks);
  in_agree.fn = cgw_add_fn (names, "agree", file, ranks);
  cgw_tracer_enter (tracer, NULL, &in_run, 0, now ());
  for (uint64_t n = 1000; agree (search (n * (rank + 1u))) < 300; n *= 2)
    ;
  cgw_tracer_leave (tracer, now ());
  enum cgw_status status = cgw_mpi_reduce (p, 0, MPI_COMM_WORLD);
  if (rank == 0 && status == CGW_OK)
    status = cgw_profile_save (p, "callgrind.out.ranks", &part, NULL);
  if (status != CGW_OK)
    fprintf (stderr, "rank %d: %s\n", rank, cgw_strerror (status));
  cgw_profile_free (p); /* and the tracer */
  cgw_names_free (names);
  return MPI_Finalize () || status != CGW_OK;
}
