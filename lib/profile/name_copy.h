/* name_copy.h - copy a name out of its writer's tables.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NAME_COPY_H
#define CGWI_NAME_COPY_H 1

#include "profile.h"

struct cgwi_name_copy
{
  struct cgwi_name name;
  char *text;            /* ends in a NUL */
  size_t length;
  size_t room;
  const struct cgwi_memory *m;
};

/* Copy a name of that table.  The table may move as soon as the gate is left.
   CGW_ENOMEM, CGW_EFORK, CGW_EBUSY, CGW_EFINISHED.  */
enum cgw_status cgwi_copy_name (struct cgwi_name_copy *copy,
                                struct cgw_writer *w,
                                const struct cgwi_names *t, uint32_t index);

void cgwi_free_name_copy (struct cgwi_name_copy *copy);

/* Add a text to a table of the writer, or find it there.  */
enum cgw_status cgwi_enter_name (struct cgw_writer *w, struct cgwi_names *t,
                                 const char *text, uint32_t file,
                                 uint32_t object, uint32_t *index);

#endif
