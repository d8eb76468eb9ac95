/* unify.h - find the names of one writer in another, by their texts.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_UNIFY_H
#define CGWI_UNIFY_H 1

#include "name.h"

/* Names of `from`.  If both are the same writer, there are no arrays.  */
struct cgwi_unified
{
  struct cgw_writer *into;
  struct cgw_writer *from;
  /* By table, and index in `from`: index in `into`; CGWI_NONE: not yet
     known.  */
  uint32_t *indices[CGWI_NAME_TABLES];
  struct cgwi_name_copy copy;
};

/* Prepare.  CGW_ENOMEM, CGW_EFORK, CGW_EBUSY, CGW_EFINISHED.  */
enum cgw_status cgwi_unify (struct cgwi_unified *u, struct cgw_writer *into,
                            struct cgw_writer *from);

/* Replace the names of a key, adding them to `into` if they are new there.
   The same statuses.  */
enum cgw_status cgwi_unify_key (struct cgwi_unified *u,
                                struct cgwi_spot *key);

void cgwi_free_unified (struct cgwi_unified *u);

#endif
