/* test_reader.c - what is written for one reader, and what is said of it.
   Headers that a reader does not take are in recode_for.sh and for.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "format/reader.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct cgw_event events[]
    = { { "A", "A long", NULL }, { "B", NULL, NULL }, { "S", NULL, "A + B" } };
enum { EVENTS = sizeof events / sizeof *events };

static struct cgw_part
rich_part (void)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = EVENTS;
  part.positions = CGW_INSTR_LINE;
  part.thread = 2;
  return part;
}

Test (reader, has_a_name)
{
  for (unsigned i = 0; i < N_READERS; i++)
    {
      const struct reader *r = reader_named (readers[i].option);

      cr_assert_eq (r, &readers[i]);
      cr_assert (r->lacks != 0);
    }
  cr_assert_null (reader_named ("webgrind"));
  cr_assert_null (reader_named ("QtCreator"));
  cr_assert_null (reader_named (""));
}

Test (reader, any_and_kcachegrind_get_everything)
{
  const struct reader *any[] = { NULL, reader_named ("kcachegrind") };

  for (int i = 0; i < 2; i++)
    {
      struct cgw_part part = rich_part ();
      struct cgw_event fit[EVENTS];

      cr_assert_eq (reader_fit (any[i], &part, fit), 0);
      cr_assert_eq (part.n_events, EVENTS);
      cr_assert_str_eq (part.events[0].long_name, "A long");
      cr_assert_eq (part.positions, CGW_INSTR_LINE);
      cr_assert_eq (part.thread, 2);
    }
}

Test (reader, addresses_alone_stay)
{
  const struct reader *r = reader_named ("speedscope");

  cr_assert_eq (reader_positions (r, CGW_INSTR_LINE), CGW_LINE);
  cr_assert_eq (reader_positions (r, CGW_LINE), CGW_LINE);
  cr_assert_eq (reader_positions (r, CGW_INSTR), CGW_INSTR);
  cr_assert_eq (reader_positions (NULL, CGW_INSTR_LINE), CGW_INSTR_LINE);
}

static unsigned
limits_of (const char *reader, const char *stack)
{
  struct cgw_pos frames[16] = { { .line = 0 } };
  size_t n = strlen (stack);

  for (size_t i = 0; i < n; i++)
    frames[i].fn.handle = (uint32_t) stack[i];
  return reader_stack (reader_named (reader), frames, n);
}

Test (reader, a_cycle_has_others_between)
{
  cr_assert_eq (limits_of ("speedscope", ""), 0);
  cr_assert_eq (limits_of ("speedscope", "abc"), 0);
  cr_assert_eq (limits_of ("speedscope", "abbbc"), 0);
  cr_assert_eq (limits_of ("speedscope", "aba"), READER_CYCLES);
  cr_assert_eq (limits_of ("speedscope", "xabbay"), READER_CYCLES);
  cr_assert_eq (limits_of ("kcachegrind", "aba"), 0);
}

Test (reader, a_deep_stack_has_a_cycle_at_its_end)
{
  enum { DEEP = 10000 };
  static struct cgw_pos frames[DEEP + 1];

  for (uint32_t i = 0; i < DEEP; i++)
    frames[i].fn.handle = i + 1;
  cr_assert_eq (reader_stack (reader_named ("speedscope"), frames, DEEP), 0);
  frames[DEEP].fn.handle = DEEP / 2;
  cr_assert_eq (reader_stack (reader_named ("speedscope"), frames, DEEP + 1),
                READER_CYCLES);
}

Test (reader, each_limit_has_a_sentence)
{
  char text[160];

  for (unsigned bit = 1; bit < 1U << N_READER_LIMITS; bit <<= 1)
    {
      reader_sentence (reader_named ("qtcreator"), (enum reader_limit) bit,
                       text, sizeof text);
      cr_assert_eq (strncmp (text, "Qt Creator ", 11), 0);
      cr_assert (strlen (text) > 30 && strlen (text) < sizeof text - 1);
    }
  reader_sentence (reader_named ("gprof2dot"), READER_SAME, text, sizeof text);
  cr_assert_str_eq (
      text, "gprof2dot cannot tell apart functions that have the same name");
}
