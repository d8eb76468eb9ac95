/* cgin.h - reads a callgrind file of any writer, adds its names to a names
   object, and passes its records on in their order.

   It accepts what the format's document allows and what known writers produce:
   callgrind, cachegrind, xdebug, pprof, jeprof, pyprof2calltree, ruby-prof,
   yappi and others.  It refuses anything else with a reason and a line number,
   because a profile with lines left out would be wrong.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CGIN_H
#define CGIN_H 1

#include "../base/infile.h"

#include <cgw.h>
#include <stdbool.h>
#include <stdint.h>

/* A name in the file.  */
enum cgin_kind { CGIN_OBJECT, CGIN_FILE, CGIN_FN };
struct cgin_name
{
  enum cgin_kind kind;
  uint32_t handle;
  const char *text;
  struct cgw_file file;     /* of a function */
  struct cgw_object object;
};

/* Where the profile goes.  Most functions correspond to calls of the library.
   A status other than CGW_OK ends the reading.  All functions may be NULL, jump
   and cond_jump together.  */
struct cgin_sink
{
  void *context;
  struct cgw_names *names;
  /* A name was added or found again.  */
  void (*name) (void *context, const struct cgin_name *name);
  /* Before any name or record.  creator is that of the file, or NULL.  */
  enum cgw_status (*begin_part) (void *context, const struct cgw_part *part,
                                 const char *creator);
  enum cgw_status (*cost) (void *context, const struct cgw_pos *pos,
                           const uint64_t *cost, size_t n);
  /* Before a call: its line, and whether the callee's object and file are
     named or taken from the caller.  */
  void (*before_call) (void *context, uint64_t line, bool has_object,
                       bool has_file);
  enum cgw_status (*call) (void *context, const struct cgw_pos *from,
                           const struct cgw_pos *to, uint64_t count,
                           const uint64_t *inclusive_cost, size_t n);
  enum cgw_status (*jump) (void *context, const struct cgw_pos *from,
                           const struct cgw_pos *to, uint64_t executed);
  enum cgw_status (*cond_jump) (void *context, const struct cgw_pos *from,
                                const struct cgw_pos *to, uint64_t followed,
                                uint64_t executed);
  enum cgw_status (*comment) (void *context, const char *text);
  /* Something that could not be kept, but harms no record.  */
  void (*warn) (void *context, uint64_t line, const char *text);
  /* Costs directly behind cfn=, without calls=: as all readers take them, they
     are self costs, or if this is set, those of calls that happened once.  */
  bool cfn_is_call;
  /* At the end, if there were any: how many, the line of the first, and whether
     some line totals: counts them in.  NULL: a warning, if none does.  */
  void (*costs_behind_cfn) (void *context, uint64_t n, uint64_t line,
                            bool in_totals);
  /* What to do about calls that have a cost, but happened 0 times: it ends a
     warning of them.  NULL: no warning.  */
  const char *zero_calls_remedy;
  /* Calls are added up: one that an interval did not begin, as in dumps of
     callgrind, has its count in another.  Then there is no warning for a file
     that has counts.  */
  bool is_sum;
};

struct cgin_error
{
  uint64_t line; /* 0: no particular line */
  char text[160];
};

/* Reads a whole file.  False: it failed; *error has the reason.  */
bool cgin_read (int fd, const struct cgin_sink *sink,
                struct cgin_error *error);

/* The same, from lines of which none was taken yet.  */
bool cgin_read_lines (const struct lines *lines, const struct cgin_sink *sink,
                      struct cgin_error *error);

/* Whether all costs of a record are 0.  */
bool cgin_is_zero (const uint64_t *costs, size_t n);

#endif /* CGIN_H */
