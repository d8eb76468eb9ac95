/* test_number.c - numbers as decimal and as hex, against snprintf.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/text/number.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#define GUARD 'G'

/* Pseudo-random numbers, the same in each run (xorshift).  */
static uint64_t
next_random (uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Whether put writes n as format does, and touches nothing behind its
   slack.  */
static bool
is_written (char *(*put) (char *, uint64_t), uint64_t n, const char *text)
{
  char bytes[64];
  size_t length = strlen (text);
  char *end;

  memset (bytes, GUARD, sizeof bytes);
  end = put (bytes + 8, n);
  if ((size_t) (end - (bytes + 8)) != length
      || memcmp (bytes + 8, text, length) != 0)
    return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    if ((i < 8 || i >= 8 + length + CGWI_NUMBER_SLACK) && bytes[i] != GUARD)
      return false;
  return true;
}

static void
check (uint64_t n)
{
  char text[32];

  snprintf (text, sizeof text, "%" PRIu64, n);
  cr_assert (is_written (cgwi_put_decimal, n, text), "decimal %s", text);
  cr_assert_eq (cgwi_decimal_length (n), strlen (text), "length of %s", text);
  cr_assert_leq (strlen (text), CGWI_NUMBER_MAX);
  snprintf (text, sizeof text, "0x%" PRIx64, n);
  cr_assert (is_written (cgwi_put_hex, n, text), "hex %s", text);
  cr_assert_eq (cgwi_hex_length (n), strlen (text), "length of %s", text);
  cr_assert_leq (strlen (text), CGWI_NUMBER_MAX);
}

Test (number, small)
{
  for (uint64_t n = 0; n <= 20000; n++)
    check (n);
}

Test (number, around_powers_of_ten)
{
  uint64_t power = 1;

  for (int digits = 1; digits <= 20; digits++)
    {
      for (uint64_t d = 0; d <= 1000; d++)
        {
          check (power + d);
          check (power - d);
        }
      power *= 10;
    }
}

Test (number, around_powers_of_two)
{
  for (int bit = 0; bit < 64; bit++)
    for (uint64_t d = 0; d <= 20; d++)
      {
        check ((UINT64_C (1) << bit) + d);
        check ((UINT64_C (1) << bit) - d);
      }
  check (UINT64_MAX);
}

/* A group of three digits inside a number keeps its leading zeros.  */
Test (number, zeros_inside)
{
  check (UINT64_C (1000000000000000000));
  check (UINT64_C (1001001001001001001));
  check (UINT64_C (1010010010010010010));
  check (UINT64_C (9000000000000000009));
}

Test (number, sweep)
{
  uint64_t state = 88172645463325252u;

  for (int i = 0; i < 200000; i++)
    {
      uint64_t n = next_random (&state);
      check (n >> (next_random (&state) % 64));
    }
}
