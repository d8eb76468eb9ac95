/* test_stack.c - the calls for handlers need at most 1 KiB of stack, or 2 KiB
   on s390x: handlers may run on a small alternate one.

   The stack below the call is painted before, and looked at afterwards.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#if defined __OPTIMIZE__ && !SANITIZED

/* On s390x each frame has 160 bytes more, by its ABI.  */
#ifdef __s390x__
#define LIMIT 2048
#else
#define LIMIT 1024
#endif

enum { STACK = 256 * 1024, PAINTED = 16 * 1024, CALLS = 5, SLOTS = 2 };

static unsigned char stack[STACK] __attribute__ ((aligned (4096)));
static struct cgw_writer *w;
static struct cgw_recorder *recorder;
static uint64_t recorder_memory[64];
static struct cgw_fn fns[2 * 4 * CALLS];
static size_t deepest[CALLS];

static const uint64_t costs[3] = { 1, UINT64_MAX / 1000, 3 };
static const uint64_t frames[4] = { 1, 2, 3, 4 };

/* Each call uses functions that are new to the file, and the buffer is full:
   the longest way through the library.  The recorder is full after two.  */
__attribute__ ((noinline)) static void
make_call (int which, int i)
{
  struct cgw_pos from = { fns[2 * i], { 0 }, 1000000, UINT64_MAX };
  struct cgw_pos to = { fns[2 * i + 1], { 0 }, 1, 1 };

  if (which == 0)
    cgw_cost (w, &from, costs, 3);
  else if (which == 1)
    cgw_call (w, &from, &to, UINT64_MAX, costs, 3);
  else if (which == 2)
    cgw_jump (w, &from, &to, UINT64_MAX);
  else if (which == 3)
    cgw_cond_jump (w, &from, &to, 1, UINT64_MAX);
  else
    cgw_recorder_push (recorder, 0, frames, 4, costs, 3);
}

/* How far below this frame the call reached.  */
__attribute__ ((noinline)) static size_t
measure (int which, int i)
{
  volatile unsigned char *here = __builtin_frame_address (0);
  size_t depth;

  /* Nothing of this frame lies that far below.  */
  for (size_t n = 256; n < PAINTED; n++)
    here[-(ptrdiff_t) n] = 0xa5;
  make_call (which, i);
  for (depth = PAINTED - 1; depth > 256; depth--)
    if (here[-(ptrdiff_t) depth] != 0xa5)
      break;
  return depth;
}

static void *
measure_all (void *argument)
{
  (void) argument;
  for (int which = 0; which < CALLS; which++)
    for (int i = 0; i < 4; i++)
      {
        size_t depth = measure (which, which * 4 + i);
        if (depth > deepest[which])
          deepest[which] = depth;
      }
  return NULL;
}

static void
open_writer (int fd, unsigned flags)
{
  static const struct cgw_event events[]
      = { { "A", 0, 0 }, { "B", 0, 0 }, { "C", 0, 0 } };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;

  o.flags = flags;
  o.buffer_size = 1;
  part.events = events;
  part.n_events = 3;
  part.positions = CGW_INSTR_LINE;
  cr_assert_eq (cgw_open_fd (&w, test_names (), fd, &o), CGW_OK);
  for (char i = 0; i < 2 * 4 * CALLS; i++)
    {
      char name[] = { 'f', (char) ('0' + i), '\0' };
      fns[(int) i] = cgw_add_fn (test_names (), name,
                                 cgw_add_file (test_names (), name),
                                 cgw_add_object (test_names (), "object"));
    }
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
}

static void
one_kib (unsigned flags, const char *kind)
{
  static const char *const names[] = { "cost", "call", "jump", "jcnd", "push" };
  pthread_attr_t attributes;
  pthread_t thread;
  struct cgw_stats s = CGW_STATS_INIT;
  char figure[40];

  memset (deepest, 0, sizeof deepest);
  cr_assert_leq (cgw_recorder_size (SLOTS, 4, 3), sizeof recorder_memory);
  recorder = cgw_recorder_init (recorder_memory, SLOTS, 4, 3);
  open_writer (open ("/dev/null", O_WRONLY | O_CLOEXEC), flags);
  pthread_attr_init (&attributes);
  cr_assert_eq (pthread_attr_setstack (&attributes, stack, STACK), 0);
  cr_assert_eq (pthread_create (&thread, &attributes, measure_all, NULL), 0);
  pthread_join (thread, NULL);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 16);
  for (int i = 0; i < CALLS; i++)
    {
      snprintf (figure, sizeof figure, "stack_%s%s", kind, names[i]);
      print_figure (figure, deepest[i]);
      cr_expect_gt (deepest[i], 128, "%s: nothing seen", names[i]);
      cr_expect_leq (deepest[i], LIMIT, "%s: %zu bytes", names[i], deepest[i]);
    }
  cgw_free (w);
}

Test (stack, one_kib)
{
  one_kib (0, "");
}

Test (stack, one_kib_with_cachegrind)
{
  one_kib (CGW_CACHEGRIND, "cachegrind_");
}

#else

Test (stack, not_on_this_build)
{
  cr_skip_test ("needs optimization, and no sanitizers");
}

#endif
