/* test_gate_reset.c - handlers that interrupt cgw_reset or cgw_recreate:
   nothing of theirs comes into the new file, nor anywhere else.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite (gate_reset, .timeout = 600);

static struct gate g;
static enum cgw_status seen[GATE_KINDS];
static int fd; /* of the new file */

static void
record_all (struct gate *gate)
{
  gate_record_all (gate, seen);
}

static void
visit (void *context)
{
  record_all (context);
}

static void
call_reset (void *context)
{
  struct gate *gate = context;

  gate->status = cgw_reset (gate->w, fd);
}

/* Starts the ledger of the new file: what was made before counts nowhere.  */
static void
new_ledger (void)
{
  memset (&g.ledger, 0, sizeof g.ledger);
  g.ledger.any_refused = true;
}

/* Writes the new file, whose records must be those alone that are made
   here, and so must those of its queue.  */
static void
write_new_file (const char *what)
{
  static struct gate file;

  record_all (&g);
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], CGW_EORDER, "%s: before its part: %s", what,
                  cgw_strerror (seen[kind]));
  new_ledger ();
  cr_assert_eq (gate_begin (&g, 2), CGW_OK, "%s", what);
  for (int i = 0; i < 3; i++)
    gate_records (&g);
  cr_assert_eq (cgw_finish (g.w), CGW_EORDER, "%s", what);
  cr_assert_eq (g.ledger.by_status[CGW_OK], 3 * GATE_KINDS, "%s", what);
  gate_load (&file, fd);
  ledger_balance_file (&g.ledger, g.w, file.bytes, file.n, READER_STRICT,
                       what);
}

/* In what state cgw_reset finds the writer.  */
enum before { NO_PART, OPEN_PART, FULL_BUFFER, FINISHED, LEFT, BEFORES };

static const char *const before_names[]
    = { "reset before a part", "reset in a part", "reset with a full buffer",
        "reset of a finished file", "reset after a longjmp" };

static void
call_flush (void *context)
{
  cgw_flush (((struct gate *) context)->w);
}

/* Leaves a call inside, with records put off for it.  */
static void
leave_a_call (void)
{
  cr_assert (step_and_leave (60, call_flush, NULL, &g));
  record_all (&g);
}

static void
open_old (enum before before, int old)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = before == FULL_BUFFER ? 1 : 0;
  o.queue_slots = 8;
  gate_open (&g, &o, old);
  if (before == NO_PART)
    return;
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  if (before == FINISHED)
    cr_assert_eq (cgw_finish (g.w), CGW_OK);
  if (before == LEFT)
    leave_a_call ();
}

static void
empty (int file)
{
  cr_assert_eq (ftruncate (file, 0), 0);
  cr_assert_eq (lseek (file, 0, SEEK_SET), 0);
}

/* One run.  Before the reset really begins, the old file still takes records;
   from the first that says CGW_EORDER on, none.  Returns whether one was
   taken.  */
static bool
one_instruction (enum before before, unsigned long at, int old)
{
  const char *what = gate_what (before_names[before], at);
  enum cgw_status old_says = before == FINISHED ? CGW_EFINISHED : CGW_OK;
  bool taken = false;

  empty (old);
  empty (fd);
  open_old (before, old);
  step (at, call_reset, visit, &g);
  cr_assert_eq (g.status, CGW_OK, "%s", what);
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    {
      bool as_before = before != NO_PART
                       && (seen[kind] == old_says
                           || (before == LEFT && seen[kind] == CGW_ELOST));
      cr_assert (as_before || seen[kind] == CGW_EORDER, "%s: kind %d: %s",
                 what, (int) kind, cgw_strerror (seen[kind]));
      taken |= as_before;
    }
  write_new_file (what);
  gate_free (&g);
  return taken;
}

static void
sweep (enum before before, unsigned long stride)
{
  unsigned long n;
  bool taken, begun = false;
  int old;

  STEP_OR_SKIP ();
  old = gate_file ();
  fd = gate_file ();
  open_old (before, old);
  n = step (STEP_NEVER, call_reset, NULL, &g);
  gate_free (&g);
  stride = step_stride (stride);
  for (unsigned long at = step_first (stride, before_names[before]); at <= n;
       at += stride)
    {
      taken = one_instruction (before, at, old);
      cr_assert (!(taken && begun), "%s, %lu: taken after the reset began",
                 before_names[before], at);
      begun |= !taken;
    }
}

Test (gate_reset, records_before_a_part)
{
  sweep (NO_PART, 5);
}

Test (gate_reset, records_in_a_part)
{
  sweep (OPEN_PART, 11);
}

Test (gate_reset, records_with_a_full_buffer)
{
  sweep (FULL_BUFFER, 7);
}

Test (gate_reset, records_in_a_finished_file)
{
  sweep (FINISHED, 11);
}

Test (gate_reset, records_after_a_longjmp)
{
  sweep (LEFT, 13);
}

/* A file of the writer's own is closed by the reset: no record of a handler is
   written to a file that got its number.  */

static int victim;

static void
visit_with_a_file (void *context)
{
  victim = gate_file ();
  record_all (context);
}

static void
create (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  char path[] = "/tmp/cgw-gate-XXXXXX";

  memset (&g, 0, sizeof g);
  close (mkstemp (path));
  o.buffer_size = 1;
  o.queue_slots = 8; /* the reset goes through them all */
  cr_assert_eq (cgw_names_new (&g.names, NULL), CGW_OK);
  cr_assert_eq (cgw_create (&g.w, g.names, path, &o), CGW_OK);
  unlink (path);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
}

Test (gate_reset, of_a_file_of_its_own)
{
  unsigned long n, stride = step_stride (13);
  char byte;

  STEP_OR_SKIP ();
  fd = gate_file ();
  create ();
  n = step (STEP_NEVER, call_reset, NULL, &g);
  gate_free (&g);
  for (unsigned long at = step_first (stride, "own file"); at <= n;
       at += stride)
    {
      const char *what = gate_what ("a file of its own", at);

      empty (fd);
      create ();
      if (step (at, call_reset, visit_with_a_file, &g) != at)
        {
          /* The first call took more instructions, as with musl.  */
          gate_free (&g);
          break;
        }
      cr_assert_eq (g.status, CGW_OK, "%s", what);
      cr_assert_eq (pread (victim, &byte, 1, 0), 0, "%s: in another file",
                    what);
      write_new_file (what);
      gate_free (&g);
      close (victim);
    }
}

/* A forked child resets its copy; a handler records meanwhile.  The copy is
   dead until the reset is complete, and nothing that the parent had buffered,
   or put off, comes into the child's file.  */

static unsigned long child_at;

static int
reset_in_child (void *context)
{
  bool dead = true, fresh = true;

  (void) context;
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    seen[kind] = CGW_EORDER; /* should the call have fewer instructions */
  step (child_at, call_reset, visit, &g);
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    {
      dead &= seen[kind] == CGW_EFORK;
      fresh &= seen[kind] == CGW_EORDER;
    }
  if (!(dead || fresh) || g.status != CGW_OK)
    return 1;
  new_ledger ();
  if (gate_begin (&g, 2) != CGW_OK)
    return 2;
  gate_records (&g);
  if (g.ledger.by_status[CGW_OK] != GATE_KINDS)
    return 3;
  cgw_finish (g.w);
  return fresh ? 10 : 11;
}

/* What the child has written: one header, and its own records.  */
static void
check_child_file (const char *what)
{
  static struct gate file;
  struct profile *p;

  gate_load (&file, fd);
  p = must_read (file.bytes, file.n, READER_STRICT, what);
  cr_assert_eq (p->cost_lines, 2, "%s", what);
  cr_assert_eq (p->calls, 1, "%s", what);
  cr_assert_eq (p->jump_lines, 2, "%s", what);
  cr_assert_eq (profile_total (p, 0).value, gate_costs[0], "%s", what);
  profile_free (p);
}

Test (gate_reset, records_in_a_forked_child)
{
  unsigned long n, stride = step_stride (7);
  bool fresh = false;
  int old;

  STEP_OR_SKIP ();
  old = gate_file ();
  fd = gate_file ();
  open_old (OPEN_PART, old);
  /* The parent's own reset has about as many instructions.  */
  n = step (STEP_NEVER, call_reset, NULL, &g);
  gate_free (&g);
  open_old (OPEN_PART, old);
  for (child_at = step_first (stride, "child"); child_at <= n;
       child_at += stride)
    {
      const char *what = gate_what ("reset in a child", child_at);
      int result;

      empty (old);
      empty (fd);
      result = gate_child (reset_in_child, NULL);
      cr_assert (result == 10 || result == 11, "%s: result %d", what, result);
      cr_assert (!(fresh && result == 11), "%s: dead again", what);
      fresh |= result == 10;
      check_child_file (what);
    }
  gate_free (&g);
}

/* A handler forks, and returns into the call in the child: the new file is the
   parent's alone, and the child's copy stays dead.  Only a fork before the
   call's first look at the process id makes it a call of the child's own.  */
#define FIRST_LOOK 60 /* instructions */

static char new_path[] = "/tmp/cgw-gate-XXXXXX";
static volatile pid_t returned; /* 0: in the child */
static int child_ended;

static void
fork_and_return (void *context)
{
  (void) context;
  returned = fork ();
  if (returned == 0)
    step_stop ();
  else
    child_ended = gate_wait (returned);
}

static void
call_recreate (void *context)
{
  struct gate *gate = context;

  gate->status = cgw_recreate (gate->w, new_path);
}

/* In the child: its end.  */
static void
tell_how_it_came_back (void)
{
  bool dead = cgw_flush (g.w) == CGW_EFORK;

  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    dead &= gate_record (&g, kind) == CGW_EFORK;
  _exit (dead ? 10 : 11);
}

/* Whether the child's copy is dead.  */
static bool
fork_at (unsigned long at, void (*call) (void *), const char *what)
{
  int old = gate_file ();

  open_old (OPEN_PART, old);
  child_ended = 10; /* should the call have fewer instructions */
  returned = 1;
  step (at, call, fork_and_return, &g);
  if (returned == 0)
    tell_how_it_came_back ();
  cr_assert_eq (g.status, CGW_OK, "%s", what);
  cr_assert (child_ended == 10 || child_ended == 11, "%s: %d", what,
             child_ended);
  write_new_file (what);
  gate_free (&g);
  close (old);
  return child_ended == 10;
}

static void
sweep_forks (void (*call) (void *), const char *name)
{
  unsigned long n, stride = step_stride (17);

  STEP_OR_SKIP ();
  close (mkstemp (new_path));
  fd = open (new_path, O_RDWR | O_CLOEXEC);
  cr_assert_neq (fd, -1);
  open_old (OPEN_PART, gate_file ());
  n = step (STEP_NEVER, call, NULL, &g);
  gate_free (&g);
  for (unsigned long at = step_first (stride, name); at <= n; at += stride)
    {
      const char *what = gate_what (name, at);
      bool dead_here;

      empty (fd);
      dead_here = fork_at (at, call, what);
      cr_assert (dead_here || at < FIRST_LOOK, "%s: the child's copy lives",
                 what);
    }
  unlink (new_path);
}

Test (gate_reset, child_that_returns_into_a_reset)
{
  sweep_forks (call_reset, "back into a reset");
}

Test (gate_reset, child_that_returns_into_a_recreate)
{
  sweep_forks (call_recreate, "back into a recreate");
}
