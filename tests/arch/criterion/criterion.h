/* criterion.h - the part of Criterion that the tests use, for systems that
   have no Criterion: other processors and other C libraries.  See
   ../criterion.c and ../../arch.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef ARCH_CRITERION_H
#define ARCH_CRITERION_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct criterion_options
{
  int unused; /* lets the list of a test without options be empty */
  void (*init) (void);
  void (*fini) (void);
  double timeout;
};

struct criterion_test_params
{
  size_t size;
  void *array;
  size_t n;
};

struct criterion_test
{
  const char *suite;
  const char *name; /* NULL: a suite's options */
  void (*run) (void);
  struct criterion_test_params (*parameters) (void);
  void (*run_with) (void *parameter);
  struct criterion_options options;
  struct criterion_test *next;
};

void criterion_add (struct criterion_test *test);

/* Tests register themselves before main.  */

#define CRITERION_ADD(id, ...)                                                \
  __attribute__ ((constructor)) static void id##_add (void)                   \
  {                                                                           \
    static struct criterion_test test = { __VA_ARGS__ };                      \
    criterion_add (&test);                                                    \
  }

#define TestSuite(suite_, ...)                                                \
  CRITERION_ADD (suite_##_suite, .suite = #suite_,                            \
                 .options = { .unused = 0, __VA_ARGS__ })                     \
  struct criterion_test

#define Test(suite_, name_, ...)                                              \
  static void suite_##_##name_##_test (void);                                 \
  CRITERION_ADD (suite_##_##name_##_test, .suite = #suite_, .name = #name_,   \
                 .run = suite_##_##name_##_test,                              \
                 .options = { .unused = 0, __VA_ARGS__ })                     \
  static void suite_##_##name_##_test (void)

/* Checks.  cr_assert ends the test, cr_expect goes on.  The message may be
   left out.  */

void criterion_failed (bool end, const char *file, int line, const char *what,
                       const char *format, ...)
    __attribute__ ((format (printf, 5, 6)));
_Noreturn void criterion_skip (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

#define CRITERION_CHECK(end, condition, what, ...)                            \
  ((condition)                                                                \
       ? (void)0                                                              \
       : criterion_failed (end, __FILE__, __LINE__, what, "" __VA_ARGS__))

#define cr_skip_test(...) criterion_skip ("" __VA_ARGS__)
#define cr_assert_fail(...) CRITERION_CHECK (true, false, "fail", __VA_ARGS__)
#define cr_expect_fail(...) CRITERION_CHECK (false, false, "fail", __VA_ARGS__)

#define cr_assert(c, ...) CRITERION_CHECK (true, c, #c, __VA_ARGS__)
#define cr_expect(c, ...) CRITERION_CHECK (false, c, #c, __VA_ARGS__)
#define cr_assert_not(c, ...) CRITERION_CHECK (true, !(c), "!" #c, __VA_ARGS__)
#define cr_expect_not(c, ...)                                                 \
  CRITERION_CHECK (false, !(c), "!" #c, __VA_ARGS__)
#define cr_assert_null(p, ...)                                                \
  CRITERION_CHECK (true, (p) == NULL, #p " == NULL", __VA_ARGS__)
#define cr_expect_null(p, ...)                                                \
  CRITERION_CHECK (false, (p) == NULL, #p " == NULL", __VA_ARGS__)
#define cr_assert_not_null(p, ...)                                            \
  CRITERION_CHECK (true, (p) != NULL, #p " != NULL", __VA_ARGS__)
#define cr_expect_not_null(p, ...)                                            \
  CRITERION_CHECK (false, (p) != NULL, #p " != NULL", __VA_ARGS__)

#define CRITERION_COMPARE(end, a, op, b, ...)                                 \
  CRITERION_CHECK (end, (a)op (b), #a " " #op " " #b, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) CRITERION_COMPARE (true, a, ==, b, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)                                               \
  CRITERION_COMPARE (false, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)                                              \
  CRITERION_COMPARE (true, a, !=, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...)                                              \
  CRITERION_COMPARE (false, a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) CRITERION_COMPARE (true, a, <, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) CRITERION_COMPARE (false, a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)                                              \
  CRITERION_COMPARE (true, a, <=, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...)                                              \
  CRITERION_COMPARE (false, a, <=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) CRITERION_COMPARE (true, a, >, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) CRITERION_COMPARE (false, a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)                                              \
  CRITERION_COMPARE (true, a, >=, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...)                                              \
  CRITERION_COMPARE (false, a, >=, b, __VA_ARGS__)

#define CRITERION_SAME(end, a, op, b, ...)                                    \
  CRITERION_CHECK (end, strcmp (a, b) op 0, #a " " #op " " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)                                           \
  CRITERION_SAME (true, a, ==, b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)                                           \
  CRITERION_SAME (false, a, ==, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                          \
  CRITERION_SAME (true, a, !=, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)                                          \
  CRITERION_SAME (false, a, !=, b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                        \
  CRITERION_CHECK (true, memcmp (a, b, n) == 0, #a " == " #b, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...)                                        \
  CRITERION_CHECK (false, memcmp (a, b, n) == 0, #a " == " #b, __VA_ARGS__)

#endif /* ARCH_CRITERION_H */
