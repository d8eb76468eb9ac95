/* joined.h - the parts of a file as one part: the events of all, and what their
   headers agree on.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef JOINED_H
#define JOINED_H 1

#include "../format/header.h"

#include <cgw.h>
#include <stdbool.h>
#include <stdint.h>

/* Begins as {0}.  */
struct joined
{
  struct header header;
  uint64_t n_parts;
  uint64_t part;    /* the number of the only part */
  struct cgw_event *events; /* that are counted, in the order of the parts */
  size_t n_events;
  unsigned positions; /* that any part has */

  size_t column[CGW_EVENTS_MAX]; /* of the part that is read */
  bool is_same;     /* it has the same events in the same order */
};

/* Takes note of a part.  */
void joined_look (struct joined *j, const struct cgw_part *part);

/* Begins a part whose costs are to be put into the columns of all.  False: it
   has an event that joined_look did not see.  */
bool joined_begin (struct joined *j, const struct cgw_part *part);

/* Puts n costs of a part into the columns, in `room` if need be.  Returns where
   they are, and their number in *n.  */
const uint64_t *joined_costs (const struct joined *j, const uint64_t *cost,
                              size_t *n, uint64_t room[CGW_EVENTS_MAX]);

/* Makes the header.  It is valid as long as *j.  */
void joined_part (const struct joined *j, struct cgw_part *part);

void joined_free (struct joined *j);

#endif /* JOINED_H */
