/* recording.h - what the readers of profiles pass to those who write or report
   it: profiles with the same events, and what describes them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RECORDING_H
#define RECORDING_H 1

#include <cgw.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

/* A profile: of one thread, or of all.  */
struct recorded
{
  const char *input;           /* NULL: of all inputs */
  uint64_t part;               /* of that input, from 1; 0: of all */
  uint64_t pid;                /* 0: unknown, or of several */
  uint64_t tid;                /* likewise */
  const char *comm;            /* what the thread was called last; or NULL */
  struct cgw_profile *profile; /* with stacks that are whole, if there were */
};

struct recording
{
  struct cgw_names *names;
  const struct cgw_event *events; /* without formulas */
  size_t n_events;
  const struct cgw_event *derived; /* with formulas of these events, and of
                                      those before in this list; NULL: parts
                                      differ in it, or in units */
  size_t n_derived;
  unsigned positions; /* as for cgw_profile_new */
  bool is_signed;     /* costs may be below 0, in two's complement */
  bool has_samples;   /* and so the counts of calls are counts of samples */
  const char *cmd;    /* the command that was profiled, or NULL */
  const char *const *desc;
  size_t n_desc;
  const struct recorded *profiles; /* sorted by input, part, pid and tid */
  size_t n_profiles;
  const struct table *build_ids; /* or NULL */
  unsigned limits;    /* of the reader that it is for, which it meets */
  bool is_estimated;  /* not all costs are those of stacks, but shall be: set
                         by export_write */
};

/* What a profile is of: "work, process 12, thread 13".  To be freed.  */
char *recorded_title (const struct recording *r, const struct recorded *p);

/* Build IDs of objects, in hexadecimal.  */
struct table build_ids_begin (void);
void build_ids_add (struct table *ids, struct cgw_names *names,
                    const char *object, const char *text);
void build_ids_free (struct table *ids);

/* "" if it is not known.  */
const char *build_ids_find (const struct table *ids,
                            struct cgw_object object);

#endif /* RECORDING_H */
