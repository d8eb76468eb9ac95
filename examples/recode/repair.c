/* repair.c - repairs what other writers do and readers misread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "repair.h"

#include "intern.h"
#include "memory.h"
#include "table.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind
{
  NO_COUNT,
  NO_OBJECT,
  RECURSION,
  KINDS
};

/* Behind the number.  */
static const char *const kind_texts[KINDS][2] = {
  { "call with a cost has calls=0: the count is 1 now",
    "calls with a cost have calls=0: the count is 1 now" },
  { "call lacks the cob= of its callee: it has it now",
    "calls lack the cob= of their callees: they have it now" },
  { "call of a function by itself has a cost that is in the function's own "
    "lines, too: it is 0 now",
    "calls of functions by themselves have a cost that is in the functions' "
    "own lines, too: it is 0 now" },
};

struct handle_key
{
  uint32_t handle;
  uint32_t zero;
};

struct function
{
  struct handle_key key;
  uint32_t name;
  uint32_t file;
  uint32_t object;
  bool has_records; /* of its own: costs, or calls of others */
  bool is_called;
  bool is_root;     /* it also begins without a caller */
  bool in_cycle;    /* with other functions */
  uint32_t order;   /* in which the search for cycles came there, from 1 */
  uint32_t low;     /* the lowest such number that it reaches */
  bool on_stack;
  uint64_t cost;    /* of itself, and then of the calls that it makes, too */
  uint64_t callers; /* the cost of the calls that are made of it */
};

struct edge_key
{
  uint32_t from; /* indices of functions */
  uint32_t to;
  uint32_t has_object;
  uint32_t has_file;
};

struct edge
{
  struct edge_key key;
  bool has_cost;
  uint64_t cost;
};

/* The functions of a name that have records; in one file, or in any.  */
struct same_key
{
  uint32_t name;
  uint32_t file; /* index + 1 of a handle, or 0: any */
};

enum
{
  ANY_FILE = 0
};

struct same
{
  struct same_key key;
  uint32_t n;
  uint32_t fn; /* the index of the first */
};

struct repair
{
  struct cgw_names *names;
  struct intern texts;
  struct table functions;
  struct table edges;
  struct table sames;
  uint64_t n_parts;
  bool is_simple; /* one part, one event: costs can be compared */
  uint32_t n_roots;

  /* The call that comes.  */
  uint64_t line;
  bool has_object, has_file;

  uint64_t changed[KINDS];
  uint64_t first_line[KINDS];
};

struct repair *
repair_new (struct cgw_names *names)
{
  struct repair *r = resize (NULL, 1, sizeof *r);

  *r = (struct repair){
    .names = names,
    .functions = { .key_size = sizeof (struct handle_key),
                   .entry_size = sizeof (struct function) },
    .edges = { .key_size = sizeof (struct edge_key),
               .entry_size = sizeof (struct edge) },
    .sames = { .key_size = sizeof (struct same_key),
               .entry_size = sizeof (struct same) },
  };
  return r;
}

void
repair_free (struct repair *r)
{
  if (r == NULL)
    return;
  intern_free (&r->texts);
  table_free (&r->functions);
  table_free (&r->edges);
  table_free (&r->sames);
  free (r);
}

/* The first reading.  */

static struct function *
function_at (const struct repair *r, uint32_t index)
{
  return table_entry (&r->functions, index);
}

static uint32_t
index_of (const struct repair *r, const struct function *f)
{
  return (uint32_t) (f - function_at (r, 0));
}

/* A function of handle 0 is unknown, and has no name.  */
static struct function *
function_of (struct repair *r, struct cgw_fn fn)
{
  return table_add (&r->functions, &(struct handle_key){ fn.handle, 0 });
}

static void
look_at_name (void *context, const struct cgin_name *name)
{
  struct repair *r = context;
  struct function *f;

  if (name->kind != CGIN_FN || name->handle == 0)
    return;
  f = function_of (r, (struct cgw_fn){ name->handle });
  f->name = intern (&r->texts, name->text, strlen (name->text));
  f->file = name->file.handle;
  f->object = name->object.handle;
}

static enum cgw_status
look_at_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct repair *r = context;

  (void) creator;
  r->is_simple = ++r->n_parts == 1 && part->n_events == 1;
  return CGW_OK;
}

/* Sums that are too large for a comparison stay at their maximum.  */
static void
add_to (uint64_t *sum, uint64_t more)
{
  *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

static enum cgw_status
look_at_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n)
{
  struct repair *r = context;
  struct function *f = function_of (r, pos->fn);

  f->has_records = true;
  if (n == 1)
    add_to (&f->cost, cost[0]);
  return CGW_OK;
}

static bool
is_zero (const uint64_t *cost, size_t n)
{
  while (n > 0 && cost[n - 1] == 0)
    n--;
  return n == 0;
}

static void
count (struct repair *r, enum kind kind)
{
  if (r->changed[kind]++ == 0)
    r->first_line[kind] = r->line;
}

static enum cgw_status
look_at_call (void *context, const struct cgw_pos *from,
              const struct cgw_pos *to, uint64_t n_calls, const uint64_t *cost,
              size_t n)
{
  struct repair *r = context;
  struct edge_key key = { .has_object = r->has_object,
                          .has_file = r->has_file };
  struct edge *edge;

  key.to = index_of (r, function_of (r, to->fn));
  key.from = index_of (r, function_of (r, from->fn));
  function_at (r, key.from)->has_records = true;
  edge = table_add (&r->edges, &key);
  edge->has_cost |= !is_zero (cost, n);
  if (n_calls == 0 && !is_zero (cost, n))
    count (r, NO_COUNT);
  if (n == 1)
    add_to (&edge->cost, cost[0]);
  return CGW_OK;
}

static void
look_before_call (void *context, uint64_t line, bool has_object, bool has_file)
{
  repair_before_call (context, line, has_object, has_file);
}

/* Missing objects.  */

static void
add_same (struct repair *r, uint32_t index, uint32_t file)
{
  struct same_key key = { function_at (r, index)->name, file };
  struct same *same = table_add (&r->sames, &key);

  if (same->n++ == 0)
    same->fn = index;
}

static void
find_sames (struct repair *r)
{
  for (uint32_t i = 0; i < r->functions.n; i++)
    if (function_at (r, i)->has_records && function_at (r, i)->key.handle != 0)
      {
        add_same (r, i, ANY_FILE);
        add_same (r, i, function_at (r, i)->file + 1);
      }
}

/* The function that a callee is: another one if only that has records, and is
   in another object.  */
static const struct function *
find_callee (const struct repair *r, const struct function *f, bool has_object,
             bool has_file)
{
  struct same_key key = { f->name, has_file ? f->file + 1 : ANY_FILE };
  const struct same *same;

  if (has_object || f->key.handle == 0
      || (same = table_find (&r->sames, &key)) == NULL || same->n != 1
      || function_at (r, same->fn)->object == f->object)
    return f;
  return function_at (r, same->fn);
}

static struct edge *
edge_at (const struct repair *r, uint32_t index)
{
  return table_entry (&r->edges, index);
}

static void
correct_edges (struct repair *r)
{
  for (uint32_t i = 0; i < r->edges.n; i++)
    {
      struct edge_key *key = &edge_at (r, i)->key;

      if (edge_at (r, i)->has_cost)
        key->to = index_of (r, find_callee (r, function_at (r, key->to),
                                            key->has_object, key->has_file));
      function_at (r, key->to)->is_called = true;
    }
}

/* Cycles, by Tarjan's algorithm with a stack of its own.  */

struct visit
{
  uint32_t function;
  uint32_t edge; /* the next one in the list of the function's */
};

struct search
{
  struct repair *r;
  uint32_t *first;  /* per function, and one more: into targets */
  uint32_t *targets;
  struct visit *visits;
  size_t n_visits;
  uint32_t *stack;
  uint32_t n_stack;
  uint32_t n_seen;
};

/* Lists the functions that each function calls.  */
static void
list_targets (struct search *s)
{
  uint32_t n = s->r->functions.n;

  s->first = resize (NULL, n + 2, sizeof *s->first);
  memset (s->first, 0, (n + 2) * sizeof *s->first);
  s->targets = resize (NULL, s->r->edges.n, sizeof *s->targets);
  for (uint32_t i = 0; i < s->r->edges.n; i++)
    s->first[edge_at (s->r, i)->key.from + 2]++;
  for (uint32_t i = 2; i < n + 2; i++)
    s->first[i] += s->first[i - 1];
  for (uint32_t i = 0; i < s->r->edges.n; i++)
    {
      const struct edge_key *key = &edge_at (s->r, i)->key;
      s->targets[s->first[key->from + 1]++] = key->to;
    }
}

static void
enter (struct search *s, uint32_t index)
{
  struct function *f = function_at (s->r, index);

  f->order = f->low = ++s->n_seen;
  f->on_stack = true;
  s->stack[s->n_stack++] = index;
  s->visits[s->n_visits++] = (struct visit){ index, s->first[index] };
}

/* What is on the stack above a function that reaches none below it is a cycle
   with it.  */
static void
leave (struct search *s, uint32_t index)
{
  struct function *f = function_at (s->r, index);
  bool alone = s->stack[s->n_stack - 1] == index;
  uint32_t top;

  if (f->low == f->order)
    do
      {
        top = s->stack[--s->n_stack];
        function_at (s->r, top)->on_stack = false;
        function_at (s->r, top)->in_cycle = !alone;
      }
    while (top != index);
  if (s->n_visits > 0)
    {
      struct function *caller
        = function_at (s->r, s->visits[s->n_visits - 1].function);
      caller->low = f->low < caller->low ? f->low : caller->low;
    }
}

static void
step (struct search *s)
{
  struct visit *visit = &s->visits[s->n_visits - 1];
  struct function *f = function_at (s->r, visit->function);
  uint32_t index = visit->function;

  if (visit->edge == s->first[index + 1])
    {
      s->n_visits--;
      leave (s, index);
      return;
    }
  uint32_t target = s->targets[visit->edge++];
  const struct function *to = function_at (s->r, target);
  if (to->order == 0)
    enter (s, target);
  else if (to->on_stack && to->order < f->low)
    f->low = to->order;
}

static void
find_cycles (struct repair *r)
{
  struct search s = { .r = r };

  list_targets (&s);
  s.visits = resize (NULL, r->functions.n, sizeof *s.visits);
  s.stack = resize (NULL, r->functions.n, sizeof *s.stack);
  for (uint32_t i = 0; i < r->functions.n; i++)
    if (function_at (r, i)->order == 0)
      for (enter (&s, i); s.n_visits > 0;)
        step (&s);
  free (s.first);
  free (s.targets);
  free (s.visits);
  free (s.stack);
}

/* Functions that begin without a caller.  */

/* In a cycle the calls are no measure: their costs are in one another.  Calls of
   a function by itself are on both sides.  */
static void
find_roots (struct repair *r)
{
  for (uint32_t i = 0; i < r->edges.n; i++)
    {
      const struct edge *edge = edge_at (r, i);

      add_to (&function_at (r, edge->key.from)->cost, edge->cost);
      add_to (&function_at (r, edge->key.to)->callers, edge->cost);
    }
  for (uint32_t i = 0; i < r->functions.n; i++)
    {
      struct function *f = function_at (r, i);

      f->is_root = f->is_called && !f->in_cycle && f->cost > f->callers
                   && f->cost != UINT64_MAX;
      r->n_roots += f->is_root;
    }
}

bool
repair_look (struct repair *r, int fd, struct cgin_error *error)
{
  const struct cgin_sink sink = { .context = r,
                                  .names = r->names,
                                  .name = look_at_name,
                                  .begin_part = look_at_part,
                                  .cost = look_at_cost,
                                  .before_call = look_before_call,
                                  .call = look_at_call, };

  if (!cgin_read (fd, &sink, error))
    return false;
  find_sames (r);
  correct_edges (r);
  if (r->changed[NO_COUNT] != 0 && r->is_simple)
    {
      find_cycles (r);
      find_roots (r);
    }
  r->changed[NO_COUNT] = 0;
  return true;
}

/* The second reading.  */

void
repair_before_call (struct repair *r, uint64_t line, bool has_object,
                    bool has_file)
{
  r->line = line;
  r->has_object = has_object;
  r->has_file = has_file;
}

void
repair_call (struct repair *r, const struct cgw_pos *from, struct cgw_pos *to,
             uint64_t *n_calls, const uint64_t *cost, size_t *n)
{
  const struct function *f = function_of (r, to->fn);

  if (is_zero (cost, *n))
    return;
  if (*n_calls == 0)
    {
      *n_calls = 1;
      count (r, NO_COUNT);
    }
  f = find_callee (r, f, r->has_object, r->has_file);
  if (f->key.handle != to->fn.handle)
    {
      to->fn.handle = f->key.handle;
      count (r, NO_OBJECT);
    }
  if (from->fn.handle == to->fn.handle)
    {
      *n = 0;
      count (r, RECURSION);
    }
}

void
repair_end (struct repair *r, struct cgw_writer *w)
{
  const struct cgw_file file = { 0 };
  const struct cgw_object object = { 0 };
  struct cgw_pos root = { .line = 0 };

  if (r->n_roots == 0)
    return;
  root.fn = cgw_add_fn (r->names, "(root)", file, object);
  for (uint32_t i = 0; i < r->functions.n; i++)
    {
      const struct function *f = function_at (r, i);
      const struct cgw_pos to = { .fn = { f->key.handle } };
      const uint64_t missing = f->cost - f->callers;

      if (f->is_root)
        cgw_call (w, &root, &to, 1, &missing, 1);
    }
}

/* What was changed.  */

static void
say_roots (const struct repair *r, const char *name)
{
  char text[120];

  snprintf (text, sizeof text,
            "%" PRIu32 " of the functions with calls=0 also begin%s without a "
            "caller: \"(root)\" calls %s now",
            r->n_roots, r->n_roots == 1 ? "s" : "",
            r->n_roots == 1 ? "it" : "them");
  tool_say (name, 0, text);
}

void
repair_say (const struct repair *r, const char *name)
{
  bool any = r->n_roots != 0;

  for (unsigned i = 0; i < KINDS; i++)
    if (r->changed[i] != 0)
      {
        char text[160];

        snprintf (text, sizeof text, "%" PRIu64 " %s", r->changed[i],
                  kind_texts[i][r->changed[i] != 1]);
        tool_say (name, r->first_line[i], text);
        any = true;
      }
  if (r->n_roots != 0)
    say_roots (r, name);
  if (!any)
    tool_say (name, 0, "nothing to repair");
}
