/* model.c - adds up what is reported, and sorts it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include "../base/memory.h"
#include "../base/text.h"
#include "../base/tool.h"
#include "../read/samples.h"
#include "../write/each_stack.h"

#include <stdlib.h>
#include <string.h>

/* Events.  */

/* Where the costs of a profile are in the sums, and in which unit.  */
struct places
{
  size_t n;
  size_t column[CGW_EVENTS_MAX]; /* in the profile */
  uint64_t factor[CGW_EVENTS_MAX];
};

struct events
{
  struct places of[SIDES];
};

static void
warn_of_event (const char *file, const char *reason, const char *name)
{
  char *text = make_text ("%s: %s", reason, name);

  tool_warn (file, 0, text);
  free (text);
}

/* The event of a profile that has a key; or SIZE_MAX.  */
static size_t
find_event (const struct recording *r, const char *key)
{
  size_t found = SIZE_MAX;

  for (size_t i = 0; i < r->n_events && found == SIZE_MAX; i++)
    {
      char *other = unit_key (r->events, r->n_events, i);

      if (strcmp (key, other) == 0)
        found = i;
      free (other);
    }
  return found;
}

static bool
is_signed (const struct input_profile *after,
           const struct input_profile *base)
{
  return after->r->is_signed || (base != NULL && base->r->is_signed);
}

/* Adds the event i of the one after, which is j of the base.  The key is taken
   over.  */
static bool
add_common (struct model *m, struct events *events, char *key, size_t i,
            size_t j, const struct input_profile *after,
            const struct input_profile *base)
{
  struct unit_event e
      = unit_event_first (key, base->file, &base->r->events[j]);
  struct places *of = events->of;
  size_t n = of[AFTER].n++;
  bool ok = unit_event_take (&e, after->file, &after->r->events[i],
                             &of[BEFORE].factor[n])
            && unit_event_factor (&e, &after->r->events[i],
                                  &of[AFTER].factor[n]);
  const struct cgw_event event = { .name = e.name, .long_name = e.long_name };

  of[BEFORE].n++;
  of[BEFORE].column[n] = j;
  of[AFTER].column[n] = i;
  columns_add (&m->columns, &event, is_signed (after, base), e.is_converted);
  unit_event_free (&e);
  return ok;
}

/* Takes the events of a profile, or those that both have.  */
static bool
take_events (struct model *m, struct events *events,
             const struct input_profile *after,
             const struct input_profile *base)
{
  const struct recording *r = after->r;
  bool ok = true;

  for (size_t i = 0; i < r->n_events && ok; i++)
    {
      char *key = unit_key (r->events, r->n_events, i);
      size_t j = base != NULL ? find_event (base->r, key) : i;

      if (base != NULL && j != SIZE_MAX)
        {
          ok = add_common (m, events, key, i, j, after, base);
          continue;
        }
      free (key);
      if (base != NULL)
        {
          warn_of_event (after->file, "left out, as the other file lacks it",
                         r->events[i].name);
          continue;
        }
      events->of[AFTER].column[i] = i;
      events->of[AFTER].factor[i] = 1;
      events->of[AFTER].n++;
      columns_add (&m->columns, &r->events[i], r->is_signed, false);
    }
  return ok;
}

static void
warn_of_base (const struct input_profile *after,
              const struct input_profile *base)
{
  for (size_t i = 0; i < base->r->n_events; i++)
    {
      char *key = unit_key (base->r->events, base->r->n_events, i);

      if (find_event (after->r, key) == SIZE_MAX)
        warn_of_event (base->file, "left out, as the other file lacks it",
                       base->r->events[i].name);
      free (key);
    }
}

/* Whether another file has a derived event with another formula.  */
static bool
has_other_formula (const struct recording *r, const struct cgw_event *derived)
{
  for (size_t i = 0; i < r->n_derived; i++)
    if (strcmp (r->derived[i].name, derived->name) == 0)
      return r->derived[i].formula == NULL
             || strcmp (r->derived[i].formula, derived->formula) != 0;
  return false;
}

/* Adds a derived event.  Returns why it is left out, or NULL.  */
static const char *
derive (struct model *m, const struct cgw_event *derived,
        const struct recording *base)
{
  if (derived->formula == NULL)
    return "left out, as its formula or units in it differ between parts";
  if (base != NULL && has_other_formula (base, derived))
    return "left out, as the other file has another formula";
  return columns_derive (&m->columns, derived)
             ? NULL
             : "left out, as an event of its formula is missing";
}

static bool
make_columns (struct model *m, struct events *events,
              const struct model_options *options,
              const struct input_profile *after,
              const struct input_profile *base)
{
  const struct recording *r = after->r;

  if (!take_events (m, events, after, base))
    return false;
  if (base != NULL)
    warn_of_base (after, base);
  if (m->columns.n == 0)
    return tool_complain (after->file, 0,
                          "the files have no event in common");
  for (size_t i = 0; i < r->n_derived; i++)
    {
      const char *reason = derive (m, &r->derived[i],
                                   base != NULL ? base->r : NULL);

      if (reason != NULL
          && import_is_listed (options->events, r->derived[i].name))
        warn_of_event (after->file, reason, r->derived[i].name);
    }
  columns_show (&m->columns, options->events);
  return m->columns.n_shown != 0
         || tool_complain (after->file, 0, "no event is left to show");
}

/* Adding up.  */

struct taking
{
  struct model *m;
  enum side side;
  const struct places *places;
  bool is_signed;
  bool has_tree;
  bool is_estimated;
  struct cgw_fn estimated; /* the outermost one of stacks that are */
  struct table seen; /* functions, and the last stack that had each */
  uint64_t n_stacks;
};

struct seen
{
  struct sums_key key;
  uint64_t stack;
};

static bool
choose (const struct taking *t, const uint64_t *cost,
        uint64_t chosen[CGW_EVENTS_MAX])
{
  for (size_t i = 0; i < t->places->n; i++)
    {
      chosen[i] = cost[t->places->column[i]];
      if (!unit_multiply_signed (&chosen[i], t->places->factor[i],
                                 t->is_signed, t->m->sums.is_signed))
        return false;
    }
  return true;
}

static enum cgw_status
take_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  const struct taking *t = context;
  uint64_t chosen[CGW_EVENTS_MAX];

  (void) n;
  return choose (t, cost, chosen)
             ? sums_cost (&t->m->sums, t->side, pos, chosen)
             : CGW_EOVERFLOW;
}

static enum cgw_status
take_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  const struct taking *t = context;
  uint64_t chosen[CGW_EVENTS_MAX];

  (void) n;
  return choose (t, cost, chosen)
             ? sums_call (&t->m->sums, t->side, from, to, count, chosen)
             : CGW_EOVERFLOW;
}

/* A function has the cost of a stack once.  */
static void
add_whole (struct taking *t, const struct cgw_pos *frames, size_t n_frames,
           const uint64_t *chosen)
{
  t->n_stacks++;
  for (size_t i = 0; i < n_frames; i++)
    {
      struct seen *seen = table_add (
          &t->seen, &(struct sums_key){ frames[i].fn.handle, 0 });

      if (seen->stack != t->n_stacks)
        sums_whole (&t->m->sums, t->side, frames[i].fn, chosen);
      seen->stack = t->n_stacks;
    }
}

static void
add_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
           const uint64_t *cost)
{
  struct taking *t = context;
  struct model *m = t->m;
  uint64_t chosen[CGW_EVENTS_MAX];

  if (!choose (t, cost, chosen)) /* take_cost will say so */
    return;
  if (m->sums.is_whole[t->side])
    add_whole (t, frames, n_frames, chosen);
  if (t->is_estimated
      && frames[n_frames - 1].fn.handle == t->estimated.handle)
    n_frames--;
  if (t->has_tree)
    tree_add (&m->tree, t->side, frames, n_frames, chosen);
}

static bool
add_up (struct model *m, enum side side, const struct input_profile *from,
        const struct events *events, bool has_tree)
{
  const struct recording *r = from->r;
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  struct taking t = { .m = m,
                      .side = side,
                      .places = &events->of[side],
                      .is_signed = r->is_signed,
                      .has_tree = has_tree,
                      .seen = { .key_size = sizeof (struct sums_key),
                                .entry_size = sizeof (struct seen) } };
  enum cgw_status status = CGW_OK;

  t.is_estimated = (has_tree || r->has_samples) && !stacks_are_whole (r);
  m->sums.is_whole[side] = r->has_samples && !t.is_estimated;
  m->tree.is_estimated |= t.is_estimated;
  t.estimated = estimated_fn (r);
  visitor.context = &t;
  visitor.cost = take_cost;
  visitor.call = take_call;
  for (size_t i = 0; i < r->n_profiles && status == CGW_OK; i++)
    {
      if (m->sums.is_whole[side] || has_tree)
        each_stack (r, &r->profiles[i], add_stack, &t);
      status = cgw_profile_visit (r->profiles[i].profile, &visitor);
    }
  table_free (&t.seen);
  return status == CGW_OK
         || tool_complain (from->file, 0, cgw_strerror (status));
}

/* Values.  */

static size_t
costs_at (const struct model *m, enum kind kind, enum side side)
{
  return (2 * side + kind) * m->sums.n;
}

struct amount
model_cost (const struct model *m, size_t i, const struct model_function *f,
            enum kind kind, enum side side)
{
  return column_amount (&m->columns, m->columns.shown[i],
                        f->sums->costs + costs_at (m, kind, side));
}

struct amount
model_call_cost (const struct model *m, size_t i, const struct model_call *c,
                 enum side side)
{
  return column_amount (&m->columns, m->columns.shown[i],
                        c->edge->costs + side * m->sums.n);
}

struct amount
model_line_cost (const struct model *m, size_t i, const struct model_line *l,
                 enum kind kind, enum side side)
{
  return column_amount (&m->columns, m->columns.shown[i],
                        l->costs + costs_at (m, kind, side));
}

struct amount
model_total (const struct model *m, size_t i, enum side side)
{
  return column_amount (&m->columns, m->columns.shown[i],
                        m->sums.total[side]);
}

static bool
differ (struct amount before, struct amount after)
{
  return amount_compare (before, after) != 0;
}

bool
model_function_differs (const struct model *m, const struct model_function *f)
{
  if (f->sums->calls[BEFORE] != f->sums->calls[AFTER])
    return true;
  for (size_t i = 0; i < m->columns.n_shown; i++)
    for (enum kind kind = SELF; kind < KINDS; kind++)
      if (differ (model_cost (m, i, f, kind, BEFORE),
                  model_cost (m, i, f, kind, AFTER)))
        return true;
  return false;
}

bool
model_call_differs (const struct model *m, const struct model_call *c)
{
  if (c->edge->count[BEFORE] != c->edge->count[AFTER])
    return true;
  for (size_t i = 0; i < m->columns.n_shown; i++)
    if (differ (model_call_cost (m, i, c, BEFORE),
                model_call_cost (m, i, c, AFTER)))
      return true;
  return false;
}

bool
model_line_differs (const struct model *m, const struct model_line *l)
{
  for (size_t i = 0; i < m->columns.n_shown; i++)
    for (enum kind kind = SELF; kind < KINDS; kind++)
      if (differ (model_line_cost (m, i, l, kind, BEFORE),
                  model_line_cost (m, i, l, kind, AFTER)))
        return true;
  return false;
}

/* Sorting: by the size of what differs; without a base, of the value.  qsort
   has no argument for these.  */
static const struct model *sorted;
static enum sort sorted_by;

static uint64_t
size_of (struct amount before, struct amount after)
{
  return amount_change (before, after).n;
}

static int
compare_sizes (uint64_t a, uint64_t b)
{
  return a < b ? 1 : a > b ? -1 : 0;
}

static uint64_t
cost_size (const struct model_function *f, enum kind kind)
{
  return size_of (model_cost (sorted, 0, f, kind, BEFORE),
                  model_cost (sorted, 0, f, kind, AFTER));
}

static uint64_t
calls_size (const uint64_t calls[SIDES])
{
  return size_of ((struct amount){ calls[BEFORE], false },
                  (struct amount){ calls[AFTER], false });
}

static int
compare_names (const struct model_function *f, const struct model_function *g)
{
  int order = strcmp (f->name, g->name);

  if (order == 0)
    order = strcmp (f->file, g->file);
  if (order == 0)
    order = strcmp (f->object, g->object);
  return order != 0 ? order : f->sums->key.fn < g->sums->key.fn ? -1 : 1;
}

static int
compare_functions (const void *a, const void *b)
{
  const struct model_function *f = a, *g = b;
  enum kind kind = sorted_by == SORT_INCLUSIVE ? INCLUSIVE : SELF;
  int order = 0;

  if (sorted_by == SORT_NAME)
    return compare_names (f, g);
  if (sorted_by == SORT_CALLS)
    order = compare_sizes (calls_size (f->sums->calls),
                           calls_size (g->sums->calls));
  if (order == 0)
    order = compare_sizes (cost_size (f, kind), cost_size (g, kind));
  if (order == 0)
    order = compare_sizes (cost_size (f, !kind), cost_size (g, !kind));
  return order != 0 ? order : compare_names (f, g);
}

static void
sort_functions (struct model *m)
{
  m->n_functions = m->sums.functions.n;
  m->functions = resize (NULL, m->n_functions, sizeof *m->functions);
  m->rank = resize (NULL, m->n_functions, sizeof *m->rank);
  for (uint32_t i = 0; i < m->n_functions; i++)
    {
      struct sums_function *sums = table_entry (&m->sums.functions, i);
      struct model_function *f = &m->functions[i];
      struct cgw_file file;
      struct cgw_object object;

      f->sums = sums;
      f->name = cgw_fn_name (m->sums.names, (struct cgw_fn){ sums->key.fn },
                             &file, &object);
      f->file = cgw_file_name (m->sums.names, file);
      f->object = cgw_object_name (m->sums.names, object);
      f->line = sums->line[AFTER] != 0 ? sums->line[AFTER]
                                       : sums->line[BEFORE];
    }
  qsort (m->functions, m->n_functions, sizeof *m->functions,
         compare_functions);
  for (uint32_t i = 0; i < m->n_functions; i++)
    m->rank[sums_index (&m->sums, m->functions[i].sums->key.fn)] = i;
}

/* Calls.  */

static int
compare_numbers (uint32_t a, uint32_t b)
{
  return (a > b) - (a < b);
}

static int
compare_calls (const void *a, const void *b)
{
  const struct model_call *c = a, *d = b;
  int order = compare_numbers (c->from, d->from);

  if (order == 0)
    order = compare_sizes (c->size, d->size);
  return order != 0 ? order : compare_numbers (c->to, d->to);
}

/* Joins the calls of all lines of a function.  */
static void
join_calls (struct model *m)
{
  m->joined = (struct table){ .key_size = m->sums.edges.key_size,
                              .entry_size = m->sums.edges.entry_size };
  for (uint32_t i = 0; i < m->sums.edges.n; i++)
    {
      const struct edge *from = table_entry (&m->sums.edges, i);
      const struct edge_key key = { .from = { .fn = from->key.from.fn },
                                    .to = from->key.to };
      struct edge *to = table_add (&m->joined, &key);

      sums_add (to->count, from->count, SIDES, false);
      sums_add (to->costs, from->costs, SIDES * m->sums.n,
                m->sums.is_signed);
    }
}

static void
sort_calls (struct model *m, bool by_line)
{
  const struct table *edges = by_line ? &m->joined : &m->sums.edges;

  if (by_line)
    join_calls (m);
  m->n_calls = edges->n;
  m->calls = resize (NULL, m->n_calls, sizeof *m->calls);
  for (uint32_t i = 0; i < m->n_calls; i++)
    {
      const struct edge *edge = table_entry (edges, i);

      m->calls[i] = (struct model_call){
        .from = m->rank[sums_index (&m->sums, edge->key.from.fn)],
        .to = m->rank[sums_index (&m->sums, edge->key.to)],
        .edge = edge
      };
      m->calls[i].size = size_of (model_call_cost (m, 0, &m->calls[i], BEFORE),
                                  model_call_cost (m, 0, &m->calls[i], AFTER));
    }
  qsort (m->calls, m->n_calls, sizeof *m->calls, compare_calls);
}

uint32_t
model_first_call (const struct model *m, uint32_t function)
{
  uint32_t low = 0, high = m->n_calls;

  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;

      if (m->calls[middle].from < function)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Callers.  */

static int
compare_callers (const void *a, const void *b)
{
  const struct model_call *c = &sorted->calls[*(const uint32_t *) a];
  const struct model_call *d = &sorted->calls[*(const uint32_t *) b];
  int order = compare_numbers (c->to, d->to);

  if (order == 0)
    order = compare_sizes (c->size, d->size);
  return order != 0 ? order : compare_numbers (c->from, d->from);
}

static void
sort_callers (struct model *m)
{
  m->callers = resize (NULL, m->n_calls, sizeof *m->callers);
  m->first_caller
      = resize (NULL, m->n_functions + 1, sizeof *m->first_caller);
  memset (m->first_caller, 0, (m->n_functions + 1) * sizeof *m->first_caller);
  for (uint32_t i = 0; i < m->n_calls; i++)
    {
      m->callers[i] = i;
      m->first_caller[m->calls[i].to + 1]++;
    }
  for (uint32_t i = 0; i < m->n_functions; i++)
    m->first_caller[i + 1] += m->first_caller[i];
  qsort (m->callers, m->n_calls, sizeof *m->callers, compare_callers);
}

/* Lines.  */

static void
add_line (struct model *m, const struct place_key *key, enum kind kind,
          const uint64_t *costs)
{
  struct model_line *line = table_add (&m->line_table, key);

  for (enum side side = BEFORE; side < SIDES; side++)
    sums_add (line->costs + costs_at (m, kind, side),
              costs + side * m->sums.n, m->sums.n, m->sums.is_signed);
}

const char *
model_line_file (const struct model *m, const struct model_line *l)
{
  return l->key.file == 0
             ? m->functions[l->function].file
             : cgw_file_name (m->sums.names, (struct cgw_file){ l->key.file });
}

/* The function's own file comes first.  */
static int
compare_lines (const void *a, const void *b)
{
  const struct model_line *l = *(const struct model_line *const *) a;
  const struct model_line *k = *(const struct model_line *const *) b;

  if (l->function != k->function)
    return compare_numbers (l->function, k->function);
  if (l->key.file != k->key.file)
    return l->key.file == 0   ? -1
           : k->key.file == 0 ? 1
                              : strcmp (model_line_file (sorted, l),
                                        model_line_file (sorted, k));
  return compare_numbers (l->key.line, k->key.line);
}

static void
sort_lines (struct model *m)
{
  size_t costs = KINDS * SIDES * m->sums.n * sizeof (uint64_t);

  m->line_table = (struct table){ .key_size = sizeof (struct place_key),
                                  .entry_size
                                  = sizeof (struct model_line) + costs };
  for (uint32_t i = 0; i < m->sums.places.n; i++)
    {
      const struct place *place = table_entry (&m->sums.places, i);

      add_line (m, &place->key, SELF, place->costs);
    }
  for (uint32_t i = 0; i < m->sums.edges.n; i++)
    {
      const struct edge *edge = table_entry (&m->sums.edges, i);

      add_line (m, &edge->key.from, INCLUSIVE, edge->costs);
    }
  m->n_lines = m->line_table.n;
  m->lines = resize (NULL, m->n_lines, sizeof *m->lines);
  for (uint32_t i = 0; i < m->n_lines; i++)
    {
      struct model_line *line = table_entry (&m->line_table, i);

      line->function = m->rank[sums_index (&m->sums, line->key.fn)];
      m->lines[i] = line;
    }
  qsort (m->lines, m->n_lines, sizeof *m->lines, compare_lines);
}

uint32_t
model_first_line (const struct model *m, uint32_t function)
{
  uint32_t low = 0, high = m->n_lines;

  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;

      if (m->lines[middle]->function < function)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* All of it.  */

bool
model_make (struct model *m, const struct model_options *options,
            const struct input_profile *after,
            const struct input_profile *base)
{
  struct events events = { .of = { { .n = 0 } } };

  *m = (struct model){ .r = after->r, .has_base = base != NULL };
  if (!make_columns (m, &events, options, after, base))
    return false;
  sums_begin (&m->sums, after->r->names, m->columns.n_costs, options->by_line,
              is_signed (after, base));
  tree_begin (&m->tree, m->columns.n_costs, m->sums.is_signed);
  if ((base != NULL
       && !add_up (m, BEFORE, base, &events, options->has_tree))
      || !add_up (m, AFTER, after, &events, options->has_tree))
    return false;
  if (base != NULL)
    sums_match (&m->sums);
  tree_match (&m->tree, &m->sums);
  sums_add_up (&m->sums);
  sorted = m;
  sorted_by = options->sort;
  sort_functions (m);
  sort_calls (m, options->by_line);
  sort_callers (m);
  if (options->by_line)
    sort_lines (m);
  return true;
}

void
model_free (struct model *m)
{
  columns_free (&m->columns);
  sums_free (&m->sums);
  tree_free (&m->tree);
  table_free (&m->joined);
  table_free (&m->line_table);
  free (m->functions);
  free (m->rank);
  free (m->calls);
  free (m->callers);
  free (m->first_caller);
  free (m->lines);
}
