/* test_allocations.c - each public function, when each of its allocations
   fails: once, and all from that one on.

   A row is a function that is called some times, in a world of objects that
   share one heap.  After a failure a call has changed nothing: called again, it
   gives what it would have given; left out, the file is as if it had not been
   called.  Functions that may not allocate do not.  The list of functions is
   cgw.h's, and one without a row fails the test.

   With CGW_STRESS in the environment there are more calls for each row.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKER 4242 /* no call may change errno from this */
#define MOST_CALLS 300
#define STEP 10 /* of a tracer's counter, from one call to the next */

enum promise
{
  NEVER, /* does not allocate */
  EXACT, /* after CGW_ENOMEM nothing has changed */
  TRACED /* after CGW_ENOMEM costs are at another place, but all there */
};

struct row
{
  const char *function;
  enum promise promise;
  unsigned calls; /* 0: as many as are usual */
  enum cgw_status (*call) (unsigned i);
};

/* The world.  */

static struct heap heap;
static struct cgw_names *names, *others, *spare;
static struct cgw_writer *w;
static struct cgw_profile *p, *q, *fresh;
static struct cgw_tracer *t, *u;
static struct cgw_recorder *recorder;
static uint64_t recorder_memory[1024];
static struct cgw_object object;
static struct cgw_file file;
static struct cgw_fn fn;
static struct cgw_edge edge;
static unsigned char packed[16384];
static size_t n_packed;
static char *directory;
static char path[4096], other_path[4096];
static int fd;          /* of the file at path */
static bool paused;     /* the tracer t is */
static uint64_t clock;  /* its counter */
static uint64_t traced; /* of that, what passed while it had open calls */

static const struct cgw_event events[] = { { "A", "first", NULL },
                                           { "B", NULL, NULL },
                                           { "C", NULL, "A + B" } };
static const uint64_t costs[] = { 3, 5 };

static const char *const desc[] = { "Trigger: test", "Where: here" };
static const struct cgw_part part = { .size = sizeof part,
                                      .events = events,
                                      .n_events = 3,
                                      .cmd = "cmd",
                                      .desc = desc,
                                      .n_desc = 2 };

#define PLACE(i_) ((struct cgw_pos){ .fn = fn, .line = 1 + (i_) })
#define AT(i_) (&PLACE (i_))

static ssize_t
pack_here (void *context, const void *bytes, size_t n)
{
  (void) context;
  cr_assert_leq (n, sizeof packed - n_packed);
  memcpy (packed + n_packed, bytes, n);
  n_packed += n;
  return (ssize_t) n;
}

static ssize_t
swallow (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  return (ssize_t) n;
}

/* A profile with names of its own, and the same packed.  */
static void
make_others (void)
{
  others = make_names (&heap);
  cr_assert_eq (cgw_profile_new (&q, others, 2, 0), CGW_OK);
  for (unsigned i = 0; i < 40; i++)
    {
      struct cgw_pos frames[2] = { { .line = i }, { .line = 100 + i } };
      char name[20];

      snprintf (name, sizeof name, "other %u", i);
      frames[0].fn = cgw_add_fn (others, name, cgw_add_file (others, name),
                                 cgw_add_object (others, name));
      cr_assert_eq (cgw_profile_cost (q, &frames[0], costs, 2), CGW_OK);
      cr_assert_eq (cgw_profile_call (q, &frames[0], &frames[1], 2, costs, 2),
                    CGW_OK);
      cr_assert_eq (cgw_profile_stack (q, frames, 2, 3, costs, 2), CGW_OK);
    }
  n_packed = 0;
  cr_assert_eq (cgw_profile_pack (q, pack_here, NULL), CGW_OK);
}

/* Two tracers; the first one has an open call.  */
static void
make_tracers (void)
{
  struct cgw_pos at = PLACE (0), to = PLACE (7);

  clock = traced = 0;
  paused = false;
  cr_assert_eq (cgw_tracer_new (&t, p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&u, p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &at, 7, &clock), CGW_OK);
  cr_assert_eq (cgw_tracer_edge (t, &at, &to, &edge), CGW_OK);
}

static void
open_world (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  heap = (struct heap){ 0 };
  names = make_names (&heap);
  spare = make_names (&heap);
  o.flags = CGW_ZERO_CALLS;
  cr_assert_eq (cgw_open (&w, names, path, &o), CGW_OK);
  fd = open (path, O_WRONLY | O_CLOEXEC);
  cr_assert_neq (fd, -1);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  object = cgw_add_object (names, "object");
  file = cgw_add_file (names, "file.c");
  fn = cgw_add_fn (names, "fn", file, object);
  cr_assert_eq (cgw_profile_new (&p, names, 2, 0), CGW_OK);
  cr_assert_eq (cgw_profile_new (&fresh, names, 2, 0), CGW_OK);
  make_others ();
  make_tracers ();
  recorder = cgw_recorder_init (recorder_memory, 4, 4, 2);
  cr_assert_not_null (recorder);
}

/* Writes all sums, ends the file, and frees all.  Nothing is left.  */
static void
close_world (struct sink *bytes, const char *context)
{
  heap.fail_at = 0;
  if (p != NULL && w != NULL
      && (cgw_error (w, NULL) == CGW_OK || cgw_error (w, NULL) == CGW_ENOMEM))
    cgw_profile_write (p, w, &part);
  if (w != NULL)
    cgw_finish (w);
  cgw_free (w);
  close (fd);
  sink_load (bytes, path);
  cgw_profile_free (p);
  cgw_profile_free (q);
  cgw_profile_free (fresh);
  cgw_names_free (names);
  cgw_names_free (others);
  cgw_names_free (spare);
  cr_assert_eq (heap.live, 0, "%s: %zu blocks leak", context, heap.live);
  profile_free (must_read (bytes->bytes, bytes->n,
                           READER_UNFINISHED | READER_ALLOW_ZERO_CALLS,
                           context));
}

/* The calls, but for those that a row says.  */

static struct cgw_edge found;
static const char *why;

static enum cgw_status
is (bool right)
{
  return right ? CGW_OK : CGW_EINVAL;
}

static enum cgw_status
has_text (const char *sentence)
{
  return is (sentence != NULL && sentence[0] != '\0');
}

/* Whether a name was added, of which only a handle is returned.  */
static enum cgw_status
added (uint32_t handle)
{
  return handle != 0 ? CGW_OK : cgw_names_error (names, NULL);
}

/* A call that is there for the sake of the row's: it may fail.  */
static void
may (enum cgw_status status)
{
  cr_assert (status == CGW_OK || status == CGW_ENOMEM, "%s",
             cgw_strerror (status));
}

/* What was added stands in the file.  */
static enum cgw_status
use_file (struct cgw_file f)
{
  struct cgw_pos at = { .fn = fn, .file = f, .line = 1 };

  if (f.handle != 0)
    cr_assert_eq (cgw_cost (w, &at, costs, 2), CGW_OK);
  return added (f.handle);
}

static enum cgw_status
use_fn (struct cgw_fn f)
{
  struct cgw_pos at = { .fn = f, .line = 1 };

  if (f.handle != 0)
    cr_assert_eq (cgw_cost (w, &at, costs, 2), CGW_OK);
  return added (f.handle);
}

static const char *
numbered (const char *text, unsigned i)
{
  static char name[100];

  snprintf (name, sizeof name, "%s %u\t, longer than others", text, i);
  return name;
}

static enum cgw_status
names_new (void)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_names *made;
  enum cgw_status status;

  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  status = cgw_names_new (&made, &o);
  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_names_free (made);
  return status;
}

static enum cgw_status
new_writer (unsigned i)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *made;
  enum cgw_status status;

  o.write = swallow;
  o.flags = i % 2 == 0 ? 0 : CGW_THREADS;
  o.buffer_size = i % 3 == 0 ? 0 : 100;
  status = cgw_open_fd (&made, names, -1, &o);
  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_free (made);
  return status;
}

static enum cgw_status
create_writer (unsigned i)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *made;
  enum cgw_status status;

  o.flags = i % 2 == 0 ? 0 : CGW_REPLACE;
  status = cgw_open (&made, names, other_path, &o);
  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_free (made);
  return status;
}

static enum cgw_status
visit_sum (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  (void) context;
  return is (pos->fn.handle != 0 && cost[0] != 0 && n == 2);
}

static const struct cgw_visitor visitor
    = { .size = sizeof visitor, .cost = visit_sum };

static enum cgw_status
free_writer (void)
{
  cgw_free (w);
  w = NULL;
  return CGW_OK;
}

/* Make another writer, by allocations that neither fail nor count.  */
static enum cgw_status
next_writer (void)
{
  size_t calls = heap.calls, fail_at = heap.fail_at;
  enum cgw_status status;

  cr_assert_eq (ftruncate (fd, 0), 0);
  cr_assert_eq (lseek (fd, 0, SEEK_SET), 0);
  cgw_free (w);
  heap.fail_at = 0;
  status = cgw_open_fd (&w, names, fd, NULL);
  heap.calls = calls;
  heap.fail_at = fail_at;
  return status;
}

static enum cgw_status
begin_part (unsigned i)
{
  static char names_of_events[CGW_EVENTS_MAX][4];
  struct cgw_event many[CGW_EVENTS_MAX] = { { NULL, NULL, NULL } };
  struct cgw_part changed = part;

  changed.events = many;
  changed.n_events = 40 * (1 + i);
  for (unsigned k = 0; k < changed.n_events; k++)
    {
      snprintf (names_of_events[k], sizeof *names_of_events, "E%u", k % 100);
      names_of_events[k][0] = (char) ('A' + k / 100);
      many[k].name = names_of_events[k];
    }
  return cgw_begin_part (w, &changed);
}

/* Each longer than the room that all records have.  */
static enum cgw_status
comment (unsigned i)
{
  static char text[1 << 20];
  size_t n = sizeof text / 8 * (1 + i);

  memset (text, 'x', n);
  text[n] = '\0';
  return cgw_comment (w, text);
}

static enum cgw_status
explain (unsigned i)
{
  struct cgw_part changed = part;
  struct cgw_event wrong = { numbered ("wrong", i), NULL, NULL };

  changed.events = &wrong;
  changed.n_events = 1;
  cr_assert_eq (cgw_begin_part (w, &changed), CGW_EINVAL);
  return has_text (cgw_explain (w));
}

static enum cgw_status
profile_new (unsigned i)
{
  struct cgw_profile *made;
  enum cgw_status status = cgw_profile_new (&made, names, 1 + i % 200, 0);

  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_profile_free (made);
  return status;
}

static enum cgw_status
profile_stack (enum cgw_status (*add) (struct cgw_profile *,
                                       const struct cgw_pos *, size_t,
                                       uint64_t, const uint64_t *, size_t),
               unsigned i)
{
  struct cgw_pos frames[30];

  for (unsigned k = 0; k < 30; k++)
    frames[k] = PLACE (k < 5 ? i + k : k);
  return add (p, frames, 1 + i % 30, 2, costs, 2);
}

static enum cgw_status
profile_write (unsigned i)
{
  struct cgw_part changed = part;

  changed.number = 1 + i;
  return cgw_profile_write (p, w, &changed);
}

static enum cgw_status
profile_explain (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.size = 0;
  cr_assert_eq (cgw_profile_save (p, other_path, &part, &o), CGW_EINVAL);
  return has_text (cgw_profile_explain (p));
}

/* The counter at the next event of t.  */
static const uint64_t *
tick (void)
{
  clock += STEP;
  if (cgw_tracer_depth (t) > 0 && !paused)
    traced += STEP;
  return &clock;
}

static enum cgw_status
tracer_new (void)
{
  struct cgw_tracer *made;
  enum cgw_status status = cgw_tracer_new (&made, p, NULL);

  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_tracer_free (made);
  return status;
}

static enum cgw_status
enter (unsigned i)
{
  return cgw_tracer_enter (t, AT (i % 50), AT (100 + i), i, tick ());
}

/* If there is no memory for an outermost call, its costs have no caller.  */
static enum cgw_status
tail (unsigned i)
{
  if (i == 0)
    may (enter (i));
  return cgw_tracer_tail (t, AT (100 + i), i, tick ());
}

static enum cgw_status
run_through (unsigned i)
{
  struct cgw_pos positions[5];

  for (unsigned k = 0; k < 5; k++)
    positions[k] = PLACE (3 * i + k);
  return cgw_tracer_block (t, positions, 5, costs, 1, tick ());
}

static enum cgw_status
pause_or_resume (void)
{
  enum cgw_status status
      = paused ? cgw_tracer_start (t, tick ()) : cgw_tracer_stop (t, tick ());

  paused = !paused;
  return status;
}

static enum cgw_status
pause_tracer (unsigned i)
{
  may (cgw_tracer_move (t, AT (100 + i), tick ()));
  may (pause_or_resume ());
  return pause_or_resume ();
}

/* The coroutine's costs are none: its counter is that of its resumer.  */
static enum cgw_status
resume_from (unsigned i)
{
  enum cgw_status status = cgw_tracer_resume (u, t, AT (100 + i), tick ());

  if (status == CGW_OK)
    {
      may (cgw_tracer_enter (u, NULL, AT (200 + i), 1, &clock));
      may (cgw_tracer_yield (u, &clock));
    }
  return status;
}

static void
take (void *context, const struct cgw_sample *sample)
{
  (void) context;
  (void) sample;
}

static enum cgw_status
push_and_drain (unsigned i)
{
  enum cgw_status status = cgw_recorder_push (recorder, i, costs, 2, costs, 2);

  cr_assert_eq (cgw_recorder_drain (recorder, take, NULL), 1);
  return status;
}

/* The table.  */

#define ROW(function, promise, calls, call)                                   \
  static enum cgw_status call_##function (unsigned i)                         \
  {                                                                           \
    (void) i;                                                                 \
    return call;                                                              \
  }
#include "allocations.def"
#undef ROW

static const struct row rows[] = {
#define ROW(function, promise, calls, call)                                   \
  { #function, promise, calls, call_##function },
#include "allocations.def"
};
#define ROWS (sizeof rows / sizeof *rows)

static bool
is_row_of (const struct row *r, const char *function)
{
  return strcmp (r->function, function) == 0;
}

/* Runs.  */

enum failure
{
  ONCE,       /* the call is made again */
  ONCE_ALONE, /* it is not */
  ALL,        /* of them, from that one on */
  FAILURES
};

static const char *const failures[FAILURES]
    = { "once", "once, not called again", "and all behind it" };

static unsigned long long failed; /* allocations, in all runs */

static unsigned
calls_of (const struct row *r)
{
  return r->calls != 0                   ? r->calls
         : getenv ("CGW_STRESS") != NULL ? MOST_CALLS
                                         : 40;
}

/* Whether an object says that there was no memory.  */
static bool
is_explained (void)
{
  const char *const said[]
      = { cgw_explain (w), cgw_names_explain (names), cgw_profile_explain (p),
          cgw_profile_explain (q), cgw_profile_explain (fresh) };

  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (strstr (said[i], cgw_strerror (CGW_ENOMEM)) != NULL)
      return true;
  return false;
}

/* The row's calls, of which those in `skipped`, if not NULL, are left out.
   Notes in `refused` which failed.  */
static void
make_calls (const struct row *r, bool again, const bool *skipped,
            bool refused[MOST_CALLS], const char *context)
{
  for (unsigned i = 0; i < calls_of (r); i++)
    {
      enum cgw_status status = CGW_OK;
      size_t before = heap.failed;

      refused[i] = false;
      /* Each part has more events than all before: it is in a new file.  */
      if (is_row_of (r, "cgw_begin_part"))
        cr_assert_eq (next_writer (), CGW_OK, "%s", context);
      if (skipped != NULL && skipped[i])
        continue;
      errno = MARKER;
      status = r->call (i);
      cr_assert_eq (errno, MARKER, "%s: errno has changed", context);
      if (status == CGW_OK)
        continue;
      refused[i] = true;
      cr_assert_eq (status, CGW_ENOMEM, "%s: %s", context,
                    cgw_strerror (status));
      cr_assert_gt (heap.failed, before, "%s: there was memory", context);
      /* A writer that there is no memory for explains nothing.  */
      cr_assert (is_row_of (r, "cgw_names_new") || is_row_of (r, "cgw_open_fd")
                     || is_row_of (r, "cgw_open") || is_explained (),
                 "%s: is not explained", context);
      if (!again)
        continue;
      status = r->call (i);
      cr_assert_eq (status, CGW_OK, "%s: again: %s", context,
                    cgw_strerror (status));
    }
}

/* All costs that the tracer saw are in the profile.  */
static void
check_traced (const struct row *r, const char *context)
{
  uint64_t sum = 0;

  if (r->promise != TRACED)
    return;
  cgw_tracer_sync (t, &clock);
  cr_assert_eq (cgw_profile_total (p, &sum, 1), CGW_OK);
  if (is_row_of (r, "cgw_tracer_block"))
    return; /* which adds costs of its own */
  cr_assert_eq (sum, traced, "%s: %llu of %llu", context,
                (unsigned long long) sum, (unsigned long long) traced);
}

/* The bytes that the row gives without failures, but for calls left out.  */
static void
run_without (const struct row *r, const bool *skipped, struct sink *bytes)
{
  bool refused[MOST_CALLS];

  open_world ();
  make_calls (r, false, skipped, refused, r->function);
  close_world (bytes, r->function);
}

static bool
any (const bool *flags)
{
  for (unsigned i = 0; i < MOST_CALLS; i++)
    if (flags[i])
      return true;
  return false;
}

/* A run in which the n-th allocation fails.  False: there are fewer.  */
static bool
run (const struct row *r, size_t n, enum failure how,
     const struct sink *baseline)
{
  struct sink bytes = { 0 }, expected = { 0 };
  bool refused[MOST_CALLS] = { false };
  char context[200];
  size_t struck;

  snprintf (context, sizeof context, "%s, allocation %zu fails, %s",
            r->function, n, failures[how]);
  open_world ();
  heap.fail_at = heap.calls + n;
  heap.forever = how == ALL;
  make_calls (r, how == ONCE && r->promise == EXACT, NULL, refused, context);
  struck = heap.failed;
  heap.fail_at = 0;
  cr_assert (struck == 0 || r->promise != NEVER, "%s: allocates", context);
  check_traced (r, context);
  close_world (&bytes, context);
  if (r->promise != TRACED && how != ONCE && any (refused))
    {
      run_without (r, refused, &expected);
      check_same (bytes.bytes, bytes.n, &expected, context);
    }
  else if (r->promise != TRACED)
    check_same (bytes.bytes, bytes.n, baseline, context);
  sink_free (&bytes);
  sink_free (&expected);
  failed += struck;
  return struck != 0;
}

static void
sweep (const struct row *r)
{
  struct sink baseline = { 0 };

  run_without (r, NULL, &baseline);
  for (enum failure how = 0; how < FAILURES; how++)
    {
      size_t n = 1;

      while (run (r, n, how, &baseline))
        n++;
      cr_expect (n > 1 || r->promise == NEVER, "%s: does not allocate",
                 r->function);
    }
  sink_free (&baseline);
}

Test (allocations, each_one_fails, .timeout = 3600)
{
  directory = make_directory ();
  snprintf (path, sizeof path, "%s/profile", directory);
  snprintf (other_path, sizeof other_path, "%s/other", directory);
  for (size_t i = 0; i < ROWS; i++)
    sweep (&rows[i]);
  print_figure ("allocation_scenarios", ROWS);
  print_figure ("allocations_failed", failed);
  remove_directory (directory);
}

/* Handlers call what does not allocate.  */
static void
check_function (const char *function, char class)
{
  size_t n = 0;

  for (size_t i = 0; i < ROWS; i++)
    if (is_row_of (&rows[i], function))
      {
        n++;
        cr_expect (class != 'S' || rows[i].promise == NEVER, "%s", function);
      }
  cr_expect_gt (n, 0, "no row for %s", function);
}

Test (allocations, each_function_has_a_row)
{
#define FUNCTION(name, class) check_function (#name, (#class)[0]);
#include "functions.h"
}
