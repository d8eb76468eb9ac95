/* homes.h - the own file of each function, as the profile knows it.

   The writer's tables may move while other threads add names, so reading them
   needs the gate.  A function's own file never changes.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_HOMES_H
#define CGWI_HOMES_H 1

#include "profile.h"

/* Learn the files of all functions that have been published.  Leave the gate
   from time to time, so that deferred records do not wait for long.
   CGW_ENOMEM, CGW_EFORK, CGW_EBUSY, CGW_EFINISHED.  */
enum cgw_status cgwi_learn_homes (struct cgw_profile *p);

/* Return a key's source file plus 1, or 0 for the function's own file.  Its
   functions' files must be known.  */
static inline uint32_t
cgwi_source (const struct cgw_profile *p, const struct cgwi_spot *s)
{
  return s->source != 0 && s->source - 1 != p->homes.files[s->fn] ? s->source
                                                                  : 0;
}

#endif
