/* test_calls.c - the contract as a table: what each public call returns when it
   is made inside another call on the same object,
   in a forked child, beside a call of another thread, and in each state of a
   file; that a refused call changes nothing; and which refusals are kept.  The
   rows are in calls.def; the list of public calls is cgw.h's.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "calls.h"
#include "gate.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite (calls, .timeout = 600);

static const char *const situations[SITUATIONS]
    = { "without a part", "alone", "finished", "salvaged", "inside",
        "inside, salvaged", "in a child", "in a child, inside",
        "in a child, beside another thread", "cancelled",
        "cancelled, with hooks", "beside another thread" };

static struct gate g;
static int fd; /* of the file, or -1: the bytes go to the hook */
static char *directory;

static void
make_world (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  gate_open (&g, &o, fd);
  calls_make (g.names, g.w);
}

static void
cancel_in_hook (struct gate *gate)
{
  (void) gate;
  test_cancel ();
}

/* One cell: a row in a situation.  */

static const struct row *row; /* NULL: the call is left out */
static enum situation situation;
static enum cgw_status got;
static bool was_there;
static bool in_child;

static void
make_call (void)
{
  was_there = true;
  if (row == NULL)
    return;
  errno = MARKER;
  got = row->call ();
  if (errno != MARKER)
    got = CGW_NEVER;
}

/* In the hook of a call.  */
static void
visit (struct gate *gate)
{
  gate->in_write = gate->in_allocate = NULL;
  if (situation == BESIDE || situation == CHILD_BESIDE)
    {
      gate_stay (gate);
      return;
    }
  if (situation == CHILD_INSIDE)
    {
      pid_t child = fork ();
      if (child != 0)
        {
          got = (enum cgw_status) gate_wait (child);
          was_there = true;
          return;
        }
      in_child = true;
    }
  if (situation == INSIDE_SALVAGED)
    cgw_salvage (w);
  make_call ();
  if (in_child)
    leave ((int) got);
}

/* Makes calls on the object until one calls a hook.  On a writer without a write
   hook, that is the beginning of the first part.  */
static void
interrupt (enum object on)
{
  char name[30];

  if (on == WRITER && fd == -1)
    {
      g.in_write = visit;
      cgw_flush (w);
      return;
    }
  g.in_allocate = visit;
  if (on == WRITER)
    {
      gate_begin (&g, 2);
      gate_records (&g, CGW_OK);
    }
  for (unsigned i = 0; g.in_allocate != NULL; i++)
    {
      struct cgw_pos pos = { .fn = here.fn, .line = 100 + i };
      snprintf (name, sizeof name, "name %u", i);
      if (on == NAMES)
        cgw_add_file (names, name);
      else
        cgw_profile_cost (p, &pos, costs, 2);
    }
}

static int
call_in_child (void *context)
{
  (void) context;
  make_call ();
  return (int) got;
}

static void *
call_cancelled (void *argument)
{
  int before;

  if (situation == CANCELLED_IN_HOOK)
    g.in_write = g.in_allocate = cancel_in_hook;
  pthread_cancel (pthread_self ());
  make_call ();
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &before);
  return argument;
}

static void
call_in_cancelled_thread (void)
{
  pthread_t thread;
  void *result;

  cr_assert_eq (pthread_create (&thread, NULL, call_cancelled, &got), 0);
  cr_assert_eq (pthread_join (thread, &result), 0);
  g.in_write = g.in_allocate = NULL;
  if (result != &got)
    cr_assert_fail ("%s: the thread ended in the call",
                    row != NULL ? row->function : "none");
}

static void *
interrupt_here (void *on)
{
  interrupt (*(enum object *) on);
  return NULL;
}

static unsigned waited; /* the call, for the other thread's, so often */

/* A call does not give up.  */
static void
note_wait (void)
{
  if (++waited == 100)
    gate_release ();
}

static void
bring_about (enum object on)
{
  was_there = false;
  waited = 0;
  switch (situation)
    {
    case FINISHED:
      cr_assert_eq (cgw_finish (w), CGW_OK);
      make_call ();
      break;
    case SALVAGED:
      cr_assert_eq (cgw_salvage (w), CGW_OK);
      make_call ();
      break;
    case INSIDE:
    case INSIDE_SALVAGED:
    case CHILD_INSIDE:
      interrupt (on);
      break;
    case CHILD:
      got = (enum cgw_status) gate_child (call_in_child, NULL);
      was_there = true;
      break;
    case CANCELLED:
    case CANCELLED_IN_HOOK:
      call_in_cancelled_thread ();
      break;
    case CHILD_BESIDE:
      gate_hold (interrupt_here, &on);
      got = (enum cgw_status) gate_child (call_in_child, NULL);
      was_there = true;
      gate_let_go ();
      break;
    case BESIDE:
      gate_hold (interrupt_here, &on);
      gate_in_wait = note_wait;
      make_call ();
      gate_in_wait = NULL;
      gate_let_go ();
      break;
    default:
      make_call ();
      break;
    }
  cr_assert (was_there);
}

/* The error that the object keeps.  */
static enum cgw_status
kept_error (enum object on)
{
  return on == WRITER  ? cgw_error (w, NULL)
         : on == NAMES ? cgw_names_error (names, NULL)
                       : cgw_profile_error (p, NULL);
}

static void
free_world (void)
{
  calls_free ();
  g.names = names;
  g.w = w;
  gate_free (&g);
}

/* Writes all that there is to write, as far as that is possible.  The file is
   one, whatever happened.  */
static void
end_world (void)
{
  if (p != NULL && w != NULL)
    cgw_profile_write (p, w, &part);
  if (w != NULL && cgw_finish (w) == CGW_EBUSY)
    cgw_salvage (w);
  if (fd != -1)
    {
      gate_load (&g, fd);
      close (fd);
    }
  if (g.n != 0)
    profile_free (ledger_check_file (NULL, g.bytes, g.n, READER_UNFINISHED));
  free_world ();
}

static void
run_cell (const struct row *r, enum object on, unsigned flags)
{
  char file[4096];

  fd = situation == CANCELLED ? open_in (directory, "bytes", file) : -1;
  make_world (flags);
  if (situation != NO_PART)
    {
      cr_assert_eq (gate_begin (&g, 2), CGW_OK);
      gate_records (&g, CGW_OK);
    }
  row = r;
  bring_about (on);
}

/* What the file is when the call is left out.  */
static size_t
run_without (enum object on, unsigned flags, char *bytes)
{
  run_cell (NULL, on, flags);
  end_world ();
  memcpy (bytes, g.bytes, g.n);
  return g.n;
}

static const char *
name_of (const struct row *r)
{
  static char name[100];

  snprintf (name, sizeof name, "%s %s, %s", r->function, r->variant,
            situations[situation]);
  return name;
}

static bool
is_in_child (void)
{
  return situation >= CHILD && situation <= CHILD_BESIDE;
}

/* A call that has nothing to do with the file, or was refused, or was made in a
   child, leaves the file as it is without the call.  */
static bool
leaves_no_trace (const struct row *r)
{
  return r->expected[situation] == CGW_EBUSY
         || r->expected[situation] == CGW_EFINISHED
         || is_in_child ();
}

/* Whether a call waits until another thread's call has returned: what must not
   be made inside that, and records with CGW_WAIT.  */
static bool
waits (const struct row *r, unsigned flags)
{
  return r->expected[INSIDE] == CGW_EBUSY
         || (flags & CGW_WAIT && r->expected[INSIDE] == CGW_OK
             && r->expected[FINISHED] == CGW_EFINISHED);
}

static void
check_cell (const struct row *r, unsigned flags, const char *without,
            size_t n_without)
{
  enum cgw_status expected = r->expected[situation];

  if (expected == CGW_NEVER
      || ((situation == BESIDE || situation == CHILD_BESIDE)
          && r->object == WRITER && !(flags & CGW_THREADS)))
    return;
  run_cell (r, r->object, flags);
  cr_expect_eq (got, expected, "%s: %s, not %s", name_of (r),
                got != CGW_NEVER ? cgw_strerror (got) : "errno has changed",
                cgw_strerror (expected));
  if (situation == BESIDE)
    cr_expect_eq (waited != 0, waits (r, flags), "%s: it waited %u times",
                  name_of (r), waited);
  if (situation == INSIDE && expected == CGW_EBUSY)
    cr_expect_eq (kept_error (r->object), r->kept ? CGW_EBUSY : CGW_OK,
                  "%s: kept: %s", name_of (r),
                  cgw_strerror (kept_error (r->object)));
  end_world ();
  if (leaves_no_trace (r))
    cr_expect (g.n == n_without && memcmp (g.bytes, without, g.n) == 0,
               "%s: the file has changed", name_of (r));
}

/* In the situations of a child, or in the others.  */
static void
check_rows (enum object on, unsigned flags, bool of_child)
{
  static char without[GATE_BYTES];

  directory = make_directory ();
  snprintf (path, sizeof path, "%s/profile", directory);
  for (situation = 0; situation < SITUATIONS; situation++)
    {
      size_t n = 0;
      if (is_in_child () != of_child)
        continue;
      if (on == WRITER || situation == ALONE || situation == INSIDE
          || situation >= CHILD)
        n = run_without (on, flags, without);
      for (size_t i = 0; i < n_rows; i++)
        if (rows[i].object == on)
          check_cell (&rows[i], flags, without, n);
    }
  remove_directory (directory);
}

/* A cancelled thread ends in no call, whatever the hooks do.  */
static void
expect_tested_hooks (void)
{
  cr_expect_gt (hooks_tested, 0, "no hook was called in a cancelled thread");
}

static void
check_writers (bool of_child)
{
  check_rows (WRITER, 0, of_child);
  check_rows (WRITER, CGW_WAIT, of_child);
  check_rows (WRITER, CGW_THREADS, of_child);
  check_rows (WRITER, CGW_THREADS | CGW_WAIT, of_child);
}

Test (calls, on_a_writer)
{
  check_writers (false);
  expect_tested_hooks ();
}

/* Apart from the others, for the kernel must wipe a page there.  */
Test (calls, on_a_writer_in_a_child)
{
  check_writers (true);
}

Test (calls, on_names)
{
  check_rows (NAMES, 0, false);
  check_rows (NAMES, 0, true);
  expect_tested_hooks ();
}

Test (calls, on_a_profile)
{
  check_rows (PROFILE, 0, false);
  check_rows (PROFILE, 0, true);
  expect_tested_hooks ();
}

/* Every call of cgw.h has a row, and a call that is for handlers is never
   refused because of what it interrupted.  */

static void
check_function (const char *function, char class)
{
  size_t n = 0;

  for (size_t i = 0; i < n_rows; i++)
    if (strcmp (rows[i].function, function) == 0)
      {
        n++;
        for (situation = 0; situation < SITUATIONS && class == 'S';
             situation++)
          cr_expect_neq (rows[i].expected[situation], CGW_EBUSY, "%s",
                         name_of (&rows[i]));
      }
  cr_expect_gt (n, 0, "calls.def has no row for %s", function);
}

Test (calls, each_has_a_row)
{
  size_t n = 0;

#define FUNCTION(name, class) n++, check_function (#name, (#class)[0]);
#include "functions.h"
  cr_expect_eq (n, 75, "%zu functions in cgw.h", n);
}
