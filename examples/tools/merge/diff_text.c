/* diff_text.c - the largest differences of two profiles, as a text.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "diff_output.h"

#include "../base/memory.h"
#include "../base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED = 10 };

/* A function, and its costs of the first event.  */
struct change
{
  const struct sums_function *function;
  uint64_t self[SIDES];
  uint64_t inclusive[SIDES];
};

static uint64_t
distance (const uint64_t sum[SIDES])
{
  return sum[AFTER] > sum[BEFORE] ? sum[AFTER] - sum[BEFORE]
                                  : sum[BEFORE] - sum[AFTER];
}

/* The largest changes of self costs come first.  Ties keep the order in which
   the files have the functions.  */
static int
compare (const void *one, const void *two)
{
  const struct change *a = one, *b = two;
  uint64_t self_a = distance (a->self), self_b = distance (b->self);
  uint64_t in_a = distance (a->inclusive), in_b = distance (b->inclusive);

  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (in_a != in_b)
    return in_a < in_b ? 1 : -1;
  return a->function > b->function ? 1 : -1;
}

static const char *
format_change (char text[NUMBER_TEXT], const uint64_t sum[SIDES])
{
  const char *sign = sum[AFTER] > sum[BEFORE]   ? "+"
                     : sum[AFTER] < sum[BEFORE] ? "-"
                                                : "";

  return number_text (text, sign, distance (sum));
}

static const char *
format_percent (char text[NUMBER_TEXT], const uint64_t sum[SIDES])
{
  double before = (double) sum[BEFORE];

  if (sum[BEFORE] == sum[AFTER])
    return "0.0%";
  if (sum[BEFORE] == 0)
    return "new";
  snprintf (text, NUMBER_TEXT, "%+.1f%%",
            ((double) sum[AFTER] - before) / before * 100);
  return text;
}

/* Prints what a function is in, if that is known.  */
static void
print_place (FILE *stream, const char *open, const char *text,
             const char *close)
{
  if (strcmp (text, "???") == 0)
    return;
  fputs (open, stream);
  printable_print (stream, text);
  fputs (close, stream);
}

static void
print_change (const struct sums *s, const struct change *c, FILE *stream)
{
  char numbers[5][NUMBER_TEXT];
  struct cgw_file file;
  struct cgw_object object;
  const char *name = cgw_fn_name (
      s->names, (struct cgw_fn){ c->function->key.fn }, &file, &object);

  fprintf (stream, "%16s %16s %16s %16s %9s  ",
           format_change (numbers[0], c->self),
           format_change (numbers[1], c->inclusive),
           number_text (numbers[2], "", c->self[BEFORE]),
           number_text (numbers[3], "", c->self[AFTER]),
           format_percent (numbers[4], c->self));
  printable_print (stream, name);
  print_place (stream, " (", cgw_file_name (s->names, file), ")");
  print_place (stream, " [", cgw_object_name (s->names, object), "]");
  putc ('\n', stream);
}

/* The functions that differ, sorted; returns how many.  */
static uint32_t
find_changes (const struct sums *s, struct change *list)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < s->functions.n; i++)
    {
      struct sums_function *f = table_entry (&s->functions, i);
      struct change c = { .function = f };

      for (enum side side = BEFORE; side < SIDES; side++)
        {
          c.self[side] = *sums_self (s, f, side);
          c.inclusive[side] = *sums_inclusive (s, f, side);
        }
      if (distance (c.self) != 0 || distance (c.inclusive) != 0)
        list[n++] = c;
    }
  if (n != 0)
    qsort (list, n, sizeof *list, compare);
  return n;
}

void
diff_print (struct sums *s, const char *event, FILE *stream)
{
  struct change *list = resize (NULL, s->functions.n, sizeof *list);
  uint64_t total[SIDES];
  char numbers[4][NUMBER_TEXT];
  uint32_t n;

  sums_add_up (s);
  total[BEFORE] = s->total[BEFORE][0];
  total[AFTER] = s->total[AFTER][0];
  n = find_changes (s, list);
  printable_print (stream, event);
  fprintf (stream, ": %s before, %s after: %s (%s)\n",
           number_text (numbers[0], "", total[BEFORE]),
           number_text (numbers[1], "", total[AFTER]),
           format_change (numbers[2], total),
           format_percent (numbers[3], total));
  if (n == 0)
    fputs ("No function differs.\n", stream);
  else
    fprintf (stream, "\n%16s %16s %16s %16s %9s  %s\n", "self", "inclusive",
             "self before", "self after", "change", "function");
  for (uint32_t i = 0; i < n && i < PRINTED; i++)
    print_change (s, &list[i], stream);
  if (n > PRINTED)
    fprintf (stream, "and %" PRIu32 " more functions\n", n - PRINTED);
  free (list);
}
