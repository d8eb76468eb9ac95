/* name.c - copy names out of a writer's tables, and add them to it.

   SPDX-License-Identifier: MIT  */

#include "name.h"

#include "../core/handles.h"

#include <string.h>

uint32_t *
cgwi_number_names (struct cgw_writer *w, int table,
                   const struct cgwi_memory *m)
{
  size_t size = cgwi_name_table (w, table)->n * sizeof (uint32_t);
  uint32_t *numbers = cgwi_resize (m, NULL, size);

  if (numbers != NULL)
    memset (numbers, 0xff, size); /* CGWI_NONE */
  return numbers;
}

static bool
reserve (struct cgwi_name_copy *copy, size_t n)
{
  char *text;

  if (n <= copy->room)
    return true;
  text = cgwi_resize (copy->m, copy->text, n);
  if (text == NULL)
    return false;
  copy->text = text;
  copy->room = n;
  return true;
}

enum cgw_status
cgwi_copy_name (struct cgwi_name_copy *copy, struct cgw_writer *w, int table,
                uint32_t index)
{
  const struct cgwi_names *t = cgwi_name_table (w, table);
  enum cgw_status status = cgwi_enter (w);
  const struct cgwi_text *text;

  if (status != CGW_OK)
    return status;
  text = &t->spelled[index];
  if (reserve (copy, text->length + (size_t) 1))
    {
      memcpy (copy->text, t->texts + text->start, text->length);
      copy->text[text->length] = '\0';
      copy->length = text->length;
      copy->name = t->entries[index];
    }
  else
    status = CGW_ENOMEM;
  cgwi_leave (w);
  return status;
}

void
cgwi_free_name_copy (struct cgwi_name_copy *copy)
{
  cgwi_release (copy->m, copy->text);
}

enum cgw_status
cgwi_enter_name (struct cgw_writer *w, int table, const char *text,
                 uint32_t file, uint32_t object, uint32_t *index)
{
  enum cgw_status status = cgwi_enter (w);

  if (status != CGW_OK)
    return status;
  *index = cgwi_add_name (&w->core, cgwi_name_table (w, table), text, file,
                          object);
  cgwi_publish_names (w);
  cgwi_leave (w);
  return *index != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}
