/* pack.c - aggregation: turn a profile into bytes.

   SPDX-License-Identifier: MIT  */

#include "name.h"
#include "packed.h"
#include "sorted.h"

#include <errno.h>
#include <string.h>

struct packer
{
  struct cgw_profile *p;
  ssize_t (*write) (void *context, const void *bytes, size_t n);
  void *context;
  enum cgw_status status; /* the first error */
  uint32_t sum;
  /* By table and index of a name: its reference, or CGWI_NONE.  */
  uint32_t *numbers[CGWI_NAME_TABLES];
  uint32_t n_names[CGWI_NAME_TABLES]; /* that have one */
  struct cgwi_name_copy copy;
  uint64_t instr; /* of the record before */
  uint32_t line;
  size_t used;
  unsigned char bytes[4096];
};

static void
fail (struct packer *k, enum cgw_status status)
{
  if (k->status == CGW_OK)
    k->status = status;
}

/* Pass the bytes on.  The hook may take less than all.  */
static void
flush (struct packer *k)
{
  const unsigned char *from = k->bytes;

  while (k->status == CGW_OK && k->used > 0)
    {
      ssize_t n = k->write (k->context, from, k->used);

      if (n > 0 && (size_t) n <= k->used)
        {
          from += n;
          k->used -= (size_t) n;
        }
      else if (n >= 0 || errno != EINTR)
        fail (k, CGW_EIO);
    }
  k->used = 0;
}

static void
put_bytes (struct packer *k, const void *bytes, size_t n)
{
  const unsigned char *from = bytes;

  k->sum = cgwi_pack_sum (k->sum, from, n);
  while (n > 0)
    {
      size_t room = sizeof k->bytes - k->used;
      size_t some = n < room ? n : room;

      memcpy (k->bytes + k->used, from, some);
      k->used += some;
      from += some;
      n -= some;
      if (k->used == sizeof k->bytes)
        flush (k);
    }
}

static void
put_number (struct packer *k, uint64_t value)
{
  unsigned char bytes[10];
  size_t n = 0;

  for (; value >= 128; value >>= 7)
    bytes[n++] = (unsigned char) (value | 128);
  bytes[n++] = (unsigned char) value;
  put_bytes (k, bytes, n);
}

static void
put_difference (struct packer *k, uint64_t value, uint64_t before)
{
  uint64_t d = value - before;

  put_number (k, d >> 63 != 0 ? ~d << 1 | 1 : d << 1);
}

/* Copy a name.  False: see k->status.  */
static bool
copy_name (struct packer *k, int table, uint32_t index)
{
  fail (k, cgwi_copy_name (&k->copy, k->p->w, table, index));
  return k->status == CGW_OK;
}

/* Write a reference to a name, plus `more`.  True: it is new, and follows.  */
static bool
put_reference (struct packer *k, int table, uint32_t index, uint64_t more)
{
  bool is_new = k->numbers[table][index] == CGWI_NONE;

  if (is_new)
    k->numbers[table][index] = k->n_names[table]++;
  put_number (k, k->numbers[table][index] + more);
  return is_new;
}

static void
put_text (struct packer *k, int table, uint32_t index)
{
  if (!copy_name (k, table, index))
    return;
  put_number (k, k->copy.length);
  put_bytes (k, k->copy.text, k->copy.length);
}

static void
put_plain_name (struct packer *k, int table, uint32_t index, uint64_t more)
{
  if (put_reference (k, table, index, more))
    put_text (k, table, index);
}

static void
put_fn (struct packer *k, uint32_t index)
{
  uint32_t file, object;

  if (!put_reference (k, CGWI_FNS, index, 0))
    return;
  if (!copy_name (k, CGWI_FNS, index))
    return;
  file = k->copy.name.file;
  object = k->copy.name.object;
  put_plain_name (k, CGWI_FILES, file, 0);
  put_plain_name (k, CGWI_OBJECTS, object, 0);
  put_text (k, CGWI_FNS, index);
}

static void
put_position (struct packer *k, const struct cgwi_spot *at)
{
  put_fn (k, at->fn);
  if (at->source == 0)
    put_number (k, 0);
  else
    put_plain_name (k, CGWI_FILES, at->source - 1, 1);
  put_difference (k, at->instr, k->instr);
  put_difference (k, at->line, k->line);
  k->instr = at->instr;
  k->line = at->line;
}

static void
put_sum (struct packer *k, const struct cgwi_sum *sum)
{
  put_number (k, sum->is_edge ? CGWI_PACK_CALL : CGWI_PACK_SELF);
  put_position (k, &sum->at.key);
  if (sum->is_edge)
    {
      put_fn (k, sum->at.key.callee);
      put_number (k, sum->at.count);
      put_number (k, sum->at.to_instr);
      put_number (k, sum->at.to_line);
    }
  for (size_t i = 0; i < k->p->n_events; i++)
    put_number (k, sum->costs[i]);
}

static void
put_all (struct packer *k, struct cgwi_sorted *s)
{
  unsigned char sum[CGWI_PACK_CHECKSUM_SIZE];
  struct cgwi_sum next;

  put_bytes (k, CGWI_PACK_MAGIC, CGWI_PACK_MAGIC_SIZE);
  put_number (k, k->p->n_events);
  put_number (k, k->p->positions);
  while (k->status == CGW_OK && cgwi_sorted_next (k->p, s, &next))
    put_sum (k, &next);
  put_number (k, CGWI_PACK_END);
  for (size_t i = 0; i < sizeof sum; i++)
    sum[i] = (unsigned char) (k->sum >> 8 * i);
  put_bytes (k, sum, sizeof sum);
  flush (k);
}

/* Make room for the numbers of all names.  */
static bool
make_numbers (struct packer *k)
{
  for (int i = 0; i < CGWI_NAME_TABLES; i++)
    if ((k->numbers[i] = cgwi_number_names (k->p->w, i, &k->p->w->memory))
        == NULL)
      return false;
  return true;
}

/* Pack a profile, inside.  */
static enum cgw_status
pack (struct packer *k)
{
  const struct cgwi_memory *m = &k->p->w->memory;
  struct cgwi_sorted s;
  enum cgw_status status = cgwi_enter (k->p->w);
  bool has_room;

  if (status != CGW_OK)
    return status;
  has_room = make_numbers (k);
  cgwi_leave (k->p->w);
  k->copy.m = m;
  status = has_room ? cgwi_sort_profile (k->p, &s) : CGW_ENOMEM;
  if (status == CGW_OK)
    {
      put_all (k, &s);
      status = k->status;
      cgwi_free_sorted (k->p, &s);
    }
  for (int i = 0; i < CGWI_NAME_TABLES; i++)
    cgwi_release (m, k->numbers[i]);
  cgwi_free_name_copy (&k->copy);
  return status;
}

enum cgw_status
cgw_profile_pack (struct cgw_profile *p,
                  ssize_t (*write) (void *context, const void *bytes,
                                    size_t n),
                  void *context)
{
  struct packer k = { .p = p, .write = write, .context = context,
                      .sum = CGWI_PACK_SUM_START };
  int kept = errno; /* which the hook may change */
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  cgwi_errors_silence (&p->w->core.errors);
  if (write == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return CGW_EBUSY;
  cgwi_profile_sync (p);
  status = pack (&k);
  cgwi_profile_leave (p);
  errno = kept;
  return status;
}
