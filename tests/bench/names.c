/* names.c - what a tool pays for each event that has names in its hands and no
   handles, and a handler for each sample.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names: a known file and a known function, both given with their lengths.  */

enum
{
  PAIRS = 1000,
  PATH = 60, /* bytes */
  NAME = 25
};

/* As those of a PHP program: paths begin alike, and so do names.  */
static struct
{
  struct cgw_names *names;
  char paths[PAIRS][PATH + 1];
  char texts[PAIRS][NAME + 1];
  struct cgw_fn fns[PAIRS];
  uint32_t *order; /* pairs come in it again and again */
} world;

static struct cgw_fn
find (size_t k)
{
  struct cgw_file file = cgw_add_file_n (world.names, world.paths[k], PATH);

  return cgw_add_fn_n (world.names, world.texts[k], NAME, file,
                       (struct cgw_object){ 0 });
}

static int
find_pair (void *w, size_t i)
{
  size_t k = world.order[i % PAIRS];

  (void)w;
  return find (k).handle != world.fns[k].handle;
}

static int
call_nothing (void *w, size_t i)
{
  size_t k = world.order[i % PAIRS];

  (void)w;
  return do_nothing (world.names, world.paths[k], NULL, PATH, NULL)
         | do_nothing (world.names, world.texts[k], NULL, NAME, NULL);
}

static void *
names_open (const struct group *g)
{
  (void)g;
  world.names = make_names (NULL);
  for (size_t i = 0; i < PAIRS; i++)
    {
      snprintf (world.paths[i], sizeof world.paths[i],
                "/var/www/app/vendor/http-kernel/Controller/Command%06zu.php",
                i);
      snprintf (world.texts[i], sizeof world.texts[i],
                "Kernel\\Item%04zu->getValue", i);
      world.fns[i] = find (i);
    }
  if (strlen (world.paths[0]) != PATH || strlen (world.texts[0]) != NAME)
    bench_fail ("the world of names");
  world.order = workload_order (PAIRS);
  return &world;
}

static void
names_close (void *w)
{
  (void)w;
  cgw_names_free (world.names);
  free (world.order);
}

/* A new name, its text and one writer included.  */
static void
names_weigh (const struct group *g, void *unused)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_file file = cgw_add_file (names, "/usr/src/program/module.c");
  struct cgw_writer *w;
  char text[48];

  (void)unused;
  if (cgw_open_fd (&w, names, 1, &options) != CGW_OK)
    bench_fail ("cgw_open_fd");
  size_t before = heap.bytes;
  for (size_t i = 0; i < bench.positions; i++)
    {
      snprintf (text, sizeof text, "module_function_number%07zu", i);
      cgw_add_fn (names, text, file, (struct cgw_object){ 0 });
    }
  if (cgw_error (w, NULL) != CGW_OK)
    bench_fail ("cgw_add_fn");
  print_value (g, "pair", "bytes",
               (double)(heap.bytes - before) / (double)bench.positions);
  cgw_free (w);
  cgw_names_free (names);
}

static const struct subject subjects[]
    = { { "pair", "found by their lengths", find_pair, NULL },
        { "nothing", "the replay alone", call_nothing, NULL } };

const struct group names_group
    = { .name = "names",
        .title = "a known file and function; bytes of a new name",
        .base = "-",
        .subjects = subjects,
        .n = 2,
        .each = 1,
        .runs = 11,
        .open = names_open,
        .close = names_close,
        .finish = names_weigh };

/* Samples: a handler pushes an address.  The recorder is made anew instead of
   being drained, which takes much less.  */

enum
{
  SLOTS = 4096
};

static int
push (void *memory, size_t i)
{
  static struct cgw_recorder *r;
  const uint64_t address = 0x401000 + i, one = 1;

  if (i % SLOTS == 0)
    r = cgw_recorder_init (memory, SLOTS, 1, 1);
  return (int)cgw_recorder_push (r, 0, &address, 1, &one, 1);
}

static void *
push_open (const struct group *g)
{
  (void)g;
  return bench_allocate (cgw_recorder_size (SLOTS, 1, 1), 1);
}

static const struct subject push_subjects[]
    = { { "push", "cgw_recorder_push", push, NULL } };

const struct group push_group = { .name = "push",
                                  .title = "a sample that a handler pushes",
                                  .base = "-",
                                  .subjects = push_subjects,
                                  .n = 1,
                                  .each = 1,
                                  .runs = 11,
                                  .open = push_open,
                                  .close = free };
