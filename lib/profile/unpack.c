/* unpack.c - aggregation: add a packed profile, whose bytes may be hostile.

   The bytes are read twice.  The first time nothing is kept: only what is
   right as a whole is added.  Each record and each name takes bytes, so memory
   is bounded by their number.

   SPDX-License-Identifier: MIT  */

#include "merge.h"
#include "name.h"
#include "packed.h"
#include "sums.h"

#include <string.h>

struct unpacker
{
  const unsigned char *start;
  const unsigned char *at;
  const unsigned char *item;  /* the number or text that was read last */
  const unsigned char *end;   /* of the records */
  const char *wrong;          /* what, or NULL */
  const unsigned char *where; /* that is */
  size_t n_events;
  bool takes_zero_calls; /* as the profile does */
  uint32_t n_names[CGWI_NAME_TABLES];
  uint64_t instr; /* of the record before */
  uint32_t line;
  uint64_t totals[CGW_EVENTS_MAX];
  /* The second time: */
  struct cgw_profile *p;      /* NULL the first time */
  enum cgw_status status;
  /* By table and reference: the index in the writer.  */
  uint32_t *names[CGWI_NAME_TABLES];
  char *text;                 /* room for the longest name */
};

/* A record.  */
struct record
{
  struct cgwi_spot key;
  uint64_t count;
  uint64_t to_instr;
  uint32_t to_line;
  uint64_t costs[CGW_EVENTS_MAX];
};

static void
refuse (struct unpacker *k, const char *wrong)
{
  if (k->wrong == NULL)
    {
      k->wrong = wrong;
      k->where = k->item;
    }
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
          refuse (k, "the bytes end too early");
          return 0;
        }
      bits = *k->at & 127;
      if (bits << shift >> shift != bits)
        break;
      value |= bits << shift;
      if (*k->at++ < 128)
        return value;
    }
  refuse (k, "a number is too large");
  return 0;
}

static uint64_t
get_number_below (struct unpacker *k, uint64_t limit, const char *wrong)
{
  uint64_t value = get_number (k);

  if (value < limit)
    return value;
  refuse (k, wrong);
  return 0;
}

static uint64_t
get_difference (struct unpacker *k, uint64_t before)
{
  uint64_t d = get_number (k);

  return before + (d & 1 ? ~(d >> 1) : d >> 1);
}

/* Read a text.  The first time, only check it.  */
static void
get_text (struct unpacker *k)
{
  size_t n = (size_t) get_number_below (k, CGW_NAME_MAX + 1,
                                        "a name is too long");

  if (k->wrong != NULL)
    return;
  k->item = k->at;
  if (n == 0 || n > (size_t) (k->end - k->at) || memchr (k->at, 0, n) != NULL)
    {
      refuse (k, "a name is empty, has a NUL, or ends too early");
      return;
    }
  if (k->p != NULL)
    {
      memcpy (k->text, k->at, n);
      k->text[n] = '\0';
    }
  k->at += n;
}

/* Return the index of a name that was read, or add the new one in k->text.  */
static uint32_t
name_of (struct unpacker *k, int table, uint32_t number, bool is_new,
         uint32_t file, uint32_t object)
{
  if (is_new && k->status == CGW_OK)
    k->status = cgwi_enter_name (k->p->w, table, k->text, file, object,
                                 &k->names[table][number]);
  return k->status == CGW_OK ? k->names[table][number] : 0;
}

/* Read a reference.  *is_new: the name follows.  */
static uint32_t
get_reference (struct unpacker *k, int table, uint64_t number, bool *is_new)
{
  *is_new = number == k->n_names[table];
  if (number > k->n_names[table] || number >= INT32_MAX)
    refuse (k, "a reference to a name that did not come before");
  if (k->wrong != NULL)
    {
      *is_new = false;
      return 0;
    }
  k->n_names[table] += *is_new;
  return (uint32_t) number;
}

static uint32_t
get_plain_name (struct unpacker *k, int table, uint64_t number)
{
  bool is_new;
  uint32_t reference = get_reference (k, table, number, &is_new);

  if (is_new)
    get_text (k);
  return k->p != NULL && k->wrong == NULL
             ? name_of (k, table, reference, is_new, 0, 0)
             : 0;
}

static uint32_t
get_fn (struct unpacker *k)
{
  uint32_t file = 0, object = 0;
  bool is_new;
  uint32_t reference = get_reference (k, CGWI_FNS, get_number (k), &is_new);

  if (is_new)
    {
      file = get_plain_name (k, CGWI_FILES, get_number (k));
      object = get_plain_name (k, CGWI_OBJECTS, get_number (k));
      get_text (k);
    }
  return k->p != NULL && k->wrong == NULL
             ? name_of (k, CGWI_FNS, reference, is_new, file, object)
             : 0;
}

static void
get_position (struct unpacker *k, struct cgwi_spot *key)
{
  uint64_t line, source;

  key->fn = get_fn (k);
  source = get_number (k);
  key->source = source != 0
                    ? get_plain_name (k, CGWI_FILES, source - 1) + 1
                    : 0;
  key->instr = k->instr = get_difference (k, k->instr);
  line = get_difference (k, k->line);
  if (line > UINT32_MAX)
    refuse (k, "a line number is out of range");
  key->line = k->line = (uint32_t) line;
  key->callee = CGWI_NONE;
}

static void
get_costs (struct unpacker *k, struct record *r, bool is_self)
{
  for (size_t i = 0; i < k->n_events; i++)
    {
      r->costs[i] = get_number (k);
      if (is_self
          && __builtin_add_overflow (k->totals[i], r->costs[i], &k->totals[i]))
        refuse (k, "a sum of self costs passes 2^64-1");
    }
}

/* Read a record.  False: it was the last one, or wrong.  */
static bool
get_record (struct unpacker *k, struct record *r)
{
  uint64_t tag = get_number_below (k, CGWI_PACK_CALL + 1, "an unknown record");

  if (k->wrong != NULL || tag == CGWI_PACK_END)
    return false;
  get_position (k, &r->key);
  r->count = 0;
  if (tag == CGWI_PACK_CALL)
    {
      r->key.callee = get_fn (k);
      r->count = get_number (k);
      r->to_instr = get_number (k);
      r->to_line = (uint32_t) get_number_below (
          k, UINT64_C (1) << 32, "a line number is out of range");
      if (r->count == 0 && !k->takes_zero_calls)
        refuse (k, "a number of calls is 0");
    }
  get_costs (k, r, tag == CGWI_PACK_SELF);
  return k->wrong == NULL;
}

/* Check the frame of the bytes, and find the end of the records.  */
static void
begin (struct unpacker *k, const unsigned char *bytes, size_t n)
{
  const unsigned char *sum;
  uint32_t expected = 0;

  *k = (struct unpacker){ .start = bytes, .at = bytes, .item = bytes,
                          .end = bytes };
  if (n < CGWI_PACK_MAGIC_SIZE + CGWI_PACK_CHECKSUM_SIZE
      || memcmp (bytes, CGWI_PACK_MAGIC, CGWI_PACK_MAGIC_SIZE - 1) != 0)
    {
      refuse (k, "they are no packed profile");
      return;
    }
  if (bytes[CGWI_PACK_MAGIC_SIZE - 1] != 1)
    {
      refuse (k, "they come from another version of libcgw");
      return;
    }
  sum = bytes + n - CGWI_PACK_CHECKSUM_SIZE;
  for (int i = CGWI_PACK_CHECKSUM_SIZE; i-- > 0;)
    expected = expected << 8 | sum[i];
  if (cgwi_pack_sum (CGWI_PACK_SUM_START, bytes, (size_t) (sum - bytes))
      != expected)
    refuse (k, "they were changed or cut: the checksum is wrong");
  k->at += CGWI_PACK_MAGIC_SIZE;
  k->end = sum;
}

/* Check that the records are for parts like those of the profile.
   CGW_EINVAL, CGW_EPACK.  */
static enum cgw_status
check_shape (struct unpacker *k, const struct cgw_profile *p)
{
  uint64_t n_events = get_number (k);
  uint64_t positions = get_number (k);

  k->n_events = p->n_events;
  if (k->wrong != NULL)
    return CGW_EPACK;
  if (n_events != p->n_events)
    refuse (k, "the profile has another number of events");
  else if (positions != p->positions)
    refuse (k, "the profile has other positions");
  return k->wrong == NULL ? CGW_OK : CGW_EINVAL;
}

/* Read all bytes, without keeping anything but what is wrong.  */
static void
check_records (struct unpacker *k)
{
  struct record r;

  while (get_record (k, &r))
    continue;
  k->item = k->at;
  if (k->at != k->end)
    refuse (k, "there are bytes behind the last record");
}

static enum cgw_status
add_self (struct unpacker *k, const struct record *r)
{
  struct cgw_profile *p = k->p;
  uint32_t index = cgwi_spots_add (&p->self, &p->w->memory, &r->key);

  if (index == CGWI_TABLE_NONE)
    return CGW_ENOMEM;
  cgwi_add_costs (cgwi_table_costs (&p->self, index), r->costs, k->n_events);
  cgwi_add_costs (p->totals, r->costs, k->n_events);
  return CGW_OK;
}

static enum cgw_status
add_edge (struct unpacker *k, const struct record *r)
{
  const struct cgwi_spot to = { .line = r->to_line, .instr = r->to_instr };

  return cgwi_profile_add_call (k->p, &r->key, &to, r->count, r->costs,
                                k->n_events);
}

static void
add_records (struct unpacker *k)
{
  struct record r;

  while (k->status == CGW_OK && get_record (k, &r))
    if (k->status == CGW_OK)
      k->status = r.key.callee == CGWI_NONE ? add_self (k, &r)
                                            : add_edge (k, &r);
}

/* Read the records again, which are right, into a profile of its own.  `first`
   read them the first time.  */
static enum cgw_status
read_into (struct cgw_profile *p, const struct unpacker *first,
           const unsigned char *records)
{
  const struct cgwi_memory *m = &p->w->memory;
  struct unpacker k = { .at = records, .end = first->end, .p = p,
                        .n_events = p->n_events,
                        .takes_zero_calls = first->takes_zero_calls };
  bool has_room = true;

  k.text = cgwi_resize (m, NULL, CGW_NAME_MAX + 1);
  for (int i = 0; i < CGWI_NAME_TABLES; i++)
    {
      k.names[i] = cgwi_resize (m, NULL, (first->n_names[i] + (size_t) 1)
                                             * sizeof *k.names[i]);
      has_room &= k.names[i] != NULL;
    }
  if (has_room && k.text != NULL)
    add_records (&k);
  else
    k.status = CGW_ENOMEM;
  for (int i = 0; i < CGWI_NAME_TABLES; i++)
    cgwi_release (m, k.names[i]);
  cgwi_release (m, k.text);
  return k.status;
}

/* Add records that are right, all or none.  */
static enum cgw_status
add (struct cgw_profile *p, const struct unpacker *first,
     const unsigned char *records)
{
  struct cgw_profile *own;
  enum cgw_status status
      = cgwi_profile_make (&own, p->w, p->n_events, p->positions);

  if (status != CGW_OK)
    return status;
  if ((status = read_into (own, first, records)) == CGW_OK)
    status = cgwi_merge (p, own);
  cgw_profile_free (own);
  return status;
}

/* Say what is wrong, if the writer can be entered.  */
static enum cgw_status
explain (struct cgw_profile *p, const struct unpacker *k,
         enum cgw_status status)
{
  struct cgwi_sentence why = { "" };

  cgwi_say (&why, "cgw_profile_unpack: byte %U: %s",
            (uint64_t) (k->where - k->start), k->wrong);
  return cgwi_explain_call (p->w, status, &why);
}

/* Unpack, inside.  */
static enum cgw_status
unpack (struct cgw_profile *p, struct unpacker *k, const void *bytes, size_t n)
{
  const unsigned char *records;
  enum cgw_status status;

  begin (k, bytes, n);
  if (k->wrong != NULL)
    return CGW_EPACK;
  if ((status = check_shape (k, p)) != CGW_OK)
    return status;
  k->takes_zero_calls = cgwi_profile_takes_count (p, 0);
  records = k->at;
  check_records (k);
  return k->wrong == NULL ? add (p, k, records) : CGW_EPACK;
}

enum cgw_status
cgw_profile_unpack (struct cgw_profile *p, const void *bytes, size_t n)
{
  struct unpacker k;
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  cgwi_errors_silence (&p->w->core.errors);
  if (bytes == NULL && n != 0)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return cgwi_profile_busy (p);
  status = unpack (p, &k, bytes, n);
  if (status == CGW_EPACK)
    cgwi_profile_leave (p);
  else
    cgwi_profile_end (p, status, CGWI_WHY_NO_REASON);
  return k.wrong == NULL ? status : explain (p, &k, status);
}
