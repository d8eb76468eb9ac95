/* recording.c - titles and build IDs of what was profiled.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "recording.h"

#include "../base/memory.h"
#include "../base/table.h"

#include <inttypes.h>
#include <stdlib.h>

char *
recorded_title (const struct recording *r, const struct recorded *p)
{
  const char *name = p->input != NULL  ? p->input
                     : p->comm != NULL ? p->comm
                     : r->cmd != NULL  ? r->cmd
                                       : "profile";
  char *part = p->part != 0 ? make_text (", part %" PRIu64, p->part)
                            : copy_text ("");
  char *title
      = p->pid == 0 && p->tid == 0
            ? make_text ("%s%s", name, part)
            : make_text ("%s%s, process %" PRIu64 ", thread %" PRIu64, name,
                         part, p->pid, p->tid);

  free (part);
  return title;
}

struct build_id
{
  uint32_t object; /* its handle */
  char *text;
};

struct table
build_ids_begin (void)
{
  return (struct table){ .key_size = sizeof (uint32_t),
                         .entry_size = sizeof (struct build_id) };
}

void
build_ids_add (struct table *ids, struct cgw_names *names, const char *object,
               const char *text)
{
  struct cgw_object o = cgw_add_object (names, object);
  struct build_id *id = table_add (ids, &o.handle);

  free (id->text);
  id->text = copy_text (text);
}

const char *
build_ids_find (const struct table *ids, struct cgw_object object)
{
  const struct build_id *id
      = ids != NULL ? table_find (ids, &object.handle) : NULL;

  return id != NULL ? id->text : "";
}

void
build_ids_free (struct table *ids)
{
  for (uint32_t i = 0; i < ids->n; i++)
    free (((struct build_id *) table_entry (ids, i))->text);
  table_free (ids);
}
