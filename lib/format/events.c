/* events.c - event types: the grammar of their names and formulas.

   SPDX-License-Identifier: MIT  */

#include "events.h"

#include "escape.h"
#include "number.h"

#include <stdbool.h>
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

/* Return the length of the identifier at text: a letter or "_", then letters,
   digits and "_"; 0 when there is none.  */
static size_t
identifier_length (const char *text)
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

/* A term of a derived event's formula.  */
struct term
{
  bool minus;
  uint32_t coefficient; /* 1 when there is none */
  const char *name;
  size_t length;
};

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

/* Read the sign between two terms and the term at *formula, and advance past
   them.  The first term has no sign.  False: a syntax error.  */
static bool
read_term (const char **formula, bool is_first, struct term *term)
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
  term->length = identifier_length (text);
  *formula = skip_blanks (text + term->length);
  return term->length != 0;
}

/* Whether one of the first n events has this name.  */
static bool
has_event (const struct cgw_event *events, size_t n, const char *name,
           size_t length)
{
  for (size_t i = 0; i < n; i++)
    if (strlen (events[i].name) == length
        && memcmp (events[i].name, name, length) == 0)
      return true;
  return false;
}

bool
cgwi_has_long_name (const struct cgw_event *e)
{
  return e->long_name != NULL && e->long_name[strspn (e->long_name, " ")] != 0;
}

/* Whether event i has a name that is new.  With a long name or a formula it
   must be an identifier: of any other, KCachegrind's event: lines would define
   only the beginning.  */
static bool
name_is_right (const struct cgw_event *events, size_t i)
{
  const struct cgw_event *e = &events[i];
  size_t length;

  if (e->name == NULL || !cgwi_is_event_name (e->name))
    return false;
  length = strlen (e->name);
  return ((e->formula == NULL && !cgwi_has_long_name (e))
          || identifier_length (e->name) == length)
         && !has_event (events, i, e->name, length);
}

/* Whether the formula of event i, if any, is valid and uses earlier events
   only.  */
static bool
formula_is_right (const struct cgw_event *events, size_t i)
{
  const char *formula = events[i].formula;
  struct term term;

  if (formula == NULL)
    return true;
  for (bool is_first = true; is_first || *formula != '\0'; is_first = false)
    if (!read_term (&formula, is_first, &term)
        || !has_event (events, i, term.name, term.length))
      return false;
  return true;
}

size_t
cgwi_count_events (const struct cgw_part *part)
{
  size_t n = 0;

  if (part->events == NULL)
    return 0;
  for (size_t i = 0; i < part->n_events; i++)
    {
      if (!name_is_right (part->events, i)
          || !formula_is_right (part->events, i))
        return 0;
      n += part->events[i].formula == NULL;
    }
  return n <= CGW_EVENTS_MAX ? n : 0;
}

char *
cgwi_put_formula (char *p, const char *formula)
{
  struct term term;

  for (const char *rest = formula; *rest != '\0';)
    {
      bool is_first = rest == formula;
      read_term (&rest, is_first, &term);
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

size_t
cgwi_formula_max (const char *formula)
{
  return sizeof " = " + 3 * strlen (formula) + CGWI_NUMBER_SLACK;
}
