/* sums.h - how the sums of a thread's calls are kept: as text.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_SUMS_H
#define TRACE_SUMS_H 1

#include "calls.h"

#include <sys/types.h>

/* The write hook of a thread's writer: adds to the text.  */
ssize_t calls_keep_text (void *calls, const void *bytes, size_t n);

/* Adds the profile to the text, and sets the status if that fails.  */
void calls_write_text (struct calls *c);

#endif /* TRACE_SUMS_H */
