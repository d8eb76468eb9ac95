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
  enum cgw_status (*before) (unsigned i); /* each call, even if that is left
                                             out; or NULL */
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

static struct cgw_part
some_part (void)
{
  static const char *const desc[] = { "Trigger: test", "Where: here" };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 3;
  part.cmd = "cmd";
  part.desc = desc;
  part.n_desc = 2;
  return part;
}

static struct cgw_pos
place (unsigned i)
{
  return (struct cgw_pos){ .fn = fn, .line = 1 + i };
}

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
  struct cgw_pos at = place (0), to = place (7);

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
  struct cgw_part part = some_part ();
  struct cgw_options o = CGW_OPTIONS_INIT;

  heap = (struct heap){ 0 };
  names = make_names (&heap);
  spare = make_names (&heap);
  o.flags = CGW_ZERO_CALLS;
  cr_assert_eq (cgw_create (&w, names, path, &o), CGW_OK);
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
  struct cgw_part part = some_part ();

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

/* The calls.  */

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
names_new (unsigned i)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_names *made;
  enum cgw_status status;

  (void) i;
  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  status = cgw_names_new (&made, &o);
  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_names_free (made);
  return status;
}

static enum cgw_status
names_free (unsigned i)
{
  (void) i;
  cgw_names_free (spare);
  spare = NULL;
  return CGW_OK;
}

static enum cgw_status
add_object (unsigned i)
{
  return added (cgw_add_object (names, numbered ("object", i)).handle);
}

static enum cgw_status
add_object_n (unsigned i)
{
  const char *name = numbered ("object", i);

  return added (cgw_add_object_n (names, name, strlen (name) - 2).handle);
}

static enum cgw_status
add_file (unsigned i)
{
  return use_file (cgw_add_file (names, numbered ("file", i)));
}

static enum cgw_status
add_file_n (unsigned i)
{
  const char *name = numbered ("file", i);

  return use_file (cgw_add_file_n (names, name, strlen (name) - 2));
}

static enum cgw_status
add_fn (unsigned i)
{
  return use_fn (cgw_add_fn (names, numbered ("fn", i), file, object));
}

static enum cgw_status
add_fn_n (unsigned i)
{
  const char *name = numbered ("fn", i);

  return use_fn (cgw_add_fn_n (names, name, strlen (name) - 2, file, object));
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
  status = cgw_new (&made, names, -1, &o);
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
  status = cgw_create (&made, names, other_path, &o);
  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_free (made);
  return status;
}

static enum cgw_status
free_writer (unsigned i)
{
  enum cgw_status status = cgw_free (w);

  (void) i;
  w = NULL;
  return status == CGW_EORDER ? CGW_OK : status;
}

/* Make another writer, by allocations that neither fail nor count.  */
static enum cgw_status
next_writer (unsigned i)
{
  size_t calls = heap.calls, fail_at = heap.fail_at;
  enum cgw_status status;

  (void) i;
  cr_assert_eq (ftruncate (fd, 0), 0);
  cr_assert_eq (lseek (fd, 0, SEEK_SET), 0);
  cgw_free (w);
  heap.fail_at = 0;
  status = cgw_new (&w, names, fd, NULL);
  heap.calls = calls;
  heap.fail_at = fail_at;
  return status;
}

/* In a new file, because a part has more events than all before.  */
static enum cgw_status
begin_part (unsigned i)
{
  static char names_of_events[CGW_EVENTS_MAX][4];
  struct cgw_event many[CGW_EVENTS_MAX] = { { NULL, NULL, NULL } };
  struct cgw_part part = some_part ();

  part.events = many;
  part.n_events = 40 * (1 + i);
  for (unsigned k = 0; k < part.n_events; k++)
    {
      snprintf (names_of_events[k], sizeof *names_of_events, "E%u", k % 100);
      names_of_events[k][0] = (char) ('A' + k / 100);
      many[k].name = names_of_events[k];
    }
  return cgw_begin_part (w, &part);
}

static enum cgw_status
cost (unsigned i)
{
  struct cgw_pos at = place (i);

  return cgw_cost (w, &at, costs, 2);
}

static enum cgw_status
call (unsigned i)
{
  struct cgw_pos at = place (i), to = place (0);

  return cgw_call (w, &at, &to, i, costs, 2);
}

static enum cgw_status
jump (unsigned i)
{
  struct cgw_pos at = place (i), to = place (0);

  return cgw_jump (w, &at, &to, i);
}

static enum cgw_status
cond_jump (unsigned i)
{
  struct cgw_pos at = place (i), to = place (0);

  return cgw_cond_jump (w, &at, &to, i, 2 * i);
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
flush_writer (unsigned i)
{
  return cost (i) == CGW_OK ? cgw_flush (w) : CGW_EIO;
}

static enum cgw_status
finish (unsigned i)
{
  (void) i;
  return cgw_finish (w);
}

static enum cgw_status
salvage (unsigned i)
{
  (void) i;
  return cgw_salvage (w);
}

static enum cgw_status
get_stats (unsigned i)
{
  struct cgw_stats s = CGW_STATS_INIT;

  (void) i;
  return cgw_get_stats (w, &s);
}

/* A call that is refused, and a sentence that quotes it.  */
static enum cgw_status
has_text (const char *sentence)
{
  return sentence != NULL && sentence[0] != '\0' ? CGW_OK : CGW_EINVAL;
}

static enum cgw_status
explain (unsigned i)
{
  struct cgw_part part = some_part ();
  struct cgw_event wrong = { numbered ("wrong", i), NULL, NULL };

  part.events = &wrong;
  part.n_events = 1;
  cr_assert_eq (cgw_begin_part (w, &part), CGW_EINVAL);
  return has_text (cgw_explain (w));
}

static enum cgw_status
names_explain (unsigned i)
{
  (void) i;
  return has_text (cgw_names_explain (names));
}

static enum cgw_status
error_of_writer (unsigned i)
{
  const char *sentence;

  (void) i;
  return cgw_error (w, &sentence) == CGW_OK ? has_text (sentence) : CGW_EIO;
}

static enum cgw_status
names_error (unsigned i)
{
  const char *sentence;

  (void) i;
  return cgw_names_error (names, &sentence) == CGW_OK ? has_text (sentence)
                                                      : CGW_EIO;
}

static enum cgw_status
number_of_error (unsigned i)
{
  (void) i;
  return cgw_errno (w) == 0 ? CGW_OK : CGW_EIO;
}

static enum cgw_status
strerror_of (unsigned i)
{
  return has_text (cgw_strerror ((enum cgw_status) (i % 17)));
}

static enum cgw_status
version (unsigned i)
{
  (void) i;
  return has_text (cgw_version ());
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
free_profile (unsigned i)
{
  (void) i;
  cgw_profile_free (p);
  p = NULL;
  return CGW_OK;
}

static enum cgw_status
profile_clear (unsigned i)
{
  (void) i;
  return cgw_profile_clear (p);
}

static enum cgw_status
add_profile_cost (unsigned i)
{
  struct cgw_pos at = place (i);

  return cgw_profile_cost (p, &at, costs, 2);
}

static enum cgw_status
profile_call (unsigned i)
{
  struct cgw_pos at = place (i), to = place (0);

  return cgw_profile_call (p, &at, &to, 1 + i, costs, 2);
}

static enum cgw_status
profile_stack (unsigned i)
{
  struct cgw_pos frames[30];

  for (unsigned k = 0; k < 30; k++)
    frames[k] = place (k < 5 ? i + k : k);
  return cgw_profile_stack (p, frames, 1 + i % 30, 2, costs, 2);
}

static enum cgw_status
set_root (unsigned i)
{
  (void) i;
  return cgw_profile_set_root (p, fn);
}

static enum cgw_status
set_signed (unsigned i)
{
  return cgw_profile_set_signed (fresh, i % 2);
}

static enum cgw_status
total (unsigned i)
{
  uint64_t sums[2];

  (void) i;
  return cgw_profile_total (q, sums, 2);
}

static enum cgw_status
merge (unsigned i)
{
  (void) i;
  return cgw_profile_merge (p, q);
}

static enum cgw_status
pack (unsigned i)
{
  (void) i;
  return cgw_profile_pack (q, swallow, NULL);
}

static enum cgw_status
unpack (unsigned i)
{
  (void) i;
  return cgw_profile_unpack (p, packed, n_packed);
}

static enum cgw_status
profile_write (unsigned i)
{
  struct cgw_part part = some_part ();

  part.number = 1 + i;
  return cgw_profile_write (p, w, &part);
}

static enum cgw_status
save (unsigned i)
{
  struct cgw_part part = some_part ();

  (void) i;
  return cgw_profile_save (p, other_path, &part, NULL);
}

static enum cgw_status
profile_explain (unsigned i)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = some_part ();

  (void) i;
  o.size = 0;
  cr_assert_eq (cgw_profile_save (p, other_path, &part, &o), CGW_EINVAL);
  return has_text (cgw_profile_explain (p));
}

static enum cgw_status
profile_error (unsigned i)
{
  const char *sentence;

  (void) i;
  return cgw_profile_error (p, &sentence) == CGW_OK ? has_text (sentence)
                                                    : CGW_EIO;
}

/* Tracers.  */

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
tracer_new (unsigned i)
{
  struct cgw_tracer *made;
  enum cgw_status status = cgw_tracer_new (&made, p, NULL);

  (void) i;
  cr_assert_eq (made != NULL, status == CGW_OK);
  cgw_tracer_free (made);
  return status;
}

static enum cgw_status
enter (unsigned i)
{
  struct cgw_pos at = place (i % 50), callee = place (100 + i);

  return cgw_tracer_enter (t, &at, &callee, i, tick ());
}

static enum cgw_status
tracer_free (unsigned i)
{
  return cgw_tracer_free (i == 0 ? u : t);
}

static enum cgw_status
look_up (unsigned i)
{
  struct cgw_pos at = place (i), callee = place (100 + i);
  struct cgw_edge found;

  return cgw_tracer_edge (t, &at, &callee, &found);
}

static enum cgw_status
enter_edge (unsigned i)
{
  return cgw_tracer_enter_edge (t, edge, i, tick ());
}

static enum cgw_status
leave (unsigned i)
{
  may (enter (i));
  return cgw_tracer_leave (t, tick ());
}

/* If there is no memory for an outermost call, its costs have no caller.  */
static enum cgw_status
tail (unsigned i)
{
  struct cgw_pos callee = place (100 + i);

  if (i == 0)
    may (enter (i));
  return cgw_tracer_tail (t, &callee, i, tick ());
}

static enum cgw_status
move (unsigned i)
{
  struct cgw_pos to = place (100 + i);

  return cgw_tracer_move (t, &to, tick ());
}

static enum cgw_status
run_through (unsigned i)
{
  struct cgw_pos positions[5];

  for (unsigned k = 0; k < 5; k++)
    positions[k] = place (3 * i + k);
  return cgw_tracer_run (t, positions, 5, costs, 1, tick ());
}

static enum cgw_status
tracer_cost (unsigned i)
{
  struct cgw_pos at = place (100 + i);

  return cgw_tracer_cost (t, &at, costs, 1);
}

static enum cgw_status
unwind (unsigned i)
{
  may (enter (i));
  may (enter (i + 1));
  return cgw_tracer_unwind (t, 1, tick ());
}

static enum cgw_status
unwind_tag (unsigned i)
{
  may (enter (100 + i));
  may (enter (200 + i));
  return cgw_tracer_unwind_tag (t, 7, tick ());
}

static enum cgw_status
depth (unsigned i)
{
  (void) i;
  return cgw_tracer_depth (t) == 1 ? CGW_OK : CGW_EDEPTH;
}

static enum cgw_status
tag (unsigned i)
{
  (void) i;
  return cgw_tracer_tag (t, 1) == 7 ? CGW_OK : CGW_EDEPTH;
}

static enum cgw_status
pause_or_resume (void)
{
  enum cgw_status status = paused ? cgw_tracer_resume (t, tick ())
                                  : cgw_tracer_pause (t, tick ());

  paused = !paused;
  return status;
}

static enum cgw_status
pause_tracer (unsigned i)
{
  struct cgw_pos to = place (100 + i);

  may (cgw_tracer_move (t, &to, tick ()));
  may (pause_or_resume ());
  return pause_or_resume ();
}

/* The coroutine's costs are none: its counter is that of its resumer.  */
static enum cgw_status
resume_from (unsigned i)
{
  struct cgw_pos at = place (100 + i), callee = place (200 + i);
  enum cgw_status status = cgw_tracer_resume_from (u, t, &at, tick ());

  if (status == CGW_OK)
    {
      may (cgw_tracer_enter (u, NULL, &callee, 1, &clock));
      may (cgw_tracer_yield (u, &clock));
    }
  return status;
}

static enum cgw_status
sync_tracer (unsigned i)
{
  may (enter (i));
  return cgw_tracer_sync (t, tick ());
}

/* If there is no memory for an outermost call, its costs have no caller.  */
static enum cgw_status
end (unsigned i)
{
  bool counted = enter (i) == CGW_OK || cgw_tracer_depth (t) > 1;
  const uint64_t *now = tick ();

  if (!counted)
    traced -= STEP;
  return cgw_tracer_end (t, now);
}

/* Recorders.  */

static void
take (void *context, const struct cgw_sample *sample)
{
  (void) context;
  (void) sample;
}

static enum cgw_status
recorder_size (unsigned i)
{
  return cgw_recorder_size (1 + i, 4, 2) != 0 ? CGW_OK : CGW_EINVAL;
}

static enum cgw_status
recorder_init (unsigned i)
{
  (void) i;
  return cgw_recorder_init (recorder_memory, 4, 4, 2) != NULL ? CGW_OK
                                                              : CGW_EINVAL;
}

static enum cgw_status
push_and_drain (unsigned i)
{
  enum cgw_status status = cgw_recorder_push (recorder, i, costs, 2, costs, 2);

  cr_assert_eq (cgw_recorder_drain (recorder, take, NULL), 1);
  return status;
}

static enum cgw_status
recorder_get_stats (unsigned i)
{
  struct cgw_recorder_stats s = CGW_RECORDER_STATS_INIT;

  (void) i;
  return cgw_recorder_get_stats (recorder, &s);
}

/* The table.  */

static const struct row rows[] = {
  { "cgw_names_new", EXACT, 3, names_new, NULL },
  { "cgw_names_free", NEVER, 1, names_free, NULL },
  { "cgw_add_object", EXACT, 0, add_object, NULL },
  { "cgw_add_file", EXACT, 0, add_file, NULL },
  { "cgw_add_fn", EXACT, 0, add_fn, NULL },
  { "cgw_add_object_n", EXACT, 0, add_object_n, NULL },
  { "cgw_add_file_n", EXACT, 0, add_file_n, NULL },
  { "cgw_add_fn_n", EXACT, 0, add_fn_n, NULL },
  { "cgw_new", EXACT, 6, new_writer, NULL },
  { "cgw_create", EXACT, 4, create_writer, NULL },
  { "cgw_free", NEVER, 1, free_writer, NULL },
  { "cgw_begin_part", EXACT, 5, begin_part, next_writer },
  { "cgw_cost", NEVER, 0, cost, NULL },
  { "cgw_call", NEVER, 0, call, NULL },
  { "cgw_jump", NEVER, 0, jump, NULL },
  { "cgw_cond_jump", NEVER, 0, cond_jump, NULL },
  { "cgw_comment", EXACT, 5, comment, NULL },
  { "cgw_flush", NEVER, 0, flush_writer, NULL },
  { "cgw_finish", NEVER, 1, finish, NULL },
  { "cgw_salvage", NEVER, 1, salvage, NULL },
  { "cgw_get_stats", NEVER, 0, get_stats, NULL },
  { "cgw_explain", NEVER, 2, explain, NULL },
  { "cgw_names_explain", NEVER, 2, names_explain, NULL },
  { "cgw_error", NEVER, 2, error_of_writer, NULL },
  { "cgw_names_error", NEVER, 2, names_error, NULL },
  { "cgw_errno", NEVER, 2, number_of_error, NULL },
  { "cgw_strerror", NEVER, 17, strerror_of, NULL },
  { "cgw_version", NEVER, 1, version, NULL },
  { "cgw_profile_new", EXACT, 5, profile_new, NULL },
  { "cgw_profile_free", NEVER, 1, free_profile, NULL },
  { "cgw_profile_clear", NEVER, 3, profile_clear, NULL },
  { "cgw_profile_cost", EXACT, 0, add_profile_cost, NULL },
  { "cgw_profile_call", EXACT, 0, profile_call, NULL },
  { "cgw_profile_stack", EXACT, 0, profile_stack, NULL },
  { "cgw_profile_set_root", NEVER, 2, set_root, NULL },
  { "cgw_profile_set_signed", NEVER, 2, set_signed, NULL },
  { "cgw_profile_total", NEVER, 2, total, NULL },
  { "cgw_profile_merge", EXACT, 2, merge, NULL },
  { "cgw_profile_pack", EXACT, 2, pack, NULL },
  { "cgw_profile_unpack", EXACT, 2, unpack, NULL },
  { "cgw_profile_write", EXACT, 3, profile_write, NULL },
  { "cgw_profile_save", EXACT, 2, save, NULL },
  { "cgw_profile_explain", NEVER, 2, profile_explain, NULL },
  { "cgw_profile_error", NEVER, 2, profile_error, NULL },
  { "cgw_tracer_new", EXACT, 3, tracer_new, NULL },
  { "cgw_tracer_free", NEVER, 2, tracer_free, NULL },
  { "cgw_tracer_enter", TRACED, 0, enter, NULL },
  { "cgw_tracer_edge", EXACT, 0, look_up, NULL },
  { "cgw_tracer_enter_edge", TRACED, 0, enter_edge, NULL },
  { "cgw_tracer_leave", TRACED, 0, leave, NULL },
  { "cgw_tracer_tail", TRACED, 0, tail, NULL },
  { "cgw_tracer_move", TRACED, 0, move, NULL },
  { "cgw_tracer_run", TRACED, 0, run_through, NULL },
  { "cgw_tracer_cost", EXACT, 0, tracer_cost, NULL },
  { "cgw_tracer_unwind", TRACED, 0, unwind, NULL },
  { "cgw_tracer_unwind_tag", TRACED, 0, unwind_tag, NULL },
  { "cgw_tracer_depth", NEVER, 2, depth, NULL },
  { "cgw_tracer_tag", NEVER, 2, tag, NULL },
  { "cgw_tracer_pause", TRACED, 0, pause_tracer, NULL },
  { "cgw_tracer_resume", TRACED, 0, pause_tracer, NULL },
  { "cgw_tracer_resume_from", TRACED, 0, resume_from, NULL },
  { "cgw_tracer_yield", TRACED, 0, resume_from, NULL },
  { "cgw_tracer_sync", TRACED, 0, sync_tracer, NULL },
  { "cgw_tracer_end", TRACED, 0, end, NULL },
  { "cgw_recorder_size", NEVER, 2, recorder_size, NULL },
  { "cgw_recorder_init", NEVER, 2, recorder_init, NULL },
  { "cgw_recorder_push", NEVER, 0, push_and_drain, NULL },
  { "cgw_recorder_drain", NEVER, 0, push_and_drain, NULL },
  { "cgw_recorder_get_stats", NEVER, 2, recorder_get_stats, NULL },
};
#define ROWS (sizeof rows / sizeof *rows)

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
      if (r->before != NULL)
        cr_assert_eq (r->before (i), CGW_OK, "%s", context);
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
      cr_assert (strcmp (r->function, "cgw_names_new") == 0
                     || strcmp (r->function, "cgw_new") == 0
                     || strcmp (r->function, "cgw_create") == 0
                     || is_explained (),
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
  if (r->call == run_through)
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
    if (strcmp (rows[i].function, function) == 0)
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
