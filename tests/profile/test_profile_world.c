/* test_profile_world.c - names, parts and numbers for the tests of
   aggregation.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdio.h>

const char *const file_names[FILES]
    = { NULL, "b.c", "a.c", "ab.c", "sub/a.c", "c.h", "B.c" };

uint64_t
below (uint64_t *seed, uint64_t n)
{
  *seed = *seed * UINT64_C (6364136223846793005) + 1442695040888963407;
  return (*seed >> 33) % n;
}

/* Three functions in a row have one name.  */
const char *
fn_name (unsigned fn)
{
  static char names[FNS][16];

  snprintf (names[fn], sizeof names[fn], "f%u", 101 - fn / 3);
  return names[fn];
}

/* No two functions of one name have the same file and object.  */
unsigned
fn_file (unsigned fn)
{
  return (fn % 3 + fn / 3 * 2) % FILES;
}

const char *
fn_object (unsigned fn)
{
  static const char *const names[] = { "prog", NULL, "lib.so", "lib" };

  return names[fn / 3 % 4];
}

void
add_world (struct world *world, struct cgw_writer *w, uint64_t seed)
{
  unsigned first = (unsigned) below (&seed, FNS);

  for (unsigned i = 0; i < FILES; i++)
    {
      unsigned file = (first + i) % FILES;
      world->files[file] = cgw_add_file (w, file_names[file]);
    }
  for (unsigned i = 0; i < FNS; i++)
    {
      unsigned fn = (first + i * 7) % FNS; /* 7 and FNS have no divisor */
      world->fns[fn] = written_fn (w, fn_object (fn), file_names[fn_file (fn)],
                                   fn_name (fn));
    }
  cr_assert_eq (cgw_error (w), CGW_OK);
}

struct cgw_part
two_events (unsigned positions)
{
  static const struct cgw_event events[]
      = { { "Ir", NULL, NULL }, { "Dr", NULL, NULL } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 2;
  part.positions = positions;
  return part;
}

struct cgw_profile *
new_profile (struct cgw_writer *w, unsigned positions)
{
  struct cgw_profile *p;

  cr_assert_eq (cgw_profile_new (&p, w, COSTS, positions), CGW_OK);
  return p;
}

struct profile_at
at_line (unsigned fn, uint32_t line)
{
  return (struct profile_at){ .object = fn_object (fn),
                              .file = file_names[fn_file (fn)],
                              .fn = fn_name (fn),
                              .line = line };
}

void
open_one (struct one *o, uint64_t seed, const struct cgw_options *options)
{
  o->p = new_profile (written_open (&o->f, options), CGW_INSTR_LINE);
  add_world (&o->world, o->f.w, seed);
}

void
end_one (struct one *o)
{
  struct cgw_part part = two_events (CGW_INSTR_LINE);

  cr_assert_eq (cgw_profile_write (o->p, &part), CGW_OK);
  cr_assert_eq (cgw_finish (o->f.w), CGW_OK);
}

void
close_one (struct one *o)
{
  cgw_profile_free (o->p);
  written_free (&o->f);
}
