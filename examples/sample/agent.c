/* agent.c - the part of sample that is preloaded into the program: a clock for
   each thread, and the handler that records where it is.

   The program need not know of it: its threads, forks, signal masks and
   unloaded libraries are seen by standing in for the functions of libc that
   they go through.  What is sampled goes into memory that sample reads.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent.h"

#include "cgw.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* How many deep stacks of a thread are walked to their end before that is
   given up.  */
enum { DEEP_WALKS = 3 };

/* A thread that is sampled.  In memory behind its agent's stacks.  */
struct thread
{
  struct agent_clock clock;
  uint32_t id;
  uint64_t root;       /* the outermost address of a whole stack, or 0 */
  unsigned deep_walks; /* how often one may be walked to its end */
  volatile sig_atomic_t inside; /* in the handler, or walking a stack */
  ucontext_t context;  /* where it began; stacks may be small */
  alignas (16) unsigned char cursor[AGENT_CURSOR_BYTES];
  uint64_t frames[SAMPLE_FRAMES];
};

static struct sample_shared *shared;
static struct cgw_recorder *notes;
static struct cgw_recorder *samples;
static uint64_t process; /* this one's number */
static pthread_key_t thread_key;

/* Loaded with the program, so there is room for it without allocation.  */
static __thread struct thread *self
    __attribute__ ((tls_model ("initial-exec")));

/* A fork must not copy locks of libunwind that are taken: it waits until no
   handler walks a stack, and meanwhile none begins.  */
static _Atomic uint32_t walking;
static _Atomic uint32_t forking;

/* Where programs and the dynamic linker begin: the root of the first thread's
   stack.  */
enum { ENTRY_BYTES = 64 };
static uint64_t entries[2];

/* Programs in Go execute others by the system call itself.  */
static bool is_go;

/* libc's own functions.  */

static struct
{
  int (*pthread_create) (pthread_t *, const pthread_attr_t *,
                         void *(*) (void *), void *);
  int (*thrd_create) (thrd_t *, thrd_start_t, void *);
  int (*pthread_sigmask) (int, const sigset_t *, sigset_t *);
  int (*sigprocmask) (int, const sigset_t *, sigset_t *);
  int (*sigaction) (int, const struct sigaction *, struct sigaction *);
  void (*(*signal) (int, void (*) (int))) (int);
  int (*dlclose) (void *);
  int (*pipe2) (int *, int);
  int (*dl_iterate_phdr) (int (*) (struct dl_phdr_info *, size_t, void *),
                          void *);
} real;

/* A pointer to a function is copied, for C knows no conversion.  */
void
agent_find (const char *name, void *pointer)
{
  void *symbol = dlsym (RTLD_NEXT, name);

  memcpy (pointer, &symbol, sizeof symbol);
}

/* The constructors of other libraries may come here before the agent's.  */
static void
find_all (void)
{
  if (real.dl_iterate_phdr != NULL)
    return;
  agent_find ("pthread_create", &real.pthread_create);
  agent_find ("thrd_create", &real.thrd_create);
  agent_find ("pthread_sigmask", &real.pthread_sigmask);
  agent_find ("sigprocmask", &real.sigprocmask);
  agent_find ("sigaction", &real.sigaction);
  agent_find ("signal", &real.signal);
  agent_find ("dlclose", &real.dlclose);
  agent_find ("pipe2", &real.pipe2);
  agent_exec_find ();
  agent_find ("dl_iterate_phdr", &real.dl_iterate_phdr);
}

/* Notes.  */

void
agent_note (enum sample_note kind, const struct sample_note_head *head,
            const char *bytes)
{
  /* Used by one thread at a time: before there are more, or by who reads
     /proc/self/maps.  */
  static uint64_t words[SAMPLE_NOTE_FRAMES];
  struct sample_note_head h = *head;

  if (h.length > SAMPLE_NOTE_BYTES)
    h.length = SAMPLE_NOTE_BYTES;
  memset (words, 0, sizeof words);
  memcpy (words, &h, sizeof h);
  memcpy (words + SAMPLE_NOTE_WORDS, bytes, (size_t) h.length);
  cgw_recorder_push (notes, process << 8 | kind, words,
                     SAMPLE_NOTE_WORDS + (size_t) (h.length + 7) / 8, NULL,
                     0);
}

/* Reads the beginning of a file of /proc; returns how many bytes.  */
static size_t
read_proc (const char *path, char *bytes, size_t n)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  size_t used = 0;
  ssize_t got;

  if (fd < 0)
    return 0;
  while (used < n && (got = read (fd, bytes + used, n - used)) > 0)
    used += (size_t) got;
  close (fd);
  return used;
}

/* When this process began; with its id that tells it from all others.  It is
   the 22nd field, the 20th behind the name, which may hold anything.  */
static uint64_t
start_time (void)
{
  char bytes[1024];
  size_t n = read_proc ("/proc/self/stat", bytes, sizeof bytes - 1);
  const char *p;

  bytes[n] = '\0';
  p = strrchr (bytes, ')');
  for (int field = 2; p != NULL && field < 22; field++)
    p = strchr (p + 1, ' ');
  return p != NULL ? strtoull (p, NULL, 10) : 0;
}

static void
note_process (void)
{
  char command[SAMPLE_NOTE_BYTES];
  size_t n = read_proc ("/proc/self/cmdline", command, sizeof command);
  struct stat st = { 0 };
  struct sample_note_head head;

  stat ("/proc/self/exe", &st);
  head = (struct sample_note_head){
    { (uint64_t) getpid (), start_time (), st.st_dev, st.st_ino, 0 }, n
  };
  agent_note (SAMPLE_NOTE_PROCESS, &head, command);
}

/* The handler.  */

void *
agent_cursor (void)
{
  return self->cursor;
}

/* Whether a stack that ends at this address is whole.  */
static bool
is_root (const struct thread *t, uint64_t address)
{
  if (t->root != 0)
    return address == t->root;
  return address - entries[0] < ENTRY_BYTES
         || address - entries[1] < ENTRY_BYTES;
}

/* Walks a stack, unless another thread forks: then only the leaf is taken.  */
static struct agent_walk
walk (struct thread *t, ucontext_t *context, bool deep)
{
  struct agent_walk w = { .frames = t->frames, .max = SAMPLE_FRAMES };

  atomic_fetch_add (&walking, 1);
  if (atomic_load (&forking) != 0)
    w.max = 1;
  else
    w.deep = deep;
  agent_unwind (context, &w);
  atomic_fetch_sub (&walking, 1);
  return w;
}

/* Walks a stack through what is mapped now: what was unmapped must not be
   walked through, and what is new stops the walk.  */
static struct agent_walk
walk_and_see (struct thread *t, ucontext_t *context, bool deep)
{
  struct agent_walk w;

  agent_maps_see (NULL, 0);
  w = walk (t, context, deep);
  if (agent_maps_see (t->frames, w.n))
    w = walk (t, context, deep);
  return w;
}

/* What a thread's stack looks like, and whether it is whole.  As long as no
   whole one was seen, deep ones are walked to their end, whatever it takes:
   sample must know where the thread began.  */
static size_t
take_stack (struct thread *t, ucontext_t *context, bool *whole)
{
  struct agent_walk w = walk_and_see (t, context, t->deep_walks != 0);

  *whole = w.end && is_root (t, t->frames[w.n - 1]);
  if (*whole)
    t->deep_walks = 0;
  else if (w.n == SAMPLE_FRAMES && t->deep_walks != 0)
    t->deep_walks--;
  return w.n;
}

struct tick
{
  const siginfo_t *info;
  ucontext_t *context;
};

/* On the agent's own stack.  */
static void
take_sample (void *tick)
{
  const struct tick *k = tick;
  struct thread *t = self;
  uint64_t ticks = agent_clock_ticks (&t->clock, k->info, k->context);
  bool whole;
  size_t n = take_stack (t, k->context, &whole);

  atomic_fetch_add (&shared->taken, 1);
  atomic_fetch_add (&shared->taken_ticks, ticks);
  cgw_recorder_push (samples, sample_tag (process, !whole, t->id), t->frames,
                     n, &ticks, 1);
}

/* The kernel sends SIGIO for an event when its queue of signals is full.  */
static bool
is_of_clock (int number, const siginfo_t *info)
{
  return number == SIGIO
             ? info->si_code == SI_KERNEL
             : info->si_code == SI_TIMER || info->si_code == POLL_IN;
}

/* All signals are blocked here.  This takes little of the stack that it is on:
   it may be the program's.  */
static void
on_tick (int number, siginfo_t *info, void *context)
{
  struct thread *t = self;
  int saved = errno;

  if (t == NULL || t->inside || !is_of_clock (number, info)
      || atomic_load (&shared->stop) != 0)
    return;
  t->inside = 1;
  agent_stacks_call (t, take_sample, &(struct tick){ info, context });
  t->inside = 0;
  errno = saved;
}

/* Threads.  */

static void
block_all (sigset_t *old)
{
  sigset_t all;

  sigfillset (&all);
  real.pthread_sigmask (SIG_SETMASK, &all, old);
}

static void
lack_clock (void)
{
  atomic_fetch_add (&shared->no_clock, 1);
  atomic_store (&shared->clock_errno, (uint64_t) errno);
}

/* It counts this thread's processor time: it does not wake up who waits.  */
static enum agent_clock_kind
start_clock (struct thread *t)
{
  enum agent_event_where where = shared->timers != 0 ? AGENT_NOWHERE
                                 : is_go ? AGENT_OUTSIDE_KERNEL
                                         : AGENT_EVERYWHERE;
  enum agent_clock_kind kind;
  int event_error;

  t->id = (uint32_t) syscall (SYS_gettid);
  kind = agent_clock_start (&t->clock, t->id, shared->interval, where,
                            &event_error);
  if (event_error != 0)
    atomic_store (&shared->event_errno, (uint64_t) event_error);
  return kind;
}

static void
start_first_clock (struct thread *t)
{
  switch (start_clock (t))
    {
    case AGENT_EVENT:
      atomic_fetch_add (&shared->events, 1);
      atomic_fetch_add (&shared->go_events, is_go);
      break;
    case AGENT_TIMER:
      atomic_fetch_add (&shared->timers_set, 1);
      break;
    case AGENT_NO_CLOCK:
      lack_clock ();
      break;
    }
}

/* A child of vfork, which has its parent's memory, has no clock.  */
bool
agent_pause (void)
{
  struct thread *t = self;

  find_all ();
  if (t == NULL || t->clock.event == NULL
      || t->id != (uint32_t) syscall (SYS_gettid))
    return false;
  agent_clock_stop (&t->clock);
  return true;
}

void
agent_resume (void)
{
  start_clock (self);
}

static void
allow_ticks (void)
{
  sigset_t tick;

  sigemptyset (&tick);
  sigaddset (&tick, AGENT_TICK);
  real.pthread_sigmask (SIG_UNBLOCK, &tick, NULL);
}

/* On the agent's own stack: finds the outermost address of this thread's.
   This also has libunwind make its caches, outside any handler.  */
static void
find_root (void *context)
{
  struct thread *t = self;
  struct agent_walk w = walk_and_see (t, context, false);

  t->root = w.end && w.n > 1 ? t->frames[w.n - 1] : 0;
}

static void
look_at_stack (struct thread *t)
{
  sigset_t old;

  if (getcontext (&t->context) != 0)
    return;
  block_all (&old);
  t->inside = 1;
  agent_stacks_call (t, find_root, &t->context);
  t->inside = 0;
  real.pthread_sigmask (SIG_SETMASK, &old, NULL);
}

static void
begin_thread (bool first)
{
  int saved = errno;
  struct thread *t = agent_stacks_new (sizeof *t);

  if (t == NULL)
    {
      lack_clock ();
      errno = saved;
      return;
    }
  self = t;
  t->deep_walks = DEEP_WALKS;
  look_at_stack (t);
  if (first)
    t->root = 0; /* it begins at an entry */
  pthread_setspecific (thread_key, t);
  agent_stacks_use (t);
  start_first_clock (t);
  allow_ticks ();
  errno = saved;
}

/* A tick may still be on its way: it finds no thread.  */
static void
end_thread (void *thread)
{
  struct thread *t = thread;

  self = NULL;
  atomic_signal_fence (memory_order_seq_cst);
  agent_clock_stop (&t->clock);
  agent_stacks_free (t, sizeof *t);
}

/* A thread's start, by either interface.  */
struct start
{
  void *(*routine) (void *);
  thrd_start_t c11_routine;
  void *arg;
};

static void *
start_thread (void *arg)
{
  struct start start = *(struct start *) arg;

  free (arg);
  begin_thread (false);
  return start.routine (start.arg);
}

static int
start_c11_thread (void *arg)
{
  struct start start = *(struct start *) arg;

  free (arg);
  begin_thread (false);
  return start.c11_routine (start.arg);
}

/* Forks.  */

/* Handlers are short, and wait for nothing.  One that never ends, because its
   thread was cancelled, must not stop the program.  */
static void
before_fork (void)
{
  atomic_fetch_add (&forking, 1);
  for (int i = 0; i < 10000 && atomic_load (&walking) != 0; i++)
    sched_yield ();
}

static void
after_fork (void)
{
  atomic_fetch_sub (&forking, 1);
}

/* The child has this thread alone, without its clock.  */
static void
in_child (void)
{
  int saved = errno;
  sigset_t old;

  block_all (&old);
  atomic_store (&forking, 0);
  atomic_store (&walking, 0);
  process = atomic_fetch_add (&shared->processes, 1) + 1;
  agent_maps_restart ();
  note_process ();
  if (self != NULL)
    start_first_clock (self);
  real.pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = saved;
}

/* The beginning.  */

static bool
map_shared (void)
{
  const char *path = getenv (SAMPLE_ENV);
  struct sample_shared *s;
  struct stat st;
  int fd = path != NULL ? open (path, O_RDWR | O_CLOEXEC) : -1;

  if (fd < 0)
    return false;
  s = fstat (fd, &st) == 0 && (size_t) st.st_size > sizeof *s
          ? mmap (NULL, (size_t) st.st_size, PROT_READ | PROT_WRITE,
                  MAP_SHARED, fd, 0)
          : MAP_FAILED;
  close (fd);
  if (s == MAP_FAILED)
    return false;
  if (s->magic != SAMPLE_MAGIC || s->size != (uint64_t) st.st_size)
    {
      munmap (s, (size_t) st.st_size);
      return false;
    }
  notes = (struct cgw_recorder *) (void *) ((char *) s + s->notes);
  samples = (struct cgw_recorder *) (void *) ((char *) s + s->samples);
  shared = s;
  return true;
}

/* Whether one of the notes is that of Go's linker.  */
static bool
is_go_among (const char *note, size_t size)
{
  ElfW (Nhdr) n;

  while (size >= sizeof n + 4)
    {
      size_t length;

      memcpy (&n, note, sizeof n);
      if (n.n_namesz == 4 && memcmp (note + sizeof n, "Go", 3) == 0)
        return true;
      length = sizeof n + ((size_t) n.n_namesz + 3) / 4 * 4
               + ((size_t) n.n_descsz + 3) / 4 * 4;
      if (length > size)
        break;
      note += length;
      size -= length;
    }
  return false;
}

static bool
is_program_go (void)
{
  const ElfW (Phdr) *headers
      = (const ElfW (Phdr) *) (uintptr_t) getauxval (AT_PHDR);
  uint64_t n = getauxval (AT_PHNUM);
  uint64_t bias = 0;

  for (uint64_t i = 0; i < n; i++)
    {
      const ElfW (Phdr) *p = &headers[i];

      if (p->p_type == PT_PHDR)
        bias = (uintptr_t) headers - p->p_vaddr;
      else if (p->p_type == PT_NOTE
               && is_go_among (
                   (const char *) (uintptr_t) (bias + p->p_vaddr),
                   p->p_memsz))
        return true;
    }
  return false;
}

static void
find_entries (void)
{
  const ElfW (Ehdr) *linker
      = (const ElfW (Ehdr) *) (uintptr_t) getauxval (AT_BASE);

  entries[0] = getauxval (AT_ENTRY);
  entries[1] = linker != NULL ? (uintptr_t) linker + linker->e_entry : 0;
}

/* sigfillset leaves out the two signals by which libc cancels threads and
   changes their ids; they must not leave the agent's stack, either.  */
static void
catch_ticks (void)
{
  struct sigaction action = { .sa_sigaction = on_tick,
                              .sa_flags = SA_RESTART | SA_SIGINFO
                                          | SA_ONSTACK };
  struct sigaction old;

  memset (&action.sa_mask, 0xff, sizeof action.sa_mask);
  real.sigaction (AGENT_TICK, &action, NULL);
  /* It would end the program.  */
  if (shared->timers == 0 && real.sigaction (SIGIO, NULL, &old) == 0
      && old.sa_handler == SIG_DFL)
    real.sigaction (SIGIO, &action, NULL);
}

__attribute__ ((constructor)) static void
begin (void)
{
  int saved = errno;

  find_all ();
  if (map_shared ())
    {
      process = atomic_fetch_add (&shared->processes, 1) + 1;
      note_process ();
      find_entries ();
      is_go = is_program_go ();
      if (!agent_unwind_begin (shared->frame_pointers != 0))
        atomic_fetch_add (&shared->no_unwinder, 1);
      pthread_key_create (&thread_key, end_thread);
      pthread_atfork (before_fork, after_fork, in_child);
      catch_ticks ();
      begin_thread (true);
    }
  errno = saved;
}

/* What stands in for functions of libc.  */

static struct start *
make_start (void *(*routine) (void *), thrd_start_t c11_routine, void *arg)
{
  struct start *start = shared != NULL ? malloc (sizeof *start) : NULL;

  if (start != NULL)
    *start = (struct start){ routine, c11_routine, arg };
  return start;
}

AGENT_STAND_IN int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                void *(*routine) (void *), void *arg)
{
  struct start *start = make_start (routine, NULL, arg);
  int error;

  find_all ();
  if (start == NULL)
    return real.pthread_create (thread, attributes, routine, arg);
  error = real.pthread_create (thread, attributes, start_thread, start);
  if (error != 0)
    free (start);
  return error;
}

AGENT_STAND_IN int
thrd_create (thrd_t *thread, thrd_start_t routine, void *arg)
{
  struct start *start = make_start (NULL, routine, arg);
  int error;

  find_all ();
  if (start == NULL)
    return real.thrd_create (thread, routine, arg);
  error = real.thrd_create (thread, start_c11_thread, start);
  if (error != thrd_success)
    free (start);
  return error;
}

/* libunwind blocks all signals around its locks.  Where the agent calls it,
   they are blocked already.  */
static bool
is_blocked_already (sigset_t *old)
{
  if (self == NULL || !self->inside)
    return false;
  if (old != NULL)
    sigfillset (old);
  return true;
}

/* Programs block all signals, for a while or in threads that are to get none;
   the tick stays allowed.  Not so where the program itself calls libunwind:
   the handler must not wait for a lock that it interrupted.  */
static const sigset_t *
without_tick (int how, const sigset_t *set, sigset_t *changed,
              const void *caller)
{
  if (set == NULL || how == SIG_UNBLOCK || shared == NULL
      || agent_unwind_is_code (caller))
    return set;
  *changed = *set;
  sigdelset (changed, AGENT_TICK);
  return changed;
}

AGENT_STAND_IN int
sigprocmask (int how, const sigset_t *set, sigset_t *old)
{
  sigset_t changed;

  if (is_blocked_already (old))
    return 0;
  find_all ();
  return real.sigprocmask (how, without_tick (how, set, &changed,
                                               __builtin_return_address (0)), old);
}

AGENT_STAND_IN int
pthread_sigmask (int how, const sigset_t *set, sigset_t *old)
{
  sigset_t changed;

  if (is_blocked_already (old))
    return 0;
  find_all ();
  return real.pthread_sigmask (how, without_tick (how, set, &changed,
                                               __builtin_return_address (0)), old);
}

/* Programs that set all signals back must not set this one: it would kill
   them.  */
AGENT_STAND_IN int
sigaction (int number, const struct sigaction *action, struct sigaction *old)
{
  find_all ();
  if (number != AGENT_TICK || shared == NULL)
    return real.sigaction (number, action, old);
  if (old != NULL)
    memset (old, 0, sizeof *old);
  return 0;
}

AGENT_STAND_IN void (*
signal (int number, void (*handler) (int))) (int)
{
  find_all ();
  if (number != AGENT_TICK || shared == NULL)
    return real.signal (number, handler);
  return SIG_DFL;
}

AGENT_STAND_IN int
dlclose (void *handle)
{
  int result;

  find_all ();
  agent_maps_begin_change ();
  result = real.dlclose (handle);
  agent_maps_end_change ();
  return result;
}

/* Away from the numbers that programs close and give to their own files.  */
static int
move_up (int fd)
{
  enum { HIGH = 1000 };
  struct rlimit limit;
  int high;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < HIGH + 2)
    return fd;
  high = fcntl (fd, F_DUPFD_CLOEXEC, HIGH);
  if (high < 0)
    return fd;
  syscall (SYS_close, fd);
  return high;
}

/* libunwind tries addresses by writing from them to a pipe.  Were that closed
   by the program, a file of its own could get the bytes.  */
AGENT_STAND_IN int
pipe2 (int ends[2], int flags)
{
  int result;

  find_all ();
  result = real.pipe2 (ends, flags);
  if (result == 0 && self != NULL && self->inside)
    for (int i = 0; i < 2; i++)
      ends[i] = move_up (ends[i]);
  return result;
}

AGENT_STAND_IN int
dl_iterate_phdr (int (*callback) (struct dl_phdr_info *, size_t, void *),
                 void *data)
{
  if (self != NULL && self->inside)
    return agent_maps_iterate (callback, data);
  find_all ();
  return real.dl_iterate_phdr (callback, data);
}
