/* test_step_profile.c - the scenes of profiles.  A handler leaves the profile
   alone, which is for one caller at a time, but not its writer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

/* Distinct positions and edges of the profile; cost at each position.  */
#define CELLS 4
#define EDGES 2
#define CELL_COST 4

static const uint64_t costs[N_EVENTS] = { CELL_COST, CELL_COST };
static struct cgw_profile *own;

static void
make_profile (void)
{
  enum cgw_status status
      = cgw_profile_new (&t.profile, t.names, N_EVENTS, CGW_LINE);

  expect_status ("cgw_profile_new", status, BIT (CGW_OK));
}

static void
prepare (void)
{
  submit_all (OTHER);
  make_profile ();
  for (unsigned i = 0; i < CELLS; i++)
    {
      enum cgw_status status
          = cgw_profile_cost (t.profile, &t.at[i], costs, 2);
      expect_status ("cgw_profile_cost", status, BIT (CGW_OK));
      if (i < EDGES)
        cgw_profile_call (t.profile, &t.at[i], &t.at[i + 1], 2, costs, 2);
    }
}

static void
prepare_empty (void)
{
  submit_all (OTHER);
  make_profile ();
}

static void
prepare_gone (void)
{
  prepare ();
  own = t.profile;
  t.profile = NULL;
}

CALL (signed, cgw_profile_set_signed, t.profile, 1)

/* Too late if a handler has added sums before.  */
static void
check_signed (enum cgw_status status)
{
  expect_status ("cgw_profile_set_signed", status,
                 BIT (CGW_OK)
                     | (t.seen & BIT (CGW_OK) ? BIT (CGW_EORDER) : 0));
}

static enum cgw_status
call_write (void)
{
  enum cgw_status status;

  ledger_begin_bulk (&t.ledger, CELLS + EDGES, CELLS * CELL_COST);
  errno = MARKER;
  STEPPED (status = cgw_profile_write (t.profile, t.w, &t.part));
  expect_errno ("cgw_profile_write");
  ledger_end_bulk (&t.ledger, status == CGW_OK);
  return status;
}

/* Records of its own may be refused when a handler finished the file.  */
static void
check_write (enum cgw_status status)
{
  expect_status ("cgw_profile_write", status,
                 t.finishing ? BIT (CGW_OK) | BIT (CGW_EFINISHED)
                                   | BIT (CGW_ELOST)
                             : BIT (CGW_OK));
  if (t.finishing)
    t.refused_unknown = true;
}

/* A file of its own, as the old one was.  A child that a handler forked has
   none.  */
CALL (save, cgw_profile_save, t.profile, world_path (), &t.part, NULL)

/* The file has all sums.  What the profile refused a handler is its error, and
   that of the file.  */
static void
check_save (enum cgw_status status)
{
  struct counts c = { .s.recorded = CELLS + EDGES,
                      .recorded = { CELLS * CELL_COST, CELLS * CELL_COST } };

  expect_status ("cgw_profile_save", status,
                 BIT (CGW_OK) | (t.seen & BIT (CGW_EBUSY)));
  check_file (FILES, READER_STRICT, &c);
}

CALL_AS (free, cgw_profile_free, int, (cgw_profile_free (own), 0), CGW_OK)

const struct scene profile_scenes[] = {
  { "profile signed", "cgw_profile_set_signed", 0, 0, prepare_empty,
    call_signed, check_signed },
  { "profile write", "cgw_profile_write", 0, 0, prepare, call_write,
    check_write },
  { "profile write written", "cgw_profile_write", SMALL_BUFFER, 0,
    prepare, call_write, check_write },
  { "profile save", "cgw_profile_save", REPLACES | NAMES_CALL, 0, prepare,
    call_save, check_save },
  { "profile free", "cgw_profile_free", 0, 0, prepare_gone, call_free, NULL },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
