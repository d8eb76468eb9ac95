/* fuzz_unpack.c - cgw_profile_unpack of any bytes.

   A reader of its own (plain_pack.h) reads the same bytes.  What it refuses,
   the library must refuse with the same status; then the profile writes the
   same file as before.  What it reads, the library must add: the profile must
   write the same file as one to which cgw_profile_cost and cgw_profile_call
   added the same records.  Packed and unpacked again, it must write that file
   once more.  Memory must stay in proportion to the bytes.

   The first byte of the input chooses the profile: see choose.  The others are
   the bytes; or what stands in them between the version and the checksum, which
   lets a fuzzer change them without knowing of checksums.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "plain_pack.h"

#include "heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARKER 4711 /* no errno */

/* What the library wrote.  */
struct bytes
{
  uint8_t *at;
  size_t n;
  size_t room;
  enum cgw_status status; /* of a file: that of cgw_finish */
};

/* A profile and its names.  */
struct one
{
  struct heap heap;
  struct cgw_names *names;
  struct cgw_profile *p;
};

static ssize_t
append (void *context, const void *more, size_t n)
{
  struct bytes *b = context;

  if (b->n + n > b->room)
    {
      b->room = 2 * (b->n + n);
      if ((b->at = realloc (b->at, b->room)) == NULL)
        fuzz_fail ("no memory for a file");
    }
  memcpy (b->at + b->n, more, n);
  b->n += n;
  return (ssize_t) n;
}

static void
same (const char *what, const struct bytes *a, const struct bytes *b)
{
  if (a->n != b->n || memcmp (a->at, b->at, a->n) != 0)
    fuzz_fail ("%s:\n%.*s\nand not:\n%.*s", what, (int) a->n,
               (const char *) a->at, (int) b->n, (const char *) b->at);
}

static void
expect (const char *call, enum cgw_status got, enum cgw_status wanted)
{
  if (got != wanted)
    fuzz_fail ("%s: %s, and not: %s", call, cgw_strerror (got),
               cgw_strerror (wanted));
}

static void
open_one (struct one *o, const struct plain_shape *shape)
{
  memset (o, 0, sizeof *o);
  o->names = make_names (&o->heap);
  expect ("cgw_profile_new",
          cgw_profile_new (&o->p, o->names, shape->n_events,
                           shape->positions),
          CGW_OK);
  for (size_t i = 0; i < shape->n_events; i++)
    if (shape->is_signed[i])
      expect ("cgw_profile_set_signed", cgw_profile_set_signed (o->p, i),
              CGW_OK);
}

static void
close_one (struct one *o)
{
  cgw_profile_free (o->p);
  cgw_names_free (o->names);
  if (o->heap.live != 0)
    fuzz_fail ("%zu blocks were not freed", o->heap.live);
}

/* Write the file of a profile, which may lack something.  */
static struct bytes
written (struct one *o, const struct plain_shape *shape)
{
  const struct cgw_event events[PLAIN_EVENTS]
      = { { "A", NULL, NULL }, { "B", NULL, NULL } };
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct bytes b = { NULL, 0, 0, CGW_OK };
  struct cgw_writer *w;

  options.flags = CGW_ZERO_CALLS;
  options.write = append;
  options.write_context = &b;
  part.events = events;
  part.n_events = shape->n_events;
  part.positions = shape->positions;
  expect ("cgw_open_fd", cgw_open_fd (&w, o->names, -1, &options), CGW_OK);
  expect ("cgw_profile_write", cgw_profile_write (o->p, w, &part), CGW_OK);
  b.status = cgw_finish (w);
  cgw_free (w);
  return b;
}

/* What a profile may have before.  */
static void
fill (struct one *o)
{
  const uint64_t costs[PLAIN_EVENTS] = { 5, 7 };
  struct cgw_object object = cgw_add_object (o->names, "prog");
  struct cgw_file file = cgw_add_file (o->names, "a.c");
  struct cgw_pos f
      = { cgw_add_fn (o->names, "f", file, object), { 0 }, 10, 0x1000 };
  struct cgw_pos g
      = { cgw_add_fn (o->names, "g", file, object), { 0 }, 20, 0x2000 };

  expect ("cgw_profile_cost", cgw_profile_cost (o->p, &f, costs, 1), CGW_OK);
  expect ("cgw_profile_cost", cgw_profile_cost (o->p, &g, costs, 1), CGW_OK);
  expect ("cgw_profile_call", cgw_profile_call (o->p, &f, &g, 3, costs, 1),
          CGW_OK);
}

/* Add the names of packed bytes, and return their handles by reference.  */

static uint32_t *
handles (size_t n)
{
  uint32_t *array = calloc (n + 1, sizeof *array);

  if (array == NULL)
    fuzz_fail ("no memory for handles");
  return array;
}

static void
add_names (struct one *o, const struct plain_pack *pack,
           uint32_t *by_reference[PLAIN_KINDS])
{
  for (int kind = 0; kind < PLAIN_KINDS; kind++)
    {
      uint32_t *array = handles (pack->n_names[kind]);

      by_reference[kind] = array;
      for (size_t i = 0; i < pack->n_names[kind]; i++)
        {
          const struct plain_name *name = &pack->names[kind][i];
          const char *text = (const char *) name->text;

          if (kind == PLAIN_OBJECT)
            array[i] = name->n == 3 && memcmp (text, "???", 3) == 0
                           ? 0
                           : cgw_add_object_n (o->names, text, name->n).handle;
          else if (kind == PLAIN_FILE)
            array[i] = cgw_add_file_n (o->names, text, name->n).handle;
          else
            array[i] = cgw_add_fn_n (
                o->names, text, name->n,
                (struct cgw_file){ by_reference[PLAIN_FILE][name->file] },
                (struct cgw_object){
                    by_reference[PLAIN_OBJECT][name->object] }).handle;
        }
    }
}

/* Add the records one by one.  */
static void
add_records (struct one *o, const struct plain_pack *pack,
             const struct plain_shape *shape)
{
  uint32_t *names[PLAIN_KINDS];

  add_names (o, pack, names);
  for (size_t i = 0; i < pack->n_records; i++)
    {
      const struct plain_record *r = &pack->records[i];
      struct cgw_pos at = { .fn = { names[PLAIN_FN][r->fn] },
                            .line = r->line, .instr = r->instr };
      struct cgw_pos to = { .line = r->to_line, .instr = r->to_instr };
      enum cgw_status status;

      if (r->source != PLAIN_NONE)
        at.file.handle = names[PLAIN_FILE][r->source];
      if (r->callee != PLAIN_NONE)
        to.fn.handle = names[PLAIN_FN][r->callee];
      status = r->callee == PLAIN_NONE
                   ? cgw_profile_cost (o->p, &at, r->costs, shape->n_events)
                   : cgw_profile_call (o->p, &at, &to, r->count, r->costs,
                                       shape->n_events);
      expect ("an addition", status, CGW_OK);
    }
  for (int kind = 0; kind < PLAIN_KINDS; kind++)
    free (names[kind]);
}

/* Packed and unpacked elsewhere, a profile writes the same file.  */
static void
check_travels (struct one *o, const struct plain_shape *shape,
               const struct bytes *file)
{
  struct bytes packed = { NULL, 0, 0, CGW_OK }, again = packed;
  struct bytes file_again;
  struct one other;

  expect ("cgw_profile_pack", cgw_profile_pack (o->p, append, &packed),
          CGW_OK);
  open_one (&other, shape);
  expect ("unpacking again",
          cgw_profile_unpack (other.p, packed.at, packed.n), CGW_OK);
  file_again = written (&other, shape);
  same ("unpacked again, it writes", &file_again, file);
  expect ("unpacked again, cgw_finish", file_again.status, file->status);
  expect ("packing again", cgw_profile_pack (other.p, append, &again), CGW_OK);
  same ("unpacked again, it packs", &again, &packed);
  close_one (&other);
  free (packed.at);
  free (again.at);
  free (file_again.at);
}

/* The library took the bytes.  */
static void
check_added (struct one *o, const struct plain_shape *shape, bool is_filled,
             const struct plain_pack *pack)
{
  struct bytes file, expected;
  struct one plain;

  open_one (&plain, shape);
  if (is_filled)
    fill (&plain);
  add_records (&plain, pack, shape);
  file = written (o, shape);
  expected = written (&plain, shape);
  same ("unpacked, it writes", &file, &expected);
  if (pack->error == CGW_OK ? file.status != expected.status
                            : file.status == CGW_OK)
    fuzz_fail ("unpacked, it lacks: %s", cgw_strerror (file.status));
  check_travels (o, shape, &file);
  free (expected.at);
  free (file.at);
  close_one (&plain);
}

/* The library refused them.  A profile that lacks nothing of its own has no
   error: then the bytes were bad.  */
static void
check_refused (struct one *o, const struct plain_shape *shape, bool is_filled,
               enum cgw_status status)
{
  enum cgw_status error = status == CGW_EPACK ? CGW_OK : status;
  struct bytes before, after = written (o, shape);
  struct one untouched;

  open_one (&untouched, shape);
  if (is_filled)
    fill (&untouched);
  before = written (&untouched, shape);
  same ("after bytes that were refused, it writes", &after, &before);
  expect ("cgw_finish", after.status, error);
  expect ("cgw_profile_error", cgw_profile_error (o->p, NULL), error);
  close_one (&untouched);
  free (before.at);
  free (after.at);
}

static void
try (const struct plain_shape *shape, bool is_filled, const uint8_t *bytes,
     size_t n)
{
  struct plain_pack pack;
  enum cgw_status expected = plain_read (&pack, shape, bytes, n), status;
  struct one o;

  open_one (&o, shape);
  if (is_filled)
    fill (&o);
  errno = MARKER;
  status = cgw_profile_unpack (o.p, bytes, n);
  if (errno != MARKER)
    fuzz_fail ("cgw_profile_unpack changed errno");
  /* A record takes five bytes or more, a name three.  */
  if (o.heap.bytes > 100000 + 200 * n)
    fuzz_fail ("%zu bytes are in use for %zu packed ones", o.heap.bytes, n);
  expect ("cgw_profile_unpack", status, expected);
  if (expected == CGW_OK)
    check_added (&o, shape, is_filled, &pack);
  else
    check_refused (&o, shape, is_filled, status);
  close_one (&o);
  plain_free (&pack);
}

/* The profile of a byte.  */
static struct plain_shape
choose (unsigned byte)
{
  return (struct plain_shape){ .is_signed = { byte & 1, byte & 2 },
                               .positions = 1 + (byte >> 3 & 3) % 3,
                               .n_events = 1 + (byte >> 5 & 1) };
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct fuzz_input in = { data, data + size };
  unsigned byte = fuzz_byte (&in);
  struct plain_shape shape = choose (byte);
  size_t n = fuzz_left (&in);
  uint8_t *bytes;

  if (shape.n_events == 1)
    shape.is_signed[1] = false;
  if ((byte & 64) == 0)
    {
      try (&shape, byte & 128, in.at, n);
      return 0;
    }
  if ((bytes = malloc (n + 12)) == NULL)
    fuzz_fail ("no memory for the bytes");
  memcpy (bytes, "cgwpack\3", 8);
  if (n > 0)
    memcpy (bytes + 8, in.at, n);
  for (int i = 0; i < 4; i++)
    bytes[n + 8 + i] = (uint8_t) (plain_checksum (bytes, n + 8) >> 8 * i);
  try (&shape, byte & 128, bytes, n + 12);
  free (bytes);
  return 0;
}
