/* loaded.h - what the program has loaded.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_LOADED_H
#define TRACE_LOADED_H 1

#include <stdbool.h>

/* Whether the program, or a library that it has loaded by now, calls the
   hooks: whether anything was compiled with -finstrument-functions.  */
bool loaded_is_instrumented (void);

#endif /* TRACE_LOADED_H */
