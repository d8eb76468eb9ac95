/* diff_sums.c - the sums of two profiles, and their differences.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "diff_sums.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct name_key
{
  uint32_t kind;
  uint32_t handle;
};

struct name
{
  struct name_key key;
  char *text;
  uint32_t file; /* of a function */
  uint32_t object;
};

struct function_key
{
  uint32_t fn;
  uint32_t zero;
};

struct function
{
  struct function_key key;
  uint32_t line[SIDES];       /* the lowest one in its own file, or 0 */
  uint64_t self[SIDES];       /* of the first event, as what follows */
  uint64_t inclusive[SIDES];
};

struct place_key
{
  uint32_t fn;
  uint32_t file;
  uint32_t line;
  uint32_t zero;
};

struct place
{
  struct place_key key;
  uint64_t costs[]; /* before, and after */
};

struct edge_key
{
  struct place_key from;
  uint32_t to;
  uint32_t zero;
};

struct edge
{
  struct edge_key key;
  uint64_t count[SIDES];
  uint64_t costs[];
};

void
diff_sums_begin (struct diff_sums *d, size_t n_events, bool by_line)
{
  size_t costs = SIDES * n_events * sizeof (uint64_t);

  *d = (struct diff_sums){
    .n = n_events,
    .by_line = by_line,
    .names = { .key_size = sizeof (struct name_key),
               .entry_size = sizeof (struct name) },
    .functions = { .key_size = sizeof (struct function_key),
                   .entry_size = sizeof (struct function) },
    .places = { .key_size = sizeof (struct place_key),
                .entry_size = sizeof (struct place) + costs },
    .edges = { .key_size = sizeof (struct edge_key),
               .entry_size = sizeof (struct edge) + costs },
  };
}

void
diff_sums_free (struct diff_sums *d)
{
  for (uint32_t i = 0; i < d->names.n; i++)
    free (((struct name *) table_entry (&d->names, i))->text);
  table_free (&d->names);
  table_free (&d->functions);
  table_free (&d->places);
  table_free (&d->edges);
}

static void *
add (struct table *t, const void *key)
{
  void *entry = table_add (t, key);

  if (entry == NULL)
    no_memory ();
  return entry;
}

void
diff_sums_name (struct diff_sums *d, const struct cgin_name *n)
{
  struct name *name
      = add (&d->names, &(struct name_key){ n->kind, n->handle });

  if (name->text != NULL)
    return;
  name->text = copy_text (n->text);
  name->file = n->file.handle;
  name->object = n->object.handle;
}

/* Adding.  */

static bool
add_costs (uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      if (cost[i] > UINT64_MAX - sums[i])
        return false;
      sums[i] += cost[i];
    }
  return true;
}

static struct function *
function_of (const struct diff_sums *d, uint32_t fn)
{
  return table_find (&d->functions, &(struct function_key){ fn, 0 });
}

/* Takes note of a function, and of its lowest line.  */
static void
see (struct diff_sums *d, enum side side, const struct cgw_pos *pos)
{
  struct function *f
      = add (&d->functions, &(struct function_key){ pos->fn.handle, 0 });

  if (pos->file.handle == 0 && pos->line != 0
      && (f->line[side] == 0 || pos->line < f->line[side]))
    f->line[side] = pos->line;
}

static struct place_key
key_of (const struct diff_sums *d, const struct cgw_pos *pos)
{
  struct place_key key = { .fn = pos->fn.handle };

  if (d->by_line)
    {
      key.file = pos->file.handle;
      key.line = pos->line;
    }
  return key;
}

enum cgw_status
diff_sums_cost (struct diff_sums *d, enum side side, const struct cgw_pos *pos,
                const uint64_t *cost)
{
  struct place_key key = key_of (d, pos);
  struct place *place = add (&d->places, &key);

  see (d, side, pos);
  return add_costs (place->costs + side * d->n, cost, d->n) ? CGW_OK
                                                            : CGW_EOVERFLOW;
}

enum cgw_status
diff_sums_call (struct diff_sums *d, enum side side,
                const struct cgw_pos *from, const struct cgw_pos *to,
                uint64_t count, const uint64_t *cost)
{
  const struct cgw_pos callee = { .fn = to->fn };
  struct edge_key key = { .from = key_of (d, from), .to = to->fn.handle };
  struct edge *edge = add (&d->edges, &key);

  see (d, side, from);
  see (d, side, &callee);
  return add_costs (&edge->count[side], &count, 1)
                 && add_costs (edge->costs + side * d->n, cost, d->n)
             ? CGW_OK
             : CGW_EOVERFLOW;
}

/* The profile.  */

/* What is more and what is less, of each event.  False: nothing.  */
static bool
differences (const struct diff_sums *d, const uint64_t *costs, uint64_t *more)
{
  bool any = false;

  for (size_t i = 0; i < d->n; i++)
    {
      uint64_t before = costs[i], after = costs[d->n + i];

      more[2 * i] = after > before ? after - before : 0;
      more[2 * i + 1] = before > after ? before - after : 0;
      any = any || before != after;
    }
  return any;
}

/* The line that stands for a function: readers show the later source, unless
   the function is gone.  */
static uint32_t
line_of (const struct diff_sums *d, uint32_t fn)
{
  const struct function *f = function_of (d, fn);

  return f->line[AFTER] != 0 ? f->line[AFTER] : f->line[BEFORE];
}

static struct cgw_pos
position (const struct diff_sums *d, const struct place_key *key)
{
  return (struct cgw_pos){ .fn = { key->fn },
                           .file = { key->file },
                           .line = d->by_line ? key->line
                                              : line_of (d, key->fn) };
}

/* Calls of the later profile, or else of the earlier one.  */
static uint64_t
calls_of (const struct edge *edge)
{
  uint64_t count
      = edge->count[AFTER] != 0 ? edge->count[AFTER] : edge->count[BEFORE];

  return count != 0 ? count : 1;
}

/* Errors are the profile's: they show up when it is written.  */
void
diff_sums_fill (const struct diff_sums *d, struct cgw_profile *profile)
{
  uint64_t more[CGW_EVENTS_MAX];

  for (uint32_t i = 0; i < d->places.n; i++)
    {
      const struct place *place = table_entry (&d->places, i);
      struct cgw_pos pos = position (d, &place->key);

      if (differences (d, place->costs, more))
        cgw_profile_cost (profile, &pos, more, 2 * d->n);
    }
  for (uint32_t i = 0; i < d->edges.n; i++)
    {
      const struct edge *edge = table_entry (&d->edges, i);
      struct cgw_pos from = position (d, &edge->key.from);
      struct cgw_pos to = { .fn = { edge->key.to },
                            .line = line_of (d, edge->key.to) };

      if (differences (d, edge->costs, more))
        cgw_profile_call (profile, &from, &to, calls_of (edge), more,
                          2 * d->n);
    }
}

/* The text.  */

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
      struct function *f = function_of (d, place->key.fn);

      add_sides (f->self, d, place->costs);
      add_sides (f->inclusive, d, place->costs);
      add_sides (total, d, place->costs);
    }
  for (uint32_t i = 0; i < d->edges.n; i++)
    {
      const struct edge *edge = table_entry (&d->edges, i);

      if (edge->key.from.fn != edge->key.to)
        add_sides (function_of (d, edge->key.from.fn)->inclusive, d,
                   edge->costs);
    }
}

static uint64_t
distance (const uint64_t sum[SIDES])
{
  return sum[AFTER] > sum[BEFORE] ? sum[AFTER] - sum[BEFORE]
                                  : sum[BEFORE] - sum[AFTER];
}

static const char *
text_of (const struct diff_sums *d, enum cgin_kind kind, uint32_t handle)
{
  const struct name *name
      = table_find (&d->names, &(struct name_key){ kind, handle });

  return name != NULL ? name->text : "???";
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

/* Names come from a file: a terminal gets no control characters.  */
static void
print_name (FILE *stream, const char *text)
{
  for (; *text != '\0'; text++)
    putc ((unsigned char) *text < ' ' || *text == 0x7f ? '?' : *text, stream);
}

/* Prints what a function is in, if that is known.  */
static void
print_place (FILE *stream, const char *open, const char *text,
             const char *close)
{
  if (strcmp (text, "???") == 0)
    return;
  fputs (open, stream);
  print_name (stream, text);
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
  print_name (stream, text_of (d, CGIN_FN, f->key.fn));
  print_place (stream, " (",
               text_of (d, CGIN_FILE, name != NULL ? name->file : 0), ")");
  print_place (stream, " [",
               text_of (d, CGIN_OBJECT, name != NULL ? name->object : 0), "]");
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
  fprintf (stream, "%s: %s before, %s after: %s (%s)\n", event,
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
