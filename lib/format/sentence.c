/* sentence.c - sentences that explain an error.

   SPDX-License-Identifier: MIT  */

#include "sentence.h"

#include "escape.h"
#include "number.h"

#include <stdarg.h>
#include <string.h>

/* Bytes of a quoted string, and of anything that replaces a "%".  */
#define QUOTED_MAX 120
#define PIECE_MAX (QUOTED_MAX + 2)

static char *
put_string (char *p, const char *text)
{
  size_t n = strlen (text);

  if (n > PIECE_MAX)
    n = PIECE_MAX;
  memcpy (p, text, n);
  return p + n;
}

static char *
put_quoted (char *p, const char *text)
{
  *p++ = '"';
  p = cgwi_put_short (p, text, QUOTED_MAX);
  *p++ = '"';
  return p;
}

/* Not vsnprintf, which may depend on the locale and is not
   async-signal-safe.  */
bool
cgwi_say (struct cgwi_sentence *s, const char *pattern, ...)
{
  char *p = s->text;
  /* The last place from which a piece, and the NUL, has room.  */
  char *last = s->text + sizeof s->text - PIECE_MAX - CGWI_NUMBER_SLACK - 1;
  va_list values;

  va_start (values, pattern);
  for (; *pattern != '\0' && p <= last; pattern++)
    if (*pattern != '%')
      *p++ = *pattern;
    else if (*++pattern == '%')
      *p++ = '%';
    else if (*pattern == 'q')
      p = put_quoted (p, va_arg (values, const char *));
    else if (*pattern == 's')
      p = put_string (p, va_arg (values, const char *));
    else if (*pattern == 'x')
      p = cgwi_put_hex (p, va_arg (values, unsigned));
    else if (*pattern == 'u')
      p = cgwi_put_decimal (p, va_arg (values, unsigned));
    else
      p = cgwi_put_decimal (p, va_arg (values, uint64_t));
  va_end (values);
  *p = '\0';
  return false;
}
