/* events.h - event types: the grammar of their names and formulas.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_EVENTS_H
#define CGWI_EVENTS_H 1

#include "cgw.h"
#include "sentence.h"

#include <stdbool.h>

/* Return how many events of a part have costs, 1 to CGW_EVENTS_MAX; 0 and a
   sentence when the events are invalid.  */
size_t cgwi_count_events (const struct cgw_part *part,
                          struct cgwi_sentence *why);

/* Whether an event has a long name that is not blank.  */
bool cgwi_has_long_name (const struct cgw_event *e);

/* Write " = " and the formula at p, in one spelling.  Return the end.  */
char *cgwi_put_formula (char *p, const char *formula);

/* Bytes that cgwi_put_formula writes at most: "a-b" becomes " = a - b".  */
size_t cgwi_formula_max (const char *formula);

#endif
