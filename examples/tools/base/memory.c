/* memory.c - allocation that ends the program if there is no memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "memory.h"

#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*at_end) (void);

void
no_memory_first (void (*function) (void))
{
  at_end = function;
}

void
no_memory (void)
{
  if (at_end != NULL)
    at_end ();
  tool_complain ("memory", 0, strerror (ENOMEM));
  exit (tool_failed ());
}

void *
resize (void *p, size_t n, size_t size)
{
  void *q = n <= SIZE_MAX / size ? realloc (p, n != 0 ? n * size : 1) : NULL;

  if (q == NULL)
    no_memory ();
  return q;
}

void *
new_lines (size_t size)
{
  enum { LINE = 64 };
  void *p = aligned_alloc (LINE, (size + LINE - 1) / LINE * LINE);

  if (p == NULL)
    no_memory ();
  return memset (p, 0, size);
}

void *
resize_for (void *array, uint32_t index, uint32_t *capacity, size_t size)
{
  uint32_t old = *capacity;

  if (index < old)
    return array;
  if (index == UINT32_MAX)
    no_memory ();
  *capacity = index < 8                 ? 16
              : index <= UINT32_MAX / 2 ? 2 * index
                                        : UINT32_MAX;
  array = resize (array, *capacity, size);
  memset ((char *) array + old * size, 0, (*capacity - old) * size);
  return array;
}

void *
resize_for_one (void *array, size_t n, size_t size)
{
  /* The room is doubled when it is full: at powers of two.  */
  return (n & (n - 1)) != 0 ? array
                            : resize (array, n != 0 ? 2 * n : 1, size);
}

char *
copy_text (const char *text)
{
  size_t size = text != NULL ? strlen (text) + 1 : 0;

  return size != 0 ? memcpy (resize (NULL, size, 1), text, size) : NULL;
}

char *
make_text (const char *format, ...)
{
  va_list arguments;
  char *text;
  int n;

  va_start (arguments, format);
  n = vasprintf (&text, format, arguments);
  va_end (arguments);
  if (n < 0)
    no_memory ();
  return text;
}

char *
double_character (const char *text, char c)
{
  char *result = resize (NULL, 2 * strlen (text) + 1, 1);
  char *to = result;

  for (; *text != '\0'; *to++ = *text++)
    if (*text == c)
      *to++ = c;
  *to = '\0';
  return result;
}

struct cgw_names *
new_names (void)
{
  struct cgw_names *names;

  if (cgw_names_new (&names, NULL) != CGW_OK)
    no_memory ();
  return names;
}

struct cgw_profile *
new_profile (struct cgw_names *names, size_t n_events, unsigned positions)
{
  struct cgw_profile *profile;

  if (cgw_profile_new (&profile, names, n_events, positions) != CGW_OK)
    no_memory ();
  return profile;
}
