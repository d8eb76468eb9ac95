/* unit.h - an event is its name and its unit: which events of several inputs
   are the same one, and what their costs are multiplied by before they are
   added or compared.

   Names tell units, "Time_(10ns)" or "cpu(ms)", and so do long names, "cpu
   (ns)", "Time in us" or "Bytes, in units of 10^-2".

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef UNIT_H
#define UNIT_H 1

#include <cgw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event of several inputs.  It has the name and the long name that it has in
   those with the finest unit.  */
struct unit_event
{
  char *key;           /* see unit_key */
  char *name;
  char *long_name;     /* or NULL */
  const char *file;    /* the first of these inputs */
  const char *differs; /* one of them with another long name, or NULL */
  const char *untold;  /* an input that tells no unit though others do, or
                          NULL */
  bool is_converted;   /* the inputs have different units */
};

/* Returns the name of the i-th of n events without its unit.  Events are the
   same one if these are equal.  It is the whole name of an event that differs
   from another one of the n only in its unit.  To be freed.  */
char *unit_key (const struct cgw_event *events, size_t n, size_t i);

/* Whether costs of two events may be added as they are: the units are the same,
   or one event tells none.  */
bool unit_fits (const struct cgw_event *a, const struct cgw_event *b);

/* The event of the first input, for unit_event_free.  It takes the key over;
   `file` must live as long.  */
struct unit_event unit_event_first (char *key, const char *file,
                                    const struct cgw_event *event);

/* Takes note of the same event in another input.  One that tells no unit is
   taken for one of the same unit, with a warning.  *before is what the costs of
   the inputs before are to be multiplied by: it is not 1 if this one has a
   finer unit.  False: the units cannot be converted; a message was printed.  */
bool unit_event_take (struct unit_event *e, const char *file,
                      const struct cgw_event *event, uint64_t *before);

/* Sets *factor to what an input's costs are to be multiplied by.  False: its
   event is not as unit_event_take saw it.  */
bool unit_event_factor (const struct unit_event *e,
                        const struct cgw_event *event, uint64_t *factor);

/* Returns a long name that tells the unit and nothing else, for inputs that
   differ in theirs; or NULL if it told none.  To be freed.  */
char *unit_event_plain (const struct unit_event *e);

void unit_event_free (struct unit_event *e);

/* What formats with a field of its own for the unit call an event.  */
struct unit_told
{
  char *name;      /* as in the input that it came from; to be freed */
  char *unit;      /* "nanoseconds", "bytes", "count" ...; to be freed */
  uint64_t factor; /* how many of the unit a cost of 1 is */
};
struct unit_told unit_tell (const struct cgw_event *event);

/* Multiplies a cost.  False: it would pass 2^64-1.  */
static inline bool
unit_multiply (uint64_t *cost, uint64_t factor)
{
  if (*cost > UINT64_MAX / factor)
    return false;
  *cost *= factor;
  return true;
}

/* Multiplies a cost, which may be below 0 if it is signed, as the result may.
   False: it would pass an end.  */
static inline bool
unit_multiply_signed (uint64_t *cost, uint64_t factor, bool is_signed,
                      bool is_result_signed)
{
  bool is_below = is_signed && *cost > INT64_MAX;
  uint64_t distance = is_below ? -*cost : *cost;

  if (!unit_multiply (&distance, factor)
      || (is_result_signed && distance - is_below > INT64_MAX))
    return false;
  *cost = is_below ? -distance : distance;
  return true;
}

#endif /* UNIT_H */
