/* reader_text.c - the bytes of a line: what breaks some reader.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#include <stdlib.h>
#include <string.h>

/* The character at *at, which moves behind it; -1 when it is not UTF-8: a
   stray or missing byte, an overlong form, a surrogate, past U+10FFFF.  */
static long
utf8_char (const unsigned char **at, const unsigned char *end)
{
  static const long smallest[] = { 0, 0x80, 0x800, 0x10000 };
  unsigned char first = *(*at)++;
  if (first < 0x80)
    return first;
  int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc0 || first > 0xf7 || end - *at < more)
    return -1;
  long c = first & (0x3f >> more);
  for (int i = 0; i < more; i++)
    {
      unsigned char next = *(*at)++;
      if ((next & 0xc0) != 0x80)
        return -1;
      c = c << 6 | (next & 0x3f);
    }
  bool bad = c < smallest[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000);
  return bad ? -1 : c;
}

/* Why a character may not be in a file, or NULL.  */
static const char *
bad_char (long c)
{
  if (c < 0)
    return "not valid UTF-8";
  if (c == 0)
    return "NUL byte";
  if (c == '\t')
    return "tab";
  if (c == '\r')
    return "carriage return";
  if (c < 0x20 || (c >= 0x7f && c < 0xa0))
    return "control character";
  if (c == 0x2028 || c == 0x2029)
    return "line separator U+2028 or U+2029";
  return NULL;
}

static bool
check_chars (struct reader *r, struct reader_span text)
{
  const unsigned char *at = (const unsigned char *) text.at;
  const unsigned char *end = (const unsigned char *) text.end;
  while (at < end)
    {
      if (*at >= 0x20 && *at < 0x7f)
        {
          at++;
          continue;
        }
      const char *why = bad_char (utf8_char (&at, end));
      if (why)
        return reader_fail (r, "%s", why);
    }
  return true;
}

bool
reader_check_line (struct reader *r, struct reader_span text)
{
  if (!r->strict)
    {
      if (memchr (text.at, 0, (size_t) (text.end - text.at)))
        return reader_fail (r, "NUL byte");
      return true;
    }
  if (!check_chars (r, text))
    return false;
  if (text.at < text.end && *text.at == ' ')
    return reader_fail (r, "blank at the start of the line");
  if (text.at < text.end && text.end[-1] == ' ')
    return reader_fail (r, "blank at the end of the line");
  return true;
}

char *
reader_copy (struct reader_span text)
{
  size_t n = (size_t) (text.end - text.at);
  char *copy = malloc (n + 1);
  if (!copy)
    abort ();
  memcpy (copy, text.at, n);
  copy[n] = 0;
  return copy;
}

bool
reader_is (struct reader_span text, const char *word)
{
  size_t n = (size_t) (text.end - text.at);
  return n == strlen (word) && !memcmp (text.at, word, n);
}

void
reader_trim (struct reader_span *text)
{
  while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
    text->at++;
  while (text->at < text->end
         && (text->end[-1] == ' ' || text->end[-1] == '\t'))
    text->end--;
}
