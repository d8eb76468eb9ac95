/* print_json.c - the report for programs: see report.schema.json.  One
   function, call or line of source is one line.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "print.h"

#include "../base/text.h"
#include "../base/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

struct json
{
  const struct model *m;
  FILE *to;
};

static void
print_amount (const struct json *j, struct amount a)
{
  fprintf (j->to, "%s%" PRIu64, a.is_below ? "-" : "", a.n);
}

static void
print_member (const struct json *j, const char *key, const char *text)
{
  if (text == NULL || strcmp (text, "???") == 0)
    return;
  fprintf (j->to, ", \"%s\": ", key);
  json_print (j->to, text);
}

/* A list of the values of all events: of an item, or their changes.  */

enum which { WHICH_BEFORE, WHICH_AFTER, WHICH_CHANGE };

typedef struct amount get_cost (const struct model *m, size_t i,
                                const void *item, enum kind kind,
                                enum side side);

static struct amount
choose (struct amount before, struct amount after, enum which which)
{
  return which == WHICH_BEFORE  ? before
         : which == WHICH_AFTER ? after
                                : amount_change (before, after);
}

static void
print_costs (const struct json *j, const char *key, get_cost *cost,
             const void *item, enum kind kind, enum which which)
{
  fprintf (j->to, "\"%s\": [", key);
  for (size_t i = 0; i < j->m->columns.n_shown; i++)
    {
      if (i != 0)
        fputs (", ", j->to);
      print_amount (j, choose (cost (j->m, i, item, kind, BEFORE),
                               cost (j->m, i, item, kind, AFTER), which));
    }
  putc (']', j->to);
}

static void
print_calls (const struct json *j, const uint64_t *calls, enum which which)
{
  fputs ("\"calls\": ", j->to);
  print_amount (j, choose ((struct amount){ calls[BEFORE], false },
                           (struct amount){ calls[AFTER], false }, which));
}

/* What an item has: its members `print`s, and with a base those of what was
   before, and of the difference, as objects.  */
typedef void print_item (const struct json *j, const void *item,
                         enum which which);

static void
print_sides (const struct json *j, print_item *print, const void *item)
{
  print (j, item, WHICH_AFTER);
  if (!j->m->has_base)
    return;
  fputs (", \"before\": {", j->to);
  print (j, item, WHICH_BEFORE);
  fputs ("}, \"difference\": {", j->to);
  print (j, item, WHICH_CHANGE);
  putc ('}', j->to);
}

/* Totals, functions, edges and lines.  */

static struct amount
total (const struct model *m, size_t i, const void *item, enum kind kind,
       enum side side)
{
  (void) item;
  (void) kind;
  return model_total (m, i, side);
}

static void
print_totals (const struct json *j, const void *item, enum which which)
{
  print_costs (j, "totals", total, item, SELF, which);
}

static struct amount
function_cost (const struct model *m, size_t i, const void *item,
               enum kind kind, enum side side)
{
  return model_cost (m, i, item, kind, side);
}

static void
print_function_costs (const struct json *j, const void *item,
                      enum which which)
{
  const struct model_function *f = item;

  print_calls (j, f->sums->calls, which);
  fputs (", ", j->to);
  print_costs (j, "self", function_cost, item, SELF, which);
  fputs (", ", j->to);
  print_costs (j, "inclusive", function_cost, item, INCLUSIVE, which);
}

static struct amount
call_cost (const struct model *m, size_t i, const void *item, enum kind kind,
           enum side side)
{
  (void) kind;
  return model_call_cost (m, i, item, side);
}

static void
print_call_costs (const struct json *j, const void *item, enum which which)
{
  const struct model_call *c = item;

  print_calls (j, c->edge->count, which);
  fputs (", ", j->to);
  print_costs (j, "inclusive", call_cost, item, INCLUSIVE, which);
}

static struct amount
line_cost (const struct model *m, size_t i, const void *item, enum kind kind,
           enum side side)
{
  return model_line_cost (m, i, item, kind, side);
}

static void
print_line_costs (const struct json *j, const void *item, enum which which)
{
  print_costs (j, "self", line_cost, item, SELF, which);
  fputs (", ", j->to);
  print_costs (j, "inclusive", line_cost, item, INCLUSIVE, which);
}

/* Lists, of an item in each line.  */

static void
begin_item (const struct json *j, uint32_t i)
{
  fputs (i == 0 ? "\n    {" : ",\n    {", j->to);
}

static void
print_functions (const struct json *j)
{
  fputs (",\n  \"functions\": [", j->to);
  for (uint32_t i = 0; i < j->m->n_functions; i++)
    {
      const struct model_function *f = &j->m->functions[i];

      begin_item (j, i);
      fprintf (j->to, "\"id\": %" PRIu32 ", \"name\": ", i);
      json_print (j->to, f->name);
      print_member (j, "file", f->file);
      print_member (j, "object", f->object);
      if (f->line != 0)
        fprintf (j->to, ", \"line\": %" PRIu32, f->line);
      fputs (", ", j->to);
      print_sides (j, print_function_costs, f);
      putc ('}', j->to);
    }
  fputs ("\n  ]", j->to);
}

static void
print_edges (const struct json *j)
{
  fputs (",\n  \"edges\": [", j->to);
  for (uint32_t i = 0; i < j->m->n_calls; i++)
    {
      const struct model_call *c = &j->m->calls[i];

      begin_item (j, i);
      fprintf (j->to, "\"caller\": %" PRIu32 ", \"callee\": %" PRIu32 ", ",
               c->from, c->to);
      print_sides (j, print_call_costs, c);
      putc ('}', j->to);
    }
  fputs ("\n  ]", j->to);
}

static void
print_lines (const struct json *j)
{
  fputs (",\n  \"lines\": [", j->to);
  for (uint32_t i = 0; i < j->m->n_lines; i++)
    {
      const struct model_line *l = j->m->lines[i];

      begin_item (j, i);
      fprintf (j->to, "\"function\": %" PRIu32, l->function);
      print_member (j, "file", model_line_file (j->m, l));
      if (l->key.line != 0)
        fprintf (j->to, ", \"line\": %" PRIu32, l->key.line);
      fputs (", ", j->to);
      print_sides (j, print_line_costs, l);
      putc ('}', j->to);
    }
  fputs ("\n  ]", j->to);
}

/* What is above.  */

static void
print_texts (const struct json *j, const char *key,
             const char *const *texts, size_t n)
{
  fprintf (j->to, ",\n  \"%s\": [", key);
  for (size_t i = 0; i < n; i++)
    {
      if (i != 0)
        fputs (", ", j->to);
      json_print (j->to, texts[i]);
    }
  putc (']', j->to);
}

static void
print_events (const struct json *j)
{
  fputs (",\n  \"events\": [", j->to);
  for (size_t i = 0; i < j->m->columns.n_shown; i++)
    {
      const struct column *c = &j->m->columns.all[j->m->columns.shown[i]];

      begin_item (j, (uint32_t) i);
      fputs ("\"name\": ", j->to);
      json_print (j->to, c->name);
      print_member (j, "title", c->title);
      if (*c->told.unit != '\0')
        {
          print_member (j, "unit", c->told.unit);
          fprintf (j->to, ", \"factor\": %" PRIu64, c->told.factor);
        }
      print_member (j, "formula", c->formula);
      putc ('}', j->to);
    }
  fputs ("\n  ]", j->to);
}

/* Which thread or part it is.  */
static void
print_part (const struct json *j)
{
  const struct recorded *p = &j->m->r->profiles[0];

  if (p->input != NULL)
    {
      fputs (",\n  \"file\": ", j->to);
      json_print (j->to, p->input);
    }
  if (p->part != 0)
    fprintf (j->to, ",\n  \"part\": %" PRIu64, p->part);
  fprintf (j->to, ",\n  \"process\": %" PRIu64 ",\n  \"thread\": %" PRIu64,
           p->pid, p->tid);
  if (p->comm != NULL)
    {
      fputs (",\n  \"name\": ", j->to);
      json_print (j->to, p->comm);
    }
}

void
print_json (const struct print_options *p, const struct model *m)
{
  const struct json j = { .m = m, .to = p->to };
  const struct recording *r = m->r;

  fprintf (j.to,
           "{\n  \"version\": %d,\n  \"creator\": \"cgw-report %s\"",
           SCHEMA_VERSION, CGW_VERSION_STRING);
  print_texts (&j, "files", (const char *const *) p->from.files,
               p->from.n_files);
  if (m->has_base)
    print_texts (&j, "against", p->from.base, p->from.n_base);
  if (p->is_apart)
    print_part (&j);
  if (r->cmd != NULL)
    {
      fputs (",\n  \"command\": ", j.to);
      json_print (j.to, r->cmd);
    }
  print_texts (&j, "description", r->desc, r->n_desc);
  print_events (&j);
  fprintf (j.to, ",\n  \"counts\": \"%s\",\n  ",
           r->has_samples ? "samples" : "calls");
  print_sides (&j, print_totals, NULL);
  print_functions (&j);
  print_edges (&j);
  if (p->has_lines)
    print_lines (&j);
  fputs ("\n}\n", j.to);
}
