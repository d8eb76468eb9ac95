/* numbers.h - numbers to which QEMU itself adds when it executes a block.

   From QEMU 9 on, each vcpu has them, on scoreboards.  Before, the first vcpu
   has, and a program may let QEMU add to them until it has a second thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef NUMBERS_H
#define NUMBERS_H 1

#include "interface.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A number of each vcpu.  */
struct number
{
  uint64_t first;           /* the first vcpu's, but for what is on scoreboards */
  _Atomic (uint32_t) place; /* on the scoreboards, counted from 1; 0: none */
};

/* Whether QEMU adds to numbers at all, and whether to those of each vcpu.  */
bool numbers_known (void);
bool numbers_of_each (void);

/* From now on the execution of a block adds to a number.  Called by one thread
   at a time.  */
void number_add (struct number *n, struct qemu_plugin_tb *tb, uint64_t addend);

/* The scoreboards of a vcpu.  */
enum { BOARD = 512 };
struct boards
{
  uint32_t vcpu;     /* QEMU's index: the first one is 0 */
  uint32_t n;        /* known ones */
  uint32_t capacity;
  uint64_t **boards; /* each of BOARD numbers */
};

/* All numbers on them become 0.  */
void boards_clear (struct boards *b);

/* A vcpu's number on scoreboards.  */
uint64_t *number_on_board (const struct number *n, struct boards *b);

/* A vcpu's number.  */
static inline uint64_t
number_get (const struct number *n, struct boards *b)
{
  uint64_t first = b->vcpu == 0 ? n->first : 0;

  return n->place == 0 ? first : first + *number_on_board (n, b);
}

/* The vcpu makes it 0.  */
static inline void
number_clear (struct number *n, struct boards *b)
{
  if (b->vcpu == 0)
    n->first = 0;
  if (n->place != 0)
    *number_on_board (n, b) = 0;
}

#endif /* NUMBERS_H */
