/* test_calls.c - the contract as a table: what each public call returns when it
   is made inside another call on the same object,
   in a forked child, beside a call of another thread, and in each state of a
   file; that a refused call changes nothing; and which refusals are kept.  The
   rows are in calls.def; the list of public calls is cgw.h's.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/coverage.h"
#include "gate.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite (calls, .timeout = 600);

#define CGW_NEVER ((enum cgw_status) -1)
#define MARKER 4242 /* no call may change errno from this */

enum object { WRITER, NAMES, PROFILE, NOTHING };

enum situation
{
  NO_PART,
  PART,
  ALONE = PART,
  FINISHED,
  SALVAGED,
  INSIDE,
  INSIDE_SALVAGED,
  CHILD,
  CHILD_INSIDE,
  CANCELLED, /* the thread is, so that it would end at a cancellation point */
  CANCELLED_IN_HOOK, /* and each hook has one */
  BESIDE, /* a call that another thread has made */
  SITUATIONS
};

static const char *const situations[SITUATIONS]
    = { "without a part", "alone", "finished", "salvaged", "inside",
        "inside, salvaged", "in a child", "in a child, inside",
        "cancelled", "cancelled, with hooks", "beside another thread" };

struct row
{
  const char *function;
  const char *variant;
  enum object object;
  enum cgw_status (*call) (void);
  enum cgw_status expected[SITUATIONS];
  bool kept;
};

/* The objects, and arguments that are right.  */

static struct gate g;
static struct cgw_names *names;
static struct cgw_writer *w;
static struct cgw_profile *p, *other;
static struct cgw_tracer *t, *suspended;
static struct cgw_file file;
static struct cgw_object object;
static struct cgw_edge edge, looked_up;
static struct cgw_pos here, there;
static const struct cgw_event events[] = { { "A", 0, 0 }, { "B", 0, 0 } };
static struct cgw_part part = CGW_PART_INIT;
static struct cgw_stats stats = CGW_STATS_INIT;
static const uint64_t costs[] = { 3, 5 }, counters[] = { 1 };
static uint64_t sums[2];
static unsigned char packed[1000];
static size_t n_packed;
static int fd; /* of the file, or -1: the bytes go to the hook */
static char *directory;
static char path[4096];

static ssize_t
pack_here (void *context, const void *bytes, size_t n)
{
  (void) context;
  cr_assert_leq (n, sizeof packed - n_packed);
  memcpy (packed + n_packed, bytes, n);
  n_packed += n;
  return (ssize_t) n;
}

static unsigned hooks_tested; /* for cancellation */

static void
test_cancel (struct gate *gate)
{
  (void) gate;
  hooks_tested++;
  pthread_testcancel ();
}

static ssize_t
swallow (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  test_cancel (NULL);
  return (ssize_t) n;
}

/* The tracer's open call is the first cost of the profile.  */
static void
make_sums (void)
{
  cr_assert_eq (cgw_profile_new (&p, names, 2, 0), CGW_OK);
  cr_assert_eq (cgw_profile_new (&other, names, 2, 0), CGW_OK);
  cr_assert_eq (cgw_profile_cost (other, &here, costs, 2), CGW_OK);
  n_packed = 0;
  cr_assert_eq (cgw_profile_pack (other, pack_here, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t, p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &here, 7, counters), CGW_OK);
  cr_assert_eq (cgw_tracer_edge (t, &here, &there, &edge), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&suspended, p, NULL), CGW_OK);
}

static void
make_world (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  gate_open (&g, &o, fd);
  names = g.names;
  w = g.w;
  file = cgw_add_file (names, "gate.c");
  object = cgw_add_object (names, "gate");
  here = (struct cgw_pos){ .fn = g.fn, .line = 11 };
  there = (struct cgw_pos){ .fn = g.other, .line = 22 };
  part.events = events;
  part.n_events = 2;
  make_sums ();
}

/* What the rows call, where that is more than one call.  */

static enum cgw_status
has_text (const char *sentence)
{
  return sentence != NULL ? CGW_OK : CGW_EINVAL;
}

/* What adding a name comes to, of which only a handle is returned.  */
#define handle(name)                                                          \
  ((name).handle != 0 ? CGW_OK : cgw_names_error (names, NULL))

/* What a call frees is gone.  */
static enum cgw_status
free_writer (void)
{
  struct cgw_writer *gone = w;

  w = g.w = NULL;
  return cgw_free (gone);
}

static enum cgw_status
free_names (void)
{
  cgw_names_free (names);
  names = g.names = NULL;
  return CGW_OK;
}

static enum cgw_status
save (void)
{
  return cgw_profile_save (p, path, &part, NULL);
}

static enum cgw_status
free_profile (void)
{
  cgw_profile_free (p);
  p = NULL;
  return CGW_OK;
}

static enum cgw_status
free_tracer (void)
{
  return cgw_tracer_free (t);
}

static enum cgw_status
new_writer (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *made;
  enum cgw_status status;

  o.write = swallow;
  status = cgw_new (&made, names, -1, &o);
  cgw_free (made);
  return status;
}

static enum cgw_status
create_writer (void)
{
  struct cgw_writer *made;
  enum cgw_status status = cgw_create (&made, names, path, NULL);

  cgw_free (made);
  return status;
}

static enum cgw_status
new_names (void)
{
  struct cgw_names *made;
  enum cgw_status status = cgw_names_new (&made, NULL);

  cgw_names_free (made);
  return status;
}

static enum cgw_status
new_profile (void)
{
  struct cgw_profile *made;
  enum cgw_status status = cgw_profile_new (&made, names, 2, 0);

  cgw_profile_free (made);
  return status;
}

static enum cgw_status
new_tracer (void)
{
  struct cgw_tracer *made;

  return cgw_tracer_new (&made, p, NULL);
}

/* The rows.  */

#define CALL(function, variant, call)                                         \
  static enum cgw_status function##_##variant (void) { return call; }
#define ON_WRITER(function, variant, call, ...) CALL (function, variant, call)
#define ON_NAMES(function, variant, call, ...)                                \
  CALL (function, variant, call)
#define ON_PROFILE(function, variant, call, ...)                              \
  CALL (function, in##variant, call)
#define ON_NOTHING(function)
#include "calls.def"
#undef ON_WRITER
#undef ON_NAMES
#undef ON_PROFILE
#undef ON_NOTHING

#define ON_WRITER(function, variant, call, no_part, part, finished, salvaged, \
                  inside, inside_salvaged, child, kept)                       \
  { #function, #variant, WRITER, function##_##variant,                        \
    { CGW_##no_part, CGW_##part, CGW_##finished, CGW_##salvaged,              \
      CGW_##inside, CGW_##inside_salvaged, CGW_##child, CGW_##child,          \
      CGW_##part, CGW_##part,                                                 \
      CGW_##inside == CGW_EBUSY ? CGW_##part : CGW_##inside },                \
    kept },
#define ON_NAMES(function, variant, call, alone, inside, child, kept)         \
  { #function, #variant, NAMES, function##_##variant,                         \
    { CGW_NEVER, CGW_##alone, CGW_NEVER, CGW_NEVER, CGW_##inside, CGW_NEVER,  \
      CGW_##child,                                                            \
      CGW_##child == CGW_EFORK ? CGW_EFORK : CGW_##inside, CGW_##alone,       \
      CGW_##alone,                                                            \
      CGW_##inside == CGW_EBUSY ? CGW_##alone : CGW_##inside },               \
    kept },
#define ON_PROFILE(function, variant, call, alone, inside, child, kept)       \
  { #function, #variant, PROFILE, function##_in##variant,                     \
    { CGW_NEVER, CGW_##alone, CGW_NEVER, CGW_NEVER, CGW_##inside, CGW_NEVER,  \
      CGW_##child,                                                            \
      CGW_##child == CGW_EFORK ? CGW_EFORK : CGW_##inside, CGW_##alone,       \
      CGW_##alone, CGW_NEVER },                                               \
    kept },
#define ON_NOTHING(function) { #function, "", NOTHING, NULL, { CGW_OK }, false },

static const struct row rows[] = {
#include "calls.def"
};
static const size_t n_rows = sizeof rows / sizeof *rows;

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
  if (situation == BESIDE)
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
      gate_records (&g);
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
    g.in_write = g.in_allocate = test_cancel;
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
    {
      cr_expect_fail ("%s: the thread ended in the call",
                      row != NULL ? row->function : "none");
      got = CGW_NEVER;
    }
}

static void *
interrupt_here (void *on)
{
  interrupt (*(enum object *) on);
  return NULL;
}

static bool waited; /* the call, for the other thread's */

static void
note_wait (void)
{
  waited = true;
  gate_release ();
}

static void
bring_about (enum object on)
{
  was_there = waited = false;
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
  cgw_profile_free (p);
  cgw_profile_free (other);
  gate_free (&g);
}

/* Writes all that there is to write, as far as that is possible.  */
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
  free_world ();
}

static void
run_cell (const struct row *r, enum object on, unsigned flags)
{
  fd = situation == CANCELLED ? gate_file () : -1;
  make_world (flags);
  if (situation != NO_PART)
    {
      cr_assert_eq (gate_begin (&g, 2), CGW_OK);
      gate_records (&g);
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

/* A call that has nothing to do with the file, or was refused, or was made in a
   child, leaves the file as it is without the call.  */
static bool
leaves_no_trace (const struct row *r)
{
  return r->expected[situation] == CGW_EBUSY
         || r->expected[situation] == CGW_EFINISHED || situation == CHILD
         || situation == CHILD_INSIDE;
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
      || (situation == BESIDE && r->object == WRITER
          && !(flags & CGW_THREADS)))
    return;
  run_cell (r, r->object, flags);
  cr_expect_eq (got, expected, "%s: %s, not %s", name_of (r),
                got != CGW_NEVER ? cgw_strerror (got) : "errno has changed",
                cgw_strerror (expected));
  if (situation == BESIDE)
    cr_expect_eq (waited, waits (r, flags), "%s: it %s", name_of (r),
                  waited ? "waited" : "did not wait");
  if (situation == INSIDE && expected == CGW_EBUSY)
    cr_expect_eq (kept_error (r->object), r->kept ? CGW_EBUSY : CGW_OK,
                  "%s: kept: %s", name_of (r),
                  cgw_strerror (kept_error (r->object)));
  end_world ();
  if (leaves_no_trace (r))
    cr_expect (g.n == n_without && memcmp (g.bytes, without, g.n) == 0,
               "%s: the file has changed", name_of (r));
}

static void
check_rows (enum object on, unsigned flags)
{
  static char without[GATE_BYTES];

  directory = make_directory ();
  snprintf (path, sizeof path, "%s/profile", directory);
  for (situation = 0; situation < SITUATIONS; situation++)
    {
      size_t n = 0;
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

Test (calls, on_a_writer)
{
  check_rows (WRITER, 0);
  check_rows (WRITER, CGW_WAIT);
  check_rows (WRITER, CGW_THREADS);
  check_rows (WRITER, CGW_THREADS | CGW_WAIT);
  expect_tested_hooks ();
}

Test (calls, on_names)
{
  check_rows (NAMES, 0);
  expect_tested_hooks ();
}

Test (calls, on_a_profile)
{
  check_rows (PROFILE, 0);
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
#define FUNCTION(name, class) check_function (#name, (#class)[0]);
#include "functions.h"
}
