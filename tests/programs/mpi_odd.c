/* mpi_odd.c - what few MPI programs do; the argument says what.  All call
   MPI_Barrier once.

   SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int depth;

/* Calls MPI_Comm_rank below n frames, on one of 2^n paths.  */
static __attribute__ ((noinline)) void
descend (int n, unsigned path)
{
  int rank;

  depth++;
  if (n == 0)
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  else if (path & 1)
    descend (n - 1, path / 2);
  else
    descend (n - 1, path / 2);
  depth--;
}

static void *
burn (void *unused)
{
  struct timespec t;

  do
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  while (t.tv_nsec < 300000000);
  return unused;
}

/* A child that is no rank.  */
static void
fork_child (void)
{
  pid_t child = fork ();
  pthread_t thread;
  int flag;

  if (child == 0)
    {
      MPI_Initialized (&flag);
      pthread_create (&thread, NULL, burn, NULL);
      pthread_join (thread, NULL);
      _exit (0);
    }
  waitpid (child, NULL, 0);
}

/* Closes all descriptors, and opens a file with each of the same numbers.
   Fails if calls of MPI functions write to it.  */
static int
check_descriptors (void)
{
  struct stat st;
  int fd;

  descend (5, 0);
  for (fd = 3; fd < 1000; fd++)
    close (fd);
  while ((fd = open ("empty", O_RDWR | O_CREAT | O_APPEND, 0666)) < 100)
    if (fd < 0)
      return 1;
  for (unsigned path = 0; path < 32; path++)
    descend (5, path);
  return fstat (fd, &st) != 0 || st.st_size != 0;
}

static void
kill_watcher (int victim)
{
  int rank, watcher;

  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  if (rank == victim && sscanf (getenv ("CGW_MPI"), "/proc/%d", &watcher) == 1)
    kill (watcher, SIGKILL);
}

static jmp_buf place;

static void
leave_by_jump (MPI_Comm *comm, int *error, ...)
{
  (void) comm;
  (void) error;
  longjmp (place, 1);
}

static __attribute__ ((noinline)) void
send_to_nobody (volatile int *jumps)
{
  char room[1024];

  memset (room, 0, sizeof room);
  if (setjmp (place) == 0)
    MPI_Send (room, 1, MPI_CHAR, 1000, 0, MPI_COMM_WORLD);
  else
    ++*jumps;
}

/* An error handler that does not return; the last time just before
   MPI_Finalize.  */
static int
jump (void)
{
  MPI_Errhandler handler;
  volatile int jumps = 0;
  int rank;

  MPI_Comm_create_errhandler (leave_by_jump, &handler);
  MPI_Comm_set_errhandler (MPI_COMM_WORLD, handler);
  for (int i = 0; i < 5; i++)
    {
      send_to_nobody (&jumps);
      MPI_Comm_rank (MPI_COMM_WORLD, &rank);
      send_to_nobody (&jumps);
      descend (3, 0);
    }
  send_to_nobody (&jumps);
  return jumps != 11;
}

int
main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  int is_begun, status = 0;

  MPI_Initialized (&is_begun); /* by a library's constructor */
  if (strcmp (what, "PMPI_Init") == 0)
    PMPI_Init (&argc, &argv);
  else if (!is_begun)
    MPI_Init (&argc, &argv);
  MPI_Barrier (MPI_COMM_WORLD);
  if (strcmp (what, "deep") == 0)
    descend (10000, 0);
  else if (strcmp (what, "paths") == 0)
    for (unsigned path = 0; path < 1 << 17; path++)
      descend (17, path);
  else if (strcmp (what, "fork") == 0)
    fork_child ();
  else if (strcmp (what, "jump") == 0)
    status = jump ();
  else if (strcmp (what, "system") == 0)
    status = system ("cat /dev/null");
  else if (strcmp (what, "descriptors") == 0)
    _exit (check_descriptors ());
  else if (strcmp (what, "watcher") == 0)
    kill_watcher (atoi (argv[2]));
  MPI_Finalize ();
  return status != 0;
}
