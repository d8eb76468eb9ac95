/* calls_body.h - the program of calls.h, traced as its includer says.  It may
   be included more than once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "calls.h"

#ifndef CALLS_PASTE
#define CALLS_PASTE(name, level, i) name##_##level##_##i
#define CALLS_EXPAND(name, level, i) CALLS_PASTE (name, level, i)
#define CALLS_FN(level, i) CALLS_EXPAND (CALLS_NAME, level, i)
#define CALLS_INDEX(level, i) ((level) * CALLS_WIDTH + (i))

#define CALLS_DECLARE(level, i)                                               \
  __attribute__ ((noinline)) static uint64_t CALLS_FN (level, i) (uint64_t x)

/* A call from the place of the same number as the function that is called.  */
#define CALLS_PLACE(level, i, next, k)                                        \
  case k:                                                                     \
    CALLS_ENTER (&calls_program.places[CALLS_INDEX (level, i)][k],            \
                 &calls_program.fns[CALLS_INDEX (next, k)]);                  \
    sum += CALLS_FN (next, k) (x);                                            \
    CALLS_LEAVE;                                                              \
    break;

#define CALLS_DEFINE(level, i, next)                                          \
  CALLS_DECLARE (level, i)                                                    \
  {                                                                           \
    uint64_t sum = 0;                                                         \
                                                                              \
    for (int n = 0; n < 2; n++)                                               \
      {                                                                       \
        x = x * 6364136223846793005u + 1442695040888963407u;                  \
        switch (x >> 62)                                                      \
          {                                                                   \
            CALLS_PLACE (level, i, next, 0)                                   \
            CALLS_PLACE (level, i, next, 1)                                   \
            CALLS_PLACE (level, i, next, 2)                                   \
            CALLS_PLACE (level, i, next, 3)                                   \
          }                                                                   \
      }                                                                       \
    return sum;                                                               \
  }

#define CALLS_LEVEL(level, next)                                              \
  CALLS_DEFINE (level, 0, next)                                               \
  CALLS_DEFINE (level, 1, next)                                               \
  CALLS_DEFINE (level, 2, next)                                               \
  CALLS_DEFINE (level, 3, next)

#define CALLS_LEAF(i)                                                         \
  CALLS_DECLARE (19, i) { return x >> 32 ^ i; }
#endif

CALLS_LEAF (0)
CALLS_LEAF (1)
CALLS_LEAF (2)
CALLS_LEAF (3)
CALLS_LEVEL (18, 19)
CALLS_LEVEL (17, 18)
CALLS_LEVEL (16, 17)
CALLS_LEVEL (15, 16)
CALLS_LEVEL (14, 15)
CALLS_LEVEL (13, 14)
CALLS_LEVEL (12, 13)
CALLS_LEVEL (11, 12)
CALLS_LEVEL (10, 11)
CALLS_LEVEL (9, 10)
CALLS_LEVEL (8, 9)
CALLS_LEVEL (7, 8)
CALLS_LEVEL (6, 7)
CALLS_LEVEL (5, 6)
CALLS_LEVEL (4, 5)
CALLS_LEVEL (3, 4)
CALLS_LEVEL (2, 3)
CALLS_LEVEL (1, 2)
CALLS_DEFINE (0, 0, 1)

uint64_t
CALLS_NAME (uint64_t number)
{
  CALLS_ENTER (NULL, &calls_program.fns[0]);
  uint64_t sum = CALLS_FN (0, 0) (number);
  CALLS_LEAVE;
  return sum;
}

#undef CALLS_NAME
#undef CALLS_ENTER
#undef CALLS_LEAVE
