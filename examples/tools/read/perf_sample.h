/* perf_sample.h - what is in a sample of a perf.data file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_SAMPLE_H
#define PERF_SAMPLE_H 1

#include "perf_attr.h"
#include "perf_record.h"

#include <stdbool.h>
#include <stdint.h>

/* Words are as in the record, not aligned: read them with perf_u64.  */
struct perf_sample
{
  uint64_t ip;
  bool has_ip;
  uint32_t pid;
  uint32_t tid;
  uint64_t time;                 /* or PERF_NO_TIME */
  uint64_t id;                   /* 0: unknown */
  uint64_t period;

  /* Counters that were read, each with its id.  */
  const unsigned char *counters;
  uint64_t n_counters;
  size_t counter_size;
  size_t counter_id;             /* where in it; 0: nowhere */

  const unsigned char *chain;    /* addresses and markers of contexts */
  uint64_t n_chain;

  const unsigned char *branches; /* of three words each */
  uint64_t n_branches;

  uint64_t abi;                  /* PERF_SAMPLE_REGS_ABI_... */
  const unsigned char *registers; /* of the user's code */
  const unsigned char *stack;
  uint64_t stack_size;
};

/* Takes a sample apart.  Returns NULL, or what is wrong with it.  */
const char *perf_sample_parse (const struct perf_event_attr *attr,
                               const struct perf_record *record,
                               struct perf_sample *sample);

#endif /* PERF_SAMPLE_H */
