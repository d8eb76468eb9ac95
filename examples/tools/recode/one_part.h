/* one_part.h - makes one part of all parts of a file: it has the events of all,
   in one unit, and what their headers agree on.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef ONE_PART_H
#define ONE_PART_H 1

#include "../format/header.h"
#include "../format/unit.h"

#include <cgw.h>
#include <stdbool.h>
#include <stdint.h>

/* Begins as {0}.  */
struct one_part
{
  struct header header;
  uint64_t n_parts;
  uint64_t number;    /* of the only part */
  struct unit_event *known; /* that are counted, in the order of the parts */
  struct cgw_event *events; /* likewise, for the header */
  size_t n_events;
  unsigned positions; /* that any part has */

  size_t column[CGW_EVENTS_MAX]; /* of the part that is read */
  uint64_t factor[CGW_EVENTS_MAX]; /* of its costs */
  bool is_same;       /* it has the same events in the same order and units */
};

/* Takes note of a part.  `file` is for messages about units; NULL: the parts
   stay parts.  False: its units cannot be converted; a message was printed.  */
bool one_part_look (struct one_part *one, const struct cgw_part *part,
                    const char *file);

/* Begins a part whose costs are to be put into the columns of all.  False: it
   has an event that one_part_look did not see.  */
bool one_part_begin (struct one_part *one, const struct cgw_part *part);

/* Puts *n costs of a part into the columns, in `room` if need be.  False: one
   passes 2^64-1 in the unit of all.  */
bool one_part_costs (const struct one_part *one, const uint64_t **cost,
                     size_t *n, uint64_t room[CGW_EVENTS_MAX]);

/* Makes the header.  It is valid as long as *one.  */
void one_part_header (struct one_part *one, struct cgw_part *part);

void one_part_free (struct one_part *one);

#endif /* ONE_PART_H */
