/* test_profile.c - aggregation: exact sums, against a simple model; stacks and
   recursion; several parts, several files.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model: tables of the test's own numbers, and plain loops.  */

enum { MOST_FRAMES = 40 };

/* A position by numbers.  */
struct at
{
  unsigned fn;
  unsigned source; /* number of the source file, whosever it is */
  uint32_t line;
  uint64_t instr;
};

/* The lowest target of an edge.  */
struct target
{
  uint64_t instr;
  uint32_t line;
};

enum { MOST_EDGES = 1 << 16 };

struct model
{
  unsigned positions;
  struct profile_table costs; /* by fn, source, instr, line */
  struct profile_table edges; /* by the same and the callee */
  struct target targets[MOST_EDGES];
};

static struct model *
new_model (unsigned positions)
{
  struct model *m = calloc (1, sizeof *m);

  cr_assert_not_null (m);
  m->positions = positions;
  profile_table_init (&m->costs, 4, COSTS);
  profile_table_init (&m->edges, 5, 1 + COSTS);
  return m;
}

static void
free_model (struct model *m)
{
  profile_table_free (&m->costs);
  profile_table_free (&m->edges);
  free (m);
}

static void
make_key (const struct model *m, const struct at *at, uint64_t key[5])
{
  key[0] = at->fn;
  key[1] = at->source;
  key[2] = m->positions & CGW_INSTR ? at->instr : 0;
  key[3] = m->positions & CGW_LINE ? at->line : 0;
}

static void
model_cost (struct model *m, const struct at *at, const uint64_t cost[COSTS])
{
  uint64_t key[5];
  size_t row;

  make_key (m, at, key);
  row = profile_table_row (&m->costs, key);
  for (size_t i = 0; i < COSTS; i++)
    profile_table_add (&m->costs, row, i, cost[i]);
}

static void
model_call (struct model *m, const struct at *from, const struct at *to,
            uint64_t count, const uint64_t cost[COSTS], bool with_target)
{
  uint64_t key[5];
  size_t row, rows = m->edges.n;
  struct target *t, new = { 0, 0 };

  make_key (m, from, key);
  key[4] = to->fn;
  row = profile_table_row (&m->edges, key);
  cr_assert_lt (row, MOST_EDGES);
  profile_table_add (&m->edges, row, 0, count);
  for (size_t i = 0; i < COSTS; i++)
    profile_table_add (&m->edges, row, 1 + i, cost[i]);
  t = &m->targets[row];
  if (row == rows)
    *t = new;
  if (with_target && m->positions & CGW_INSTR)
    new.instr = to->instr;
  if (with_target && m->positions & CGW_LINE)
    new.line = to->line;
  if (new.instr == 0 && new.line == 0)
    return;
  if ((t->instr == 0 && t->line == 0) || new.instr < t->instr
      || (new.instr == t->instr && new.line < t->line))
    *t = new;
}

static bool
same_edge (const struct model *m, const struct at *a, const struct at *b)
{
  uint64_t key_a[5], key_b[5];

  make_key (m, a, key_a);
  make_key (m, b, key_b);
  return memcmp (key_a, key_b, 4 * sizeof *key_a) == 0;
}

/* Outermost first: an edge that was there further out is not counted again,
   and a function that was called further out gets no cost again.  */
static void
model_stack (struct model *m, const struct at *frames, size_t n,
             const uint64_t cost[COSTS])
{
  static const uint64_t nothing[COSTS];

  model_cost (m, &frames[0], cost);
  for (size_t i = n - 1; i > 0; i--)
    {
      bool known = false, called = false;

      for (size_t j = n - 1; j > i; j--)
        if (frames[j - 1].fn == frames[i - 1].fn)
          {
            called = true;
            known |= same_edge (m, &frames[j], &frames[i]);
          }
      if (!known)
        model_call (m, &frames[i], &frames[i - 1], 1, called ? nothing : cost,
                    false);
    }
}

/* The file must have the model's sums, each, and nothing else.  */

static struct profile_at
names_of (const uint64_t *key)
{
  struct profile_at at = at_line ((unsigned) key[0], (uint32_t) key[3]);

  at.source = file_names[key[1]] != NULL ? file_names[key[1]] : "???";
  at.instr = key[2];
  return at;
}

static void
check_costs (const struct model *m, const struct profile *p)
{
  cr_assert_eq (p->costs.n, m->costs.n, "%zu positions, not %zu", p->costs.n,
                m->costs.n);
  cr_assert_eq (p->cost_lines, m->costs.n, "a position has two lines");
  for (size_t row = 0; row < m->costs.n; row++)
    {
      struct profile_at at = names_of (profile_table_key (&m->costs, row));
      for (size_t i = 0; i < COSTS; i++)
        cr_assert_eq (profile_cost (p, at.object, at.file, at.fn, at.source,
                                    at.instr, at.line, i),
                      profile_table_values (&m->costs, row)[i]);
    }
}

static void
check_edges (const struct model *m, const struct profile *p)
{
  cr_assert_eq (p->edges.n, m->edges.n, "%zu edges, not %zu", p->edges.n,
                m->edges.n);
  cr_assert_eq (p->calls, m->edges.n, "an edge has two lines");
  for (size_t row = 0; row < m->edges.n; row++)
    {
      const uint64_t *key = profile_table_key (&m->edges, row);
      struct profile_at from = names_of (key);
      struct profile_at to
          = at_line ((unsigned) key[4], m->targets[row].line);
      const uint64_t *values;

      to.instr = m->targets[row].instr;
      values = profile_edge (p, &from, &to);
      cr_assert_not_null (values, "no edge from %s:%s to %s", from.source,
                          from.fn, to.fn);
      for (size_t i = 0; i < 1 + COSTS; i++)
        cr_assert_eq (values[i], profile_table_values (&m->edges, row)[i]);
    }
}

static void
check_summary (const struct profile *p)
{
  cr_assert (p->parts[0].has_summary && p->parts[0].has_totals);
  for (size_t i = 0; i < COSTS; i++)
    {
      cr_assert_eq (p->parts[0].summary[i], profile_total (p, i).value);
      cr_assert_eq (p->parts[0].totals[i], profile_total (p, i).value);
    }
}

/* Pseudo-random adds.  */

static struct at
some_place (uint64_t *seed, unsigned fns)
{
  struct at at = { .fn = (unsigned) below (seed, fns) };

  at.source = below (seed, 3) > 0 ? fn_file (at.fn)
                                  : (unsigned) below (seed, FILES);
  at.line = (uint32_t) below (seed, 9);
  at.instr = below (seed, 4) * 0x1234567890;
  return at;
}

static struct cgw_pos
position (const struct world *world, const struct at *at)
{
  struct cgw_pos pos = { .fn = world->fns[at->fn],
                         .line = at->line,
                         .instr = at->instr };

  /* The function's own file may be named, or not.  */
  if (at->source != fn_file (at->fn) || at->line % 2 == 0)
    pos.file = world->files[at->source];
  return pos;
}

/* Deep ones, and those of few functions, which are called over and over.  */
static size_t
some_stack (uint64_t *seed, struct at frames[MOST_FRAMES])
{
  size_t n = 1 + below (seed, below (seed, 4) == 0 ? MOST_FRAMES : 6);
  unsigned fns = below (seed, 2) == 0 ? FNS : 3;

  for (size_t i = 0; i < n; i++)
    {
      frames[i] = some_place (seed, fns);
      if (fns != FNS)
        frames[i].line %= 2;
    }
  return n;
}

static void
add_stack (struct cgw_profile *p, const struct world *world, struct model *m,
           uint64_t *seed, const uint64_t cost[COSTS])
{
  struct at frames[MOST_FRAMES];
  struct cgw_pos positions[MOST_FRAMES];
  size_t n = some_stack (seed, frames);

  for (size_t i = 0; i < n; i++)
    positions[i] = position (world, &frames[i]);
  cr_assert_eq (cgw_profile_stack (p, positions, n, 1, cost, COSTS), CGW_OK);
  model_stack (m, frames, n, cost);
}

/* A stack that is refused: nothing of it may stay.  */
static void
add_bad_stack (struct cgw_profile *p, const struct world *world,
               uint64_t *seed)
{
  struct cgw_pos positions[MOST_FRAMES];

  for (size_t i = 0; i < MOST_FRAMES; i++)
    {
      struct at at = some_place (seed, FNS);
      at.line += 9 + (uint32_t) below (seed, 1000); /* no one has these */
      positions[i] = position (world, &at);
    }
  positions[below (seed, MOST_FRAMES)].fn.handle = 12345;
  cr_assert_eq (cgw_profile_stack (p, positions, MOST_FRAMES, 1, NULL, 0),
                CGW_EHANDLE);
}

static void
add_something (struct cgw_profile *p, const struct world *world,
               struct model *m, uint64_t *seed)
{
  uint64_t cost[COSTS] = { 1 + below (seed, 1000), below (seed, 2) };
  struct at from = some_place (seed, FNS), to = some_place (seed, FNS);
  struct cgw_pos pos = position (world, &from), target = position (world, &to);
  uint64_t count = 1 + below (seed, 5);

  switch (below (seed, 4))
    {
    case 0:
      cr_assert_eq (cgw_profile_cost (p, &pos, cost, COSTS), CGW_OK);
      model_cost (m, &from, cost);
      break;
    case 1:
      cr_assert_eq (cgw_profile_call (p, &pos, &target, count, cost, COSTS),
                    CGW_OK);
      model_call (m, &from, &to, count, cost, true);
      break;
    case 2:
      add_bad_stack (p, world, seed);
      break;
    default:
      add_stack (p, world, m, seed, cost);
    }
}

static void
run_model (unsigned positions, unsigned flags, uint64_t seed, unsigned adds)
{
  static const uint64_t one[COSTS] = { 1 };
  struct model *m = new_model (positions);
  struct at first = { .fn = 0, .source = fn_file (0) };
  struct cgw_pos pos;
  struct one o;

  open_one (&o, seed, positions);
  /* So that the sums are not 0, and the bad stacks do overflow.  */
  pos = position (&o.world, &first);
  cr_assert_eq (cgw_profile_cost (o.p, &pos, one, 1), CGW_OK);
  model_cost (m, &first, one);
  for (unsigned i = 0; i < adds; i++)
    add_something (o.p, &o.world, m, &seed);
  write_one (&o, flags);
  check_costs (m, o.f.profile);
  check_edges (m, o.f.profile);
  check_summary (o.f.profile);
  close_one (&o);
  free_model (m);
}

Test (profile, model_line)
{
  for (uint64_t seed = 1; seed <= 40; seed++)
    run_model (CGW_LINE, 0, seed, (unsigned) (seed * seed));
}

Test (profile, model_instr)
{
  for (uint64_t seed = 101; seed <= 110; seed++)
    run_model (CGW_INSTR, CGW_THREADS, seed, 300);
}

Test (profile, model_instr_line)
{
  for (uint64_t seed = 201; seed <= 210; seed++)
    run_model (CGW_INSTR_LINE, CGW_PLAIN_NAMES, seed, 300);
}

/* Stacks by hand.  */

static void
add_letters (struct one *o, const char *stack)
{
  struct cgw_pos frames[100];
  size_t n = strlen (stack) - 1;
  uint64_t cost = (uint64_t) (stack[n] - '0');

  for (size_t i = 0; i < n; i++)
    {
      char name[2] = { stack[i], '\0' };
      frames[n - 1 - i]
          = written_line (written_fn (o->names, NULL, NULL, name), 0);
    }
  cr_assert_eq (cgw_profile_stack (o->p, frames, n, 1, &cost, 1), CGW_OK);
}

static void
check_edge (const struct one *o, const char *names, uint64_t calls,
            uint64_t cost)
{
  char from_name[2] = { names[0], '\0' }, to_name[2] = { names[1], '\0' };
  struct profile_at from = { .fn = from_name }, to = { .fn = to_name };

  cr_assert_eq (profile_edges (o->f.profile, &from, &to, EDGE_COUNT), calls,
                "%s", names);
  cr_assert_eq (profile_edges (o->f.profile, &from, &to, EDGE_COST), cost, "%s",
                names);
}

/* Functions are called as the letters of stacks, which stand outermost first;
   each stack's cost is a digit behind it.  An edge is two letters, its calls
   and its inclusive cost.

   A call back into the same function adds a call, but no cost: its inclusive
   cost, the sum of its callers, is that of the stacks.  The outermost frame has
   no caller: then the first call back counts.  */
static const struct
{
  const char *name;
  const char *stacks[5];
  struct
  {
    const char *letters;
    uint64_t calls, cost;
  } edges[6];
} by_hand[] = {
  { "plain", { "m5", "mab3", "mab4", "mb2" },
    { { "ma", 2, 7 }, { "ab", 2, 7 }, { "mb", 1, 2 } } },
  { "recursion", { "maaaa5", "ma1" }, { { "ma", 2, 6 }, { "aa", 1, 0 } } },
  { "recursion of the root", { "aaa5", "aba2" },
    { { "aa", 1, 5 }, { "ab", 1, 2 }, { "ba", 1, 2 } } },
  { "mutual recursion", { "mabababc3", "mbab4" },
    { { "ma", 1, 3 }, { "mb", 1, 4 }, { "ab", 2, 3 }, { "ba", 2, 4 },
      { "bc", 1, 3 } } },
};

Test (profile, stacks)
{
  for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
    {
      struct one o;
      size_t n = 0;

      open_one (&o, 1, CGW_LINE);
      for (size_t k = 0; by_hand[i].stacks[k] != NULL; k++)
        add_letters (&o, by_hand[i].stacks[k]);
      write_one (&o, 0);
      for (; by_hand[i].edges[n].letters != NULL; n++)
        check_edge (&o, by_hand[i].edges[n].letters, by_hand[i].edges[n].calls,
                    by_hand[i].edges[n].cost);
      cr_assert_eq (o.f.profile->edges.n, n, "%s", by_hand[i].name);
      close_one (&o);
    }
}

/* Depth: a million frames.  */
Test (profile, deep_stack)
{
  enum { DEPTH = 1000000, DIFFERENT = 1000 };
  struct cgw_pos *frames = calloc (DEPTH, sizeof *frames);
  uint64_t cost = 7;
  struct one o;
  struct cgw_fn fn;

  open_one (&o, 1, CGW_LINE);
  fn = written_fn (o.names, NULL, NULL, "f");
  cr_assert_not_null (frames);
  for (uint32_t i = 0; i < DEPTH; i++)
    frames[i] = written_line (fn, i % DIFFERENT);
  cr_assert_eq (cgw_profile_stack (o.p, frames, DEPTH, 1, &cost, 1), CGW_OK);
  free (frames);
  write_one (&o, 0);
  cr_assert_eq (o.f.profile->edges.n, DIFFERENT);
  check_edge (&o, "ff", DIFFERENT, cost);
  close_one (&o);
}

/* Functions that are added when there were stacks already.  */
Test (profile, names_between_stacks)
{
  enum { ROUNDS = 6, FACTOR = 8 };
  uint64_t cost = 1;
  unsigned n = 1;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  for (unsigned round = 0; round < ROUNDS; round++)
    {
      struct cgw_pos frames[3] = { { .line = 1 }, { .line = 1 } };

      for (unsigned i = 0; i < n; i++)
        {
          char name[20];
          snprintf (name, sizeof name, "f%u.%u", round, i);
          frames[i % 3].fn = written_fn (o.names, NULL, NULL, name);
        }
      cr_assert_eq (cgw_profile_stack (o.p, frames, 3, 1, &cost, 1), CGW_OK);
      n *= FACTOR;
    }
  write_one (&o, 0);
  cr_assert_eq (o.f.profile->edges.n, 2 * ROUNDS);
  cr_assert_eq (profile_total (o.f.profile, 0).value, ROUNDS);
  close_one (&o);
}

/* Parts and files.  */

static void
add_cost (struct one *o, uint32_t line, uint64_t cost)
{
  struct cgw_pos pos
      = written_line (written_fn (o->names, "o", "f.c", "f"), line);

  cr_assert_eq (cgw_profile_cost (o->p, &pos, &cost, 1), CGW_OK);
}

static uint64_t
cost_of_line (const struct one *o, uint64_t line)
{
  return profile_cost (o->f.profile, "o", "f.c", "f", NULL, 0, line, 0);
}

/* The sums stay when they are written, and go when they are cleared.  A file
   may have records of the caller's own before and behind them.  */
Test (profile, several_parts)
{
  static const uint64_t totals[] = { 100, 10, 15, 0, 1007 };
  static const uint64_t summaries[] = { 0, 10, 15, 0, 7 };
  struct cgw_part part = two_events (CGW_LINE);
  struct one o;

  open_one (&o, 1, CGW_LINE);
  written_open_with (&o.f, o.names, NULL);
  cr_assert_eq (cgw_begin_part (o.f.w, &part), CGW_OK);
  written_cost (o.f.w, written_line (o.world.fns[0], 3), 100);
  add_cost (&o, 1, 10);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  add_cost (&o, 1, 5);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  cr_assert_eq (cgw_profile_clear (o.p), CGW_OK);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  add_cost (&o, 2, 7);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  written_cost (o.f.w, written_line (o.world.fns[0], 4), 1000);
  written_end (&o.f, CGW_OK);
  cr_assert_eq (o.f.profile->n_parts, 5);
  for (size_t i = 0; i < 5; i++)
    {
      cr_assert_eq (o.f.profile->parts[i].has_summary, i > 0);
      cr_assert (i == 0 || o.f.profile->parts[i].summary[0] == summaries[i]);
      cr_assert_eq (o.f.profile->parts[i].totals[0], totals[i]);
    }
  cr_assert_eq (cost_of_line (&o, 1), 25);
  cr_assert_eq (cost_of_line (&o, 2), 7);
  close_one (&o);
}

/* A summary of the caller's stays his; derived events do not count.  */
Test (profile, part_of_the_callers)
{
  static const struct cgw_event events[]
      = { { "Ir", NULL, NULL }, { "Twice", NULL, "2 Ir" },
          { "Dr", NULL, NULL } };
  static const uint64_t summary = 1000;
  struct cgw_part part = written_part_of (events, 3);
  struct one o;

  open_one (&o, 1, CGW_LINE);
  part.summary = &summary;
  part.n_summary = 1;
  part.pid = 77;
  add_cost (&o, 1, 10);
  written_open_with (&o.f, o.names, NULL);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  written_end (&o.f, CGW_OK);
  cr_assert_eq (o.f.profile->parts[0].summary[0], 1000);
  cr_assert_eq (o.f.profile->parts[0].totals[0], 10);
  cr_assert_eq (o.f.profile->parts[0].pid, 77);
  cr_assert_eq (o.f.profile->parts[0].n_derived, 1);
  close_one (&o);
}

/* A profile goes to one file after the other, of one writer or of several.  */
Test (profile, several_files)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct one o;

  open_one (&o, 1, CGW_LINE);
  add_cost (&o, 1, 10);
  write_one (&o, 0);
  cr_assert_eq (cost_of_line (&o, 1), 10);
  written_free (&o.f);
  add_cost (&o, 1, 1);
  written_open_with (&o.f, o.names, NULL);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  cr_assert_eq (cgw_finish (o.f.w), CGW_OK);
  add_cost (&o, 1, 1);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_EFINISHED);
  written_free (&o.f);
  written_open_with (&o.f, o.names, NULL);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  written_end (&o.f, CGW_OK);
  cr_assert_eq (o.f.profile->n_parts, 1);
  cr_assert_eq (cost_of_line (&o, 1), 12);
  close_one (&o);
}

/* What a profile lacks, its file lacks; what was cleared, it does not.  */
Test (profile, errors_of_the_profile)
{
  const char *why;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  cr_assert_eq (cgw_profile_cost (o.p, NULL, NULL, 0), CGW_EINVAL);
  add_cost (&o, 1, 10);
  write_one (&o, 0);
  written_free (&o.f);
  cr_assert_eq (cgw_profile_clear (o.p), CGW_OK);
  cr_expect_eq (cgw_profile_error (o.p, &why), CGW_OK);
  cr_expect_str_eq (why, "no call has failed");
  add_cost (&o, 1, 10);
  write_one (&o, 0);
  cr_assert_eq (cost_of_line (&o, 1), 10);
  close_one (&o);
}
