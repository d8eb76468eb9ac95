/* header.h - the lines around a part's body: the file's first lines, the
   part's header, and its totals.

   The put functions write at p, unchecked, and return the end.  They may
   touch CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_HEADER_H
#define CGWI_HEADER_H 1

#include "encoder.h"

#include <stddef.h>
#include <stdint.h>

/* Write the header of the part e->part; in the file's first part, the file's
   first lines before it.  */
char *cgwi_put_header (char *p, const struct cgwi_encoder *e,
                       const char *creator, const struct cgw_part *part);
uint64_t cgwi_header_max (const char *creator, const struct cgw_part *part);

/* Write " Ir Dr", the names of the events that have costs; bounded by
   cgwi_all_events_max.  */
char *cgwi_put_event_names (char *p, const struct cgw_part *part);

/* Write all events, derived ones included: the parts of a file must agree on
   this text.  */
char *cgwi_put_all_events (char *p, const struct cgw_part *part);
uint64_t cgwi_all_events_max (const struct cgw_part *part);

/* Write a key, "totals:" or "summary:", and n_events sums a[i] + b[i].  a and b
   have n elements, the rest counts as 0; b may be NULL.  */
char *cgwi_put_sums (char *p, const char *key, const uint64_t *a,
                     const uint64_t *b, size_t n, size_t n_events);
size_t cgwi_sums_max (size_t n_events);

/* Write a comment line at p, unchecked.  Return the end.  Escape a caller's
   comment that looks like our report, which people and tools rely on.  */
char *cgwi_put_comment (char *p, const char *text);
uint64_t cgwi_comment_max (const char *text);

/* Write the report that n records were lost.  */
char *cgwi_put_lost_comment (char *p, uint64_t n);
size_t cgwi_lost_comment_max (void);

#endif
