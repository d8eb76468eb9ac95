/* contender.h - the one interface behind which all contenders write.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CONTENDER_H
#define CONTENDER_H 1

#include "sink.h"
#include "workload.h"

struct contender
{
  const char *name;
  /* Prepares for many runs.  *script is the workload's; a contender with
     handles of its own puts another one in its place, of the same form.  */
  void *(*open) (const struct workload *w, struct sink *sink,
                 struct script *script);
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
};

enum
{
  CONTENDER_LIBCGW,
  CONTENDER_PLAIN,
  CONTENDER_COMPRESSED,
  CONTENDER_CALLGRIND,
  CONTENDER_CALLGRIND_SMALL,
  CONTENDER_BINARY,
  CONTENDER_MEMCPY,
  CONTENDER_NOTHING,
  N_CONTENDERS
};

extern const struct contender contender_libcgw;     /* the shared library */
extern const struct contender contender_plain;      /* fprintf, as by hand */
extern const struct contender contender_compressed; /* fprintf, compressed */
extern const struct contender contender_callgrind;  /* callgrind's strategy */
extern const struct contender contender_callgrind_small; /* its own printf */
extern const struct contender contender_binary;          /* raw structs */
extern const struct contender contender_memcpy;  /* libcgw's lines, ready */
extern const struct contender contender_nothing; /* the replay alone */

extern const struct contender *const contenders[N_CONTENDERS];

/* contender_libcgw's context with a writer of these options, but for where it
   writes.  */
void *contender_libcgw_with (const struct workload *w, struct sink *sink,
                             struct script *script,
                             const struct cgw_options *wanted);

/* The library's writer inside contender_libcgw's context, and its part.  */
struct cgw_writer *contender_writer (void *context);
const struct cgw_part *contender_part (void *context);

/* check.c: what a contender's check can be.  */
bool check_strict (const struct workload *w, const char *bytes, size_t n,
                   char *why, size_t size);
bool check_lenient (const struct workload *w, const char *bytes, size_t n,
                    char *why, size_t size);
bool check_text (const struct workload *w, const char *bytes, size_t n,
                 unsigned reader_flags, char *why, size_t size);

#endif /* CONTENDER_H */
