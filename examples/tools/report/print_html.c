/* print_html.c - the report as a page, which needs no other file.  page.html
   has what shows it; the profile is in it as JSON, whose lists are by columns.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "print.h"

#include "../base/memory.h"
#include "../base/text.h"
#include "../base/tool.h"
#include "../read/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* page_head, page_middle and page_end.  */
#include PAGE

enum
{
  SCHEMA_VERSION = 1,
  AROUND = 3 /* how many lines of source around one with costs */
};

struct html
{
  const struct print_options *p;
  const struct model *m;
  FILE *to;
  struct intern names; /* 0 is "", of what is not known */
};

static uint32_t
name_of (struct html *h, const char *text)
{
  size_t n = strcmp (text, "???") != 0 ? strlen (text) : 0;

  return intern (&h->names, text, n);
}

static void
print_member (const struct html *h, const char *key, const char *text)
{
  fprintf (h->to, "\"%s\": ", key);
  json_print (h->to, text != NULL ? text : "");
}

static void
print_amount (const struct html *h, struct amount a)
{
  fprintf (h->to, "%s%" PRIu64, a.is_below ? "-" : "", a.n);
}

/* Lists of numbers of n items.  The key of the first one of an object has what
   is before it.  */

typedef uint64_t get_number (struct html *h, uint32_t i);
typedef struct amount get_cost (const struct html *h, size_t event,
                                uint32_t i, enum side side);

static void
print_numbers (struct html *h, const char *key, uint32_t n,
               get_number *number)
{
  fprintf (h->to, ",\n%s: [", key);
  for (uint32_t i = 0; i < n; i++)
    fprintf (h->to, "%s%" PRIu64, i != 0 ? "," : "", number (h, i));
  putc (']', h->to);
}

/* A list for each event.  */
static void
print_side (const struct html *h, const char *key, const char *end, uint32_t n,
            get_cost *cost, enum side side)
{
  fprintf (h->to, ",\n\"%s%s\": [", key, end);
  for (size_t event = 0; event < h->m->columns.n_shown; event++)
    {
      fputs (event != 0 ? ",\n[" : "[", h->to);
      for (uint32_t i = 0; i < n; i++)
        {
          if (i != 0)
            putc (',', h->to);
          print_amount (h, cost (h, event, i, side));
        }
      putc (']', h->to);
    }
  putc (']', h->to);
}

static void
print_costs (const struct html *h, const char *key, uint32_t n, get_cost *cost)
{
  print_side (h, key, "", n, cost, AFTER);
  if (h->m->has_base)
    print_side (h, key, "Before", n, cost, BEFORE);
}

/* Functions.  */

static uint64_t
function_name (struct html *h, uint32_t i)
{
  return name_of (h, h->m->functions[i].name);
}

static uint64_t
function_file (struct html *h, uint32_t i)
{
  return name_of (h, h->m->functions[i].file);
}

static uint64_t
function_object (struct html *h, uint32_t i)
{
  return name_of (h, h->m->functions[i].object);
}

/* Samples count no calls: in how many of them a function is says little, for
   some formats add equal ones up.  */
static uint64_t
calls_of (const struct html *h, uint64_t calls)
{
  return h->m->r->has_samples ? 0 : calls;
}

static uint64_t
function_calls (struct html *h, uint32_t i)
{
  return calls_of (h, h->m->functions[i].sums->calls[AFTER]);
}

static struct amount
function_self (const struct html *h, size_t event, uint32_t i, enum side side)
{
  return model_cost (h->m, event, &h->m->functions[i], SELF, side);
}

static struct amount
function_inclusive (const struct html *h, size_t event, uint32_t i,
                    enum side side)
{
  return model_cost (h->m, event, &h->m->functions[i], INCLUSIVE, side);
}

static void
print_functions (struct html *h)
{
  uint32_t n = h->m->n_functions;

  print_numbers (h, "\"functions\": {\"name\"", n, function_name);
  print_numbers (h, "\"file\"", n, function_file);
  print_numbers (h, "\"object\"", n, function_object);
  print_numbers (h, "\"calls\"", n, function_calls);
  print_costs (h, "self", n, function_self);
  print_costs (h, "inclusive", n, function_inclusive);
  putc ('}', h->to);
}

/* Calls.  */

static uint64_t
edge_caller (struct html *h, uint32_t i)
{
  return h->m->calls[i].from;
}

static uint64_t
edge_callee (struct html *h, uint32_t i)
{
  return h->m->calls[i].to;
}

static uint64_t
edge_calls (struct html *h, uint32_t i)
{
  return calls_of (h, h->m->calls[i].edge->count[AFTER]);
}

static struct amount
edge_cost (const struct html *h, size_t event, uint32_t i, enum side side)
{
  return model_call_cost (h->m, event, &h->m->calls[i], side);
}

static void
print_edges (struct html *h)
{
  uint32_t n = h->m->n_calls;

  print_numbers (h, "\"edges\": {\"caller\"", n, edge_caller);
  print_numbers (h, "\"callee\"", n, edge_callee);
  print_numbers (h, "\"calls\"", n, edge_calls);
  print_costs (h, "cost", n, edge_cost);
  putc ('}', h->to);
}

/* Stacks.  */

static const struct tree_node *
node_at (const struct html *h, uint32_t i)
{
  return table_entry (&h->m->tree.nodes, i);
}

static uint64_t
node_function (struct html *h, uint32_t i)
{
  return h->m->rank[sums_index (&h->m->sums, node_at (h, i)->key.fn)];
}

static struct amount
node_cost (const struct html *h, size_t event, uint32_t i, enum side side)
{
  return column_amount (&h->m->columns, h->m->columns.shown[event],
                        node_at (h, i)->costs + side * h->m->sums.n);
}

static void
print_tree (struct html *h)
{
  uint32_t n = h->m->tree.nodes.n;

  print_numbers (h, "\"tree\": {\"function\"", n, node_function);
  fputs (",\n\"parent\": [", h->to);
  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t parent = node_at (h, i)->key.parent;

      fprintf (h->to, "%s%" PRId64, i != 0 ? "," : "",
               parent == TREE_ROOT ? -1 : (int64_t) parent);
    }
  putc (']', h->to);
  print_costs (h, "self", n, node_cost);
  fprintf (h->to, ",\n\"exact\": %s}",
           h->m->tree.is_estimated ? "false" : "true");
}

/* Lines.  */

static uint64_t
line_function (struct html *h, uint32_t i)
{
  return h->m->lines[i]->function;
}

static uint64_t
line_file (struct html *h, uint32_t i)
{
  return name_of (h, model_line_file (h->m, h->m->lines[i]));
}

static uint64_t
line_number (struct html *h, uint32_t i)
{
  return h->m->lines[i]->key.line;
}

static struct amount
line_self (const struct html *h, size_t event, uint32_t i, enum side side)
{
  return model_line_cost (h->m, event, h->m->lines[i], SELF, side);
}

static struct amount
line_calls (const struct html *h, size_t event, uint32_t i, enum side side)
{
  return model_line_cost (h->m, event, h->m->lines[i], INCLUSIVE, side);
}

static void
print_lines (struct html *h)
{
  uint32_t n = h->m->n_lines;

  print_numbers (h, "\"lines\": {\"function\"", n, line_function);
  print_numbers (h, "\"file\"", n, line_file);
  print_numbers (h, "\"line\"", n, line_number);
  print_costs (h, "self", n, line_self);
  print_costs (h, "calls", n, line_calls);
  putc ('}', h->to);
}

/* Sources: pieces of files around the lines with costs.  */

struct place_in_file
{
  const char *file;
  uint32_t line;
};

static int
compare_places (const void *a, const void *b)
{
  const struct place_in_file *x = a, *y = b;
  int order = strcmp (x->file, y->file);

  return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static void
print_piece (struct html *h, const char *name, struct source_file *file,
             uint32_t first, uint32_t last, bool *is_any)
{
  fprintf (h->to, "%s{\"file\": %" PRIu32 ", \"first\": %" PRIu32
                  ", \"lines\": [",
           *is_any ? ",\n" : "\n", name_of (h, name), first);
  *is_any = true;
  for (uint32_t line = first; line <= last; line++)
    {
      size_t length;
      const char *start = source_line (file, line, &length);
      char *text = make_text ("%.*s", (int) length, start);

      if (line != first)
        putc (',', h->to);
      json_print (h->to, text);
      free (text);
    }
  fputs ("]}", h->to);
}

/* Prints the piece that begins with the place at i; returns the first place
   behind it.  */
static uint32_t
print_piece_at (struct html *h, const struct place_in_file *places, uint32_t n,
                uint32_t i, bool *is_any)
{
  const char *name = places[i].file;
  struct source_file *file = sources_find (h->p->sources, name);
  uint32_t line = places[i].line, last = line;
  size_t length;

  while (i < n && strcmp (places[i].file, name) == 0
         && places[i].line - last <= 2 * AROUND + 1)
    last = places[i++].line;
  if (file == NULL || source_line (file, line, &length) == NULL)
    return i;
  last = source_n_lines (file) - last < AROUND || last > source_n_lines (file)
             ? source_n_lines (file)
             : last + AROUND;
  print_piece (h, name, file, line > AROUND ? line - AROUND : 1, last, is_any);
  return i;
}

static void
print_sources (struct html *h)
{
  struct place_in_file *places
      = resize (NULL, h->m->n_lines, sizeof *places);
  bool is_any = false;
  uint32_t n = 0;

  fputs (",\n\"sources\": [", h->to);
  for (uint32_t i = 0; i < h->m->n_lines && h->p->sources != NULL; i++)
    if (h->m->lines[i]->key.line != 0)
      places[n++] = (struct place_in_file){
        model_line_file (h->m, h->m->lines[i]), h->m->lines[i]->key.line
      };
  qsort (places, n, sizeof *places, compare_places);
  for (uint32_t i = 0; i < n;)
    i = print_piece_at (h, places, n, i, &is_any);
  fputs ("]", h->to);
  free (places);
}

/* What is above, and around.  */

/* "ns", or "\303\227 10 ns" of 10 ns each; counts have none.  */
static char *
unit_of (const struct column *column)
{
  const char *unit = import_unit (column->told.unit);

  if (strcmp (unit, "count") == 0)
    unit = "";
  return column->told.factor == 1 || *unit == '\0'
             ? copy_text (unit)
             : make_text ("\303\227 %" PRIu64 " %s", column->told.factor,
                          unit);
}

static void
print_events (const struct html *h)
{
  fputs (",\n\"events\": [", h->to);
  for (size_t i = 0; i < h->m->columns.n_shown; i++)
    {
      const struct column *column
          = &h->m->columns.all[h->m->columns.shown[i]];
      char *unit = unit_of (column);

      fputs (i != 0 ? ",\n{" : "\n{", h->to);
      print_member (h, "name", column->name);
      fputs (", ", h->to);
      print_member (h, "title",
                    column->title != NULL ? column->title : column->name);
      fputs (", ", h->to);
      print_member (h, "unit", unit);
      fputs (", \"total\": ", h->to);
      print_amount (h, model_total (h->m, i, AFTER));
      if (h->m->has_base)
        {
          fputs (", \"before\": ", h->to);
          print_amount (h, model_total (h->m, i, BEFORE));
        }
      putc ('}', h->to);
      free (unit);
    }
  putc (']', h->to);
}

/* "FILE", "FILE and 2 more", "FILE against BASE".  */
static char *
title_of (const struct html *h)
{
  const struct read_from *from = &h->p->from;
  char *more = from->n_files > 1
                   ? make_text (" and %zu more", from->n_files - 1)
                   : copy_text ("");
  char *base = from->n_base != 0 ? make_text (" against %s",
                                              tool_input_name (from->base[0]))
                                 : copy_text ("");
  char *title
      = make_text ("%s%s%s", tool_input_name (from->files[0]), more, base);

  free (more);
  free (base);
  return title;
}

static void
print_about (const struct html *h, const char *title)
{
  const struct recording *r = h->m->r;

  fprintf (h->to, "{\"version\": %d, ", SCHEMA_VERSION);
  print_member (h, "title", title);
  fputs (", ", h->to);
  print_member (h, "command", r->cmd);
  fputs (",\n\"description\": [", h->to);
  for (size_t i = 0; i < r->n_desc; i++)
    {
      if (i != 0)
        fputs (", ", h->to);
      json_print (h->to, r->desc[i]);
    }
  putc (']', h->to);
}

static void
print_names (const struct html *h)
{
  fputs (",\n\"names\": [", h->to);
  for (uint32_t i = 0; i < h->names.n; i++)
    {
      size_t length;
      const char *bytes = intern_bytes (&h->names, i, &length);
      char *text = make_text ("%.*s", (int) length, bytes);

      if (i != 0)
        fputs (",\n", h->to);
      json_print (h->to, text);
      free (text);
    }
  fputs ("]}\n", h->to);
}

static void
print_page (const struct html *h, const char *const *strings, size_t n)
{
  for (size_t i = 0; i < n; i++)
    fputs (strings[i], h->to);
}

/* As text of HTML.  */
static void
print_escaped (const struct html *h, const char *text)
{
  size_t length, bad;

  for (; *text != '\0'; text += length != 0 ? length : bad)
    {
      length = printable_length (text, &bad);
      if (length == 0 || strchr ("<>&", *text) != NULL)
        fprintf (h->to, "&#%d;", length == 0 ? '?' : *text);
      else
        fwrite (text, 1, length, h->to);
    }
  putc ('\n', h->to);
}

#define COUNT(array) (sizeof (array) / sizeof *(array))

void
print_html (const struct print_options *p, const struct model *m)
{
  struct html h = { .p = p, .m = m, .to = p->to };
  char *title = title_of (&h);

  intern (&h.names, "", 0);
  print_page (&h, page_head, COUNT (page_head));
  print_escaped (&h, title);
  print_page (&h, page_middle, COUNT (page_middle));
  print_about (&h, title);
  print_events (&h);
  print_functions (&h);
  print_edges (&h);
  print_tree (&h);
  print_lines (&h);
  print_sources (&h);
  print_names (&h);
  print_page (&h, page_end, COUNT (page_end));
  intern_free (&h.names);
  free (title);
}
