/* workload.h - a profile in memory, as the calls that write it: what each
   contender of the benchmark is given, over and over.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WORKLOAD_H
#define WORKLOAD_H 1

#include "../../examples/tools/format/cgin.h"
#include "../support/heap.h"
#include "runs.h"

#include <cgw.h>

enum
{
  NAME_KINDS = CGIN_FN + 1
};

/* For contenders that have no handles.  */
struct bench_name
{
  char *text;
  uint32_t file; /* of a function: handles */
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

/* What is replayed.  As a tool would, it names a file only where it is not the
   function's own.  */
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
  struct cgw_names *names;
  uint32_t first; /* the handle of names without a text */
  struct bench_name *texts[NAME_KINDS]; /* by handles, from the first one */
  size_t n_texts[NAME_KINDS];
  struct cgw_fn *fns; /* if they are made up */
  char **event_names;
  size_t n_event_names;
  unsigned positions; /* CGW_LINE or CGW_INSTR_LINE */
  struct script script;
  bool borrowed; /* the names belong to another workload */
};

/* Reads a file of one part.  Leaves out jumps.  Ends the program when it
   fails.  */
void workload_load (struct workload *w, const char *path);

/* The same profile with the first n_events events, or all if it has fewer, and,
   if positions is CGW_LINE, without addresses: cost lines that follow each
   other and differ in nothing else become one, as callgrind does it.  It
   borrows the names.  */
void workload_derive (struct workload *w, const struct workload *from,
                      size_t n_events, unsigned positions);

/* The numbers below n in a scattered order, the same in each run.  */
uint32_t *workload_order (size_t n);

/* A workload of made-up names and no records yet, with room for n.  It has one
   event.  The names use this heap, or malloc.  */
void workload_empty (struct workload *w, struct heap *heap, size_t n,
                     size_t n_fns, size_t n_files);

/* Appends a cost line with a made-up cost.  */
void workload_add (struct workload *w, size_t fn, uint64_t instr,
                   uint32_t line);

void workload_free (struct workload *w);

/* A name by its handle.  */
static inline struct bench_name *
workload_name (const struct workload *w, enum cgin_kind kind, uint32_t handle)
{
  return &w->texts[kind][handle ? handle - w->first : 0];
}

#endif /* WORKLOAD_H */
