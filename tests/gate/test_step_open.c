/* test_step_open.c - the scenes in which a writer comes and goes.  Handlers
   have no writer meanwhile: NULL, or another one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <unistd.h>

static struct cgw_writer *own;
static off_t size_before;
static int own_fd;

static enum cgw_status
call_new (void)
{
  struct cgw_options o = world_options ();
  enum cgw_status status;

  own = NULL;
  errno = MARKER;
  STEPPED (status = cgw_new (&own, t.names, t.fd, &o));
  expect_errno ("cgw_new");
  return status;
}

static void
prepare_create (void)
{
  own_fd = dup (file_descriptor (FIRST));
  close (own_fd);
}

static enum cgw_status
call_create (void)
{
  struct cgw_options o = world_options ();
  enum cgw_status status;

  own = NULL;
  errno = MARKER;
  STEPPED (status = cgw_create (&own, t.names, world_path (), &o));
  expect_errno ("cgw_create");
  if (!t.in_child)
    t.owned_fd = own_fd;
  return status;
}

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

static void
prepare_free (void)
{
  submit_all (OTHER);
  own = t.w;
  t.w = NULL;
}

static void
prepare_free_finished (void)
{
  submit_all (OTHER);
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

static void
check_any (enum cgw_status status)
{
  (void) status;
}

/* A writer that goes is there to prepare: the traits are those of others.  */
const struct scene open_scenes[] = {
  { "new", "cgw_new", NO_WRITER | NAMES_CALL, 0, NULL, call_new, check_new },
  { "new hook", "cgw_new", NO_WRITER | NAMES_CALL | HOOK, 0, NULL, call_new,
    check_new },
  { "create", "cgw_create", NO_WRITER | NAMES_CALL | OWNED, 0, prepare_create,
    call_create, check_new },
  { "create replacing", "cgw_create",
    NO_WRITER | NAMES_CALL | OWNED | REPLACES, 0, prepare_create, call_create,
    check_new },
  { "free", "cgw_free", FREES | NAMES_CALL, 0, prepare_free, call_free,
    check_free },
  { "free owned", "cgw_free", FREES | NAMES_CALL | OWNED, 0, prepare_free,
    call_free, check_free },
  { "free replacing", "cgw_free", FREES | NAMES_CALL | OWNED | REPLACES, 0,
    prepare_free, call_free, check_free },
  { "free finished", "cgw_free", FREES | NAMES_CALL, 0, prepare_free_finished,
    call_free, check_any },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
