/* perf_data.h - what is known while a perf.data is read.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_DATA_H
#define PERF_DATA_H 1

#include "samples.h"

#include "../base/table.h"
#include "../symbols/maps.h"
#include "../symbols/resolve.h"
#include "kernel.h"
#include "perf_file.h"
#include "perf_order.h"
#include "perf_sample.h"
#include "perf_stack.h"

/* The numbers of address spaces that are of no process.  */
enum { NO_PROCESS, KERNEL_PROCESS };

/* Who runs: as in the records.  */
enum mode
{
  MODE_UNKNOWN,
  MODE_KERNEL,
  MODE_USER,
  MODE_HYPERVISOR,
  MODE_GUEST_KERNEL,
  MODE_GUEST_USER
};

struct thread
{
  uint64_t tid;
  uint32_t pid;
  bool is_numbered;
  uint32_t number;     /* the import's */
  char *comm;
  struct cgw_fn start; /* the function that it began with; {0}: unknown */
};

/* An address's positions.  The key is of the first two.  */
struct place_entry
{
  uint64_t address;
  uint32_t space; /* what it was mapped in */
  uint16_t mode;
  uint16_t is_call;
  uint32_t first; /* of the positions */
  uint32_t n;
  bool is_main;
};

/* What a process has mapped.  */
struct space
{
  uint32_t number;   /* that no other contents had */
  bool was_replaced; /* by a program that may not run yet */
  uint32_t threads;  /* that did not end */
};

/* What was counted last by an event in a thread.  */
struct counter
{
  uint64_t id;
  uint64_t tid;
  uint64_t value;
};

struct perf
{
  struct import *im;
  struct input *in;
  struct perf_file file;
  struct perf_order order;

  struct maps maps;
  struct resolver resolver;
  struct kernel kernel;
  struct unwinder unwinder;
  struct intern pids;        /* numbers of address spaces */
  struct space *spaces;      /* by number of process */
  uint32_t space_room;
  uint32_t last_space;       /* the highest number */
  struct table threads;      /* by tid */

  struct table places;
  struct place_entry *known; /* copies of some that came last, by a hash */
  struct cgw_pos *positions; /* theirs */
  uint32_t n_positions;
  uint32_t position_room;
  struct cgw_pos *frames;    /* of a sample */
  uint32_t n_frames;
  uint32_t frame_room;
  uint32_t main;             /* how many there are up to main; 0: it is not
                                there */
  struct cgw_fn cut;         /* stands for frames that are missing */

  bool has_events;           /* the columns are known */
  uint32_t n_columns;        /* with that of the samples, the last */
  uint32_t *column;          /* of each attribute; that of the samples if it
                                has none */
  uint32_t n_attrs;
  uint64_t *cost;
  struct table counters;

  uint64_t lost;             /* records */
  uint64_t lost_samples;
  uint64_t unknown;          /* samples of no event */
  uint64_t no_machine;       /* stacks that were copied on an unknown one */
};

/* perf_threads.c: processes by number, as maps.h has them.  */

uint32_t perf_process_of (struct perf *p, uint32_t pid);

/* What a process has mapped is something else now.  */
void perf_change_space (struct perf *p, uint32_t process);

/* A process executes another program.  The call that does so is the old
   program's, and goes on for a while.  */
void perf_replace_program (struct perf *p, uint32_t pid);

/* Whose the user's addresses of a sample are: the process's, or those of the
   program that it executed before, as long as the new one did not run.  */
uint32_t perf_program_of (struct perf *p, uint32_t pid, bool is_in_kernel,
                          uint64_t address);

struct thread *perf_thread_of (struct perf *p, uint32_t pid, uint32_t tid);
void perf_set_comm (struct thread *t, const char *comm);

/* The import's number of a thread.  */
uint32_t perf_number_of (struct perf *p, struct thread *t);

/* perf_chain.c: call stacks.  */

void perf_chains_begin (struct perf *p);

/* Puts the stack of a sample into p->frames.  */
void perf_find_stack (struct perf *p, uint32_t process, struct thread *t,
                      enum mode mode, const struct perf_event_attr *a,
                      const struct perf_sample *s);

void perf_chains_end (struct perf *p);

#endif /* PERF_DATA_H */
