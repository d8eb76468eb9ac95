/* test_memory.c - arrays that grow, copies of texts, and the end of a program
   that gets no memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/memory.h"
#include "base/tool.h"
#include "capture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tool tool
    = { .name = "test", .usage = "", .help = "", .letters = "", .failed = 9 };

Test (memory, an_array_that_grows_by_index_is_zeroed)
{
  uint32_t *array = NULL, capacity = 0;

  for (uint32_t i = 0; i < 5000; i = 3 * i + 1)
    {
      array = resize_for (array, i, &capacity, sizeof *array);
      cr_assert_lt (i, capacity);
      for (uint32_t k = i; k < capacity; k++)
        cr_assert_eq (array[k], 0);
      array[i] = i + 1;
    }
  for (uint32_t i = 0; i < 5000; i = 3 * i + 1)
    cr_assert_eq (array[i], i + 1);
  free (array);
}

Test (memory, an_array_that_grows_by_one_keeps_what_it_has)
{
  uint64_t *array = NULL;
  size_t n;

  for (n = 0; n < 1000; n++)
    {
      array = resize_for_one (array, n, sizeof *array);
      array[n] = n;
    }
  while (n-- > 0)
    cr_assert_eq (array[n], n);
  free (array);
}

Test (memory, nothing_is_an_array_too)
{
  void *p = resize (NULL, 0, 8);

  cr_assert_not_null (p);
  free (p);
}

Test (memory, texts)
{
  char *copy = copy_text ("a text"), *made = make_text ("%d%%, %s", 7, "x");

  cr_assert_str_eq (copy, "a text");
  cr_assert_str_eq (made, "7%, x");
  cr_assert_null (copy_text (NULL));
  free (copy);
  free (made);
}

static void
say_so (void)
{
  fputs ("first this\n", stderr);
}

/* More bytes than a size_t can count: a product that wraps would be small.  */
static void
ask_for_too_much (void *first)
{
  tool_begin (&tool);
  if (first != NULL)
    no_memory_first (say_so);
  resize (NULL, SIZE_MAX / 4 + 2, 4);
}

/* C libraries have words of their own for it.  */
static void
check_end (const struct captured *c, const char *before)
{
  char *err = make_text ("%stest: memory: %s\n", before, strerror (ENOMEM));

  cr_assert_eq (c->status, 9);
  cr_assert_str_eq (c->err, err);
  free (err);
}

Test (memory, none_ends_the_program)
{
  check_end (capture (ask_for_too_much, NULL), "");
}

/* Twice as much has no number of 32 bits.  */
static void
ask_for_index (void *index)
{
  uint32_t capacity = 0;

  tool_begin (&tool);
  resize_for (NULL, *(uint32_t *) index, &capacity, SIZE_MAX / 2);
}

Test (memory, an_array_of_2_to_31_elements_is_refused_or_has_them)
{
  uint32_t indices[] = { UINT32_C (1) << 31, UINT32_MAX };

  for (int i = 0; i < 2; i++)
    check_end (capture (ask_for_index, &indices[i]), "");
}

Test (memory, something_comes_before_that)
{
  bool first = true;

  check_end (capture (ask_for_too_much, &first), "first this\n");
}
