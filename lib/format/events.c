/* events.c - event types: the grammar of their formulas.

   SPDX-License-Identifier: MIT  */

#include "events.h"

#include "../text/number.h"

#include <string.h>

static bool
is_letter (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

size_t
cgwi_identifier_length (const char *text)
{
  size_t n = 0;

  if (is_letter (text[0]))
    while (is_letter (text[n]) || is_digit (text[n]))
      n++;
  return n;
}

static const char *
skip_blanks (const char *text)
{
  while (*text == ' ' || *text == '\t')
    text++;
  return text;
}

/* Read the decimal coefficient of a term and a "*" behind it.  NULL: it is not
   below 2^31, and KCachegrind reads it into an int.  */
static const char *
read_coefficient (const char *text, uint32_t *coefficient)
{
  uint64_t n = 0;

  for (; is_digit (*text); text++)
    {
      n = n * 10 + (uint64_t) (*text - '0');
      if (n > INT32_MAX)
        return NULL;
    }
  *coefficient = (uint32_t) n;
  text = skip_blanks (text);
  return skip_blanks (*text == '*' ? text + 1 : text);
}

bool
cgwi_read_term (const char **formula, bool is_first, struct cgwi_term *term)
{
  const char *text = skip_blanks (*formula);

  term->minus = *text == '-';
  if (!is_first)
    {
      if (*text != '+' && *text != '-')
        return false;
      text = skip_blanks (text + 1);
    }
  term->coefficient = 1;
  if (is_digit (*text))
    text = read_coefficient (text, &term->coefficient);
  if (text == NULL)
    return false;
  term->name = text;
  term->length = cgwi_identifier_length (text);
  *formula = skip_blanks (text + term->length);
  return term->length != 0;
}

bool
cgwi_has_long_name (const struct cgw_event *e)
{
  return e->long_name != NULL && e->long_name[strspn (e->long_name, " ")] != 0;
}

char *
cgwi_put_formula (char *p, const char *formula)
{
  struct cgwi_term term;

  for (const char *rest = formula; *rest != '\0';)
    {
      bool is_first = rest == formula;
      cgwi_read_term (&rest, is_first, &term);
      memcpy (p, is_first ? " = " : term.minus ? " - " : " + ", 3);
      p += 3;
      if (term.coefficient != 1)
        {
          p = cgwi_put_decimal (p, term.coefficient);
          *p++ = ' ';
        }
      memcpy (p, term.name, term.length);
      p += term.length;
    }
  return p;
}

uint64_t
cgwi_formula_max (const char *formula)
{
  return sizeof " = " + UINT64_C (2) * strlen (formula) + CGWI_NUMBER_SLACK;
}
