/* test_step_profile.c - the scenes of profiles.  A handler leaves the profile
   alone, which is for one caller at a time, but not its writer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <string.h>

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
prepare_none (void)
{
  submit_all (OTHER);
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

CALL (new, cgw_profile_new, &own, t.names, N_EVENTS, CGW_LINE)

static void
check_new (enum cgw_status status)
{
  expect_status ("cgw_profile_new", status,
                 BIT (CGW_OK));
  t.profile = own;
}

CALL (cost, cgw_profile_cost, t.profile, &t.at[CELLS], costs, N_EVENTS)
CALL (call, cgw_profile_call, t.profile, &t.at[CELLS], &t.at[3], 3, costs,
      N_EVENTS)
CALL (stack, cgw_profile_stack, t.profile, &t.at[CELLS], 3, 1, costs, N_EVENTS)
CALL (root, cgw_profile_set_root, t.profile, t.fn[0])
CALL (signed, cgw_profile_set_signed, t.profile, 1)

/* Too late if a handler has added sums before.  */
static void
check_signed (enum cgw_status status)
{
  expect_status ("cgw_profile_set_signed", status,
                 BIT (CGW_OK)
                     | (t.seen & BIT (CGW_OK) ? BIT (CGW_EORDER) : 0));
}

static uint64_t sums[N_EVENTS];

CALL (total, cgw_profile_total, t.profile, sums, N_EVENTS)

static struct
{
  unsigned char bytes[1000];
  size_t n;
} packed;

/* The other profile of the writer.  */
static struct cgw_profile *other;

static void
prepare_two (void)
{
  const struct cgw_pos *here = &t.at[CELLS + 1];

  packed.n = 0;
  prepare ();
  expect_status ("cgw_profile_new",
                 cgw_profile_new (&other, t.names, N_EVENTS, CGW_LINE),
                 BIT (CGW_OK));
  cgw_profile_cost (other, here, costs, N_EVENTS);
  cgw_profile_stack (other, here, 1, 1, costs, N_EVENTS);
}

CALL (merge, cgw_profile_merge, t.profile, other)

static ssize_t
keep_bytes (void *context, const void *bytes, size_t n)
{
  (void) context;
  if (n > sizeof packed.bytes - packed.n)
    return -1;
  memcpy (packed.bytes + packed.n, bytes, n);
  packed.n += n;
  return (ssize_t) n;
}

CALL (pack, cgw_profile_pack, t.profile, keep_bytes, NULL)

static void
prepare_packed (void)
{
  prepare_two ();
  expect_status ("cgw_profile_pack", cgw_profile_pack (other, keep_bytes, NULL),
                 BIT (CGW_OK));
}

CALL (unpack, cgw_profile_unpack, t.profile, packed.bytes, packed.n)

static void
check_two (enum cgw_status status)
{
  expect_status (t.scene->function, status, BIT (CGW_OK));
  if (!t.left)
    cgw_profile_free (other);
  other = NULL;
}

static enum cgw_status
call_write (void)
{
  enum cgw_status status;

  enter_bulk (CELLS + EDGES, CELLS * CELL_COST);
  errno = MARKER;
  STEPPED (status = cgw_profile_write (t.profile, t.w, &t.part));
  expect_errno ("cgw_profile_write");
  leave_bulk (status == CGW_OK);
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
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t costs_in_file[N_EVENTS] = { CELLS * CELL_COST, CELLS * CELL_COST };

  expect_status ("cgw_profile_save", status,
                 BIT (CGW_OK) | (t.seen & BIT (CGW_EBUSY)));
  s.recorded = CELLS + EDGES;
  s.recorded_costs = costs_in_file;
  check_file (FILES, READER_STRICT, &s);
}

CALL (clear, cgw_profile_clear, t.profile)
static const char *sentence;

CALL_AS (error, cgw_profile_error, enum cgw_status,
         (sentence = NULL, cgw_profile_error (t.profile, &sentence)),
         sentence != NULL ? result : CGW_EINVAL)
CALL_SENTENCE (explain, cgw_profile_explain, t.profile)
CALL_VOID (free, cgw_profile_free, own)

const struct scene profile_scenes[] = {
  { "profile new", "cgw_profile_new", 0, 0, prepare_none, call_new,
    check_new },
  { "profile cost", "cgw_profile_cost", 0, 0, prepare, call_cost, NULL },
  { "profile call", "cgw_profile_call", 0, 0, prepare, call_call, NULL },
  { "profile stack", "cgw_profile_stack", 0, 0, prepare, call_stack, NULL },
  { "profile root", "cgw_profile_set_root", 0, 0, prepare, call_root, NULL },
  { "profile signed", "cgw_profile_set_signed", 0, 0, prepare_empty,
    call_signed, check_signed },
  { "profile total", "cgw_profile_total", 0, 0, prepare, call_total, NULL },
  { "profile merge", "cgw_profile_merge", 0, 0, prepare_two, call_merge,
    check_two },
  { "profile pack", "cgw_profile_pack", 0, 0, prepare_two, call_pack,
    check_two },
  { "profile unpack", "cgw_profile_unpack", 0, 0, prepare_packed, call_unpack,
    check_two },
  { "first profile cost", "cgw_profile_cost", 0, 0, make_profile, call_cost,
    NULL },
  { "profile write", "cgw_profile_write", 0, 0, prepare, call_write,
    check_write },
  { "profile write written", "cgw_profile_write", SMALL_BUFFER | WRITES, 0,
    prepare, call_write, check_write },
  { "profile save", "cgw_profile_save", REPLACES | NAMES_CALL, 0, prepare,
    call_save, check_save },
  { "profile clear", "cgw_profile_clear", 0, 0, prepare, call_clear, NULL },
  { "profile error", "cgw_profile_error", 0, 0, prepare, call_error, NULL },
  { "profile explain", "cgw_profile_explain", 0, 0, prepare, call_explain,
    NULL },
  { "profile free", "cgw_profile_free", 0, 0, prepare_gone, call_free, NULL },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
