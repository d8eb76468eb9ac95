/* test_profile_order.c - aggregation: the order of what is written, and that
   the order of adding and the addresses of memory do not show.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that the order goes by, added backwards.  */
Test (profile_order, all_levels)
{
  struct cgw_file none = { 0 }, a, b;
  struct cgw_fn zz, yx, yz, ya, aa;
  struct cgw_pos at;
  uint64_t cost = 1;
  struct one o;

  open_one (&o, 1, CGW_INSTR_LINE);
  zz = written_fn (o.names, "z", "z", "z");
  yz = written_fn (o.names, "y", "z", "a");
  ya = written_fn (o.names, "y", "a", "z");
  yx = written_fn (o.names, "y", "a", "xyz");
  aa = written_fn (o.names, "a", "z", "z");
  b = cgw_add_file (o.names, "b");
  a = cgw_add_file (o.names, "a");
#define ADD(f, s, l, i)                                                       \
  at = (struct cgw_pos){ .fn = f, .file = s, .line = l, .instr = i };         \
  cr_assert_eq (cgw_profile_cost (o.p, &at, &cost, 1), CGW_OK)
#define CALL(f, s, l, i, t)                                                   \
  at = (struct cgw_pos){ .fn = f, .file = s, .line = l, .instr = i };         \
  cr_assert_eq (cgw_profile_call (o.p, &at, &(struct cgw_pos){ .fn = t }, 1,  \
                                  &cost, 1), CGW_OK)
  ADD (zz, none, 1, 1);
  CALL (ya, none, 3, 2, zz);
  CALL (ya, none, 3, 2, yz);
  CALL (ya, none, 3, 2, ya);
  ADD (ya, b, 1, 1);
  ADD (ya, cgw_add_file (o.names, NULL), 1, 1);
  ADD (ya, a, 4, 2);
  ADD (ya, none, 3, 2);
  ADD (ya, none, 9, 1);
  ADD (yx, none, 2, 2);
  ADD (yz, a, 1, 1);
  ADD (yz, none, 1, 1);
  ADD (aa, none, 1, 1);
  CALL (aa, none, 0, 0, zz);
#undef ADD
#undef CALL
  body_is (&o, CGW_PLAIN_NAMES | CGW_ABSOLUTE,
           "ob=a\nfl=z\nfn=z\n"
           "cob=z\ncfn=z\ncalls=1 0x0 0\n0x0 0 1\n"
           "0x1 1 1\n"
           "ob=y\nfl=a\nfn=xyz\n0x2 2 1\n"
           "fn=z\n0x1 9 1\n0x2 3 1\n"
           "cfn=z\ncalls=1 0x0 0\n0x2 3 1\n"
           "cfi=z\ncfn=a\ncalls=1 0x0 0\n0x2 3 1\n"
           "cob=z\ncfi=z\ncfn=z\ncalls=1 0x0 0\n0x2 3 1\n"
           "0x2 4 1\n"
           "fi=???\n0x1 1 1\nfi=b\n0x1 1 1\n"
           "fl=z\nfn=a\n0x1 1 1\nfi=a\n0x1 1 1\n"
           "ob=z\nfl=z\nfn=z\n0x1 1 1\n"
           "totals: 10 0\n");
}

/* In one function, addresses that are about 2^31 and 2^32 apart, and a file whose
   name is before "???".  */
Test (profile_order, far_apart)
{
  static const uint64_t instrs[]
      = { UINT64_MAX, 4, UINT64_C (0x100000001), 1, UINT64_C (0x100000000),
          UINT64_C (0x80000003) };
  struct cgw_pos at = { .line = 0 };
  const uint64_t cost = 1;
  struct one o;

  open_one (&o, 1, CGW_INSTR);
  for (size_t i = 0; i < sizeof instrs / sizeof *instrs; i++)
    {
      at.instr = instrs[i];
      cr_assert_eq (cgw_profile_cost (o.p, &at, &cost, 1), CGW_OK);
    }
  at = (struct cgw_pos){ .file = cgw_add_file (o.names, "/f"), .instr = 3 };
  cr_assert_eq (cgw_profile_cost (o.p, &at, &cost, 1), CGW_OK);
  body_is (&o, CGW_PLAIN_NAMES | CGW_ABSOLUTE,
           "ob=???\nfl=???\nfn=???\n0x1 1\n0x4 1\n0x80000003 1\n"
           "0x100000000 1\n0x100000001 1\n0xffffffffffffffff 1\n"
           "fi=/f\n0x3 1\ntotals: 7 0\n");
}

/* Of an edge's targets the lowest is kept, whichever came first; one that is
   unknown says nothing.  */
Test (profile_order, lowest_target)
{
  static const struct cgw_pos targets[]
      = { { .line = 7, .instr = 0x20 },
          { .line = 9, .instr = 0x10 },
          { .line = 8, .instr = 0x10 },
          { .line = 0, .instr = 0 } };

  for (unsigned first = 0; first < 4; first++)
    {
      struct cgw_pos from = { .line = 0 };
      struct one o;

      open_one (&o, 1, CGW_INSTR_LINE);
      from.fn = written_fn (o.names, NULL, NULL, "f");
      for (unsigned i = 0; i < 4; i++)
        {
          struct cgw_pos to = targets[(first + i) % 4];
          to.fn = from.fn;
          cr_assert_eq (cgw_profile_call (o.p, &from, &to, 1, NULL, 0),
                        CGW_OK);
        }
      body_is (&o, 0, "ob=(1) ???\nfl=(1) ???\nfn=(1) f\n"
                      "cfn=(1)\ncalls=4 0x10 8\n0x0 0 0\ntotals: 0 0\n");
    }
}

/* The same adds in any order, and by any road, give the same bytes: also if sums
   stop at their end, or are those of a signed event.  */

enum { ADDS = 3000, STACK = 6 };

enum kind { SMALL, LARGE, SIGNED, KINDS };

static void
add_number (struct cgw_profile *p, const struct world *world, unsigned number,
            enum kind kind)
{
  uint64_t seed = number + 1, count = 1;
  uint64_t cost[COSTS] = { below (&seed, 100), below (&seed, 3) };
  struct cgw_pos at[STACK];
  enum cgw_status status;

  if (kind == LARGE && number % 5 == 0)
    cost[1] = count = UINT64_MAX / 3 + number;
  if (kind == SIGNED && number % 5 == 0)
    cost[1] = number - (UINT64_C (1) << 62);
  for (unsigned i = 0; i < STACK; i++)
    {
      at[i].fn = world->fns[below (&seed, FNS)];
      at[i].file = world->files[below (&seed, FILES)];
      at[i].line = (uint32_t) below (&seed, 5);
      at[i].instr = below (&seed, 3);
    }
  if (number % 3 == 0)
    status = cgw_profile_cost (p, &at[0], cost, COSTS);
  else if (number % 3 == 1)
    status = cgw_profile_call (p, &at[0], &at[1], count, cost, COSTS);
  else
    status = cgw_profile_stack (p, at, 1 + number % STACK, count, cost, COSTS);
  cr_assert_eq (status, CGW_OK);
}

static void
shuffle (unsigned *numbers, unsigned n, uint64_t seed)
{
  for (unsigned i = 0; i < n; i++)
    numbers[i] = i;
  if (seed == 0)
    return;
  for (unsigned i = n; i > 1; i--)
    {
      unsigned j = (unsigned) below (&seed, i);
      unsigned kept = numbers[i - 1];
      numbers[i - 1] = numbers[j];
      numbers[j] = kept;
    }
}

static void
open_kind (struct one *o, uint64_t seed, enum kind kind)
{
  open_one (o, seed, CGW_INSTR_LINE);
  if (kind == SIGNED)
    cr_assert_eq (cgw_profile_set_signed (o->p, 1), CGW_OK);
}

static void
open_shuffled (struct one *o, uint64_t seed, enum kind kind)
{
  unsigned numbers[ADDS];

  open_kind (o, seed, kind);
  shuffle (numbers, ADDS, seed);
  for (unsigned i = 0; i < ADDS; i++)
    add_number (o->p, &o->world, numbers[i], kind);
}

/* Two halves become one: merged, one into the other or both into a third.  */
static void
open_merged (struct one *o, uint64_t seed, enum kind kind)
{
  struct one halves[2], *with = &halves[seed / 2 % 2];

  for (unsigned k = 0; k < 2; k++)
    {
      open_kind (&halves[k], seed + k, kind);
      for (unsigned i = k; i < ADDS; i += 2)
        add_number (halves[k].p, &halves[k].world, i, kind);
    }
  if (seed % 2 == 0)
    *o = halves[1 - seed / 2 % 2];
  else
    {
      open_kind (o, 0, kind);
      cr_assert_eq (cgw_profile_merge (o->p, halves[1 - seed / 2 % 2].p),
                    CGW_OK);
      close_one (&halves[1 - seed / 2 % 2]);
    }
  cr_assert_eq (cgw_profile_merge (o->p, with->p), CGW_OK);
  close_one (with);
}

Test (profile_order, same_bytes)
{
  for (uint64_t seed = 0; seed < 4 * KINDS; seed++)
    {
      struct one first, o;

      open_shuffled (&first, 0, seed % KINDS);
      open_shuffled (&o, seed + 1, seed % KINDS);
      same_files (&first, &o);
      open_shuffled (&first, 0, seed % KINDS);
      open_merged (&o, seed / KINDS, seed % KINDS);
      same_files (&first, &o);
    }
}

/* The lines of a plain file with absolute positions, in their order: each
   record as a text whose order is that of the records.  */

struct lines
{
  char object[20], file[20], fn[20], source[20];
  char callee_object[20], callee_file[20], callee[20];
  bool is_call;
};

/* Takes a line's value if it begins so.  */
static bool
take (const char *line, const char *key, char value[20])
{
  size_t n = strlen (key);

  if (strncmp (line, key, n) != 0)
    return false;
  snprintf (value, 20, "%.*s", (int) strcspn (line + n, "\n"), line + n);
  return true;
}

static void
take_spec (struct lines *l, const char *line)
{
  char unused[20];

  if (take (line, "fl=", l->file))
    strcpy (l->source, "");
  if (take (line, "fi=", l->source) || take (line, "ob=", l->object)
      || take (line, "cob=", l->callee_object)
      || take (line, "cfi=", l->callee_file)
      || take (line, "cfn=", l->callee))
    return;
  if (take (line, "fn=", l->fn) || take (line, "fe=", unused))
    strcpy (l->source, "");
  l->is_call |= take (line, "calls=", unused);
}

/* Nothing in a name is below '\1'.  */
static void
record_text (const struct lines *l, const char *line, char text[300])
{
  unsigned long long instr;
  unsigned number;

  cr_assert_eq (sscanf (line, "0x%llx %u", &instr, &number), 2, "%.40s", line);
  snprintf (text, 300, "%s\1%s\1%s\1%s\1%016llx\1%010u\1%d\1%s\1%s\1%s",
            l->object, l->file, l->fn, l->source, instr, number, l->is_call,
            l->is_call ? l->callee_object : "",
            l->is_call ? l->callee_file : "", l->is_call ? l->callee : "");
}

static void
forget_callee (struct lines *l)
{
  strcpy (l->callee_object, l->object);
  strcpy (l->callee_file, l->file);
  l->is_call = false;
}

Test (profile_order, sorted)
{
  struct lines l = { .object = "???" };
  char before[300] = "", text[300];
  size_t records = 0;
  struct one o;

  open_shuffled (&o, 5, SMALL);
  write_one (&o, CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_NO_PAD);
  for (const char *line = written_body (&o.f); *line != '\0';
       line = strchr (line, '\n') + 1)
    {
      if (strncmp (line, "0x", 2) != 0)
        {
          take_spec (&l, line);
          if (strncmp (line, "c", 1) != 0)
            forget_callee (&l);
          continue;
        }
      record_text (&l, line, text);
      cr_assert_lt (strcmp (before, text), 0, "%.40s", line);
      strcpy (before, text);
      forget_callee (&l);
      records++;
    }
  cr_assert_eq (records, o.f.profile->costs.n + o.f.profile->edges.n);
  cr_assert_gt (records, 2000);
  close_one (&o);
}
