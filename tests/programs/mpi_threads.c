/* mpi_threads.c - threads that call MPI at the same time, each a different
   number of times.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, CALLS = 50 };

static int rank, size;

static void *
send_around (void *number)
{
  int tag = *(int *) number, to = (rank + 1) % size;
  int from = (rank + size - 1) % size, received;

  for (int i = 0; i < CALLS * tag; i++)
    MPI_Sendrecv (&i, 1, MPI_INT, to, tag, &received, 1, MPI_INT, from, tag,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

int
main (int argc, char **argv)
{
  int numbers[THREADS], provided;
  pthread_t threads[THREADS];

  MPI_Init_thread (&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE)
    MPI_Abort (MPI_COMM_WORLD, EXIT_FAILURE);
  for (int i = 0; i < THREADS; i++)
    {
      numbers[i] = i + 1;
      pthread_create (&threads[i], NULL, send_around, &numbers[i]);
    }
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  MPI_Barrier (MPI_COMM_WORLD);
  MPI_Finalize ();
  return EXIT_SUCCESS;
}
