/* test_step_writer.c - the scenes of a writer: the four record calls; a file's
   course: parts, writing, errors, the end; and how it comes and goes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

/* Records.  */

/* What makes a record take another way through the library.  */
enum way { PLAIN, WRITTEN, INLINED, NEW_NAME, PAGE, FULL_RING, WAYS };

/* A scene's argument says both.  */
#define ARGUMENT(kind, way) ((kind) * WAYS + (way))

/* Whether the next record, of 8 bytes or more, would straddle a page.  */
static bool
near_page (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cgw_get_stats (t.w, &s);
  return (s.written + s.buffered) % 4096 > 4088;
}

static void
prepare_record (void)
{
  struct cgw_pos here = { t.fn[MAIN], { 0 }, 10, 0 };
  struct cgw_pos other = { t.fn[OTHER], { 0 }, 20, 0 };

  submit (COST, &other, NULL);
  submit (COST, &here, NULL);
  while (t.scene->argument % WAYS == PAGE && !near_page ())
    submit (COST, &here, NULL);
}

static enum cgw_status
call_record (void)
{
  enum kind kind = (enum kind) (t.scene->argument / WAYS);
  enum way way = (enum way) (t.scene->argument % WAYS);
  struct cgw_pos from = { t.fn[way == NEW_NAME ? FRESH : MAIN], { 0 }, 11, 0 };
  struct cgw_pos to = { t.fn[kind == CALL || kind == BARE_CALL ? OTHER : MAIN],
                        { 0 }, 12, 0 };

  if (way == INLINED)
    from.file = t.inlined;
  return submit (kind, &from, &to);
}

/* submit has judged the status.  */
static void
check_record (enum cgw_status status)
{
  (void) status;
}

#define SCENE(name, function, kind, way, traits)                              \
  { name, function, traits, ARGUMENT (kind, way), prepare_record,             \
    call_record, check_record }
#define SCENES_OF(name, function, kind)                                       \
  SCENE (name " plain", function, kind, PLAIN, 0),                            \
  SCENE (name " written", function, kind, WRITTEN, SMALL_BUFFER),              \
  SCENE (name " inlined", function, kind, INLINED, 0),                        \
  SCENE (name " new name", function, kind, NEW_NAME, 0),                      \
  SCENE (name " page", function, kind, PAGE, 0),                              \
  SCENE (name " full ring", function, kind, FULL_RING, SMALL_RING)

const struct scene record_scenes[] = {
  SCENES_OF ("one cost", "cgw_cost", ONE_COST),
  SCENES_OF ("cost", "cgw_cost", COST),
  SCENE ("no cost", "cgw_cost", BARE_COST, PLAIN, 0),
  SCENES_OF ("call", "cgw_call", CALL),
  SCENE ("call without cost", "cgw_call", BARE_CALL, PLAIN, 0),
  SCENES_OF ("jump", "cgw_jump", JUMP),
  SCENES_OF ("cond jump", "cgw_cond_jump", COND_JUMP),
  SCENE ("cost hook", "cgw_cost", COST, WRITTEN, SMALL_BUFFER | HOOK),
  SCENE ("cachegrind cost", "cgw_cost", COST, PLAIN, CACHEGRIND),
  SCENE ("cachegrind cost written", "cgw_cost", COST, WRITTEN,
         CACHEGRIND | SMALL_BUFFER),
  SCENE ("cachegrind call", "cgw_call", CALL, PLAIN, CACHEGRIND),
  SCENE ("cachegrind call full ring", "cgw_call", CALL, PLAIN,
         CACHEGRIND | SMALL_RING),
  SCENE ("cachegrind jump", "cgw_jump", JUMP, PLAIN, CACHEGRIND),
  SCENE ("cachegrind cond jump", "cgw_cond_jump", COND_JUMP, PLAIN,
         CACHEGRIND),
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};

/* A file's course.  */

/* Some records, the last of them new to what was written.  */
static void
prepare_records (void)
{
  submit_all (OTHER);
  submit_all (MAIN);
}

static void
prepare_deferred (void)
{
  prepare_records ();
  t.defers = true;
}

static void
prepare_full_disk (void)
{
  submit_all (OTHER);
  for (int i = 0; i < 40; i++)
    submit_all (MAIN);
  world_fill_disk (true);
}

CALL_AS (begin_part, cgw_begin_part, enum cgw_status,
         cgw_begin_part (t.w, &t.part),
         (t.begun = t.begun || result == CGW_OK, result))
CALL (flush, cgw_flush, t.w)

CALL_AS (error, cgw_error, enum cgw_status, cgw_error (t.w, NULL),
         t.finishing || (t.seen & BIT (result)) ? CGW_OK : result)
CALL (finish, cgw_finish, t.w)

static void
check_finish (enum cgw_status status)
{
  unsigned mask = BIT (CGW_OK)
                  | (t.seen & (BIT (CGW_ELOST) | BIT (CGW_EBUSY)
                               | BIT (CGW_EIO)));

  if (t.finishing)
    mask |= BIT (CGW_EFINISHED);
  expect_status (t.scene->function, status, mask);
  t.finishing = true;
}

CALL (salvage, cgw_salvage, t.w)

static void
check_salvage (enum cgw_status status)
{
  check_finish (status);
  t.salvaged = t.salvaged || status != CGW_EFINISHED;
}

#define CALL_OF(name, call, traits, prepare, check)                           \
  { name, "cgw_" #call, traits, 0, prepare, call_##call, check }
#define FLUSH_OF(name, traits, prepare)                                       \
  CALL_OF (name, flush, traits, prepare, NULL)
#define END_OF(name, call, traits)                                            \
  CALL_OF (name, call, FINISHES | (traits), prepare_records, check_##call)

const struct scene part_scenes[] = {
  CALL_OF ("first part", begin_part, OPENS, NULL, NULL),
  CALL_OF ("first part hook", begin_part, OPENS | HOOK | SMALL_BUFFER, NULL,
           NULL),
  CALL_OF ("next part", begin_part, 0, prepare_records, NULL),
  CALL_OF ("next part written", begin_part, SMALL_BUFFER, prepare_records,
           NULL),
  CALL_OF ("next part full ring", begin_part, SMALL_RING, prepare_records,
           NULL),
  FLUSH_OF ("flush", 0, prepare_records),
  FLUSH_OF ("flush hook", HOOK, prepare_records),
  FLUSH_OF ("flush deferred", HOOK, prepare_deferred),
  FLUSH_OF ("flush deferred cachegrind", HOOK | CACHEGRIND, prepare_deferred),
  FLUSH_OF ("flush cachegrind", CACHEGRIND, prepare_records),
  CALL_OF ("error", error, 0, prepare_records, NULL),
  END_OF ("finish", finish, 0),
  END_OF ("finish hook", finish, HOOK),
  END_OF ("finish owned", finish, OWNED),
  END_OF ("finish replacing", finish, OWNED | REPLACES),
  CALL_OF ("finish full disk", finish, FINISHES | OWNED | FULL_DISK,
           prepare_full_disk, check_finish),
  END_OF ("salvage", salvage, 0),
  END_OF ("salvage hook", salvage, HOOK),
  END_OF ("salvage owned", salvage, OWNED),
  END_OF ("salvage replacing", salvage, OWNED | REPLACES),
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};

/* A writer that comes or goes.  Handlers have none meanwhile: NULL, or another
   one.  */

static struct cgw_writer *own;
static struct cgw_options options;
static off_t size_before;
static int own_fd;

static void
prepare_new (void)
{
  own = NULL;
  options = world_options ();
  own_fd = next_descriptor ();
}

CALL (open_fd, cgw_open_fd, &own, t.names, t.fd, &options)

CALL_AS (open, cgw_open, enum cgw_status,
         cgw_open (&own, t.names, world_path (), &options),
         (t.owned_fd = t.in_child ? -1 : own_fd, result))

static void
check_new (enum cgw_status status)
{
  struct cgw_part part = world_part ();

  expect_status (t.scene->function, status, BIT (CGW_OK));
  t.w = own;
  t.ledger = (struct ledger){ .n_events = N_EVENTS };
  t.seen &= BIT (CGW_EBUSY);
  status = cgw_begin_part (t.w, &part);
  expect_status ("cgw_begin_part", status, BIT (CGW_OK));
  t.begun = true;
}

/* A scene's argument: whether the file is finished.  */
static void
prepare_free (void)
{
  submit_all (OTHER);
  if (t.scene->argument != 0)
    cgw_finish (t.w);
  own = t.w;
  t.w = NULL;
}

static enum cgw_status
call_free (void)
{
  size_before = file_size (FIRST);
  errno = MARKER;
  STEPPED (cgw_free (own));
  expect_errno ("cgw_free");
  return CGW_OK;
}

static void
check_free (enum cgw_status status)
{
  (void) status;
  EXPECT (file_size (FIRST) == size_before, "cgw_free wrote");
}

/* A writer that goes is there to prepare: the traits are those of others.  */
#define NEW(name, call, traits)                                               \
  { name, "cgw_" #call, NO_WRITER | NAMES_CALL | (traits), 0, prepare_new,    \
    call_##call, check_new }
#define FREE(name, traits, finished)                                          \
  { name, "cgw_free", FREES | NAMES_CALL | (traits), finished, prepare_free,  \
    call_free, check_free }

const struct scene open_scenes[] = {
  NEW ("open_fd", open_fd, 0),
  NEW ("open_fd hook", open_fd, HOOK),
  NEW ("open", open, OWNED),
  NEW ("open replacing", open, OWNED | REPLACES),
  FREE ("free", 0, 0),
  FREE ("free owned", OWNED, 0),
  FREE ("free replacing", OWNED | REPLACES, 0),
  FREE ("free finished", 0, 1),
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
