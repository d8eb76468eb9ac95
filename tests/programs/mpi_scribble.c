/* mpi_scribble.c - does to the memory that it shares with the watcher of
   cgw-mpi what a program gone wild may do.  Exits with 0 if the watcher
   answers: to requests before RANK_BEGIN, and to one for OUT of no ranks.

   SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE

#include "mpi/rank.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct rank_memory *m;

/* The watcher ends when it fails, and then there is no answer.  */
static void
ask (enum rank_request request)
{
  const struct timespec pause = { .tv_nsec = 1000000 };

  m->request = request;
  atomic_store (&m->turn, RANK_WATCHER);
  while (kill (m->watcher, RANK_SIGNAL) == 0
         && atomic_load (&m->turn) == RANK_WATCHER)
    nanosleep (&pause, NULL);
  if (atomic_load (&m->turn) == RANK_WATCHER)
    exit (1);
}

/* A packed profile is in a descriptor of its maker.  */
static int
open_packed (void)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) m->watcher,
            (int) m->fd);
  return open (path, O_RDONLY);
}

int
main (void)
{
  int fd = open (getenv (RANK_ENV), O_RDWR);

  m = mmap (NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (m == MAP_FAILED || ftruncate (fd, 0) == 0)
    return 2;
  ask (RANK_ABORT);
  ask (RANK_FAIL);
  m->owner = getpid ();
  m->has_rows = true;
  ask (RANK_BEGIN);
  ask (RANK_PACK);
  m->fd = open_packed ();
  ask (RANK_WRITE);
  ask (RANK_END);
  return 0;
}
