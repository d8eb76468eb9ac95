/* compression.c - name compression.

   SPDX-License-Identifier: MIT  */

#include "compression.h"

#include <string.h>

char *
cgwi_put_name_text (char *p, const struct cgwi_user *u,
                    enum cgwi_kind_of_name kind, uint32_t index)
{
  const struct cgwi_name *name = cgwi_name (u->names, kind, index);

  memcpy (p, name->text, name->length);
  return p + name->length;
}

/* Whether readers take a text that is written without an id for an id.  */
static bool
reads_as_id (const char *text)
{
  return text[0] == '(' && text[1] >= '0' && text[1] <= '9';
}

char *
cgwi_put_new_name (char *p, struct cgwi_user *u, enum cgwi_kind_of_name kind,
                   uint32_t index, uint32_t part, bool plain)
{
  struct cgwi_stamps *stamps = &u->stamps[kind];
  struct cgwi_stamp *stamp = cgwi_stamp (stamps, index);

  if (!plain || reads_as_id (cgwi_name (u->names, kind, index)->text))
    {
      if (stamp->id == 0)
        stamp->id = ++stamps->last_id;
      stamp->part = part;
      p = cgwi_put_name (p, u, kind, index, part, plain);
      *p++ = ' ';
    }
  return cgwi_put_name_text (p, u, kind, index);
}
