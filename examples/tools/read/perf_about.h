/* perf_about.h - what the header of a perf.data file says, or the records that
   a pipe has instead.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_ABOUT_H
#define PERF_ABOUT_H 1

#include "../base/table.h"
#include "perf_attr.h"
#include "perf_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The build ID of a file that was mapped.  */
enum { PERF_BUILD_ID = 20 };
struct perf_build_id
{
  uint32_t size; /* 0: unknown */
  unsigned char id[PERF_BUILD_ID];
};

/* Texts may be NULL.  */
struct perf_about
{
  struct perf_attrs attrs;
  struct intern paths;             /* of files */
  struct perf_build_id *build_ids; /* theirs */
  char *host;
  char *release; /* of its kernel */
  char *version; /* of perf */
  char *machine; /* as uname has it */
  char *command; /* the arguments of perf, separated by blanks */
};

void perf_about_begin (struct perf_about *a);

/* Whether a section of the header is of use.  */
bool perf_about_wants (uint64_t section);

/* Takes a section, of n bytes.  Returns NULL, or what is wrong with it.  */
const char *perf_about_take (struct perf_about *a, uint64_t section,
                             const unsigned char *bytes, size_t n);

/* Whether a record is one that stands for a part of the header.  If it is,
   *reason is NULL, or what is wrong with it.  */
bool perf_about_record (struct perf_about *a, const struct perf_record *r,
                        const char **reason);

/* The build ID of a file.  */
struct perf_build_id perf_about_build_id (struct perf_about *a,
                                          const char *path);

void perf_about_free (struct perf_about *a);

#endif /* PERF_ABOUT_H */
