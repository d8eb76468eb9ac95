/* pack.c - aggregation: turn a profile into bytes.

   SPDX-License-Identifier: MIT  */

#include "packed.h"
#include "sorted.h"

#include <errno.h>
#include <string.h>

struct packer
{
  struct cgw_profile *p;
  ssize_t (*write) (void *context, const void *bytes, size_t n);
  void *context;
  bool failed;
  int error; /* errno then */
  uint32_t sum;
  struct cgwi_numbers references; /* CGWI_NONE: it has none yet */
  uint32_t n_names[CGWI_KINDS_OF_NAMES]; /* that have one */
  uint64_t instr; /* of the record before */
  uint32_t line;
  size_t used;
  unsigned char bytes[4096];
};

/* Pass the bytes on.  The hook may take less than all, and make calls that are
   cancellation points: the profile is busy meanwhile.  */
static void
flush (struct packer *k)
{
  const unsigned char *from = k->bytes;
  int before = cgwi_disable_cancel ();

  while (!k->failed && k->used > 0)
    {
      ssize_t n = k->write (k->context, from, k->used);

      if (n > 0 && (size_t) n <= k->used)
        {
          from += n;
          k->used -= (size_t) n;
        }
      else if (n >= 0 || errno != EINTR)
        {
          k->failed = true;
          k->error = n < 0 ? errno : 0;
        }
    }
  cgwi_restore_cancel (before);
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

/* Write a reference to a name, plus `more`, and a new name behind it.  */
static void
put_name (struct packer *k, enum cgwi_kind_of_name kind, uint32_t index,
          uint64_t more)
{
  const struct cgwi_name *name = cgwi_name (k->p->names, kind, index);
  uint32_t *reference = &k->references.of[kind][index];
  bool is_new = *reference == CGWI_NONE;

  if (is_new)
    *reference = k->n_names[kind]++;
  put_number (k, *reference + more);
  if (!is_new)
    return;
  if (kind == CGWI_FNS)
    {
      put_name (k, CGWI_FILES, name->file, 0);
      put_name (k, CGWI_OBJECTS, name->object, 0);
    }
  put_number (k, name->length);
  put_bytes (k, name->text, name->length);
}

static void
put_fn (struct packer *k, uint32_t handle)
{
  put_name (k, CGWI_FNS, cgwi_index (k->p->names, handle), 0);
}

static void
put_position (struct packer *k, const struct cgw_pos *at)
{
  put_fn (k, at->fn.handle);
  if (at->file.handle == 0)
    put_number (k, 0);
  else
    put_name (k, CGWI_FILES, cgwi_index (k->p->names, at->file.handle), 1);
  put_difference (k, at->instr, k->instr);
  put_difference (k, at->line, k->line);
  k->instr = at->instr;
  k->line = at->line;
}

static void
put_sum (struct packer *k, const struct cgwi_sum *sum)
{
  if (cgwi_is_zero (k->p, sum->count, sum->costs))
    return;
  put_number (k, sum->is_call ? CGWI_PACK_CALL : CGWI_PACK_SELF);
  put_position (k, &sum->at);
  if (sum->is_call)
    {
      put_fn (k, sum->to.fn.handle);
      put_number (k, sum->count);
      put_number (k, sum->to.instr);
      put_number (k, sum->to.line);
    }
  for (size_t i = 0; i < k->p->n_events; i++)
    if (k->p->is_signed[i])
      put_difference (k, sum->costs[i], 0);
    else
      put_number (k, sum->costs[i]);
}

/* Return the first error of the profile, or of its names: what it lacks, who
   unpacks it lacks, too.  */
static enum cgw_status
first_error (const struct cgw_profile *p)
{
  enum cgw_status status = cgwi_first_error (&p->refusals);

  return status != CGW_OK ? status : cgwi_first_error (&p->names->refusals);
}

static void
put_all (struct packer *k, struct cgwi_sorted *s)
{
  unsigned char sum[CGWI_PACK_CHECKSUM_SIZE];
  struct cgwi_sum next;

  put_bytes (k, CGWI_PACK_MAGIC, CGWI_PACK_MAGIC_SIZE);
  put_number (k, k->p->n_events);
  put_number (k, k->p->positions);
  put_number (k, first_error (k->p));
  for (size_t i = 0; i < k->p->n_events; i++)
    put_number (k, k->p->is_signed[i]);
  while (!k->failed && cgwi_sorted_next (s, &next))
    put_sum (k, &next);
  put_number (k, CGWI_PACK_END);
  for (size_t i = 0; i < sizeof sum; i++)
    sum[i] = (unsigned char) (k->sum >> 8 * i);
  put_bytes (k, sum, sizeof sum);
  flush (k);
}

/* Pack a profile, inside.  */
static enum cgw_status
pack (struct packer *k)
{
  struct cgw_profile *p = k->p;
  struct cgwi_sorted s;
  enum cgw_status status = CGW_ENOMEM;

  if (k->write == NULL)
    return cgwi_fail_null (p, CGWI_ARG_WRITE_HOOK);
  if (cgwi_make_numbers (&k->references, p->names, p)
      && (status = cgwi_sort_profile (p, false, &s)) == CGW_OK)
    {
      put_all (k, &s);
      if (k->failed)
        status = CGWI_FAIL (p, CGW_EIO, .reason = CGWI_WHY_CALL_FAILED,
                            .value = (uint32_t) k->error);
    }
  cgwi_free_scratch (p);
  return status;
}

CGWI_COLD enum cgw_status
cgw_profile_pack (struct cgw_profile *p,
                  ssize_t (*write) (void *context, const void *bytes,
                                    size_t n),
                  void *context)
{
  struct packer k = { .p = p, .write = write, .context = context,
                      .sum = CGWI_PACK_SUM_START };
  int kept = errno; /* which the hook may change */
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_PACK);

  if (status == CGW_OK)
    status = cgwi_profile_end (p, CGWI_CALLED_PROFILE_PACK, pack (&k));
  errno = kept;
  return status;
}
