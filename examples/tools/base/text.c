/* text.c - texts of others: on a terminal, and as the name of an event.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns the code point at text, and its length.  Of what is not UTF-8, it is
   the first byte, and UINT32_MAX.  */
static uint32_t
code_point (const unsigned char *text, size_t *length)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t need = text[0] < 0x80   ? 1
                : text[0] < 0xc0 ? 0
                : text[0] < 0xe0 ? 2
                : text[0] < 0xf0 ? 3
                : text[0] < 0xf8 ? 4
                                 : 0;
  uint32_t code = need < 2 ? text[0] : text[0] & (0x7fU >> need);

  *length = 1;
  for (size_t i = 1; i < need; i++)
    {
      if ((text[i] & 0xc0) != 0x80)
        return UINT32_MAX;
      code = code << 6 | (text[i] & 0x3fU);
    }
  if (need == 0 || code < least[need] || code > 0x10ffff
      || (code >= 0xd800 && code <= 0xdfff))
    return UINT32_MAX;
  *length = need;
  return code;
}

/* Unicode's Bidi_Control, and the separators of lines and paragraphs.  */
static bool
changes_lines (uint32_t code)
{
  return code == 0x61c || code == 0x200e || code == 0x200f
         || (code >= 0x2028 && code <= 0x202e)
         || (code >= 0x2066 && code <= 0x2069);
}

static bool
is_printable (uint32_t code)
{
  return code >= ' ' && !(code >= 0x7f && code <= 0x9f) && code != UINT32_MAX
         && !changes_lines (code);
}

size_t
printable_length (const char *text, size_t *bad)
{
  uint32_t code = code_point ((const unsigned char *) text, bad);

  return is_printable (code) ? *bad : 0;
}

void
printable_print (FILE *to, const char *text)
{
  size_t length, bad;

  for (; *text != '\0'; text += length != 0 ? length : bad)
    {
      length = printable_length (text, &bad);
      if (length != 0)
        fwrite (text, 1, length, to);
      else
        putc ('?', to);
    }
}

void
json_print (FILE *to, const char *text)
{
  size_t length;

  putc ('"', to);
  for (; *text != '\0'; text += length)
    {
      uint32_t code = code_point ((const unsigned char *) text, &length);

      if (is_printable (code) && (code > '~' || !strchr ("\"\\<>&", *text)))
        fwrite (text, 1, length, to);
      else
        fprintf (to, "\\u%04x",
                 (unsigned) (code != UINT32_MAX ? code : 0xfffd));
    }
  putc ('"', to);
}

char *
number_text (char text[NUMBER_TEXT], const char *sign,
             unsigned long long number)
{
  char digits[NUMBER_TEXT];
  int n = snprintf (digits, sizeof digits, "%llu", number);
  char *p = stpcpy (text, sign);

  for (int i = 0; i < n; i++)
    {
      if (i != 0 && (n - i) % 3 == 0)
        *p++ = ',';
      *p++ = digits[i];
    }
  *p = '\0';
  return text;
}
