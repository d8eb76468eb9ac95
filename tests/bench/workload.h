/* workload.h - a profile in memory, as the calls that write it: what each
   contender of the benchmark is given, over and over.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WORKLOAD_H
#define WORKLOAD_H 1

#include "runs.h"

#include <cgw.h>

/* A function: indices of its names.  */
struct bench_fn
{
  uint32_t name;
  uint32_t file;
  uint32_t object;
};

/* A record: self cost, or a call with its inclusive cost.  */
struct bench_event
{
  struct cgw_pos pos;
  uint32_t call; /* 0: self cost; else an index into the calls, and 1 */
};

struct bench_call
{
  struct cgw_pos to;
  uint64_t count;
};

/* What is replayed.  In a workload's own script, pos.fn is an index of a
   function and pos.file that of a name, always given.  */
struct script
{
  struct bench_event *events;
  size_t n;
  struct bench_call *calls;
  size_t n_calls;
  uint64_t *costs; /* n_events for each record */
  size_t n_events;
};

struct workload
{
  char **names;
  size_t n_names;
  struct bench_fn *fns;
  size_t n_fns;
  char **event_names;
  unsigned positions; /* CGW_LINE or CGW_INSTR_LINE */
  struct script script;
  bool borrowed; /* names and functions belong to another workload */
};

/* Reads a file.  False, with the reason on standard error, when that fails or
   it holds what is not replayed: several parts, jumps.  */
bool workload_load (struct workload *w, const char *path);

/* The same profile with the first n_events events only, and, if positions is
   CGW_LINE, without addresses: cost lines that follow each other and differ in
   nothing else become one, as callgrind does it.  It borrows the names.  */
void workload_derive (struct workload *w, const struct workload *from,
                      size_t n_events, unsigned positions);

/* The numbers below n in a scattered order, the same in each run.  */
uint32_t *workload_order (size_t n);

/* The same records in a scattered order.  It borrows the names.  */
void workload_scatter (struct workload *w, const struct workload *from);

/* The same records with so many times their costs and calls, borrowing the
   names: the sums of a workload that is written so often.  */
void workload_multiply (struct workload *w, const struct workload *from,
                        size_t times);

/* How many records are of another function than the one before.  */
size_t workload_changes (const struct workload *w);

/* A workload of made-up names and no records yet, with room for n.  It has at
   most 13 events.  */
void workload_empty (struct workload *w, size_t n, size_t n_events,
                     size_t n_fns, size_t n_files);

/* Appends a cost line with made-up costs.  */
void workload_add (struct workload *w, size_t fn, uint64_t instr,
                   uint32_t line);

/* n cost lines, one function after the other, small steps of both
   subpositions: what cost lines cost and nothing else.  */
void workload_steps (struct workload *w, size_t n, size_t n_events,
                     size_t n_fns);

void workload_free (struct workload *w);

#endif /* WORKLOAD_H */
