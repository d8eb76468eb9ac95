/* test_step_open.c - the scenes in which a writer comes and goes.  Handlers
   have no writer meanwhile: NULL, or another one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <unistd.h>

static struct cgw_writer *own;
static off_t size_before;
static int own_fd;

static void
prepare_new (void)
{
  own = NULL;
  own_fd = dup (file_descriptor (FIRST));
  close (own_fd);
}

static enum cgw_status
call_new (void)
{
  struct cgw_options o = world_options ();
  enum cgw_status status;

  errno = MARKER;
  if (t.scene->traits & OWNED)
    STEPPED (status = cgw_create (&own, t.names, world_path (), &o));
  else
    STEPPED (status = cgw_new (&own, t.names, t.fd, &o));
  expect_errno (t.scene->function);
  if (t.scene->traits & OWNED && !t.in_child)
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
#define NEW(name, function, traits)                                           \
  { name, function, NO_WRITER | NAMES_CALL | (traits), 0, prepare_new,        \
    call_new, check_new }
#define FREE(name, traits, finished)                                          \
  { name, "cgw_free", FREES | NAMES_CALL | (traits), finished, prepare_free,  \
    call_free, check_free }

const struct scene open_scenes[] = {
  NEW ("new", "cgw_new", 0),
  NEW ("new hook", "cgw_new", HOOK),
  NEW ("create", "cgw_create", OWNED),
  NEW ("create replacing", "cgw_create", OWNED | REPLACES),
  FREE ("free", 0, 0),
  FREE ("free owned", OWNED, 0),
  FREE ("free replacing", OWNED | REPLACES, 0),
  FREE ("free finished", 0, 1),
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
