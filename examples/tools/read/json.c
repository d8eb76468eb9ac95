/* json.c - inputs in JSON, by libjansson.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "json.h"

#include "../base/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t
skip_blanks (const unsigned char *bytes, size_t i, size_t n)
{
  while (i < n && memchr (" \t\r\n", bytes[i], 4) != NULL)
    i++;
  return i;
}

bool
json_has_key (const unsigned char *bytes, size_t n, char bracket,
              const char *key)
{
  size_t i = skip_blanks (bytes, 0, n), length = strlen (key);

  if (i == n || bytes[i] != (unsigned char) bracket)
    return false;
  /* In a text, the quotation mark would have a backslash before it.  */
  for (; i + length + 2 < n; i++)
    if (bytes[i] == '"' && memcmp (bytes + i + 1, key, length) == 0
        && bytes[i + length + 1] == '"')
      {
        size_t colon = skip_blanks (bytes, i + length + 2, n);

        if (colon < n && bytes[colon] == ':')
          return true;
      }
  return false;
}

#ifdef HAVE_JANSSON

/* In memory a number takes several times as much as in the file.  */
enum { LONGEST = 512 << 20 };

/* The value of an escape "\uXXXX" that n bytes begin with; 0x10000: they begin
   with none.  */
static unsigned
escaped_unit (const unsigned char *bytes, size_t n)
{
  unsigned unit = 0;

  if (n < 6 || bytes[0] != '\\' || bytes[1] != 'u')
    return 0x10000;
  for (int i = 2; i < 6; i++)
    {
      unsigned digit = digit_value ((char) bytes[i]);

      if (digit > 15)
        return 0x10000;
      unit = unit << 4 | digit;
    }
  return unit;
}

/* Replaces an escape that is NUL or half of a surrogate pair by U+FFFD.  Returns
   the length of the escape, or of the pair.  */
static size_t
replace_escape (unsigned char *bytes, size_t n)
{
  unsigned unit = escaped_unit (bytes, n);

  if (unit == 0x10000)
    return 2;
  if (unit >> 10 == 0xd800 >> 10
      && escaped_unit (bytes + 6, n - 6) >> 10 == 0xdc00 >> 10)
    return 12;
  if (unit == 0 || unit >> 11 == 0xd800 >> 11)
    memcpy (bytes + 2, "fffd", 4);
  return 6;
}

/* Replaces the end of a whole number from 2^63 on by "e2": it becomes a real.
   Returns the length of the number, which may be no whole one.  */
static size_t
replace_number (unsigned char *bytes, size_t n)
{
  static const char end[] = "9223372036854775808";
  enum { MOST = sizeof end - 1 };
  size_t i = 0;

  while (i < n && bytes[i] >= '0' && bytes[i] <= '9')
    i++;
  if ((i > MOST || (i == MOST && memcmp (bytes, end, MOST) >= 0))
      && (i == n || memchr (".eE", bytes[i], 3) == NULL))
    memcpy (bytes + i - 2, "e2", 2);
  while (i < n && memchr ("0123456789.eE+-", bytes[i], 15) != NULL)
    i++;
  return i;
}

/* Replaces in place what is JSON, but refused by libjansson: NULs, which names
   in JavaScript's bundles have; halves of surrogate pairs, where a text was cut;
   and large numbers, which it refuses even in what nobody reads.  */
static void
replace_refused (unsigned char *bytes, size_t n)
{
  bool in_text = false;

  for (size_t i = 0; i < n;)
    if (bytes[i] == '"')
      {
        in_text = !in_text;
        i++;
      }
    else if (in_text && bytes[i] == '\\')
      i += replace_escape (bytes + i, n - i);
    else if (!in_text && bytes[i] >= '0' && bytes[i] <= '9')
      i += replace_number (bytes + i, n - i);
    else
      i++;
}

json_t *
json_read (struct input *in)
{
  json_error_t error;
  char reason[80 + sizeof error.text];
  json_t *all;

  if (!input_read_all (in, LONGEST))
    return NULL;
  replace_refused (in->bytes + in->start, in->end - in->start);
  all = json_loadb ((const char *) input_bytes (in), in->end - in->start, 0,
                    &error);
  if (all == NULL)
    {
      snprintf (reason, sizeof reason, "it is not JSON: %s", error.text);
      input_refuse (in, (uint64_t) error.position, reason);
    }
  return all;
}

bool
json_refuse (const struct input *in, const char *array, size_t index,
             const char *reason)
{
  char text[256];

  if (index == JSON_WHOLE)
    snprintf (text, sizeof text, "\"%s\": %s", array, reason);
  else
    snprintf (text, sizeof text, "\"%s\"[%zu]: %s", array, index, reason);
  return tool_complain (in->name, 0, text);
}

const char *
json_text (const json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));

  return text != NULL ? text : "";
}

json_int_t
json_whole (const json_t *object, const char *key, json_int_t other)
{
  const json_t *value = json_object_get (object, key);

  return json_is_integer (value) ? json_integer_value (value) : other;
}

#else

bool
json_is_missing (const struct input *in)
{
  return tool_complain (in->name, 0,
                        "it is JSON, and this program was built without "
                        "libjansson");
}

#endif
