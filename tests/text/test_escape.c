/* test_escape.c - which bytes may stand in the file, against an independent
   model of UTF-8 and of the escapes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/text/escape.h"
#include "cgw.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The well-formed sequences, as ranges of each of their bytes.  */
struct sequence
{
  size_t length;
  unsigned char range[4][2];
};

static const struct sequence well_formed[] = {
  { 1, { { 0x00, 0x7f } } },
  { 2, { { 0xc2, 0xdf }, { 0x80, 0xbf } } },
  { 3, { { 0xe0, 0xe0 }, { 0xa0, 0xbf }, { 0x80, 0xbf } } },
  { 3, { { 0xe1, 0xec }, { 0x80, 0xbf }, { 0x80, 0xbf } } },
  { 3, { { 0xed, 0xed }, { 0x80, 0x9f }, { 0x80, 0xbf } } },
  { 3, { { 0xee, 0xef }, { 0x80, 0xbf }, { 0x80, 0xbf } } },
  { 4, { { 0xf0, 0xf0 }, { 0x90, 0xbf }, { 0x80, 0xbf }, { 0x80, 0xbf } } },
  { 4, { { 0xf1, 0xf3 }, { 0x80, 0xbf }, { 0x80, 0xbf }, { 0x80, 0xbf } } },
  { 4, { { 0xf4, 0xf4 }, { 0x80, 0x8f }, { 0x80, 0xbf }, { 0x80, 0xbf } } },
};

/* The length of the well-formed sequence that text begins with, or 0.  */
static size_t
sequence_length (const unsigned char *text, size_t n)
{
  for (size_t s = 0; s < sizeof well_formed / sizeof well_formed[0]; s++)
    {
      size_t length = well_formed[s].length, i = 0;
      while (i < length && i < n && text[i] >= well_formed[s].range[i][0]
             && text[i] <= well_formed[s].range[i][1])
        i++;
      if (i == length)
        return length;
    }
  return 0;
}

/* Whether readers or terminals stumble over this well-formed sequence.  */
static bool
is_harmful (const unsigned char *text, size_t length)
{
  return (length == 1 && (text[0] < 0x20 || text[0] == 0x7f))
         || (length == 2 && text[0] == 0xc2 && text[1] < 0xa0)
         || (length == 3
             && (memcmp (text, "\342\200\250", 3) == 0
                 || memcmp (text, "\342\200\251", 3) == 0));
}

/* What text becomes as a name; returns the length.  */
static size_t
model (char *p, const unsigned char *text, size_t n)
{
  char *start = p;

  for (size_t i = 0; i < n;)
    {
      size_t length = sequence_length (text + i, n - i);
      bool escape = length == 0 || is_harmful (text + i, length)
                    || (text[i] == ' ' && (i == 0 || i == n - 1));
      length = length == 0 ? 1 : length;
      for (; length > 0; length--, i++)
        if (escape)
          p += sprintf (p, "\\x%02x", text[i]);
        else
          *p++ = (char) text[i];
    }
  return (size_t) (p - start);
}

static void
check (const unsigned char *text, size_t n)
{
  char expected[128], got[128];
  size_t length = model (expected, text, n);
  size_t got_length
      = (size_t) (cgwi_put_clean_name (got, (const char *) text, n) - got);
  bool clean = length == n;

  if (got_length != length || memcmp (got, expected, length) != 0)
    cr_assert_fail ("%.*s became %.*s", (int) length, expected,
                    (int) got_length, got);
  if (cgwi_name_is_clean ((const char *) text, n) != clean)
    cr_assert_fail ("%.*s: clean %d", (int) length, expected, !clean);
}

/* The sequence alone, and with letters around it.  */
static void
check_around (const unsigned char *text, size_t n)
{
  unsigned char around[16] = { 'a' };

  check (text, n);
  memcpy (around + 1, text, n);
  check (around, 1 + n);
  around[1 + n] = 'b';
  check (around, 2 + n);
  check (around + 1, 1 + n);
}

Test (text, one_byte)
{
  for (unsigned a = 0; a < 256; a++)
    check_around ((unsigned char[]){ (unsigned char) a }, 1);
}

Test (text, two_bytes)
{
  for (unsigned i = 0; i < 65536; i++)
    check_around (
        (unsigned char[]){ (unsigned char) (i >> 8), (unsigned char) i }, 2);
}

/* All with a first byte of two and more.  */
Test (text, three_bytes)
{
  for (unsigned i = 0xc00000; i <= 0xffffff; i++)
    check ((unsigned char[]){ (unsigned char) (i >> 16),
                              (unsigned char) (i >> 8), (unsigned char) i },
           3);
}

/* All first two bytes that matter, with the last two at each boundary.  */
Test (text, four_bytes)
{
  static const unsigned char last[]
      = { 0x00, 0x20, 0x41, 0x7f, 0x80, 0x81, 0x9f, 0xa0, 0xa8, 0xbf, 0xc0,
          0xc2, 0xe2, 0xff };

  for (unsigned i = 0xe000; i <= 0xffff; i++)
    for (size_t j = 0; j < sizeof last; j++)
      for (size_t k = 0; k < sizeof last; k++)
        check_around ((unsigned char[]){ (unsigned char) (i >> 8),
                                         (unsigned char) i, last[j],
                                         last[k] },
                      4);
}

/* Pseudo-random bytes, with many that begin or go on a sequence.  */
Test (text, sweep)
{
  static const unsigned char common[]
      = { 'a', ' ', 0x80, 0xa8, 0xbf, 0xc2, 0xe2, 0xed, 0xf0, 0xf4 };
  uint32_t state = 1;

  for (int i = 0; i < 200000; i++)
    {
      unsigned char text[12];
      size_t n = 1 + (size_t) i % sizeof text;
      for (size_t j = 0; j < n; j++)
        {
          state = state * 1664525u + 1013904223u;
          text[j] = state >> 31 ? (unsigned char) (state >> 16)
                                : common[(state >> 16) % sizeof common];
        }
      check (text, n);
    }
}

Test (text, hash_is_fnv_1a)
{
  cr_assert_eq (cgwi_hash ("", 0), UINT64_C (0xcbf29ce484222325));
  cr_assert_eq (cgwi_hash ("a", 1), UINT64_C (0xaf63dc4c8601ec8c));
  cr_assert_eq (cgwi_hash ("foobar", 6), UINT64_C (0x85944171f73967e8));
}

/* Cutting.  */

#define CUT 17 /* "#" and 16 digits */

static char *
fill (char c, size_t n)
{
  char *text = malloc (n + 1);

  cr_assert_not_null (text);
  memset (text, c, n);
  text[n] = '\0';
  return text;
}

static size_t
cut_length (const char *text, char *got)
{
  return (size_t) (cgwi_put_clean_name (got, text, strlen (text)) - got);
}

Test (text, a_longer_name_ends_in_its_hash)
{
  char *text = fill ('x', CGW_NAME_MAX + 1), *got = malloc (CGW_NAME_MAX + 1);
  char end[CUT + 1];

  cr_assert_not (cgwi_name_is_clean (text, CGW_NAME_MAX + 1));
  cr_assert_eq (cut_length (text, got), CGW_NAME_MAX);
  got[CGW_NAME_MAX] = '\0';
  snprintf (end, sizeof end, "#%016llx",
            (unsigned long long) cgwi_hash (text, CGW_NAME_MAX + 1));
  cr_assert_str_eq (got + CGW_NAME_MAX - CUT, end);
  cr_assert_eq (strspn (got, "x"), CGW_NAME_MAX - CUT);
  free (text);
  free (got);
}

/* No escape and no character is cut in two.  */
Test (text, a_cut_is_between_characters)
{
  static const char *const pieces[]
      = { "\001", "\303\251", "\342\202\254", "\360\237\230\200", "\377a" };
  char *text = malloc (6 * CGW_NAME_MAX + 8), *got = malloc (CGW_NAME_MAX + 1);
  size_t n;

  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
    for (size_t shift = 0; shift < 8; shift++)
      {
        memset (text, 'x', shift);
        text[shift] = '\0';
        for (n = shift; n <= CGW_NAME_MAX + 8; n += strlen (pieces[i]))
          strcpy (text + n, pieces[i]);
        n = cut_length (text, got);
        cr_assert_leq (n, CGW_NAME_MAX);
        cr_assert_gt (n, CGW_NAME_MAX - 8);
        cr_assert (cgwi_name_is_clean (got, n));
        cr_assert_eq (got[n - CUT], '#');
        if (pieces[i][0] == '\001')
          cr_assert_eq (memcmp (got + n - CUT - 4, "\\x01", 4), 0);
      }
  free (text);
  free (got);
}

/* Values of header lines.  */

static void
check_value (char *(*put) (char *, const char *), const char *text,
             const char *expected)
{
  char got[128];

  *put (got, text) = '\0';
  cr_expect_str_eq (got, expected);
}

Test (text, a_value_has_no_blanks_at_its_ends)
{
  check_value (cgwi_put_value, "", "");
  check_value (cgwi_put_value, "   ", "");
  check_value (cgwi_put_value, "  a b  ", "a b");
  check_value (cgwi_put_value, "\ta\n", "\\x09a\\x0a");
  check_value (cgwi_put_value, "a\\b", "a\\b");
  check_value (cgwi_put_value, "\303\251\377", "\303\251\\xff");
}

Test (text, a_command_escapes_newline_and_backslash)
{
  check_value (cgwi_put_command, "  a b  ", "a b");
  check_value (cgwi_put_command, "a\nb\\c\td", "a\\nb\\\\c\\x09d");
}
