/* speedscope.c - reads the file format of speedscope, which py-spy, rbspy and
   others write: several profiles with common frames, each either samples, or
   events that open and close frames.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"
#include "json.h"

#ifdef HAVE_JANSSON

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is counted, each an event if any profile has it.  */
enum { TIME, BYTES, NONE, QUANTITIES };

/* Weights are whole numbers if they are counted in 10^-digits of the unit:
   seconds, bytes or 1.  */
enum { DIGITS_MAX = 12 };
struct quantity
{
  bool is_used;
  int digits;
  size_t column;
};

static const struct unit
{
  const char *name;
  int quantity;
  int digits;
} units[] = {
  { "seconds", TIME, 0 },      { "milliseconds", TIME, 3 },
  { "microseconds", TIME, 6 }, { "nanoseconds", TIME, 9 },
  { "bytes", BYTES, 0 },       { "none", NONE, 0 },
};
enum { UNITS = sizeof units / sizeof *units };

/* The profile that is read.  */
struct profile
{
  const json_t *json;
  size_t index;
  const struct unit *unit;
  double start;
  uint32_t thread;
};

struct speedscope
{
  struct import *im;
  struct input *in;
  json_t *all;
  const json_t *profiles;
  struct quantity quantities[QUANTITIES];
  size_t n_quantities;
  struct cgw_pos *positions; /* of the shared frames */
  size_t n_positions;
  struct cgw_pos *frames;    /* of a stack, the leaf first */
  uint32_t room;
};

/* Numbers.  Most are decimal fractions, which a double only comes near.  */

static double
power_of_10 (int n)
{
  double power = 1;

  for (; n > 0; n--)
    power *= 10;
  for (; n < 0; n++)
    power /= 10;
  return power;
}

static double
number_at (const json_t *array, size_t i)
{
  const json_t *value = json_array_get (array, i);

  return json_is_number (value) ? json_number_value (value) : NAN;
}

static double
number_of (const json_t *object, const char *key)
{
  const json_t *value = json_object_get (object, key);

  return json_is_number (value) ? json_number_value (value) : NAN;
}

/* Makes the quantity's digits enough for a number, as far as a double has them
   that was a number of this magnitude.  */
static void
need_digits (struct quantity *q, const struct unit *unit, double number,
             double magnitude)
{
  for (; q->digits < DIGITS_MAX; q->digits++)
    {
      double power = power_of_10 (q->digits - unit->digits);
      double scaled = number * power;

      if (!(fabs (scaled - round (scaled)) > fabs (magnitude) * power * 1e-15))
        break;
    }
}

static void
need_digits_after (struct quantity *q, const struct profile *p, double time)
{
  need_digits (q, p->unit, time - p->start, fmax (time, p->start));
}

/* Counts a number in units of its quantity.  False: it is out of range.  */
static bool
scale (const struct speedscope *s, const struct unit *unit, double number,
       uint64_t *count)
{
  int digits = s->quantities[unit->quantity].digits - unit->digits;
  double scaled = round (number * power_of_10 (digits));

  *count = scaled >= 0 && scaled < 9e18 ? (uint64_t) scaled : 0;
  return scaled >= 0 && scaled < 9e18;
}

/* A number in nanoseconds, or IMPORT_NO_TIME.  */
static uint64_t
as_time (const struct unit *unit, double number)
{
  double time = number * power_of_10 (9 - unit->digits);

  return unit->quantity == TIME && time >= 0 && time < 9e18
             ? (uint64_t) round (time)
             : IMPORT_NO_TIME;
}

/* Profiles.  */

static bool
refuse_profile (const struct speedscope *s, const struct profile *p,
                const char *array, size_t index, const char *reason)
{
  char place[80];

  snprintf (place, sizeof place, "profiles\"[%zu].\"%s", p->index, array);
  return json_refuse (s->in, place, index, reason);
}

static bool
open_profile (const struct speedscope *s, size_t index, struct profile *p)
{
  const char *unit;

  *p = (struct profile){ .json = json_array_get (s->profiles, index),
                         .index = index };
  unit = json_text (p->json, "unit");
  for (size_t i = 0; i < UNITS; i++)
    if (strcmp (units[i].name, unit) == 0)
      p->unit = &units[i];
  if (p->unit == NULL)
    return json_refuse (s->in, "profiles", index, "its unit is not known");
  p->start = number_of (p->json, "startValue");
  if (isnan (p->start))
    p->start = 0;
  return true;
}

static bool
is_evented (const struct profile *p)
{
  return strcmp (json_text (p->json, "type"), "evented") == 0;
}

static bool
is_sampled (const struct profile *p)
{
  return strcmp (json_text (p->json, "type"), "sampled") == 0;
}

/* Finds out how a profile's numbers are to be counted.  */
static bool
measure (struct speedscope *s, const struct profile *p)
{
  struct quantity *q = &s->quantities[p->unit->quantity];
  const json_t *weights = json_object_get (p->json, "weights");
  const json_t *events = json_object_get (p->json, "events"), *event;
  size_t i;

  if (!is_evented (p) && !is_sampled (p))
    return json_refuse (s->in, "profiles", p->index,
                        "its type is neither \"sampled\" nor \"evented\"");
  q->is_used = true;
  for (i = 0; is_sampled (p) && i < json_array_size (weights); i++)
    need_digits (q, p->unit, number_at (weights, i), number_at (weights, i));
  if (is_evented (p))
    {
      json_array_foreach (events, i, event)
        need_digits_after (q, p, number_of (event, "at"));
      need_digits_after (q, p, number_of (p->json, "endValue"));
    }
  return true;
}

/* Events.  */

static struct cgw_event
make_event (int quantity, struct quantity *q)
{
  static const char *const seconds[]
      = { "Time in s", "Time in ms", "Time in us", "Time in ns", "Time in ps" };
  static const char *const names[] = { "Time", "Bytes", "Weight" };
  struct cgw_event event = { .name = copy_text (names[quantity]) };

  if (quantity == TIME)
    {
      q->digits = (q->digits + 2) / 3 * 3;
      event.long_name = copy_text (seconds[q->digits / 3]);
    }
  else if (q->digits > 0)
    event.long_name
        = make_text ("%s, in units of 10^-%d", names[quantity], q->digits);
  return event;
}

static bool
add_events (struct speedscope *s)
{
  struct cgw_event events[QUANTITIES];
  bool ok;

  for (int i = 0; i < QUANTITIES; i++)
    if (s->quantities[i].is_used)
      {
        s->quantities[i].column = s->n_quantities;
        events[s->n_quantities++] = make_event (i, &s->quantities[i]);
      }
  ok = import_events (s->im, s->in, events, s->n_quantities, CGW_LINE);
  for (size_t i = 0; i < s->n_quantities; i++)
    import_free_event (&events[i]);
  return ok;
}

/* Looks at all profiles before any is imported.  */
static bool
measure_profiles (struct speedscope *s)
{
  uint64_t first = IMPORT_NO_TIME;
  struct profile p;

  s->profiles = json_object_get (s->all, "profiles");
  if (json_array_size (s->profiles) == 0)
    return json_refuse (s->in, "profiles", JSON_WHOLE, "there are none");
  for (size_t i = 0; i < json_array_size (s->profiles); i++)
    {
      if (!open_profile (s, i, &p) || !measure (s, &p))
        return false;
      if (as_time (p.unit, p.start) < first)
        first = as_time (p.unit, p.start);
    }
  import_begins (s->im, first);
  return add_events (s);
}

/* Frames.  */

static bool
place_frames (struct speedscope *s)
{
  const json_t *frames
      = json_object_get (json_object_get (s->all, "shared"), "frames");
  const json_t *frame;
  size_t i;

  s->n_positions = json_array_size (frames);
  s->positions = resize (NULL, s->n_positions, sizeof *s->positions);
  json_array_foreach (frames, i, frame)
    {
      json_int_t line = json_whole (frame, "line", 0);
      struct import_frame f
          = { .name = json_text (frame, "name"),
              .file = json_text (frame, "file"),
              .line = line > 0 && line <= UINT32_MAX ? (uint32_t) line : 0 };

      import_place (s->im, &f, 1, &s->positions[i]);
    }
  return true;
}

/* The position of a frame's number, or NULL.  */
static const struct cgw_pos *
find_frame (const struct speedscope *s, const json_t *number)
{
  json_int_t i = json_is_integer (number) ? json_integer_value (number) : -1;

  return i >= 0 && (size_t) i < s->n_positions ? &s->positions[i] : NULL;
}

/* Adds a sample, or as many as were asked for.  */
static bool
add_sample (struct speedscope *s, const struct profile *p, uint64_t samples,
            double time, size_t n, uint64_t weight)
{
  uint64_t cost[QUANTITIES] = { 0 };
  struct import_sample sample = { .thread = p->thread,
                                  .samples = samples,
                                  .time = as_time (p->unit, time),
                                  .frames = s->frames,
                                  .n = n,
                                  .cost = cost };

  cost[s->quantities[p->unit->quantity].column] = weight;
  return import_sample (s->im, s->in, &sample);
}

/* Samples: the outermost frame comes first.  */

static bool
read_sample (struct speedscope *s, const struct profile *p, size_t i,
             const json_t *stack, double weight, double time)
{
  size_t n = json_array_size (stack);
  uint64_t count;

  if (!json_is_array (stack) || n > IMPORT_FRAMES_MAX)
    return refuse_profile (s, p, "samples", i, "it is no stack");
  if (!scale (s, p->unit, weight, &count))
    return refuse_profile (s, p, "weights", i, "it is no weight");
  s->frames = resize_for (s->frames, (uint32_t) n, &s->room,
                          sizeof *s->frames);
  for (size_t k = 0; k < n; k++)
    {
      const struct cgw_pos *frame
          = find_frame (s, json_array_get (stack, n - 1 - k));

      if (frame == NULL)
        return refuse_profile (s, p, "samples", i,
                               "there is no frame of this number");
      s->frames[k] = *frame;
    }
  return add_sample (s, p, 0, time, n, count);
}

static bool
read_samples (struct speedscope *s, const struct profile *p)
{
  const json_t *samples = json_object_get (p->json, "samples"), *sample;
  const json_t *weights = json_object_get (p->json, "weights");
  double time = p->start;
  size_t i;

  if (json_array_size (samples) != json_array_size (weights))
    return refuse_profile (s, p, "samples", JSON_WHOLE,
                           "there are not as many as \"weights\"");
  json_array_foreach (samples, i, sample)
    {
      double weight = number_at (weights, i);

      if (!read_sample (s, p, i, sample, weight, time))
        return false;
      time += weight;
    }
  return true;
}

/* Events: the stack that is open until the next one is a sample.  Those of one
   stack are added up.  */

enum { NO_STACK = UINT32_MAX };

/* A stack.  */
struct stack
{
  struct
  {
    uint32_t caller; /* the index of the stack without its last frame */
    uint32_t frame;  /* the number of that */
  } key;
  uint32_t n;        /* how many frames it has */
  uint64_t samples;
  uint64_t weight;
};

struct events
{
  struct table stacks;
  uint32_t open;       /* the index of the one that is; or NO_STACK */
  double at;           /* time of the last event, from the start */
  uint64_t count;      /* the same, as it is counted */
  bool is_new;         /* it opened a frame */
};

/* Adds a sample of the open frames until a time, if any time has passed, or if
   nothing else would show the frame opened last.  */
static void
add_open_frames (const struct speedscope *s, const struct profile *p,
                 struct events *e, double until, uint64_t count)
{
  uint64_t weight = count > e->count ? count - e->count : 0;
  double from = p->start + e->at;

  e->at = until;
  e->count = count;
  if (e->open != NO_STACK && (weight != 0 || e->is_new)
      && import_wants_time (s->im, as_time (p->unit, from)))
    {
      struct stack *stack = table_entry (&e->stacks, e->open);

      stack->samples++;
      stack->weight += weight;
    }
}

static const char *
open_frame (struct events *e, uint32_t frame)
{
  const struct stack key = { .key = { e->open, frame } };
  const struct stack *caller
      = e->open != NO_STACK ? table_entry (&e->stacks, e->open) : NULL;
  uint32_t n = caller != NULL ? caller->n : 0;
  struct stack *stack;

  if (n == IMPORT_FRAMES_MAX)
    return "too many frames are open";
  stack = table_add (&e->stacks, &key.key);
  stack->n = n + 1;
  e->open = table_index (&e->stacks, stack);
  return NULL;
}

static const char *
take_event (const struct speedscope *s, const json_t *event,
            struct events *e)
{
  const struct cgw_pos *frame
      = find_frame (s, json_object_get (event, "frame"));
  const char *type = json_text (event, "type");
  const struct stack *stack;

  if (frame == NULL)
    return "there is no frame of this number";
  e->is_new = strcmp (type, "O") == 0;
  if (e->is_new)
    return open_frame (e, (uint32_t) (frame - s->positions));
  if (strcmp (type, "C") != 0)
    return "its type is neither \"O\" nor \"C\"";
  if (e->open == NO_STACK)
    return "it closes a frame, and none is open";
  stack = table_entry (&e->stacks, e->open);
  if (memcmp (&s->positions[stack->key.frame], frame, sizeof *frame) != 0)
    return "it closes another frame than the one opened last";
  e->open = stack->key.caller;
  return NULL;
}

static bool
read_event (struct speedscope *s, const struct profile *p, size_t i,
            const json_t *event, struct events *e)
{
  double at = number_of (event, "at") - p->start;
  const char *reason;
  uint64_t count;

  if (!(at >= e->at) || !scale (s, p->unit, at, &count))
    return refuse_profile (s, p, "events", i,
                           "\"at\" is no time, or goes back");
  add_open_frames (s, p, e, at, count);
  reason = take_event (s, event, e);
  return reason == NULL || refuse_profile (s, p, "events", i, reason);
}

static bool
add_stack (struct speedscope *s, const struct profile *p,
           const struct events *e, const struct stack *stack)
{
  uint32_t i = 0;

  s->frames = resize_for (s->frames, stack->n, &s->room, sizeof *s->frames);
  for (const struct stack *k = stack;; k = table_entry (&e->stacks,
                                                        k->key.caller))
    {
      s->frames[i++] = s->positions[k->key.frame];
      if (k->key.caller == NO_STACK)
        return add_sample (s, p, stack->samples, p->start, stack->n,
                           stack->weight);
    }
}

static bool
add_stacks (struct speedscope *s, const struct profile *p,
            const struct events *e)
{
  uint64_t n_frames = 0;
  bool ok;

  for (uint32_t i = 0; i < e->stacks.n; i++)
    {
      const struct stack *stack = table_entry (&e->stacks, i);

      n_frames += stack->samples != 0 ? stack->n : 0;
    }
  ok = import_frames_fit (s->in, n_frames);
  for (uint32_t i = 0; i < e->stacks.n && ok; i++)
    {
      const struct stack *stack = table_entry (&e->stacks, i);

      ok = stack->samples == 0 || add_stack (s, p, e, stack);
    }
  return ok;
}

static bool
read_events (struct speedscope *s, const struct profile *p)
{
  struct events e = { .stacks = { .key_size = sizeof ((struct stack *) 0)->key,
                                  .entry_size = sizeof (struct stack) },
                      .open = NO_STACK };
  const json_t *events = json_object_get (p->json, "events"), *event;
  double end = number_of (p->json, "endValue") - p->start;
  bool ok = true;
  uint64_t count;
  size_t i;

  json_array_foreach (events, i, event)
    ok = ok && read_event (s, p, i, event, &e);
  if (!scale (s, p->unit, end, &count))
    count = e.count;
  add_open_frames (s, p, &e, end, count);
  ok = ok && add_stacks (s, p, &e);
  table_free (&e.stacks);
  return ok;
}

static bool
read_profile (struct speedscope *s, size_t index)
{
  struct import_thread thread = { .tid = index + 1 };
  struct profile p;

  if (!open_profile (s, index, &p))
    return false;
  thread.comm = json_text (p.json, "name");
  p.thread = import_thread (s->im, &thread);
  return is_sampled (&p) ? read_samples (s, &p) : read_events (s, &p);
}

static bool
read_speedscope (struct import *im, struct input *in)
{
  struct speedscope s = { .im = im, .in = in, .all = json_read (in) };
  bool ok = s.all != NULL && measure_profiles (&s) && place_frames (&s);

  for (size_t i = 0; ok && i < json_array_size (s.profiles); i++)
    ok = read_profile (&s, i);
  json_decref (s.all);
  free (s.positions);
  free (s.frames);
  return ok;
}

#else

static bool
read_speedscope (struct import *im, struct input *in)
{
  (void) im;
  return json_is_missing (in);
}

#endif

static bool
is_speedscope (const unsigned char *bytes, size_t n)
{
  return json_has_key (bytes, n, '{', "profiles")
         || json_has_key (bytes, n, '{', "shared");
}

const struct import_kind import_speedscope
    = { "speedscope", is_speedscope, read_speedscope };
