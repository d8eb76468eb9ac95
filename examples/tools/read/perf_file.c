/* perf_file.c - the records of a perf.data file.

   A file has a header with the places of its sections: attributes of the
   events, records, and, behind them, what else is known.  A pipe has a short
   header, and records for all of that.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_file.h"

#include "../base/memory.h"
#include "perf_zstd.h"

#include <stdlib.h>
#include <string.h>

/* The header, by offsets.  Older files end before the sections' bits.  */
enum
{
  HEADER_SIZE = 8,
  HEADER_ATTR_SIZE = 16,
  HEADER_ATTRS = 24,
  HEADER_RECORDS = 40,
  HEADER_OLD_END = 72,
  HEADER_SECTIONS = 72,
  HEADER_END = 104
};
enum { PIPE_HEADER = 16, PLACE = 16 };

/* More than any machine's file has.  */
enum { MOST_IDS = 1 << 22, MOST_SECTION = 1 << 26 };

struct place
{
  uint64_t offset;
  uint64_t size;
};

static struct place
place_at (const unsigned char *bytes)
{
  return (struct place){ perf_u64 (bytes),
                         perf_u64 (bytes + sizeof (uint64_t)) };
}

/* Magic numbers are those of a little-endian machine; the older one was
   written as text.  */
bool
perf_is_file (const unsigned char *bytes, size_t n)
{
  return n >= 8
         && (memcmp (bytes, "PERFILE2", 8) == 0
             || memcmp (bytes, "2ELIFREP", 8) == 0
             || memcmp (bytes, "PERFFILE", 8) == 0);
}

static bool
has_our_order (const unsigned char *bytes)
{
  static const uint64_t magic = UINT64_C (0x32454c4946524550);

  return memcmp (bytes, &magic, sizeof magic) == 0
         || memcmp (bytes, "PERFFILE", 8) == 0;
}

/* Attributes.  */

/* Each has the place of its ids behind it.  */
static bool
read_ids (struct perf_file *f, struct place ids)
{
  unsigned char bytes[512 * sizeof (uint64_t)];
  uint64_t n = ids.size / sizeof (uint64_t);

  if (n > MOST_IDS - f->n_ids)
    return input_refuse (f->in, ids.offset, "there are too many ids");
  f->n_ids += (uint32_t) n;
  for (size_t part; n > 0; n -= part)
    {
      part = n < 512 ? (size_t) n : 512;
      if (!input_read_at (f->in, ids.offset, bytes,
                          part * sizeof (uint64_t)))
        return false;
      for (size_t i = 0; i < part; i++)
        perf_attrs_add_id (&f->about.attrs,
                           perf_u64 (bytes + i * sizeof (uint64_t)));
      ids.offset += part * sizeof (uint64_t);
    }
  return true;
}

static bool
read_attrs (struct perf_file *f, struct place attrs, uint64_t size)
{
  unsigned char bytes[4096];
  const char *reason;

  if (size < PERF_ATTR_SIZE_VER0 + PLACE || size > sizeof bytes)
    return input_refuse (f->in, HEADER_ATTR_SIZE,
                         "the size of the attributes is wrong");
  for (; attrs.size >= size; attrs.size -= size)
    {
      if (!input_read_at (f->in, attrs.offset, bytes, size))
        return false;
      reason = perf_attrs_add (&f->about.attrs, bytes, size - PLACE);
      if (reason != NULL)
        return input_refuse (f->in, attrs.offset, reason);
      if (!read_ids (f, place_at (bytes + size - PLACE)))
        return false;
      attrs.offset += size;
    }
  return f->about.attrs.n != 0
         || input_refuse (f->in, HEADER_ATTRS, "it has no events");
}

/* Sections.  */

static bool
read_section (struct perf_file *f, uint64_t section, struct place at)
{
  unsigned char *bytes;
  const char *reason = NULL;
  bool ok;

  if (at.size > MOST_SECTION)
    return input_refuse (f->in, at.offset, "the section is too long");
  bytes = resize (NULL, at.size, 1);
  ok = input_read_at (f->in, at.offset, bytes, at.size);
  if (ok)
    reason = perf_about_take (&f->about, section, bytes, at.size);
  free (bytes);
  return reason != NULL ? input_refuse (f->in, at.offset, reason) : ok;
}

/* Their places are behind the records, in the order of their bits.  */
static bool
read_sections (struct perf_file *f, const unsigned char *bits,
               uint64_t offset)
{
  unsigned char place[PLACE];

  for (uint64_t i = 0; i < 4 * sizeof (uint64_t) * 8; i++)
    if ((perf_u64 (bits + i / 64 * 8) >> i % 64 & 1) != 0)
      {
        if (perf_about_wants (i)
            && (!input_read_at (f->in, offset, place, sizeof place)
                || !read_section (f, i, place_at (place))))
          return false;
        offset += sizeof place;
      }
  return true;
}

/* The header.  */

static bool
skip (struct perf_file *f, uint64_t n)
{
  while (n > 0)
    {
      size_t have = input_need (f->in, 1);

      if (have == 0)
        return input_check (f->in)
               && input_refuse (f->in, f->in->offset,
                                "the file is cut off here");
      if (have > n)
        have = (size_t) n;
      input_take (f->in, have);
      n -= have;
    }
  return true;
}

/* If perf was killed, it did not come to write how long the records are, and
   what is behind them.  */
static bool
read_header (struct perf_file *f, const unsigned char *header, uint64_t size)
{
  struct place records = place_at (header + HEADER_RECORDS);

  f->end = records.offset + records.size;
  f->is_open_ended = records.size == 0;
  if (records.offset < size || f->end < records.offset)
    return input_refuse (f->in, HEADER_RECORDS,
                         "the place of the records is wrong");
  if (!input_make_file (f->in)
      || !read_attrs (f, place_at (header + HEADER_ATTRS),
                      perf_u64 (header + HEADER_ATTR_SIZE)))
    return false;
  if (f->is_open_ended)
    f->end = UINT64_MAX;
  else if (size >= HEADER_END
           && !read_sections (f, header + HEADER_SECTIONS, f->end))
    return false;
  return skip (f, records.offset);
}

bool
perf_file_begin (struct perf_file *f, struct input *in)
{
  unsigned char header[HEADER_END] = { 0 };
  size_t n = input_need (in, sizeof header);
  uint64_t size;

  *f = (struct perf_file){ .in = in, .end = UINT64_MAX };
  perf_about_begin (&f->about);
  if (n < PIPE_HEADER)
    return input_check (in)
           && input_refuse (in, n, "the file is cut off here");
  memcpy (header, input_bytes (in), n < sizeof header ? n : sizeof header);
  if (!has_our_order (header))
    return input_refuse (in, 0,
                         "it was recorded on a machine with the other byte "
                         "order, or is no perf.data");
  size = perf_u64 (header + HEADER_SIZE);
  if (size == PIPE_HEADER)
    {
      input_take (in, PIPE_HEADER);
      return true;
    }
  if (size < HEADER_OLD_END || size > 4096)
    return input_refuse (in, HEADER_SIZE,
                         "the size of the header is wrong");
  if (n < HEADER_END)
    return input_check (in)
           && input_refuse (in, n, "the file is cut off here");
  return read_header (f, header, size);
}

/* Records.  */

static enum perf_next
refuse (const struct perf_file *f, uint64_t offset, const char *reason)
{
  input_refuse (f->in, offset, reason);
  return PERF_FAILED;
}

/* The input ended.  */
static enum perf_next
end_of_input (const struct perf_file *f, bool is_between_records)
{
  if (!input_check (f->in))
    return PERF_FAILED;
  if (is_between_records ? f->end == UINT64_MAX : f->is_open_ended)
    return PERF_END;
  return refuse (f, f->in->offset, "the file is cut off here");
}

/* The next record as it is in the input.  */
static enum perf_next
read_record (struct perf_file *f, struct perf_record *r)
{
  struct input *in = f->in;
  size_t n;

  input_take (in, f->taken);
  f->taken = 0;
  if (in->offset == f->end)
    return PERF_END;
  n = input_need (in, PERF_HEADER);
  if (n < PERF_HEADER)
    return end_of_input (f, n == 0);
  *r = perf_header (input_bytes (in), in->offset);
  if (r->size < PERF_HEADER || r->size > f->end - in->offset)
    return f->is_open_ended && r->type == 0 && r->size == 0
               ? PERF_END
               : refuse (f, in->offset, "the size of the record is wrong");
  if (input_need (in, r->size) < r->size)
    return end_of_input (f, false);
  r->bytes = input_bytes (in);
  f->taken = r->size;
  return PERF_NEXT;
}

/* Whether data follow a record that are no records.  */
static bool
is_followed (const struct perf_record *r)
{
  return r->type == PERF_OWN_AUXTRACE || r->type == PERF_OWN_TRACING_DATA;
}

static bool
skip_data (struct perf_file *f, const struct perf_record *r)
{
  uint64_t n = 0;

  if (r->type == PERF_OWN_AUXTRACE && r->size >= PERF_HEADER + 8)
    n = perf_u64 (r->bytes + PERF_HEADER);
  if (r->type == PERF_OWN_TRACING_DATA && r->size >= PERF_HEADER + 4)
    n = perf_u32 (r->bytes + PERF_HEADER);
  input_take (f->in, f->taken);
  f->taken = 0;
  return skip (f, n);
}

/* Begins with the records that one has compressed.  The second kind says how
   many of its bytes are data.  */
static bool
begin_compressed (struct perf_file *f, const struct perf_record *r)
{
  size_t at = PERF_HEADER, n = r->size - PERF_HEADER;

  if (f->zstd == NULL)
    f->zstd = perf_zstd_new ();
  if (f->zstd == NULL)
    return input_refuse (f->in, r->offset,
                         "its records are compressed, and this program was "
                         "built without zstd");
  if (r->type == PERF_OWN_COMPRESSED_2)
    {
      at += sizeof (uint64_t);
      if (r->size < at || perf_u64 (r->bytes + PERF_HEADER) > r->size - at)
        return input_refuse (f->in, r->offset,
                             "the size of the compressed data is wrong");
      n = (size_t) perf_u64 (r->bytes + PERF_HEADER);
    }
  perf_zstd_add (f->zstd, r->bytes + at, n);
  return true;
}

static bool
is_compressed (const struct perf_record *r)
{
  return r->type == PERF_OWN_COMPRESSED || r->type == PERF_OWN_COMPRESSED_2;
}

/* The next record of those that the last one had compressed; PERF_END: it has
   no more.  */
static enum perf_next
next_compressed (struct perf_file *f, struct perf_record *r)
{
  const char *reason = NULL;
  uint64_t offset = f->in->offset;

  if (f->zstd == NULL)
    return PERF_END;
  if (!perf_zstd_next (f->zstd, r, &reason))
    return reason != NULL ? refuse (f, offset, reason) : PERF_END;
  r->offset = offset;
  if (is_compressed (r) || is_followed (r))
    return refuse (f, offset, "a compressed record is of a wrong kind");
  return PERF_NEXT;
}

enum perf_next
perf_file_next (struct perf_file *f, struct perf_record *r)
{
  const char *reason;

  for (;;)
    {
      enum perf_next next = next_compressed (f, r);

      if (next == PERF_END)
        next = read_record (f, r);
      if (next == PERF_END && f->zstd != NULL && !f->is_open_ended
          && !perf_zstd_is_done (f->zstd))
        return refuse (f, f->in->offset, "the compressed data are cut off");
      if (next != PERF_NEXT)
        return next;
      reason = NULL;
      if (is_compressed (r) ? !begin_compressed (f, r)
                            : is_followed (r) && !skip_data (f, r))
        return PERF_FAILED;
      if (!is_compressed (r) && !is_followed (r)
          && !perf_about_record (&f->about, r, &reason))
        return PERF_NEXT;
      if (reason != NULL)
        return refuse (f, r->offset, reason);
    }
}

void
perf_file_end (struct perf_file *f)
{
  perf_zstd_free (f->zstd);
  perf_about_free (&f->about);
}
