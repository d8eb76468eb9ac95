/* compression.h - name compression: "(id) text" where a part first uses a name,
   "(id)" afterwards.

   A name gets its id at its first use in a file, so ids are dense from 1.
   Each part defines it again, because KCachegrind forgets ids at the end of a
   part.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_COMPRESSION_H
#define CGWI_COMPRESSION_H 1

#include "../names/names.h"
#include "../text/number.h"

/* Write a name's text alone at p, whatever it reads as.  Return the end.  */
char *cgwi_put_name_text (char *p, const struct cgwi_user *u,
                          enum cgwi_kind_of_name kind, uint32_t index);

/* Write a name at p, as cgwi_put_name, that this part may not have defined
   yet.  Return the end.  */
char *cgwi_put_new_name (char *p, struct cgwi_user *u,
                         enum cgwi_kind_of_name kind, uint32_t index,
                         uint32_t part, bool plain);

/* Write a name at p: "(id) text" if this part has not defined it yet, else
   "(id)"; in plain mode the text alone, unless it reads as an id.  The caller
   has looked up the name's stamp.  Return the end.  */
static inline char *
cgwi_put_stamped_name (char *p, struct cgwi_user *u,
                       enum cgwi_kind_of_name kind, uint32_t index,
                       const struct cgwi_stamp *stamp, uint32_t part,
                       bool plain)
{
  if (stamp->part != part)
    return cgwi_put_new_name (p, u, kind, index, part, plain);
  *p++ = '(';
  p = cgwi_put_decimal (p, stamp->id);
  *p++ = ')';
  return p;
}

static inline char *
cgwi_put_name (char *p, struct cgwi_user *u, enum cgwi_kind_of_name kind,
               uint32_t index, uint32_t part, bool plain)
{
  return cgwi_put_stamped_name (p, u, kind, index,
                                cgwi_stamp (&u->stamps[kind], index), part,
                                plain);
}

#endif
