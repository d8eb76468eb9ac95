/* name.h - copy names out of a writer's tables, and add them to it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NAME_H
#define CGWI_NAME_H 1

#include "profile.h"

/* A writer's tables of names, to loop over.  */
enum
{
  CGWI_OBJECTS,
  CGWI_FILES,
  CGWI_FNS,
  CGWI_NAME_TABLES
};

static inline struct cgwi_names *
cgwi_name_table (struct cgw_writer *w, int table)
{
  struct cgwi_encoder *e = &w->core.encoder;

  return table == CGWI_OBJECTS ? &e->objects
         : table == CGWI_FILES ? &e->files
                               : &e->fns;
}

/* Make an array of a number for each name of a table, all CGWI_NONE.  The
   caller is inside; names that come later have none.  NULL: no memory.  */
uint32_t *cgwi_number_names (struct cgw_writer *w, int table,
                             const struct cgwi_memory *m);

struct cgwi_name_copy
{
  struct cgwi_name name;
  char *text;            /* ends in a NUL */
  size_t length;
  size_t room;
  const struct cgwi_memory *m;
};

/* Copy a name of a table, which may move as soon as the gate is left.
   CGW_ENOMEM, CGW_EFORK, CGW_EBUSY, CGW_EFINISHED.  */
enum cgw_status cgwi_copy_name (struct cgwi_name_copy *copy,
                                struct cgw_writer *w, int table,
                                uint32_t index);

void cgwi_free_name_copy (struct cgwi_name_copy *copy);

/* Add a text to a table, or find it there.  The same statuses.  */
enum cgw_status cgwi_enter_name (struct cgw_writer *w, int table,
                                 const char *text, uint32_t file,
                                 uint32_t object, uint32_t *index);

#endif
