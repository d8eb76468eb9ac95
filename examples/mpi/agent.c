/* agent.c - the part of cgw-mpi that is preloaded into the program: maps the
   shared memory, sends requests to the watcher, and takes samples.  It does not
   depend on an mpi.h; wrappers.c and reduce.c do.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent.h"

#include "agent_parts.h"
#include "calls.h"

#include <dlfcn.h>
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
static char path[64];          /* of the memory, or "" */
static _Atomic bool is_sampling;

/* What a thread needs for its samples.  */
static __thread struct
{
  bool has_clock;
  volatile bool in_handler;
  struct agent_clock clock;
  _Alignas (16) unsigned char cursor[AGENT_CURSOR_BYTES];
  uint64_t frames[RANK_FRAMES];
} self __attribute__ ((tls_model ("initial-exec")));

/* libc's own functions.  */

static struct
{
  int (*dl_iterate_phdr) (int (*) (struct dl_phdr_info *, size_t, void *),
                          void *);
  int (*dlclose) (void *);
  int (*pipe2) (int *, int);
  int (*pthread_create) (pthread_t *, const pthread_attr_t *,
                         void *(*) (void *), void *);
} next;

/* memcpy, because C has no conversion from void * to a function pointer.  */
static void
find (const char *name, void *pointer)
{
  void *symbol = dlsym (RTLD_NEXT, name);

  memcpy (pointer, &symbol, sizeof symbol);
}

/* The constructors of other libraries may come here before the agent's.  */
static void
find_next (void)
{
  if (next.dl_iterate_phdr != NULL)
    return;
  find ("pthread_create", &next.pthread_create);
  find ("dlclose", &next.dlclose);
  find ("pipe2", &next.pipe2);
  find ("dl_iterate_phdr", &next.dl_iterate_phdr);
}

/* Again at MPI_Init, for the same reason; here, because the program may change
   its environment until then.  */
static __attribute__ ((constructor)) void
begin (void)
{
  const char *value = getenv (RANK_ENV);

  find_next ();
  if (value != NULL && strlen (value) < sizeof path)
    strcpy (path, value);
}

/* Notes.  */

/* Called by one thread at a time: the one that reads /proc/self/maps.  */
void
agent_note (enum sample_note kind, const struct sample_note_head *head,
            const char *bytes)
{
  size_t bytes_words = (size_t) (head->length + 7) / 8;
  size_t n = SAMPLE_NOTE_WORDS + bytes_words;
  uint32_t at = atomic_load (&memory->n_notes);

  (void) kind; /* there is only one */
  if (n >= RANK_NOTES - at)
    return;
  memory->notes[at] = n;
  memcpy (memory->notes + at + 1, head, sizeof *head);
  memcpy (memory->notes + at + 1 + SAMPLE_NOTE_WORDS, bytes,
          (size_t) head->length);
  atomic_store (&memory->n_notes, at + 1 + (uint32_t) n);
}

void *
agent_cursor (void)
{
  return self.cursor;
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

/* Samples.  */

/* The bounds of this object, from the linker.  */
extern const char __ehdr_start[] __attribute__ ((visibility ("hidden")));
extern const char etext[] __attribute__ ((visibility ("hidden")));

/* Whether a signal interrupted the agent itself, for example a wrapper that has
   not yet noted that the thread is in MPI.  */
static bool
is_own (const ucontext_t *context)
{
  uintptr_t ip = (uintptr_t) context->uc_mcontext.gregs[REG_RIP];

  return ip - (uintptr_t) __ehdr_start
         < (uintptr_t) etext - (uintptr_t) __ehdr_start;
}

static void
on_tick (int number, siginfo_t *info, void *context)
{
  int saved = errno;
  struct agent_walk w = { .frames = self.frames, .max = RANK_FRAMES };
  uint64_t ticks;

  (void) number;
  if (!self.has_clock || self.in_handler || !atomic_load (&is_sampling))
    return;
  self.in_handler = true;
  ticks = agent_clock_ticks (&self.clock, info, context);
  if (!calls_inside () && !is_own (context))
    {
      agent_maps_see (NULL, 0);
      agent_unwind (context, &w);
      if (agent_maps_see (w.frames, w.n))
        agent_unwind (context, &w);
      calls_sample (w.frames, w.n, ticks * memory->interval);
    }
  self.in_handler = false;
  errno = saved;
}

static void
start_clock (void)
{
  int error;

  self.has_clock = true;
  agent_clock_start (&self.clock, (uint32_t) syscall (SYS_gettid),
                     memory->interval, AGENT_EVERYWHERE, &error);
}

static void
start_samples (void)
{
  struct sigaction action = { .sa_sigaction = on_tick,
                              .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

  sigfillset (&action.sa_mask);
  if (memory->interval == 0 || sigaction (AGENT_TICK, &action, NULL) != 0)
    return;
  atomic_store (&is_sampling, true);
  start_clock ();
}

void
agent_stop (void)
{
  atomic_store (&is_sampling, false);
}

static void
leave_child_alone (void)
{
  agent_stop ();
  calls_forget ();
}

struct rank_memory *
agent_begin (uint32_t rank, uint32_t size, uint64_t library, const void *site)
{
  struct rank_memory *m = memory == NULL ? map () : NULL;

  if (m == NULL || !take (m))
    return NULL;
  memory = m;
  m->rank = rank;
  m->size = size;
  m->library = library;
  m->no_unwinder = !agent_unwind_begin (false);
  if (agent_ask (m, RANK_BEGIN) != CGW_OK)
    return NULL;
  pthread_atfork (NULL, NULL, leave_child_alone);
  calls_begin (m, site);
  start_samples ();
  return m;
}

/* What the program calls instead of libc's functions.  */

struct start
{
  void *(*function) (void *);
  void *argument;
};

static void
stop_clock (void *clock)
{
  agent_clock_stop (clock);
}

static void *
run_thread (void *start)
{
  struct start s = *(struct start *) start;
  void *result;

  free (start);
  start_clock ();
  pthread_cleanup_push (stop_clock, &self.clock);
  result = s.function (s.argument);
  pthread_cleanup_pop (1);
  return result;
}

MPI_STAND_IN int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                void *(*function) (void *), void *argument)
{
  struct start *start = NULL;
  int error;

  find_next ();
  if (atomic_load (&is_sampling))
    start = malloc (sizeof *start);
  if (start == NULL)
    return next.pthread_create (thread, attributes, function, argument);
  *start = (struct start){ function, argument };
  error = next.pthread_create (thread, attributes, run_thread, start);
  if (error != 0)
    free (start);
  return error;
}

MPI_STAND_IN int
dlclose (void *handle)
{
  int result;

  find_next ();
  agent_maps_begin_change ();
  result = next.dlclose (handle);
  agent_maps_end_change ();
  return result;
}

MPI_STAND_IN int
pipe2 (int ends[2], int flags)
{
  int result;

  find_next ();
  result = next.pipe2 (ends, flags);
  if (result == 0 && (self.in_handler || calls_walk ()))
    agent_unwind_move_pipe (ends);
  return result;
}

/* In a handler, libunwind must not wait for the dynamic linker.  */
MPI_STAND_IN int
dl_iterate_phdr (int (*callback) (struct dl_phdr_info *, size_t, void *),
                 void *data)
{
  if (self.in_handler)
    return agent_maps_iterate (callback, data);
  find_next ();
  return next.dl_iterate_phdr (callback, data);
}
