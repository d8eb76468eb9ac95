/* print_text.c - the report as a text: a table in which names come last, so
   that no name can move a column.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "print.h"

#include "../base/memory.h"
#include "../base/text.h"
#include "../base/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct text
{
  const struct print_options *p;
  const struct model *m;
  FILE *to;
  const char *kinds[KINDS]; /* titles */
  int *widths;              /* of the values of each event */
  int calls_width;
};

/* A row of the table.  */
struct row
{
  struct amount (*cost) (const struct text *t, size_t i, const void *item,
                         enum kind kind, enum side side);
  const void *item;
  bool has[KINDS];       /* else it is empty there */
  const uint64_t *calls; /* or NULL */
};

static const char *
amount_text (char text[NUMBER_TEXT], struct amount a, bool has_plus)
{
  const char *sign = a.is_below ? "-" : has_plus && a.n != 0 ? "+" : "";

  return number_text (text, sign, a.n);
}

static int
amount_width (struct amount a)
{
  char text[NUMBER_TEXT];

  return (int) strlen (amount_text (text, a, false));
}

static int
highest (int a, int b)
{
  return a > b ? a : b;
}

/* Inclusive costs are at most the total; where costs may be below 0, single
   ones may be wider.  */
static void
measure (struct text *t)
{
  const struct model *m = t->m;

  t->widths = resize (NULL, m->columns.n_shown, sizeof *t->widths);
  for (size_t i = 0; i < m->columns.n_shown; i++)
    {
      const char *name = m->columns.all[m->columns.shown[i]].name;
      int width = highest ((int) strlen ("inclusive"), (int) strlen (name));

      for (enum side side = BEFORE; side < SIDES; side++)
        width = highest (width, amount_width (model_total (m, i, side)));
      t->widths[i] = width;
    }
  t->calls_width = (int) strlen ("samples");
  for (uint32_t i = 0; i < m->n_functions; i++)
    for (enum side side = BEFORE; side < SIDES; side++)
      t->calls_width = highest (
          t->calls_width,
          amount_width ((struct amount){
              m->functions[i].sums->calls[side], false }));
}

/* Colours: what is much, what became more, and less.  */
#define STRONG "1"
#define MUCH "31"
#define SOME "33"
#define LESS "32"

static void
begin_colour (const struct text *t, const char *colour)
{
  if (t->p->is_coloured && colour != NULL)
    fprintf (t->to, "\033[%sm", colour);
}

static void
end_colour (const struct text *t, const char *colour)
{
  if (t->p->is_coloured && colour != NULL)
    fputs ("\033[m", t->to);
}

/* The width of "100.0%", and of "-100.0%" and "+1234.5%".  */
static int
percent_width (const struct text *t)
{
  return t->m->has_base ? 8 : 6;
}

static void
print_percent (const struct text *t, const char *text, const char *colour)
{
  putc (' ', t->to);
  begin_colour (t, colour);
  fprintf (t->to, "%*s", percent_width (t), text);
  end_colour (t, colour);
}

enum { PERCENT_TEXT = 40 };

static void
print_share (const struct text *t, struct amount part, struct amount whole)
{
  double share = whole.n != 0 ? 100 * amount_number (part)
                                    / amount_number (whole)
                              : 0;
  char text[PERCENT_TEXT];

  snprintf (text, sizeof text, "%.1f%%", share);
  print_percent (t, text,
                 share >= 10  ? MUCH
                 : share >= 1 ? SOME
                              : NULL);
}

static const char *
relative (char text[PERCENT_TEXT], struct amount before, struct amount change)
{
  if (change.n == 0)
    return "0.0%";
  if (before.n == 0)
    return "new";
  snprintf (text, PERCENT_TEXT, "%+.1f%%",
            100 * amount_number (change) / (double) before.n);
  return text;
}

static void
print_relative (const struct text *t, struct amount before,
                struct amount after)
{
  struct amount change = amount_change (before, after);
  char buffer[PERCENT_TEXT];
  const char *text = relative (buffer, before, change);

  print_percent (t, text,
                 change.n == 0     ? NULL
                 : change.is_below ? LESS
                                   : MUCH);
}

static void
print_value (const struct text *t, int width, struct amount a, bool has_plus)
{
  char text[NUMBER_TEXT];

  fprintf (t->to, "  %*s", width, amount_text (text, a, has_plus));
}

static void
print_blank (const struct text *t, int width)
{
  fprintf (t->to, "  %*s", width, "");
}

static int
width_of (const struct text *t, size_t i)
{
  return (t->m->has_base ? 3 * t->widths[i] + 1 + 4 : t->widths[i]) + 1
         + percent_width (t);
}

static void
print_cost (const struct text *t, size_t i, struct amount before,
            struct amount after)
{
  int width = t->widths[i];

  if (t->m->has_base)
    {
      print_value (t, width, before, false);
      print_value (t, width, after, false);
      print_value (t, width + 1, amount_change (before, after), true);
      print_relative (t, before, after);
    }
  else
    {
      print_value (t, width, after, false);
      print_share (t, after, model_total (t->m, i, AFTER));
    }
}

static void
print_calls (const struct text *t, const uint64_t *calls)
{
  for (enum side side = t->m->has_base ? BEFORE : AFTER; side < SIDES; side++)
    print_value (t, t->calls_width, (struct amount){ calls[side], false },
                 false);
}

static void
print_row (const struct text *t, const struct row *row)
{
  for (size_t i = 0; i < t->m->columns.n_shown; i++)
    for (enum kind kind = SELF; kind < KINDS; kind++)
      if (row->has[kind])
        print_cost (t, i, row->cost (t, i, row->item, kind, BEFORE),
                    row->cost (t, i, row->item, kind, AFTER));
      else
        print_blank (t, width_of (t, i));
  if (row->calls != NULL)
    print_calls (t, row->calls);
}

/* The head of the table.  */

static const char *
counts (const struct text *t)
{
  return t->m->r->has_samples ? "samples" : "calls";
}

/* The names of events, or the kinds of costs.  */
static void
print_head_line (const struct text *t, bool is_names)
{
  for (size_t i = 0; i < t->m->columns.n_shown; i++)
    for (enum kind kind = SELF; kind < KINDS; kind++)
      fprintf (t->to, "  %*s", width_of (t, i),
               is_names ? t->m->columns.all[t->m->columns.shown[i]].name
                        : t->kinds[kind]);
}

static void
print_head (const struct text *t, bool has_calls, const char *end)
{
  print_head_line (t, true);
  putc ('\n', t->to);
  print_head_line (t, false);
  if (has_calls)
    fprintf (t->to, "  %*s",
             t->m->has_base ? 2 * t->calls_width + 2 : t->calls_width,
             counts (t));
  if (t->m->has_base)
    {
      putc ('\n', t->to);
      for (size_t i = 0; i < KINDS * t->m->columns.n_shown; i++)
        fprintf (t->to, "  %*s  %*s  %*s %*s", t->widths[i / KINDS], "before",
                 t->widths[i / KINDS], "after", t->widths[i / KINDS] + 1,
                 "change", percent_width (t), "");
      if (has_calls)
        fprintf (t->to, "  %*s  %*s", t->calls_width, "before",
                 t->calls_width, "after");
    }
  fprintf (t->to, "  %s\n", end);
}

/* Names.  */

static bool
is_known (const char *name)
{
  return strcmp (name, "???") != 0;
}

static void
print_in (const struct text *t, const char *open, const char *name,
          const char *close)
{
  if (!is_known (name))
    return;
  fputs (open, t->to);
  printable_print (t->to, name);
  fputs (close, t->to);
}

static void
print_name (const struct text *t, const char *mark, uint32_t function,
            const char *colour)
{
  const struct model_function *f = &t->m->functions[function];

  fprintf (t->to, "  %s", mark);
  begin_colour (t, colour);
  printable_print (t->to, f->name);
  end_colour (t, colour);
  print_in (t, " (", f->file, ")");
  print_in (t, " [", f->object, "]");
  putc ('\n', t->to);
}

/* Functions and calls.  */

static struct amount
function_cost (const struct text *t, size_t i, const void *item,
               enum kind kind, enum side side)
{
  return model_cost (t->m, i, item, kind, side);
}

static struct amount
call_cost (const struct text *t, size_t i, const void *item, enum kind kind,
           enum side side)
{
  (void) kind;
  return model_call_cost (t->m, i, item, side);
}

static bool
has_calls_around (const struct text *t)
{
  return t->p->has_callers || t->p->has_callees;
}

static void
print_function (const struct text *t, uint32_t function)
{
  const struct model_function *f = &t->m->functions[function];
  const struct row row = { .cost = function_cost,
                           .item = f,
                           .has = { true, true },
                           .calls = f->sums->calls };
  bool is_among = has_calls_around (t);

  print_row (t, &row);
  print_name (t, is_among ? "* " : "", function, is_among ? STRONG : NULL);
}

static void
print_call (const struct text *t, const struct model_call *c, const char *mark,
            uint32_t function)
{
  const struct row row = { .cost = call_cost,
                           .item = c,
                           .has = { [INCLUSIVE] = true },
                           .calls = c->edge->count };

  if (t->m->has_base && !model_call_differs (t->m, c))
    return;
  print_row (t, &row);
  print_name (t, mark, function, NULL);
}

static void
print_callees (const struct text *t, uint32_t function)
{
  const struct model *m = t->m;

  for (uint32_t i = model_first_call (m, function);
       i < model_first_call (m, function + 1); i++)
    print_call (t, &m->calls[i], "  > ", m->calls[i].to);
}

static void
print_callers (const struct text *t, uint32_t function)
{
  const struct model *m = t->m;

  for (uint32_t i = m->first_caller[function];
       i < m->first_caller[function + 1]; i++)
    print_call (t, &m->calls[m->callers[i]], "  < ",
                m->calls[m->callers[i]].from);
}

static bool
is_chosen (const struct text *t, uint32_t function)
{
  const struct model_function *f = &t->m->functions[function];

  return (t->p->function == NULL
          || regexec (t->p->function, f->name, 0, NULL, 0) == 0)
         && (!t->m->has_base || model_function_differs (t->m, f));
}

/* The functions that are shown; *n of them, of *of.  */
static uint32_t *
choose (const struct text *t, uint32_t *n, uint32_t *of)
{
  uint32_t *chosen = resize (NULL, t->m->n_functions, sizeof *chosen);

  *n = *of = 0;
  for (uint32_t i = 0; i < t->m->n_functions; i++)
    if (is_chosen (t, i) && (*of)++ < t->p->top)
      chosen[(*n)++] = i;
  return chosen;
}

static void
print_functions (const struct text *t, const uint32_t *chosen, uint32_t n,
                 uint32_t of)
{
  putc ('\n', t->to);
  if (n == 0)
    {
      fputs (t->m->has_base           ? "No function differs.\n"
             : t->p->function != NULL ? "No function matches --function.\n"
                                      : "No function.\n",
             t->to);
      return;
    }
  print_head (t, true, "function");
  for (uint32_t i = 0; i < n; i++)
    {
      if (i != 0 && has_calls_around (t))
        putc ('\n', t->to);
      if (t->p->has_callers)
        print_callers (t, chosen[i]);
      print_function (t, chosen[i]);
      if (t->p->has_callees)
        print_callees (t, chosen[i]);
    }
  if (n < of)
    fprintf (t->to, "and %" PRIu32 " more functions\n", of - n);
}

/* Lines.  */

static struct amount
line_cost (const struct text *t, size_t i, const void *item, enum kind kind,
           enum side side)
{
  return model_line_cost (t->m, i, item, kind, side);
}

/* Prints a line of a source file, with blanks for tabs.  */
static void
print_source (const struct text *t, const char *line, size_t length)
{
  char *text = resize (NULL, length + 1, 8);
  size_t n = 0;

  for (size_t i = 0; i < length; i++)
    if (line[i] == '\t')
      do
        text[n++] = ' ';
      while (n % 8 != 0);
    else
      text[n++] = line[i] != '\0' ? line[i] : '?';
  text[n] = '\0';
  printable_print (t->to, text);
  free (text);
}

static void
print_line (const struct text *t, const struct model_line *l,
            struct source_file *source)
{
  const struct row row
      = { .cost = line_cost, .item = l, .has = { true, true } };
  size_t length;
  const char *line
      = source != NULL ? source_line (source, l->key.line, &length) : NULL;

  print_row (t, &row);
  if (l->key.line != 0)
    fprintf (t->to, "  %7" PRIu32, l->key.line);
  else
    fprintf (t->to, "  %7s", "?");
  if (line != NULL)
    {
      fputs ("  ", t->to);
      print_source (t, line, length);
    }
  putc ('\n', t->to);
}

static void
print_lines_of (struct text *t, uint32_t function)
{
  const struct model *m = t->m;
  uint32_t i = model_first_line (m, function);
  uint32_t end = model_first_line (m, function + 1);
  const char *file = NULL;
  struct source_file *source = NULL;

  if (i == end)
    return;
  putc ('\n', t->to);
  print_name (t, "", function, STRONG);
  print_head (t, false, "   line");
  for (; i < end; i++)
    {
      const char *name = model_line_file (m, m->lines[i]);

      if (m->has_base && !model_line_differs (m, m->lines[i]))
        continue;
      if (file == NULL || strcmp (name, file) != 0)
        {
          if (m->lines[i]->key.file != 0)
            {
              fputs ("  in ", t->to);
              printable_print (t->to, name);
              fputs (":\n", t->to);
            }
          file = name;
          source = t->p->sources != NULL
                       ? sources_find (t->p->sources, name)
                       : NULL;
        }
      print_line (t, m->lines[i], source);
    }
}

/* What is above.  */

static void
print_title (const struct text *t, const char *name, const char *text)
{
  if (text == NULL)
    return;
  fprintf (t->to, "%-9s", name);
  printable_print (t->to, text);
  putc ('\n', t->to);
}

static void
print_event (const struct text *t, size_t i)
{
  const struct column *column = &t->m->columns.all[t->m->columns.shown[i]];
  const struct amount before = model_total (t->m, i, BEFORE);
  const struct amount after = model_total (t->m, i, AFTER);
  const struct amount change = amount_change (before, after);
  char text[3][NUMBER_TEXT], percent[PERCENT_TEXT];

  fputs ("Total:   ", t->to);
  if (t->m->has_base)
    fprintf (t->to, "%s before, %s after: %s (%s)",
             amount_text (text[0], before, false),
             amount_text (text[1], after, false),
             amount_text (text[2], change, true),
             relative (percent, before, change));
  else
    fputs (amount_text (text[0], after, false), t->to);
  putc (' ', t->to);
  printable_print (t->to, column->name);
  if (column->title != NULL)
    {
      fputs (": ", t->to);
      printable_print (t->to, column->title);
    }
  if (column->formula != NULL)
    {
      fputs (" = ", t->to);
      printable_print (t->to, column->formula);
    }
  putc ('\n', t->to);
}

static void
print_above (const struct text *t)
{
  const struct print_options *p = t->p;
  const struct recording *r = t->m->r;

  for (size_t i = 0; i < p->from.n_files; i++)
    print_title (t, "Profile:", tool_input_name (p->from.files[i]));
  for (size_t i = 0; i < p->from.n_base; i++)
    print_title (t, "Before:", tool_input_name (p->from.base[i]));
  if (p->is_apart)
    {
      char *title = recorded_title (r, &r->profiles[0]);

      print_title (t, "Part:", title);
      free (title);
    }
  print_title (t, "Command:", r->cmd);
  for (size_t i = 0; i < r->n_desc; i++)
    print_title (t, "", r->desc[i]);
  for (size_t i = 0; i < t->m->columns.n_shown; i++)
    print_event (t, i);
}

void
print_text (const struct print_options *p, const struct model *m)
{
  struct text t
      = { .p = p, .m = m, .to = p->to, .kinds = { "self", "inclusive" } };
  uint32_t n, of;
  uint32_t *chosen;

  measure (&t);
  print_above (&t);
  chosen = choose (&t, &n, &of);
  print_functions (&t, chosen, n, of);
  t.kinds[INCLUSIVE] = "calls";
  for (uint32_t i = 0; i < n && p->has_lines; i++)
    print_lines_of (&t, chosen[i]);
  free (chosen);
  free (t.widths);
}
