/* handles.h - add names, and make room for records that use them.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_HANDLES_H
#define CGWI_HANDLES_H 1

#include "core.h"

/* Return the index of a name, added if need be; CGWI_NONE when there is no
   memory.  NULL and "" are the unknown name.  `file` and `object` are indices,
   0 but for functions.  */
uint32_t cgwi_add_name (struct cgwi_core *c, struct cgwi_names *t,
                        const char *text, uint32_t file, uint32_t object);

/* Make the buffer large enough for `more` bytes of padding and text (or what
   it takes before a write, if that is more), one record, and the end of a
   part.  False: no memory.  */
bool cgwi_fit (struct cgwi_core *c, const struct cgwi_lengths *l, size_t more);

#endif
