/* test_recorder.c - the ring of raw samples: what goes in comes out, once, or
   is counted as lost; with threads, nested handlers, processes, and producers
   that stop halfway.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../examples/tools/base/coverage.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COSTS = 2, FRAMES = 12 };

TestSuite (recorder, .timeout = 300);

static struct cgw_recorder *
make (size_t n_samples, size_t max_frames, size_t n_costs)
{
  size_t size = cgw_recorder_size (n_samples, max_frames, n_costs);
  unsigned char *memory;

  cr_assert_neq (size, 0);
  /* One byte more, to see that it is not touched.  */
  memory = malloc (size + 1);
  cr_assert_not_null (memory);
  memset (memory, 0xa5, size + 1);
  cr_assert_eq ((void *) cgw_recorder_init (memory, n_samples, max_frames,
                                            n_costs), (void *) memory);
  cr_assert_eq (memory[size], 0xa5);
  return (struct cgw_recorder *) (void *) memory;
}

/* Samples whose parts follow from each other: the tag says which thread
   pushed and how many samples it pushed before; the costs and the frames
   follow from the tag.  */

struct made
{
  uint64_t frames[FRAMES];
  size_t n_frames;
  uint64_t cost[COSTS];
};

static uint64_t
mix (uint64_t x)
{
  x ^= x >> 31;
  return x * UINT64_C (0x9e3779b97f4a7c15) + 1;
}

static struct made
make_sample (uint64_t tag)
{
  struct made m = { .n_frames = 1 + tag % FRAMES };

  for (size_t i = 0; i < m.n_frames; i++)
    m.frames[i] = mix (tag + i);
  m.cost[0] = 1;
  m.cost[1] = mix (tag) >> 40;
  return m;
}

static bool
is_whole (const struct cgw_sample *s)
{
  struct made m = make_sample (s->tag);

  return s->n_frames == m.n_frames && s->n_costs == COSTS
         && memcmp (s->frames, m.frames, m.n_frames * sizeof *m.frames) == 0
         && memcmp (s->cost, m.cost, sizeof m.cost) == 0;
}

/* Sums on either side.  */
struct sums
{
  _Atomic uint64_t n;
  _Atomic uint64_t lost;
  _Atomic uint64_t cost[COSTS];
  _Atomic uint64_t lost_cost[COSTS];
  _Atomic uint64_t wrong;
  _Atomic uint64_t tags; /* xor of mix (tag): each tag once */
};

/* Pushes the sample of a tag; may run in a handler.  */
static enum cgw_status
push (struct cgw_recorder *r, struct sums *sums, uint64_t tag)
{
  struct made m = make_sample (tag);
  enum cgw_status status;

  errno = 4711;
  status = cgw_recorder_push (r, tag, m.frames, m.n_frames, m.cost, COSTS);
  if (errno != 4711 || (status != CGW_OK && status != CGW_ELOST))
    atomic_fetch_add (&sums->wrong, 1);
  atomic_fetch_add (status == CGW_OK ? &sums->n : &sums->lost, 1);
  for (int i = 0; i < COSTS; i++)
    atomic_fetch_add (status == CGW_OK ? &sums->cost[i] : &sums->lost_cost[i],
                      m.cost[i]);
  if (status == CGW_OK)
    atomic_fetch_xor (&sums->tags, mix (tag));
  return status;
}

static void
take (void *context, const struct cgw_sample *s)
{
  struct sums *sums = context;

  atomic_fetch_add (&sums->n, 1);
  for (int i = 0; i < COSTS; i++)
    atomic_fetch_add (&sums->cost[i], s->cost[i]);
  if (!is_whole (s))
    atomic_fetch_add (&sums->wrong, 1);
  atomic_fetch_xor (&sums->tags, mix (s->tag));
}

/* pushed == drained + waiting + lost, in the recorder's own counts and in
   ours.  */
static void
check_counts (const struct cgw_recorder *r, const struct sums *pushed,
                 const struct sums *drained, uint64_t waiting)
{
  struct cgw_recorder_stats stats = CGW_RECORDER_STATS_INIT;
  uint64_t lost_costs[COSTS];

  stats.lost_costs = lost_costs;
  stats.n_costs = COSTS;
  cr_assert_eq (cgw_recorder_get_stats (r, &stats), CGW_OK);
  cr_assert_eq (pushed->wrong + drained->wrong, 0);
  cr_assert_eq (stats.recorded, pushed->n);
  cr_assert_eq (stats.lost, pushed->lost);
  cr_assert_eq (stats.drained, drained->n);
  cr_assert_eq (stats.recorded - stats.drained, waiting);
  for (int i = 0; i < COSTS; i++)
    cr_assert_eq (lost_costs[i], pushed->lost_cost[i]);
  if (waiting == 0)
    {
      cr_assert_eq (drained->tags, pushed->tags);
      for (int i = 0; i < COSTS; i++)
        cr_assert_eq (drained->cost[i], pushed->cost[i]);
    }
}

/* Arguments: tests/api/errors.def has those that are refused.  */

Test (recorder, size)
{
  uint64_t memory[512];

  cr_assert_neq (cgw_recorder_size ((size_t) 1 << 24, 1, 0), 0);
  cr_assert_neq (cgw_recorder_size (1, 1, CGW_EVENTS_MAX), 0);
  cr_assert_eq (cgw_recorder_size (5, 3, 1), cgw_recorder_size (8, 3, 1));
  cr_assert_gt (cgw_recorder_size (9, 3, 1), cgw_recorder_size (8, 3, 1));
  cr_assert_eq (cgw_recorder_size (64, 8, 0) % 8, 0);
  cr_assert_geq (sizeof memory, cgw_recorder_size (8, 4, 1) + 8);
  cr_assert_null (cgw_recorder_init ((char *) memory + 4, 8, 4, 1));
  cr_assert_not_null (cgw_recorder_init (memory + 1, 8, 4, 1));
}

Test (recorder, an_older_struct_of_counts_is_filled_as_far_as_it_goes)
{
  struct cgw_recorder *r = make (1, 1, 0);
  struct cgw_recorder_stats stats = CGW_RECORDER_STATS_INIT;
  const uint64_t frame = 1;

  cr_assert_eq (cgw_recorder_push (r, 0, &frame, 1, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_recorder_push (r, 0, &frame, 1, NULL, 0), CGW_ELOST);
  stats.size = offsetof (struct cgw_recorder_stats, lost);
  stats.lost = 77;
  cr_assert_eq (cgw_recorder_get_stats (r, &stats), CGW_OK);
  cr_assert_eq (stats.recorded, 1);
  cr_assert_eq (stats.lost, 77);
  free (r);
}

/* A struct without its INIT macro may say any size: the library does not read
   that far, here into a page that cannot be read.  */
Test (recorder, counts_of_a_size_that_none_has)
{
  struct cgw_recorder *r = make (1, 1, 0);
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  unsigned char *pages = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct cgw_recorder_stats *stats;

  cr_assert_neq (pages, MAP_FAILED);
  cr_assert_eq (mprotect (pages + page, page, PROT_NONE), 0);
  stats = (void *) (pages + page - sizeof *stats);
  stats->size = 2 * page;
  cr_assert_eq (cgw_recorder_get_stats (r, stats), CGW_EINVAL);
  munmap (pages, 2 * page);
  free (r);
}

/* What one sample keeps.  */

struct copy
{
  uint64_t frames[FRAMES];
  size_t n_frames;
  uint64_t cost[3];
  size_t n_costs;
  uint64_t tag;
};

static void
copy_sample (void *context, const struct cgw_sample *s)
{
  struct copy *c = context;

  c->n_frames = s->n_frames;
  memcpy (c->frames, s->frames, s->n_frames * sizeof *s->frames);
  c->n_costs = s->n_costs;
  memcpy (c->cost, s->cost, s->n_costs * sizeof *s->cost);
  c->tag = s->tag;
}

Test (recorder, missing_costs_are_zero)
{
  struct cgw_recorder *r = make (1, 4, 3);
  const uint64_t frames[] = { 7, 8 };
  const uint64_t costs[] = { 5, 6, 9 };
  struct copy c;

  /* The second sample lies where the first was.  */
  cr_assert_eq (cgw_recorder_push (r, 1, frames, 1, costs, 3), CGW_OK);
  cr_assert_eq (cgw_recorder_drain (r, copy_sample, &c), 1);
  cr_assert_eq (cgw_recorder_push (r, UINT64_MAX, frames, 2, costs, 1),
                CGW_OK);
  cr_assert_eq (cgw_recorder_drain (r, copy_sample, &c), 1);
  cr_assert_eq (c.tag, UINT64_MAX);
  cr_assert_eq (c.n_frames, 2);
  cr_assert_eq (c.frames[0], 7);
  cr_assert_eq (c.frames[1], 8);
  cr_assert_eq (c.n_costs, 3);
  cr_assert_eq (c.cost[0], 5);
  cr_assert_eq (c.cost[1], 0);
  cr_assert_eq (c.cost[2], 0);
  free (r);
}

Test (recorder, long_stacks_lose_their_outermost_frames)
{
  struct cgw_recorder *r = make (4, 3, 0);
  struct cgw_recorder_stats stats = CGW_RECORDER_STATS_INIT;
  const uint64_t frames[] = { 1, 2, 3, 4 };
  struct copy c;

  cr_assert_eq (cgw_recorder_push (r, 0, frames, 3, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_recorder_get_stats (r, &stats), CGW_OK);
  cr_assert_eq (stats.cut, 0);
  cr_assert_eq (cgw_recorder_push (r, 0, frames, 4, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_recorder_get_stats (r, &stats), CGW_OK);
  cr_assert_eq (stats.cut, 1);
  cr_assert_eq (cgw_recorder_drain (r, copy_sample, &c), 2);
  cr_assert_eq (c.n_frames, 3);
  cr_assert_eq (memcmp (c.frames, frames, 3 * sizeof *frames), 0);
  free (r);
}

Test (recorder, a_cut_stack_stays_in_its_slot)
{
  enum { GUARD = 16 };
  size_t size = cgw_recorder_size (1, 3, 0);
  uint64_t *memory = malloc (size + GUARD * sizeof *memory);
  uint64_t *guard;
  struct cgw_recorder *r;
  const uint64_t frames[3 + GUARD] = { 1, 2, 3, 4 };

  cr_assert_not_null (memory);
  guard = memory + size / sizeof *memory;
  memset (guard, 0xa5, GUARD * sizeof *guard);
  r = cgw_recorder_init (memory, 1, 3, 0);
  cr_assert_not_null (r);
  cr_assert_eq (cgw_recorder_push (r, 0, frames, 3 + GUARD, NULL, 0), CGW_OK);
  for (int i = 0; i < GUARD; i++)
    cr_assert_eq (guard[i], UINT64_C (0xa5a5a5a5a5a5a5a5));
  free (memory);
}

/* Order and fullness.  */

struct order
{
  uint64_t next;
  bool wrong;
};

static void
take_in_order (void *context, const struct cgw_sample *s)
{
  struct order *o = context;

  o->wrong |= s->tag != o->next;
  o->next = s->tag + 1;
}

Test (recorder, oldest_first_through_many_laps)
{
  struct cgw_recorder *r = make (8, 1, 0);
  struct order order = { 0, false };
  uint64_t tag = 0;

  for (size_t lap = 0; lap < 100; lap++)
    {
      size_t n = lap % 9;

      for (size_t i = 0; i < n; i++)
        cr_assert_eq (cgw_recorder_push (r, tag++, &tag, 1, NULL, 0),
                      CGW_OK);
      cr_assert_eq (cgw_recorder_drain (r, take_in_order, &order), n);
    }
  cr_assert_eq (order.next, tag);
  cr_assert (!order.wrong);
  free (r);
}

Test (recorder, a_full_ring_loses_what_is_new_and_counts_it)
{
  for (size_t n = 1; n <= 64; n *= 2)
    {
      struct cgw_recorder *r = make (n, FRAMES, COSTS);
      struct sums pushed = { 0 };
      struct sums drained = { 0 };
      uint64_t tag = 0;

      for (int lap = 0; lap < 5; lap++)
        {
          for (size_t i = 0; i < n; i++)
            cr_assert_eq (push (r, &pushed, tag++), CGW_OK);
          for (size_t i = 0; i < n + 3; i++)
            cr_assert_eq (push (r, &pushed, tag++), CGW_ELOST);
          check_counts (r, &pushed, &drained, n);
          cr_assert_eq (cgw_recorder_drain (r, take, &drained), n);
          check_counts (r, &pushed, &drained, 0);
        }
      free (r);
    }
}

/* A callback may push: what it pushes waits for the next drain, behind what
   waits already.  */

struct echo
{
  struct cgw_recorder *r;
  struct sums pushed;
  struct sums drained;
  uint64_t next;
};

static void
take_and_push (void *context, const struct cgw_sample *s)
{
  struct echo *e = context;

  take (&e->drained, s);
  cr_assert_eq (s->tag, e->next++);
  push (e->r, &e->pushed, s->tag + 5);
  errno = ENOSPC;
}

/* errno does not come out.  */
Test (recorder, a_drain_ends_although_its_callback_pushes)
{
  struct echo e = { .r = make (8, FRAMES, COSTS) };

  for (uint64_t tag = 0; tag < 5; tag++)
    cr_assert_eq (push (e.r, &e.pushed, tag), CGW_OK);
  for (int i = 0; i < 10; i++)
    {
      errno = 12345;
      cr_assert_eq (cgw_recorder_drain (e.r, take_and_push, &e), 5);
      cr_assert_eq (errno, 12345);
      check_counts (e.r, &e.pushed, &e.drained, 5);
    }
  free (e.r);
}

static void
take_and_test_cancel (void *context, const struct cgw_sample *s)
{
  pthread_testcancel ();
  take (context, s);
}

static struct sums cancelled_drained;

static void *
drain_cancelled (void *recorder)
{
  int before;

  pthread_cancel (pthread_self ());
  cgw_recorder_drain (recorder, take_and_test_cancel, &cancelled_drained);
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &before);
  return before == PTHREAD_CANCEL_ENABLE ? recorder : NULL;
}

Test (recorder, a_cancelled_thread_drains_to_the_end)
{
  struct cgw_recorder *r = make (8, FRAMES, COSTS);
  struct sums pushed = { 0 };
  pthread_t thread;
  void *result;

  for (uint64_t tag = 0; tag < 5; tag++)
    cr_assert_eq (push (r, &pushed, tag), CGW_OK);
  cr_assert_eq (pthread_create (&thread, NULL, drain_cancelled, r), 0);
  cr_assert_eq (pthread_join (thread, &result), 0);
  cr_expect_eq (result, (void *) r, "the thread ended in the drain");
  check_counts (r, &pushed, &cancelled_drained, 0);
  free (r);
}

/* Pushes that stop halfway: the frames begin in memory that cannot be read,
   so the push faults after it has reserved its slot.  */

static uint64_t *unreadable;
static size_t page;
static sigjmp_buf jump;
static struct cgw_recorder *interrupted;
static struct sums *interrupted_pushed;
static struct sums *interrupted_drained;
static volatile sig_atomic_t faults;

static void
hide_page (void)
{
  page = (size_t) sysconf (_SC_PAGESIZE);
  if (unreadable == NULL)
    unreadable = mmap (NULL, page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq ((void *) unreadable, MAP_FAILED);
  cr_assert_eq (mprotect (unreadable, page, PROT_NONE), 0);
}

static void
on_fault (void (*handler) (int))
{
  struct sigaction action = { .sa_handler = handler };

  sigemptyset (&action.sa_mask);
  cr_assert_eq (sigaction (SIGSEGV, &action, NULL), 0);
  cr_assert_eq (sigaction (SIGBUS, &action, NULL), 0);
}

/* memcpy may be inlined into the push, whose sanitized form would rather
   report the fault than have it.  */
static enum cgw_status
push_halfway (struct cgw_recorder *r, uint64_t tag)
{
  struct made m = make_sample (tag);

  return cgw_recorder_push (r, tag, unreadable, m.n_frames, m.cost, COSTS);
}

static void
jump_out (int signal_number)
{
  (void) signal_number;
  siglongjmp (jump, 1);
}

static void
abandon_push (struct cgw_recorder *r, struct sums *pushed)
{
  hide_page ();
  on_fault (jump_out);
  if (sigsetjmp (jump, 1) == 0)
    {
      push_halfway (r, 0);
      cr_assert_fail ("the page can be read");
    }
  atomic_fetch_add (&pushed->n, 1);
}

Test (recorder, a_push_that_was_jumped_out_of_costs_one_slot)
{
  enum { SLOTS = 8 };
  struct cgw_recorder *r = make (SLOTS, FRAMES, COSTS);
  struct sums pushed = { 0 };
  struct sums drained = { 0 };
  uint64_t tag = 1;

  for (unsigned gone = 0; gone <= SLOTS; gone++)
    {
      for (int lap = 0; lap < 4; lap++)
        {
          for (unsigned i = gone; i < SLOTS; i++)
            cr_assert_eq (push (r, &pushed, tag++), CGW_OK, "%u gone", gone);
          cr_assert_eq (push (r, &pushed, tag++), CGW_ELOST);
          check_counts (r, &pushed, &drained, SLOTS);
          cr_assert_eq (cgw_recorder_drain (r, take, &drained),
                        SLOTS - gone);
          check_counts (r, &pushed, &drained, gone);
          /* The next lap begins elsewhere.  */
          if (gone < SLOTS)
            {
              cr_assert_eq (push (r, &pushed, tag++), CGW_OK);
              cr_assert_eq (cgw_recorder_drain (r, take, &drained), 1);
            }
        }
      if (gone < SLOTS)
        abandon_push (r, &pushed);
    }
  free (r);
}

static void
take_and_jump (void *context, const struct cgw_sample *s)
{
  take (context, s);
  siglongjmp (jump, 1);
}

Test (recorder, a_drain_that_was_jumped_out_of_loses_nothing)
{
  struct cgw_recorder *r = make (8, FRAMES, COSTS);
  struct sums pushed = { 0 };
  struct sums drained = { 0 };

  for (uint64_t tag = 0; tag < 5; tag++)
    cr_assert_eq (push (r, &pushed, tag), CGW_OK);
  if (sigsetjmp (jump, 1) == 0)
    {
      cgw_recorder_drain (r, take_and_jump, &drained);
      cr_assert_fail ("the drain went on");
    }
  check_counts (r, &pushed, &drained, 4);
  for (uint64_t tag = 5; tag < 8; tag++)
    cr_assert_eq (push (r, &pushed, tag), CGW_OK);
  cr_assert_eq (cgw_recorder_drain (r, take, &drained), 7);
  check_counts (r, &pushed, &drained, 0);
  free (r);
}

/* Inside a push: others push until the ring is full, and are drained.  */
static void
push_meanwhile (int signal_number)
{
  uint64_t tag = 100 * (uint64_t) ++faults;

  (void) signal_number;
  for (int lap = 0; lap < 3; lap++)
    {
      while (push (interrupted, interrupted_pushed, tag++) == CGW_OK)
        ;
      cgw_recorder_drain (interrupted, take, interrupted_drained);
    }
  push (interrupted, interrupted_pushed, tag++);
  mprotect (unreadable, page, PROT_READ | PROT_WRITE);
  for (size_t i = 0; i < FRAMES; i++)
    unreadable[i] = make_sample (FRAMES - 1).frames[i];
}

Test (recorder, others_go_on_while_a_push_is_interrupted_and_then_it_does)
{
  enum { ROUNDS = 50, SLOTS = 4 };
  struct sums pushed = { 0 };
  struct sums drained = { 0 };
  struct made m = make_sample (FRAMES - 1); /* as many frames as there are */

  interrupted = make (SLOTS, FRAMES, COSTS);
  interrupted_pushed = &pushed;
  interrupted_drained = &drained;
  for (int round = 0; round < ROUNDS; round++)
    {
      hide_page ();
      on_fault (push_meanwhile);
      cr_assert_eq (push_halfway (interrupted, FRAMES - 1), CGW_OK);
      atomic_fetch_add (&pushed.n, 1);
      for (int i = 0; i < COSTS; i++)
        atomic_fetch_add (&pushed.cost[i], m.cost[i]);
      atomic_fetch_xor (&pushed.tags, mix (FRAMES - 1));
      /* It, and what was pushed last meanwhile.  */
      cr_assert_eq (cgw_recorder_drain (interrupted, take, &drained), 2);
      check_counts (interrupted, &pushed, &drained, 0);
    }
  cr_assert_eq (faults, ROUNDS);
  /* Each of three laps found one slot taken, and the last push a place.  */
  cr_assert_eq (pushed.lost, 3 * ROUNDS);
  free (interrupted);
}

/* Processes.  */

struct shared
{
  struct sums pushed;
  uint64_t recorder[];
};

static struct shared *
share (int fd, size_t size)
{
  void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  cr_assert_neq (memory, MAP_FAILED);
  return memory;
}

static void
die (int signal_number)
{
  (void) signal_number;
  kill (getpid (), SIGKILL);
}

/* A child pushes that many samples through a mapping of its own, elsewhere than
   the parent's; one that is killed begins another.  */
static void
run_child (int fd, size_t size, uint64_t first_tag, unsigned n, bool killed)
{
  pid_t pid = fork ();
  int status;

  cr_assert_neq (pid, -1);
  if (pid == 0)
    {
      struct shared *s = share (fd, size);
      struct cgw_recorder *r = (struct cgw_recorder *) (void *) s->recorder;

      for (unsigned i = 0; i < n; i++)
        push (r, &s->pushed, first_tag + i);
      if (killed)
        {
          hide_page ();
          on_fault (die);
          push_halfway (r, 0);
        }
      leave (0);
    }
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (killed ? WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL
                    : status == 0);
}

/* Each killed process leaves one slot behind; what the others push goes on
   coming, whole.  */
Test (recorder, processes_share_it)
{
  enum { CHILDREN = 8, SLOTS = 8, EACH = 3 };
  size_t size = sizeof (struct shared)
                + cgw_recorder_size (SLOTS, FRAMES, COSTS);
  int fd = memfd_create ("recorder", MFD_CLOEXEC);
  struct sums drained = { 0 };
  struct cgw_recorder *r;
  uint64_t tag = 0;
  unsigned gone = 0;
  struct shared *s;

  cr_assert_neq (fd, -1);
  cr_assert_eq (ftruncate (fd, (off_t) size), 0);
  s = share (fd, size);
  r = cgw_recorder_init (s->recorder, SLOTS, FRAMES, COSTS);
  for (unsigned i = 0; i < CHILDREN; i++)
    {
      bool killed = i % 2 == 1;

      run_child (fd, size, tag, EACH, killed);
      gone += killed;
      s->pushed.n += killed;
      tag += EACH;
      cr_assert_eq (cgw_recorder_drain (r, take, &drained), EACH);
      check_counts (r, &s->pushed, &drained, gone);
      for (unsigned slot = gone; slot < SLOTS; slot++)
        cr_assert_eq (push (r, &s->pushed, tag++), CGW_OK);
      cr_assert_eq (push (r, &s->pushed, tag++), CGW_ELOST);
      cr_assert_eq (cgw_recorder_drain (r, take, &drained), SLOTS - gone);
      check_counts (r, &s->pushed, &drained, gone);
    }
  munmap (s, size);
  close (fd);
}

/* Whatever another process has written into the memory.  */

static void
take_anything (void *context, const struct cgw_sample *s)
{
  size_t *most = context;
  uint64_t read = 0;

  cr_assert_eq (s->n_costs, COSTS);
  cr_assert_leq (s->n_frames, FRAMES);
  for (size_t i = 0; i < s->n_frames; i++)
    read += s->frames[i];
  for (size_t i = 0; i < COSTS; i++)
    read += s->cost[i];
  cr_assert_neq (*most, 0, "%llu", (unsigned long long) read);
  --*most;
}

/* Fills bytes with noise; small numbers among it.  */
static void
scribble (uint32_t *words, size_t n, uint64_t seed)
{
  for (size_t i = 0; i < n; i++)
    {
      uint64_t noise = mix (seed + i) >> 20;

      words[i] = (uint32_t) (noise % 3 == 0 ? noise : noise % 20);
    }
}

Test (recorder, corrupt_memory_is_harmless)
{
  enum { SLOTS = 8, SIZES = 3, ROUNDS = 2000 };
  size_t size = cgw_recorder_size (SLOTS, FRAMES, COSTS);
  struct cgw_recorder *r = make (SLOTS, FRAMES, COSTS);
  uint32_t *words = (uint32_t *) (void *) r;
  uint32_t sizes[SIZES];

  memcpy (sizes, words, sizeof sizes);
  for (uint64_t round = 0; round < ROUNDS; round++)
    {
      struct made m = make_sample (round);
      size_t most = 2 * SLOTS;

      scribble (words, size / sizeof *words, round << 32);
      cgw_recorder_push_shared (r, SLOTS, FRAMES, COSTS, round, m.frames,
                                m.n_frames, m.cost, COSTS);
      memcpy (words, sizes, sizeof sizes);
      words[round % SIZES] ^= UINT32_C (1) << round % 32;
      cr_assert_eq (cgw_recorder_drain_shared (r, SLOTS, FRAMES, COSTS,
                                               take_anything, &most),
                    SIZE_MAX);
      words[round % SIZES] = sizes[round % SIZES];
      cr_assert_leq (cgw_recorder_drain_shared (r, SLOTS, FRAMES, COSTS,
                                                take_anything, &most),
                     2 * SLOTS);
      cr_assert_eq (((unsigned char *) r)[size], 0xa5);
    }
  free (r);
}

Test (recorder, sound_memory_is_drained_by_either_call)
{
  struct cgw_recorder *r = make (5, FRAMES, COSTS);
  struct sums pushed = { 0 }, drained = { 0 };

  for (uint64_t tag = 0; tag < 5; tag++)
    push (r, &pushed, tag);
  cr_assert_eq (cgw_recorder_drain_shared (r, 5, FRAMES, COSTS, take,
                                           &drained), 5);
  check_counts (r, &pushed, &drained, 0);
  free (r);
}

/* Threads.  Each pushes so often, whether there is room or not, and drains when
   there is none, unless another does: what is true then is true whoever runs
   when.  test_step has the handlers.  */

enum { THREADS = 4 };

static struct cgw_recorder *shared_recorder;
static struct sums thread_pushed, thread_drained;
static uint64_t next_of_thread[THREADS];
static bool in_wrong_order;
static pthread_mutex_t drain_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long pushes_of_each;

static void
take_of_threads (void *context, const struct cgw_sample *s)
{
  uint64_t *next = &next_of_thread[s->tag >> 32];
  uint64_t number = (uint32_t) s->tag;

  take (context, s);
  in_wrong_order |= number < *next;
  *next = number + 1;
}

static void *
push_and_drain (void *thread)
{
  uint64_t first_tag = (uint64_t) (uintptr_t) thread << 32;

  for (uint64_t i = 0; i < pushes_of_each; i++)
    if (push (shared_recorder, &thread_pushed, first_tag + i) == CGW_ELOST
        && pthread_mutex_trylock (&drain_lock) == 0)
      {
        cgw_recorder_drain (shared_recorder, take_of_threads, &thread_drained);
        pthread_mutex_unlock (&drain_lock);
      }
  return NULL;
}

Test (recorder, threads)
{
  pthread_t threads[THREADS];

  pushes_of_each = stress_number (10000, 5000000);
  shared_recorder = make (16, FRAMES, COSTS);
  for (uintptr_t i = 0; i < THREADS; i++)
    cr_assert_eq (pthread_create (&threads[i], NULL, push_and_drain,
                                  (void *) i), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  cgw_recorder_drain (shared_recorder, take_of_threads, &thread_drained);
  check_counts (shared_recorder, &thread_pushed, &thread_drained, 0);
  cr_assert_eq (thread_pushed.n + thread_pushed.lost, THREADS * pushes_of_each);
  cr_assert_not (in_wrong_order);
  print_figure ("recorder_pushed", thread_pushed.n);
  print_figure ("recorder_lost", thread_pushed.lost);
  free (shared_recorder);
}
