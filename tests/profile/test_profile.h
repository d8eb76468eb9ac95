/* test_profile.h - what the tests of aggregation share: a profile with a world
   of names, and the file that it is written to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEST_PROFILE_H
#define TEST_PROFILE_H 1

#include "../support/support.h"
#include "../support/written.h"

#define COSTS 2
#define FNS 60
#define FILES 7 /* of them, number 0 is unknown */

/* Functions of all kinds: some of one name in several files and objects, some
   in unknown ones.  */
struct world
{
  struct cgw_fn fns[FNS];
  struct cgw_file files[FILES];
};

extern const char *const file_names[FILES];

/* What a function's names are; NULL is unknown.  */
const char *fn_name (unsigned fn);
unsigned fn_file (unsigned fn);
const char *fn_object (unsigned fn);

/* Adds all names; in another order for another seed.  */
void add_world (struct world *world, struct cgw_names *names, uint64_t seed);

/* A pseudo-random number below n.  */
uint64_t below (uint64_t *seed, uint64_t n);

/* A part with COSTS events.  */
struct cgw_part two_events (unsigned positions);

/* A profile of COSTS events that must come to be.  */
struct cgw_profile *new_profile (struct cgw_names *names, unsigned positions);

/* The names and lines of a function's position in the strict reader.  */
struct profile_at at_line (unsigned fn, uint32_t line);

/* A profile, its names, and a file for it.  */
struct one
{
  struct cgw_names *names;
  bool owns_names;
  unsigned positions;
  struct world world;
  struct cgw_profile *p;
  struct written f;
};

/* Makes one whose names are in an order of their own.  */
void open_one (struct one *o, uint64_t seed, unsigned positions);

/* The same with the names of another one that is not written yet, or with names
   in a heap.  */
void open_one_beside (struct one *o, const struct one *other);
void open_one_in (struct one *o, uint64_t seed, unsigned positions,
                  struct heap *heap);

/* Writes it to a file with these flags, as its only part.  The file must be
   complete, or lack what the profile lacks.  Then f has what was read.  */
void write_one (struct one *o, unsigned flags);

void close_one (struct one *o);

/* Writes both, and checks that their files are the same.  Closes them.  */
void same_files (struct one *a, struct one *b);

/* Writes it plainly, and checks the body of the file.  Closes it.  */
void body_is (struct one *o, unsigned flags, const char *body);

#endif /* TEST_PROFILE_H */
