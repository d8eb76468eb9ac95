/* plain_pack.c - read a packed profile the plain way.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "plain_pack.h"

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "cgwpack\3"
#define MAGIC_SIZE 8
#define CHECKSUM_SIZE 4

struct reader
{
  struct plain_pack *pack;
  const struct plain_shape *shape;
  const uint8_t *at;
  const uint8_t *end;
  enum cgw_status status; /* what was wrong first */
};

static void
refuse (struct reader *r, enum cgw_status status)
{
  if (r->status == CGW_OK)
    r->status = status;
}

uint32_t
plain_checksum (const uint8_t *bytes, size_t n)
{
  uint32_t sum = 2166136261u;

  for (size_t i = 0; i < n; i++)
    sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

/* A number of at most ten bytes, of which the tenth has one bit.  */
static uint64_t
number (struct reader *r)
{
  uint64_t value = 0;

  for (int i = 0; i < 10; i++)
    {
      uint8_t byte;

      if (r->status != CGW_OK || r->at == r->end)
        break;
      byte = *r->at++;
      if (i == 9 && byte > 1)
        break;
      value += (uint64_t) (byte & 127) << 7 * i;
      if (byte < 128)
        return value;
    }
  refuse (r, CGW_EPACK);
  return 0;
}

static uint64_t
number_up_to (struct reader *r, uint64_t most)
{
  uint64_t value = number (r);

  if (value <= most)
    return value;
  refuse (r, CGW_EPACK);
  return 0;
}

/* 2 d, or -2 d - 1 where d is negative.  */
static uint64_t
difference (struct reader *r)
{
  uint64_t value = number (r);

  return value % 2 == 0 ? value / 2 : 0 - value / 2 - 1;
}

/* Make room for one more element.  */
static void *
grow (void *array, size_t n, size_t size)
{
  if ((n & (n - 1)) == 0
      && (array = realloc (array, (n == 0 ? 1 : 2 * n) * size)) == NULL)
    fuzz_fail ("no memory for the model");
  return array;
}

static void
text (struct reader *r, struct plain_name *name)
{
  uint64_t n = number_up_to (r, CGW_NAME_MAX);

  if (r->status == CGW_OK
      && (n == 0 || n > (size_t) (r->end - r->at)
          || memchr (r->at, 0, n) != NULL))
    refuse (r, CGW_EPACK);
  if (r->status != CGW_OK)
    return;
  name->text = r->at;
  name->n = (size_t) n;
  r->at += n;
}

/* A reference, with a new name behind it.  */
static size_t
name (struct reader *r, enum plain_kind kind, uint64_t reference)
{
  struct plain_pack *pack = r->pack;
  struct plain_name new = { NULL, 0, 0, 0 };

  if (r->status == CGW_OK && reference > pack->n_names[kind])
    refuse (r, CGW_EPACK);
  if (r->status != CGW_OK || reference < pack->n_names[kind])
    return (size_t) reference;
  if (kind == PLAIN_FN)
    {
      new.file = name (r, PLAIN_FILE, number (r));
      new.object = name (r, PLAIN_OBJECT, number (r));
    }
  text (r, &new);
  pack->names[kind] = grow (pack->names[kind], pack->n_names[kind],
                            sizeof new);
  pack->names[kind][pack->n_names[kind]++] = new;
  return (size_t) reference;
}

static size_t
fn (struct reader *r)
{
  return name (r, PLAIN_FN, number (r));
}

static void
position (struct reader *r, const struct plain_record *before,
          struct plain_record *record)
{
  uint64_t source, line;

  record->fn = fn (r);
  source = number (r);
  record->source
      = source != 0 ? name (r, PLAIN_FILE, source - 1) : PLAIN_NONE;
  record->instr = before->instr + difference (r);
  line = before->line + difference (r);
  if (line > UINT32_MAX)
    refuse (r, CGW_EPACK);
  record->line = (uint32_t) line;
}

/* Read a record.  False: there is none.  */
static bool
read_record (struct reader *r, const struct plain_record *before,
             struct plain_record *record)
{
  uint64_t tag = number_up_to (r, 2);

  if (tag == 0)
    return false;
  *record = (struct plain_record){ .callee = PLAIN_NONE };
  position (r, before, record);
  if (tag == 2)
    {
      record->callee = fn (r);
      record->count = number (r);
      record->to_instr = number (r);
      record->to_line = (uint32_t) number_up_to (r, UINT32_MAX);
    }
  for (size_t i = 0; i < r->shape->n_events; i++)
    record->costs[i] = r->shape->is_signed[i] ? difference (r) : number (r);
  return r->status == CGW_OK;
}

static void
read_records (struct reader *r)
{
  struct plain_record before = { 0 }, record;
  struct plain_pack *pack = r->pack;

  while (r->status == CGW_OK && read_record (r, &before, &record))
    {
      pack->records = grow (pack->records, pack->n_records, sizeof record);
      pack->records[pack->n_records++] = before = record;
    }
  if (r->at != r->end)
    refuse (r, CGW_EPACK);
}

static void
read_shape (struct reader *r)
{
  uint64_t n_events = number (r);
  uint64_t positions = number (r);

  r->pack->error = (enum cgw_status) number_up_to (r, CGW_EPACK);
  if (n_events != r->shape->n_events || positions != r->shape->positions)
    refuse (r, CGW_EINVAL);
  for (size_t i = 0; r->status == CGW_OK && i < r->shape->n_events; i++)
    if (number_up_to (r, 1) != r->shape->is_signed[i])
      refuse (r, CGW_EINVAL);
}

enum cgw_status
plain_read (struct plain_pack *pack, const struct plain_shape *shape,
            const uint8_t *bytes, size_t n)
{
  struct reader r = { .pack = pack, .shape = shape };
  uint32_t sum = 0;

  *pack = (struct plain_pack){ .n_records = 0 };
  if (n < MAGIC_SIZE + CHECKSUM_SIZE || memcmp (bytes, MAGIC, MAGIC_SIZE) != 0)
    return CGW_EPACK;
  r.at = bytes + MAGIC_SIZE;
  r.end = bytes + n - CHECKSUM_SIZE;
  for (int i = 0; i < CHECKSUM_SIZE; i++)
    sum |= (uint32_t) r.end[i] << 8 * i;
  if (sum != plain_checksum (bytes, n - CHECKSUM_SIZE))
    return CGW_EPACK;
  read_shape (&r);
  if (r.status == CGW_OK)
    read_records (&r);
  return r.status;
}

void
plain_free (struct plain_pack *pack)
{
  for (int i = 0; i < PLAIN_KINDS; i++)
    free (pack->names[i]);
  free (pack->records);
}
