/* contender.h - the one interface behind which all contenders write.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CONTENDER_H
#define CONTENDER_H 1

#include "../support/profile.h"
#include "sink.h"
#include "workload.h"

struct contender
{
  /* Prepares for many runs.  */
  void *(*open) (const struct contender *c, const struct workload *w,
                 struct sink *sink);
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

  unsigned flags; /* of the library's writer, as its buffer size */
  size_t buffer_size;
  bool is_compressed; /* of those that use fprintf */
  bool is_slow;       /* many times slower than libcgw */
};

/* The library's writer, in the ways to use it.  */
extern const struct contender contender_libcgw, contender_threads,
    contender_no_pad, contender_absolute, contender_4k;

/* The library's cgw_profile, which adds up before it writes.  */
extern const struct contender contender_profile;

/* A hash table that adds up, sorts and uses fprintf.  It takes one event and no
   calls.  */
extern const struct contender contender_table;

/* fprintf, as tools write by hand; and with both compressions.  */
extern const struct contender contender_fprintf, contender_compressed;

extern const struct contender contender_memcpy;  /* libcgw's lines, ready */
extern const struct contender contender_nothing; /* the replay alone */

/* The library's objects inside the context of contender_libcgw and of
   contender_profile.  */
struct cgw_writer *contender_writer (void *context);
struct cgw_profile *contender_sums (void *context);

/* A contender, ready to run.  */
struct entrant
{
  const struct contender *contender;
  void *context;
  struct sink *sink;
  struct script script;
};

void entrant_open (struct entrant *e, const struct contender *c,
                   const struct workload *w, struct sink *sink);
void entrant_close (struct entrant *e);

/* The steps of a run.  They end the program when the contender fails; the last
   two return the bench_time that they took.  */
void entrant_begin (struct entrant *e);
double entrant_replay (struct entrant *e, size_t first, size_t n);
double entrant_end (struct entrant *e);

/* A whole run; nanoseconds per record.  */
double entrant_run (struct entrant *e);

/* What a sink kept, by the reader of the tests, which shares nothing with the
   library; for profile_free.  Ends the program when it is no profile.  */
struct profile *read_sink (struct sink *s, const char *name);

/* A run that is kept; *n is how many bytes it was.  */
struct profile *entrant_read (struct entrant *e, const char *name, size_t *n);

/* Ends the program when two profiles differ, the second one this
   contender's.  */
void must_be_same (const struct profile *a, const struct profile *b,
                   const char *group, const char *name);

#endif /* CONTENDER_H */
