/* perf_order.h - puts records in the order of time.

   Each processor has a buffer, and perf copies one after the other to the
   file, in rounds: what comes before the end of a round is older than all that
   comes after the next.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_ORDER_H
#define PERF_ORDER_H 1

#include "perf_record.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_order_entry;

/* Records that wait, one behind the other.  */
struct perf_order_bytes
{
  unsigned char *bytes;
  size_t used;
  size_t size;
};

/* Begins as {0} with the first two members.  */
struct perf_order
{
  /* Takes a record.  False: it failed.  */
  bool (*take) (void *context, const struct perf_record *record);
  void *context;
  struct perf_order_bytes waiting;
  struct perf_order_bytes rest;    /* after a round, to be swapped */
  struct perf_order_entry *entries;
  size_t n;
  size_t capacity;
  uint64_t newest;                 /* of the times so far */
  uint64_t round;                  /* when the last round ended */
  bool is_full;                    /* some may have come out of order */
};

/* Adds a record with its time.  False: it failed, as `take` did.  */
bool perf_order_add (struct perf_order *o, const struct perf_record *record,
                     uint64_t time);

/* A round has ended.  */
bool perf_order_round (struct perf_order *o);

/* No more records come.  */
bool perf_order_end (struct perf_order *o);

void perf_order_free (struct perf_order *o);

#endif /* PERF_ORDER_H */
