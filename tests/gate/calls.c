/* calls.c - the rows of calls.def, and the objects that they are about.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cgw_names *names;
struct cgw_writer *w;
struct cgw_profile *p;
struct cgw_pos here;
struct cgw_part part = CGW_PART_INIT;
const uint64_t costs[2] = { 3, 5 };
char path[4096];
unsigned hooks_tested;

static struct cgw_profile *other;
/* With three open calls; a paused coroutine; one that runs in a call of a
   fourth.  */
static struct cgw_tracer *tracer, *suspended, *running, *resumer;
static struct cgw_file file;
static struct cgw_object object;
static struct cgw_edge edge, looked_up;
static struct cgw_pos there;
static struct cgw_stats stats = CGW_STATS_INIT;
static const uint64_t counters[] = { 1 };
static uint64_t sums[2];
static unsigned char packed[1000];
static size_t n_packed;

/* A failure ends the process: it may be a child.  */
static void
must (enum cgw_status status)
{
  if (status != CGW_OK)
    abort ();
}

static ssize_t
pack_here (void *context, const void *bytes, size_t n)
{
  (void) context;
  if (n > sizeof packed - n_packed)
    return -1;
  memcpy (packed + n_packed, bytes, n);
  n_packed += n;
  return (ssize_t) n;
}

void
test_cancel (void)
{
  hooks_tested++;
  pthread_testcancel ();
}

static ssize_t
swallow (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  test_cancel ();
  return (ssize_t) n;
}

static enum cgw_status
look_at (void *context, const struct cgw_pos *pos, const uint64_t *cost,
         size_t n)
{
  (void) context;
  (void) pos;
  (void) cost;
  (void) n;
  test_cancel ();
  return CGW_OK;
}

static const struct cgw_visitor visitor
    = { .size = sizeof visitor, .cost = look_at };

static struct cgw_tracer *
make_tracer (unsigned depth)
{
  struct cgw_tracer *made;

  must (cgw_tracer_new (&made, p, NULL));
  for (unsigned i = 0; i < depth; i++)
    must (cgw_tracer_enter (made, NULL, &here, 7 + i, counters));
  return made;
}

/* The profile's first costs are those of its open calls.  */
void
calls_make (struct cgw_names *of_names, struct cgw_writer *writer)
{
  static const struct cgw_event events[] = { { "A", 0, 0 }, { "B", 0, 0 } };

  names = of_names;
  w = writer;
  file = cgw_add_file (names, "gate.c");
  object = cgw_add_object (names, "gate");
  here.fn = cgw_add_fn (names, "fn", file, object);
  there.fn = cgw_add_fn (names, "other", file, object);
  here.line = 11;
  there.line = 22;
  part.events = events;
  part.n_events = 2;
  must (cgw_profile_new (&p, names, 2, 0));
  must (cgw_profile_new (&other, names, 2, 0));
  must (cgw_profile_cost (other, &here, costs, 2));
  must (cgw_profile_stack (other, &here, 1, 1, costs, 2));
  n_packed = 0;
  must (cgw_profile_pack (other, pack_here, NULL));
  tracer = make_tracer (3);
  must (cgw_tracer_edge (tracer, &here, &there, &edge));
  resumer = make_tracer (1);
  running = make_tracer (1);
  suspended = make_tracer (1);
  must (cgw_tracer_stop (running, counters));
  must (cgw_tracer_resume (running, resumer, NULL, counters));
  must (cgw_tracer_stop (suspended, counters));
}

void
calls_free (void)
{
  cgw_profile_free (p);
  cgw_profile_free (other);
}

/* What the rows call, where that is more than one call.  */

static enum cgw_status
has_text (const char *sentence)
{
  return sentence != NULL ? CGW_OK : CGW_EINVAL;
}

static enum cgw_status
explained_error (void)
{
  const char *sentence = NULL;
  enum cgw_status status = cgw_error (w, &sentence);

  return sentence != NULL ? status : CGW_EINVAL;
}

/* What adding a name comes to, of which only a handle is returned.  */
#define handle(name)                                                          \
  ((name).handle != 0 ? CGW_OK : cgw_names_error (names, NULL))

/* What a call frees is gone.  */
static enum cgw_status
free_writer (void)
{
  cgw_free (w);
  w = NULL;
  return CGW_OK;
}

static enum cgw_status
free_names (void)
{
  cgw_names_free (names);
  names = NULL;
  return CGW_OK;
}

static enum cgw_status
free_profile (void)
{
  cgw_profile_free (p);
  p = NULL;
  return CGW_OK;
}

static enum cgw_status
new_tracer (void)
{
  struct cgw_tracer *made;

  return cgw_tracer_new (&made, p, NULL);
}

/* Functions that make an object and free it.  */
#define MAKES(name, type, call, free)                                         \
  static enum cgw_status name (void)                                          \
  {                                                                           \
    struct type *made;                                                        \
    enum cgw_status status = call;                                            \
                                                                              \
    free (made);                                                              \
    return status;                                                            \
  }

static const struct cgw_options to_hook
    = { .size = sizeof to_hook, .write = swallow };

MAKES (new_writer, cgw_writer, cgw_open_fd (&made, names, -1, &to_hook),
       cgw_free)
MAKES (create_writer, cgw_writer, cgw_open (&made, names, path, NULL),
       cgw_free)
MAKES (new_names, cgw_names, cgw_names_new (&made, NULL), cgw_names_free)
MAKES (new_profile, cgw_profile, cgw_profile_new (&made, names, 2, 0),
       cgw_profile_free)

/* The rows.  */

#define CALL(function, variant, call)                                         \
  static enum cgw_status function##_##variant (void) { return call; }
#define ON_WRITER(function, variant, call, ...) CALL (function, variant, call)
#define ON_NAMES(function, variant, call, ...)                                \
  CALL (function, variant, call)
#define ON_PROFILE(function, variant, call, ...)                              \
  CALL (function, in##variant, call)
#define ON_TRACER(function, variant, call)                                    \
  ON_PROFILE (function, variant, call, OK, EBUSY, OK, false)
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
      CGW_##child, CGW_##part, CGW_##part,                                    \
      CGW_##inside == CGW_EBUSY ? CGW_##part : CGW_##inside },                \
    kept },
#define ON_NAMES(function, variant, call, alone, inside, child, kept)         \
  { #function, #variant, NAMES, function##_##variant,                         \
    { CGW_NEVER, CGW_##alone, CGW_NEVER, CGW_NEVER, CGW_##inside, CGW_NEVER,  \
      CGW_##child,                                                            \
      CGW_##child == CGW_EFORK ? CGW_EFORK : CGW_##inside, CGW_##child,       \
      CGW_##alone, CGW_##alone,                                               \
      CGW_##inside == CGW_EBUSY ? CGW_##alone : CGW_##inside },               \
    kept },
#define ON_PROFILE(function, variant, call, alone, inside, child, kept)       \
  { #function, #variant, PROFILE, function##_in##variant,                     \
    { CGW_NEVER, CGW_##alone, CGW_NEVER, CGW_NEVER, CGW_##inside, CGW_NEVER,  \
      CGW_##child,                                                            \
      CGW_##child == CGW_EFORK ? CGW_EFORK : CGW_##inside, CGW_NEVER,         \
      CGW_##alone, CGW_##alone, CGW_NEVER },                                  \
    kept },
#define ON_NOTHING(function) { #function, "", NOTHING, NULL, { CGW_OK }, false },

const struct row rows[] = {
#include "calls.def"
};
const size_t n_rows = sizeof rows / sizeof *rows;

