/* events.h - event types: the grammar of their formulas.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_EVENTS_H
#define CGWI_EVENTS_H 1

#include "cgw.h"

#include <stdbool.h>

/* Return the length of the identifier at text: a letter or "_", then letters,
   digits and "_"; 0 when there is none.  */
size_t cgwi_identifier_length (const char *text);

/* A term of a derived event's formula.  */
struct cgwi_term
{
  bool minus;
  uint32_t coefficient; /* 1 when there is none */
  const char *name;
  size_t length;
};

/* Read the sign between two terms and the term at *formula, and advance past
   them.  The first term has no sign.  False: a syntax error.  */
bool cgwi_read_term (const char **formula, bool is_first,
                     struct cgwi_term *term);

/* Whether an event has a long name that is not blank.  */
bool cgwi_has_long_name (const struct cgw_event *e);

/* Write " = " and the formula at p, in one spelling.  Return the end.  */
char *cgwi_put_formula (char *p, const char *formula);

/* Bytes that cgwi_put_formula writes at most: "a-b" becomes " = a - b".  */
uint64_t cgwi_formula_max (const char *formula);

#endif
