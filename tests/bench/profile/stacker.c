/* stacker.c - what those have in common that add stacks, and the library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "stacker.h"
#include "../ways.h"

#include <stdlib.h>

void
stacked_open (struct stacked *d, const struct stacks *s, struct sink *sink,
              const struct cgw_options *options)
{
  struct script script = s->frames.script;

  d->profile = way_profile_with (&s->frames, sink, &script, options);
  d->frames = bench_allocate (script.n, sizeof *d->frames);
  for (size_t i = 0; i < script.n; i++)
    d->frames[i] = script.events[i].pos;
}

void
stacked_close (struct stacked *d)
{
  way_profile.close (d->profile);
  free (d->frames);
}

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) int
profile_replay_stacks (add_stack *add, void *context, const uint32_t *order,
                       size_t n)
{
  int failed = 0;

  for (size_t i = 0; i < n; i++)
    failed |= add (context, order[i], stack_cost (i));
  return failed;
}

/* The library.  */

struct libcgw
{
  struct stacked stacked;
  struct cgw_profile *p;
};

static void *
libcgw_open (const struct stacks *s, struct sink *sink,
             const struct cgw_options *options)
{
  struct libcgw *l = bench_allocate (1, sizeof *l);

  stacked_open (&l->stacked, s, sink, options);
  l->p = way_profile_sums (l->stacked.profile);
  return l;
}

static void
libcgw_close (void *context)
{
  stacked_close (&((struct libcgw *)context)->stacked);
  free (context);
}

static bool
libcgw_begin (void *context)
{
  return way_profile.begin (((struct libcgw *)context)->stacked.profile);
}

static int
libcgw_add (void *context, size_t stack, uint64_t cost)
{
  const struct libcgw *l = context;

  return (int)cgw_profile_stack (
      l->p, &l->stacked.frames[stack * STACKS_DEPTH], STACKS_DEPTH, 1, &cost,
      1);
}

static bool
libcgw_end (void *context)
{
  return way_profile.end (((struct libcgw *)context)->stacked.profile);
}

const struct stacker stacker_libcgw
    = { "libcgw",     libcgw_open, libcgw_close,
        libcgw_begin, libcgw_add,  libcgw_end };
