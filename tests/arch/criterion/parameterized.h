/* parameterized.h - tests that run once for each parameter.  See criterion.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef ARCH_CRITERION_PARAMETERIZED_H
#define ARCH_CRITERION_PARAMETERIZED_H 1

#include "criterion.h"

#define cr_make_param_array(type, array, n)                                   \
  ((struct criterion_test_params){ sizeof (type), array, n })

#define ParameterizedTestParameters(suite_, name_)                            \
  static struct criterion_test_params suite_##_##name_##_parameters (void)

#define ParameterizedTest(parameter, suite_, name_)                           \
  static void suite_##_##name_##_test (parameter);                            \
  static void suite_##_##name_##_with (void *p)                               \
  {                                                                           \
    suite_##_##name_##_test (p);                                              \
  }                                                                           \
  CRITERION_ADD (suite_##_##name_##_test, .suite = #suite_, .name = #name_,   \
                 .parameters = suite_##_##name_##_parameters,                 \
                 .run_with = suite_##_##name_##_with)                         \
  static void suite_##_##name_##_test (parameter)

#endif /* ARCH_CRITERION_PARAMETERIZED_H */
