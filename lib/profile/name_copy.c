/* name_copy.c - copy a name out of its writer's tables, and add one.

   SPDX-License-Identifier: MIT  */

#include "name_copy.h"

#include "../core/handles.h"

#include <string.h>

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
cgwi_copy_name (struct cgwi_name_copy *copy, struct cgw_writer *w,
                const struct cgwi_names *t, uint32_t index)
{
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
cgwi_enter_name (struct cgw_writer *w, struct cgwi_names *t, const char *text,
                 uint32_t file, uint32_t object, uint32_t *index)
{
  enum cgw_status status = cgwi_enter (w);

  if (status != CGW_OK)
    return status;
  *index = cgwi_add_name (&w->core, t, text, file, object);
  cgwi_publish_names (w);
  cgwi_leave (w);
  return *index != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}
