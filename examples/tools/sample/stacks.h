/* stacks.h - adds up samples by stack.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_STACKS_H
#define SAMPLE_STACKS_H 1

#include "../base/table.h"
#include "../symbols/maps.h"
#include "sample_shared.h"

#include <cgw.h>

#include <stdint.h>

/* A stack's key, before its locations.  */
struct stack_key
{
  uint32_t output; /* the file that it belongs into */
  uint32_t thread; /* of a stack whose outer frames are missing: whose, + 1;
                      else 0 */
};

struct stack_sums
{
  uint64_t samples;
  uint64_t ticks;
};

/* The outermost locations of a thread's deepest whole stack.  Those of constructors
   and of exit, which have no main, are not deep.  */
struct base
{
  uint32_t depth;
  uint32_t n;
  uint32_t location[SAMPLE_BASE_FRAMES]; /* the outermost last */
};

/* An array that grows.  */
struct words
{
  uint64_t *word;
  size_t n;
  size_t size;
};

/* Begins as {0}, with stacks_begin.  */
struct stacks
{
  struct maps *maps;
  const char *agent;       /* its frames are left out */

  struct intern locations; /* struct location */
  bool *is_agent;
  uint32_t n_is_agent;

  struct intern outputs;   /* pid and start time */
  uint64_t *output_process; /* the number of the process seen last there */
  uint32_t n_output_process;

  struct intern threads;   /* process number and thread id */
  struct base *bases;
  uint32_t n_bases;

  struct intern stacks;    /* a struct stack_key and locations */
  struct stack_sums *sums;
  uint32_t n_sums;

  struct words samples;    /* whose notes may be on their way */
  struct words notes;      /* of what is mapped: samples may be older */
  size_t n_old_notes;      /* the words of those that none will be older than,
                              once stacks_settle is called */
};

void stacks_begin (struct stacks *s, struct maps *maps, const char *agent);

/* Take a sample and a note; for cgw_recorder_drain.  They wait until
   stacks_settle.  */
void stacks_take (void *stacks, const struct cgw_sample *sample);
void stacks_take_note (void *stacks, const struct cgw_sample *note);

/* Adds up the samples that were taken, when the notes that were made before
   have come.  Each finds what was mapped when it was made.  */
void stacks_settle (struct stacks *s);

/* The file that a process's samples belong into: processes that were exec'ed
   one after the other have one.  */
uint32_t stacks_output (struct stacks *s, uint64_t process);

#endif /* SAMPLE_STACKS_H */
