/* unpack.c - aggregation: add a packed profile, whose bytes may be hostile.

   The bytes are read twice.  The first time nothing is kept: only what is
   right as a whole is added.  Each record and each name takes bytes, so memory
   is bounded by their number.

   SPDX-License-Identifier: MIT  */

#include "packed.h"
#include "profile.h"

#include <string.h>

struct unpacker
{
  const unsigned char *start;
  const unsigned char *at;
  const unsigned char *item;  /* the number or text that was read last */
  const unsigned char *end;   /* of the records */
  enum cgw_status wrong;      /* why they are refused, or CGW_OK */
  struct cgwi_why why;
  size_t n_events;
  enum cgw_status error; /* of the profile that was packed, or CGW_OK */
  size_t n_names[CGWI_KINDS_OF_NAMES];
  uint64_t instr; /* of the record before */
  uint32_t line;
  const bool *is_signed; /* by event, as in the profile */
  /* The second time: */
  struct cgw_profile *p;      /* NULL the first time */
  enum cgw_status status;
  uint32_t *names[CGWI_KINDS_OF_NAMES]; /* indices, by reference */
};

/* A record.  */
struct record
{
  struct cgw_pos at;
  uint32_t callee; /* a handle, or CGWI_NONE: self costs */
  struct cgwi_edge edge; /* its count and target */
  uint64_t costs[CGW_EVENTS_MAX];
};

/* Keep the first thing that is wrong.  Bytes that are right, but not for this
   profile (CGW_EINVAL), are an error that it keeps; nothing is lost by wrong
   bytes (CGW_EPACK).  */
static void
refuse_bytes (struct unpacker *k, enum cgw_status status,
              enum cgwi_reason reason, enum cgwi_parameter parameter)
{
  if (k->wrong != CGW_OK)
    return;
  k->wrong = status;
  k->why = (struct cgwi_why){ .reason = reason,
                              .parameter = parameter,
                              .a = (uint64_t) (k->item - k->start) };
}

/* What was read last is wrong.  */
static void
refuse_item (struct unpacker *k)
{
  refuse_bytes (k, CGW_EPACK, CGWI_WHY_PACK_DAMAGED, CGWI_ARG_NO_PARAMETER);
}

static uint64_t
get_number (struct unpacker *k)
{
  uint64_t value = 0;

  k->item = k->at;
  for (unsigned shift = 0; shift < 64; shift += 7)
    {
      uint64_t bits;

      if (k->at == k->end)
        {
          refuse_item (k);
          return 0;
        }
      bits = *k->at & 127;
      if (bits << shift >> shift != bits)
        break;
      value |= bits << shift;
      if (*k->at++ < 128)
        return value;
    }
  refuse_item (k);
  return 0;
}

static uint64_t
get_number_below (struct unpacker *k, uint64_t limit)
{
  uint64_t value = get_number (k);

  if (value < limit)
    return value;
  refuse_item (k);
  return 0;
}

static uint64_t
get_difference (struct unpacker *k, uint64_t before)
{
  uint64_t d = get_number (k);

  return before + (d & 1 ? ~(d >> 1) : d >> 1);
}

/* Read a text, and return its length.  */
static size_t
get_text (struct unpacker *k)
{
  size_t n = (size_t) get_number_below (k, CGW_NAME_MAX + 1);

  if (k->wrong != CGW_OK)
    return 0;
  k->item = k->at;
  if (n == 0 || n > (size_t) (k->end - k->at) || memchr (k->at, 0, n) != NULL)
    {
      refuse_item (k);
      return 0;
    }
  k->at += n;
  return n;
}

/* Take a reference to a name, and read a new name.  The second time, return
   its handle, and add a new name.  */
static uint32_t
get_name (struct unpacker *k, enum cgwi_kind_of_name kind, uint64_t number)
{
  uint32_t file = 0, object = 0;
  bool is_new = number == k->n_names[kind];
  size_t n;

  if (number > k->n_names[kind])
    refuse_item (k);
  if (k->wrong != CGW_OK)
    return 0;
  if (is_new)
    {
      k->n_names[kind]++;
      if (kind == CGWI_FNS)
        {
          file = get_name (k, CGWI_FILES, get_number (k));
          object = get_name (k, CGWI_OBJECTS, get_number (k));
        }
      n = get_text (k);
      if (n == 3 && memcmp (k->item, "???", 3) == 0)
        n = 0; /* unknown: as a text, it would make an object of the file */
      if (k->p != NULL && k->status == CGW_OK)
        k->names[kind][number]
            = cgwi_add_name (k->p->names, kind, (const char *) k->item, n,
                             cgwi_index (k->p->names, file),
                             cgwi_index (k->p->names, object), &k->status);
    }
  return k->p != NULL && k->status == CGW_OK
             ? cgwi_handle (k->p->names, k->names[kind][number])
             : 0;
}

static uint32_t
get_fn (struct unpacker *k)
{
  return get_name (k, CGWI_FNS, get_number (k));
}

static void
get_position (struct unpacker *k, struct cgw_pos *at)
{
  uint64_t line, source;

  at->fn.handle = get_fn (k);
  source = get_number (k);
  at->file.handle = source != 0 ? get_name (k, CGWI_FILES, source - 1) : 0;
  at->instr = k->instr = get_difference (k, k->instr);
  line = get_difference (k, k->line);
  if (line > UINT32_MAX)
    refuse_item (k);
  at->line = k->line = (uint32_t) line;
}

/* Read a record.  False: it was the last one, or wrong.  */
static bool
get_record (struct unpacker *k, struct record *r)
{
  uint64_t tag = get_number_below (k, CGWI_PACK_CALL + 1);

  if (k->wrong != CGW_OK || tag == CGWI_PACK_END)
    return false;
  get_position (k, &r->at);
  r->callee = CGWI_NONE;
  if (tag == CGWI_PACK_CALL)
    {
      r->callee = get_fn (k);
      r->edge.count = get_number (k);
      r->edge.to_instr = get_number (k);
      r->edge.to_line
          = (uint32_t) get_number_below (k, UINT64_C (1) << 32);
    }
  for (size_t i = 0; i < k->n_events; i++)
    r->costs[i] = k->is_signed[i] ? get_difference (k, 0) : get_number (k);
  return k->wrong == CGW_OK;
}

/* Check the frame of the bytes, and find the end of the records.  */
static void
read_frame (struct unpacker *k, const unsigned char *bytes, size_t n)
{
  const unsigned char *sum;
  uint32_t expected = 0;

  *k = (struct unpacker){ .start = bytes, .at = bytes, .item = bytes,
                          .end = bytes };
  if (n < CGWI_PACK_MAGIC_SIZE + CGWI_PACK_CHECKSUM_SIZE
      || memcmp (bytes, CGWI_PACK_MAGIC, CGWI_PACK_MAGIC_SIZE - 1) != 0)
    {
      refuse_bytes (k, CGW_EPACK, CGWI_WHY_PACK_NOT, CGWI_ARG_NO_PARAMETER);
      return;
    }
  if (bytes[CGWI_PACK_MAGIC_SIZE - 1]
      != CGWI_PACK_MAGIC[CGWI_PACK_MAGIC_SIZE - 1])
    {
      refuse_bytes (k, CGW_EPACK, CGWI_WHY_PACK_VERSION,
                    CGWI_ARG_NO_PARAMETER);
      return;
    }
  sum = bytes + n - CGWI_PACK_CHECKSUM_SIZE;
  for (int i = CGWI_PACK_CHECKSUM_SIZE; i-- > 0;)
    expected = expected << 8 | sum[i];
  k->item = sum;
  if (cgwi_pack_sum (CGWI_PACK_SUM_START, bytes, (size_t) (sum - bytes))
      != expected)
    refuse_item (k);
  k->at += CGWI_PACK_MAGIC_SIZE;
  k->end = sum;
}

/* Check which events are signed.  */
static void
check_signed (struct unpacker *k)
{
  for (size_t i = 0; i < k->n_events; i++)
    if (get_number_below (k, 2) != k->is_signed[i])
      refuse_bytes (k, CGW_EINVAL, CGWI_WHY_DIFFERENT, CGWI_ARG_THEIR_SIGNED);
}

/* Check that the records are for parts like those of the profile.  */
static void
check_shape (struct unpacker *k, const struct cgw_profile *p)
{
  uint64_t n_events = get_number (k);
  uint64_t positions = get_number (k);

  k->error = (enum cgw_status) get_number_below (k, CGW_EPACK + 1);
  k->n_events = p->n_events;
  k->is_signed = p->is_signed;
  if (n_events != p->n_events)
    refuse_bytes (k, CGW_EINVAL, CGWI_WHY_DIFFERENT, CGWI_ARG_THEIR_EVENTS);
  else if (positions != p->positions)
    refuse_bytes (k, CGW_EINVAL, CGWI_WHY_DIFFERENT, CGWI_ARG_THEIR_POSITIONS);
  else
    check_signed (k);
}

/* Read all records, without keeping anything but what is wrong.  */
static void
check_records (struct unpacker *k)
{
  struct record r;

  while (get_record (k, &r))
    continue;
  k->item = k->at;
  if (k->at != k->end)
    refuse_item (k);
}

static enum cgw_status
add_record (struct cgw_profile *p, struct record *r)
{
  struct cgwi_key key = cgwi_checked_key (p, &r->at);

  if (r->callee == CGWI_NONE)
    return cgwi_add_self (p, &key, r->costs, 0, p->n_events);
  key.callee = cgwi_known_fn (p, r->callee);
  r->edge.to_instr &= p->instr_mask;
  r->edge.to_line &= p->line_mask;
  return cgwi_add_calls (p, &key, &r->edge, r->costs, p->n_events);
}

/* Read the records again, which are right, into a profile of its own.  `first`
   read them the first time.  */
static enum cgw_status
read_into (struct cgw_profile *own, const struct unpacker *first,
           const unsigned char *records)
{
  struct unpacker k = { .at = records, .end = first->end,
                        .n_events = own->n_events,
                        .is_signed = own->is_signed,
                        .p = own };
  struct record r;

  for (int i = 0; i < CGWI_KINDS_OF_NAMES; i++)
    if ((k.names[i] = cgwi_scratch (own, first->n_names[i],
                                   sizeof *k.names[i])) == NULL)
      return CGW_ENOMEM;
  while (k.status == CGW_OK && get_record (&k, &r))
    if (k.status == CGW_OK)
      k.status = add_record (own, &r);
  cgwi_free_scratch (own);
  return k.status;
}

/* Add records that are right, all or none.  */
static enum cgw_status
add_records (struct cgw_profile *p, const struct unpacker *first,
             const unsigned char *records)
{
  struct cgw_profile *own;
  enum cgw_status status = cgwi_profile_make_like (&own, p);

  if (status != CGW_OK)
    return status;
  if ((status = read_into (own, first, records)) == CGW_OK)
    status = cgwi_merge (p, own);
  if (status == CGW_OK && first->error != CGW_OK)
    cgwi_keep_error (&p->refusals, first->error, CGWI_WHY_PACK_INCOMPLETE, 0);
  cgw_profile_free (own);
  return status;
}

/* Unpack, inside.  */
static enum cgw_status
unpack (struct cgw_profile *p, const void *bytes, size_t n)
{
  const unsigned char *records;
  struct unpacker k;

  if (bytes == NULL && n != 0)
    return cgwi_fail_null (p, CGWI_ARG_BYTES);
  read_frame (&k, bytes, n);
  if (k.wrong == CGW_OK)
    check_shape (&k, p);
  records = k.at;
  if (k.wrong == CGW_OK)
    check_records (&k);
  return k.wrong == CGW_OK ? add_records (p, &k, records)
                           : cgwi_fail (p, k.wrong, &k.why);
}

CGWI_COLD enum cgw_status
cgw_profile_unpack (struct cgw_profile *p, const void *bytes, size_t n)
{
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_UNPACK);

  return status == CGW_OK ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_UNPACK,
                                              unpack (p, bytes, n))
                          : status;
}
