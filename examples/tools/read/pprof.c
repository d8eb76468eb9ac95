/* pprof.c - reads profiles of pprof, as Go's runtime and many other profilers
   write them: protocol buffers, nearly always compressed by gzip.

   A profile is one message.  Its fields may come in any order, so it is read
   twice: first its tables, then its samples.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/memory.h"
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory is a small multiple of this.  */
enum { LONGEST = 512 << 20 };

/* Frames of one location, and of one stack.  A few bytes can name many.  */
enum { MOST_LINES = 1000 };

/* Numbers of fields.  */
enum
{
  SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, DROP_FRAMES,
  KEEP_FRAMES, TIME_NANOS, DURATION_NANOS, PERIOD_TYPE, PERIOD, COMMENT,
  DEFAULT_SAMPLE_TYPE, DOC_URL
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum
{
  MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
  MAPPING_BUILD_ID
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum
{
  FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE
};

/* A part of the input.  */
struct span
{
  const unsigned char *at;
  const unsigned char *end;
};

/* Types of fields.  */
enum { NUMBER = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };

struct field
{
  unsigned number;
  unsigned type;
  const unsigned char *at;
  uint64_t value;     /* of a NUMBER; otherwise 0 */
  struct span bytes;  /* of the value, as they are in the message */
};

struct type
{
  const char *type;
  const char *unit;
};

/* The tables; each element begins with its id.  */
struct mapping
{
  uint64_t id;
  uint64_t start, limit, offset;
  uint64_t file, build_id; /* numbers of strings */
  bool has_bias;
  uint64_t bias; /* addresses in the object less offsets in the file */
};

struct function
{
  uint64_t id;
  uint64_t name, system_name, file;
};

struct location
{
  uint64_t id;
  struct span message;
  uint64_t n_lines;
  size_t first; /* of its positions */
  uint32_t n;   /* 0: it has none yet */
};

struct table
{
  void *all; /* sorted by id when it is complete */
  uint32_t n;
  uint32_t room;
};

struct pprof
{
  struct import *im;
  struct input *in;
  struct span all;
  const unsigned char *wrong; /* where the first error is */
  const char *reason;         /* or NULL */

  char *texts;      /* the strings, one behind the other */
  size_t texts_end;
  size_t *strings;  /* where each begins */
  uint32_t n_strings;
  uint32_t strings_room;

  struct span *types; /* of values */
  size_t n_types;
  uint64_t default_type;
  struct table mappings, locations, functions;
  struct symbols *symbols;
  bool has_addresses;

  size_t column[CGW_EVENTS_MAX]; /* in the input, of each event */

  struct cgw_pos *positions;
  uint32_t n_positions, positions_room;
  struct cgw_pos *frames; /* of one stack */
  uint32_t frames_room;
};

/* The wire format.  */

/* Keeps the first error.  Returns false.  */
static bool
fail (struct pprof *p, const unsigned char *at, const char *reason)
{
  if (p->reason == NULL)
    {
      p->reason = reason;
      p->wrong = at;
    }
  return false;
}

static bool
take_varint (struct span *s, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; s->at < s->end && shift < 64; shift += 7)
    {
      *value |= (uint64_t) (*s->at & 127) << shift;
      if (*s->at++ < 128)
        return true;
    }
  return false;
}

/* Takes a field's value; returns NULL, or what is wrong.  */
static const char *
take_value (struct span *s, struct field *f)
{
  uint64_t length = f->type == FIXED_64 ? 8 : 4;

  f->bytes.at = s->at;
  if ((f->type == NUMBER && !take_varint (s, &f->value))
      || (f->type == BYTES && !take_varint (s, &length)))
    return "a number has no end";
  if (f->type != NUMBER)
    {
      if (f->type != BYTES && f->type != FIXED_64 && f->type != FIXED_32)
        return "it is no field of a protocol buffer";
      if (length > (size_t) (s->end - s->at))
        return "a field is longer than what it is in";
      f->bytes.at = s->at;
      s->at += length;
    }
  f->bytes.end = s->at;
  return NULL;
}

/* Takes the next field.  False: there is none, or something is wrong.  */
static bool
take_field (struct pprof *p, struct span *s, struct field *f)
{
  const char *reason = "a number has no end";
  uint64_t key;

  if (s->at == s->end || p->reason != NULL)
    return false;
  *f = (struct field){ .at = s->at };
  if (take_varint (s, &key))
    {
      f->number = key >> 3 <= UINT32_MAX ? (unsigned) (key >> 3) : 0;
      f->type = key & 7;
      reason = take_value (s, f);
    }
  return reason == NULL || fail (p, f->at, reason);
}

/* Takes the next number of a repeated field, packed or not, whose bytes are
   *s.  */
static bool
take_number (struct pprof *p, const struct field *f, struct span *s,
             uint64_t *value)
{
  if (s->at == s->end || p->reason != NULL)
    return false;
  return ((f->type == NUMBER || f->type == BYTES) && take_varint (s, value))
         || fail (p, f->at, "a number has no end");
}

/* Strings.  */

static void
add_string (struct pprof *p, struct span bytes)
{
  size_t length = (size_t) (bytes.end - bytes.at);

  p->strings = resize_for (p->strings, p->n_strings, &p->strings_room,
                           sizeof *p->strings);
  p->strings[p->n_strings++] = p->texts_end;
  memcpy (p->texts + p->texts_end, bytes.at, length);
  p->texts_end += length;
  p->texts[p->texts_end++] = '\0';
}

static const char *
string (struct pprof *p, uint64_t number, const unsigned char *at)
{
  if (number < p->n_strings)
    return p->texts + p->strings[number];
  if (number != 0)
    fail (p, at, "there is no string of this number");
  return "";
}

/* Tables.  */

static int
compare_ids (const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Nearly always, ids count from 1.  */
static void *
find (const struct table *t, size_t size, uint64_t id)
{
  if (id - 1 < t->n)
    {
      char *usual = (char *) t->all + (id - 1) * size;

      if (compare_ids (usual, &id) == 0)
        return usual;
    }
  return t->n == 0 ? NULL
                   : bsearch (&id, t->all, t->n, size, compare_ids);
}

/* Adds an element, zeroed.  */
static void *
new_element (struct table *t, size_t size)
{
  t->all = resize_for (t->all, t->n, &t->room, size);
  return (char *) t->all + t->n++ * size;
}

/* Sorts by id, which must be unique.  */
static bool
sort_table (struct table *t, size_t size)
{
  const char *all = t->all;

  if (t->n == 0)
    return true;
  qsort (t->all, t->n, size, compare_ids);
  for (uint32_t i = 1; i < t->n; i++)
    if (compare_ids (all + (i - 1) * size, all + i * size) == 0)
      return false;
  return true;
}

static void
add_mapping (struct pprof *p, struct span s)
{
  struct mapping *m = new_element (&p->mappings, sizeof *m);
  struct field f;

  while (take_field (p, &s, &f))
    if (f.number == MAPPING_ID)
      m->id = f.value;
    else if (f.number == MAPPING_START)
      m->start = f.value;
    else if (f.number == MAPPING_LIMIT)
      m->limit = f.value;
    else if (f.number == MAPPING_OFFSET)
      m->offset = f.value;
    else if (f.number == MAPPING_FILE)
      m->file = f.value;
    else if (f.number == MAPPING_BUILD_ID)
      m->build_id = f.value;
}

static void
add_function (struct pprof *p, struct span s)
{
  struct function *x = new_element (&p->functions, sizeof *x);
  struct field f;

  while (take_field (p, &s, &f))
    if (f.number == FUNCTION_ID)
      x->id = f.value;
    else if (f.number == FUNCTION_NAME)
      x->name = f.value;
    else if (f.number == FUNCTION_SYSTEM_NAME)
      x->system_name = f.value;
    else if (f.number == FUNCTION_FILE)
      x->file = f.value;
}

static void
add_location (struct pprof *p, struct span s)
{
  struct location *l = new_element (&p->locations, sizeof *l);
  struct field f;

  l->message = s;
  while (take_field (p, &s, &f))
    if (f.number == LOCATION_ID)
      l->id = f.value;
    else if (f.number == LOCATION_ADDRESS && f.value != 0)
      p->has_addresses = true;
    else if (f.number == LOCATION_LINE)
      l->n_lines++;
}

/* A field that this reader uses must have the type that it should have.  */
static bool
has_right_type (const struct field *f)
{
  if (f->number == COMMENT || f->number > DOC_URL)
    return true;
  return f->type == (f->number <= STRING || f->number == PERIOD_TYPE ? BYTES
                                                                     : NUMBER);
}

static void
add_to_table (struct pprof *p, const struct field *f)
{
  switch (f->number)
    {
    case SAMPLE_TYPE:
      p->types = resize_for_one (p->types, p->n_types, sizeof *p->types);
      p->types[p->n_types++] = f->bytes;
      break;
    case MAPPING:
      add_mapping (p, f->bytes);
      break;
    case LOCATION:
      add_location (p, f->bytes);
      break;
    case FUNCTION:
      add_function (p, f->bytes);
      break;
    case STRING:
      add_string (p, f->bytes);
      break;
    case DEFAULT_SAMPLE_TYPE:
      p->default_type = f->value;
      break;
    default:
      break;
    }
}

static bool
read_tables (struct pprof *p)
{
  struct span s = p->all;
  struct field f;

  p->texts = resize (NULL, (size_t) (s.end - s.at) + 1, 1);
  while (take_field (p, &s, &f))
    if (has_right_type (&f))
      add_to_table (p, &f);
    else
      fail (p, f.at, "it is no field of a pprof profile");
  return p->reason == NULL
         && ((sort_table (&p->mappings, sizeof (struct mapping))
              && sort_table (&p->functions, sizeof (struct function))
              && sort_table (&p->locations, sizeof (struct location)))
             || fail (p, p->all.at,
                      "two mappings, locations or functions have one id"));
}

/* Events.  */

static struct type
read_type (struct pprof *p, struct span s)
{
  struct type type = { "", "" };
  struct field f;

  while (take_field (p, &s, &f))
    if (f.number == TYPE_TYPE)
      type.type = string (p, f.value, f.at);
    else if (f.number == TYPE_UNIT)
      type.unit = string (p, f.value, f.at);
  return type;
}

/* The value that is shown first: as for pprof, the default, or the last.  */
static size_t
find_first (struct pprof *p)
{
  const char *name = string (p, p->default_type, p->all.at);

  for (size_t i = 0; i < p->n_types && *name != '\0'; i++)
    if (strcmp (read_type (p, p->types[i]).type, name) == 0)
      return i;
  return p->n_types - 1;
}

static bool
add_events (struct pprof *p)
{
  struct cgw_event events[CGW_EVENTS_MAX];
  size_t n = p->n_types, first;
  bool ok;

  if (n == 0 || n > CGW_EVENTS_MAX)
    return fail (p, p->all.at, n == 0 ? "it does not say what it counts"
                                      : "it counts too many kinds of things");
  first = find_first (p);
  for (size_t i = 0; i < n; i++)
    {
      size_t from = i == 0 ? first : i <= first ? i - 1 : i;
      struct type type = read_type (p, p->types[from]);

      p->column[i] = from;
      events[i] = import_event (type.type, type.unit, events, i);
    }
  p->im->is_signed = true;
  ok = p->reason == NULL
       && import_events (p->im, p->in, events, n,
                         p->has_addresses ? CGW_INSTR_LINE : CGW_LINE);
  for (size_t i = 0; i < n; i++)
    import_free_event (&events[i]);
  return ok;
}

/* What describes the profile.  */

static void
describe_duration (struct pprof *p, int64_t nanoseconds)
{
  char text[64];

  snprintf (text, sizeof text, "%.3f s", (double) nanoseconds / 1e9);
  if (nanoseconds > 0)
    import_describe (p->im, "Duration", text);
}

static void
describe_period (struct pprof *p, int64_t period, struct span message)
{
  struct type type = read_type (p, message);
  char text[256];

  snprintf (text, sizeof text, "%" PRId64 " %s (%s)", period,
            import_unit (type.unit), type.type);
  if (period != 0)
    import_describe (p->im, "Period", text);
}

static void
describe (struct pprof *p)
{
  struct span s = p->all, period_type = { NULL, NULL };
  uint64_t period = 0, value;
  struct field f;

  while (take_field (p, &s, &f))
    {
      struct span numbers = f.bytes;

      if (f.number == TIME_NANOS)
        import_describe_time (p->im, (int64_t) f.value);
      else if (f.number == DURATION_NANOS)
        describe_duration (p, (int64_t) f.value);
      else if (f.number == PERIOD)
        period = f.value;
      else if (f.number == PERIOD_TYPE)
        period_type = f.bytes;
      while (f.number == COMMENT && take_number (p, &f, &numbers, &value))
        import_describe (p->im, "Comment", string (p, value, f.at));
    }
  describe_period (p, (int64_t) period, period_type);
}

/* Locations.  */

/* The address in the object, if the mapping says what is mapped there.  */
static uint64_t
address_in_object (struct pprof *p, struct mapping *m, uint64_t address)
{
  if (m == NULL || address < m->start || address >= m->limit)
    return address;
  address = address - m->start + m->offset;
  if (!m->has_bias)
    m->bias = symbols_bias (p->symbols, string (p, m->file, p->all.at),
                            string (p, m->build_id, p->all.at), address);
  m->has_bias = true;
  return address + m->bias;
}

static void
read_line (struct pprof *p, struct span s, struct import_frame *frame)
{
  const struct function *function = NULL;
  struct field f;

  while (take_field (p, &s, &f))
    if (f.number == LINE_LINE)
      frame->line = f.value <= UINT32_MAX ? (uint32_t) f.value : 0;
    else if (f.number == LINE_FUNCTION && f.value != 0)
      {
        function = find (&p->functions, sizeof *function, f.value);
        if (function == NULL)
          fail (p, f.at, "there is no function of this id");
      }
  if (function == NULL)
    return;
  frame->name = string (p, function->name, p->all.at);
  if (*frame->name == '\0')
    frame->name = string (p, function->system_name, p->all.at);
  frame->file = string (p, function->file, p->all.at);
}

/* What a location says.  */
struct described
{
  struct mapping *mapping; /* or NULL */
  uint64_t address;
  struct import_frame frames[MOST_LINES];
  size_t n;
};

static void
read_location (struct pprof *p, struct span s, struct described *d)
{
  struct field f;

  while (take_field (p, &s, &f))
    if (f.number == LOCATION_ADDRESS)
      d->address = f.value;
    else if (f.number == LOCATION_MAPPING && f.value != 0)
      {
        d->mapping = find (&p->mappings, sizeof *d->mapping, f.value);
        if (d->mapping == NULL)
          fail (p, f.at, "there is no mapping of this id");
      }
    else if (f.number == LOCATION_LINE && f.type == BYTES)
      {
        if (d->n == MOST_LINES)
          fail (p, f.at, "a location has more than 1000 functions");
        else
          read_line (p, f.bytes, &d->frames[d->n++]);
      }
}

/* Keeps a location's positions.  */
static void
keep_positions (struct pprof *p, struct location *l,
                const struct cgw_pos *positions, uint32_t n)
{
  p->positions = resize_for (p->positions, p->n_positions + n,
                             &p->positions_room, sizeof *p->positions);
  memcpy (p->positions + p->n_positions, positions, n * sizeof *positions);
  l->first = p->n_positions;
  l->n = n;
  p->n_positions += n;
}

/* Makes positions of a location that has functions.  */
static void
place_frames (struct pprof *p, struct location *l, struct described *d)
{
  struct cgw_pos positions[MOST_LINES];
  struct import_frame *outer = &d->frames[d->n - 1];

  outer->address = address_in_object (p, d->mapping, d->address);
  if (d->mapping != NULL)
    outer->object = string (p, d->mapping->file, p->all.at);
  keep_positions (p, l, positions,
                  (uint32_t) import_place (p->im, d->frames, d->n,
                                           positions));
}

/* Makes positions of a location that is an address alone.  */
static void
place_address (struct pprof *p, struct location *l, const struct described *d)
{
  const struct mapping *m = d->mapping;
  uint64_t offset = d->address;
  const char *path = "", *build_id = "";
  const struct cgw_pos *positions;
  uint32_t n;

  if (m != NULL)
    {
      path = string (p, m->file, p->all.at);
      build_id = string (p, m->build_id, p->all.at);
      if (offset >= m->start && offset < m->limit)
        offset = offset - m->start + m->offset;
    }
  positions = symbols_at (p->symbols, path, build_id, offset, false, &n);
  keep_positions (p, l, positions, n);
}

static bool
place (struct pprof *p, struct location *l)
{
  struct described d = { .n = 0 };

  read_location (p, l->message, &d);
  if (p->reason == NULL && d.n != 0)
    place_frames (p, l, &d);
  else if (p->reason == NULL)
    place_address (p, l, &d);
  return p->reason == NULL;
}

/* Samples.  */

/* Adds a location's frames to a stack.  */
static bool
add_frames (struct pprof *p, struct import_sample *sample, uint64_t id,
            const unsigned char *at)
{
  struct location *l = find (&p->locations, sizeof *l, id);

  if (l == NULL)
    return fail (p, at, "there is no location of this id");
  if (l->n == 0 && !place (p, l))
    return false;
  if (sample->n + l->n > IMPORT_FRAMES_MAX)
    return fail (p, at, "a stack has too many frames");
  p->frames = resize_for (p->frames, (uint32_t) (sample->n + l->n),
                          &p->frames_room, sizeof *p->frames);
  memcpy (p->frames + sample->n, p->positions + l->first,
          l->n * sizeof *p->frames);
  sample->n += l->n;
  return true;
}

/* Labels by which profilers name threads.  */
static void
read_label (struct pprof *p, struct span s, struct import_thread *thread)
{
  const char *key = "", *text = NULL;
  uint64_t number = 0;
  struct field f;

  while (take_field (p, &s, &f))
    if (f.number == LABEL_KEY)
      key = string (p, f.value, f.at);
    else if (f.number == LABEL_STRING)
      text = string (p, f.value, f.at);
    else if (f.number == LABEL_NUMBER)
      number = f.value;
  if (strcmp (key, "pid") == 0)
    thread->pid = number;
  else if (strcmp (key, "tid") == 0 || strcmp (key, "thread id") == 0)
    thread->tid = number;
  else if (strcmp (key, "thread_comm") == 0 || strcmp (key, "thread name") == 0
           || (strcmp (key, "comm") == 0 && thread->comm == NULL))
    thread->comm = text;
}

/* Takes a sample's field: locations, values or a label.  */
static void
take_sample_field (struct pprof *p, const struct field *f,
                   struct import_sample *sample, uint64_t *values, size_t *n,
                   struct import_thread *thread)
{
  struct span numbers = f->bytes;
  uint64_t value;

  if (f->number == SAMPLE_LABEL && f->type == BYTES)
    read_label (p, f->bytes, thread);
  while (f->number == SAMPLE_LOCATION
         && take_number (p, f, &numbers, &value)
         && add_frames (p, sample, value, f->at))
    ;
  while (f->number == SAMPLE_VALUE
         && take_number (p, f, &numbers, &value))
    {
      if (*n < p->n_types)
        values[*n] = value;
      ++*n;
    }
}

static bool
add_sample (struct pprof *p, struct span s)
{
  struct import_sample sample = { .time = IMPORT_NO_TIME };
  struct import_thread thread = { 0 };
  uint64_t values[CGW_EVENTS_MAX], costs[CGW_EVENTS_MAX];
  const unsigned char *at = s.at;
  struct field f;
  size_t n = 0;

  while (take_field (p, &s, &f))
    take_sample_field (p, &f, &sample, values, &n, &thread);
  if (p->reason == NULL && n != p->n_types)
    fail (p, at, "a sample has more or fewer values than there are types");
  if (p->reason != NULL)
    return false;
  for (size_t i = 0; i < n; i++)
    costs[i] = values[p->column[i]];
  sample.frames = p->frames;
  sample.thread = import_thread (p->im, &thread);
  sample.cost = costs;
  return import_sample (p->im, p->in, &sample);
}

static uint64_t
count_frames (struct pprof *p, struct span s)
{
  const struct location *l;
  struct field f;
  uint64_t n = 0, id;

  while (take_field (p, &s, &f))
    {
      struct span numbers = f.bytes;

      while (f.number == SAMPLE_LOCATION && take_number (p, &f, &numbers, &id))
        {
          l = find (&p->locations, sizeof *l, id);
          n += l != NULL && l->n_lines > 1 ? l->n_lines : 1;
        }
    }
  return n;
}

static bool
measure (struct pprof *p)
{
  struct span s = p->all;
  uint64_t n = 0;
  struct field f;

  while (take_field (p, &s, &f))
    n += f.number == SAMPLE ? count_frames (p, f.bytes) : 0;
  return p->reason == NULL && import_frames_fit (p->in, n);
}

static bool
add_samples (struct pprof *p)
{
  struct span s = p->all;
  struct field f;
  bool ok = true;

  while (ok && take_field (p, &s, &f))
    ok = f.number != SAMPLE || add_sample (p, f.bytes);
  return ok;
}

static void
describe_objects (struct pprof *p)
{
  const struct mapping *m = p->mappings.all;

  for (uint32_t i = 0; i < p->mappings.n; i++)
    if (m[i].build_id != 0)
      import_build_id (p->im, string (p, m[i].file, p->all.at),
                       string (p, m[i].build_id, p->all.at));
}

static bool
read_pprof (struct import *im, struct input *in)
{
  struct pprof p = { .im = im, .in = in };
  bool ok;

  if (!input_read_all (in, LONGEST))
    return false;
  p.all.at = input_bytes (in);
  p.all.end = p.all.at + in->end - in->start;
  p.symbols = symbols_new (im);
  ok = read_tables (&p) && add_events (&p) && measure (&p)
       && add_samples (&p);
  if (ok)
    {
      describe (&p);
      describe_objects (&p);
    }
  if (p.reason != NULL)
    ok = input_refuse (in, (uint64_t) (p.wrong - p.all.at), p.reason);
  symbols_free (p.symbols);
  free (p.texts);
  free (p.strings);
  free (p.types);
  free (p.mappings.all);
  free (p.locations.all);
  free (p.functions.all);
  free (p.positions);
  free (p.frames);
  return ok;
}

/* The kind.  */

/* Whether a message of two numbers says what is counted.  */
static bool
is_type (struct span s)
{
  struct pprof p = { 0 };
  struct field f;

  while (take_field (&p, &s, &f))
    if (f.type != NUMBER || f.number == 0 || f.number > TYPE_UNIT)
      return false;
  return p.reason == NULL;
}

/* A message with nothing but the fields of a profile, or the beginning of a
   long one: no text begins with what is counted.  A short one must have its
   first string, which is empty: so it has a byte that no text has.  */
static bool
is_pprof (const unsigned char *bytes, size_t n)
{
  struct span s = { bytes, bytes + n };
  struct pprof p = { 0 };
  bool is_whole = n < IMPORT_PEEK, has_string = false, has_type = false;
  struct field f;

  while (take_field (&p, &s, &f))
    {
      bool is_of_type = f.number == SAMPLE_TYPE || f.number == PERIOD_TYPE;

      if (f.number == 0 || f.number > DOC_URL || !has_right_type (&f)
          || (is_of_type && !is_type (f.bytes)))
        return false;
      has_type = has_type || (is_of_type && f.bytes.at != f.bytes.end);
      has_string = has_string
                   || (f.number == STRING && f.bytes.at == f.bytes.end);
    }
  return is_whole ? has_string
                  : p.reason == NULL || has_type || p.wrong > bytes + n / 2;
}

const struct import_kind import_pprof
    = { "pprof", is_pprof, read_pprof };
