/* test_errors.c - runs the table of errors, errors.def: each call's status, the
   sentence that explains it, and whether it is an error of the file; and that
   neither another call's sentence nor a byte of the file changes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/support.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum kept
{
  NOT,
  KEPT,
  LOST,
  MEANWHILE
};

/* The table as it stands.  */
static const struct
{
  const char *call;
  const char *arguments;
  enum cgw_status status;
  enum kept kept;
  const char *sentence;
} table[] = {
#define HALF ((size_t) 1 << (sizeof (size_t) * 8 - 1))
#define GIVEN(state, value)
#define EXCEPT(call, status)
#define ROW(call, arguments, status, kept, sentence)                          \
  { #call, #arguments, CGW_##status, kept, sentence },
#define WRONG(call, arguments, sentence)                                      \
  { #call, #arguments, CGW_EINVAL, KEPT, sentence },
#define PLAIN(call, arguments, status)                                        \
  { #call, #arguments, CGW_##status, NOT, PHRASE },
#define FINE(call, arguments) { #call, #arguments, CGW_OK, NOT, NULL },
#define HANDLE_ROW ROW
#define VALUE(call, arguments, is) { #call, #arguments, CGW_OK, NOT, NULL },
#include "errors.def"
};

enum { ROWS = sizeof table / sizeof *table };

#define IS_DONE(result) ((result), true)
#define IS_ZERO(result) ((result) == 0)
#define IS_NULL(result) ((result) == NULL)
#define IS_UNKNOWN(result) (strcmp (result, "???") == 0)
#define IS_MAIN(result) (strcmp (result, "main") == 0)
#define IS_PHRASE(result) (strcmp (result, cgw_strerror (CGW_EINVAL)) == 0)
#define IS_VERSION(result) (strcmp (result, CGW_VERSION_STRING) == 0)
#define IS_NO_OBJECT(result)                                                  \
  (strcmp (result, "the object is NULL: it was not made, maybe for lack of "  \
                   "memory") == 0)

#define KEPT_ERRNO 12345 /* no call changes it */

/* The objects that the rows use.  Each row has new ones.  */

static struct cgw_names *names, *others;
static struct cgw_writer *w;
static struct cgw_profile *p, *q, *shape;
static struct cgw_tracer *t;
static struct cgw_tracer *resumer, *third, *of_two, *calls_only,
  *of_q; /* of some states */
static struct cgw_recorder *r;
static struct cgw_edge edge;
static struct heap heap;     /* of names, and what uses them */
static struct written file;  /* of w */
static size_t buffer_size;   /* of w */

static struct cgw_names *new_names;
static struct cgw_writer *new_w;
static struct cgw_profile *new_p;
static struct cgw_tracer *new_t;
static struct cgw_object new_object;
static struct cgw_file new_file;
static const char *sentence;
static struct cgw_stats stats = CGW_STATS_INIT;
static struct cgw_recorder_stats recorder_stats = CGW_RECORDER_STATS_INIT;
static uint64_t sums[2], recorder[1 << 10];

/* Arguments.  */

static const struct cgw_object no_object;
static const struct cgw_file no_file;
static const struct cgw_edge no_edge;
static const uint64_t c[] = { 1, 2, 3 }, frames[] = { 1 };
static const char *const desc[] = { "Trigger: interval", NULL };
static const struct cgw_event events[] = { { "Ir", NULL, NULL },
                                           { "Dr", NULL, NULL } };
static struct cgw_part part;
static const char path[] = "profile"; /* in a folder of the test's own */
static char long_text[300000];
static int fd;
enum { read_only_fd = 20 };

/* Positions: of main, which is in object o and file f; of a function in another
   object; of a function that has no costs yet; of another names object.  */
static struct cgw_pos here, here_named, there, elsewhere, foreign;
static struct cgw_pos foreign_file;
static struct cgw_object foreign_object;
static struct cgw_pos stack[2], other_stack[2], foreign_stack[2];
static struct cgw_pos foreign_file_stack[2];

/* A struct of a newer library: a member behind those of this one is set.  */
static union
{
  size_t size;
  struct cgw_names_options names_options;
  struct cgw_options options;
  struct cgw_part part;
  struct cgw_stats stats;
  struct cgw_tracer_options tracer_options;
  struct cgw_visitor visitor;
  struct cgw_recorder_stats recorder_stats;
  unsigned char bytes[304];
} newer;

#define SIZED(type, n) (&(struct type){ .size = n })
#define WITH_SIZE(type, ...)                                                  \
  (&(struct type){ .size = sizeof (struct type), __VA_ARGS__ })
#define OPTIONS(...) WITH_SIZE (cgw_options, __VA_ARGS__)
#define TRACER_OPTIONS(...) WITH_SIZE (cgw_tracer_options, __VA_ARGS__)
#define VISITOR(function) WITH_SIZE (cgw_visitor, .cost = function)
#define PART(...) WITH_SIZE (cgw_part, __VA_ARGS__)
#define LIST(...) ((const struct cgw_event[]){ __VA_ARGS__ })
#define HAVING(...)                                                           \
  PART (.events = LIST (__VA_ARGS__),                                         \
        .n_events = sizeof LIST (__VA_ARGS__) / sizeof (struct cgw_event))
#define IR .events = events, .n_events = 1
#define IR_DR .events = events, .n_events = 2
#define AT(...) ((const uint64_t[]){ __VA_ARGS__ })

/* Bytes for cgw_profile_unpack, with their checksum; and records like those of
   p.  */
#define BYTES(bytes) packed (bytes, sizeof (bytes) - 1), sizeof (bytes) + 3
#define PACKED(bytes) BYTES ("cgwpack\3\2\1\0\0\0" bytes)
#define FN "\0\0\1a\0\1b\1f"
#define SELF "\1" FN "\0\0" /* up to the line */

static const unsigned char *
packed (const char *bytes, size_t n)
{
  static unsigned char copy[100];
  uint32_t sum = 2166136261u;

  memcpy (copy, bytes, n);
  for (size_t i = 0; i < n; i++)
    sum = (sum ^ copy[i]) * 16777619u;
  for (size_t i = 0; i < 4; i++)
    copy[n + i] = (unsigned char) (sum >> 8 * i);
  return copy;
}

static const struct cgw_part *
many_events (size_t n)
{
  static struct cgw_event list[300];
  static char text[300][8];
  static struct cgw_part many;

  for (size_t i = 0; i < n; i++)
    {
      snprintf (text[i], sizeof text[i], "E%zu", i);
      list[i].name = text[i];
    }
  many = written_part_of (list, n);
  return &many;
}

/* Give an object up to a call that frees it.  */
static struct cgw_writer *
taken (struct cgw_writer **object)
{
  struct cgw_writer *it = *object;

  *object = NULL;
  return it;
}

/* Profiles of other kinds than p.  */

static struct cgw_profile *
profile_with (struct cgw_names *its_names, size_t n_events, unsigned positions)
{
  cr_assert_null (shape);
  cr_assert_eq (cgw_profile_new (&shape, its_names, n_events, positions),
                CGW_OK);
  return shape;
}

static struct cgw_profile *
shaped (size_t n_events, unsigned positions)
{
  return profile_with (names, n_events, positions);
}

static struct cgw_profile *
of_other_names (void)
{
  return profile_with (others, 2, CGW_LINE);
}

static struct cgw_profile *
with_signed (void)
{
  shaped (2, CGW_LINE);
  cr_assert_eq (cgw_profile_set_signed (shape, 1), CGW_OK);
  return shape;
}

/* Hooks.  */

static jmp_buf out;
static bool leaving; /* the call that calls the next hook, by a longjmp */
static bool losing;  /* a record in the next write */

static void
maybe_leave (void)
{
  if (!leaving)
    return;
  leaving = false;
  longjmp (out, 1);
}

/* Leave a call in the middle.  */
#define LEAVE(call)                                                           \
  do                                                                          \
    if (setjmp (out) == 0)                                                    \
      {                                                                       \
        leaving = true;                                                       \
        (void) (call);                                                        \
        cr_assert_fail ("no hook was called");                                \
      }                                                                       \
  while (0)

static void *
allocate (void *context, void *block, size_t n)
{
  void *result;

  maybe_leave ();
  result = heap_allocate (context, block, n);
  errno = ENOMEM; /* as allocators of libc may */
  return result;
}

static ssize_t
discard (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes;
  maybe_leave ();
  for (int i = 0; losing && i < 2; i++) /* the queue has one slot */
    cr_assert_eq (cgw_cost (w, &here, c, 1), i == 0 ? CGW_OK : CGW_ELOST);
  losing = false;
  return (ssize_t) n;
}

static ssize_t
fail_to_write (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes, (void) n;
  errno = ENOSPC;
  return -1;
}

static ssize_t
take_nothing (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes, (void) n;
  return 0;
}

static enum cgw_status
end_visit (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  (void) context, (void) pos, (void) cost, (void) n;
  return CGW_EIO;
}

static void
keep_nothing (void *context, const struct cgw_sample *sample)
{
  (void) context, (void) sample;
}

/* The file that each row is put into: its steps, and how many are done.  Step 6
   begins another part.  */

enum { STEPS = 7 };

static void
step (int i)
{
  struct cgw_pos next = written_line (here.fn, 11);

  errno = KEPT_ERRNO;
  switch (i)
    {
    case 0:
    case 6:
      cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
      break;
    case 1:
      written_cost (w, here, 1);
      written_cost (w, next, 2);
      cr_assert_eq (cgw_profile_cost (p, &here, c, 2), CGW_OK);
      break;
    case 2:
      written_call (w, here, there, 4);
      cr_assert_eq (cgw_profile_call (p, &here, &there, 1, c, 2), CGW_OK);
      break;
    case 3:
      cr_assert_eq (cgw_jump (w, &here, &next, 8), CGW_OK);
      cr_assert_eq (cgw_profile_stack (p, stack, 2, 1, c, 2), CGW_OK);
      break;
    case 4:
      cr_assert_eq (cgw_comment (w, "comment"), CGW_OK);
      cr_assert_eq (cgw_tracer_cost (t, NULL, c, 1), CGW_OK);
      break;
    default:
      written_cost (w, here_named, 16);
      cr_assert_neq (cgw_add_file (names, "another").handle, 0);
      cr_assert_eq (cgw_profile_merge (p, q), CGW_OK);
    }
  cr_assert_eq (errno, KEPT_ERRNO, "step %d", i);
}

/* States.  What GIVEN names changes the usual one.  */

static struct
{
  int at;      /* the step before which the row is */
  bool usual;  /* the steps that follow can be made */
  bool forked; /* the call is one of a forked child */
  bool left;   /* memory leaks, for a call was left in the middle */
  bool ends;   /* cgw_finish ends the file, whatever the row's call does */
} state;

static void
set_up_positions (void)
{
  struct cgw_file f = cgw_add_file (names, "f");
  struct cgw_fn main_fn = written_fn (names, "o", "f", "main");
  struct cgw_fn other = written_fn (names, "another", "f", "other");
  struct cgw_fn stranger = written_fn (others, "o", "f", "main");

  here = written_line (main_fn, 10);
  here_named = written_inline (main_fn, f, 10);
  elsewhere = written_line (written_fn (names, "o", "f", "new"), 30);
  there = written_line (other, 20);
  foreign = written_line (stranger, 10);
  foreign_file = written_inline (main_fn, cgw_add_file (others, "f"), 10);
  foreign_object = cgw_add_object (others, "o");
  stack[0] = other_stack[0] = foreign_stack[0] = there;
  stack[1] = foreign_file_stack[1] = here;
  other_stack[1] = elsewhere;
  foreign_stack[1] = foreign;
  foreign_file_stack[0] = foreign_file;
}

static void
open_tracer (void)
{
  cr_assert_eq (cgw_tracer_new (&t, p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &there, 0, AT (100)), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &here, 0, AT (100)), CGW_OK);
  cr_assert_eq (cgw_tracer_edge (t, &here, &there, &edge), CGW_OK);
}

static void
open_profile (void)
{
  cgw_profile_free (p);
  cr_assert_eq (cgw_profile_new (&p, names, 2, CGW_LINE), CGW_OK);
  open_tracer ();
}

static void
set_up (int at)
{
  struct cgw_names_options names_options = { sizeof names_options, allocate,
                                             &heap };
  struct cgw_options o = CGW_OPTIONS_INIT;

  memset (&heap, 0, sizeof heap);
  memset (&state, 0, sizeof state);
  state.usual = state.ends = true;
  state.at = at;
  cr_assert_eq (cgw_names_new (&names, &names_options), CGW_OK);
  others = make_names (NULL);
  set_up_positions ();
  o.buffer_size = buffer_size;
  w = written_open_with (&file, names, &o);
  open_profile ();
  cr_assert_eq (cgw_profile_new (&q, names, 2, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_profile_cost (q, &elsewhere, c, 2), CGW_OK);
  r = cgw_recorder_init (recorder, 2, 4, 2);
  cr_assert_not_null (r);
  part = written_part_of (events, 2);
  for (int i = 0; i < at; i++)
    step (i);
}

static void
close_writer (void)
{
  cgw_free (w);
  file.w = w = NULL;
}

/* Free all, the names first.  */
static void
tear_down (void)
{
  cgw_names_free (names);
  close_writer ();
  cgw_free (new_w);
  cgw_profile_free (p);
  cgw_profile_free (q);
  cgw_profile_free (shape);
  cgw_profile_free (new_p);
  cgw_names_free (others);
  cgw_names_free (new_names);
  new_w = NULL;
  p = q = shape = new_p = NULL;
  new_t = NULL;
  new_names = NULL;
  sentence = NULL;
  written_free (&file);
  remove (path);
  cr_assert (state.left || heap.live == 0, "%zu blocks leak", heap.live);
}

/* What a state needs to know.  */
static int given_value;

static void
usual (void)
{
}

static void
no_part (void)
{
  tear_down ();
  set_up (0);
}

/* The descriptor fails, with this errno.  */
static void
failing (void)
{
  file.fail = given_value;
}

/* A writer of the cachegrind format, without a part.  */
static void
cachegrind_no_part (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  state.usual = false;
  close_writer ();
  written_free (&file);
  o.flags = CGW_CACHEGRIND;
  o.buffer_size = buffer_size;
  w = written_open_with (&file, names, &o);
}

/* With one; it fails from the start with this errno, or not at all.  */
static void
cachegrind (void)
{
  cachegrind_no_part ();
  file.fail = given_value;
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
}

static void
part_refused (void)
{
  state.usual = false;
  cr_assert_eq (cgw_begin_part (w, NULL), CGW_EINVAL);
}

static void
finished (void)
{
  state.usual = state.ends = false;
  cr_assert_eq (cgw_finish (w), CGW_OK);
}

static void
salvaged (void)
{
  state.usual = state.ends = false;
  cr_assert_eq (cgw_salvage (w), CGW_OK);
}

static void
overflowed (void)
{
  static const uint64_t most[] = { 0, UINT64_MAX };

  state.usual = false;
  for (int i = 0; i < 2; i++)
    cr_assert_eq (cgw_cost (w, &here, most, 2), CGW_OK);
}

static void
forked (void)
{
  state.usual = state.ends = false;
  state.forked = true;
}

/* A writer that is not into memory: on a descriptor, at a path or nowhere.  */

static void
refused_writer (void)
{
  state.usual = false;
  close_writer ();
  cr_assert_eq (cgw_open_fd (&w, names, -1, NULL), CGW_EINVAL);
}

static void
replacing (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  state.usual = false;
  close_writer ();
  o.flags = CGW_REPLACE;
  cr_assert_eq (cgw_open (&w, names, path, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
}

static void
replacing_a_directory (void)
{
  replacing ();
  cr_assert_eq (mkdir (path, 0700), 0);
}

/* A writer with these flags and one slot, which calls discard.  */
static void
discarding (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  state.usual = false;
  close_writer ();
  o.flags = (unsigned) given_value;
  o.write = discard;
  o.queue_slots = 1;
  cr_assert_eq (cgw_open_fd (&w, names, -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  written_cost (w, here, 1);
}

static void
lost (void)
{
  discarding ();
  losing = true;
  cr_assert_eq (cgw_flush (w), CGW_OK);
}

static void
writer_left (void)
{
  discarding ();
  state.left = true;
  state.ends = false;
  LEAVE (cgw_flush (w));
}

static void
writer_left_with_a_full_queue (void)
{
  writer_left ();
  written_cost (w, here, 1);
}

static void
names_left (void)
{
  state.left = true;
  state.usual = false;
  LEAVE (cgw_add_file (names, long_text));
}

static void
profile_left (void)
{
  state.left = true;
  state.usual = false;
  LEAVE (cgw_profile_pack (p, discard, NULL));
}

/* The sums of p come from a packed profile that lacked some.  */
static void
unpacked_incomplete (void)
{
  const unsigned char bytes[]
      = { 'c', 'g', 'w', 'p', 'a', 'c', 'k', 3, 2, 1,
          (unsigned char) given_value, 0, 0, 0 };

  state.usual = false;
  open_profile ();
  cr_assert_eq (cgw_profile_unpack (p, packed ((const char *) bytes,
                                               sizeof bytes),
                                    sizeof bytes + 4), CGW_OK);
  cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
}

static void
outside (void)
{
  state.usual = false;
  cr_assert_eq (cgw_tracer_unwind (t, 0, AT (100)), CGW_OK);
}

/* The only open call was refused.  */
static void
refused (void)
{
  outside ();
  cr_assert_eq (cgw_tracer_enter (t, NULL, &foreign, 0, AT (100)),
                CGW_EHANDLE);
}

static void
paused (void)
{
  state.usual = false;
  cr_assert_eq (cgw_tracer_stop (t, AT (100)), CGW_OK);
}

/* Beside t there are tracers with an open call: of p, of two counters, and of
   q.  */
static void
beside (void)
{
  struct cgw_tracer **const made[]
      = { &resumer, &third, &of_two, &calls_only, &of_q };

  state.usual = false;
  for (size_t i = 0; i < 5; i++)
    {
      struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;

      o.n_counters = made[i] == &of_two ? 2 : 1;
      o.flags = made[i] == &calls_only ? CGW_CALLS_ONLY : 0;
      cr_assert_eq (cgw_tracer_new (made[i], made[i] == &of_q ? q : p, &o),
                    CGW_OK);
      cr_assert_eq (cgw_tracer_enter (*made[i], NULL, &here, 0,
                                      AT (100, 100)),
                    CGW_OK);
    }
}

enum { T_PAUSED, RESUMER_PAUSED, RESUMER_SUSPENDED, T_RESUMED, T_SUSPENDED };

static void
coroutines (void)
{
  beside ();
  if (given_value != T_SUSPENDED)
    cr_assert_eq (cgw_tracer_stop (t, AT (100)), CGW_OK);
  cr_assert_eq (cgw_tracer_stop (third, AT (100)), CGW_OK);
  if (given_value == RESUMER_PAUSED)
    cr_assert_eq (cgw_tracer_stop (resumer, AT (100)), CGW_OK);
  if (given_value == RESUMER_SUSPENDED)
    cr_assert_eq (cgw_tracer_resume (third, resumer, NULL, AT (100)), CGW_OK);
  if (given_value == T_SUSPENDED)
    cr_assert_eq (cgw_tracer_resume (third, t, NULL, AT (100)), CGW_OK);
  if (given_value == T_RESUMED)
    cr_assert_eq (cgw_tracer_resume (t, resumer, NULL, AT (100)), CGW_OK);
}

/* Twice the largest number of calls, or sum of event 1.  */

enum { EDGES, POSITIONS };

static void
sums_past_their_end (void)
{
  static const uint64_t most[] = { 0, UINT64_MAX };

  state.usual = false;
  for (int i = 0; i < 2; i++)
    if (given_value == POSITIONS)
      cr_assert_eq (cgw_profile_cost (p, &here, most, 2), CGW_OK);
    else
      cr_assert_eq (cgw_profile_call (p, &here, &there, UINT64_MAX, NULL, 0),
                    CGW_OK);
}

static void
recorder_full (void)
{
  for (int i = 0; i < 2; i++)
    cr_assert_eq (cgw_recorder_push (r, 0, frames, 1, c, 1), CGW_OK);
}

/* Asking.  */

enum object
{
  OF_NAMES,
  OF_WRITER,
  OF_PROFILE,
  OF_NEW_WRITER,
  OBJECTS,
  OF_NOBODY = OBJECTS
};

/* The answers to both questions; there is none if there is no object.  */
struct answer
{
  bool is_there;
  enum cgw_status error;
  char explained[700];
  char why[700];
};

/* Whether the i-th argument, from 0, of "(w, PART (IR, ...))" is NULL.  */
static bool
is_null_argument (const char *arguments, int i)
{
  int depth = 0;
  bool quoted = false;

  for (const char *at = arguments; *at != '\0'; at++)
    {
      quoted ^= *at == '"' && at[-1] != '\\';
      if (quoted)
        continue;
      depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
      if (depth != 1 || (*at != '(' && *at != ',') || i-- != 0)
        continue;
      at += 1 + strspn (at + 1, " ");
      return strncmp (at, "NULL", 4) == 0 && strchr (",)", at[4]) != NULL;
    }
  return false;
}

/* Whom to ask about a call.  */
static enum object
asked_about (const char *call, const char *arguments)
{
  static const struct
  {
    const char *prefix;
    enum object object;
    int argument; /* which is the object */
  } kinds[] = {
    { "cgw_names_new", OF_NOBODY, 0 },     { "cgw_names_", OF_NAMES, 0 },
    { "cgw_add_", OF_NAMES, 0 },           { "cgw_open_fd", OF_NEW_WRITER, 0 },
    { "cgw_open", OF_NEW_WRITER, 0 },      { "cgw_profile_new", OF_NAMES, 1 },
    { "cgw_profile_write", OF_WRITER, 1 }, { "cgw_profile_", OF_PROFILE, 0 },
    { "cgw_tracer_new", OF_PROFILE, 1 },   { "cgw_tracer_", OF_PROFILE, 0 },
    { "cgw_recorder_", OF_NOBODY, 0 },     { "cgw_", OF_WRITER, 0 },
  };
  size_t i = 0;

  while (strncmp (call, kinds[i].prefix, strlen (kinds[i].prefix)) != 0)
    i++;
  return is_null_argument (arguments, kinds[i].argument) ? OF_NOBODY
                                                         : kinds[i].object;
}

/* Running a row.  */

static struct
{
  const char *call;
  const char *arguments;
  enum object asked;
  struct answer before[OBJECTS]; /* the call */
  char *complaint; /* the first, also a child's */
} row;

#define MOST_COMPLAINT 2000

static void __attribute__ ((format (printf, 2, 3)))
check (bool right, const char *format, ...)
{
  va_list list;

  if (right || row.complaint[0] != '\0')
    return;
  va_start (list, format);
  vsnprintf (row.complaint, MOST_COMPLAINT, format, list);
  va_end (list);
}

static struct answer
ask (enum object o)
{
  struct answer a = { .is_there = false };
  const char *explained = "", *why = "";

#define ASK(object, kind)                                                     \
  if ((a.is_there = (object) != NULL))                                        \
    {                                                                         \
      explained = cgw_##kind##explain (object);                               \
      snprintf (a.explained, sizeof a.explained, "%s", explained);            \
      a.error = cgw_##kind##error (object, &why);                             \
      snprintf (a.why, sizeof a.why, "%s", why);                              \
      check (cgw_##kind##error (object, NULL) == a.error, "two errors");      \
    }                                                                         \
  break
  switch (o)
    {
    case OF_NAMES:
      ASK (names, names_);
    case OF_WRITER:
      ASK (w, );
    case OF_PROFILE:
      ASK (p, profile_);
    default:
      ASK (new_w, );
    }
#undef ASK
  return a;
}

/* Whether a sentence is that of the table.  */
static bool
is_sentence (const char *text, const char *pattern, enum cgw_status status)
{
  size_t n = strlen (row.call);

  if (pattern[0] == ':')
    {
      if (strncmp (text, row.call, n) != 0)
        return false;
      text += n;
    }
  if (strcmp (pattern, PHRASE) == 0)
    return strncmp (text, ": ", 2) == 0
           && strcmp (text + 2, cgw_strerror (status)) == 0;
  n = strlen (pattern);
  return n >= 3 && strcmp (pattern + n - 3, "...") == 0
             ? strncmp (text, pattern, n - 3) == 0
             : strcmp (text, pattern) == 0;
}

/* Have another call refused by each object, whose sentence nobody may see
   later.  None of these is kept.  */
static void
refuse_others (void)
{
  struct cgw_profile *none;
  struct cgw_tracer *no_tracer;
  struct cgw_edge unused;

  cgw_profile_new (&none, names, 4711, 0);
  cgw_get_stats (w, SIZED (cgw_stats, 3));
  cgw_tracer_new (&no_tracer, p, TRACER_OPTIONS (.n_counters = 4711));
  cgw_tracer_edge (t, &here, NULL, &unused);
}

/* Whether a call that is kept is an error of the object.  */
static bool
concerns (enum object o, enum kept kept)
{
  return o == row.asked
         || (kept == KEPT && o == OF_WRITER && row.asked == OF_NAMES);
}

/* Ask each object both questions: the row's call answers them, or nothing has
   changed.  */
static void
check_answers (enum cgw_status status, enum kept kept, const char *pattern)
{
  const char *wanted = kept == LOST           ? LOST_TO_DESCRIPTOR
                       : file.fail == ENOSPC ? NO_SPACE
                                             : pattern;
  enum cgw_status error = kept == LOST ? CGW_ELOST : status;

  for (enum object o = OF_NAMES; o < OBJECTS; o++)
    {
      const struct answer *old = &row.before[o];
      const struct answer now = ask (o);

      if (!now.is_there)
        continue;
      if (o == row.asked && status != CGW_OK)
        check (is_sentence (now.explained, pattern, status),
               "explained as \"%s\"", now.explained);
      else if (old->is_there)
        check (strcmp (now.explained, old->explained) == 0,
               "\"%s\" became \"%s\"", old->explained, now.explained);
      if (kept != NOT && concerns (o, kept)
          && (!old->is_there || old->error == CGW_OK))
        check (now.error == error && is_sentence (now.why, wanted, error),
               "the error is %d, \"%s\"", now.error, now.why);
      else if (old->is_there)
        check (now.error == old->error && strcmp (now.why, old->why) == 0,
               "the error %d, \"%s\", became %d, \"%s\"", old->error,
               old->why, now.error, now.why);
    }
}

/* The file without any row.  */
static char *baseline;

/* Whether what a row's call refused has changed nothing in the file.  */
static bool
changes_nothing (enum cgw_status status, enum kept kept)
{
  return strncmp (row.call, "cgw_tracer_", 11) == 0
             ? status == CGW_EINVAL || status == CGW_ECOSTS
                   || status == CGW_EORDER
             : kept != LOST && !(status == CGW_EIO && kept == KEPT);
}

/* Make the rest of the file, and finish it.  */
static void
end_file (enum cgw_status status, enum kept kept, const char *pattern)
{
  enum cgw_status wanted, got;
  const char *why;

  bool goes_on = strcmp (row.call, "cgw_finish") != 0 || status != CGW_EAGAIN;

  if (file.fail != 0)
    {
      file.fail = 0;
      cr_assert_eq (cgw_flush (w), goes_on ? CGW_OK : CGW_EFINISHED);
    }
  if (state.usual && goes_on)
    {
      for (int i = state.at; i < STEPS; i++)
        step (i);
      cr_assert_eq (cgw_tracer_sync (t, AT (1000)), CGW_OK);
      cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
    }
  wanted = cgw_error (w, NULL);
  if (kept == KEPT && row.asked <= OF_PROFILE && state.usual)
    wanted = status;
  got = cgw_finish (w);
  check (got == wanted, "cgw_finish returns: %s", cgw_strerror (got));
  check (cgw_error (w, &why) == got, "after cgw_finish the error is: %s",
         cgw_strerror (cgw_error (w, NULL)));
  if (kept == KEPT && got == status)
    check (is_sentence (why, pattern, status),
           "after cgw_finish the error is explained as \"%s\"", why);
  if (state.usual && goes_on && changes_nothing (status, kept))
    check (strcmp (file.bytes, baseline) == 0, "the file became\n%s",
           file.bytes);
}

/* Whether a call has ended the file, though it may have failed.  */
static bool
is_end (enum cgw_status status)
{
  return strcmp (row.call, "cgw_salvage") == 0
         || (strcmp (row.call, "cgw_finish") == 0 && status != CGW_EAGAIN
             && status != CGW_EORDER);
}

/* What is not yet set by the row's call.  */
static char junk;
#define JUNK ((void *) &junk)

static void
set_junk (void)
{
  new_names = JUNK;
  new_w = JUNK;
  new_p = JUNK;
  new_t = JUNK;
}

/* A call that makes an object sets one pointer, others none.  */
static void
check_junk (void)
{
  int set = (new_names != JUNK) + (new_w != JUNK) + (new_p != JUNK)
            + (new_t != JUNK);

  check (set == (strncmp (row.arguments, "(&new_", 6) == 0),
         "%d pointers are set", set);
  new_names = new_names != JUNK ? new_names : NULL;
  new_w = new_w != JUNK ? new_w : NULL;
  new_p = new_p != JUNK ? new_p : NULL;
  new_t = new_t != JUNK ? new_t : NULL;
}

/* After an error there is no new object, but a writer, which says why.  */
static void
check_made (enum cgw_status status)
{
  check (new_names == NULL && new_p == NULL && new_t == NULL,
         "something was made");
  check ((new_w != NULL) == (row.asked == OF_NEW_WRITER),
         "a writer was made, or none");
  if (new_w == NULL)
    return;
  check (cgw_begin_part (new_w, &part) == CGW_EFINISHED, "it begins a part");
  check (cgw_cost (new_w, &here, c, 1) == CGW_EFINISHED, "it takes a record");
  check (cgw_finish (new_w) == status, "it does not return the error");
}

/* A recorder does not count what it refuses.  */
static void
check_recorder (void)
{
  struct cgw_recorder_stats now = CGW_RECORDER_STATS_INIT;

  check (cgw_recorder_get_stats (r, &now) == CGW_OK
             && now.recorded + now.lost + now.cut + now.drained == 0,
         "the recorder has counted it");
}

/* Whether this is the child that makes the row's call.  Windows has none.  */
static bool
is_child (void)
{
  pid_t child = fork ();
  int status;

  if (child == -1 && errno == ENOSYS)
    return false;
  cr_assert_neq (child, -1);
  if (child == 0)
    return true;
  cr_assert_eq (waitpid (child, &status, 0), child);
  check (WIFEXITED (status) && WEXITSTATUS (status) == 0,
         "the child ended with %d", status);
  return false;
}

static void
end_row_of_parent (void)
{
  cr_expect_str_eq (row.complaint, "", "%s %s: %s", row.call, row.arguments,
                    row.complaint);
  tear_down ();
}

static void (*given) (void) = usual;

/* Where rows are that need a state, begin a part, or end calls of t: there, and
   with a small buffer, which is full.  */
enum { BEFORE_A_PART = STEPS - 1 };

/* Prepare a row.  False: it does not run here, or a child has run it.  */
static bool
begin_row (const char *call, const char *arguments, int at)
{
  bool anywhere = (given == usual
                   || (given == failing && at > 1 && buffer_size == 1))
                  && strcmp (call, "cgw_begin_part") != 0
                  && strcmp (call, "cgw_profile_write") != 0
                  && strncmp (call, "cgw_tracer_", 11) != 0;

  if (!anywhere && (at != BEFORE_A_PART || buffer_size != 1))
    return false;
  row.call = call;
  row.arguments = arguments;
  row.asked = asked_about (call, arguments);
  row.complaint[0] = '\0';
  set_up (at);
  given ();
  if (state.forked && !is_child ())
    {
      end_row_of_parent ();
      return false;
    }
  refuse_others ();
  for (enum object o = OF_NAMES; o < OBJECTS; o++)
    row.before[o] = ask (o);
  set_junk ();
  errno = KEPT_ERRNO;
  return true;
}

/* Check what the row's call returned.  */
static void
end_row (enum cgw_status got, enum cgw_status status, enum kept kept,
         const char *pattern)
{
  check (errno == KEPT_ERRNO, "errno became %d", errno);
  check_junk ();
  check (got == status, "returns: %s", cgw_strerror (got));
  if (got == status)
    {
      check_answers (status, kept, pattern);
      if (sentence != NULL)
        check (IS_NO_OBJECT (sentence), "the sentence is \"%s\"", sentence);
      if (status != CGW_OK)
        check_made (status);
      if (status == CGW_EINVAL || status == CGW_ECOSTS)
        check_recorder ();
      if (status != CGW_OK && w != NULL && state.ends && !is_end (status))
        end_file (status, kept, pattern);
    }
  if (state.forked)
    leave (0);
  end_row_of_parent ();
}

/* Run all rows before a step.  */
static void
run_rows (int at)
{
#define GIVEN(state, value) given = state, given_value = value;
#define EXCEPT(call, status)
#define ROW(call, arguments, status, kept, sentence)                          \
  if (begin_row (#call, #arguments, at))                                      \
    end_row (call arguments, CGW_##status, kept, sentence);
#define WRONG(call, arguments, sentence)                                      \
  if (begin_row (#call, #arguments, at))                                      \
    end_row (call arguments, CGW_EINVAL, KEPT, sentence);
#define PLAIN(call, arguments, status)                                        \
  if (begin_row (#call, #arguments, at))                                      \
    end_row (call arguments, CGW_##status, NOT, PHRASE);
#define FINE(call, arguments)                                                 \
  if (begin_row (#call, #arguments, at))                                      \
    end_row (call arguments, CGW_OK, NOT, NULL);
#define HANDLE_ROW(call, arguments, status, kept, sentence)                   \
  if (begin_row (#call, #arguments, at))                                      \
    end_row ((call arguments).handle != 0   ? CGW_OK                          \
             : row.asked == OF_NOBODY ? CGW_EINVAL                            \
                                      : cgw_names_error (names, NULL),        \
             CGW_##status, kept, sentence);
#define VALUE(call, arguments, is)                                            \
  if (begin_row (#call, #arguments, at))                                      \
    {                                                                         \
      check (is (call arguments), "returns something else");                  \
      end_row (CGW_OK, CGW_OK, NOT, NULL);                                    \
    }
#include "errors.def"
}

static void
make_baseline (void)
{
  set_up (STEPS);
  row.complaint[0] = '\0';
  baseline = NULL;
  cr_assert_eq (cgw_tracer_sync (t, AT (1000)), CGW_OK);
  cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  baseline = strdup (file.bytes);
  tear_down ();
}

Test (errors, table)
{
  char directory[] = "/tmp/test_errors.XXXXXX";
  int null = open ("/dev/null", O_RDONLY);

  row.complaint = mmap (NULL, MOST_COMPLAINT, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq ((void *) row.complaint, MAP_FAILED);
  cr_assert_not_null (mkdtemp (directory));
  cr_assert_eq (chdir (directory), 0);
  cr_assert_eq (dup2 (null, read_only_fd), read_only_fd);
  fd = open ("/dev/null", O_WRONLY);
  newer.size = sizeof newer;
  newer.bytes[sizeof newer - 1] = 1;
  memset (long_text, 'x', sizeof long_text - 1);
  for (buffer_size = 0; buffer_size < 2; buffer_size++)
    {
      make_baseline ();
      for (int at = 1; at <= STEPS; at++)
        run_rows (at);
      free (baseline);
    }
  /* Windows removes no current directory.  */
  cr_assert_eq (chdir ("/"), 0);
  cr_expect_eq (rmdir (directory), 0);
}

/* Nothing is left out of the table.  */

static const struct
{
  const char *call;
  const char *status;
  enum cgw_status value;
} exceptions[] = {
#define GIVEN(state, value)
#define ROW(call, arguments, status, kept, sentence)
#define WRONG(call, arguments, sentence)
#define PLAIN(call, arguments, status)
#define FINE(call, arguments)
#define HANDLE_ROW ROW
#define VALUE(call, arguments, is)
#define EXCEPT(call, status) { #call, #status, CGW_##status },
#include "errors.def"
};

static const struct
{
  const char *call;
  enum cgw_status status;
} promised[] = {
#define FUNCTION(call)
#define POINTER(call, i)
#define STATUS(call, status) { #call, CGW_##status },
#include "promised.h"
};

static const struct
{
  const char *call;
  int pointer; /* or -1 */
} functions[] = {
#define FUNCTION(call) { #call, -1 },
#define POINTER(call, i) { #call, i },
#define STATUS(call, status)
#include "promised.h"
};

Test (errors, each_call_has_a_row)
{
  enum { FUNCTIONS = sizeof functions / sizeof *functions };

  cr_assert_gt (FUNCTIONS, 150);
  for (size_t i = 0; i < FUNCTIONS; i++)
    {
      bool found = false;

      for (size_t k = 0; k < ROWS; k++)
        found |= strcmp (table[k].call, functions[i].call) == 0
                 && (functions[i].pointer < 0
                     || is_null_argument (table[k].arguments,
                                          functions[i].pointer));
      cr_expect (found, "%s, pointer %d: no row", functions[i].call,
                 functions[i].pointer);
    }
}

Test (errors, each_status_has_a_row)
{
  enum { PROMISED = sizeof promised / sizeof *promised };
  enum { EXCEPTIONS = sizeof exceptions / sizeof *exceptions };
  bool needed[EXCEPTIONS] = { false };

  cr_assert_gt (PROMISED, 200);
  for (size_t i = 0; i < PROMISED; i++)
    {
      bool found = promised[i].status == CGW_ENOMEM;

      for (size_t k = 0; k < ROWS; k++)
        found |= strcmp (table[k].call, promised[i].call) == 0
                 && table[k].status == promised[i].status;
      for (size_t k = 0; k < EXCEPTIONS; k++)
        if (strcmp (exceptions[k].call, promised[i].call) == 0
            && exceptions[k].value == promised[i].status)
          {
            needed[k] = !found;
            found = true;
          }
      cr_expect (found, "%s: no row for: %s", promised[i].call,
                 cgw_strerror (promised[i].status));
    }
  for (size_t k = 0; k < EXCEPTIONS; k++)
    cr_expect (needed[k], "needless: EXCEPT (%s, %s)", exceptions[k].call,
               exceptions[k].status);
}

/* Whether a text is a sentence with those %c and so on, or its beginning, if it
   ends in "...".  */
static bool
matches (const char *pattern, const char *text)
{
  if (strcmp (text, "...") == 0)
    return true;
  if (*pattern == '%' && pattern[1] != '%')
    {
      for (; *text != '\0' && strcmp (text, "...") != 0; text++)
        if (matches (pattern + 2, text))
          return true;
      return pattern[2] == '\0'
             || (*text == '\0' && matches (pattern + 2, text));
    }
  pattern += *pattern == '%';
  return *pattern == *text
         && (*text == '\0' || matches (pattern + 1, text + 1));
}

Test (errors, each_sentence_has_a_row)
{
  static const char *const sentences[] = {
#define REASON(name, sentence) sentence,
#include "../../lib/text/refusals.def"
  };
  enum { SENTENCES = sizeof sentences / sizeof *sentences };

  cr_assert_gt (SENTENCES, 50);
  for (size_t i = 0; i < SENTENCES; i++)
    {
      bool found = false;

      for (size_t k = 0; k < ROWS && !found; k++)
        {
          const char *end = table[k].sentence;
          char text[1000];

          if (end == NULL)
            continue;
          snprintf (text, sizeof text, "%s%s%s%s",
                    *end == ':' ? table[k].call : "", end,
                    end[1] == '\0' ? " " : "",
                    end[1] == '\0' ? cgw_strerror (table[k].status) : "");
          found = matches (sentences[i], text)
                  || (table[k].kept == LOST
                      && matches (sentences[i], LOST_TO_DESCRIPTOR));
        }
      cr_expect (found, "no row: %s", sentences[i]);
    }
}
