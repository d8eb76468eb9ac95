/* repair.c - repairs what other writers do and readers misread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "repair.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"
#include "../format/cycles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind
{
  NO_CALLS,
  NO_COUNT,
  NO_OBJECT,
  RECURSION,
  KINDS
};

/* Behind the number.  */
static const char *const kind_texts[KINDS][2] = {
  { "cost directly behind cfn= lacks calls=: it is that of a call now",
    "costs directly behind cfn= lack calls=: they are those of calls now" },
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
  bool has_records; /* of its own that are not 0: costs, or calls of others */
  bool is_called;
  uint64_t cost;    /* of itself, first event */
  uint64_t with_calls; /* and of the calls that it makes */
};

struct file
{
  struct handle_key key;
  uint32_t basename;
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

/* A function that begins without a caller, too, and its cycle.  */
struct root
{
  uint32_t function;
  uint32_t cycle;
};

struct repair
{
  struct cgw_names *names;
  struct intern texts;
  struct table functions;
  struct table files;
  struct table edges;
  struct table sames;
  const struct reader *reader; /* or NULL: any */
  bool is_full;  /* all is repaired, and not what the reader needs */
  bool cfn_is_call;
  uint64_t self_behind_cfn; /* line of a self cost behind cfn=, or 0 */
  bool (*part) (void *context, const struct cgw_part *part);
  void *context;
  uint64_t n_parts;
  bool is_simple; /* one part, one event: costs can be compared */
  bool has_jumps;
  bool has_cycles;
  bool adds_roots; /* "(root)" calls them */
  struct root *roots;
  size_t n_roots;
  uint32_t *cycle_of; /* functions: a number for those that call each other */

  /* The costs of functions and edges, all events, for the roots of a reader.  */
  bool is_comparable; /* the parts have the same events */
  size_t n_costs;
  uint64_t *self, *calls;
  uint32_t self_room, calls_room;
  uint64_t *missing;  /* of cycles, in calls of them */

  /* The call that comes.  */
  uint64_t line;
  bool has_object, has_file;

  uint64_t changed[KINDS];
  uint64_t first_line[KINDS];
};

struct repair *
repair_new (struct cgw_names *names, const struct reader *reader,
            bool is_full, bool cfn_is_call)
{
  struct repair *r = resize (NULL, 1, sizeof *r);

  *r = (struct repair){
    .names = names,
    .reader = reader,
    .is_full = is_full,
    .cfn_is_call = cfn_is_call,
    .is_comparable = true,
    .functions = { .key_size = sizeof (struct handle_key),
                   .entry_size = sizeof (struct function) },
    .files = { .key_size = sizeof (struct handle_key),
               .entry_size = sizeof (struct file) },
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
  table_free (&r->files);
  table_free (&r->edges);
  table_free (&r->sames);
  free (r->roots);
  free (r->cycle_of);
  free (r->self);
  free (r->calls);
  free (r->missing);
  free (r);
}

/* What is repaired.  */

static bool
has_calls (const struct repair *r)
{
  return r->reader == NULL || !(r->reader->lacks & READER_CALLS);
}

static bool
repairs_recursion (const struct repair *r)
{
  return r->is_full || (r->reader->adds_recursion && has_calls (r));
}

/* A reader that shows several parts would show these calls in one.  */
static bool
repairs_roots (const struct repair *r)
{
  return r->reader != NULL && r->reader->lacks & READER_ROOTS
         && (r->n_parts == 1 || r->reader->lacks & READER_PARTS)
         && r->is_comparable;
}

/* The first reading.  */

static struct function *
function_at (const struct repair *r, uint32_t index)
{
  return table_entry (&r->functions, index);
}

static struct edge *
edge_at (const struct repair *r, uint32_t index)
{
  return table_entry (&r->edges, index);
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
look_at_file (struct repair *r, const struct cgin_name *name)
{
  struct file *f
    = table_add (&r->files, &(struct handle_key){ name->handle, 0 });
  const char *slash = strrchr (name->text, '/');
  const char *base = slash != NULL ? slash + 1 : name->text;

  f->basename = intern (&r->texts, base, strlen (base));
}

static void
look_at_name (void *context, const struct cgin_name *name)
{
  struct repair *r = context;
  struct function *f;

  if (name->kind == CGIN_FILE)
    look_at_file (r, name);
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
  size_t n = 0;

  (void) creator;
  for (size_t i = 0; i < part->n_events; i++)
    n += part->events[i].formula == NULL;
  r->is_simple = ++r->n_parts == 1 && part->n_events == 1;
  if (r->n_parts == 1)
    r->n_costs = n;
  r->is_comparable &= r->part (r->context, part) && n == r->n_costs;
  return CGW_OK;
}

/* Sums that are too large for a comparison stay at their maximum.  */
static void
add_to (uint64_t *sum, uint64_t more)
{
  *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

/* Adds the costs of an index, if anybody needs them.  */
static uint64_t *
keep_costs (const struct repair *r, uint64_t *kept, uint32_t index,
            uint32_t *room, const uint64_t *cost, size_t n)
{
  if (!repairs_roots (r) && !(r->is_full && r->is_simple))
    return kept;
  kept = resize_for (kept, index, room, r->n_costs * sizeof *kept);
  for (size_t i = 0; i < n; i++)
    kept[index * r->n_costs + i] += cost[i];
  return kept;
}

static enum cgw_status
look_at_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n)
{
  struct repair *r = context;
  struct function *f = function_of (r, pos->fn);

  f->has_records |= !cgin_is_zero (cost, n);
  if (n > 0)
    add_to (&f->cost, cost[0]);
  r->self = keep_costs (r, r->self, index_of (r, f), &r->self_room, cost, n);
  return CGW_OK;
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
  function_at (r, key.from)->has_records
      |= n_calls != 0 || !cgin_is_zero (cost, n);
  edge = table_add (&r->edges, &key);
  edge->has_cost |= !cgin_is_zero (cost, n);
  if (n_calls == 0 && !cgin_is_zero (cost, n))
    count (r, NO_COUNT);
  if (n > 0)
    add_to (&edge->cost, cost[0]);
  r->calls = keep_costs (r, r->calls,
                         (uint32_t) (edge - edge_at (r, 0)), &r->calls_room,
                         cost, n);
  return CGW_OK;
}

static enum cgw_status
look_at_jump (void *context, const struct cgw_pos *from,
              const struct cgw_pos *to, uint64_t executed)
{
  (void) from;
  (void) to;
  (void) executed;
  ((struct repair *) context)->has_jumps = true;
  return CGW_OK;
}

static enum cgw_status
look_at_cond_jump (void *context, const struct cgw_pos *from,
                   const struct cgw_pos *to, uint64_t followed,
                   uint64_t executed)
{
  (void) followed;
  return look_at_jump (context, from, to, executed);
}

static void
look_before_call (void *context, uint64_t line, bool has_object, bool has_file)
{
  repair_before_call (context, line, has_object, has_file);
}

static void
look_behind_cfn (void *context, uint64_t n, uint64_t line, bool in_totals)
{
  struct repair *r = context;

  r->changed[NO_CALLS] = in_totals ? 0 : n;
  r->first_line[NO_CALLS] = line;
  r->self_behind_cfn = in_totals ? line : 0;
}

bool
repair_must_look_again (const struct repair *r)
{
  return r->changed[NO_CALLS] != 0 && !r->cfn_is_call;
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

  if (!has_calls (r) || has_object || f->key.handle == 0
      || (same = table_find (&r->sames, &key)) == NULL || same->n != 1
      || function_at (r, same->fn)->object == f->object)
    return f;
  return function_at (r, same->fn);
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

/* Functions that begin without a caller.  */

/* What a cycle costs: a function, or several that call each other.  */
struct cycle
{
  uint32_t n;       /* functions */
  bool is_entered;  /* others call it */
  uint32_t largest; /* the function that costs most, with its calls */
  uint64_t cost;    /* of the functions and the calls of others */
  uint64_t callers; /* the cost of the calls from others */
};

static uint32_t *
find_cycles (const struct repair *r)
{
  struct cycles_edge *edges = resize (NULL, r->edges.n, sizeof *edges);
  uint32_t *cycle_of;

  for (uint32_t i = 0; i < r->edges.n; i++)
    edges[i] = (struct cycles_edge){ edge_at (r, i)->key.from,
                                     edge_at (r, i)->key.to };
  cycle_of = cycles_find (r->functions.n, edges, r->edges.n);
  free (edges);
  return cycle_of;
}

/* Sums up the first event.  Calls within a cycle are no measure: their costs are
   in one another.  */
static struct cycle *
sum_cycles (const struct repair *r, const uint32_t *cycle_of)
{
  struct cycle *cycles = resize (NULL, r->functions.n, sizeof *cycles);

  memset (cycles, 0, r->functions.n * sizeof *cycles);
  for (uint32_t i = 0; i < r->edges.n; i++)
    {
      const struct edge *edge = edge_at (r, i);
      struct cycle *from = &cycles[cycle_of[edge->key.from]];
      struct cycle *to = &cycles[cycle_of[edge->key.to]];

      add_to (&function_at (r, edge->key.from)->with_calls, edge->cost);
      if (from == to)
        continue;
      to->is_entered = true;
      add_to (&from->cost, edge->cost);
      add_to (&to->callers, edge->cost);
    }
  for (uint32_t i = 0; i < r->functions.n; i++)
    {
      struct function *f = function_at (r, i);
      struct cycle *cycle = &cycles[cycle_of[i]];

      add_to (&f->with_calls, f->cost);
      add_to (&cycle->cost, f->cost);
      if (cycle->n++ == 0
          || f->with_calls > function_at (r, cycle->largest)->with_calls)
        cycle->largest = i;
    }
  return cycles;
}

/* Whether the sum over the callers lacks something.  Sums of rounded costs
   differ a little; but what --repair does is exact.  Of several functions that
   call each other, nobody knows which one began, but if they are not called
   from elsewhere, one did.  */
static bool
is_root (const struct repair *r, const struct cycle *c)
{
  uint64_t least = r->reader != NULL ? c->cost / 1000 : 0;

  if (c->cost == UINT64_MAX || c->cost <= c->callers
      || c->cost - c->callers <= least)
    return false;
  if (c->n > 1)
    return r->reader != NULL && r->reader->drops_recursion && !c->is_entered;
  return c->is_entered || (function_at (r, c->largest)->is_called
                           && (r->reader == NULL || r->reader->adds_recursion));
}

static void
find_roots (struct repair *r)
{
  uint32_t *cycle_of = find_cycles (r);
  struct cycle *cycles = sum_cycles (r, cycle_of);

  for (uint32_t i = 0; i < r->functions.n; i++)
    {
      const struct cycle *c = &cycles[i];

      r->has_cycles |= c->n > 1;
      if (c->n != 0 && is_root (r, c))
        {
          r->roots = resize_for_one (r->roots, r->n_roots, sizeof *r->roots);
          r->roots[r->n_roots++] = (struct root){ c->largest, i };
        }
    }
  free (cycles);
  r->cycle_of = cycle_of;
}

/* Adds costs to a sum modulo 2^64, or subtracts them.  */
static void
add_costs (uint64_t *sum, const uint64_t *costs, size_t n, bool is_less)
{
  for (size_t i = 0; i < n; i++)
    sum[i] += is_less ? -costs[i] : costs[i];
}

/* What the callers of roots lack, all events.  A difference below 0 is 0.  */
static void
find_missing (struct repair *r)
{
  size_t n = r->n_costs;
  uint64_t *sums = resize (NULL, r->functions.n * n, sizeof *sums);

  memset (sums, 0, r->functions.n * n * sizeof *sums);
  for (uint32_t i = 0; i < r->functions.n && i < r->self_room; i++)
    add_costs (sums + r->cycle_of[i] * n, r->self + i * n, n, false);
  for (uint32_t i = 0; i < r->edges.n && i < r->calls_room; i++)
    {
      const struct edge_key *key = &edge_at (r, i)->key;

      add_costs (sums + r->cycle_of[key->from] * n, r->calls + i * n, n,
                 false);
      add_costs (sums + r->cycle_of[key->to] * n, r->calls + i * n, n, true);
    }
  for (size_t i = 0; i < r->functions.n * n; i++)
    sums[i] = sums[i] >> 63 ? 0 : sums[i];
  r->missing = sums;
}

bool
repair_look (struct repair *r, int fd,
             bool (*part) (void *context, const struct cgw_part *part),
             void *context, struct cgin_error *error)
{
  const struct cgin_sink sink = { .context = r,
                                  .names = r->names,
                                  .name = look_at_name,
                                  .begin_part = look_at_part,
                                  .cost = look_at_cost,
                                  .before_call = look_before_call,
                                  .call = look_at_call,
                                  .jump = look_at_jump,
                                  .cond_jump = look_at_cond_jump,
                                  .cfn_is_call = r->cfn_is_call,
                                  .costs_behind_cfn = look_behind_cfn };

  r->part = part;
  r->context = context;
  if (!cgin_read (fd, &sink, error))
    return false;
  find_sames (r);
  correct_edges (r);
  find_roots (r);
  r->adds_roots = repairs_roots (r)
                  || (r->is_full && r->is_simple
                      && (r->changed[NO_COUNT] | r->changed[NO_CALLS]) != 0);
  if (r->adds_roots)
    find_missing (r);
  r->changed[NO_COUNT] = 0;
  return true;
}

/* What a reader does not show.  */

static uint32_t
basename_of (const struct repair *r, uint32_t file)
{
  const struct file *f
    = table_find (&r->files, &(struct handle_key){ file, 0 });

  return f != NULL ? f->basename + 1 : 0;
}

/* Whether two functions have the same key.  */
static bool
has_same (const struct repair *r, enum reader_key key)
{
  struct intern keys = { 0 };
  uint32_t n = 0;
  bool found = false;

  for (uint32_t i = 0; i < r->functions.n && !found; i++)
    {
      const struct function *f = function_at (r, i);
      uint32_t parts[3] = { f->name, 0, 0 };

      if (f->key.handle == 0 || !(f->has_records || f->is_called))
        continue;
      if (key == READER_BY_FILE)
        parts[1] = f->file;
      else if (key == READER_BY_BASENAME)
        {
          parts[1] = basename_of (r, f->file);
          parts[2] = f->object;
        }
      found = intern (&keys, parts, sizeof parts) != n++;
    }
  intern_free (&keys);
  return found;
}

unsigned
repair_limits (const struct repair *r)
{
  unsigned limits = 0;

  if (r->n_parts > 1)
    limits |= READER_PARTS;
  if (r->edges.n != 0)
    limits |= READER_CALLS;
  if (r->has_jumps)
    limits |= READER_JUMPS;
  if (r->has_cycles)
    limits |= READER_CYCLES;
  if (r->n_roots != 0 && !r->adds_roots)
    limits |= READER_ROOTS;
  if (r->reader->lacks & READER_SAME && has_same (r, r->reader->key))
    limits |= READER_SAME;
  return limits & r->reader->lacks;
}

void
repair_write_silent (const struct repair *r, struct cgw_writer *w)
{
  for (uint32_t i = 0; i < r->functions.n; i++)
    {
      const struct function *f = function_at (r, i);
      const struct cgw_pos pos = { .fn = { f->key.handle } };
      const uint64_t zero = 0;

      if (f->is_called && !f->has_records)
        cgw_cost (w, &pos, &zero, 1);
    }
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

  if (cgin_is_zero (cost, *n))
    return;
  if (*n_calls == 0 && has_calls (r))
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
  if (from->fn.handle == to->fn.handle && repairs_recursion (r))
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

  if (!r->adds_roots || r->n_roots == 0)
    return;
  root.fn = cgw_add_fn (r->names, "(root)", file, object);
  for (size_t i = 0; i < r->n_roots; i++)
    {
      const struct function *f = function_at (r, r->roots[i].function);
      const struct cgw_pos to = { .fn = { f->key.handle } };

      cgw_call (w, &root, &to, 1, r->missing + r->roots[i].cycle * r->n_costs,
                r->n_costs);
    }
}

/* What was changed.  */

static void
say_roots (const struct repair *r, const char *name)
{
  char text[120];

  snprintf (text, sizeof text,
            r->n_roots == 1
              ? "1 of the functions that are called also begins without a "
                "caller: \"(root)\" calls it now"
              : "%zu of the functions that are called also begin without a "
                "caller: \"(root)\" calls them now",
            r->n_roots);
  tool_say (name, 0, text);
}

bool
repair_say (const struct repair *r, const char *name)
{
  bool any = r->adds_roots && r->n_roots != 0;

  for (unsigned i = 0; i < KINDS; i++)
    if (r->changed[i] != 0)
      {
        char text[160];

        snprintf (text, sizeof text, "%" PRIu64 " %s", r->changed[i],
                  kind_texts[i][r->changed[i] != 1]);
        tool_say (name, r->first_line[i], text);
        any = true;
      }
  if (r->adds_roots && r->n_roots != 0)
    say_roots (r, name);
  if (r->self_behind_cfn != 0)
    tool_warn (name, r->self_behind_cfn,
               "totals: counts costs directly behind cfn= in, so they stay "
               "self costs");
  return any;
}
