/* contender.h - the one interface behind which all contenders write.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CONTENDER_H
#define CONTENDER_H 1

#include "../support/heap.h"
#include "runs.h"
#include "sink.h"
#include "workload.h"

/* How the library is to be used.  */
struct setup
{
  unsigned flags; /* of the writer, as its buffer size */
  size_t buffer_size;
  struct heap *heap; /* for all memory; or NULL */
};

struct contender
{
  const char *name;
  /* Prepares for many runs.  *script is the workload's; a contender with
     handles of its own puts another one in its place, of the same form.  setup
     may be NULL.  */
  void *(*open) (const struct workload *w, struct sink *sink,
                 const struct setup *setup, struct script *script);
  void (*close) (void *context);

  /* A run: begin, any records in their order, end.  False, or a status that
     is not 0: it failed.  */
  bool (*begin) (void *context);
  int (*cost) (void *context, const struct cgw_pos *pos, const uint64_t *cost,
               size_t n);
  int (*call) (void *context, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t count,
               const uint64_t *inclusive_cost, size_t n);
  bool (*end) (void *context);

  /* Whether these bytes are the workload, or why not.  NULL: it writes
     nothing.  */
  bool (*check) (const struct workload *w, const char *bytes, size_t n,
                 char *why, size_t size);
  bool slow; /* many times slower than libcgw */
  /* How much of the last run's bench_time is no part of it; or NULL.  */
  double (*apart) (void *context);
};

extern const struct contender contender_libcgw;     /* the shared library */
extern const struct contender contender_plain;      /* fprintf, as by hand */
extern const struct contender contender_compressed; /* fprintf, compressed */
extern const struct contender contender_callgrind;  /* callgrind's strategy */
extern const struct contender contender_callgrind_small; /* its own printf */
extern const struct contender contender_binary;          /* raw structs */
extern const struct contender contender_memcpy;  /* libcgw's lines, ready */
extern const struct contender contender_nothing; /* the replay alone */

/* The library's objects inside contender_libcgw's context.  */
struct cgw_names *contender_names (void *context);
struct cgw_writer *contender_writer (void *context);
const struct cgw_part *contender_part (void *context);

/* truth.c: what a contender's check can be.  */
bool check_strict (const struct workload *w, const char *bytes, size_t n,
                   char *why, size_t size);
bool check_lenient (const struct workload *w, const char *bytes, size_t n,
                    char *why, size_t size);
bool check_text (const struct workload *w, const char *bytes, size_t n,
                 unsigned reader_flags, char *why, size_t size);

/* A contender, ready to run.  */
struct entrant
{
  const struct contender *contender;
  void *context;
  struct sink *sink;
  struct script script;
  size_t times;          /* all records so many times over, in each run */
  unsigned reader_flags; /* instead of the contender's own check; or 0 */
};

void entrant_open (struct entrant *e, const struct contender *c,
                   const struct workload *w, struct sink *sink,
                   const struct setup *setup);
void entrant_close (struct entrant *e);

/* The steps of a run.  They end the program when the contender fails; the last
   two return the bench_time that they took.  */
void entrant_begin (struct entrant *e);
double entrant_replay (struct entrant *e, size_t first, size_t n);
double entrant_end (struct entrant *e);

/* A whole run; nanoseconds per record.  */
double entrant_run (struct entrant *e);

/* Two runs into memory or a file, for the second begins with what the first
   left behind: whether what they wrote is the truth, so many times over.  If
   not, says so on standard error, with two words on what it was.  *n is how
   many bytes it was.  */
bool entrant_check (struct entrant *e, const struct workload *truth,
                    const char *what, const char *where, size_t *n);

/* Runs them side by side: see run_rounds.  */
void run_entrants (struct entrant *e, size_t n, size_t runs,
                   struct quartiles *q);

/* Hands over records.  Returns 0, or another number when one failed.  valgrind
   counts the instructions inside.  */
int counted_records (const struct script *s, const struct contender *c,
                     void *context);

#endif /* CONTENDER_H */
