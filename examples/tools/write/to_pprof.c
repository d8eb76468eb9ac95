/* to_pprof.c - writes a profile of pprof: one message of protocol buffers,
   compressed by gzip.

   Its fields may come in any order, so samples are written as they come, and
   the tables of what they name behind them.  The numbers of fields are those of
   the format's profile.proto.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "formats.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"
#include "../format/unit.h"
#include "each_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
# include <zlib.h>
#endif

/* Numbers of fields.  */
enum
{
  SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING,
  COMMENT = 13, DEFAULT_SAMPLE_TYPE
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum
{
  MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
  MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES,
  MAPPING_HAS_LINES, MAPPING_HAS_INLINED
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum
{
  FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE
};

/* A message that grows.  */
struct message
{
  unsigned char *bytes;
  size_t n;
  size_t room;
};

/* An object, and the highest address in it.  */
struct mapping
{
  uint32_t object; /* its handle */
  uint64_t highest;
};

/* A function in a file, which may be another one than its own.  */
struct function
{
  struct
  {
    uint32_t fn;
    uint32_t file; /* 0: its own */
  } key;
};

/* A line of a location.  */
struct line
{
  uint32_t function; /* its id */
  uint32_t line;
};

/* A frame that is a location by itself.  */
struct alone
{
  struct
  {
    uint64_t address;
    uint32_t fn;
    uint32_t file;
    uint32_t line;
    uint32_t zero;
  } key;
  uint32_t location; /* its id, or 0 */
};

/* What begins a location's key; lines follow.  */
struct place
{
  uint64_t address;
  uint64_t mapping; /* its id; 0: none */
};

struct pprof
{
  const struct recording *r;
  FILE *to;
#ifdef HAVE_ZLIB
  z_stream deflate;
#endif
  struct intern strings;   /* the first is "" */
  struct table mappings;   /* ids are indices + 1, as all here */
  struct table functions;
  struct intern locations; /* struct place, and struct line of each */
  struct table alone;
  struct unit_told *events;
  struct message sample, part, key, label, labels;
  bool is_too_large;       /* a cost passed 2^63-1 */
};

/* The wire format.  */

static void
put_raw (struct message *m, const void *bytes, size_t n)
{
  if (m->room - m->n < n)
    {
      m->room = 2 * m->room + n + 64;
      m->bytes = resize (m->bytes, m->room, 1);
    }
  if (n != 0)
    memcpy (m->bytes + m->n, bytes, n);
  m->n += n;
}

static void
put_varint (struct message *m, uint64_t value)
{
  unsigned char bytes[10];
  size_t n = 0;

  for (; value > 127; value >>= 7)
    bytes[n++] = (unsigned char) (value | 128);
  bytes[n++] = (unsigned char) value;
  put_raw (m, bytes, n);
}

enum { NUMBER = 0, BYTES = 2 };

/* 0 is the default, which need not be there.  */
static void
put_number (struct message *m, unsigned field, uint64_t value)
{
  if (value == 0)
    return;
  put_varint (m, field << 3 | NUMBER);
  put_varint (m, value);
}

/* Ends a part of a message, which begins anew.  */
static void
put_part (struct message *m, unsigned field, struct message *part)
{
  put_varint (m, field << 3 | BYTES);
  put_varint (m, part->n);
  put_raw (m, part->bytes, part->n);
  part->n = 0;
}

/* The output.  */

#ifdef HAVE_ZLIB

static void
begin_output (struct pprof *p)
{
  enum { GZIP = 16 };

  if (deflateInit2 (&p->deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                    GZIP + MAX_WBITS, 8, Z_DEFAULT_STRATEGY)
      != Z_OK)
    no_memory ();
}

static void
put_output (struct pprof *p, unsigned char *bytes, size_t n, int flush)
{
  unsigned char out[16384];

  p->deflate.next_in = bytes;
  p->deflate.avail_in = (uInt) n;
  do
    {
      p->deflate.next_out = out;
      p->deflate.avail_out = sizeof out;
      deflate (&p->deflate, flush);
      fwrite (out, 1, sizeof out - p->deflate.avail_out, p->to);
    }
  while (p->deflate.avail_out == 0);
}

static void
end_output (struct pprof *p)
{
  int error;

  put_output (p, NULL, 0, Z_FINISH);
  error = errno;
  deflateEnd (&p->deflate);
  errno = error;
}

#else

# define Z_NO_FLUSH 0

static void
begin_output (struct pprof *p)
{
  (void) p;
}

static void
put_output (struct pprof *p, unsigned char *bytes, size_t n, int flush)
{
  (void) flush;
  fwrite (bytes, 1, n, p->to);
}

static void
end_output (struct pprof *p)
{
  (void) p;
}

#endif

/* Writes a field of the profile, which begins anew.  */
static void
put_field (struct pprof *p, unsigned field, struct message *m)
{
  struct message head = { .n = 0 };

  put_varint (&head, field << 3 | BYTES);
  put_varint (&head, m->n);
  put_output (p, head.bytes, head.n, Z_NO_FLUSH);
  put_output (p, m->bytes, m->n, Z_NO_FLUSH);
  free (head.bytes);
  m->n = 0;
}

/* Tables.  */

static uint32_t
string (struct pprof *p, const char *text)
{
  return intern (&p->strings, text, text != NULL ? strlen (text) : 0);
}

static struct cgw_object
object_of (const struct pprof *p, struct cgw_fn fn)
{
  struct cgw_object object = { 0 };

  cgw_fn_name (p->r->names, fn, NULL, &object);
  return object;
}

/* The id of a function's mapping, or 0.  */
static uint32_t
map (struct pprof *p, struct cgw_fn fn, uint64_t address)
{
  struct cgw_object object = object_of (p, fn);
  struct mapping *m;

  if (object.handle == 0)
    return 0;
  m = table_add (&p->mappings, &object.handle);
  if (address > m->highest)
    m->highest = address;
  return 1 + table_index (&p->mappings, m);
}

static struct line
line_of (struct pprof *p, const struct cgw_pos *at)
{
  struct function key = { { at->fn.handle, at->file.handle } };
  const void *f = table_add (&p->functions, &key);

  return (struct line){ 1 + table_index (&p->functions, f), at->line };
}

/* How many frames are at one place: each but the last is inlined into the next.
   All have one address in one object.  A function that is there already has
   called itself by the call at that address.  There are no more than cgw-import
   reads.  */
static size_t
count_inlined (const struct pprof *p, const struct cgw_pos *frames, size_t n)
{
  enum { MOST = 1000 };
  size_t i = 1;

  if (frames->instr == 0)
    return 1;
  if (n > MOST)
    n = MOST;
  for (; i < n && frames[i].instr == frames->instr; i++)
    {
      for (size_t k = 0; k < i; k++)
        if (frames[k].fn.handle == frames[i].fn.handle)
          return i;
      if (object_of (p, frames[i].fn).handle
          != object_of (p, frames->fn).handle)
        return i;
    }
  return i;
}

/* The id of the location of some frames, each but the last of which is inlined
   into the next.  */
static uint32_t
locate (struct pprof *p, const struct cgw_pos *frames, size_t n)
{
  struct place place = { .address = frames->instr };

  place.mapping = map (p, frames->fn, place.address);
  p->key.n = 0;
  put_raw (&p->key, &place, sizeof place);
  for (size_t i = 0; i < n; i++)
    {
      struct line line = line_of (p, &frames[i]);

      put_raw (&p->key, &line, sizeof line);
    }
  return 1 + intern (&p->locations, p->key.bytes, p->key.n);
}

static uint32_t
locate_alone (struct pprof *p, const struct cgw_pos *at)
{
  const struct alone key = { .key = { at->instr, at->fn.handle,
                                      at->file.handle, at->line, 0 } };
  struct alone *a = table_add (&p->alone, &key.key);

  if (a->location == 0)
    a->location = locate (p, at, 1);
  return a->location;
}

/* Samples.  */

/* Costs that are too far from 0 for pprof become the last ones that it has.  */
static uint64_t
value_of (struct pprof *p, size_t event, uint64_t cost)
{
  bool is_below = p->r->is_signed && cost > INT64_MAX;
  uint64_t factor = p->events[event].factor;

  if (is_below)
    cost = -cost;
  if (!unit_multiply (&cost, factor) || cost - is_below > INT64_MAX)
    {
      p->is_too_large = true;
      cost = (uint64_t) INT64_MAX + is_below;
    }
  return is_below ? -cost : cost;
}

static void
take_sample (void *context, const struct cgw_pos *frames, size_t n_frames,
             const uint64_t *cost)
{
  struct pprof *p = context;

  for (size_t i = 0, n; i < n_frames; i += n)
    {
      n = count_inlined (p, &frames[i], n_frames - i);
      put_varint (&p->part, n == 1 ? locate_alone (p, &frames[i])
                                   : locate (p, &frames[i], n));
    }
  put_part (&p->sample, SAMPLE_LOCATION, &p->part);
  for (size_t k = 0; k < p->r->n_events; k++)
    put_varint (&p->part, value_of (p, k, cost[k]));
  put_part (&p->sample, SAMPLE_VALUE, &p->part);
  put_raw (&p->sample, p->labels.bytes, p->labels.n);
  put_field (p, SAMPLE, &p->sample);
}

static void
add_label (struct pprof *p, const char *key, const char *text, uint64_t number)
{
  if (text == NULL && number == 0)
    return;
  put_number (&p->label, LABEL_KEY, string (p, key));
  if (text != NULL)
    put_number (&p->label, LABEL_STRING, string (p, text));
  else
    put_number (&p->label, LABEL_NUMBER, number);
  put_part (&p->labels, SAMPLE_LABEL, &p->label);
}

static void
write_samples (struct pprof *p, const struct recorded *from)
{
  p->labels.n = 0;
  add_label (p, "comm", from->comm, 0);
  add_label (p, "pid", NULL, from->pid);
  add_label (p, "tid", NULL, from->tid);
  each_stack (p->r, from, take_sample, p);
}

/* What describes the samples.  */

static void
write_events (struct pprof *p)
{
  const struct recording *r = p->r;

  for (size_t k = 0; k < r->n_events; k++)
    {
      p->events[k] = unit_tell (&r->events[k]);
      put_number (&p->part, TYPE_TYPE, string (p, p->events[k].name));
      put_number (&p->part, TYPE_UNIT, string (p, p->events[k].unit));
      put_field (p, SAMPLE_TYPE, &p->part);
    }
}

/* The first event is the one to show; without that, pprof shows the last.  */
static void
write_description (struct pprof *p)
{
  const struct recording *r = p->r;
  static const char comment[] = "Comment: "; /* of an input that is pprof's */
  char *command = r->cmd != NULL ? make_text ("Command: %s", r->cmd) : NULL;

  if (r->n_events > 1)
    put_number (&p->part, DEFAULT_SAMPLE_TYPE, string (p, p->events[0].name));
  if (command != NULL)
    put_number (&p->part, COMMENT, string (p, command));
  for (size_t i = 0; i < r->n_desc; i++)
    put_number (&p->part, COMMENT,
                string (p, strncmp (r->desc[i], comment, sizeof comment - 1)
                                   == 0
                               ? r->desc[i] + sizeof comment - 1
                               : r->desc[i]));
  if (r->is_estimated)
    put_number (&p->part, COMMENT,
                string (p, "Stacks: estimated from costs and calls"));
  put_output (p, p->part.bytes, p->part.n, Z_NO_FLUSH);
  p->part.n = 0;
  free (command);
}

/* Addresses are those in the object's file: they begin at 0.  */
static void
write_mapping (struct pprof *p, uint32_t i)
{
  const struct mapping *mapping = table_entry (&p->mappings, i);
  const struct cgw_object object = { mapping->object };
  struct message *m = &p->part;

  put_number (m, MAPPING_ID, i + 1);
  put_number (m, MAPPING_LIMIT,
              mapping->highest < UINT64_MAX ? mapping->highest + 1
                                            : UINT64_MAX);
  put_number (m, MAPPING_FILE,
              string (p, cgw_object_name (p->r->names, object)));
  put_number (m, MAPPING_BUILD_ID,
              string (p, build_ids_find (p->r->build_ids, object)));
  put_number (m, MAPPING_HAS_FUNCTIONS, true);
  put_number (m, MAPPING_HAS_FILES, true);
  put_number (m, MAPPING_HAS_LINES, true);
  put_number (m, MAPPING_HAS_INLINED, true);
  put_field (p, MAPPING, m);
}

/* Whether an object is a program, by its name: no library, nor the
   kernel's.  */
static bool
is_program (const struct pprof *p, uint32_t i)
{
  const struct mapping *mapping = table_entry (&p->mappings, i);
  const char *name = cgw_object_name (
      p->r->names, (struct cgw_object){ mapping->object });

  return *name != '[' && strstr (name, ".so") == NULL;
}

/* pprof takes the first one for that of the program.  */
static void
write_mappings (struct pprof *p)
{
  uint32_t first = 0;

  while (first < p->mappings.n && !is_program (p, first))
    first++;
  if (first < p->mappings.n)
    write_mapping (p, first);
  for (uint32_t i = 0; i < p->mappings.n; i++)
    if (i != first)
      write_mapping (p, i);
}

static void
write_locations (struct pprof *p)
{
  for (uint32_t i = 0; i < p->locations.n; i++)
    {
      size_t n;
      const char *bytes = intern_bytes (&p->locations, i, &n);
      const char *end = bytes + n;
      struct place place;
      struct line line;

      memcpy (&place, bytes, sizeof place);
      put_number (&p->sample, LOCATION_ID, i + 1);
      put_number (&p->sample, LOCATION_MAPPING, place.mapping);
      put_number (&p->sample, LOCATION_ADDRESS, place.address);
      for (bytes += sizeof place; bytes < end; bytes += sizeof line)
        {
          memcpy (&line, bytes, sizeof line);
          put_number (&p->part, LINE_FUNCTION, line.function);
          put_number (&p->part, LINE_LINE, line.line);
          put_part (&p->sample, LOCATION_LINE, &p->part);
        }
      put_field (p, LOCATION, &p->sample);
    }
}

static void
write_functions (struct pprof *p)
{
  for (uint32_t i = 0; i < p->functions.n; i++)
    {
      const struct function *f = table_entry (&p->functions, i);
      struct cgw_file file;
      const char *name = cgw_fn_name (p->r->names,
                                      (struct cgw_fn){ f->key.fn }, &file,
                                      NULL);
      uint32_t text = string (p, name);

      if (f->key.file != 0)
        file.handle = f->key.file;
      put_number (&p->part, FUNCTION_ID, i + 1);
      put_number (&p->part, FUNCTION_NAME, text);
      put_number (&p->part, FUNCTION_SYSTEM_NAME, text);
      if (file.handle != 0)
        put_number (&p->part, FUNCTION_FILE,
                    string (p, cgw_file_name (p->r->names, file)));
      put_field (p, FUNCTION, &p->part);
    }
}

static void
write_strings (struct pprof *p)
{
  for (uint32_t i = 0; i < p->strings.n; i++)
    {
      size_t n;
      const void *text = intern_bytes (&p->strings, i, &n);

      put_raw (&p->part, text, n);
      put_field (p, STRING, &p->part);
    }
}

void
write_pprof (const struct recording *r, const char *out, FILE *to)
{
  struct pprof p = { .r = r,
                     .to = to,
                     .mappings = { .key_size = sizeof (uint32_t),
                                   .entry_size = sizeof (struct mapping) },
                     .functions
                     = { .key_size = sizeof ((struct function *) 0)->key,
                         .entry_size = sizeof (struct function) },
                     .alone = { .key_size = sizeof ((struct alone *) 0)->key,
                                .entry_size = sizeof (struct alone) } };

  p.events = resize (NULL, r->n_events, sizeof *p.events);
  begin_output (&p);
  string (&p, "");
  write_events (&p);
  write_description (&p);
  for (size_t i = 0; i < r->n_profiles; i++)
    write_samples (&p, &r->profiles[i]);
  write_mappings (&p);
  write_locations (&p);
  write_functions (&p);
  write_strings (&p);
  end_output (&p);
  if (p.is_too_large)
    tool_warn (out, 0, "costs above 2^63-1 became that");
  for (size_t k = 0; k < r->n_events; k++)
    {
      free (p.events[k].name);
      free (p.events[k].unit);
    }
  free (p.events);
  intern_free (&p.strings);
  table_free (&p.mappings);
  table_free (&p.functions);
  intern_free (&p.locations);
  table_free (&p.alone);
  free (p.sample.bytes);
  free (p.part.bytes);
  free (p.key.bytes);
  free (p.label.bytes);
  free (p.labels.bytes);
}
