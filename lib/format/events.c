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

/* Check the name of event i.  With a long name or a formula it must be an
   identifier: of any other, KCachegrind's event: lines would define only the
   beginning.  */
static bool
name_is_right (const struct cgw_event *events, size_t i,
               struct cgwi_sentence *why)
{
  const struct cgw_event *e = &events[i];
  unsigned at = (unsigned) i;

  if (e->name == NULL || e->name[0] == '\0')
    return cgwi_say (why, "part.events[%u].name is NULL or empty", at);
  if (!cgwi_is_event_name (e->name))
    return cgwi_say (why, "part.events[%u].name, %q: a name has no blanks or "
                          "control characters, and is UTF-8", at, e->name);
  if ((e->formula != NULL || cgwi_has_long_name (e))
      && identifier_length (e->name) != strlen (e->name))
    return cgwi_say (why, "part.events[%u].name, %q: with a long name or a "
                          "formula, a name has only letters, digits and _, and "
                          "no digit first", at, e->name);
  if (has_event (events, i, e->name, strlen (e->name)))
    return cgwi_say (why, "part.events[%u].name, %q: an earlier event has the "
                          "same name", at, e->name);
  return true;
}

/* Check the formula of event i, if it has one.  */
static bool
formula_is_right (const struct cgw_event *events, size_t i,
                  struct cgwi_sentence *why)
{
  const char *formula = events[i].formula;
  const char *rest = formula;
  struct term term;

  if (formula == NULL)
    return true;
  for (bool is_first = true; is_first || *rest != '\0'; is_first = false)
    {
      const char *here = rest;

      if (!read_term (&rest, is_first, &term))
        return cgwi_say (why, "part.events[%u].formula, %q: at %q, expected %s"
                              "a number below 2^31 or the name of an earlier "
                              "event", (unsigned) i, formula, here,
                         is_first ? "" : "+ or - and ");
      if (!has_event (events, i, term.name, term.length))
        return cgwi_say (why, "part.events[%u].formula, %q: at %q, there is no "
                              "earlier event of this name", (unsigned) i,
                         formula, term.name);
    }
  return true;
}

size_t
cgwi_count_events (const struct cgw_part *part, struct cgwi_sentence *why)
{
  size_t n = 0;

  if (part->events == NULL || part->n_events == 0)
    return cgwi_say (why, "part.events is NULL, or part.n_events is 0: a part "
                          "has at least one event");
  for (size_t i = 0; i < part->n_events; i++)
    {
      if (!name_is_right (part->events, i, why)
          || !formula_is_right (part->events, i, why))
        return 0;
      n += part->events[i].formula == NULL;
    }
  if (n == 0)
    return cgwi_say (why, "part.events: all are derived; at least one has no "
                          "formula, but costs");
  if (n > CGW_EVENTS_MAX)
    return cgwi_say (why, "part.events: %U are not derived; KCachegrind reads "
                          "at most %u", (uint64_t) n, CGW_EVENTS_MAX);
  return n;
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
