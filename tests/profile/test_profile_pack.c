/* test_profile_pack.c - packed profiles: there and back, byte for byte; bytes
   that were changed, cut or made up.  tests/api/errors.def has the sentences.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"
#include "test_profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cgw_pos
some_place (const struct world *world, uint64_t *seed)
{
  unsigned fn = (unsigned) below (seed, FNS);

  return (struct cgw_pos){
    .fn = world->fns[fn],
    .file = below (seed, 3) == 0 ? world->files[below (seed, FILES)]
                                 : (struct cgw_file){ 0 },
    .line = (uint32_t) (below (seed, 3) == 0 ? 0 - below (seed, 9)
                                             : below (seed, 500)),
    .instr = below (seed, 3) == 0 ? 0 - below (seed, 999)
                                  : 0x401000 + 4 * below (seed, 500)
  };
}

static void
fill (struct one *o, uint64_t seed)
{
  for (uint64_t i = below (&seed, 60); i > 0; i--)
    {
      struct cgw_pos frames[6];
      uint64_t cost[COSTS] = { below (&seed, 3) << below (&seed, 50), 7 };

      for (int k = 0; k < 6; k++)
        frames[k] = some_place (&o->world, &seed);
      cr_assert_eq (cgw_profile_cost (o->p, &frames[0], cost, COSTS), CGW_OK);
      cr_assert_eq (cgw_profile_call (o->p, &frames[1], &frames[2], 3, cost,
                                      COSTS), CGW_OK);
      cr_assert_eq (cgw_profile_stack (o->p, frames, 6, 2, cost, COSTS),
                    CGW_OK);
    }
}

/* Bytes that grow.  */
struct bytes
{
  unsigned char *at;
  size_t n;
  size_t room;
  size_t most;      /* to take at once, or 0 */
  size_t too_many;  /* more than were taken, by what the hook says */
  unsigned until;   /* calls until a failure, or 0 */
  int error;        /* errno then; 0: take nothing */
};

static ssize_t
append (void *context, const void *bytes, size_t n)
{
  struct bytes *b = context;

  if (b->until != 0 && --b->until == 0)
    {
      errno = b->error;
      return b->error != 0 ? -1 : 0;
    }
  if (b->most != 0 && n > b->most)
    n = b->most;
  if (b->n + n > b->room)
    {
      b->room = 2 * (b->n + n);
      b->at = realloc (b->at, b->room);
      cr_assert_not_null (b->at);
    }
  memcpy (b->at + b->n, bytes, n);
  b->n += n;
  return (ssize_t) (n + b->too_many);
}

static struct bytes
pack (struct cgw_profile *p)
{
  struct bytes b = { 0 };

  cr_assert_eq (cgw_profile_pack (p, append, &b), CGW_OK);
  return b;
}

Test (profile_pack, there_and_back)
{
  for (uint64_t seed = 1; seed <= 200; seed++)
    {
      struct one a, b, both;
      struct bytes of_a, of_b, of_both, again;

      open_one (&a, seed, CGW_INSTR_LINE);
      open_one (&b, seed + 1000, CGW_INSTR_LINE);
      open_one (&both, seed + 2000, CGW_INSTR_LINE);
      fill (&a, seed);
      fill (&b, seed + 500);
      fill (&both, seed + 500);
      fill (&both, seed);
      of_a = pack (a.p);
      cr_assert_eq (cgw_profile_unpack (b.p, of_a.at, of_a.n), CGW_OK);
      of_b = pack (b.p);
      of_both = pack (both.p);
      cr_assert_eq (of_b.n, of_both.n);
      cr_assert_arr_eq (of_b.at, of_both.at, of_b.n);
      again = pack (b.p);
      cr_assert_arr_eq (again.at, of_b.at, of_b.n);
      same_files (&b, &both);
      free (of_a.at), free (of_b.at), free (of_both.at), free (again.at);
      close_one (&a);
    }
}

/* What a profile took, it packs so that another one takes it: an edge once with
   its function's own file named, and once not.  */
Test (profile_pack, edges_that_name_their_file)
{
  static const uint64_t half = (uint64_t) 1 << 63, less = half - 1;
  struct bytes packed;
  struct cgw_pos at;
  struct one a, b;

  open_one (&a, 1, CGW_LINE);
  open_one (&b, 2, CGW_LINE);
  at = written_line (a.world.fns[0], 5);
  cr_assert_eq (cgw_profile_call (a.p, &at, &at, half, &half, 1), CGW_OK);
  at.file = a.world.files[fn_file (0)];
  cr_assert_eq (cgw_profile_call (a.p, &at, &at, less, &less, 1), CGW_OK);
  packed = pack (a.p);
  cr_assert_eq (cgw_profile_unpack (b.p, packed.at, packed.n), CGW_OK);
  free (packed.at);
  same_files (&a, &b);
}

/* What a profile lacks, the one that unpacks it lacks, and so on.  */

static const char *const incomplete
    = "the packed profile was incomplete: more costs than events that are not "
      "derived";

static void
unpack_into (struct one *to, struct one *from)
{
  struct bytes b = pack (from->p);

  cr_expect_eq (cgw_profile_error (to->p, NULL), CGW_OK);
  cr_expect_eq (cgw_profile_unpack (to->p, b.at, b.n), CGW_OK);
  free (b.at);
}

Test (profile_pack, incomplete)
{
  static const uint64_t cost[COSTS + 1];
  const struct cgw_pos nowhere = { .line = 0 };
  struct one a, b, c;
  const char *why;

  open_one (&a, 1, CGW_LINE);
  open_one (&b, 2, CGW_LINE);
  open_one (&c, 3, CGW_LINE);
  cr_assert_eq (cgw_profile_cost (a.p, &nowhere, cost, COSTS + 1),
                CGW_ECOSTS);
  unpack_into (&b, &a);
  unpack_into (&c, &b);
  cr_expect_eq (cgw_profile_error (c.p, &why), CGW_ECOSTS);
  cr_expect_str_eq (why, incomplete);
  /* An error of its own comes first.  */
  cr_expect_eq (cgw_profile_clear (b.p), CGW_OK);
  cr_expect_eq (cgw_profile_cost (b.p, NULL, cost, 1), CGW_EINVAL);
  cr_expect_eq (cgw_profile_clear (a.p), CGW_OK);
  unpack_into (&a, &b);
  cr_expect_eq (cgw_profile_error (a.p, &why), CGW_EINVAL);
  /* An interval that lacks nothing.  */
  cr_expect_eq (cgw_profile_clear (a.p), CGW_OK);
  cr_expect_eq (cgw_profile_clear (c.p), CGW_OK);
  unpack_into (&c, &a);
  cr_expect_eq (cgw_profile_error (c.p, NULL), CGW_OK);
  close_one (&a), close_one (&b), close_one (&c);
}

Test (profile_pack, incomplete_names)
{
  struct one a, b, c;

  open_one (&a, 1, CGW_LINE);
  open_one (&b, 2, CGW_LINE);
  cgw_add_fn (a.names, "f", (struct cgw_file){ 1 }, (struct cgw_object){ 0 });
  cr_assert_eq (cgw_profile_error (a.p, NULL), CGW_OK);
  unpack_into (&b, &a);
  cr_expect_eq (cgw_profile_error (b.p, NULL), CGW_EHANDLE);
  cr_expect_eq (cgw_names_error (b.names, NULL), CGW_OK);
  /* Merging says so, too.  */
  open_one (&c, 3, CGW_LINE);
  cr_assert_eq (cgw_profile_merge (c.p, a.p), CGW_OK);
  cr_expect_eq (cgw_profile_error (c.p, NULL), CGW_EHANDLE);
  close_one (&a), close_one (&b), close_one (&c);
}

/* The bytes are those of every machine.  */
Test (profile_pack, format)
{
  static const unsigned char expected[] = {
    'c', 'g', 'w', 'p', 'a', 'c', 'k', 3, /* */
    2, 3, 0,                              /* events, positions, no error */
    0, 0,                                 /* no event is signed */
    1,                                    /* self costs */
    0, 0, 3, 'a', '.', 'c', 0, 4, 'p', 'r', 'o', 'g', 1, 'f',
    0, 0x80, 0x40, 20, 5, 0x80, 1,        /* 0x1000 line 10, 5 128 */
    2,                                    /* a call */
    0, 2, 3, 'b', '.', 'c', 0, 1,         /* in b.c, line 9 */
    1, 1, 0, 1, 'g', 3, 0x80, 0x20, 7,    /* of g, 3 times, target */
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0,
    0
  };
  struct cgw_fn f, g;
  struct cgw_pos from, to;
  uint64_t self[COSTS] = { 5, 128 }, called[COSTS] = { UINT64_MAX, 0 };
  uint32_t sum = 2166136261u;
  struct bytes b;
  struct one o;

  open_one (&o, 1, CGW_INSTR_LINE);
  f = written_fn (o.names, "prog", "a.c", "f");
  g = written_fn (o.names, "prog", "b.c", "g");
  from = (struct cgw_pos){ f, { 0 }, 10, 0x1000 };
  to = (struct cgw_pos){ g, { 0 }, 7, 0x1000 };
  cr_assert_eq (cgw_profile_cost (o.p, &from, self, COSTS), CGW_OK);
  from.line = 9;
  from.file = cgw_add_file (o.names, "b.c");
  cr_assert_eq (cgw_profile_call (o.p, &from, &to, 3, called, COSTS), CGW_OK);
  b = pack (o.p);
  cr_expect_eq (b.n, sizeof expected + 4);
  cr_expect_arr_eq (b.at, expected, sizeof expected);
  for (size_t i = 0; i < sizeof expected; i++)
    sum = (sum ^ expected[i]) * 16777619u;
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq (b.at[sizeof expected + i], sum >> 8 * i & 255);
  free (b.at);
  close_one (&o);
}

/* Calls that were not counted stay so; a file says 1 of them.  */
Test (profile_pack, zero_calls)
{
  const uint64_t costs[COSTS] = { 5, 7 };
  struct cgw_pos at;
  struct bytes packed;
  struct one a, b;

  open_one (&a, 1, CGW_INSTR_LINE);
  open_one (&b, 2, CGW_INSTR_LINE);
  at = (struct cgw_pos){ a.world.fns[1], { 0 }, 1, 1 };
  cr_assert_eq (cgw_profile_call (a.p, &at, &at, 0, costs, COSTS), CGW_OK);
  packed = pack (a.p);
  cr_assert_eq (cgw_profile_unpack (b.p, packed.at, packed.n), CGW_OK);
  free (packed.at);
  at.fn = b.world.fns[1];
  cr_assert_eq (cgw_profile_call (b.p, &at, &at, 3, NULL, 0), CGW_OK);
  write_one (&a, 0);
  write_one (&b, 0);
  cr_expect_not_null (strstr (a.f.bytes, "\ncalls=1 "));
  cr_expect_not_null (strstr (b.f.bytes, "\ncalls=3 "));
  close_one (&a);
  close_one (&b);
}

/* The hook may take little, be interrupted, fail, or say that it has taken more
   than there was.  */
Test (profile_pack, hooks)
{
  struct bytes little = { .most = 3 }, interrupted = { .until = 1,
                                                       .error = EINTR };
  struct bytes failing = { .until = 1, .error = ENOSPC }, none = { .until = 1 };
  struct bytes wrong = { .too_many = 1 };
  struct one a;
  struct bytes all;

  open_one (&a, 1, CGW_INSTR_LINE);
  fill (&a, 5);
  all = pack (a.p);
  errno = EXDEV;
  cr_assert_eq (cgw_profile_pack (a.p, append, &little), CGW_OK);
  cr_assert_eq (little.n, all.n);
  cr_expect_arr_eq (little.at, all.at, all.n);
  cr_assert_eq (cgw_profile_pack (a.p, append, &interrupted), CGW_OK);
  cr_assert_eq (interrupted.n, all.n);
  cr_expect_eq (cgw_profile_pack (a.p, append, &failing), CGW_EIO);
  cr_expect_eq (cgw_profile_pack (a.p, append, &none), CGW_EIO);
  cr_expect_eq (cgw_profile_pack (a.p, append, &wrong), CGW_EIO);
  cr_expect_eq (errno, EXDEV);
  free (all.at), free (little.at), free (interrupted.at), free (wrong.at);
  close_one (&a);
}

/* Unpacks bytes that may be wrong; what is refused has changed nothing.  */
static enum cgw_status
try_bytes (struct one *o, const unsigned char *bytes, size_t n)
{
  uint64_t before[COSTS], after[COSTS];
  enum cgw_status status;

  cr_assert_eq (cgw_profile_total (o->p, before, COSTS), CGW_OK);
  status = cgw_profile_unpack (o->p, bytes, n);
  cr_assert_eq (cgw_profile_total (o->p, after, COSTS), CGW_OK);
  if (status != CGW_OK)
    cr_assert_arr_eq (before, after, sizeof before);
  return status;
}

static void
set_checksum (unsigned char *bytes, size_t n)
{
  uint32_t sum = 2166136261u;

  for (size_t i = 0; i < n - 4; i++)
    sum = (sum ^ bytes[i]) * 16777619u;
  for (size_t i = 0; i < 4; i++)
    bytes[n - 4 + i] = (unsigned char) (sum >> 8 * i);
}

static enum cgw_status
get_positions (void *context, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t count,
               const uint64_t *inclusive_cost, size_t n)
{
  struct cgw_pos *got = context;

  (void) count;
  (void) inclusive_cost;
  (void) n;
  got[0] = *from;
  got[1] = *to;
  return CGW_OK;
}

/* Bytes with lines and addresses that say they have only one of them: the other
   is dropped.  */
Test (profile_pack, positions_that_the_profile_lacks)
{
  static const unsigned only[] = { CGW_LINE, CGW_INSTR };
  struct cgw_visitor visitor = CGW_VISITOR_INIT;

  visitor.call = get_positions;
  for (size_t i = 0; i < 2; i++)
    {
      uint64_t instr = only[i] == CGW_INSTR ? 5 : 0;
      uint32_t line = only[i] == CGW_LINE ? 7 : 0;
      struct cgw_pos at, got[2];
      struct bytes all;
      struct one a, b;

      open_one (&a, 1, CGW_INSTR_LINE);
      open_one (&b, 2, only[i]);
      at = (struct cgw_pos){ a.world.fns[1], { 0 }, 7, 5 };
      cr_assert_eq (cgw_profile_call (a.p, &at, &at, 1, NULL, 0), CGW_OK);
      all = pack (a.p);
      cr_assert_eq (all.at[9], CGW_INSTR_LINE);
      all.at[9] = (unsigned char) only[i];
      set_checksum (all.at, all.n);
      cr_assert_eq (cgw_profile_unpack (b.p, all.at, all.n), CGW_OK);
      visitor.context = got;
      cr_assert_eq (cgw_profile_visit (b.p, &visitor), CGW_OK);
      for (int k = 0; k < 2; k++)
        cr_expect (got[k].instr == instr && got[k].line == line);
      free (all.at);
      close_one (&a);
      close_one (&b);
    }
}

Test (profile_pack, cut_and_changed)
{
  struct one a, b, untouched;
  struct bytes all;

  open_one (&a, 1, CGW_INSTR_LINE);
  open_one (&b, 2, CGW_INSTR_LINE);
  open_one (&untouched, 2, CGW_INSTR_LINE);
  fill (&a, 5);
  fill (&b, 6);
  fill (&untouched, 6);
  all = pack (a.p);
  for (size_t n = 0; n < all.n; n++)
    cr_assert_eq (try_bytes (&b, all.at, n), CGW_EPACK);
  for (size_t i = 0; i < all.n; i++)
    for (int bit = 0; bit < 8; bit++)
      {
        all.at[i] ^= (unsigned char) (1 << bit);
        cr_assert_eq (try_bytes (&b, all.at, all.n), CGW_EPACK, "byte %zu", i);
        all.at[i] ^= (unsigned char) (1 << bit);
      }
  cr_expect_eq (cgw_profile_unpack (b.p, NULL, 0), CGW_EPACK);
  cr_expect_eq (cgw_profile_error (b.p, NULL), CGW_OK);
  free (all.at);
  same_files (&b, &untouched);
  close_one (&a);
}

/* Made-up bytes with the right checksum: whatever they say, they are refused
   as a whole or added, and the profile can be written.  */
Test (profile_pack, hostile)
{
  long rounds = (long) stress_number (20000, 2000000);
  struct one a, b;
  struct bytes all;
  uint64_t seed = 42;
  long refused = 0, added = 0;

  open_one (&a, 1, CGW_INSTR_LINE);
  open_one (&b, 2, CGW_INSTR_LINE);
  fill (&a, 5);
  all = pack (a.p);
  for (long i = 0; i < rounds; i++)
    {
      size_t n = below (&seed, 8) == 0 ? 14 + below (&seed, all.n - 14) : all.n;
      unsigned char *bytes = malloc (n);

      cr_assert_not_null (bytes);
      memcpy (bytes, all.at, n);
      for (uint64_t k = 1 + below (&seed, 4); k > 0; k--)
        bytes[8 + below (&seed, n - 8)] = (unsigned char) below (&seed, 256);
      set_checksum (bytes, n);
      if (try_bytes (&b, bytes, n) == CGW_OK)
        added++;
      else
        refused++;
      free (bytes);
      if (i % 64 == 0)
        cr_assert_eq (cgw_profile_clear (b.p), CGW_OK);
    }
  cr_expect_gt (added, 0);
  cr_expect_gt (refused, rounds / 10);
  free (all.at);
  close_one (&a);
  close_one (&b);
}
