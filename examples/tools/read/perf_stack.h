/* perf_stack.h - unwinds the part of a stack that perf record --call-graph
   dwarf copied, by elfutils' libdwfl.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_STACK_H
#define PERF_STACK_H 1

#include "../symbols/maps.h"
#include "../symbols/resolve.h"
#include "perf_sample.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_frame
{
  uint64_t address;
  bool is_call; /* it is where a call returns to */
};

/* Whose registers perf copied.  */
enum stack_machine
{
  STACK_UNKNOWN,
  STACK_X86_64,
  STACK_AARCH64,
  STACK_OTHER /* which is not unwound */
};

/* What libdwfl knows of the processes that were unwound last.  */
struct stack_space;
enum { STACK_SPACES = 16 };

/* Begins as {0} with the first three.  */
struct unwinder
{
  struct maps *maps;
  struct resolver *resolver;
  enum stack_machine machine;
  bool *is_tried; /* objects, for the machine */
  uint32_t object_room;
  struct stack_space *spaces[STACK_SPACES];
  uint64_t turn;               /* how many samples were unwound */
  struct stack_frame *frames;  /* of the last one, the leaf first */
  uint32_t n;
  uint32_t room;
  bool is_whole;               /* they are all that there were */

  /* The sample that is being unwound.  */
  const struct perf_event_attr *attr;
  const struct perf_sample *sample;
  uint64_t begin; /* of its stack */
};

/* Finds the machine, by its name as uname has it, or, if that is NULL, by the
   files that the process of a sample has mapped.  */
void unwinder_name_machine (struct unwinder *u, const char *name);
enum stack_machine unwinder_find_machine (struct unwinder *u,
                                          uint32_t process);

/* Whether a sample has registers and a stack.  */
static inline bool
unwinder_has_stack (const struct perf_sample *sample)
{
  return sample->registers != NULL && sample->stack_size != 0;
}

/* Whether a sample has what it takes, of a machine that is known.  */
bool unwinder_can (const struct unwinder *u,
                   const struct perf_event_attr *attr,
                   const struct perf_sample *sample);

/* The address where it begins.  */
uint64_t unwinder_address (const struct unwinder *u,
                           const struct perf_event_attr *attr,
                           const struct perf_sample *sample);

/* Unwinds a sample's stack.  `space` is a number that stands for what the
   process has mapped.  */
void unwinder_unwind (struct unwinder *u, uint32_t process, uint32_t space,
                      const struct perf_event_attr *attr,
                      const struct perf_sample *sample);

void unwinder_end (struct unwinder *u);

#endif /* PERF_STACK_H */
