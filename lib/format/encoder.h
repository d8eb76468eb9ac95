/* encoder.h - the state that lines are encoded with: the ids of names, the
   options, and what readers remember from the lines so far.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ENCODER_H
#define CGWI_ENCODER_H 1

#include "../names/names.h"
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
  size_t usual;        /* the most costs that the next line may have to be a
                          usual one (usual.h): most_usual while a part is open
                          and `handles` are valid, else 0 */
  size_t most_usual;   /* all events; 0 with CGW_ABSOLUTE or CGW_KEEP_ZEROS */
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

#endif
