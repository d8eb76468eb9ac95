/* numbers.c - numbers to which QEMU itself adds.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "numbers.h"

#include "../base/memory.h"

#include <string.h>

enum { SIZE = BOARD * sizeof (uint64_t), BOARDS = 1 << 16 };

/* Any thread reads those that have a place that it knows.  */
static struct qemu_plugin_scoreboard *boards[BOARDS];
static uint32_t n_places;

bool
numbers_of_each (void)
{
  return qemu_plugin_scoreboard_new != NULL;
}

bool
numbers_known (void)
{
  return numbers_of_each () || qemu_plugin_register_vcpu_tb_exec_inline != NULL;
}

static uint32_t
new_place (void)
{
  uint32_t i = n_places / BOARD;

  if (i == BOARDS)
    no_memory ();
  if (n_places % BOARD == 0)
    boards[i] = qemu_plugin_scoreboard_new (SIZE);
  return ++n_places;
}

void
number_add (struct number *n, struct qemu_plugin_tb *tb, uint64_t addend)
{
  qemu_plugin_u64 on_board;

  if (!numbers_of_each ())
    {
      qemu_plugin_register_vcpu_tb_exec_inline (tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                                &n->first, addend);
      return;
    }
  if (n->place == 0)
    n->place = new_place ();
  on_board.score = boards[(n->place - 1) / BOARD];
  on_board.offset = (n->place - 1) % BOARD * sizeof (uint64_t);
  qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu (
      tb, QEMU_PLUGIN_INLINE_ADD_U64, on_board, addend);
}

/* Finds those that are not known yet, up to number i.  */
static void
find_boards (struct boards *b, uint32_t i)
{
  for (; b->n <= i; b->n++)
    {
      b->boards
          = resize_for (b->boards, b->n, &b->capacity, sizeof *b->boards);
      b->boards[b->n] = qemu_plugin_scoreboard_find (boards[b->n], b->vcpu);
    }
}

uint64_t *
number_on_board (const struct number *n, struct boards *b)
{
  uint32_t i = n->place - 1;

  if (i / BOARD >= b->n)
    find_boards (b, i / BOARD);
  return &b->boards[i / BOARD][i % BOARD];
}

void
boards_clear (struct boards *b)
{
  if (n_places != 0)
    find_boards (b, (n_places - 1) / BOARD);
  for (uint32_t i = 0; i < b->n; i++)
    memset (b->boards[i], 0, SIZE);
}
