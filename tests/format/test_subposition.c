/* test_subposition.c - subpositions, read back by an independent decoder.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/format/subposition.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t numbers[] = {
  0, 1, 2, 8, 9, 10, 11, 15, 16, 17, 98, 99, 100, 101, 109, 110, 255, 256,
  999, 1000, 1001, 9999, 10000, 65535, 65536, 99999, 100000, 999999, 1000000,
  9999999, 10000000, 99999999, 100000000, 999999999, 1000000000, 2147483646,
  2147483647, 2147483648, 2147483649, 4294967294, 4294967295,
  /* Addresses only.  */
  4294967296, 4294967297, 6442450943, 6442450944, 6442450945,
  0x400000000000, 0x40007ffffffe, 0x40007fffffff, 0x400080000000,
  0x400080000001, 0x7fffffffffff, 0xffffffff80000000, 0xffffffff80000001,
  UINT64_MAX - 2147483648u, UINT64_MAX - 2147483647u, UINT64_MAX - 1,
  UINT64_MAX
};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

/* What a subposition stands for.  */
static uint64_t
decode (const char *text, uint64_t base)
{
  char *end = NULL;
  uint64_t n = base;

  errno = 0;
  if (text[0] == '*')
    cr_assert_str_eq (text, "*");
  else if (text[0] == '+' || text[0] == '-')
    {
      cr_assert (text[1] >= '1' && text[1] <= '9', "%s", text);
      n = strtoull (text + 1, &end, 10);
      cr_assert_lt (n, UINT64_C (1) << 31, "%s", text);
      n = text[0] == '+' ? base + n : base - n;
    }
  else
    n = strtoull (text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
  cr_assert_eq (errno, 0);
  cr_assert (end == NULL || *end == '\0', "%s", text);
  return n;
}

/* The shortest form that the rules allow, by trying each.  */
static void
shortest (char *text, size_t size, const char *absolute, uint64_t value,
          uint64_t base)
{
  char relative[40] = "";
  uint64_t distance = value > base ? value - base : base - value;

  if (distance < UINT64_C (1) << 31)
    snprintf (relative, sizeof relative, "%c%" PRIu64,
              value > base ? '+' : '-', distance);
  if (distance == 0)
    strcpy (relative, "*");
  if (relative[0] != '\0'
      && (distance == 0 || strlen (relative) < strlen (absolute)))
    absolute = relative;
  snprintf (text, size, "%s", absolute);
}

static void
check_line (uint32_t value, uint32_t base)
{
  char text[64], absolute[40], expected[64];

  snprintf (absolute, sizeof absolute, "%" PRIu32, value);
  *cgwi_put_line (text, value, base, true) = '\0';
  cr_assert_str_eq (text, absolute);
  *cgwi_put_line (text, value, base, false) = '\0';
  cr_assert_eq (decode (text, base), value, "%s", text);
  shortest (expected, sizeof expected, absolute, value, base);
  cr_assert_str_eq (text, expected);
  cr_assert_leq (strlen (text), CGWI_SUBPOSITION_MAX);
}

static void
check_instr (uint64_t value, uint64_t base)
{
  char text[64], absolute[40], expected[64];

  snprintf (absolute, sizeof absolute, "0x%" PRIx64, value);
  *cgwi_put_instr (text, value, base, true) = '\0';
  cr_assert_str_eq (text, absolute);
  *cgwi_put_instr (text, value, base, false) = '\0';
  cr_assert_eq (decode (text, base), value, "%s", text);
  shortest (expected, sizeof expected, absolute, value, base);
  cr_assert_str_eq (text, expected);
  cr_assert_leq (strlen (text), CGWI_SUBPOSITION_MAX);
}

Test (subposition, lines_at_boundaries)
{
  for (int i = 0; i < N_NUMBERS; i++)
    for (int j = 0; j < N_NUMBERS; j++)
      if (numbers[i] <= UINT32_MAX && numbers[j] <= UINT32_MAX)
        check_line ((uint32_t) numbers[i], (uint32_t) numbers[j]);
}

Test (subposition, addresses_at_boundaries)
{
  for (int i = 0; i < N_NUMBERS; i++)
    for (int j = 0; j < N_NUMBERS; j++)
      check_instr (numbers[i], numbers[j]);
}

/* Pseudo-random pairs, near and far.  */
Test (subposition, sweep)
{
  uint64_t state = 1;

  for (int i = 0; i < 200000; i++)
    {
      state = state * UINT64_C (6364136223846793005) + 1442695040888963407;
      uint64_t base = state >> (i % 64);
      uint64_t value = base + (state >> 20) % (UINT64_C (1) << (i % 40))
                       - (UINT64_C (1) << (i % 40)) / 2;
      check_instr (value, base);
      check_line ((uint32_t) value, (uint32_t) base);
    }
}
