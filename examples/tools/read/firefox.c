/* firefox.c - reads profiles of the Firefox Profiler, as it saves them, and as
   samply and other programs write them for it: its "processed" format.

   Tables have an array for each column, and refer to each other by numbers of
   rows.  A stack is a frame and the stack of its caller, which comes before it.
   Versions of the format differ in where tables are, in the profile or in each
   thread, and in a few columns, which tell the versions apart.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"
#include "json.h"

#ifdef HAVE_JANSSON

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"
#include "symbols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before, addresses of calls were those that they return to.  */
enum { OLDEST = 38, NEWEST = 70 };

/* What is counted, each an event if any thread has it.  */
enum { SAMPLES, TIME, BYTES, CPU, JS_BYTES, ALLOCATED, FREED, EVENTS };

/* The columns that are read.  Some hold numbers of rows of others.  */
enum
{
  NO_COLUMN, STRINGS, LIBS, STACK_FRAME, STACK_CALLER, STACK_DISTANCE,
  FRAME_FUNCTION, FRAME_LIB, FRAME_LINE, FRAME_ADDRESS, FRAME_DEPTH,
  FUNCTION_NAME, FUNCTION_FILE, FUNCTION_SOURCE, FUNCTION_LINE,
  FUNCTION_RESOURCE, RESOURCE_LIB, SOURCE_FILE, COLUMNS
};

static const struct
{
  const char *table; /* NULL: it is in none */
  const char *name;
  int rows_of;
} columns[COLUMNS] = {
  [STRINGS] = { NULL, "stringArray", NO_COLUMN },
  [LIBS] = { NULL, "libs", NO_COLUMN },
  [STACK_FRAME] = { "stackTable", "frame", FRAME_FUNCTION },
  [STACK_CALLER] = { "stackTable", "prefix", STACK_FRAME },
  [STACK_DISTANCE] = { "stackTable", "prefixOffset", NO_COLUMN },
  [FRAME_FUNCTION] = { "frameTable", "func", FUNCTION_NAME },
  [FRAME_LIB] = { "frameTable", "lib", LIBS },
  [FRAME_LINE] = { "frameTable", "line", NO_COLUMN },
  [FRAME_ADDRESS] = { "frameTable", "address", NO_COLUMN },
  [FRAME_DEPTH] = { "frameTable", "inlineDepth", NO_COLUMN },
  [FUNCTION_NAME] = { "funcTable", "name", STRINGS },
  [FUNCTION_FILE] = { "funcTable", "fileName", STRINGS },
  [FUNCTION_SOURCE] = { "funcTable", "source", SOURCE_FILE },
  [FUNCTION_LINE] = { "funcTable", "lineNumber", NO_COLUMN },
  [FUNCTION_RESOURCE] = { "funcTable", "resource", RESOURCE_LIB },
  [RESOURCE_LIB] = { "resourceTable", "lib", LIBS },
  [SOURCE_FILE] = { "sources", "filename", STRINGS },
};

/* The positions of a frame, the innermost inlined function first.  */
struct place
{
  uint32_t tables; /* for which they were found, as in struct firefox */
  uint32_t first;
  uint32_t n;
};

/* Where a library's first segment is loaded, as its file says.  */
struct base
{
  uint32_t tables;
  uint64_t address;
};

struct firefox
{
  struct import *im;
  struct input *in;
  json_t *all;
  const json_t *threads;
  const char *cpu_unit;
  bool has_times;
  bool has_addresses;
  double first;                /* time of the first sample, in ms */
  bool is_used[EVENTS];
  size_t column[EVENTS];

  size_t index;                /* of the thread that is read */
  const json_t *thread;
  uint32_t number;
  const json_t *columns[COLUMNS];
  uint32_t tables;             /* counts which columns were others */

  struct symbols *symbols;
  struct base *bases;          /* of libraries */
  uint32_t bases_room;
  struct place *places;        /* of each frame, and of it as a caller */
  uint32_t places_room;
  struct cgw_pos *positions;
  uint32_t n_positions, positions_room;
  struct cgw_pos *frames;      /* of a stack, the leaf first */
  uint32_t n, room;
  uint64_t n_frames;           /* of all stacks */
};

/* Samples, or allocations, of a thread.  */
struct samples
{
  const char *table;
  const json_t *stacks, *weights, *times, *deltas, *cpu;
  int event;
};

/* Columns.  */

/* What a profile has in a thread, or for all of them.  */
static const json_t *
find_shared (const struct firefox *p, const char *key)
{
  const json_t *value = json_object_get (p->thread, key);

  if (value == NULL)
    value = json_object_get (json_object_get (p->all, "shared"), key);
  return value != NULL ? value : json_object_get (p->all, key);
}

/* Prints what is wrong with a row.  */
static bool
refuse (const struct firefox *p, const char *table, const char *column,
        size_t row, const char *reason)
{
  const char *outer = table != NULL ? table : column;
  char place[128] = "";

  if (json_object_get (p->thread, outer) != NULL)
    snprintf (place, sizeof place, "threads\"[%zu].\"", p->index);
  snprintf (place + strlen (place), sizeof place - strlen (place), "%s%s%s",
            outer, table != NULL ? "\".\"" : "", table != NULL ? column : "");
  return json_refuse (p->in, place, row, reason);
}

static bool
refuse_row (const struct firefox *p, int column, size_t row,
            const char *reason)
{
  return refuse (p, columns[column].table, columns[column].name, row, reason);
}

static const json_t *
value_at (const struct firefox *p, int column, size_t row)
{
  return json_array_get (p->columns[column], row);
}

/* A number of at least 0, or -1.  */
static json_int_t
whole_at (const struct firefox *p, int column, size_t row)
{
  const json_t *value = value_at (p, column, row);

  return json_is_integer (value) && json_integer_value (value) >= 0
             ? json_integer_value (value)
             : -1;
}

/* Reads the number of a row of another column; NO_ROW if there is none.  */
#define NO_ROW SIZE_MAX
static bool
read_row (const struct firefox *p, int column, size_t row, size_t *number)
{
  const json_t *value = value_at (p, column, row);

  *number = NO_ROW;
  if (value == NULL || json_is_null (value)
      || (json_is_integer (value) && json_integer_value (value) == -1))
    return true;
  *number = (size_t) whole_at (p, column, row);
  return *number < json_array_size (p->columns[columns[column].rows_of])
         || refuse_row (p, column, row, "there is no such row");
}

static bool
need_row (const struct firefox *p, int column, size_t row, size_t *number)
{
  return read_row (p, column, row, number)
         && (*number != NO_ROW
             || refuse_row (p, column, row, "there is no such row"));
}

/* Reads a text by the number of its row, if there is one.  */
static bool
read_text (const struct firefox *p, int column, size_t row, const char **text)
{
  size_t number;

  if (!read_row (p, column, row, &number))
    return false;
  if (number != NO_ROW)
    *text = json_string_value (value_at (p, STRINGS, number));
  return true;
}

static void
open_thread (struct firefox *p, size_t index)
{
  const json_t *before[COLUMNS];

  memcpy (before, p->columns, sizeof before);
  p->index = index;
  p->thread = json_array_get (p->threads, index);
  for (int i = STRINGS; i < COLUMNS; i++)
    p->columns[i]
        = columns[i].table == NULL
              ? find_shared (p, columns[i].name)
              : json_object_get (find_shared (p, columns[i].table),
                                 columns[i].name);
  if (memcmp (before, p->columns, sizeof before) != 0)
    {
      p->tables++;
      p->n_positions = 0;
    }
}

/* Frames.  */

static bool
read_lib (const struct firefox *p, size_t frame, size_t function, size_t *lib)
{
  size_t resource;

  if (p->columns[RESOURCE_LIB] == NULL)
    return read_row (p, FRAME_LIB, frame, lib);
  *lib = NO_ROW;
  return read_row (p, FUNCTION_RESOURCE, function, &resource)
         && (resource == NO_ROW || read_row (p, RESOURCE_LIB, resource, lib));
}

static bool
read_file (const struct firefox *p, size_t function, const char **file)
{
  size_t source;

  return read_text (p, FUNCTION_FILE, function, file)
         && read_row (p, FUNCTION_SOURCE, function, &source)
         && (source == NO_ROW || read_text (p, SOURCE_FILE, source, file));
}

/* The build ID of a library, or "".  */
static const char *
build_id_of (const struct firefox *p, size_t lib)
{
  return json_text (value_at (p, LIBS, lib), "codeId");
}

/* The address in a library's file; profiles count from the beginning of its
   first segment.  */
static uint64_t
find_address (struct firefox *p, size_t lib, const char *object,
              uint64_t address)
{
  const char *build_id = build_id_of (p, lib);
  struct base *base;

  p->bases = resize_for (p->bases, (uint32_t) lib, &p->bases_room,
                         sizeof *p->bases);
  base = &p->bases[lib];
  if (base->tables != p->tables)
    *base = (struct base){ p->tables,
                           *build_id != '\0'
                               ? symbols_base (p->symbols, object, build_id)
                               : 0 };
  return base->address + address;
}

static bool
read_frame (struct firefox *p, size_t frame, struct import_frame *f,
            size_t *lib)
{
  json_int_t line = whole_at (p, FRAME_LINE, frame);
  json_int_t address = whole_at (p, FRAME_ADDRESS, frame);
  size_t function;

  *f = (struct import_frame){ .name = NULL };
  if (!need_row (p, FRAME_FUNCTION, frame, &function)
      || !read_text (p, FUNCTION_NAME, function, &f->name)
      || !read_file (p, function, &f->file)
      || !read_lib (p, frame, function, lib))
    return false;
  if (line < 0)
    line = whole_at (p, FUNCTION_LINE, function);
  f->line = line > 0 && line <= UINT32_MAX ? (uint32_t) line : 0;
  if (*lib == NO_ROW)
    return true;
  f->object = json_text (value_at (p, LIBS, *lib), "path");
  if (*f->object == '\0')
    f->object = json_text (value_at (p, LIBS, *lib), "name");
  if (address >= 0)
    f->address = find_address (p, *lib, f->object, (uint64_t) address);
  return true;
}

/* Whether a name is the address that has none.  */
static bool
is_address (const char *name)
{
  return name != NULL && strncmp (name, "0x", 2) == 0 && name[2] != '\0'
         && name[2 + strspn (name + 2, "0123456789abcdefABCDEF")] == '\0';
}

static void
keep_positions (struct firefox *p, struct place *place,
                const struct cgw_pos *positions, uint32_t n)
{
  *place = (struct place){ p->tables, p->n_positions, n };
  p->positions = resize_for (p->positions, p->n_positions + n,
                             &p->positions_room, sizeof *p->positions);
  memcpy (p->positions + p->n_positions, positions, n * sizeof *positions);
  p->n_positions += n;
}

/* The positions of a frame, or NULL.  */
static const struct place *
place_frame (struct firefox *p, size_t frame, bool is_call)
{
  uint32_t i = 2 * (uint32_t) frame + is_call, n;
  const struct cgw_pos *found;
  struct cgw_pos position;
  struct import_frame f;
  struct place *place;
  size_t lib;

  p->places = resize_for (p->places, i, &p->places_room, sizeof *p->places);
  place = &p->places[i];
  if (place->tables == p->tables)
    return place;
  if (!read_frame (p, frame, &f, &lib))
    return NULL;
  if (f.address != 0 && is_address (f.name))
    f.name = NULL;
  if (f.address != 0 && f.name == NULL && *build_id_of (p, lib) != '\0')
    {
      found = symbols_at_address (p->symbols, f.object, build_id_of (p, lib),
                                  f.address, is_call, &n);
      keep_positions (p, place, found, n);
    }
  else
    {
      import_place (p->im, &f, 1, &position);
      keep_positions (p, place, &position, 1);
    }
  return place;
}

/* Stacks.  */

/* The row of a stack's caller; NO_ROW: it has none.  */
static bool
read_caller (const struct firefox *p, size_t stack, size_t *caller)
{
  int column = STACK_CALLER;

  if (p->columns[STACK_DISTANCE] != NULL)
    {
      json_int_t distance = whole_at (p, STACK_DISTANCE, stack);

      column = STACK_DISTANCE;
      *caller = distance == 0 ? NO_ROW
                : distance > 0 && (uint64_t) distance <= stack
                    ? stack - (size_t) distance
                    : stack;
    }
  else if (!read_row (p, STACK_CALLER, stack, caller))
    return false;
  return *caller == NO_ROW || *caller < stack
         || refuse_row (p, column, stack, "its caller does not come before it");
}

static bool
is_inlined (const struct firefox *p, size_t frame)
{
  return whole_at (p, FRAME_DEPTH, frame) > 0;
}

/* Adds the positions of a frame to those of the stack.  */
static bool
add_frame (struct firefox *p, size_t frame, bool is_call)
{
  const struct place *place = place_frame (p, frame, is_call);

  if (place == NULL)
    return false;
  p->frames = resize_for (p->frames, p->n + place->n, &p->room,
                          sizeof *p->frames);
  memcpy (p->frames + p->n, p->positions + place->first,
          place->n * sizeof *p->frames);
  p->n += place->n;
  return true;
}

/* Makes a frame that is inlined into the last position a line of it.  */
static bool
add_line (struct firefox *p, size_t inner, size_t outer)
{
  struct import_frame frames[2];
  size_t lib;

  if (!read_frame (p, inner, &frames[0], &lib)
      || !read_frame (p, outer, &frames[1], &lib))
    return false;
  import_place (p->im, frames, 2, &p->frames[p->n - 1]);
  return true;
}

/* Finds the frame, and its stack, that a stack's frame is inlined into.  */
static bool
find_outer (const struct firefox *p, size_t *stack, size_t *frame)
{
  size_t caller;

  while (is_inlined (p, *frame))
    {
      if (!read_caller (p, *stack, &caller))
        return false;
      if (caller == NO_ROW)
        break;
      *stack = caller;
      if (!need_row (p, STACK_FRAME, *stack, frame))
        return false;
    }
  return true;
}

/* Collects the positions of a stack.  */
static bool
find_frames (struct firefox *p, size_t stack)
{
  bool is_call = false;
  size_t frame;

  p->n = 0;
  for (; stack != NO_ROW; is_call = is_call || !is_inlined (p, frame))
    {
      size_t inner, leaf = stack;

      if (p->n >= IMPORT_FRAMES_MAX)
        return refuse_row (p, STACK_FRAME, stack, "there are too many frames");
      if (!need_row (p, STACK_FRAME, stack, &inner))
        return false;
      frame = inner;
      if ((!p->im->options->inline_functions
           && !find_outer (p, &stack, &frame))
          || !add_frame (p, frame, is_call)
          || (stack != leaf && !add_line (p, inner, frame))
          || !read_caller (p, stack, &stack))
        return false;
    }
  return true;
}

/* Numbers.  */

/* Reads a weight of a quantity.  */
static bool
read_weight (const struct samples *s, size_t i, int64_t *weight)
{
  const json_t *value = json_array_get (s->weights, i);
  double number = json_number_value (value);

  if (s->weights == NULL)
    number = 1;
  else if (!json_is_number (value))
    return false;
  if (s->event == TIME)
    number = round (number * 1e6);
  *weight = fabs (number) < 9e15 ? (int64_t) number : 0;
  return (double) *weight == number;
}

/* Reads the processor time since the sample before: the first has none.  */
static bool
read_cpu (const struct samples *s, size_t i, uint64_t *time)
{
  const json_t *value = i != 0 ? json_array_get (s->cpu, i) : NULL;
  double number = json_number_value (value);

  *time = number >= 0 && number < 9e15 ? (uint64_t) llround (number) : 0;
  return value == NULL || json_is_null (value)
         || (json_is_number (value) && number >= 0 && number < 9e15);
}

/* Moves a time on to that of a sample.  */
static bool
read_time (const struct samples *s, size_t i, double *time)
{
  const json_t *value
      = json_array_get (s->times != NULL ? s->times : s->deltas, i);

  if (s->times != NULL)
    *time = 0;
  *time += json_number_value (value);
  return json_is_number (value) && fabs (*time) < 4e12;
}

/* Samples.  */

static const struct
{
  const char *weight_type;
  int event;
} weight_types[] = { { "samples", SAMPLES },
                     { "tracing-ms", TIME },
                     { "bytes", BYTES },
                     { "", SAMPLES } };
enum { WEIGHT_TYPES = sizeof weight_types / sizeof *weight_types };

static const struct
{
  const char *table;
  int event;
} tables[] = { { "samples", EVENTS },
               { "jsAllocations", JS_BYTES },
               { "nativeAllocations", ALLOCATED } };
enum { TABLES = sizeof tables / sizeof *tables };

/* Reads a column of samples, which may be missing.  */
static bool
open_column (const struct firefox *p, const char *table, const char *name,
             const json_t **column)
{
  const json_t *all = json_object_get (p->thread, table);
  size_t n = json_array_size (json_object_get (all, "stack"));

  *column = json_object_get (all, name);
  if (!json_is_array (*column))
    *column = NULL;
  return *column == NULL || json_array_size (*column) == n
         || refuse (p, table, name, JSON_WHOLE,
                    "it has more or fewer rows than \"stack\"");
}

/* Opens a table of the thread's samples.  */
static bool
open_samples (const struct firefox *p, int i, struct samples *s)
{
  const char *table = tables[i].table, *type;

  *s = (struct samples){ .table = table, .event = tables[i].event };
  if (!open_column (p, table, "stack", &s->stacks)
      || !open_column (p, table, "weight", &s->weights)
      || !open_column (p, table, "time", &s->times)
      || !open_column (p, table, "timeDeltas", &s->deltas)
      || !open_column (p, table, "threadCPUDelta", &s->cpu))
    return false;
  type = json_text (json_object_get (p->thread, table), "weightType");
  for (int k = 0; s->event == EVENTS && k < WEIGHT_TYPES; k++)
    if (strcmp (weight_types[k].weight_type, type) == 0)
      s->event = weight_types[k].event;
  return s->event != EVENTS
         || refuse (p, table, "weightType", JSON_WHOLE, "it is not known");
}

/* Finds out what there is to count, and when the first sample was.  */
static bool
measure_samples (struct firefox *p, const struct samples *s)
{
  size_t n = json_array_size (s->stacks);
  double time = 0;
  uint64_t cpu;

  p->is_used[s->event] = p->is_used[s->event] || n != 0;
  p->is_used[FREED] = p->is_used[ALLOCATED];
  for (size_t i = 0; i < n; i++)
    {
      if (!read_cpu (s, i, &cpu))
        return refuse (p, s->table, "threadCPUDelta", i,
                       "it is no processor time");
      p->is_used[CPU] = p->is_used[CPU] || cpu != 0;
      if (s->times == NULL && s->deltas == NULL)
        continue;
      if (!read_time (s, i, &time))
        return refuse (p, s->table, s->times != NULL ? "time" : "timeDeltas",
                       i, "it is no time in ms");
      p->first = fmin (p->first, time);
    }
  return true;
}

static void
look_for_addresses (struct firefox *p, const json_t *owner)
{
  const json_t *addresses
      = json_object_get (json_object_get (owner, "frameTable"), "address");
  const json_t *address;
  size_t i;

  json_array_foreach (addresses, i, address)
    p->has_addresses = p->has_addresses || json_integer_value (address) > 0;
}

static bool
measure (struct firefox *p)
{
  struct samples s;

  p->first = INFINITY;
  for (size_t i = 0; i < json_array_size (p->threads); i++)
    {
      open_thread (p, i);
      for (int k = 0; k < TABLES; k++)
        if (!open_samples (p, k, &s) || !measure_samples (p, &s))
          return false;
      look_for_addresses (p, p->thread);
    }
  look_for_addresses (p, json_object_get (p->all, "shared"));
  return true;
}

/* Samples of one stack, added up.  */
struct sum
{
  uint64_t stack; /* or NO_ROW */
  uint64_t samples;
  uint64_t cost[EVENTS];
};

/* So many costs, of less than 2^53 each, do not pass 2^63.  */
enum { SUM_SAMPLES = 512 };

static bool
has_times (const struct firefox *p, const struct samples *s)
{
  return p->has_times && (s->times != NULL || s->deltas != NULL);
}

static bool
add_sum (struct firefox *p, const struct samples *s, const struct sum *sum)
{
  struct import_sample sample
      = { .thread = p->number,
          .samples = sum->samples,
          .time = has_times (p, s) ? 0 : IMPORT_NO_TIME,
          .cost = sum->cost };

  if (!find_frames (p, sum->stack))
    return false;
  p->n_frames += p->n;
  if (!import_frames_fit (p->in, p->n_frames))
    return false;
  sample.frames = p->frames;
  sample.n = p->n;
  return import_sample (p->im, p->in, &sample);
}

/* Adds the costs of a sample to those of its stack.  A sample without a stack
   has none but what the profile says.  */
static bool
add_sample (struct firefox *p, const struct samples *s, size_t i,
            struct table *sums)
{
  const json_t *stack = json_array_get (s->stacks, i);
  uint64_t number = NO_ROW, cpu;
  int event = s->event;
  struct sum *sum;
  int64_t weight;

  if (!read_weight (s, i, &weight))
    return refuse (p, s->table, "weight", i, "it is no whole number");
  read_cpu (s, i, &cpu);
  if (json_is_integer (stack))
    number = (uint64_t) json_integer_value (stack);
  if (!json_is_null (stack)
      && number >= json_array_size (p->columns[STACK_FRAME]))
    return refuse (p, s->table, "stack", i, "there is no such row");
  if (event == ALLOCATED && weight < 0)
    {
      event = FREED;
      weight = -weight;
    }
  if (number == NO_ROW && s->weights == NULL)
    weight = 0;
  if (number == NO_ROW && weight == 0 && cpu == 0)
    return true;
  sum = table_add (sums, &number);
  if (sum->samples == SUM_SAMPLES)
    {
      if (!add_sum (p, s, sum))
        return false;
      *sum = (struct sum){ .stack = number };
    }
  sum->samples++;
  sum->cost[p->column[event]] += (uint64_t) weight;
  if (p->is_used[CPU])
    sum->cost[p->column[CPU]] += cpu;
  return true;
}

static bool
add_samples (struct firefox *p, const struct samples *s)
{
  struct table sums = { sizeof (uint64_t), sizeof (struct sum), NULL, 0,
                        { NULL, 0 } };
  double time = 0;
  bool ok = true;

  for (size_t i = 0; ok && i < json_array_size (s->stacks); i++)
    {
      uint64_t when = IMPORT_NO_TIME;

      read_time (s, i, &time);
      if (has_times (p, s))
        when = (uint64_t) llround ((time - p->first) * 1e6);
      if (import_wants_time (p->im, when))
        ok = add_sample (p, s, i, &sums);
    }
  for (uint32_t i = 0; ok && i < sums.n; i++)
    ok = add_sum (p, s, table_entry (&sums, i));
  table_free (&sums);
  return ok;
}

/* Threads.  */

/* The number that a process's id is, or begins with: after a merge or if the
   system used it again, more follows.  */
static uint64_t
read_pid (const json_t *id)
{
  const char *text = json_string_value (id);

  if (json_is_integer (id) && json_integer_value (id) > 0)
    return (uint64_t) json_integer_value (id);
  return text != NULL && *text >= '0' && *text <= '9'
             ? strtoull (text, NULL, 10)
             : 0;
}

/* The number that a thread's id is, or else its place in the profile.  */
static uint64_t
read_tid (const json_t *id, size_t index)
{
  const char *text = json_string_value (id);

  return text == NULL || text[strspn (text, "0123456789")] == '\0'
             ? read_pid (id)
             : index + 1;
}

static bool
read_thread (struct firefox *p, size_t index)
{
  struct import_thread thread = { 0 };
  struct samples s;

  open_thread (p, index);
  thread.pid = read_pid (json_object_get (p->thread, "pid"));
  thread.tid = read_tid (json_object_get (p->thread, "tid"), index);
  thread.comm = json_text (p->thread, "name");
  if (*thread.comm == '\0')
    thread.comm = json_text (p->thread, "processName");
  p->number = import_thread (p->im, &thread);
  for (int i = 0; i < TABLES; i++)
    if (!open_samples (p, i, &s) || !add_samples (p, &s))
      return false;
  return true;
}

/* The whole.  */

static bool
add_events (struct firefox *p)
{
  const struct
  {
    const char *name, *unit;
  } all[EVENTS] = { [SAMPLES] = { "Samples", NULL },
                    [TIME] = { "Time", "ns" },
                    [BYTES] = { "Bytes", "bytes" },
                    [CPU] = { "CPU", p->cpu_unit },
                    [JS_BYTES] = { "JsAllocated", "bytes" },
                    [ALLOCATED] = { "Allocated", "bytes" },
                    [FREED] = { "Freed", "bytes" } };
  struct cgw_event events[EVENTS];
  size_t n = 0;
  bool ok;

  for (int i = 0; i < EVENTS; i++)
    if (p->is_used[i])
      {
        events[n] = import_event (all[i].name, all[i].unit, events, n);
        p->column[i] = n++;
      }
  if (n == 0)
    return json_refuse (p->in, "threads", JSON_WHOLE, "there are no samples");
  p->im->is_signed = true;
  ok = import_events (p->im, p->in, events, n,
                      p->has_addresses ? CGW_INSTR_LINE : CGW_LINE);
  while (n-- > 0)
    import_free_event (&events[n]);
  return ok;
}

static bool
read_version (const struct firefox *p, const json_t *meta)
{
  json_int_t version = json_whole (meta, "preprocessedProfileVersion", -1);

  if (version < 0)
    return json_refuse (p->in, "meta", JSON_WHOLE,
                        "it has no \"preprocessedProfileVersion\", as what "
                        "Firefox itself writes: profiler.firefox.com opens "
                        "that, and saves what is read");
  if (version < OLDEST)
    return json_refuse (p->in, "meta", JSON_WHOLE,
                        "its version is too old: profiler.firefox.com opens "
                        "it, and saves what is read");
  if (version > NEWEST)
    tool_warn (p->in->name, 0,
               "its version is newer than those that are known");
  return true;
}

static void
read_meta (struct firefox *p, const json_t *meta)
{
  const json_t *units = json_object_get (meta, "sampleUnits");
  const char *unit = json_text (units, "threadCPUDelta");
  double interval = json_number_value (json_object_get (meta, "interval"));
  double start = json_number_value (json_object_get (meta, "startTime"));
  char text[64];

  p->cpu_unit = strcmp (unit, "\302\265s") == 0                ? "us"
                : strcmp (unit, "variable CPU cycles") == 0 ? "cycles"
                                                            : unit;
  p->has_times = strcmp (json_text (units, "time"), "bytes") != 0;
  if (p->im->cmd == NULL && *json_text (meta, "product") != '\0')
    p->im->cmd = copy_text (json_text (meta, "product"));
  if (start > 0 && start < 9e12)
    import_describe_time (p->im, (int64_t) (start * 1e6));
  snprintf (text, sizeof text, "%g ms", interval);
  if (interval > 0)
    import_describe (p->im, "Interval", text);
}

static bool
read_threads (struct firefox *p)
{
  p->threads = json_object_get (p->all, "threads");
  if (!measure (p) || !add_events (p))
    return false;
  import_begins (p->im, 0);
  for (size_t i = 0; i < json_array_size (p->threads); i++)
    if (!read_thread (p, i))
      return false;
  return true;
}

static bool
read_firefox (struct import *im, struct input *in)
{
  struct firefox p = { .im = im, .in = in, .all = json_read (in) };
  const json_t *meta = json_object_get (p.all, "meta");
  bool ok = p.all != NULL && read_version (&p, meta);

  p.symbols = symbols_new (im);
  if (ok)
    read_meta (&p, meta);
  ok = ok && read_threads (&p);
  symbols_free (p.symbols);
  json_decref (p.all);
  free (p.bases);
  free (p.places);
  free (p.positions);
  free (p.frames);
  return ok;
}

#else

static bool
read_firefox (struct import *im, struct input *in)
{
  (void) im;
  return json_is_missing (in);
}

#endif

static bool
is_firefox (const unsigned char *bytes, size_t n)
{
  return json_has_key (bytes, n, '{', "preprocessedProfileVersion")
         || json_has_key (bytes, n, '{', "processType");
}

const struct import_kind import_firefox
    = { "firefox", is_firefox, read_firefox };
