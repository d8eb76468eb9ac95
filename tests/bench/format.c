/* format.c - a small vsnprintf, a character at a time.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "format.h"

/* The text so far; n counts what did not fit, too.  */
struct text
{
  char *bytes;
  size_t size;
  size_t n;
};

static inline void
put (struct text *t, char c)
{
  if (t->n < t->size)
    t->bytes[t->n] = c;
  t->n++;
}

static void
put_string (struct text *t, const char *s)
{
  while (*s)
    put (t, *s++);
}

static void
put_number (struct text *t, unsigned long n, unsigned base)
{
  char digits[3 * sizeof n];
  unsigned i = 0;

  do
    {
      digits[i++] = "0123456789abcdef"[n % base];
      n /= base;
    }
  while (n > 0);
  while (i > 0)
    put (t, digits[--i]);
}

int
format (char *p, size_t size, const char *form, va_list args)
{
  struct text t = { p, size, 0 };

  for (; *form; form++)
    if (*form != '%')
      put (&t, *form);
    else if (*++form == 's')
      put_string (&t, va_arg (args, const char *));
    else
      put_number (&t, va_arg (args, unsigned long), *++form == 'x' ? 16 : 10);
  size_t n = t.n;
  put (&t, '\0');
  return (int)n;
}
