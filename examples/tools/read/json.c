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

json_t *
json_read (struct input *in)
{
  json_error_t error;
  char reason[80 + sizeof error.text];
  json_t *all;

  if (!input_read_all (in, LONGEST))
    return NULL;
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
