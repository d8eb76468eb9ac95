/* test_profile_world.c - names, parts and numbers for the tests of
   aggregation.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

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
add_world (struct world *world, struct cgw_names *names, uint64_t seed)
{
  unsigned first = (unsigned) below (&seed, FNS);

  for (unsigned i = 0; i < FILES; i++)
    {
      unsigned file = (first + i) % FILES;
      world->files[file] = cgw_add_file (names, file_names[file]);
    }
  for (unsigned i = 0; i < FNS; i++)
    {
      unsigned fn = (first + i * 7) % FNS; /* 7 and FNS have no divisor */
      world->fns[fn] = written_fn (names, fn_object (fn),
                                   file_names[fn_file (fn)], fn_name (fn));
    }
  cr_assert_eq (cgw_names_error (names, NULL), CGW_OK);
}

struct cgw_part
two_events (unsigned positions)
{
  static const struct cgw_event events[]
      = { { "Ir", NULL, NULL }, { "Dr", NULL, NULL } };
  struct cgw_part part = written_part_of (events, COSTS);

  part.positions = positions;
  return part;
}

struct cgw_profile *
new_profile (struct cgw_names *names, unsigned positions)
{
  struct cgw_profile *p;

  cr_assert_eq (cgw_profile_new (&p, names, COSTS, positions), CGW_OK);
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
open_one_in (struct one *o, uint64_t seed, unsigned positions,
             struct heap *heap)
{
  memset (o, 0, sizeof *o);
  o->names = make_names (heap);
  o->owns_names = true;
  o->positions = positions;
  o->p = new_profile (o->names, positions);
  add_world (&o->world, o->names, seed);
}

void
open_one (struct one *o, uint64_t seed, unsigned positions)
{
  open_one_in (o, seed, positions, NULL);
}

void
open_one_beside (struct one *o, const struct one *other)
{
  *o = *other;
  o->owns_names = false;
  o->p = new_profile (o->names, o->positions);
}

void
write_one (struct one *o, unsigned flags)
{
  struct cgw_part part = two_events (o->positions);
  struct cgw_options options = CGW_OPTIONS_INIT;

  options.flags = flags;
  written_open_with (&o->f, o->names, &options);
  cr_assert_eq (cgw_profile_write (o->p, o->f.w, &part), CGW_OK);
  written_end (&o->f, cgw_profile_error (o->p, NULL));
}

void
close_one (struct one *o)
{
  cgw_profile_free (o->p);
  if (o->owns_names)
    cgw_names_free (o->names);
  written_free (&o->f);
}

void
same_files (struct one *a, struct one *b)
{
  write_one (a, 0);
  write_one (b, 0);
  cr_assert_str_eq (a->f.bytes, b->f.bytes);
  close_one (a);
  close_one (b);
}

void
body_is (struct one *o, unsigned flags, const char *body)
{
  write_one (o, flags);
  cr_expect_str_eq (written_body (&o->f), body);
  close_one (o);
}
