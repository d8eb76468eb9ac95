/* test_gate_fork.c - forks in handlers that interrupted a call: the child's
   copy is dead, never writes for the parent, and can be freed or reset.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite (gate_fork, .timeout = 600);

static struct gate g;
static int parents_file;
static int childs_file;

static void
empty (int fd)
{
  cr_assert_eq (ftruncate (fd, 0), 0);
  cr_assert_eq (lseek (fd, 0, SEEK_SET), 0);
}

static void
open_with (size_t buffer_size)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  empty (parents_file);
  empty (childs_file);
  o.buffer_size = buffer_size;
  o.queue_slots = 8;
  gate_open (&g, &o, parents_file);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
}

static void
set_up (void)
{
  parents_file = gate_file ();
  childs_file = gate_file ();
}

/* What a child does.  Each returns 0, or the number of what is wrong.  */

static int
all_is_dead (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    if (gate_record (&g, kind) != CGW_EFORK)
      return 1;
  if (cgw_flush (g.w) != CGW_EFORK || cgw_comment (g.w, "c") != CGW_EFORK
      || gate_begin (&g, 2) != CGW_EFORK
      || cgw_get_stats (g.w, &s) != CGW_EFORK
      || cgw_finish (g.w) != CGW_EFORK)
    return 2;
  return cgw_add_fn (g.names, "late", cgw_add_file (g.names, "late"),
                     cgw_add_object (g.names, "late")).handle != 0
             ? 0
             : 3;
}

/* A file of the child's own, with names that its copy did not know, unless this
   is a handler that interrupted the adding of one.  */
static int
write_own_file (void)
{
  static struct gate file;
  struct profile *p;
  struct cgw_fn fn;
  char error[200], name[30];
  int result;

  if (gate_reset (&g, childs_file) != CGW_OK)
    return 10;
  for (int i = 0; i < 100; i++)
    {
      snprintf (name, sizeof name, "of the child %d", i);
      fn = cgw_add_fn (g.names, name, cgw_add_file (g.names, name),
                       (struct cgw_object){ 0 });
      if (fn.handle == 0 && cgw_names_error (g.names, NULL) != CGW_EBUSY)
        return 11;
      if (fn.handle != 0)
        g.fn = g.other = fn;
    }
  if (gate_begin (&g, 2) != CGW_OK)
    return 12;
  gate_records (&g);
  if (g.ledger.by_status[CGW_OK] != GATE_KINDS
      || cgw_finish (g.w) != cgw_names_error (g.names, NULL))
    return 13;
  gate_load (&file, childs_file);
  p = profile_read (file.bytes, file.n, READER_STRICT, error, sizeof error);
  if (p == NULL)
    return 14;
  result = p->cost_lines == 2 && p->calls == 1 && p->jump_lines == 2 ? 0 : 15;
  profile_free (p);
  return result;
}

static int
free_it (void)
{
  gate_free (&g);
  return 0;
}

/* One fork in a handler.  The child does its part there and ends, or comes
   back into the interrupted call, and does it behind that.  */

static struct
{
  int (*part) (void);
  bool come_back;
  bool is_child;
  int result;
} child;

static void
visit_fork (void *context)
{
  pid_t pid = fork ();

  (void) context;
  if (pid != 0)
    {
      child.result = pid != -1 ? gate_wait (pid) : 2001;
      return;
    }
  alarm (GATE_CHILD_SECONDS);
  if (!child.come_back)
    _exit (child.part ());
  child.is_child = true;
}

static void
make_cost (void *context)
{
  (void) context;
  g.status = gate_record (&g, GATE_COST);
}

static void
add_a_name (void *context)
{
  static unsigned i;
  char name[30];

  (void) context;
  step_pause ();
  snprintf (name, sizeof name, "name %u", i++);
  step_resume ();
  cgw_add_fn (g.names, name, (struct cgw_file){ 0 }, (struct cgw_object){ 0 });
}

static void
begin_a_part (void *context)
{
  (void) context;
  gate_begin (&g, 2);
}

static void
fork_at (unsigned long at, void (*call) (void *), const char *what)
{
  empty (childs_file);
  child.result = 0;
  step (at, call, visit_fork, NULL);
  if (child.is_child)
    _exit (child.part ());
  cr_assert_eq (child.result, 0, "%s: child: %d", what, child.result);
}

/* At each instruction of a record, in the parent's file.  */
static void
fork_in_record (size_t buffer_size, bool come_back, int (*part) (void),
                unsigned long stride, const char *name)
{
  unsigned long n;

  STEP_OR_SKIP ();
  open_with (buffer_size);
  n = step (STEP_NEVER, make_cost, NULL, NULL);
  gate_free (&g);
  child.part = part;
  child.come_back = come_back;
  stride = step_stride (stride);
  for (unsigned long at = step_first (stride, name); at <= n; at += stride)
    {
      const char *what = gate_what (name, at);

      open_with (buffer_size);
      fork_at (at, make_cost, what);
      cr_assert_eq (g.status, CGW_OK, "%s: %s", what,
                    cgw_strerror (g.status));
      cr_assert_eq (cgw_finish (g.w), CGW_OK, "%s", what);
      gate_load (&g, parents_file);
      gate_check (&g, READER_STRICT, what);
    }
}

Test (gate_fork, child_comes_back_into_a_write, .init = set_up)
{
  fork_in_record (1, true, all_is_dead, 11, "back into a write");
}

Test (gate_fork, child_comes_back_into_a_record, .init = set_up)
{
  fork_in_record (0, true, all_is_dead, 7, "back into a record");
}

Test (gate_fork, child_comes_back_and_resets, .init = set_up)
{
  fork_in_record (1, true, write_own_file, 13, "back, then a reset");
}

Test (gate_fork, child_is_dead_in_the_handler, .init = set_up)
{
  fork_in_record (1, false, all_is_dead, 13, "dead in the handler");
}

Test (gate_fork, child_resets_in_the_handler, .init = set_up)
{
  fork_in_record (1, false, write_own_file, 13, "a reset in the handler");
}

Test (gate_fork, child_frees_in_the_handler, .init = set_up)
{
  fork_in_record (1, false, free_it, 13, "free in the handler");
}

/* At the instructions of a call that changes the names or the buffer: whatever
   is half done, the child can free its copy, or use it after a reset.  The
   same holds for a thread that is there while another one forks.

   Of the calls that add a name the longest makes the tables grow.  */
static void
fork_in_growth (int (*part) (void), const char *name)
{
  unsigned long n = 0, longest = 0, stride = step_stride (31);
  int at_name = 0;

  STEP_OR_SKIP ();
  child.part = part;
  child.come_back = false;
  open_with (0);
  for (int i = 0; i < 40; i++)
    if ((n = step (STEP_NEVER, add_a_name, NULL, NULL)) > longest)
      {
        longest = n;
        at_name = i;
      }
  gate_free (&g);
  for (unsigned long at = step_first (stride, name); at <= longest;
       at += stride)
    {
      open_with (0);
      for (int i = 0; i < at_name; i++)
        add_a_name (NULL);
      fork_at (at, add_a_name, gate_what (name, at));
      gate_free (&g);
    }
}

Test (gate_fork, beside_growing_tables_then_free, .init = set_up)
{
  fork_in_growth (free_it, "beside growing tables, free");
}

Test (gate_fork, beside_growing_tables_then_reset, .init = set_up)
{
  fork_in_growth (write_own_file, "beside growing tables, reset");
}

static void
fork_in_begin (int (*part) (void), const char *name)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  unsigned long n, stride = step_stride (67);

  STEP_OR_SKIP ();
  child.part = part;
  child.come_back = false;
  o.queue_slots = 8;
  gate_open (&g, &o, parents_file);
  n = step (STEP_NEVER, begin_a_part, NULL, NULL);
  gate_free (&g);
  for (unsigned long at = step_first (stride, name); at <= n; at += stride)
    {
      gate_open (&g, &o, parents_file);
      fork_at (at, begin_a_part, gate_what (name, at));
      gate_free (&g);
    }
}

Test (gate_fork, beside_the_first_part_then_free, .init = set_up)
{
  fork_in_begin (free_it, "beside the first part, free");
}

Test (gate_fork, beside_the_first_part_then_reset, .init = set_up)
{
  fork_in_begin (write_own_file, "beside the first part, reset");
}

/* A fork in a handler that interrupted write(2) itself, on a full pipe.  */

static pthread_t main_thread;
static pid_t forked;

static void
on_signal (int number)
{
  (void) number;
  forked = fork ();
  if (forked == 0)
    alarm (GATE_CHILD_SECONDS);
}

/* Sends the signal when the main thread most likely waits, and then empties
   the pipe until nobody has it open any more.  */
static void *
send_and_empty (void *argument)
{
  static const struct timespec a_while = { 0, 50000000 };
  int from = *(int *) argument;
  ssize_t n;

  nanosleep (&a_while, NULL);
  pthread_kill (main_thread, SIGUSR1);
  nanosleep (&a_while, NULL);
  while ((n = read (from, g.bytes + g.n, sizeof g.bytes - g.n)) > 0)
    g.n += (size_t) n;
  return NULL;
}

static void
fork_in_a_full_pipe (int flags)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
  size_t filled;
  pthread_t thread;
  int ends[2];

  filled = gate_full_pipe (ends);
  gate_open (&g, NULL, ends[1]);
  cr_assert_eq (gate_begin_on_full_pipe (&g, 2, ends[1]), CGW_OK);
  gate_records (&g);
  sigaction (SIGUSR1, &action, NULL);
  main_thread = pthread_self ();
  forked = -1;
  cr_assert_eq (pthread_create (&thread, NULL, send_and_empty, &ends[0]), 0);
  cgw_flush (g.w);
  if (forked == 0)
    _exit (all_is_dead ());
  cr_assert_eq (cgw_finish (g.w), CGW_OK);
  close (ends[1]);
  pthread_join (thread, NULL);
  close (ends[0]);
  cr_assert_neq (forked, -1);
  cr_assert_eq (gate_wait (forked), 0);
  g.n -= filled;
  memmove (g.bytes, g.bytes + filled, g.n);
  gate_check (&g, READER_STRICT, "a fork in write(2)");
}

Test (gate_fork, in_write_that_ends_with_eintr)
{
  fork_in_a_full_pipe (0);
}

Test (gate_fork, in_write_that_is_restarted)
{
  fork_in_a_full_pipe (SA_RESTART);
}
