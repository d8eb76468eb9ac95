/* test_compression.c - name compression: from a name's index to its id.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/format/compression.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A user of names, such as a writer.  */
static struct cgwi_user user;

/* Makes names, which have these functions behind those of all names
   objects.  */
static void
start (const char *const *texts, size_t n)
{
  struct cgw_names *names = make_names (NULL);

  cr_assert_eq (cgwi_join_names (&user, names), CGW_OK);
  for (size_t i = 0; i < n; i++)
    cgw_add_fn (names, texts[i], (struct cgw_file){ 0 },
                (struct cgw_object){ 0 });
  cgw_names_free (names);
}

/* What is written for the i-th of them.  */
static const char *
put (uint32_t i, uint32_t part, bool plain)
{
  static char text[200];

  *cgwi_put_name (text, &user, CGWI_FNS, CGWI_LOST_FN + 1 + i, part, plain)
      = '\0';
  return text;
}

/* Ids are dense, in the order of first use, not of adding.  */
Test (compression, ids_are_given_at_first_use)
{
  start ((const char *const[]){ "a", "b", "c", "d" }, 4);
  cr_expect_str_eq (put (2, 1, false), "(1) c");
  cr_expect_str_eq (put (0, 1, false), "(2) a");
  cr_expect_str_eq (put (2, 1, false), "(1)");
  cr_expect_str_eq (put (3, 1, false), "(3) d");
  cgwi_leave_names (&user);
}

/* Each kind has its own ids, and each user.  */
Test (compression, ids_are_those_of_a_kind_and_a_user)
{
  static struct cgwi_user other;
  char text[20];

  start ((const char *const[]){ "a", "b" }, 2);
  cr_assert_eq (cgwi_join_names (&other, user.names), CGW_OK);
  cr_expect_str_eq (put (1, 1, false), "(1) b");
  *cgwi_put_name (text, &user, CGWI_FILES, CGWI_UNKNOWN, 1, false) = '\0';
  cr_expect_str_eq (text, "(1) ???");
  *cgwi_put_name (text, &other, CGWI_FNS, 2, 1, false) = '\0';
  cr_expect_str_eq (text, "(1) a");
  cr_expect_str_eq (put (0, 1, false), "(2) a");
  cgwi_leave_names (&user);
  cgwi_leave_names (&other);
}

/* KCachegrind forgets ids at a part's end.  */
Test (compression, each_part_defines_again_with_the_same_id)
{
  start ((const char *const[]){ "a", "b" }, 2);
  cr_expect_str_eq (put (0, 1, false), "(1) a");
  cr_expect_str_eq (put (1, 2, false), "(2) b");
  cr_expect_str_eq (put (0, 2, false), "(1) a");
  cr_expect_str_eq (put (0, 2, false), "(1)");
  cgwi_leave_names (&user);
}

Test (compression, ids_of_all_lengths)
{
  char text[40];

  start (NULL, 0);
  for (uint32_t i = 0; i < 12000; i++)
    {
      snprintf (text, sizeof text, "function_%u", (unsigned) i);
      cgw_add_fn (user.names, text, (struct cgw_file){ 0 },
                  (struct cgw_object){ 0 });
    }
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 12000; i++)
      {
        snprintf (text, sizeof text, round == 0 ? "(%u) function_%u" : "(%u)",
                  (unsigned) i + 1, (unsigned) i);
        cr_assert_str_eq (put (i, 1, false), text);
      }
  cgwi_leave_names (&user);
}

Test (compression, plain_names_have_no_id)
{
  start ((const char *const[]){ "main", "(below main)" }, 2);
  for (int i = 0; i < 2; i++)
    {
      cr_expect_str_eq (put (0, 1, true), "main");
      cr_expect_str_eq (put (1, 1, true), "(below main)");
    }
  cgwi_leave_names (&user);
}

/* Else they would read as an id.  */
Test (compression, plain_names_that_look_like_an_id_have_one)
{
  start ((const char *const[]){ "(7)", "(0", "(", "()", "7(1)" }, 5);
  cr_expect_str_eq (put (0, 1, true), "(1) (7)");
  cr_expect_str_eq (put (0, 1, true), "(1)");
  cr_expect_str_eq (put (1, 1, true), "(2) (0");
  cr_expect_str_eq (put (2, 1, true), "(");
  cr_expect_str_eq (put (3, 1, true), "()");
  cr_expect_str_eq (put (4, 1, true), "7(1)");
  cgwi_leave_names (&user);
}
