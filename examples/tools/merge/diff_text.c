/* diff_text.c - the largest differences of two profiles, as a text.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "diff_sums.h"

#include "../base/memory.h"
#include "../base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum
{
  PRINTED = 10,
  NUMBER = 28 /* bytes of a number with commas and a sign */
};

/* Sums of costs before and after.  What passes 2^64-1 stays there.  */
static void
add_sides (uint64_t sum[SIDES], const struct diff_sums *d,
           const uint64_t *costs)
{
  for (unsigned side = 0; side < SIDES; side++)
    {
      uint64_t more = costs[side * d->n];

      sum[side] = more > UINT64_MAX - sum[side] ? UINT64_MAX
                                                : sum[side] + more;
    }
}

/* The inclusive cost of a function is its own and that of the calls that it
   makes of others.  */
static void
sum_up (const struct diff_sums *d, uint64_t total[SIDES])
{
  for (uint32_t i = 0; i < d->places.n; i++)
    {
      const struct place *place = table_entry (&d->places, i);
      struct function *f = diff_sums_function (d, place->key.fn);

      add_sides (f->self, d, place->costs);
      add_sides (f->inclusive, d, place->costs);
      add_sides (total, d, place->costs);
    }
  for (uint32_t i = 0; i < d->edges.n; i++)
    {
      const struct edge *edge = table_entry (&d->edges, i);

      if (edge->key.from.fn != edge->key.to)
        add_sides (diff_sums_function (d, edge->key.from.fn)->inclusive, d,
                   edge->costs);
    }
}

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
  const struct function *a = *(const struct function *const *) one;
  const struct function *b = *(const struct function *const *) two;
  uint64_t self_a = distance (a->self), self_b = distance (b->self);
  uint64_t in_a = distance (a->inclusive), in_b = distance (b->inclusive);

  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (in_a != in_b)
    return in_a < in_b ? 1 : -1;
  return (a > b) - (a < b);
}

/* Writes a number with commas between thousands.  Returns its text.  */
static const char *
format (char text[NUMBER], const char *sign, uint64_t number)
{
  char digits[NUMBER];
  int n = snprintf (digits, sizeof digits, "%" PRIu64, number);
  char *p = stpcpy (text, sign);

  for (int i = 0; i < n; i++)
    {
      if (i != 0 && (n - i) % 3 == 0)
        *p++ = ',';
      *p++ = digits[i];
    }
  *p = '\0';
  return text;
}

static const char *
format_change (char text[NUMBER], const uint64_t sum[SIDES])
{
  const char *sign = sum[AFTER] > sum[BEFORE]   ? "+"
                     : sum[AFTER] < sum[BEFORE] ? "-"
                                                : "";

  return format (text, sign, distance (sum));
}

static const char *
format_percent (char text[NUMBER], const uint64_t sum[SIDES])
{
  double before = (double) sum[BEFORE];

  if (sum[BEFORE] == sum[AFTER])
    return "0.0%";
  if (sum[BEFORE] == 0)
    return "new";
  snprintf (text, NUMBER, "%+.1f%%",
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
print_function (const struct diff_sums *d, const struct function *f,
                FILE *stream)
{
  char numbers[5][NUMBER];
  const struct name *name = table_find (
      &d->names, &(struct name_key){ CGIN_FN, f->key.fn });

  fprintf (stream, "%16s %16s %16s %16s %9s  ",
           format_change (numbers[0], f->self),
           format_change (numbers[1], f->inclusive),
           format (numbers[2], "", f->self[BEFORE]),
           format (numbers[3], "", f->self[AFTER]),
           format_percent (numbers[4], f->self));
  printable_print (stream, diff_sums_text (d, CGIN_FN, f->key.fn));
  print_place (stream, " (",
               diff_sums_text (d, CGIN_FILE, name != NULL ? name->file : 0), ")");
  print_place (stream, " [",
               diff_sums_text (d, CGIN_OBJECT, name != NULL ? name->object : 0), "]");
  putc ('\n', stream);
}

/* The functions that differ, sorted; returns how many.  */
static uint32_t
find_changes (const struct diff_sums *d, const struct function **list)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < d->functions.n; i++)
    {
      const struct function *f = table_entry (&d->functions, i);

      if (distance (f->self) != 0 || distance (f->inclusive) != 0)
        list[n++] = f;
    }
  if (n != 0)
    qsort (list, n, sizeof *list, compare);
  return n;
}

void
diff_sums_print (const struct diff_sums *d, const char *event, FILE *stream)
{
  const struct function **list
      = resize (NULL, d->functions.n, sizeof *list);
  uint64_t total[SIDES] = { 0 };
  char numbers[4][NUMBER];
  uint32_t n;

  sum_up (d, total);
  n = find_changes (d, list);
  printable_print (stream, event);
  fprintf (stream, ": %s before, %s after: %s (%s)\n",
           format (numbers[0], "", total[BEFORE]),
           format (numbers[1], "", total[AFTER]),
           format_change (numbers[2], total),
           format_percent (numbers[3], total));
  if (n == 0)
    fputs ("No function differs.\n", stream);
  else
    fprintf (stream, "\n%16s %16s %16s %16s %9s  %s\n", "self", "inclusive",
             "self before", "self after", "change", "function");
  for (uint32_t i = 0; i < n && i < PRINTED; i++)
    print_function (d, list[i], stream);
  if (n > PRINTED)
    fprintf (stream, "and %" PRIu32 " more functions\n", n - PRINTED);
  free (list);
}
