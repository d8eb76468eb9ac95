/* bench.h - the benchmark: groups of subjects that do the same work, each in
   its way.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BENCH_H
#define BENCH_H 1

#include "runs.h"

/* How much work there is.  */
extern struct bench
{
  const char *profile; /* the file whose records are written */
  size_t positions;    /* and open calls */
  size_t distinct;     /* stacks */
  size_t steps;
} bench;

/* Returns 0, or another number when it failed.  */
typedef int bench_step (void *world, size_t i);

struct contender;

/* What is measured.  One whose name is "nothing" is what the benchmark itself
   takes: the instructions of the others are counted without it.  */
struct subject
{
  const char *name;
  const char *title;
  bench_step *step;
  const struct contender *contender; /* of groups that have these */
};

/* They take turns.  Either they take steps, or the group has a run.  */
struct group
{
  const char *name;
  const char *title;
  const char *base; /* whose times the others' are compared with, or "-" */
  const struct subject *subjects;
  size_t n;
  size_t variant; /* what its functions want */
  size_t each;    /* of what is counted, in a step */
  size_t runs;

  void *(*open) (const struct group *g);
  void (*close) (void *world);
  /* One run of subject i: values in the columns.  */
  const char *const *columns;
  size_t n_columns;
  void (*run) (void *world, size_t i, double *values);
  /* One replay for valgrind (see count.sh), or NULL.  */
  void (*count) (const struct group *g, void *world, size_t i);
  /* After the runs, or NULL: prints bytes, and ends the program when something
     was wrong.  */
  void (*finish) (const struct group *g, void *world);
};

extern const struct group records_groups[5], positions_group, known_group,
    once_group, stacks_group, pairs_group, names_group, push_group;

/* Prints one value for report.awk.  */
void print_value (const struct group *g, const char *subject,
                  const char *column, double value);

/* Says that valgrind has counted so much.  */
void print_replay (const struct group *g, size_t i, size_t n);

/* A call that does nothing.  As those of the library, it is in another file than
   its callers, who do not know that.  */
int do_nothing (const void *a, const void *b, const void *c, uint64_t d,
                const void *e);

/* Takes n steps, from 0 on.  valgrind counts the instructions inside.  */
int counted_steps (bench_step *step, void *world, size_t n);

#endif /* BENCH_H */
