/* encoder.h - the state that lines are encoded with: the ids of names, the
   options, and what readers remember from the lines so far.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ENCODER_H
#define CGWI_ENCODER_H 1

#include "../names/names.h"
#include "../text/number.h"
#include "cgw.h"

#include <string.h>

/* What a file keeps of a name.  */
struct cgwi_id
{
  uint32_t id;   /* 0: not used yet */
  uint32_t part; /* the part that defined it last, 0 none */
};

/* The ids of the names of a kind, by their indices.  */
struct cgwi_ids
{
  struct cgwi_array array; /* of struct cgwi_id */
  uint32_t last;           /* id */
};

/* What readers remember.  It changes while a record is encoded.  */
struct cgwi_remembered
{
  uint32_t object;  /* index of the last ob=, or CGWI_NONE */
  uint32_t file;    /* of the last fl=, or CGWI_NONE */
  uint32_t source;  /* of the last fl=, fi= or fe=: the file of cost lines */
  uint32_t fn;      /* of the last fn=, or CGWI_NONE */
  const struct cgwi_name *name; /* of that function */
  bool inlined;     /* a fi= or fe= came since the last fl= */
  bool absolute;    /* write absolute subpositions: a fn= came since the last
                       cost line, and Qt Creator resets its base there; or
                       CGW_ABSOLUTE */
  uint32_t line;    /* of the last cost line: the base of relative ones */
  uint64_t instr;
};

struct cgwi_encoder
{
  struct cgwi_remembered last;
  size_t fast;         /* the most costs that the next line may have to be a
                          fast one (lines.h): most_fast while a part is open
                          and `handles` are valid, else 0 */
  size_t most_fast;   /* all events; 0 with CGW_ABSOLUTE or CGW_KEEP_ZEROS */
  unsigned positions;  /* CGW_LINE, ... of all parts; 0 before the first */
  uint64_t handles;    /* of the last cost line's position */
  size_t n_events;     /* those with costs; 0 before the first part */
  unsigned flags;      /* the writer's */
  uint32_t part;       /* counts the file's parts */
  struct cgw_names *names;
  struct cgwi_ids ids[CGWI_KINDS_OF_NAMES];
};

/* Whether a function of that object needs its ob= or cob=.  The unknown object
   needs one, too, as soon as there is any other, or it was added as "???": Qt
   Creator loses the calls between a function without an object and one in
   "???".  */
static inline bool
cgwi_needs_object (const struct cgwi_encoder *e, uint32_t object)
{
  return object != e->last.object
         && atomic_load_explicit (&e->names->has_objects,
                                  memory_order_relaxed);
}

/* The handles of a position's function and file, as one number.  */
_Static_assert (offsetof (struct cgw_pos, fn) == 0
                    && offsetof (struct cgw_pos, file) == 4,
                "both handles are the first 8 bytes of a position");

static inline uint64_t
cgwi_handles (const struct cgw_pos *pos)
{
  uint64_t handles;

  memcpy (&handles, pos, sizeof handles);
  return handles;
}

/* Name compression: "(id) text" where a part first uses a name, "(id)"
   afterwards.

   A name gets its id at its first use in a file, so ids are dense from 1.
   Each part defines it again, because KCachegrind forgets ids at the end of a
   part.  A record in a handler cannot allocate: a name that was added since
   the last call from normal code, and for whose id there is no room, is written
   in full, without an id.  */

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
