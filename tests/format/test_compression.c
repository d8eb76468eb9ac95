/* test_compression.c - name compression: from a name's index to its id.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/format/encoder.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct cgwi_encoder e;

/* Makes an encoder with names, which have these functions behind those of all
   names objects.  */
static void
start (const char *const *texts, size_t n)
{
  e = (struct cgwi_encoder){ .names = make_names (NULL) };
  for (size_t i = 0; i < n; i++)
    cgw_add_fn (e.names, texts[i], (struct cgw_file){ 0 },
                (struct cgw_object){ 0 });
  cr_assert (cgwi_reserve_ids (&e, &e.names->memory));
}

static void
stop (struct cgwi_encoder *encoder)
{
  cgwi_free_ids (encoder, &encoder->names->memory);
  cgw_names_free (encoder->names);
}

/* What is written for the i-th of them.  */
static const char *
put (uint32_t i, uint32_t part, bool plain)
{
  static char text[200];

  e.part = part;
  e.flags = plain ? CGW_PLAIN_NAMES : 0;
  *cgwi_put_name (text, &e, CGWI_FNS, CGWI_LOST_FN + 1 + i) = '\0';
  return text;
}

/* Each kind has its own ids, and each file.  */
Test (compression, ids_are_those_of_a_kind_and_a_file)
{
  struct cgwi_encoder other;
  char text[20];

  start ((const char *const[]){ "a", "b" }, 2);
  other = (struct cgwi_encoder){ .names = e.names, .part = 1 };
  cr_assert (cgwi_reserve_ids (&other, &e.names->memory));
  cr_expect_str_eq (put (1, 1, false), "(1) b");
  *cgwi_put_name (text, &e, CGWI_FILES, CGWI_UNKNOWN) = '\0';
  cr_expect_str_eq (text, "(1) ???");
  *cgwi_put_name (text, &other, CGWI_FNS, 2) = '\0';
  cr_expect_str_eq (text, "(1) a");
  cr_expect_str_eq (put (0, 1, false), "(2) a");
  cgwi_free_ids (&other, &e.names->memory);
  stop (&e);
}

Test (compression, ids_of_all_lengths)
{
  char text[40];

  start (NULL, 0);
  for (uint32_t i = 0; i < 12000; i++)
    {
      snprintf (text, sizeof text, "function_%u", (unsigned) i);
      cgw_add_fn (e.names, text, (struct cgw_file){ 0 },
                  (struct cgw_object){ 0 });
    }
  cr_assert (cgwi_reserve_ids (&e, &e.names->memory));
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 12000; i++)
      {
        snprintf (text, sizeof text, round == 0 ? "(%u) function_%u" : "(%u)",
                  (unsigned) i + 1, (unsigned) i);
        cr_assert_str_eq (put (i, 1, false), text);
      }
  stop (&e);
}

/* Without room for its id, a name is written in full each time, until normal
   code has made room.  */
Test (compression, names_without_room_have_no_id)
{
  enum { ROOM = 8192, FNS = 2 };
  char text[40];

  start (NULL, 0);
  for (uint32_t i = 0; i < 2 * ROOM; i++)
    {
      snprintf (text, sizeof text, "%s%u", i % 2 == 0 ? "f" : "(1)",
                (unsigned) i);
      cgw_add_fn (e.names, text, (struct cgw_file){ 0 },
                  (struct cgw_object){ 0 });
    }
  cr_expect_str_eq (put (ROOM - FNS - 1, 1, false), "(1) (1)8189");
  cr_expect_str_eq (put (ROOM - FNS - 1, 1, false), "(1)");
  cr_expect_str_eq (put (ROOM - FNS, 1, false), "f8190");
  cr_expect_str_eq (put (ROOM - FNS, 1, false), "f8190");
  /* One that reads as an id has another one each time.  */
  cr_expect_str_eq (put (ROOM - FNS + 1, 1, false), "(2) (1)8191");
  cr_expect_str_eq (put (ROOM - FNS + 1, 1, true), "(3) (1)8191");
  cr_assert (cgwi_reserve_ids (&e, &e.names->memory));
  cr_expect_str_eq (put (ROOM - FNS, 1, false), "(4) f8190");
  cr_expect_str_eq (put (ROOM - FNS - 1, 1, false), "(1)");
  cr_expect_str_eq (put (2 * ROOM - 1, 1, false), "(5) (1)16383");
  cr_expect_str_eq (put (2 * ROOM - 1, 1, false), "(5)");
  stop (&e);
}
