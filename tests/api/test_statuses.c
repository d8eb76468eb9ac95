/* test_statuses.c - every status, provoked by each function that cgw.h says
   returns it; the sizes of structs; and errno, which no call changes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t costs[3] = { 1, 2, 3 };
static const struct cgw_pos here = { .line = 1 };
static const struct cgw_event ir = { "Ir", NULL, NULL };

static struct cgw_part
good_part (void)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = &ir;
  part.n_events = 1;
  return part;
}

static struct cgw_writer *
start (struct written *f)
{
  return written_begin (f, 0, "Ir", CGW_LINE);
}

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

static struct cgw_writer *
start_finished (struct written *f)
{
  start (f);
  cr_assert_eq (cgw_finish (f->w), CGW_OK);
  return f->w;
}

/* The statuses themselves.  */

Test (statuses, values_are_part_of_the_abi)
{
  cr_expect_eq (CGW_OK, 0);
  cr_expect_eq (CGW_EINVAL, 1);
  cr_expect_eq (CGW_EORDER, 2);
  cr_expect_eq (CGW_EFINISHED, 3);
  cr_expect_eq (CGW_EHANDLE, 4);
  cr_expect_eq (CGW_ECOSTS, 5);
  cr_expect_eq (CGW_ENOMEM, 6);
  cr_expect_eq (CGW_EIO, 7);
  cr_expect_eq (CGW_EAGAIN, 8);
  cr_expect_eq (CGW_EOVERFLOW, 9);
  cr_expect_eq (CGW_EFILE, 10);
  cr_expect_eq (CGW_ELOST, 11);
  cr_expect_eq (CGW_EBUSY, 12);
  cr_expect_eq (CGW_EFORK, 13);
  cr_expect_eq (CGW_EDEPTH, 14);
  cr_expect_eq (CGW_EBACKWARDS, 15);
  cr_expect_eq (CGW_EPACK, 16);
}

Test (statuses, each_has_its_own_sentence)
{
  const char *unknown = cgw_strerror ((enum cgw_status) (CGW_EPACK + 1));

  cr_assert_not_null (unknown);
  for (int i = CGW_OK; i <= CGW_EPACK; i++)
    {
      const char *sentence = cgw_strerror ((enum cgw_status) i);
      cr_assert_not_null (sentence);
      cr_expect_neq (sentence[0], '\0');
      cr_expect_str_neq (sentence, unknown);
      for (int j = CGW_OK; j < i; j++)
        cr_expect_str_neq (sentence, cgw_strerror ((enum cgw_status) j));
    }
}

Test (statuses, unknown_ones_have_a_sentence)
{
  static const int unknown[] = { -1, CGW_EPACK + 1, 1000, INT_MAX, INT_MIN };

  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    {
      const char *sentence = cgw_strerror ((enum cgw_status) unknown[i]);
      cr_assert_not_null (sentence);
      cr_expect_neq (sentence[0], '\0');
    }
}

Test (statuses, version)
{
  char text[40];

  snprintf (text, sizeof text, "%d.%d.%d", CGW_VERSION_MAJOR,
            CGW_VERSION_MINOR, CGW_VERSION_PATCH);
  cr_assert_str_eq (cgw_version (), text);
  cr_assert_str_eq (CGW_VERSION_STRING, text);
}

/* cgw_new.  */

/* A writer that was refused only says why, and takes nothing.  */
static void
check_refused_writer (struct cgw_writer *w, enum cgw_status status)
{
  struct cgw_part part = good_part ();

  cr_assert_not_null (w);
  cr_expect_eq (cgw_begin_part (w, &part), CGW_EFINISHED);
  cr_expect_eq (cgw_cost (w, &here, costs, 1), CGW_EFINISHED);
  cr_expect_eq (cgw_error (w), status);
  cr_expect_eq (cgw_finish (w), status);
  cr_expect_str_neq (cgw_explain (w, status), cgw_strerror (status));
  cr_expect_eq (cgw_free (w), CGW_OK);
}

static void
check_new (int fd, const struct cgw_options *o, enum cgw_status status)
{
  struct cgw_writer *w = NULL;

  cr_expect_eq (cgw_new (&w, fd, o), status);
  check_refused_writer (w, status);
}

Test (statuses, new_without_a_place_for_the_writer)
{
  cr_assert_eq (cgw_new (NULL, 1, NULL), CGW_EINVAL);
}

Test (statuses, new_on_bad_descriptors)
{
  int read_only = open ("/dev/null", O_RDONLY);
  int closed = open ("/dev/null", O_WRONLY);

  close (closed);
  check_new (-1, NULL, CGW_EINVAL);
  check_new (INT_MIN, NULL, CGW_EINVAL);
  check_new (INT_MAX, NULL, CGW_EINVAL);
  check_new (closed, NULL, CGW_EINVAL);
  check_new (read_only, NULL, CGW_EINVAL);
  close (read_only);
}

Test (statuses, new_with_bad_options)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  int fd = open ("/dev/null", O_WRONLY);

  for (unsigned bit = 256; bit != 0; bit *= 2)
    {
      o.flags = bit;
      check_new (fd, &o, CGW_EINVAL);
    }
  o.flags = 0;
  o.buffer_size = SIZE_MAX;
  check_new (fd, &o, CGW_EINVAL);
  o.buffer_size = 0;
  o.queue_slots = UINT32_MAX;
  check_new (fd, &o, CGW_EINVAL);
  close (fd);
}

Test (statuses, new_without_memory)
{
  int fd = open ("/dev/null", O_WRONLY);
  enum cgw_status status = CGW_ENOMEM;

  for (size_t left = 0; status != CGW_OK; left++)
    {
      struct heap heap = { 0 };
      struct cgw_options o = CGW_OPTIONS_INIT;
      struct cgw_writer *w;
      cr_assert_lt (left, 100);
      heap_limit (&heap, left);
      o.allocate = heap_allocate;
      o.allocate_context = &heap;
      status = cgw_new (&w, fd, &o);
      if (status != CGW_OK)
        {
          cr_assert_eq (status, CGW_ENOMEM);
          cr_assert_null (w);
        }
      cgw_free (w);
      cr_assert_eq (heap.live, 0, "a block leaks");
    }
  close (fd);
}

/* cgw_create.  */

static void
check_create (const char *path, const struct cgw_options *o,
              enum cgw_status status)
{
  struct cgw_writer *w = NULL;

  cr_expect_eq (cgw_create (&w, path, o), status);
  check_refused_writer (w, status);
}

Test (statuses, create_with_bad_arguments)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  cr_expect_eq (cgw_create (NULL, "/dev/null/x", NULL), CGW_EINVAL);
  check_create (NULL, NULL, CGW_EINVAL);
  check_create ("/dev/null/%", NULL, CGW_EINVAL);
  check_create ("/dev/null/%x", NULL, CGW_EINVAL);
  check_create ("/dev/null/%%%", NULL, CGW_EINVAL);
  o.flags = 1u << 31;
  check_create ("/dev/null/x", &o, CGW_EINVAL);
}

Test (statuses, create_without_memory)
{
  struct heap heap = { .fail_at = 1, .forever = true };
  struct cgw_options o = CGW_OPTIONS_INIT;

  struct cgw_writer *w = (struct cgw_writer *) (void *) &heap;

  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  cr_expect_eq (cgw_create (&w, "/dev/null/x", &o), CGW_ENOMEM);
  cr_expect_null (w);
}

Test (statuses, create_that_cannot_open)
{
  check_create ("/dev/null", NULL, CGW_EFILE);
  check_create ("/", NULL, CGW_EFILE);
  check_create ("/dev/null/x", NULL, CGW_EIO);
  check_create ("", NULL, CGW_EIO);
}

/* cgw_free, cgw_reset.  */

Test (statuses, free_of_nothing)
{
  cgw_free (NULL);
}

Test (statuses, reset)
{
  struct cgw_writer *w;
  int fd = open ("/dev/null", O_WRONLY);
  int read_only = open ("/dev/null", O_RDONLY);
  struct cgw_part part = good_part ();

  cr_expect_eq (cgw_reset (NULL, fd), CGW_EINVAL);
  cr_assert_eq (cgw_new (&w, fd, NULL), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  cr_expect_eq (cgw_reset (w, -1), CGW_EINVAL);
  cr_expect_eq (cgw_reset (w, INT_MAX), CGW_EINVAL);
  cr_expect_eq (cgw_reset (w, read_only), CGW_EINVAL);
  /* The part is still open.  */
  cr_expect_eq (cgw_cost (w, &here, costs, 1), CGW_OK);
  cr_expect_eq (cgw_reset (w, fd), CGW_OK);
  cr_expect_eq (cgw_cost (w, &here, costs, 1), CGW_EORDER);
  cgw_free (w);
  close (fd);
  close (read_only);
}

/* Names.  */

Test (statuses, names_of_no_writer)
{
  struct cgw_file file = { 0 };
  struct cgw_object object = { 0 };

  cr_expect_eq (cgw_add_object (NULL, "x").handle, 0);
  cr_expect_eq (cgw_add_file (NULL, "x").handle, 0);
  cr_expect_eq (cgw_add_fn (NULL, "x", file, object).handle, 0);
  cr_expect_eq (cgw_error (NULL), CGW_EINVAL);
}

Test (statuses, names_without_memory)
{
  struct written f;
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  char *name = malloc (CGW_NAME_MAX + 1);
  struct cgw_fn known, lost;

  memset (name, 'x', CGW_NAME_MAX);
  name[CGW_NAME_MAX] = '\0';
  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  written_open (&f, &o);
  cr_assert_eq (written_part (f.w, "Ir", CGW_LINE), CGW_OK);
  known = written_fn (f.w, NULL, "a.c", "known");
  heap_limit (&heap, 0);
  cr_expect_eq (cgw_add_object (f.w, name).handle, 0);
  cr_expect_eq (cgw_error (f.w), CGW_ENOMEM);
  cr_expect_eq (cgw_add_file (f.w, name).handle, 0);
  lost = cgw_add_fn (f.w, name, (struct cgw_file){ 0 },
                     (struct cgw_object){ 0 });
  cr_expect_eq (lost.handle, 0);
  cr_expect_eq (written_fn (f.w, NULL, "a.c", "known").handle, known.handle,
                "a known name needs no memory");
  /* Costs go on under "???".  */
  written_cost (f.w, written_line (known, 1), 1);
  written_cost (f.w, written_line (lost, 2), 2);
  written_end (&f, CGW_ENOMEM);
  cr_expect_str_eq (written_body (&f),
                    "fl=(1) a.c\nfn=(1) known\n1 1\n"
                    "fl=(2) ???\nfn=(2) ???\n2 2\ntotals: 3\n");
  cr_expect_eq (heap.live, 0);
  written_free (&f);
  free (name);
}

Test (statuses, names_of_a_finished_writer)
{
  struct written f;
  struct cgw_writer *w = start_finished (&f);

  cr_expect_eq (cgw_add_object (w, "x").handle, 0);
  cr_expect_eq (cgw_add_file (w, "x").handle, 0);
  cr_expect_eq (written_fn (w, NULL, NULL, "x").handle, 0);
  written_free (&f);
}

/* Handles.  */

/* Every place for a handle refuses one of another writer, one that was never
   given out, and one of the wrong kind that is out of range.  */
Test (statuses, handles_of_another_writer)
{
  struct written f, g;
  struct cgw_writer *w = start (&f), *other = start (&g);
  struct cgw_fn fn = written_fn (other, "o", "f", "m");
  struct cgw_file file = cgw_add_file (other, "f");
  struct cgw_object object = cgw_add_object (other, "o");
  struct cgw_fn own = written_fn (w, "o", "f", "m");
  struct cgw_pos at = written_line (fn, 1);
  struct cgw_pos in = written_inline (own, file, 1);
  struct cgw_pos good = written_line (own, 1);

  cr_expect_eq (cgw_cost (w, &at, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_cost (w, &in, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_call (w, &at, &good, 1, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_call (w, &good, &at, 1, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_call (w, &in, &good, 1, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_call (w, &good, &in, 1, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_jump (w, &at, &good, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_jump (w, &good, &at, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_jump (w, &good, &in, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_cond_jump (w, &in, &good, 1, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_cond_jump (w, &good, &at, 1, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_add_fn (w, "x", file, (struct cgw_object){ 0 }).handle, 0);
  cr_expect_eq (cgw_add_fn (w, "x", (struct cgw_file){ 0 }, object).handle, 0);
  cr_expect_eq (cgw_error (w), CGW_EHANDLE);
  written_end (&f, CGW_EHANDLE);
  cr_expect_str_eq (written_body (&f), "totals: 0\n");
  written_free (&f);
  written_free (&g);
}

Test (statuses, handles_never_given_out)
{
  static const uint32_t handles[]
      = { 1, 2, 100, 0x7fffffff, 0x80000000, 0xffffffff };
  struct written f;
  struct cgw_writer *w = start (&f);

  for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++)
    {
      struct cgw_pos at = { .fn = { handles[i] } };
      struct cgw_pos in = { .file = { handles[i] } };
      cr_expect_eq (cgw_cost (w, &at, costs, 1), CGW_EHANDLE);
      cr_expect_eq (cgw_cost (w, &in, costs, 1), CGW_EHANDLE);
    }
  written_end (&f, CGW_EHANDLE);
  written_free (&f);
}

/* cgw_begin_part.  */

static void
check_part (const struct cgw_part *part, enum cgw_status status)
{
  struct written f;

  written_open (&f, NULL);
  cr_expect_eq (cgw_begin_part (f.w, part), status);
  cr_expect_eq (cgw_error (f.w), status, "it is kept");
  /* A failed one leaves no part open.  */
  cr_expect_eq (cgw_cost (f.w, &here, costs, 1),
                status == CGW_OK ? CGW_OK : CGW_EORDER);
  written_free (&f);
}

Test (statuses, part_with_bad_arguments)
{
  static const char *const missing[] = { "a", NULL };
  struct cgw_part part = good_part ();

  cr_expect_eq (cgw_begin_part (NULL, &part), CGW_EINVAL);
  check_part (NULL, CGW_EINVAL);
  part.events = NULL;
  check_part (&part, CGW_EINVAL);
  part = good_part ();
  part.n_events = 0;
  check_part (&part, CGW_EINVAL);
  part = good_part ();
  part.n_summary = 1;
  check_part (&part, CGW_EINVAL);
  part.summary = costs;
  check_part (&part, CGW_OK);
  part.n_summary = 2;
  check_part (&part, CGW_EINVAL);
  part = good_part ();
  part.n_desc = 1;
  check_part (&part, CGW_EINVAL);
  part.desc = missing;
  check_part (&part, CGW_OK);
  part.n_desc = 2;
  check_part (&part, CGW_EINVAL);
}

Test (statuses, part_with_bad_positions)
{
  struct cgw_part part = good_part ();

  for (part.positions = 0; part.positions <= CGW_INSTR_LINE; part.positions++)
    check_part (&part, CGW_OK);
  for (; part.positions != 0; part.positions *= 2)
    check_part (&part, CGW_EINVAL);
}

Test (statuses, part_in_other_states)
{
  struct written f;
  struct cgw_part part = good_part ();

  cr_expect_eq (cgw_begin_part (start_finished (&f), &part), CGW_EFINISHED);
  written_free (&f);
  cr_expect_eq (cgw_begin_part (start_failing (&f, EIO), &part), CGW_EIO);
  cr_expect_eq (cgw_errno (f.w), EIO);
  written_free (&f);
  cr_expect_eq (cgw_begin_part (start_failing (&f, EAGAIN), &part),
                CGW_EAGAIN);
  written_free (&f);
}

Test (statuses, part_without_memory)
{
  struct written f;
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  enum cgw_status status = CGW_ENOMEM;

  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  written_open (&f, &o);
  for (size_t left = 0; status != CGW_OK; left++)
    {
      cr_assert_lt (left, 100);
      heap_limit (&heap, left);
      status = cgw_begin_part (f.w, &part);
      cr_expect (status == CGW_ENOMEM || (left > 0 && status == CGW_OK));
    }
  written_cost (f.w, here, 1);
  written_end (&f, CGW_OK); /* it was tried again */
  cr_expect_str_eq (written_body (&f),
                    "fl=(1) ???\nfn=(1) ???\n1 1\ntotals: 1\n");
  cr_expect_eq (heap.live, 0);
  written_free (&f);
}

/* Records.  */

Test (statuses, records_with_missing_arguments)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_stats s = CGW_STATS_INIT;

  cr_expect_eq (cgw_cost (NULL, &here, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_call (NULL, &here, &here, 1, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_jump (NULL, &here, &here, 1), CGW_EINVAL);
  cr_expect_eq (cgw_cond_jump (NULL, &here, &here, 1, 1), CGW_EINVAL);
  cr_expect_eq (cgw_error (w), CGW_OK);
  cr_expect_eq (cgw_cost (w, NULL, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_cost (w, &here, NULL, 1), CGW_EINVAL);
  cr_expect_eq (cgw_call (w, NULL, &here, 1, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_call (w, &here, NULL, 1, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_call (w, &here, &here, 1, NULL, 1), CGW_EINVAL);
  cr_expect_eq (cgw_call (w, &here, &here, 0, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_jump (w, NULL, &here, 1), CGW_EINVAL);
  cr_expect_eq (cgw_jump (w, &here, NULL, 1), CGW_EINVAL);
  cr_expect_eq (cgw_cond_jump (w, NULL, &here, 1, 1), CGW_EINVAL);
  cr_expect_eq (cgw_cond_jump (w, &here, NULL, 1, 1), CGW_EINVAL);
  cr_expect_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.refused, 10);
  cr_expect_eq (s.recorded, 0);
  /* No costs need no array.  */
  cr_expect_eq (cgw_cost (w, &here, NULL, 0), CGW_OK);
  cr_expect_eq (cgw_call (w, &here, &here, 1, NULL, 0), CGW_OK);
  written_end (&f, CGW_EINVAL);
  written_free (&f);
}

Test (statuses, records_with_too_many_costs)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_event events[] = { { "A", NULL, NULL }, { "S", NULL, "A" } };
  struct cgw_part part = CGW_PART_INIT;

  cr_expect_eq (cgw_cost (w, &here, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_cost (w, &here, costs, SIZE_MAX), CGW_ECOSTS);
  cr_expect_eq (cgw_call (w, &here, &here, 1, costs, 2), CGW_ECOSTS);
  written_end (&f, CGW_ECOSTS);
  written_free (&f);
  /* Derived events have no costs.  */
  part.events = events;
  part.n_events = 2;
  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  cr_expect_eq (cgw_cost (f.w, &here, costs, 1), CGW_OK);
  cr_expect_eq (cgw_cost (f.w, &here, costs, 2), CGW_ECOSTS);
  written_end (&f, CGW_ECOSTS);
  written_free (&f);
}

/* All four calls must have this status.  */
static void
check_records (struct cgw_writer *w, enum cgw_status status)
{
  cr_expect_eq (cgw_cost (w, &here, costs, 1), status);
  cr_expect_eq (cgw_call (w, &here, &here, 1, costs, 1), status);
  cr_expect_eq (cgw_jump (w, &here, &here, 1), status);
  cr_expect_eq (cgw_cond_jump (w, &here, &here, 1, 1), status);
}

/* Records that the descriptor does not take are lost and counted; totals and
   all say so.  */
static void
check_lost (int error, enum cgw_status status, enum cgw_status kept)
{
  struct written f;
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t recorded, lost;

  s.n_costs = 1;
  s.recorded_costs = &recorded;
  s.lost_costs = &lost;
  check_records (start_failing (&f, error), status);
  cr_expect_eq (cgw_get_stats (f.w, &s), CGW_OK);
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

Test (statuses, records_in_other_states)
{
  struct written f;

  check_records (written_open (&f, NULL), CGW_EORDER);
  written_free (&f);
  check_records (start_finished (&f), CGW_EFINISHED);
  written_free (&f);
  check_lost (EIO, CGW_EIO, CGW_EIO);
  check_lost (EAGAIN, CGW_EAGAIN, CGW_ELOST);
}

/* cgw_comment, cgw_flush, cgw_finish.  */

Test (statuses, comment)
{
  struct written f;
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  char *text = calloc (1, 400000);

  memset (text, 'x', 400000 - 1);
  cr_expect_eq (cgw_comment (NULL, "x"), CGW_EINVAL);
  cr_expect_eq (cgw_comment (start (&f), NULL), CGW_EINVAL);
  written_free (&f);
  cr_expect_eq (cgw_comment (written_open (&f, NULL), "x"), CGW_EORDER);
  written_free (&f);
  cr_expect_eq (cgw_comment (start_finished (&f), "x"), CGW_EFINISHED);
  written_free (&f);
  cr_expect_eq (cgw_comment (start_failing (&f, EIO), "x"), CGW_EIO);
  written_free (&f);
  cr_expect_eq (cgw_comment (start_failing (&f, EAGAIN), "x"), CGW_EAGAIN);
  written_free (&f);
  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  written_part (written_open (&f, &o), "Ir", CGW_LINE);
  heap_limit (&heap, 0);
  cr_expect_eq (cgw_comment (f.w, text), CGW_ENOMEM);
  cr_expect_eq (cgw_comment (f.w, "short"), CGW_OK);
  written_end (&f, CGW_ENOMEM);
  written_free (&f);
  free (text);
}

Test (statuses, flush)
{
  struct written f;

  cr_expect_eq (cgw_flush (NULL), CGW_EINVAL);
  cr_expect_eq (cgw_flush (written_open (&f, NULL)), CGW_OK);
  written_free (&f);
  cr_expect_eq (cgw_flush (start_finished (&f)), CGW_EFINISHED);
  written_free (&f);
  cr_expect_eq (cgw_flush (start_failing (&f, EAGAIN)), CGW_EAGAIN);
  cr_expect_eq (cgw_error (f.w), CGW_OK);
  written_free (&f);
  cr_expect_eq (cgw_flush (start_failing (&f, EPIPE)), CGW_EIO);
  cr_expect_eq (cgw_error (f.w), CGW_EIO);
  cr_expect_eq (cgw_errno (f.w), EPIPE);
  f.fail = 0;
  cr_expect_eq (cgw_flush (f.w), CGW_OK);
  cr_expect_eq (cgw_error (f.w), CGW_OK);
  written_end (&f, CGW_OK);
  written_free (&f);
}

Test (statuses, finish)
{
  struct written f;
  struct cgw_stats s = CGW_STATS_INIT;

  cr_expect_eq (cgw_finish (NULL), CGW_EINVAL);
  cr_expect_eq (cgw_finish (written_open (&f, NULL)), CGW_EORDER);
  cr_expect_eq (f.n, 0);
  cr_expect_eq (cgw_finish (f.w), CGW_EORDER, "it is not finished by that");
  written_free (&f);
  cr_expect_eq (cgw_finish (start_finished (&f)), CGW_EFINISHED);
  written_free (&f);
  cr_expect_eq (cgw_finish (start_failing (&f, EFBIG)), CGW_EIO);
  cr_expect_eq (cgw_errno (f.w), EFBIG);
  cr_expect_eq (cgw_get_stats (f.w, &s), CGW_OK);
  cr_expect_gt (s.discarded, 0);
  cr_expect_eq (s.buffered, 0);
  cr_expect_eq (cgw_finish (f.w), CGW_EFINISHED);
  written_free (&f);
}

/* What is given up is lost, also behind a comment that reads like the
   library's own report of what was lost.  */
Test (statuses, finish_counts_what_it_gives_up)
{
  static const char *const comments[]
      = { "x", "cgw: lost 1 record", " cgw: lost ", "cgw: lost" };

  for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++)
    {
      struct written f;
      struct cgw_writer *w = start (&f);
      struct cgw_stats s = CGW_STATS_INIT;
      uint64_t recorded, lost;

      s.n_costs = 1;
      s.recorded_costs = &recorded;
      s.lost_costs = &lost;
      cr_assert_eq (cgw_comment (w, comments[i]), CGW_OK);
      written_cost (w, here, 5);
      f.fail = EIO;
      cr_expect_eq (cgw_finish (w), CGW_EIO);
      cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
      cr_expect_eq (s.recorded, 0, "%s", comments[i]);
      cr_expect_eq (s.lost, 1, "%s", comments[i]);
      cr_expect_eq (recorded, 0, "%s", comments[i]);
      cr_expect_eq (lost, 5, "%s", comments[i]);
      written_free (&f);
    }
}

/* The first one left something out; what came later is not said.  */
Test (statuses, finish_returns_the_first_error)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  cr_expect_eq (cgw_cost (w, &here, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_cost (w, NULL, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_error (w), CGW_ECOSTS);
  written_end (&f, CGW_ECOSTS);
  written_free (&f);
}

Test (statuses, finish_again_after_eagain)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, here, 1);
  f.fail = EAGAIN;
  cr_expect_eq (cgw_finish (w), CGW_EAGAIN);
  cr_expect_eq (cgw_finish (w), CGW_EAGAIN);
  f.fail = 0;
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n1 1\ntotals: 1\n");
}

Test (statuses, overflow)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, here, UINT64_MAX);
  written_cost (w, here, 1);
  cr_expect_eq (cgw_finish (w), CGW_EOVERFLOW);
  cr_expect_eq (cgw_error (w), CGW_EOVERFLOW);
  written_read (&f);
  written_free (&f);
}

/* cgw_get_stats, cgw_error, cgw_errno.  */

Test (statuses, stats_error_and_errno_of_nothing)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_stats s = CGW_STATS_INIT;

  cr_expect_eq (cgw_get_stats (NULL, &s), CGW_EINVAL);
  cr_expect_eq (cgw_get_stats (w, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_error (NULL), CGW_EINVAL);
  cr_expect_eq (cgw_errno (NULL), 0);
  cr_expect_eq (cgw_error (w), CGW_OK, "that left nothing out");
  written_end (&f, CGW_OK);
  written_free (&f);
}

Test (statuses, stats_count)
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
  cr_assert_eq (cgw_reset (w, -1), CGW_OK);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded + s.refused + s.written, 0);
  cr_expect_eq (recorded[0], 0);
  written_free (&f);
}

/* Structs of other versions.  */

/* A struct with room behind it, as a newer caller's has.  */
#define LARGER(type)                                                          \
  union                                                                       \
  {                                                                           \
    type ours;                                                                \
    unsigned char bytes[sizeof (type) + 64];                                  \
  }

Test (statuses, options_of_another_size)
{
  LARGER (struct cgw_options) larger = { .ours = CGW_OPTIONS_INIT };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  int fd = open ("/dev/null", O_WRONLY);

  larger.ours.size = sizeof larger;
  cr_assert_eq (cgw_new (&w, fd, &larger.ours), CGW_OK);
  cgw_free (w);
  for (size_t i = sizeof o; i < sizeof larger; i++)
    {
      larger.bytes[i] = 1;
      check_new (fd, &larger.ours, CGW_EINVAL);
      check_create ("/dev/null/x", &larger.ours, CGW_EINVAL);
      larger.bytes[i] = 0;
    }
  for (o.size = 0; o.size < sizeof o.size; o.size++)
    check_new (fd, &o, CGW_EINVAL);
  /* An older caller's struct ends before the hooks: they are not looked at. */
  memset (&o, 0xff, sizeof o);
  o.size = offsetof (struct cgw_options, queue_slots);
  o.flags = CGW_ABSOLUTE;
  cr_assert_eq (cgw_new (&w, fd, &o), CGW_OK);
  cgw_free (w);
  close (fd);
}

Test (statuses, part_of_another_size)
{
  LARGER (struct cgw_part) larger = { .ours = CGW_PART_INIT };
  struct cgw_part part = good_part ();

  larger.ours = part;
  larger.ours.size = sizeof larger;
  check_part (&larger.ours, CGW_OK);
  for (size_t i = sizeof part; i < sizeof larger; i++)
    {
      larger.bytes[i] = 1;
      check_part (&larger.ours, CGW_EINVAL);
      larger.bytes[i] = 0;
    }
  for (part.size = 0; part.size < sizeof part.size; part.size++)
    check_part (&part, CGW_EINVAL);
  part.size = offsetof (struct cgw_part, events);
  check_part (&part, CGW_EINVAL); /* no events */
  memset (&part, 0xff, sizeof part);
  part.size = offsetof (struct cgw_part, positions);
  part.events = &ir;
  part.n_events = 1;
  check_part (&part, CGW_OK);
}

Test (statuses, stats_of_another_size)
{
  LARGER (struct cgw_stats) larger = { .ours = CGW_STATS_INIT };
  struct cgw_stats s = CGW_STATS_INIT;
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, here, 1);
  larger.ours.size = sizeof larger;
  cr_expect_eq (cgw_get_stats (w, &larger.ours), CGW_OK);
  cr_expect_eq (larger.ours.size, sizeof larger);
  cr_expect_eq (larger.ours.recorded, 1);
  for (size_t i = sizeof s; i < sizeof larger; i++)
    {
      cr_expect_eq (larger.bytes[i], 0);
      larger.bytes[i] = 1;
      cr_expect_eq (cgw_get_stats (w, &larger.ours), CGW_EINVAL);
      larger.bytes[i] = 0;
    }
  for (s.size = 0; s.size < sizeof s.size; s.size++)
    cr_expect_eq (cgw_get_stats (w, &s), CGW_EINVAL);
  /* An older caller's struct ends here: what is behind is not ours.  */
  memset (&s, 0xff, sizeof s);
  s.n_costs = 0;
  s.size = offsetof (struct cgw_stats, lost);
  cr_expect_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 1);
  cr_expect_eq (s.lost, UINT64_MAX);
  cr_expect_eq (s.buffered, UINT64_MAX);
  cr_expect_eq (s.n_costs, 0);
  written_end (&f, CGW_OK);
  written_free (&f);
}

/* errno.  */

#define KEPT 12345

/* A call must leave errno alone, and return this.  */
#define keeps(expression, expected)                                           \
  do                                                                          \
    {                                                                         \
      errno = KEPT;                                                           \
      cr_expect_eq (expression, expected);                                    \
      cr_expect_eq (errno, KEPT, "%s", #expression);                          \
    }                                                                         \
  while (0)

static void
keeps_free (struct cgw_writer *w)
{
  errno = KEPT;
  cgw_free (w);
  cr_expect_eq (errno, KEPT);
}

/* An allocator that sets errno, as those of libc may.  */
static void *
loud_allocate (void *context, void *p, size_t n)
{
  void *result = heap_allocate (context, p, n);

  errno = ENOMEM;
  return result;
}

static ssize_t
loud_write (void *context, const void *bytes, size_t n)
{
  const int *error = context;

  (void) bytes;
  errno = *error != 0 ? *error : EBADMSG;
  return *error != 0 ? -1 : (ssize_t) n;
}

/* Every call, on a writer that works.  */
static void
keep_errno (struct cgw_writer *w)
{
  struct cgw_part part = good_part ();
  struct cgw_stats s = CGW_STATS_INIT;

  keeps (cgw_finish (w), CGW_EORDER);
  keeps (cgw_begin_part (w, &part), CGW_OK);
  keeps (cgw_add_object (w, "o").handle != 0, 1);
  keeps (cgw_add_file (w, "f\n").handle != 0, 1);
  keeps (written_fn (w, "o", "f", "m").handle != 0, 1);
  keeps (cgw_cost (w, &here, costs, 1), CGW_OK);
  keeps (cgw_call (w, &here, &here, 1, costs, 1), CGW_OK);
  keeps (cgw_jump (w, &here, &here, 1), CGW_OK);
  keeps (cgw_cond_jump (w, &here, &here, 1, 1), CGW_OK);
  keeps (cgw_comment (w, "x"), CGW_OK);
  keeps (cgw_flush (w), CGW_OK);
  keeps (cgw_begin_part (w, &part), CGW_OK);
  keeps (cgw_get_stats (w, &s), CGW_OK);
  keeps (cgw_error (w), CGW_OK);
  keeps (cgw_errno (w), 0);
  keeps (cgw_strerror (CGW_OK) != NULL, 1);
  keeps (cgw_version () != NULL, 1);
  keeps (cgw_cost (w, NULL, costs, 1), CGW_EINVAL);
  keeps (cgw_comment (w, NULL), CGW_EINVAL);
  keeps (cgw_begin_part (w, NULL), CGW_EINVAL);
  keeps (cgw_get_stats (w, NULL), CGW_EINVAL);
  keeps (cgw_finish (w), CGW_EINVAL);
  keeps (cgw_cost (w, &here, costs, 1), CGW_EFINISHED);
}

Test (statuses, errno_is_kept_with_hooks)
{
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  int error = 0;

  o.allocate = loud_allocate;
  o.allocate_context = &heap;
  o.write = loud_write;
  o.write_context = &error;
  o.buffer_size = 1;
  keeps (cgw_new (&w, -1, &o), CGW_OK);
  keep_errno (w);
  keeps (cgw_reset (w, -1), CGW_OK);
  keeps_free (w);
}

Test (statuses, errno_is_kept_with_a_descriptor)
{
  struct cgw_writer *w;
  int fd = open ("/dev/null", O_WRONLY);

  keeps (cgw_new (&w, fd, NULL), CGW_OK);
  keep_errno (w);
  keeps (cgw_reset (w, -1), CGW_EINVAL);
  keeps (cgw_reset (w, fd), CGW_OK);
  keeps_free (w);
  keeps (cgw_new (&w, -1, NULL), CGW_EINVAL);
  keeps_free (w);
  close (fd);
}

Test (statuses, errno_is_kept_by_calls_that_fail)
{
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  struct cgw_writer *w;
  int error = EDQUOT;
  char *text = calloc (1, 400000);

  memset (text, 'x', 400000 - 1);
  o.allocate = loud_allocate;
  o.allocate_context = &heap;
  o.write = loud_write;
  o.write_context = &error;
  o.buffer_size = 1;
  cr_assert_eq (cgw_new (&w, -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  keeps (cgw_cost (w, &here, costs, 1), CGW_EIO);
  keeps (cgw_comment (w, "x"), CGW_EIO);
  keeps (cgw_flush (w), CGW_EIO);
  cr_expect_eq (cgw_errno (w), EDQUOT);
  heap_limit (&heap, 0);
  keeps (cgw_add_object (w, text).handle, 0);
  error = 0;
  keeps (cgw_comment (w, text), CGW_ENOMEM);
  keeps (cgw_cost (w, &here, costs, 1), CGW_OK);
  error = EDQUOT;
  keeps (cgw_begin_part (w, &part), CGW_EIO);
  keeps (cgw_finish (w), CGW_EIO);
  keeps_free (w);
  keeps (cgw_new (&w, -1, &o), CGW_ENOMEM);
  free (text);
}

Test (statuses, errno_is_kept_by_create)
{
  char directory[] = "/tmp/test_statuses.XXXXXX", path[100];
  struct cgw_writer *w;
  struct cgw_part part = good_part ();

  cr_assert_not_null (mkdtemp (directory));
  snprintf (path, sizeof path, "%s/profile.%%p", directory);
  keeps (cgw_create (&w, path, NULL), CGW_OK);
  keeps (cgw_begin_part (w, &part), CGW_OK);
  keeps (cgw_finish (w), CGW_OK);
  keeps_free (w);
  snprintf (path, sizeof path, "%s/profile.%ld", directory, (long) getpid ());
  cr_expect_eq (unlink (path), 0);
  keeps (cgw_create (&w, directory, NULL), CGW_EFILE);
  keeps_free (w);
  keeps (cgw_create (&w, "/dev/null/x", NULL), CGW_EIO);
  keeps_free (w);
  keeps (cgw_create (&w, "/dev/null/%x", NULL), CGW_EINVAL);
  cr_expect_eq (rmdir (directory), 0);
}
