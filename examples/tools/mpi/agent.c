/* agent.c - the part of cgw-mpi that is preloaded into the program: maps the
   shared memory, and sends requests to the watcher.  It does not depend on an
   mpi.h; wrappers.c and reduce.c do.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent.h"

#include "../agent/agent_parts.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct rank_memory *memory;
static char path[64]; /* of the memory, or "" */

/* A constructor, because the program may change its environment until MPI_Init;
   and called again there, because the constructors of other libraries may call
   that before this one runs.  */
static __attribute__ ((constructor)) void
begin (void)
{
  const char *value = getenv (RANK_ENV);

  if (value != NULL && strlen (value) < sizeof path)
    strcpy (path, value);
}

/* Notes.  */

/* Called by one thread at a time: the one that reads /proc/self/maps.  */
static bool
take_note (enum sample_note kind, const struct sample_note_head *head,
           const char *bytes, size_t n)
{
  size_t words = SAMPLE_NOTE_WORDS + (n + 7) / 8;
  uint32_t at = atomic_load (&memory->n_notes);

  (void) kind; /* there is only one */
  if (words >= RANK_NOTES - at)
    return false;
  memory->notes[at] = words;
  memcpy (memory->notes + at + 1, head, sizeof *head);
  memcpy (memory->notes + at + 1 + SAMPLE_NOTE_WORDS, bytes, n);
  atomic_store (&memory->n_notes, at + 1 + (uint32_t) words);
  return true;
}

/* The watcher.  */

static bool
is_gone (int process)
{
  int fd = (int) syscall (SYS_pidfd_open, process, 0);
  struct pollfd end = { .fd = fd, .events = POLLIN };
  bool gone = fd < 0 || poll (&end, 1, 0) > 0;

  if (fd >= 0)
    close (fd);
  return gone;
}

enum cgw_status
agent_ask (struct rank_memory *m, enum rank_request request)
{
  static const struct timespec look_every = { 1, 0 };

  m->request = request;
  atomic_store (&m->turn, RANK_WATCHER);
  kill (m->watcher, RANK_SIGNAL);
  while (atomic_load (&m->turn) == RANK_WATCHER)
    if (syscall (SYS_futex, &m->turn, FUTEX_WAIT, RANK_WATCHER, &look_every,
                 NULL, 0) != 0
        && errno == ETIMEDOUT && is_gone (m->watcher))
      return CGW_EIO;
  return (enum cgw_status) m->status;
}

/* Not for a forked child; nor while another thread is in MPI_Finalize or
   here.  */
void
agent_abort (void)
{
  static atomic_flag is_called = ATOMIC_FLAG_INIT;

  if (memory != NULL && memory->owner == getpid ()
      && atomic_load (&memory->turn) == RANK_AGENT
      && !atomic_flag_test_and_set (&is_called))
    agent_ask (memory, RANK_ABORT);
}

static struct rank_memory *
map (void)
{
  struct rank_memory *m;
  int fd;

  begin ();
  fd = path[0] != '\0' ? open (path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0)
    return NULL;
  m = mmap (NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close (fd);
  return m != MAP_FAILED ? m : NULL;
}

/* Whether the rank's profile is of this process: the first process that calls
   this gets it.  */
static bool
take (struct rank_memory *m)
{
  int32_t none = 0;

  return m->magic == RANK_MAGIC
         && atomic_compare_exchange_strong (&m->owner, &none, getpid ());
}

/* The process.  */

static void
leave_child_alone (void)
{
#ifdef HAVE_SAMPLE
  samples_forget ();
#endif
  calls_forget ();
}

struct rank_memory *
agent_begin (uint32_t rank, uint32_t size, uint64_t library, const void *site)
{
  struct rank_memory *m = memory == NULL ? map () : NULL;

  if (m == NULL || !take (m))
    return NULL;
  memory = m;
  agent_maps_begin (take_note, &m->left_out);
  m->rank = rank;
  m->size = size;
  m->library = library;
  m->no_unwinder = !agent_unwind_begin (false);
  if (agent_ask (m, RANK_BEGIN) != CGW_OK)
    return NULL;
  pthread_atfork (NULL, NULL, leave_child_alone);
  calls_begin (m, site);
#ifdef HAVE_SAMPLE
  if (m->interval != 0)
    samples_begin (m);
#endif
  return m;
}
