/* test_profile.h - what the tests of aggregation share: a world of names, and
   parts.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEST_PROFILE_H
#define TEST_PROFILE_H 1

#include "../support/written.h"

/* Positions and edges of the tests of size: sanitizers take their time.  */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
# define UNDER_SANITIZER 1
#elif defined __has_feature
# if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#  define UNDER_SANITIZER 1
# endif
#endif
#ifndef UNDER_SANITIZER
# define UNDER_SANITIZER 0
#endif

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
void add_world (struct world *world, struct cgw_writer *w, uint64_t seed);

/* A pseudo-random number below n.  */
uint64_t below (uint64_t *seed, uint64_t n);

/* A part with COSTS events.  */
struct cgw_part two_events (unsigned positions);

/* A profile of COSTS events that must come to be.  */
struct cgw_profile *new_profile (struct cgw_writer *w, unsigned positions);

/* The names and lines of a function's position in the strict reader.  */
struct profile_at at_line (unsigned fn, uint32_t line);

/* A profile of a writer that has the names in an order of its own, for parts
   with addresses and lines.  */
struct one
{
  struct written f;
  struct world world;
  struct cgw_profile *p;
};

/* Opens one; options may be NULL.  */
void open_one (struct one *o, uint64_t seed, const struct cgw_options *options);

/* Writes it and finishes the file, which must succeed.  */
void end_one (struct one *o);

void close_one (struct one *o);

#endif /* TEST_PROFILE_H */
