/* events.c - event types: the grammar of their names and formulas.

   SPDX-License-Identifier: MIT  */

#include "events.h"

#include "number.h"

#include <stdbool.h>
#include <string.h>

static bool
is_letter (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* Return the length of the event name at text: a letter, then letters and
   digits, as in the format's grammar; 0 when there is none.  */
static size_t
name_length (const char *text)
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

/* Read the term at *formula and the "+" behind it, and advance past both.
   False: a syntax error.  */
static bool
read_term (const char **formula, struct term *term)
{
  const char *text = skip_blanks (*formula);

  term->coefficient = 1;
  if (is_digit (*text))
    text = read_coefficient (text, &term->coefficient);
  if (text == NULL)
    return false;
  term->name = text;
  term->length = name_length (text);
  text = skip_blanks (text + term->length);
  if (term->length == 0 || (*text != '\0' && *text != '+'))
    return false;
  *formula = *text == '+' ? text + 1 : text;
  return *text == '\0' || *skip_blanks (text + 1) != '\0';
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

/* Whether event i is valid: its name has the right syntax and is new, and its
   formula uses earlier events only.  */
static bool
event_is_right (const struct cgw_event *events, size_t i)
{
  const struct cgw_event *e = &events[i];
  struct term term;

  if (e->name == NULL || e->name[0] == '\0'
      || name_length (e->name) != strlen (e->name)
      || has_event (events, i, e->name, strlen (e->name)))
    return false;
  if (e->formula == NULL)
    return true;
  for (const char *f = e->formula; *f != '\0' || f == e->formula;)
    if (!read_term (&f, &term)
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
      if (!event_is_right (part->events, i))
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
      memcpy (p, rest == formula ? " = " : " + ", 3);
      p += 3;
      read_term (&rest, &term);
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
