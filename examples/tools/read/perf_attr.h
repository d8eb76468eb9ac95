/* perf_attr.h - the events of a perf.data file: their attributes, which say
   what is in the records, and their names.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_ATTR_H
#define PERF_ATTR_H 1

#include "../base/table.h"
#include "perf_record.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct perf_attr
{
  struct perf_event_attr attr;
  char *name;   /* as perf was asked for it; NULL: the file does not say */
  char *unit;   /* NULL: it counts what its name says */
  double scale; /* of the counts to the unit; 0: none */
};

struct perf_attrs
{
  struct perf_attr *all;
  uint32_t n;
  struct table ids; /* of events on a processor or in a thread */
};

#define PERF_NO_ATTR UINT32_MAX

void perf_attrs_begin (struct perf_attrs *a);

/* Adds an attribute, of which a version of perf wrote n bytes.  Returns why not,
   or NULL.  */
const char *perf_attrs_add (struct perf_attrs *a, const unsigned char *bytes,
                            size_t n);

/* An id belongs to the attribute that was added last.  */
void perf_attrs_add_id (struct perf_attrs *a, uint64_t id);

/* The attribute of an id, or PERF_NO_ATTR.  */
uint32_t perf_attrs_find (const struct perf_attrs *a, uint64_t id);

/* The attribute that a record of the kernel belongs to, or PERF_NO_ATTR.  */
uint32_t perf_attrs_of (const struct perf_attrs *a,
                        const struct perf_record *record);

/* The time of a record; PERF_NO_TIME: it has none.  */
#define PERF_NO_TIME UINT64_MAX
uint64_t perf_attrs_time (const struct perf_attrs *a,
                          const struct perf_record *record);

/* The name of an event, to be freed.  */
char *perf_attr_name (const struct perf_attr *a);

/* What its counts are, if its name does not say it, to be freed; or NULL.  */
char *perf_attr_unit (const struct perf_attr *a);

/* Whether it counts nothing: perf uses such events to have records of what is
   mapped.  */
bool perf_attr_is_dummy (const struct perf_attr *a);

void perf_attrs_free (struct perf_attrs *a);

#endif /* PERF_ATTR_H */
