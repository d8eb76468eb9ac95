/* escape.c - escape the bytes of a caller's string that break readers.

   SPDX-License-Identifier: MIT  */

#include "escape.h"

#include "cgw.h"

#include <string.h>

uint64_t
cgwi_hash (const char *text, size_t n)
{
  uint64_t hash = UINT64_C (14695981039346656037);

  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char) text[i]) * UINT64_C (1099511628211);
  return hash;
}

/* Return the code point of the UTF-8 sequence at text, and its length in
   *length.  If it is invalid (a stray or missing continuation byte, an
   overlong form, a surrogate, or beyond U+10FFFF), return -1 and the length
   1.  */
static long
code_point (const unsigned char *text, size_t n, size_t *length)
{
  static const long least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
  unsigned char first = text[0];
  size_t need = first < 0x80   ? 1
                : first < 0xc0 ? 0
                : first < 0xe0 ? 2
                : first < 0xf0 ? 3
                : first < 0xf8 ? 4
                               : 0;
  long code = need < 2 ? first : first & (0x7f >> need);

  *length = 1;
  if (need == 0 || need > n)
    return -1;
  for (size_t i = 1; i < need; i++)
    {
      if ((text[i] & 0xc0) != 0x80)
        return -1;
      code = code << 6 | (text[i] & 0x3f);
    }
  if (code < least[need] || code > 0x10ffff
      || (code >= 0xd800 && code <= 0xdfff))
    return -1;
  *length = need;
  return code;
}

/* Return the length of the character at text if it may be copied as it is;
   else 0, and the number of bytes to escape in *bad.  */
static size_t
clean_length (const char *text, size_t n, size_t *bad)
{
  size_t length;
  long code = code_point ((const unsigned char *) text, n, &length);
  bool is_bad = code < 0x20 || (code >= 0x7f && code <= 0x9f)
                || code == 0x2028 || code == 0x2029;

  *bad = is_bad ? length : 0;
  return is_bad ? 0 : length;
}

bool
cgwi_name_is_clean (const char *text, size_t n)
{
  if (n == 0 || n > CGW_NAME_MAX || text[0] == ' ' || text[n - 1] == ' ')
    return false;
  for (size_t i = 0, bad; i < n;)
    {
      unsigned char c = (unsigned char) text[i];
      size_t length = c >= 0x20 && c < 0x7f
                          ? 1
                          : clean_length (text + i, n - i, &bad);
      if (length == 0)
        return false;
      i += length;
    }
  return true;
}

/* Whether a character is a blank, by Unicode's property White_Space.  */
static bool
is_blank (long code)
{
  return code == ' ' || code == 0xa0 || code == 0x1680
         || (code >= 0x2000 && code <= 0x200a) || code == 0x202f
         || code == 0x205f || code == 0x3000;
}

bool
cgwi_is_event_name (const char *text)
{
  size_t n = strlen (text);

  if (!cgwi_name_is_clean (text, n))
    return false;
  for (size_t i = 0, length; text[i] != '\0'; i += length)
    if (is_blank (code_point ((const unsigned char *) text + i, n - i,
                              &length)))
      return false;
  return true;
}

static char *
put_escaped (char *p, const char *bytes, size_t n)
{
  static const char hex[] = "0123456789abcdef";

  for (size_t i = 0; i < n; i++)
    {
      unsigned char c = (unsigned char) bytes[i];
      *p++ = '\\';
      *p++ = 'x';
      *p++ = hex[c >> 4];
      *p++ = hex[c & 15];
    }
  return p;
}

/* Write one character of text, escaped if necessary, and advance *i.  */
static char *
put_character (char *p, const char *text, size_t n, size_t *i)
{
  size_t bad;
  size_t length = clean_length (text + *i, n - *i, &bad);

  if (length == 0)
    {
      p = put_escaped (p, text + *i, bad);
      *i += bad;
      return p;
    }
  memcpy (p, text + *i, length);
  *i += length;
  return p + length;
}

/* The length of "#" and a hash in hex, the end of a name that is cut.  */
#define CUT_LENGTH 17

static char *
put_cut (char *p, uint64_t hash)
{
  *p++ = '#';
  for (int shift = 60; shift >= 0; shift -= 4)
    *p++ = "0123456789abcdef"[hash >> shift & 15];
  return p;
}

char *
cgwi_put_clean_name (char *p, const char *text, size_t n)
{
  char *start = p;
  char *last_whole = p; /* the end of the last character that a cut keeps */

  for (size_t i = 0; i < n;)
    {
      char piece[4 * CGWI_ESCAPED_BYTE];
      char *end = text[i] == ' ' && (i == 0 || i == n - 1)
                      ? (i++, put_escaped (piece, " ", 1))
                      : put_character (piece, text, n, &i);
      size_t length = (size_t) (end - piece);

      if ((size_t) (p - start) + length > CGW_NAME_MAX)
        return put_cut (last_whole, cgwi_hash (text, n));
      memcpy (p, piece, length);
      p += length;
      if (p - start <= CGW_NAME_MAX - CUT_LENGTH)
        last_whole = p;
    }
  return p;
}

/* Advance *text past leading blanks.  Return the length without trailing
   ones.  */
static size_t
trim (const char **text)
{
  size_t n;

  while (**text == ' ')
    ++*text;
  n = strlen (*text);
  while (n > 0 && (*text)[n - 1] == ' ')
    n--;
  return n;
}

/* put_character for cmd:.  */
static char *
put_command_character (char *p, const char *text, size_t n, size_t *i)
{
  if (text[*i] != '\n' && text[*i] != '\\')
    return put_character (p, text, n, i);
  *p++ = '\\';
  *p++ = text[(*i)++] == '\n' ? 'n' : '\\';
  return p;
}

char *
cgwi_put_value (char *p, const char *text)
{
  size_t n = trim (&text);

  for (size_t i = 0; i < n;)
    p = put_character (p, text, n, &i);
  return p;
}

char *
cgwi_put_command (char *p, const char *text)
{
  size_t n = trim (&text);

  for (size_t i = 0; i < n;)
    p = put_command_character (p, text, n, &i);
  return p;
}

/* What a value ends in that is cut.  */
#define ELLIPSIS "..."
#define ELLIPSIS_LENGTH (sizeof ELLIPSIS - 1)

/* Write n bytes of text by one of the functions above, in at most max
   bytes.  */
static char *
put_short (char *p, const char *text, size_t n, size_t max,
           char *(*put) (char *, const char *, size_t, size_t *))
{
  char *start = p;
  char *last_whole = p; /* the end of the last character that a cut keeps */

  for (size_t i = 0; i < n;)
    {
      char piece[4 * CGWI_ESCAPED_BYTE];
      char *end = put (piece, text, n, &i);
      /* cppcheck-suppress comparePointers ; it takes end for &i */
      size_t length = (size_t) (end - piece);

      if ((size_t) (p - start) + length > max)
        {
          memcpy (last_whole, ELLIPSIS, ELLIPSIS_LENGTH);
          return last_whole + ELLIPSIS_LENGTH;
        }
      memcpy (p, piece, length);
      p += length;
      if ((size_t) (p - start) <= max - ELLIPSIS_LENGTH)
        last_whole = p;
    }
  return p;
}

char *
cgwi_put_short_value (char *p, const char *text, size_t max)
{
  size_t n = trim (&text);

  return put_short (p, text, n, max, put_character);
}

char *
cgwi_put_short_command (char *p, const char *text, size_t max)
{
  size_t n = trim (&text);

  return put_short (p, text, n, max, put_command_character);
}

char *
cgwi_put_short (char *p, const char *text, size_t max)
{
  return put_short (p, text, strlen (text), max, put_character);
}
