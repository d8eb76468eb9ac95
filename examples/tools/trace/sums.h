/* sums.h - how the sums of a thread's calls are kept: as text.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_SUMS_H
#define TRACE_SUMS_H 1

#include "calls.h"

/* Adds the profile to the text.  Memory is all that can be missing.  */
void calls_write_text (struct calls *c);

/* For calls_copy: the text of the copy is that of the calls, and the profile.  */
bool calls_copy_text (struct calls *c, struct calls *copy);

#endif /* TRACE_SUMS_H */
