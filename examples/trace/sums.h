/* sums.h - how the sums of a thread's calls are kept: as text.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_SUMS_H
#define TRACE_SUMS_H 1

#include "calls.h"

/* Adds the profile to the text.  Memory is all that can be missing.  */
void calls_write_text (struct calls *c);

#endif /* TRACE_SUMS_H */
