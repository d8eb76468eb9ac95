/* test_statuses.c - what the table of errors (errors.def) does not say: the
   statuses' values and phrases, structs of other versions, what is lost and
   counted.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t costs[3] = { 1, 2, 3 };
static const struct cgw_pos here = { .line = 1 };
static const struct cgw_event ir = { "Ir", NULL, NULL };

/* The statuses themselves.  */

Test (statuses, values_are_part_of_the_abi)
{
  static const enum cgw_status in_order[]
      = { CGW_OK,    CGW_EINVAL, CGW_EORDER, CGW_EFINISHED, CGW_EHANDLE,
          CGW_ECOSTS, CGW_ENOMEM, CGW_EIO,   CGW_EAGAIN,    CGW_EOVERFLOW,
          CGW_EFILE, CGW_ELOST,  CGW_EBUSY,  CGW_EFORK,     CGW_EDEPTH,
          CGW_EBACKWARDS, CGW_EPACK };

  for (unsigned i = 0; i < sizeof in_order / sizeof *in_order; i++)
    cr_expect_eq (in_order[i], i);
}

Test (statuses, each_has_its_own_phrase)
{
  static const int unknown[] = { -1, CGW_EPACK + 1, 1000, INT_MAX, INT_MIN };

  for (int i = CGW_OK; i <= CGW_EPACK; i++)
    for (int j = CGW_OK; j < i; j++)
      cr_expect_str_neq (cgw_strerror ((enum cgw_status) i),
                         cgw_strerror ((enum cgw_status) j));
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    cr_expect_str_eq (cgw_strerror ((enum cgw_status) unknown[i]),
                      "unknown status");
  /* What is forgotten most often.  */
  cr_expect_not_null (strstr (cgw_strerror (CGW_EORDER), "cgw_begin_part"));
}

Test (statuses, version)
{
  char text[40];

  snprintf (text, sizeof text, "%d.%d.%d", CGW_VERSION_MAJOR,
            CGW_VERSION_MINOR, CGW_VERSION_PATCH);
  cr_assert_str_eq (cgw_version (), text);
}

/* Structs of other versions.  Each has its size first.  */

union any
{
  size_t size;
  struct cgw_names_options names_options;
  struct cgw_options options;
  struct cgw_part part;
  struct cgw_stats stats;
  struct cgw_tracer_options tracer_options;
  struct cgw_visitor visitor;
  struct cgw_recorder_stats recorder_stats;
  unsigned char bytes[sizeof (struct cgw_part) + 64];
};

static struct
{
  struct written f;
  struct cgw_profile *p;
  struct cgw_recorder *r;
} g;

static enum cgw_status
take_names_options (union any *s)
{
  struct cgw_names *names;
  enum cgw_status status = cgw_names_new (&names, &s->names_options);

  cgw_names_free (names);
  return status;
}

static enum cgw_status
take_options (union any *s)
{
  struct cgw_writer *w;
  int fd = open ("/dev/null", O_WRONLY);
  enum cgw_status status = cgw_open_fd (&w, g.f.names, fd, &s->options);

  cgw_free (w);
  close (fd);
  return status;
}

static enum cgw_status
take_part (union any *s)
{
  return cgw_begin_part (g.f.w, &s->part);
}

static enum cgw_status
take_stats (union any *s)
{
  return cgw_get_stats (g.f.w, &s->stats);
}

static enum cgw_status
take_tracer_options (union any *s)
{
  struct cgw_tracer *t;

  return cgw_tracer_new (&t, g.p, &s->tracer_options);
}

static enum cgw_status
take_visitor (union any *s)
{
  return cgw_profile_visit (g.p, &s->visitor);
}

static enum cgw_status
take_written_part (union any *s)
{
  return cgw_profile_write (g.p, g.f.w, &s->part);
}

static enum cgw_status
take_saved_part (union any *s)
{
  return cgw_profile_save (g.p, "/dev/null", &s->part, NULL);
}

static enum cgw_status
take_saving_options (union any *s)
{
  struct cgw_part part = written_part_of (&ir, 1);

  return cgw_profile_save (g.p, "/dev/null", &part, &s->options);
}

static enum cgw_status
take_recorder_stats (union any *s)
{
  return cgw_recorder_get_stats (g.r, &s->recorder_stats);
}

#define PART                                                                  \
  { .part = { sizeof (struct cgw_part), &ir, 1, 0, NULL, NULL, 0, NULL, 0, 0,  \
              0, 0 } }

static const struct
{
  enum cgw_status (*take) (union any *s);
  union any init;
  size_t older; /* the size of a struct that ends before the hooks, or the like;
                   from there on it is not looked at */
} structs[] = {
  { take_names_options, { .names_options = CGW_NAMES_OPTIONS_INIT },
    offsetof (struct cgw_names_options, allocate) },
  { take_options, { .options = CGW_OPTIONS_INIT },
    offsetof (struct cgw_options, queue_slots) },
  { take_saving_options, { .options = CGW_OPTIONS_INIT },
    offsetof (struct cgw_options, queue_slots) },
  { take_part, PART, offsetof (struct cgw_part, positions) },
  { take_written_part, PART, offsetof (struct cgw_part, positions) },
  { take_saved_part, PART, offsetof (struct cgw_part, positions) },
  { take_stats, { .stats = CGW_STATS_INIT },
    offsetof (struct cgw_stats, lost) },
  { take_tracer_options, { .tracer_options = CGW_TRACER_OPTIONS_INIT },
    offsetof (struct cgw_tracer_options, flags) },
  { take_visitor, { .visitor = CGW_VISITOR_INIT },
    offsetof (struct cgw_visitor, cost) },
  { take_recorder_stats, { .recorder_stats = CGW_RECORDER_STATS_INIT },
    offsetof (struct cgw_recorder_stats, lost) },
};

Test (statuses, structs_of_another_size)
{
  static uint64_t memory[100];

  written_open (&g.f, NULL);
  cr_assert_eq (cgw_profile_new (&g.p, g.f.names, 1, 0), CGW_OK);
  g.r = cgw_recorder_init (memory, 1, 1, 0);
  cr_assert_not_null (g.r);
  for (size_t i = 0; i < sizeof structs / sizeof *structs; i++)
    {
      union any s = structs[i].init;
      size_t size = s.size;

      s.size = sizeof s;
      cr_expect_eq (structs[i].take (&s), CGW_OK, "struct %zu", i);
      for (size_t k = size; k < sizeof s; k++)
        {
          cr_expect_eq (s.bytes[k], 0);
          s.bytes[k] = 1;
          cr_expect_eq (structs[i].take (&s), CGW_EINVAL, "struct %zu", i);
          s.bytes[k] = 0;
        }
      for (s.size = 0; s.size < sizeof s.size; s.size++)
        cr_expect_eq (structs[i].take (&s), CGW_EINVAL, "struct %zu", i);
      s.size = structs[i].older;
      memset (s.bytes + s.size, 0xff, sizeof s - s.size);
      cr_expect_eq (structs[i].take (&s), CGW_OK, "struct %zu", i);
      for (size_t k = s.size; k < sizeof s; k++)
        cr_expect_eq (s.bytes[k], 0xff, "struct %zu", i);
    }
  cgw_profile_free (g.p);
  written_free (&g.f);
}

/* Ranges.  */

Test (statuses, each_unknown_flag)
{
  for (unsigned bit = 256; bit != 0; bit *= 2)
    {
      union any s = { .options = CGW_OPTIONS_INIT };

      written_open (&g.f, NULL);
      s.options.flags = bit;
      cr_expect_eq (take_options (&s), CGW_EINVAL);
      s.part = written_part_of (&ir, 1);
      s.part.positions = bit;
      cr_expect_eq (take_part (&s), CGW_EINVAL);
      written_free (&g.f);
    }
}

Test (statuses, each_unknown_flag_of_a_tracer)
{
  char text[32];

  written_open (&g.f, NULL);
  cr_assert_eq (cgw_profile_new (&g.p, g.f.names, 1, CGW_LINE), CGW_OK);
  for (uint64_t bit = CGW_CALLS_ONLY << 1; bit != 0; bit *= 2)
    {
      union any s = { .tracer_options = CGW_TRACER_OPTIONS_INIT };

      s.tracer_options.flags = bit | CGW_CALLS_ONLY;
      cr_expect_eq (take_tracer_options (&s), CGW_EINVAL);
      snprintf (text, sizeof text, "has 0x%" PRIx64 ",", bit);
      cr_expect (strstr (cgw_profile_explain (g.p), text) != NULL, "%s: %s",
                 text, cgw_profile_explain (g.p));
    }
  cgw_profile_free (g.p);
  written_free (&g.f);
}

/* Events that are derived have no costs.  */
Test (statuses, costs_of_derived_events)
{
  static const struct cgw_event events[]
      = { { "A", NULL, NULL }, { "S", NULL, "A" } };
  struct cgw_part part = written_part_of (events, 2);
  struct written f;

  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  cr_expect_eq (cgw_cost (f.w, &here, costs, 1), CGW_OK);
  cr_expect_eq (cgw_cost (f.w, &here, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_call (f.w, &here, &here, 1, costs, SIZE_MAX), CGW_ECOSTS);
  written_end (&f, CGW_ECOSTS);
  written_free (&f);
}

static void *
allocate_little (void *context, void *p, size_t n)
{
  (void) context;
  if (n == 0)
    free (p);
  return n != 0 && n < (64u << 20) ? realloc (p, n) : NULL;
}

/* The bound of the length passes 2^32, though the texts share their memory.  */
Test (statuses, a_header_of_4_gib)
{
  enum { LENGTH = 1 << 20, N = 1024 };
  static char text[LENGTH + 1];
  static const char *desc[N];
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_part part = written_part_of (&ir, 1);
  struct cgw_names *names;
  struct written f;

  memset (text, 'x', LENGTH);
  for (size_t i = 0; i < N; i++)
    desc[i] = text;
  o.allocate = allocate_little;
  cr_assert_eq (cgw_names_new (&names, &o), CGW_OK);
  written_open_with (&f, names, NULL);
  part.desc = desc;
  part.n_desc = N;
  cr_expect_eq (cgw_begin_part (f.w, &part), CGW_ENOMEM);
  part.n_desc = 1;
  cr_expect_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_ENOMEM);
  written_free (&f);
  cgw_names_free (names);
}

/* What is lost.  */

/* A writer whose descriptor takes nothing more, with a full buffer.  */
static struct cgw_writer *
start_failing (struct written *f, int error)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = 1;
  written_open (f, &o);
  f->fail = error;
  cr_assert_eq (written_part (f->w, "Ir", CGW_LINE), CGW_OK);
  return f->w;
}

/* Records that the descriptor does not take are lost and counted; totals and
   all say so.  */
static void
check_lost (int error, enum cgw_status status, enum cgw_status kept)
{
  struct written f;
  struct cgw_writer *w = start_failing (&f, error);
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t recorded, lost;

  s.n_costs = 1;
  s.recorded_costs = &recorded;
  s.lost_costs = &lost;
  cr_expect_eq (cgw_cost (w, &here, costs, 1), status);
  cr_expect_eq (cgw_call (w, &here, &here, 1, costs, 1), status);
  cr_expect_eq (cgw_jump (w, &here, &here, 1), status);
  cr_expect_eq (cgw_cond_jump (w, &here, &here, 1, 1), status);
  cr_expect_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 0);
  cr_expect_eq (s.lost, 4);
  cr_expect_eq (s.refused, 0);
  cr_expect_eq (recorded, 0);
  cr_expect_eq (lost, 1);
  f.fail = 0;
  written_end (&f, kept);
  cr_expect_str_eq (written_body (&f),
                    "# cgw: lost 4 records\nfl=(1) ???\nfn=(1) [lost]\n0 1\n"
                    "totals: 1\n");
  written_free (&f);
}

Test (statuses, lost_records)
{
  check_lost (EIO, CGW_EIO, CGW_EIO);
  check_lost (EAGAIN, CGW_EAGAIN, CGW_ELOST);
}

/* What is given up is lost, also behind a comment that reads like the
   library's own report of what was lost; but its costs stay recorded.  */
Test (statuses, finish_counts_what_it_gives_up)
{
  static const char *const comments[]
      = { "x", "cgw: lost 1 record", " cgw: lost ", "cgw: lost" };

  for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++)
    {
      struct written f;
      struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);
      struct cgw_stats s = CGW_STATS_INIT;
      uint64_t recorded, lost;

      s.n_costs = 1;
      s.recorded_costs = &recorded;
      cr_assert_eq (cgw_comment (w, comments[i]), CGW_OK);
      written_cost (w, here, 5);
      f.fail = EFBIG;
      cr_expect_eq (cgw_finish (w), CGW_EIO);
      cr_expect_eq (cgw_errno (w), EFBIG);
      cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
      cr_expect_gt (s.discarded, 0);
      cr_expect_eq (s.buffered, 0);
      cr_expect_eq (s.recorded, 0, "%s", comments[i]);
      cr_expect_eq (s.lost, 1, "%s", comments[i]);
      s.recorded_costs = NULL; /* one of the sums may be asked for alone */
      s.lost_costs = &lost;
      cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
      cr_expect_eq (recorded, 5, "%s", comments[i]);
      cr_expect_eq (lost, 0, "%s", comments[i]);
      written_free (&f);
    }
}

/* The first error is kept, but for a late failure of the descriptor.  */
Test (statuses, a_late_failure_is_not_hidden)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);
  const char *why;

  cr_expect_eq (cgw_cost (w, NULL, NULL, 0), CGW_EINVAL);
  cr_expect_eq (cgw_cost (w, &here, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_error (w, &why), CGW_EINVAL);
  cr_expect_str_eq (why, "cgw_cost: pos is NULL");
  written_cost (w, here, 1);
  f.fail = ENOSPC;
  cr_expect_eq (cgw_finish (w), CGW_EIO);
  cr_expect_eq (cgw_error (w, &why), CGW_EIO);
  cr_expect_str_eq (why, "the file could not be written: no space is left on "
                         "the device (ENOSPC)");
  written_free (&f);
}

/* A part that is refused after cgw_finish has found none is why there is
   none.  */
Test (statuses, a_first_part_that_is_refused_late)
{
  struct written f;
  struct cgw_writer *w = written_open (&f, NULL);
  const char *why;

  cr_expect_eq (cgw_finish (w), CGW_EORDER);
  cr_expect_eq (cgw_begin_part (w, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_finish (w), CGW_EINVAL);
  cr_expect_eq (cgw_error (w, &why), CGW_EINVAL);
  cr_expect_str_eq (why, "cgw_begin_part: part is NULL");
  written_free (&f);
}

/* Before anything failed.  */
Test (statuses, no_error)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);
  const char *why;

  cr_expect_str_eq (cgw_explain (w), "no call has failed");
  cr_expect_str_eq (cgw_names_explain (f.names), "no call has failed");
  cr_expect_eq (cgw_error (w, &why), CGW_OK);
  cr_expect_str_eq (why, "no call has failed");
  written_end (&f, CGW_OK);
  written_free (&f);
}

/* Long and strange texts are quoted in part.  Neither leaves out what is wrong,
   or leaves the sentence.  */
Test (statuses, long_texts)
{
  struct written f;
  struct cgw_writer *w = written_open (&f, NULL);
  char text[1000];
  struct cgw_event events[]
      = { { "Ir", NULL, NULL }, { text, NULL, text }, { "S", NULL, text } };
  struct cgw_part part = written_part_of (events, 3);

  memset (text, '\033', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  cr_expect_eq (cgw_begin_part (w, &part), CGW_EINVAL);
  cr_expect_leq (strlen (cgw_explain (w)), 250);
  cr_expect_null (strchr (cgw_explain (w), '\033'));
  cr_expect_not_null (strstr (cgw_explain (w),
                              "\\x1b...\": a name must be UTF-8"));
  events[1] = (struct cgw_event){ "Dr", NULL, NULL };
  memset (text, '(', sizeof text - 1);
  cr_expect_eq (cgw_begin_part (w, &part), CGW_EINVAL);
  cr_expect_not_null (strstr (cgw_explain (w), "names of earlier events"));
  written_free (&f);
}

/* Counts.  */

Test (statuses, stats)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "A B", CGW_LINE);
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t recorded[4] = { 9, 9, 9, 9 }, lost[4] = { 9, 9, 9, 9 };

  s.n_costs = 3;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  cr_assert_eq (cgw_cost (w, &here, costs, 2), CGW_OK);
  cr_assert_eq (cgw_cost (w, &here, costs, 1), CGW_OK);
  cr_assert_eq (cgw_call (w, &here, &here, 1, costs, 2), CGW_OK);
  cr_assert_eq (cgw_jump (w, &here, &here, 1), CGW_OK);
  cr_assert_eq (cgw_cost (w, &here, costs, 3), CGW_ECOSTS);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 4);
  cr_expect_eq (s.lost, 0);
  cr_expect_eq (s.refused, 1);
  cr_expect_eq (s.written, f.n); /* the header */
  cr_expect_gt (s.written, 0);
  cr_expect_gt (s.buffered, 0);
  /* Events beyond the part's are 0; what is beyond n_costs is not touched.  */
  cr_expect_eq (recorded[0], 2);
  cr_expect_eq (recorded[1], 2);
  cr_expect_eq (recorded[2], 0);
  cr_expect_eq (recorded[3], 9);
  cr_expect_eq (lost[0], 0);
  cr_expect_eq (lost[3], 9);
  /* Over parts, and after the end.  */
  cr_assert_eq (written_part (w, "A B", CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_cost (w, &here, costs, 2), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_ECOSTS);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 5);
  cr_expect_eq (s.written, f.n);
  cr_expect_eq (s.buffered, 0);
  cr_expect_eq (s.discarded, 0);
  cr_expect_eq (recorded[0], 3);
  cr_expect_eq (recorded[1], 4);
  written_free (&f);
}
