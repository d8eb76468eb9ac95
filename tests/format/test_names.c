/* test_names.c - name compression: text to index to id.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "names.h"
#include "cgw.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table
{
  struct cgwi_names names;
  struct heap heap;
  struct cgwi_memory memory;
};

static void
start (struct table *t)
{
  memset (t, 0, sizeof *t);
  t->memory = (struct cgwi_memory){ heap_allocate, &t->heap };
}

static void
stop (struct table *t)
{
  cgwi_names_free (&t->names, &t->memory);
  cr_assert_eq (t->heap.live, 0, "a block leaks");
}

/* As the writer adds a name: found, or else inserted.  */
static uint32_t
add (struct table *t, const char *text, uint32_t file, uint32_t object)
{
  struct cgwi_key key;
  uint32_t index;

  if (!cgwi_names_key (&t->names, &t->memory, &key, text, strlen (text), file,
                       object))
    return CGWI_NONE;
  index = cgwi_names_find (&t->names, &key);
  return index != CGWI_NONE
             ? index
             : cgwi_names_insert (&t->names, &t->memory, &key);
}

/* What is written for a name.  */
static const char *
put (struct table *t, uint32_t index, uint32_t part, bool plain)
{
  static char text[200];

  *cgwi_put_name (text, &t->names, index, part, plain) = '\0';
  return text;
}

Test (names, equal_arguments_give_equal_indices)
{
  struct table t;
  char copy[] = "main";

  start (&t);
  cr_assert_eq (add (&t, "main", 1, 2), add (&t, copy, 1, 2));
  cr_assert_eq (add (&t, "a\nb", 0, 0), add (&t, "a\nb", 0, 0));
  cr_assert_eq (t.names.n, 2);
  stop (&t);
}

/* A function is (name, file, object).  */
Test (names, each_key_counts)
{
  struct table t;

  start (&t);
  cr_assert_eq (add (&t, "main", 0, 0), 0);
  cr_assert_eq (add (&t, "main", 1, 0), 1);
  cr_assert_eq (add (&t, "main", 0, 1), 2);
  cr_assert_eq (add (&t, "main", 1, 1), 3);
  cr_assert_eq (add (&t, "mai", 0, 0), 4);
  cr_assert_eq (add (&t, "main2", 0, 0), 5);
  cr_assert_eq (add (&t, "main", 1, 0), 1);
  stop (&t);
}

/* What is compared is all of it, should the hashes of two be the same.  */
Test (names, equal_hashes_do_not_make_equal_names)
{
  struct table t;
  struct cgwi_key key, other;

  start (&t);
  add (&t, "main", 1, 2);
  cr_assert (cgwi_names_key (&t.names, &t.memory, &key, "main", 4, 1, 2));
  cr_expect_eq (cgwi_names_find (&t.names, &key), 0);
  other = key;
  other.file = 0;
  cr_expect_eq (cgwi_names_find (&t.names, &other), CGWI_NONE);
  other = key;
  other.object = 0;
  cr_expect_eq (cgwi_names_find (&t.names, &other), CGWI_NONE);
  other = key;
  other.text = "niam";
  cr_expect_eq (cgwi_names_find (&t.names, &other), CGWI_NONE);
  other = key;
  other.length = 3;
  cr_expect_eq (cgwi_names_find (&t.names, &other), CGWI_NONE);
  /* Such a name gets a place of its own.  */
  other = key;
  other.text = "niam";
  cr_expect_eq (cgwi_names_insert (&t.names, &t.memory, &other), 1);
  cr_expect_eq (cgwi_names_find (&t.names, &other), 1);
  cr_expect_eq (cgwi_names_find (&t.names, &key), 0);
  stop (&t);
}

Test (names, a_hundred_thousand)
{
  struct table t;
  char text[40];

  start (&t);
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 100000; i++)
      {
        snprintf (text, sizeof text, "function_%u%s", (unsigned) i,
                  i % 10 == 0 ? "\n" : "");
        cr_assert_eq (add (&t, text, i % 7, i % 5), i, "%s", text);
      }
  cr_assert_eq (t.names.n, 100000);
  cr_assert_eq (t.names.changed, 10000);
  cr_assert_eq (t.names.longest, strlen ("function_99990\\x0a"));
  for (uint32_t i = 0; i < 100000; i++)
    {
      snprintf (text, sizeof text, "(%u) function_%u%s", (unsigned) i + 1,
                (unsigned) i, i % 10 == 0 ? "\\x0a" : "");
      cr_assert_str_eq (put (&t, i, 1, false), text);
    }
  stop (&t);
}

/* Ids are dense, in the order of first use, not of adding.  */
Test (names, ids_are_given_at_first_use)
{
  struct table t;

  start (&t);
  for (int i = 0; i < 4; i++)
    add (&t, (const char *const[]){ "a", "b", "c", "d" }[i], 0, 0);
  cr_expect_str_eq (put (&t, 2, 1, false), "(1) c");
  cr_expect_str_eq (put (&t, 0, 1, false), "(2) a");
  cr_expect_str_eq (put (&t, 2, 1, false), "(1)");
  cr_expect_str_eq (put (&t, 3, 1, false), "(3) d");
  stop (&t);
}

/* KCachegrind forgets ids at a part's end.  */
Test (names, each_part_defines_again_with_the_same_id)
{
  struct table t;

  start (&t);
  add (&t, "a", 0, 0);
  add (&t, "b", 0, 0);
  cr_expect_str_eq (put (&t, 0, 1, false), "(1) a");
  cr_expect_str_eq (put (&t, 1, 2, false), "(2) b");
  cr_expect_str_eq (put (&t, 0, 2, false), "(1) a");
  cr_expect_str_eq (put (&t, 0, 2, false), "(1)");
  stop (&t);
}

Test (names, a_new_file_begins_at_id_1)
{
  struct table t;

  start (&t);
  add (&t, "a", 0, 0);
  add (&t, "b\n", 0, 0);
  put (&t, 0, 1, false);
  cgwi_names_restart (&t.names);
  cr_expect_eq (t.names.changed, 0);
  cr_expect_str_eq (put (&t, 1, 1, false), "(1) b\\x0a");
  cr_expect_str_eq (put (&t, 0, 1, false), "(2) a");
  cr_expect_eq (add (&t, "a", 0, 0), 0, "names outlive the file");
  stop (&t);
}

Test (names, plain_ones_have_no_id)
{
  struct table t;

  start (&t);
  add (&t, "main", 0, 0);
  add (&t, "(below main)", 0, 0);
  for (int i = 0; i < 2; i++)
    {
      cr_expect_str_eq (put (&t, 0, 1, true), "main");
      cr_expect_str_eq (put (&t, 1, 1, true), "(below main)");
    }
  stop (&t);
}

/* Else they would read as an id.  */
Test (names, plain_ones_that_look_like_an_id_have_one)
{
  struct table t;

  start (&t);
  add (&t, "(7)", 0, 0);
  add (&t, "(0", 0, 0);
  add (&t, "(", 0, 0);
  add (&t, "()", 0, 0);
  add (&t, "7(1)", 0, 0);
  cr_expect_str_eq (put (&t, 0, 1, true), "(1) (7)");
  cr_expect_str_eq (put (&t, 0, 1, true), "(1)");
  cr_expect_str_eq (put (&t, 1, 1, true), "(2) (0");
  cr_expect_str_eq (put (&t, 2, 1, true), "(");
  cr_expect_str_eq (put (&t, 3, 1, true), "()");
  cr_expect_str_eq (put (&t, 4, 1, true), "7(1)");
  stop (&t);
}

/* The raw text and its escaped form are one name: readers cannot tell.  */
Test (names, are_compared_as_they_are_written)
{
  struct table t;

  start (&t);
  cr_assert_eq (add (&t, "a\nb", 0, 0), add (&t, "a\\x0ab", 0, 0));
  cr_assert_eq (t.names.n, 1);
  stop (&t);
}

/* Adds the i-th of texts with only so much memory that each try gets one block
   further than the one before; a failed one must leave all as it was.
   Returns how many failed.  */
static size_t
add_step_by_step (struct table *t, const char *const *texts, uint32_t i)
{
  struct cgwi_names before = t->names;
  size_t failed = 0;

  for (;; failed++)
    {
      heap_limit (&t->heap, failed == 0 ? 0 : 1);
      if (add (t, texts[i], 0, 0) != CGWI_NONE)
        return failed;
      cr_assert_eq (t->names.n, i);
      cr_assert_eq (t->names.texts_used, before.texts_used);
      cr_assert_eq (t->names.longest, before.longest);
      cr_assert_eq (t->names.changed, before.changed);
      for (uint32_t j = 0; j < i; j++)
        cr_assert_eq (add (t, texts[j], 0, 0), j, "%s", texts[j]);
    }
}

static void
check_failures (const char *const *texts, uint32_t n)
{
  struct table t;

  start (&t);
  cr_assert_eq (add_step_by_step (&t, texts, 0), 4,
                "entries, their spelling, slots and texts can each fail");
  for (uint32_t i = 1; i < n; i++)
    add_step_by_step (&t, texts, i);
  t.heap.fail_at = 0;
  for (uint32_t i = 0; i < n; i++)
    cr_assert_eq (add (&t, texts[i], 0, 0), i);
  stop (&t);
}

Test (names, no_memory_for_clean_ones)
{
  enum { N = 300 };
  static char texts[N][24];
  const char *list[N];

  for (int i = 0; i < N; i++)
    {
      snprintf (texts[i], sizeof texts[i], "name number %d", i);
      list[i] = texts[i];
    }
  check_failures (list, N);
}

Test (names, no_memory_for_cleaned_ones)
{
  check_failures ((const char *const[]){ "a\n", "b\n", "c", "d\n" }, 4);
}

Test (names, cleaned_texts_survive_growth)
{
  struct table t;
  char text[40];

  start (&t);
  for (uint32_t i = 0; i < 20000; i++)
    {
      snprintf (text, sizeof text, "%u\tname", (unsigned) i);
      cr_assert_eq (add (&t, text, 0, 0), i);
    }
  for (uint32_t i = 0; i < 20000; i++)
    {
      snprintf (text, sizeof text, "(%u) %u\\x09name", (unsigned) i + 1,
                (unsigned) i);
      cr_assert_str_eq (put (&t, i, 1, false), text);
    }
  stop (&t);
}

/* A name may be as long as a name can be.  */
Test (names, longest)
{
  struct table t;
  char *text = malloc (2 * CGW_NAME_MAX + 1);
  uint32_t a, b;

  start (&t);
  memset (text, 'x', 2 * CGW_NAME_MAX);
  text[2 * CGW_NAME_MAX] = '\0';
  a = add (&t, text, 0, 0);
  text[2 * CGW_NAME_MAX - 1] = 'y';
  b = add (&t, text, 0, 0);
  cr_assert_neq (a, b, "the hash tells the ends apart");
  text[CGW_NAME_MAX] = '\0';
  cr_assert_eq (add (&t, text, 0, 0), 2);
  cr_assert_eq (t.names.longest, CGW_NAME_MAX);
  cr_assert_eq (t.names.changed, 2);
  free (text);
  stop (&t);
}
