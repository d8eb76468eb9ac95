/* compression.h - name compression: "(id) text" where a part first uses a name,
   "(id)" afterwards.

   A name gets its id at its first use in a file, so ids are dense from 1.
   Each part defines it again, because KCachegrind forgets ids at the end of a
   part.  A record in a handler cannot allocate: a name that was added since
   the last call from normal code, and for whose id there is no room, is written
   in full, without an id.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_COMPRESSION_H
#define CGWI_COMPRESSION_H 1

#include "../text/number.h"
#include "encoder.h"

/* Make room for the ids of all names that there are, and of more.  False: no
   memory for some.  */
bool cgwi_reserve_ids (struct cgwi_encoder *e, const struct cgwi_memory *m);

void cgwi_free_ids (struct cgwi_encoder *e, const struct cgwi_memory *m);

/* Whether the part has defined a name's id.  */
static inline bool
cgwi_is_defined (const struct cgwi_encoder *e, enum cgwi_kind_of_name kind,
                 uint32_t index)
{
  const struct cgwi_ids *ids = &e->ids[kind];
  const struct cgwi_id *at = ids->array.at;

  return index < ids->array.room && at[index].part == e->part;
}

/* Write a name's text alone at p, whatever it reads as.  Return the end.  */
char *cgwi_put_name_text (char *p, const struct cgwi_encoder *e,
                          enum cgwi_kind_of_name kind, uint32_t index);

/* Write a name at p whose id the part has not defined: "(id) text"; if `plain`,
   or without room for its id, the text alone, unless it reads as an id.  The id
   becomes that part's.  Return the end.  */
char *cgwi_put_new_name (char *p, struct cgwi_encoder *e,
                         enum cgwi_kind_of_name kind, uint32_t index,
                         uint32_t part, bool plain);

/* Write a name at p: "(id)", or as cgwi_put_new_name.  Return the end.  */
static inline char *
cgwi_put_name (char *p, struct cgwi_encoder *e, enum cgwi_kind_of_name kind,
               uint32_t index)
{
  const struct cgwi_id *ids = e->ids[kind].array.at;

  if (!cgwi_is_defined (e, kind, index))
    return cgwi_put_new_name (p, e, kind, index, e->part,
                              e->flags & CGW_PLAIN_NAMES);
  *p++ = '(';
  p = cgwi_put_decimal (p, ids[index].id);
  *p++ = ')';
  return p;
}

#endif
