/* perf_sample.c - takes the samples of a perf.data file apart.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_sample.h"

/* In newer headers only.  */
#define BRANCH_HW_INDEX (UINT64_C (1) << 17)
#define BRANCH_COUNTERS (UINT64_C (1) << 19)
#define READ_LOST (UINT64_C (1) << 4)

/* What is left of a record.  */
struct rest
{
  const unsigned char *at;
  size_t n;
  bool is_cut;
};

static const unsigned char *
take (struct rest *r, uint64_t n)
{
  const unsigned char *at = r->at;

  if (n > r->n)
    {
      r->is_cut = true;
      r->n = 0;
      return NULL;
    }
  r->at += n;
  r->n -= n;
  return at;
}

/* Takes n elements of a size.  */
static const unsigned char *
take_array (struct rest *r, uint64_t n, size_t size)
{
  if (n > r->n / size)
    {
      r->is_cut = true;
      return NULL;
    }
  return take (r, n * size);
}

static uint64_t
take_word (struct rest *r)
{
  const unsigned char *at = take (r, sizeof (uint64_t));

  return at != NULL ? perf_u64 (at) : 0;
}

static void
take_counters (struct rest *r, uint64_t format, struct perf_sample *s)
{
  size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED)
                 + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
  size_t words = (size_t) 1 + !!(format & PERF_FORMAT_ID)
                 + !!(format & READ_LOST);

  s->counter_size = words * sizeof (uint64_t);
  s->counter_id = (format & PERF_FORMAT_ID) != 0 ? sizeof (uint64_t) : 0;
  if ((format & PERF_FORMAT_GROUP) != 0)
    {
      s->n_counters = take_word (r);
      take_array (r, times, sizeof (uint64_t));
      s->counters = take_array (r, s->n_counters, s->counter_size);
      return;
    }
  /* The times are between the value and the id.  */
  s->n_counters = 1;
  if (s->counter_id != 0)
    s->counter_id += times * sizeof (uint64_t);
  s->counters = take_array (r, words + times, sizeof (uint64_t));
}

static void
take_chain (struct rest *r, struct perf_sample *s)
{
  s->n_chain = take_word (r);
  s->chain = take_array (r, s->n_chain, sizeof (uint64_t));
}

/* Bytes of the event's own, which fill words with their length.  */
static void
take_raw (struct rest *r)
{
  const unsigned char *at = take (r, sizeof (uint32_t));
  uint64_t n = at != NULL ? perf_u32 (at) : 0;

  take (r, (n + sizeof (uint32_t) + 7) / 8 * 8 - sizeof (uint32_t));
}

static void
take_branches (struct rest *r, const struct perf_event_attr *a,
               struct perf_sample *s)
{
  s->n_branches = take_word (r);
  if ((a->branch_sample_type & BRANCH_HW_INDEX) != 0)
    take_word (r);
  s->branches = take_array (r, s->n_branches, 3 * sizeof (uint64_t));
  if ((a->branch_sample_type & BRANCH_COUNTERS) != 0)
    take_array (r, s->n_branches, sizeof (uint64_t));
}

static void
take_registers (struct rest *r, const struct perf_event_attr *a,
                struct perf_sample *s)
{
  s->abi = take_word (r);
  if (s->abi != PERF_SAMPLE_REGS_ABI_NONE)
    s->registers
        = take_array (r, (unsigned) __builtin_popcountll (a->sample_regs_user),
                      sizeof (uint64_t));
}

/* The kernel says how much room it had, and behind that how much of it it
   used.  */
static void
take_stack (struct rest *r, struct perf_sample *s)
{
  uint64_t size = take_word (r), used;

  if (size == 0)
    return;
  s->stack = take (r, size);
  used = take_word (r);
  s->stack_size = used < size ? used : size;
}

const char *
perf_sample_parse (const struct perf_event_attr *a,
                   const struct perf_record *record, struct perf_sample *s)
{
  uint64_t type = a->sample_type, word;
  struct rest r = { record->bytes + PERF_HEADER, record->size - PERF_HEADER,
                    false };

  *s = (struct perf_sample){ .time = PERF_NO_TIME,
                             .period = a->freq || a->sample_period == 0
                                           ? 1
                                           : a->sample_period };
  if ((type & PERF_SAMPLE_IDENTIFIER) != 0)
    s->id = take_word (&r);
  s->has_ip = (type & PERF_SAMPLE_IP) != 0;
  if (s->has_ip)
    s->ip = take_word (&r);
  if ((type & PERF_SAMPLE_TID) != 0)
    {
      word = take_word (&r);
      memcpy (&s->pid, &word, sizeof s->pid);
      memcpy (&s->tid, (const char *) &word + sizeof s->pid, sizeof s->tid);
    }
  if ((type & PERF_SAMPLE_TIME) != 0)
    s->time = take_word (&r);
  if ((type & PERF_SAMPLE_ADDR) != 0)
    take_word (&r);
  if ((type & PERF_SAMPLE_ID) != 0)
    s->id = take_word (&r);
  if ((type & PERF_SAMPLE_STREAM_ID) != 0)
    take_word (&r);
  if ((type & PERF_SAMPLE_CPU) != 0)
    take_word (&r);
  if ((type & PERF_SAMPLE_PERIOD) != 0)
    s->period = take_word (&r);
  if ((type & PERF_SAMPLE_READ) != 0)
    take_counters (&r, a->read_format, s);
  if ((type & PERF_SAMPLE_CALLCHAIN) != 0)
    take_chain (&r, s);
  if ((type & PERF_SAMPLE_RAW) != 0)
    take_raw (&r);
  if ((type & PERF_SAMPLE_BRANCH_STACK) != 0)
    take_branches (&r, a, s);
  if ((type & PERF_SAMPLE_REGS_USER) != 0)
    take_registers (&r, a, s);
  if ((type & PERF_SAMPLE_STACK_USER) != 0)
    take_stack (&r, s);
  return r.is_cut ? "the sample is cut off" : NULL;
}
