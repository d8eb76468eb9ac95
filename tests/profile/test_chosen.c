/* test_chosen.c - names, positions, calls and stacks that somebody chose so
   that they collide: searching for them takes as few steps as for others.

   Most are chosen by one who knows the secret of a names object.  With that
   secret they collide, which shows that the steps are counted, and that these
   are the keys to fear; with any other one they must not.  Others are chosen for
   all secrets.

   Counted is how many slots a search passes before that of its key.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/profile/profile.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of each kind.  Slots are used up to three quarters: then a search passes
   one or two on average.  */
enum
{
  KEYS = 4000,
  FEW = 8
};

/* Counting.  */

static uint64_t
steps_of_table (const struct cgwi_table *t)
{
  uint64_t steps = 0;

  for (uint32_t i = 0; i <= t->mask; i++)
    if (t->slots[i] != 0)
      {
        uint32_t index = (t->slots[i] & t->mask) - 1;
        uint64_t hash = cgwi_key_hash (t, cgwi_table_entry (t, index));

        steps += (i - (uint32_t) (hash >> 32)) & t->mask;
      }
  return steps;
}

static uint64_t
steps_of_stacks (const struct cgwi_stacks *s)
{
  uint64_t steps = 0;

  for (uint32_t i = 0; i <= s->mask; i++)
    if (s->slots[i].at != 0)
      steps += (i - s->slots[i].hash) & s->mask;
  return steps;
}

static uint64_t
steps_of_names (const struct cgw_names *names, enum cgwi_kind_of_name kind)
{
  const struct cgwi_name_slots *slots
      = atomic_load (&names->tables[kind].slots);
  uint32_t mask = slots->n - 1;
  uint64_t steps = 0;

  for (uint32_t i = 0; i <= mask; i++)
    {
      uint32_t slot = atomic_load (&slots->at[i]);

      if (slot != 0)
        steps += (i - cgwi_name (names, kind, (slot & mask) - 1)->hash) & mask;
    }
  return steps;
}

/* In all tables that keys come into.  */
static uint64_t
steps_of (const struct cgw_profile *p)
{
  uint64_t steps = steps_of_table (&p->self) + steps_of_table (&p->edges)
                   + steps_of_table (&p->stacks.keys)
                   + steps_of_stacks (&p->stacks);

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    steps += steps_of_names (p->names, (enum cgwi_kind_of_name) kind);
  return steps;
}

/* Profiles.  */

/* Its secret is that of the other names object, or its own.  */
static struct cgw_profile *
make_profile (const struct cgw_names *known)
{
  struct cgw_names *names = make_names (NULL);
  struct cgw_profile *p;

  if (known != NULL)
    memcpy (names->secret, known->secret, sizeof names->secret);
  cr_assert_eq (cgw_profile_new (&p, names, 1, CGW_INSTR_LINE), CGW_OK);
  cgw_names_free (names);
  return p;
}

static struct cgw_fn
add_fn (struct cgw_profile *p, const char *name)
{
  return cgw_add_fn (p->names, name, cgw_add_file (p->names, "a.c"),
                     cgw_add_object (p->names, "o"));
}

struct packed
{
  unsigned char *bytes;
  size_t n;
};

static ssize_t
append (void *context, const void *bytes, size_t n)
{
  struct packed *k = context;

  k->bytes = realloc (k->bytes, k->n + n);
  cr_assert_not_null (k->bytes);
  memcpy (k->bytes + k->n, bytes, n);
  k->n += n;
  return (ssize_t) n;
}

/* Unpacks into a profile with that secret, or its own, and counts.  */
static uint64_t
steps_to_unpack (const struct packed *k, const struct cgw_names *known)
{
  struct cgw_profile *p = make_profile (known);
  uint64_t steps;

  cr_assert_eq (cgw_profile_unpack (p, k->bytes, k->n), CGW_OK);
  steps = steps_of (p);
  cgw_profile_free (p);
  return steps;
}

/* Whoever packed these sums knew the secret of their names.  */
static void
check_unpacking (struct cgw_profile *from)
{
  struct packed k = { 0 };

  cr_assert_eq (cgw_profile_pack (from, append, &k), CGW_OK);
  cr_expect_gt (steps_to_unpack (&k, from->names), 10 * FEW * KEYS);
  cr_expect_lt (steps_to_unpack (&k, NULL), FEW * KEYS);
  free (k.bytes);
  cgw_profile_free (from);
}

/* Names.  */

/* Adds a name: a function of it, or in it.  */
static struct cgw_fn
add_name (struct cgw_names *names, enum cgwi_kind_of_name kind,
          const char *text, uint32_t *hash)
{
  struct cgw_object object = cgw_add_object (names, "o");
  struct cgw_file file = cgw_add_file (names, "a.c");
  uint32_t handle;
  struct cgw_fn fn = { 0 };

  if (kind == CGWI_OBJECTS)
    handle = (object = cgw_add_object (names, text)).handle;
  else if (kind == CGWI_FILES)
    handle = (file = cgw_add_file (names, text)).handle;
  else
    handle = (fn = cgw_add_fn (names, text, file, object)).handle;
  *hash = cgwi_name (names, kind, cgwi_index (names, handle))->hash;
  return kind == CGWI_FNS ? fn : cgw_add_fn (names, "f", file, object);
}

/* Names whose searches begin in a small part of the slots.  */
static void
choose_names (enum cgwi_kind_of_name kind)
{
  struct cgw_profile *p = make_profile (NULL);
  struct cgw_names *all = make_names (NULL);
  const uint64_t cost = 1;

  memcpy (all->secret, p->names->secret, sizeof all->secret);
  for (unsigned i = 0, chosen = 0; chosen < KEYS; i++)
    {
      struct cgw_pos at = { .line = 1 };
      char text[20];
      uint32_t hash;

      snprintf (text, sizeof text, "%x", i);
      add_name (all, kind, text, &hash);
      if ((hash & 0xffff) >= 1024)
        continue;
      chosen++;
      at.fn = add_name (p->names, kind, text, &hash);
      cr_assert_eq (cgw_profile_cost (p, &at, &cost, 1), CGW_OK);
    }
  cgw_names_free (all);
  check_unpacking (p);
}

Test (chosen, names)
{
  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    choose_names ((enum cgwi_kind_of_name) kind);
}

/* Positions and calls.  */

/* The number by which an odd one must be multiplied for 1.  */
static uint64_t
inverse (uint64_t odd)
{
  uint64_t x = odd;

  for (int i = 0; i < 6; i++)
    x *= 2 - odd * x;
  return x;
}

/* A position whose line and address, each times its factor, add up to one sum
   for all i.  */
static struct cgw_pos
choose_position (const struct cgw_profile *p, struct cgw_fn fn, uint32_t i,
                 uint32_t callee)
{
  const struct cgwi_factors *f = &p->self.factors;
  struct cgwi_key key = { .line = i, .callee = callee };

  return (struct cgw_pos){ .fn = fn,
                           .line = i,
                           .instr = (1 - cgwi_key_line (&key) * f->line)
                                    * inverse (f->instr) };
}

Test (chosen, positions)
{
  struct cgw_profile *p = make_profile (NULL);
  struct cgw_fn fn = add_fn (p, "f");
  const uint64_t cost = 1;

  for (uint32_t i = 0; i < KEYS; i++)
    {
      struct cgw_pos at = choose_position (p, fn, i, CGWI_NONE);

      cr_assert_eq (cgw_profile_cost (p, &at, &cost, 1), CGW_OK);
    }
  check_unpacking (p);
}

Test (chosen, calls)
{
  struct cgw_profile *p = make_profile (NULL);
  struct cgw_pos to = { .fn = add_fn (p, "g") };
  struct cgw_fn fn = add_fn (p, "f");
  const uint64_t cost = 1;

  for (uint32_t i = 0; i < KEYS; i++)
    {
      struct cgw_pos at = choose_position (p, fn, i, to.fn.handle);

      cr_assert_eq (cgw_profile_call (p, &at, &to, 1, &cost, 1), CGW_OK);
    }
  check_unpacking (p);
}

/* Stacks.  */

enum { DEEPEST = 34 };

static void
add_stack (struct cgw_profile *p, struct cgw_pos *frames, size_t n)
{
  const uint64_t cost = 1;
  struct cgw_fn fn = add_fn (p, "f");

  for (size_t i = 0; i < n; i++)
    frames[i].fn = fn;
  cr_assert_eq (cgw_profile_stack (p, frames, n, 1, &cost, 1), CGW_OK);
}

/* The line and the address of one frame, chosen by the factors of `known`.  */
static uint64_t
steps_of_frames (struct cgw_profile *p, const struct cgw_profile *known)
{
  for (uint32_t i = 0; i < KEYS; i++)
    {
      struct cgw_pos frame
          = { .line = i, .instr = 0 - i * known->self.factors.line };

      add_stack (p, &frame, 1);
    }
  return steps_of (p);
}

Test (chosen, frames)
{
  struct cgw_profile *known = make_profile (NULL);
  struct cgw_profile *p = make_profile (NULL);

  cr_expect_gt (steps_of_frames (known, known), 10 * FEW * KEYS);
  cr_expect_lt (steps_of_frames (p, known), FEW * KEYS);
  cgw_profile_free (known);
  cgw_profile_free (p);
}

/* The other tests choose for all secrets.  Differences of addresses that change
   both halves of a sum alike.  */
Test (chosen, halves)
{
  struct cgw_profile *p = make_profile (NULL);

  for (uint64_t i = 0; i < KEYS; i++)
    {
      struct cgw_pos frame
          = { .line = 1, .instr = 0 - (i << 14) * UINT64_C (0x100000001) };

      add_stack (p, &frame, 1);
    }
  cr_expect_lt (steps_of (p), FEW * KEYS);
  cgw_profile_free (p);
}

/* The top bits of an even number of addresses: sums modulo 2^64 stay as they
   are, whatever odd factors the addresses have.  */
Test (chosen, top_bits)
{
  const uint64_t top = UINT64_C (1) << 63;
  struct cgw_profile *p = make_profile (NULL);

  for (uint32_t i = 0; i < KEYS; i++)
    {
      struct cgw_pos frames[DEEPEST] = { 0 };

      for (unsigned bit = 0; bit < DEEPEST - 2; bit++)
        if (i >> bit & 1)
          {
            frames[bit].instr ^= top;
            frames[DEEPEST - 2].instr ^= top;
          }
      add_stack (p, frames, DEEPEST);
    }
  cr_expect_lt (steps_of (p), FEW * KEYS);
  cgw_profile_free (p);
}
