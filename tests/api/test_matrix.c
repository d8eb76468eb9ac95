/* test_matrix.c - each function in each state of a writer, and that a call
   that fails changes nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* States.  */

enum state
{
  NO_PART,
  PART_OPEN,
  FAILED, /* the descriptor fails, and the buffer is full */
  FINISHED,
  N_STATES
};

static const char *const state_names[N_STATES]
    = { "no part", "part open", "failed", "finished" };

static void
enter_with (unsigned flags, struct written *f, enum state state)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  o.buffer_size = 1;
  written_open (f, &o);
  if (state == NO_PART)
    return;
  if (state == FAILED)
    f->fail = ENOSPC;
  cr_assert_eq (written_part (f->w, "Ir", CGW_LINE), CGW_OK);
  if (state == FINISHED)
    cr_assert_eq (cgw_finish (f->w), CGW_OK);
}

static void
enter (struct written *f, enum state state)
{
  enter_with (0, f, state);
}

/* The functions, with arguments that are right.  */

static const char *
name_of (enum cgw_status status)
{
  static const char *const names[]
      = { "OK",     "EINVAL", "EORDER", "EFINISHED", "EHANDLE", "ECOSTS",
          "ENOMEM", "EIO",    "EAGAIN", "EOVERFLOW", "EFILE",   "ELOST",
          "EBUSY",  "EFORK" };

  cr_assert_lt ((size_t) status, sizeof names / sizeof names[0]);
  return names[status];
}

static const char *
handle_or_none (uint32_t handle)
{
  return handle != 0 ? "handle" : "none";
}

static const char *
add_object (struct written *f)
{
  return handle_or_none (cgw_add_object (f->w, "o").handle);
}

static const char *
add_file (struct written *f)
{
  return handle_or_none (cgw_add_file (f->w, "f").handle);
}

static const char *
add_fn (struct written *f)
{
  struct cgw_file file = { 0 };
  struct cgw_object object = { 0 };

  return handle_or_none (cgw_add_fn (f->w, "m", file, object).handle);
}

static const char *
begin_part (struct written *f)
{
  return name_of (written_part (f->w, "Ir", CGW_LINE));
}

static const struct cgw_pos here = { .line = 1 };
static const uint64_t one = 1;

static const char *
cost (struct written *f)
{
  return name_of (cgw_cost (f->w, &here, &one, 1));
}

static const char *
call (struct written *f)
{
  return name_of (cgw_call (f->w, &here, &here, 1, &one, 1));
}

static const char *
jump (struct written *f)
{
  return name_of (cgw_jump (f->w, &here, &here, 1));
}

static const char *
cond_jump (struct written *f)
{
  return name_of (cgw_cond_jump (f->w, &here, &here, 1, 2));
}

static const char *
comment (struct written *f)
{
  return name_of (cgw_comment (f->w, "c"));
}

static const char *
flush (struct written *f)
{
  return name_of (cgw_flush (f->w));
}

static const char *
finish (struct written *f)
{
  return name_of (cgw_finish (f->w));
}

static const char *
reset (struct written *f)
{
  return name_of (cgw_reset (f->w, -1));
}

/* These writers have a hook; test_recreate.c has those with a file.  */
static const char *
recreate (struct written *f)
{
  return name_of (cgw_recreate (f->w, "/dev/null/x"));
}

static const char *
stats (struct written *f)
{
  struct cgw_stats s = CGW_STATS_INIT;

  return name_of (cgw_get_stats (f->w, &s));
}

static const char *
error (struct written *f)
{
  return name_of (cgw_error (f->w));
}

static const char *
errno_ (struct written *f)
{
  return cgw_errno (f->w) == ENOSPC ? "ENOSPC"
         : cgw_errno (f->w) == 0    ? "0"
                                    : "another";
}

static const char *
free_ (struct written *f)
{
  size_t n = f->n;

  cgw_free (f->w);
  f->w = NULL;
  return f->n == n ? "nothing written" : "written";
}

static const struct
{
  const char *name;
  const char *(*call) (struct written *f);
  const char *result[N_STATES];
} matrix[] = {
  /*                            no part   part open failed    finished  */
  { "add_object", add_object, { "handle", "handle", "handle", "none" } },
  { "add_file",   add_file,   { "handle", "handle", "handle", "none" } },
  { "add_fn",     add_fn,     { "handle", "handle", "handle", "none" } },
  { "begin_part", begin_part, { "OK",     "OK",     "EIO",    "EFINISHED" } },
  { "cost",       cost,       { "EORDER", "OK",     "EIO",    "EFINISHED" } },
  { "call",       call,       { "EORDER", "OK",     "EIO",    "EFINISHED" } },
  { "jump",       jump,       { "EORDER", "OK",     "EIO",    "EFINISHED" } },
  { "cond_jump",  cond_jump,  { "EORDER", "OK",     "EIO",    "EFINISHED" } },
  { "comment",    comment,    { "EORDER", "OK",     "EIO",    "EFINISHED" } },
  { "flush",      flush,      { "OK",     "OK",     "EIO",    "EFINISHED" } },
  { "finish",     finish,     { "EORDER", "OK",     "EIO",    "EFINISHED" } },
  { "reset",      reset,      { "OK",     "OK",     "OK",     "OK" } },
  { "recreate",   recreate,   { "EINVAL", "EINVAL", "EINVAL", "EINVAL" } },
  { "stats",      stats,      { "OK",     "OK",     "OK",     "OK" } },
  { "error",      error,      { "OK",     "OK",     "EIO",    "OK" } },
  { "errno",      errno_,     { "0",      "0",      "ENOSPC", "0" } },
  { "free",       free_,      { "nothing written", "nothing written",
                                "nothing written", "nothing written" } },
};
enum { N_CALLS = sizeof matrix / sizeof matrix[0] };

Test (matrix, each_function_in_each_state)
{
  for (size_t i = 0; i < N_CALLS; i++)
    for (enum state state = 0; state < N_STATES; state++)
      {
        struct written f;
        enter (&f, state);
        cr_expect_str_eq (matrix[i].call (&f), matrix[i].result[state],
                          "%s in state %s", matrix[i].name,
                          state_names[state]);
        written_free (&f);
      }
}

/* What is not so with CGW_CACHEGRIND: there is one part, and what is not
   written needs no room.  */
static const char *
result_with_cachegrind (size_t i, enum state state)
{
  bool silent = matrix[i].call == call || matrix[i].call == jump
                || matrix[i].call == cond_jump || matrix[i].call == comment;

  if (state == FAILED && silent)
    return "OK";
  if ((state == PART_OPEN || state == FAILED)
      && matrix[i].call == begin_part)
    return "EINVAL";
  return matrix[i].result[state];
}

Test (matrix, each_function_in_each_state_with_cachegrind)
{
  for (size_t i = 0; i < N_CALLS; i++)
    for (enum state state = 0; state < N_STATES; state++)
      {
        struct written f;
        enter_with (CGW_CACHEGRIND, &f, state);
        cr_expect_str_eq (matrix[i].call (&f),
                          result_with_cachegrind (i, state),
                          "%s in state %s", matrix[i].name,
                          state_names[state]);
        written_free (&f);
      }
}

/* In each state, reset makes the writer as new.  */
Test (matrix, reset_begins_anew)
{
  for (enum state state = 0; state < N_STATES; state++)
    {
      struct written f;
      enter (&f, state);
      f.fail = 0;
      f.n = 0;
      cr_expect_eq (cgw_reset (f.w, -1), CGW_OK);
      cr_expect_eq (cgw_error (f.w), CGW_OK);
      cr_expect_eq (cgw_errno (f.w), 0);
      for (size_t i = 0; i < N_CALLS; i++)
        if (matrix[i].call == cost || matrix[i].call == comment)
          cr_expect_str_eq (matrix[i].call (&f), "EORDER");
      cr_expect_eq (cgw_reset (f.w, -1), CGW_OK);
      cr_expect_eq (written_part (f.w, "Ir", CGW_LINE), CGW_OK);
      cr_expect_str_eq (cost (&f), "OK");
      written_end (&f, CGW_OK);
      cr_expect_str_eq (written_body (&f),
                        "fl=(1) ???\nfn=(1) ???\n1 1\ntotals: 1\n");
      written_free (&f);
    }
}

/* A call that fails changes nothing.  */

/* An allocator that can be told to fail.  */
static void *
allocate (void *context, void *p, size_t n)
{
  const bool *fail = context;

  if (n == 0)
    {
      free (p);
      return NULL;
    }
  return *fail ? NULL : realloc (p, n);
}

/* A file in the making.  */
struct run
{
  struct written f;
  bool no_memory;
  bool part_open;
  struct cgw_fn a, b, c;
  struct cgw_pos pos_a, pos_b, pos_c;
  struct cgw_file h;
};

static void
run_start (struct run *r, size_t buffer_size)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  memset (r, 0, sizeof *r);
  o.allocate = allocate;
  o.allocate_context = &r->no_memory;
  o.buffer_size = buffer_size;
  written_open (&r->f, &o);
  r->a = written_fn (r->f.w, "o", "a.c", "f");
  r->b = written_fn (r->f.w, "o", "b.c", "g");
  r->c = written_fn (r->f.w, "p", "c.c", "h");
  r->h = cgw_add_file (r->f.w, "a.h");
  r->pos_a = written_line (r->a, 100);
  r->pos_b = written_line (r->b, 200);
  r->pos_c = written_line (r->c, 300);
}

/* The steps of each run.  */
enum { N_STEPS = 10 };

static void
run_step (struct run *r, int step)
{
  struct cgw_writer *w = r->f.w;
  struct cgw_pos next = written_line (r->a, 101);

  switch (step)
    {
    case 0:
    case 7:
      cr_assert_eq (written_part (w, "Ir Dr", CGW_LINE), CGW_OK);
      r->part_open = true;
      break;
    case 1:
    case 8:
      written_cost (w, r->pos_a, 1);
      break;
    case 2:
      written_cost (w, next, 2);
      break;
    case 3:
    case 9:
      written_call (w, r->pos_a, r->pos_c, 4);
      break;
    case 4:
      cr_assert_eq (cgw_jump (w, &r->pos_a, &r->pos_b, 8), CGW_OK);
      break;
    case 5:
      cr_assert_eq (cgw_comment (w, "comment"), CGW_OK);
      break;
    case 6:
      written_cost (w, written_inline (r->a, r->h, 3), 16);
      break;
    default:
      cr_assert_fail ("no such step");
    }
}

/* Calls that fail.  */

static const uint64_t costs[3] = { 1, 2, 3 };
static const struct cgw_pos foreign = { .fn = { 0x40000000 } };
static const struct cgw_pos foreign_file = { .file = { 0x40000000 } };

static enum cgw_status
part_of_nothing (struct run *r)
{
  return cgw_begin_part (r->f.w, NULL);
}

static enum cgw_status
part_of_bad_events (struct run *r)
{
  return written_part (r->f.w, "Ir Ir", CGW_LINE);
}

static enum cgw_status
part_of_bad_positions (struct run *r)
{
  return written_part (r->f.w, "Ir Dr", 4);
}

static enum cgw_status
part_without_memory (struct run *r)
{
  static char cmd[300000];
  struct cgw_event events[] = { { "Ir", NULL, NULL }, { "Dr", NULL, NULL } };
  struct cgw_part part = CGW_PART_INIT;
  enum cgw_status status;

  memset (cmd, 'x', sizeof cmd - 1);
  part.events = events;
  part.n_events = 2;
  part.cmd = cmd;
  r->no_memory = true;
  status = cgw_begin_part (r->f.w, &part);
  r->no_memory = false;
  return status;
}

static enum cgw_status
cost_at_nothing (struct run *r)
{
  return cgw_cost (r->f.w, NULL, costs, 1);
}

static enum cgw_status
cost_of_nothing (struct run *r)
{
  return cgw_cost (r->f.w, &r->pos_b, NULL, 1);
}

static enum cgw_status
cost_of_too_many (struct run *r)
{
  return cgw_cost (r->f.w, &r->pos_b, costs, 3);
}

static enum cgw_status
cost_at_foreign_fn (struct run *r)
{
  return cgw_cost (r->f.w, &foreign, costs, 1);
}

static enum cgw_status
cost_at_foreign_file (struct run *r)
{
  return cgw_cost (r->f.w, &foreign_file, costs, 1);
}

static enum cgw_status
call_from_nothing (struct run *r)
{
  return cgw_call (r->f.w, NULL, &r->pos_b, 1, costs, 1);
}

static enum cgw_status
call_to_nothing (struct run *r)
{
  return cgw_call (r->f.w, &r->pos_b, NULL, 1, costs, 1);
}

static enum cgw_status
call_from_foreign (struct run *r)
{
  return cgw_call (r->f.w, &foreign, &r->pos_b, 1, costs, 1);
}

static enum cgw_status
call_to_foreign (struct run *r)
{
  return cgw_call (r->f.w, &r->pos_b, &foreign, 1, costs, 1);
}

static enum cgw_status
call_of_nothing (struct run *r)
{
  return cgw_call (r->f.w, &r->pos_b, &r->pos_c, 1, NULL, 1);
}

static enum cgw_status
call_of_too_many (struct run *r)
{
  return cgw_call (r->f.w, &r->pos_b, &r->pos_c, 1, costs, 3);
}

static enum cgw_status
call_of_count_zero (struct run *r)
{
  return cgw_call (r->f.w, &r->pos_b, &r->pos_c, 0, costs, 1);
}

static enum cgw_status
jump_from_nothing (struct run *r)
{
  return cgw_jump (r->f.w, NULL, &r->pos_b, 1);
}

static enum cgw_status
jump_to_nothing (struct run *r)
{
  return cgw_jump (r->f.w, &r->pos_b, NULL, 1);
}

static enum cgw_status
jump_to_foreign (struct run *r)
{
  return cgw_jump (r->f.w, &r->pos_b, &foreign, 1);
}

static enum cgw_status
jump_to_another_object (struct run *r)
{
  return cgw_jump (r->f.w, &r->pos_b, &r->pos_c, 1);
}

static enum cgw_status
cond_jump_to_nothing (struct run *r)
{
  return cgw_cond_jump (r->f.w, &r->pos_b, NULL, 1, 1);
}

static enum cgw_status
cond_jump_to_another_object (struct run *r)
{
  return cgw_cond_jump (r->f.w, &r->pos_b, &r->pos_c, 1, 1);
}

static enum cgw_status
comment_of_nothing (struct run *r)
{
  return cgw_comment (r->f.w, NULL);
}

static enum cgw_status
comment_without_memory (struct run *r)
{
  static char text[300000];
  enum cgw_status status;

  memset (text, 'x', sizeof text - 1);
  r->no_memory = true;
  status = cgw_comment (r->f.w, text);
  r->no_memory = false;
  return status;
}

/* Says what cgw_error says, when there is no handle.  */
static enum cgw_status
status_of (const struct run *r, uint32_t handle)
{
  return handle != 0 ? CGW_OK : cgw_error (r->f.w);
}

static enum cgw_status
fn_of_foreign_file (struct run *r)
{
  struct cgw_file file = { 0x40000000 };
  struct cgw_object object = { 0 };

  return status_of (r, cgw_add_fn (r->f.w, "x", file, object).handle);
}

static enum cgw_status
fn_of_foreign_object (struct run *r)
{
  struct cgw_file file = { 0 };
  struct cgw_object object = { 0x40000000 };

  return status_of (r, cgw_add_fn (r->f.w, "x", file, object).handle);
}

static enum cgw_status
file_without_memory (struct run *r)
{
  static char path[100000];
  uint32_t handle;

  memset (path, 'x', sizeof path - 1);
  r->no_memory = true;
  handle = cgw_add_file (r->f.w, path).handle;
  r->no_memory = false;
  return status_of (r, handle);
}

static enum cgw_status
recreate_without_path (struct run *r)
{
  return cgw_recreate (r->f.w, NULL);
}

static enum cgw_status
stats_of_nothing (struct run *r)
{
  return cgw_get_stats (r->f.w, NULL);
}

static enum cgw_status
flush_that_fails (struct run *r)
{
  enum cgw_status status;

  r->f.fail = EDQUOT;
  status = cgw_flush (r->f.w);
  r->f.fail = 0;
  return status;
}

static enum cgw_status
flush_that_must_not_wait (struct run *r)
{
  enum cgw_status status;

  r->f.fail = EAGAIN;
  status = cgw_flush (r->f.w);
  r->f.fail = 0;
  return status;
}

static enum cgw_status
finish_without_part (struct run *r)
{
  return r->part_open ? CGW_EORDER : cgw_finish (r->f.w);
}

enum { N_REFUSED_PARTS = 4 }; /* the first ones of these */
static const struct
{
  const char *name;
  enum cgw_status (*call) (struct run *r);
  enum cgw_status no_part, part_open, finished;
  bool kept; /* cgw_finish returns it */
} failing[] = {
#define FAILING(name, no_part, part_open, finished, kept)                     \
  { #name, name, CGW_##no_part, CGW_##part_open, CGW_##finished, kept }
  /* A missing argument is seen before the state is.  */
  FAILING (part_of_nothing, EINVAL, EINVAL, EFINISHED, true),
  FAILING (part_of_bad_events, EINVAL, EINVAL, EFINISHED, true),
  FAILING (part_of_bad_positions, EINVAL, EINVAL, EFINISHED, true),
  FAILING (part_without_memory, ENOMEM, ENOMEM, EFINISHED, true),
  FAILING (cost_at_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (cost_of_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (cost_of_too_many, EORDER, ECOSTS, EFINISHED, true),
  FAILING (cost_at_foreign_fn, EORDER, EHANDLE, EFINISHED, true),
  FAILING (cost_at_foreign_file, EORDER, EHANDLE, EFINISHED, true),
  FAILING (call_from_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (call_to_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (call_from_foreign, EORDER, EHANDLE, EFINISHED, true),
  FAILING (call_to_foreign, EORDER, EHANDLE, EFINISHED, true),
  FAILING (call_of_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (call_of_too_many, EORDER, ECOSTS, EFINISHED, true),
  FAILING (call_of_count_zero, EORDER, EINVAL, EFINISHED, true),
  FAILING (jump_from_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (jump_to_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (jump_to_foreign, EORDER, EHANDLE, EFINISHED, true),
  FAILING (jump_to_another_object, EORDER, EINVAL, EFINISHED, true),
  FAILING (cond_jump_to_nothing, EINVAL, EINVAL, EINVAL, true),
  FAILING (cond_jump_to_another_object, EORDER, EINVAL, EFINISHED, true),
  FAILING (comment_of_nothing, EORDER, EINVAL, EFINISHED, true),
  FAILING (comment_without_memory, EORDER, ENOMEM, EFINISHED, true),
  /* Handles: there is none, and the finished file lacks nothing.  */
  FAILING (fn_of_foreign_file, EHANDLE, EHANDLE, OK, true),
  FAILING (fn_of_foreign_object, EHANDLE, EHANDLE, OK, true),
  FAILING (file_without_memory, ENOMEM, ENOMEM, OK, true),
  FAILING (recreate_without_path, EINVAL, EINVAL, EINVAL, false),
  FAILING (stats_of_nothing, EINVAL, EINVAL, EINVAL, false),
  FAILING (finish_without_part, EORDER, EORDER, EFINISHED, false),
#undef FAILING
};
enum { N_FAILING = sizeof failing / sizeof failing[0] };

static bool
begins_part (int step)
{
  return step == 0 || step == 7;
}

/* Makes the file, with the failing call before that step (N_STEPS: at the
   end, N_STEPS + 1: after cgw_finish, -1: nowhere).  */
static void
make (struct written *f, size_t buffer_size, size_t i, int before)
{
  struct run r;
  enum cgw_status kept = CGW_OK, got;
  struct cgw_stats s = CGW_STATS_INIT;

  run_start (&r, buffer_size);
  for (int step = 0; step <= N_STEPS; step++)
    {
      if (step == before)
        {
          enum cgw_status expected
              = r.part_open ? failing[i].part_open : failing[i].no_part;
          got = failing[i].call (&r);
          cr_assert_eq (got, expected, "%s before step %d: %s",
                        failing[i].name, before, name_of (got));
          /* A part that begins after all makes the refused one no error.  */
          kept = !failing[i].kept || (i < N_REFUSED_PARTS && step < N_STEPS)
                     ? CGW_OK
                     : expected;
        }
      if (step < N_STEPS)
        run_step (&r, step);
    }
  cr_assert_eq (cgw_get_stats (r.f.w, &s), CGW_OK);
  cr_assert_eq (s.recorded, 7);
  cr_assert_eq (s.lost, 0);
  cr_assert_eq (cgw_error (r.f.w), kept);
  got = cgw_finish (r.f.w);
  cr_assert_eq (got, kept, "%s before step %d: finish says %s",
                i < N_FAILING ? failing[i].name : "", before, name_of (got));
  if (before == N_STEPS + 1)
    failing[i].call (&r);
  cgw_free (r.f.w);
  r.f.w = NULL;
  *f = r.f;
  written_read (f);
}

static void
check_unchanged (size_t buffer_size)
{
  struct written plain, f;

  make (&plain, buffer_size, N_FAILING, -1);
  for (size_t i = 0; i < N_FAILING; i++)
    for (int before = 0; before <= N_STEPS + 1; before++)
      {
        /* Between them, records would be refused: see test_parts.c.  */
        if (i < N_REFUSED_PARTS && before < N_STEPS && !begins_part (before))
          continue;
        make (&f, buffer_size, i, before);
        cr_assert_str_eq (f.bytes, plain.bytes, "%s before step %d",
                          failing[i].name, before);
        written_free (&f);
      }
  written_free (&plain);
}

Test (matrix, a_failed_call_changes_nothing)
{
  check_unchanged (0);
}

Test (matrix, a_failed_call_changes_nothing_with_a_full_buffer)
{
  check_unchanged (1);
}

Test (matrix, failing_calls_of_a_finished_writer)
{
  for (size_t i = 0; i < N_FAILING; i++)
    {
      struct run r;
      enum cgw_status got;
      size_t n;
      run_start (&r, 0);
      run_step (&r, 0);
      cr_assert_eq (cgw_finish (r.f.w), CGW_OK);
      n = r.f.n;
      r.part_open = false;
      got = failing[i].call (&r);
      cr_expect_eq (got, failing[i].finished, "%s: %s", failing[i].name,
                    name_of (got));
      cr_expect_eq (cgw_finish (r.f.w), CGW_EFINISHED);
      cr_expect_eq (r.f.n, n);
      written_free (&r.f);
    }
}

static bool
has_buffered (struct cgw_writer *w)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  return s.buffered > 0;
}

/* A descriptor that fails for a time changes nothing either, if no record came
   meanwhile: not even what cgw_finish returns.  */
Test (matrix, a_failed_write_changes_nothing)
{
  static enum cgw_status (*const calls[]) (struct run *)
      = { flush_that_fails, flush_that_must_not_wait };
  static const enum cgw_status statuses[] = { CGW_EIO, CGW_EAGAIN };
  struct written plain;

  make (&plain, 0, N_FAILING, -1);
  for (int i = 0; i < 2; i++)
    for (int before = 1; before <= N_STEPS; before++)
      {
        struct run r;
        run_start (&r, 0);
        for (int step = 0; step <= N_STEPS; step++)
          {
            if (step == before && has_buffered (r.f.w))
              {
                cr_assert_eq (calls[i](&r), statuses[i]);
                cr_assert_eq (cgw_error (r.f.w), i == 0 ? CGW_EIO : CGW_OK);
              }
            if (step < N_STEPS)
              run_step (&r, step);
          }
        written_end (&r.f, CGW_OK);
        cr_assert_str_eq (r.f.bytes, plain.bytes);
        written_free (&r.f);
      }
  written_free (&plain);
}

static void
refuse_parts (struct run *r)
{
  r->f.fail = EAGAIN;
  cr_assert_eq (written_part (r->f.w, "Ir Dr", CGW_LINE), CGW_EAGAIN);
  r->f.fail = ENOSPC;
  cr_assert_eq (written_part (r->f.w, "Ir Dr", CGW_LINE), CGW_EIO);
}

/* Parts and comments that find no room are not half there.  A part is missing
   unless one is begun later, as it is in step 7.  */
Test (matrix, parts_and_comments_without_room_change_nothing)
{
  struct written plain;

  make (&plain, 1, N_FAILING, -1);
  for (int before = 1; before <= N_STEPS; before++)
    {
      struct run r;
      run_start (&r, 1);
      for (int step = 0; step <= N_STEPS; step++)
        {
          if (step == before && has_buffered (r.f.w))
            {
              r.f.fail = ENOSPC;
              cr_assert_eq (cgw_comment (r.f.w, "lost"), CGW_EIO);
              r.f.fail = EAGAIN;
              cr_assert_eq (cgw_comment (r.f.w, "lost"), CGW_EAGAIN);
              if (begins_part (step) || step == N_STEPS)
                refuse_parts (&r);
              r.f.fail = 0;
              cr_assert_eq (cgw_flush (r.f.w), CGW_OK);
            }
          if (step < N_STEPS)
            run_step (&r, step);
        }
      written_end (&r.f, before == N_STEPS ? CGW_ELOST : CGW_OK);
      cr_assert_str_eq (r.f.bytes, plain.bytes);
      written_free (&r.f);
    }
  written_free (&plain);
}
