/* test_profile_visit.c - cgw_profile_visit: each sum once, in the order of the
   file; whole stacks; and what a visit leaves as it was.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MINUS(n) (UINT64_C (0) - (n))

enum
{
  DEEPEST = 8,
  ADDITIONS = 400
};

/* What is in a profile.  */
enum kind
{
  STACKS = 1,
  SUMS = 2,  /* costs and calls */
  NODES = 4,
  TRACED = 8, /* with open calls */
  SIGNED = 16
};

/* Some positions name the file that the function is in anyway.  */
static struct cgw_pos
random_pos (const struct world *world, uint64_t *seed)
{
  unsigned fn = (unsigned) below (seed, 6);
  struct cgw_file files[]
      = { { 0 }, world->files[fn_file (fn)], world->files[1] };

  return (struct cgw_pos){ .fn = world->fns[fn],
                           .file = files[below (seed, 3)],
                           .line = (uint32_t) below (seed, 4),
                           .instr = 64 * below (seed, 4) };
}

/* Some are 0, and some counts are.  Where both are, or may become so, there is
   no target: a visit has no sum that could bring it.  */
static void
add_sum (struct one *o, uint64_t *seed, const uint64_t *cost)
{
  struct cgw_pos from = random_pos (&o->world, seed);
  struct cgw_pos to = random_pos (&o->world, seed);
  uint64_t count = below (seed, 2);

  if ((count | cost[0]) == 0) /* only event 1 may be signed */
    to = (struct cgw_pos){ .fn = to.fn };
  cr_assert_eq (cgw_profile_cost (o->p, &from, cost, COSTS), CGW_OK);
  cr_assert_eq (cgw_profile_call (o->p, &from, &to, count, cost, COSTS),
                CGW_OK);
}

static void
add_stack (struct one *o, uint64_t *seed, const uint64_t *cost, bool is_node)
{
  struct cgw_pos frames[DEEPEST];
  size_t n = 1 + below (seed, DEEPEST);

  for (size_t i = 0; i < n; i++)
    frames[i] = random_pos (&o->world, seed);
  cr_assert_eq ((is_node ? cgw_profile_node : cgw_profile_stack) (
                    o->p, frames, n, below (seed, 3), cost,
                    below (seed, COSTS + 1)),
                CGW_OK);
}

static void
add_traced (struct one *o, struct cgw_tracer *t, uint64_t *seed,
            const uint64_t *cost)
{
  struct cgw_pos at = random_pos (&o->world, seed);

  if (cgw_tracer_depth (t) > 1 && below (seed, 2) == 0)
    cr_assert_eq (cgw_tracer_leave (t, NULL), CGW_OK);
  else
    cr_assert_eq (cgw_tracer_enter (t, NULL, &at, 0, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_cost (t, NULL, cost, COSTS), CGW_OK);
}

/* Fills a profile.  Half of it is below a root.  */
static void
fill (struct one *o, uint64_t seed, unsigned kinds)
{
  struct cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;
  struct cgw_tracer *t = NULL;

  options.n_counters = 0;
  if (kinds & SIGNED)
    cr_assert_eq (cgw_profile_set_signed (o->p, 1), CGW_OK);
  if (kinds & TRACED)
    cr_assert_eq (cgw_tracer_new (&t, o->p, &options), CGW_OK);
  for (int i = 0; i < ADDITIONS; i++)
    {
      uint64_t cost[COSTS] = { below (&seed, 3), below (&seed, 2) };

      if (kinds & SIGNED && below (&seed, 2) == 0)
        cost[1] = MINUS (cost[1]);
      if (i == ADDITIONS / 2)
        cr_assert_eq (cgw_profile_set_root (o->p, o->world.fns[22]), CGW_OK);
      if (kinds & STACKS)
        add_stack (o, &seed, cost, false);
      if (kinds & NODES)
        add_stack (o, &seed, cost, true);
      if (kinds & SUMS)
        add_sum (o, &seed, cost);
      if (kinds & TRACED)
        add_traced (o, t, &seed, cost);
    }
}

static void
open_filled (struct one *o, uint64_t seed, unsigned positions, unsigned kinds)
{
  open_one (o, 1, positions);
  fill (o, seed, kinds);
}

/* A visitor that writes what it gets to a file, or adds it to a profile.  */
struct copy
{
  struct cgw_writer *w; /* or NULL */
  struct cgw_profile *p;
  bool is_signed;
  size_t n_costs, n_calls, n_stacks;
};

/* As readers take costs: those below 0 are 0.  False: all are 0.  */
static bool
copy_costs (const struct copy *c, uint64_t count, const uint64_t *cost,
            size_t n, uint64_t *to)
{
  cr_assert_eq (n, COSTS);
  memcpy (to, cost, sizeof *to * COSTS);
  cr_assert ((to[0] | to[1] | count) != 0);
  if (c->is_signed && c->w != NULL && to[1] >> 63 != 0)
    to[1] = 0;
  return (to[0] | to[1] | count) != 0;
}

static enum cgw_status
copy_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  struct copy *c = context;
  uint64_t costs[COSTS];

  c->n_costs++;
  if (!copy_costs (c, 0, cost, n, costs))
    return CGW_OK;
  return c->w != NULL ? cgw_cost (c->w, pos, costs, COSTS)
                      : cgw_profile_cost (c->p, pos, costs, COSTS);
}

static enum cgw_status
copy_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  struct copy *c = context;
  uint64_t costs[COSTS];

  c->n_calls++;
  cr_assert_eq (to->file.handle, 0);
  if (!copy_costs (c, count, cost, n, costs))
    return CGW_OK;
  return c->w != NULL
             ? cgw_call (c->w, from, to, count, costs, COSTS)
             : cgw_profile_call (c->p, from, to, count, costs, COSTS);
}

static enum cgw_status
copy_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
            uint64_t count, const uint64_t *cost, size_t n)
{
  struct copy *c = context;
  uint64_t costs[COSTS];

  c->n_stacks++;
  copy_costs (c, count, cost, n, costs);
  return cgw_profile_stack (c->p, frames, n_frames, count, costs, COSTS);
}

static struct cgw_visitor
copier (struct copy *c, bool whole)
{
  struct cgw_visitor v = CGW_VISITOR_INIT;

  v.context = c;
  v.cost = copy_cost;
  v.call = copy_call;
  if (whole)
    v.stack = copy_stack;
  return v;
}

/* Visits, and writes what comes, in the order in which it comes, below the
   summary of the sums that are written.  */
static void
write_visited (struct one *o, unsigned kinds, const struct one *like)
{
  struct copy c = { .is_signed = kinds & SIGNED };
  struct cgw_visitor v = copier (&c, false);
  struct cgw_part part = two_events (o->positions);
  struct cgw_options options = CGW_OPTIONS_INIT;

  part.summary = like->f.profile->parts[0].summary;
  part.n_summary = COSTS;
  part.desc = (const char *const *) like->f.profile->parts[0].desc;
  part.n_desc = like->f.profile->parts[0].n_desc;
  options.flags = CGW_ZERO_CALLS;
  c.w = written_open_with (&o->f, o->names, &options);
  cr_assert_eq (cgw_begin_part (c.w, &part), CGW_OK);
  cr_assert_eq (cgw_profile_visit (o->p, &v), CGW_OK);
  cr_expect_gt (c.n_costs, 0);
  cr_expect (kinds == 0 || c.n_calls > 0);
  written_end (&o->f, CGW_OK);
}

static void
same_bytes (const struct one *a, const struct one *b, unsigned kinds)
{
  cr_expect (a->f.n == b->f.n && memcmp (a->f.bytes, b->f.bytes, a->f.n) == 0,
             "kinds %u:\n%s\nis not\n%s", kinds, a->f.bytes, b->f.bytes);
}

static const unsigned all_positions[]
    = { CGW_LINE, CGW_INSTR, CGW_INSTR_LINE };

#define EACH_CASE(kinds, positions)                                           \
  for (unsigned kinds = 1; kinds < 32; kinds++)                               \
    for (unsigned i_ = 0, positions; i_ < 3; i_++)                            \
      if ((kinds & ~(unsigned) SIGNED) != 0                                   \
          && ((positions = all_positions[i_]), true))

/* Who writes what a visit brings, as it comes, writes the file of
   cgw_profile_write, byte by byte.  That also has the same bytes before and
   behind visits.  */
Test (profile_visit, order_of_the_file)
{
  EACH_CASE (kinds, positions)
    {
      struct one never, before, after;

      open_filled (&never, 7, positions, kinds);
      write_one (&never, CGW_ZERO_CALLS);
      open_filled (&before, 7, positions, kinds);
      write_visited (&before, kinds, &never);
      same_bytes (&before, &never, kinds);
      written_free (&before.f);
      write_one (&before, CGW_ZERO_CALLS);
      same_bytes (&before, &never, kinds);
      open_filled (&after, 7, positions, kinds);
      write_one (&after, CGW_ZERO_CALLS);
      written_free (&after.f);
      write_visited (&after, kinds, &never);
      same_bytes (&after, &never, kinds);
      close_one (&never);
      close_one (&before);
      close_one (&after);
    }
}

/* Adds all that a visit brings to another profile, which must write the same
   file.  */
static struct copy
copy_profile (struct one *o, bool whole, unsigned kinds, const struct one *like)
{
  struct copy c = { .is_signed = kinds & SIGNED };
  struct cgw_visitor v = copier (&c, whole);
  struct one to;

  open_one_beside (&to, o);
  memset (&to.f, 0, sizeof to.f);
  c.p = to.p;
  if (kinds & SIGNED)
    cr_assert_eq (cgw_profile_set_signed (to.p, 1), CGW_OK);
  cr_assert_eq (cgw_profile_visit (o->p, &v), CGW_OK);
  write_one (&to, CGW_ZERO_CALLS);
  same_bytes (&to, like, kinds);
  close_one (&to);
  return c;
}

/* Stacks come whole, once, and their costs and calls do not come: however often
   that is, and whether the profile was written, or visited without stacks,
   before.  */
Test (profile_visit, whole_stacks)
{
  EACH_CASE (kinds, positions)
    {
      struct one o, never;
      struct copy c[2];

      open_filled (&never, 7, positions, kinds);
      write_one (&never, CGW_ZERO_CALLS);
      open_filled (&o, 7, positions, kinds);
      for (int i = 0; i < 2; i++)
        {
          c[i] = copy_profile (&o, true, kinds, &never);
          cr_expect_eq (copy_profile (&o, false, kinds, &never).n_stacks, 0);
          cr_expect_eq (c[i].n_stacks > 0, (kinds & (STACKS | NODES)) != 0);
          cr_expect_eq (c[i].n_costs > 0, (kinds & (SUMS | TRACED)) != 0);
          cr_expect_eq (c[i].n_calls > 0,
                        (kinds & (SUMS | TRACED | NODES)) != 0);
        }
      cr_expect_eq (c[0].n_stacks, c[1].n_stacks);
      cr_expect_eq (c[0].n_calls, c[1].n_calls);
      write_one (&o, CGW_ZERO_CALLS);
      same_bytes (&o, &never, kinds);
      cr_expect_eq (copy_profile (&o, true, kinds, &never).n_stacks,
                    c[0].n_stacks);
      close_one (&o);
      close_one (&never);
    }
}

/* Merging leaves stacks whole, on both sides.  */
Test (profile_visit, merged)
{
  struct one from, into;

  open_filled (&from, 7, CGW_LINE, STACKS);
  open_one (&into, 5, CGW_LINE);
  fill (&into, 9, STACKS);
  cr_assert_eq (cgw_profile_merge (into.p, from.p), CGW_OK);
  for (int i = 0; i < 2; i++)
    {
      struct one to;
      struct copy c = { .w = NULL };
      struct cgw_visitor v = copier (&c, true);

      open_one_beside (&to, i == 0 ? &from : &into);
      c.p = to.p;
      cr_assert_eq (cgw_profile_visit (i == 0 ? from.p : into.p, &v), CGW_OK);
      cr_expect_gt (c.n_stacks, 100);
      cr_expect_eq (c.n_costs + c.n_calls, 0);
      cgw_profile_free (to.p);
    }
  close_one (&from);
  close_one (&into);
}

/* What comes, in words.  */

struct told
{
  struct one *o;
  enum cgw_status status; /* of the n-th function that is called */
  unsigned n;
  char text[1000];
};

static void
add_text (struct told *t, const char *format, ...)
{
  size_t n = strlen (t->text);
  va_list list;

  va_start (list, format);
  vsnprintf (t->text + n, sizeof t->text - n, format, list);
  va_end (list);
}

static void
tell_pos (struct told *t, const struct cgw_pos *pos)
{
  add_text (t, " %s", pos->fn.handle == 0
                      ? "{0}"
                      : cgw_fn_name (t->o->names, pos->fn, NULL, NULL));
  if (pos->file.handle != 0)
    add_text (t, ":%s", cgw_file_name (t->o->names, pos->file));
  add_text (t, ":%u", pos->line);
}

static enum cgw_status
tell_costs (struct told *t, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    add_text (t, " %lld", (long long) cost[i]);
  add_text (t, "\n");
  return t->n-- == 1 ? t->status : CGW_OK;
}

static enum cgw_status
tell_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  add_text (context, "cost");
  tell_pos (context, pos);
  return tell_costs (context, cost, n);
}

static enum cgw_status
tell_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  add_text (context, "call");
  tell_pos (context, from);
  tell_pos (context, to);
  add_text (context, " x%u", (unsigned) count);
  return tell_costs (context, cost, n);
}

static enum cgw_status
tell_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
            uint64_t count, const uint64_t *cost, size_t n)
{
  add_text (context, "stack");
  for (size_t i = 0; i < n_frames; i++)
    tell_pos (context, &frames[i]);
  add_text (context, " x%u", (unsigned) count);
  return tell_costs (context, cost, n);
}

static const struct cgw_visitor teller
    = { sizeof teller, NULL, tell_cost, tell_call, tell_stack };

/* Visits with these functions; the n-th that is called returns a status.  */
static enum cgw_status
told_by (struct told *t, struct cgw_visitor v, enum cgw_status status,
         unsigned n)
{
  t->status = status;
  t->n = n;
  t->text[0] = '\0';
  v.context = t;
  return cgw_profile_visit (t->o->p, &v);
}

#define STACKS_TOLD                                                           \
  "stack {0}:7 f101:1 f100:0 x5 3 0\nstack f101:1 f100:0 x0 0 1\n"

/* What is told without `stack`, and with it.  */
static const char *const told[]
    = { "cost {0}:7 3 0\ncall f100:0 f101:0 x7 3 1\ncost f101:1 0 1\n"
        "call f101:1 {0}:0 x5 3 0\ncall f101:1 f101:2 x0 4 0\n"
        "cost f101:a.c:1 1 -2\n",
        "call f100:0 f101:0 x2 0 0\ncall f101:1 f101:2 x0 4 0\n"
        "cost f101:a.c:1 1 -2\n" STACKS_TOLD };

/* A root, the names of unknown functions and own files, signed costs, a node's
   count: as cgw.h says.  */
static void
open_told (struct one *o, struct heap *heap)
{
  struct cgw_pos frames[2], unknown, to;

  open_one_in (o, 1, CGW_LINE, heap);
  cr_assert_eq (cgw_profile_set_signed (o->p, 1), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (o->p, o->world.fns[3]), CGW_OK);
  unknown = written_line (cgw_add_fn (o->names, NULL, (struct cgw_file){ 0 },
                                      (struct cgw_object){ 0 }),
                          7);
  frames[0] = unknown;
  frames[1] = written_inline (o->world.fns[1],
                              o->world.files[fn_file (1)], 1);
  to = written_line (o->world.fns[1], 2);
  cr_assert_eq (cgw_profile_stack (o->p, frames, 2, 5, (uint64_t[]){ 3 }, 1),
                CGW_OK);
  cr_assert_eq (cgw_profile_node (o->p, frames + 1, 1, 2,
                                  (uint64_t[]){ 0, 1 }, 2),
                CGW_OK);
  cr_assert_eq (cgw_profile_call (o->p, frames + 1, &to, 0,
                                  (uint64_t[]){ 4 }, 1),
                CGW_OK);
  frames[1].file = o->world.files[2];
  cr_assert_eq (cgw_profile_cost (o->p, frames + 1,
                                  (uint64_t[]){ 1, MINUS (2) }, 2),
                CGW_OK);
  cr_assert_eq (cgw_profile_cost (o->p, &unknown, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_profile_stack (o->p, frames, 2, 0, NULL, 0), CGW_OK);
}

Test (profile_visit, positions_and_numbers)
{
  struct cgw_visitor v = teller;
  struct one o;
  struct told t = { .o = &o };

  open_told (&o, NULL);
  cr_expect_eq (told_by (&t, teller, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, told[1]);
  v.cost = NULL;
  v.call = NULL;
  cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, STACKS_TOLD);
  v = teller;
  v.call = NULL;
  cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, "cost f101:a.c:1 1 -2\n" STACKS_TOLD);
  v.stack = NULL;
  cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, "cost {0}:7 3 0\ncost f101:1 0 1\n"
                            "cost f101:a.c:1 1 -2\n");
  v = (struct cgw_visitor) CGW_VISITOR_INIT;
  cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, "");
  close_one (&o);
}

/* Any status ends the visit at once, and is returned.  The profile has nothing
   to complain of, and can be visited again.  */
Test (profile_visit, ended_by_a_status)
{
  static const enum cgw_status statuses[]
      = { CGW_EINVAL, CGW_ENOMEM, CGW_EIO, CGW_EBUSY, CGW_EPACK,
          (enum cgw_status) 300, (enum cgw_status) -1 };
  struct one o;
  struct told t = { .o = &o };

  open_told (&o, NULL);
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    for (unsigned n = 1; n <= 5; n++)
      {
        enum cgw_status status = statuses[i];
        const char *at = t.text;

        cr_expect_eq (told_by (&t, teller, status, n), status);
        for (unsigned line = 0; line < n; line++)
          at = strchr (at, '\n') + 1;
        cr_expect_str_eq (at, "", "%u functions: %s", n, t.text);
        if (status == CGW_EIO)
          cr_expect_str_eq (cgw_profile_explain (o.p),
                            "cgw_profile_visit: the visitor stopped it: the "
                            "file cannot be opened or written");
        cr_expect_eq (strncmp (cgw_profile_explain (o.p),
                               "cgw_profile_visit: ", 19), 0);
        cr_expect_eq (cgw_profile_error (o.p, NULL), CGW_OK);
      }
  cr_expect_eq (told_by (&t, teller, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, told[1]);
  close_one (&o);
}

/* During a visit.  */

static enum cgw_status
call_inside (void *context, const struct cgw_pos *frames, size_t n_frames,
             uint64_t count, const uint64_t *cost, size_t n)
{
  struct told *t = context;
  struct cgw_names *names = t->o->names;
  struct cgw_visitor v = teller;
  char name[] = "new  ";

  v.context = context;
  (void) n_frames, (void) count;
  cr_expect_eq (cgw_profile_visit (t->o->p, &v), CGW_EBUSY);
  cr_expect_eq (cgw_profile_total (t->o->p, NULL, 0), CGW_EBUSY);
  cr_expect_eq (cgw_profile_clear (t->o->p), CGW_EBUSY);
  cr_expect_eq (cgw_profile_error (t->o->p, NULL), CGW_OK);
  for (char c = '!'; c <= '~'; c++)
    {
      struct cgw_fn fn;
      struct cgw_file file;

      name[4] = c;
      fn = cgw_add_fn (names, name, cgw_add_file (names, name),
                       (struct cgw_object){ 0 });
      cr_expect_str_eq (cgw_fn_name (names, fn, &file, NULL), name);
      cr_expect_str_eq (cgw_file_name (names, file), name);
    }
  errno = ENOSPC;
  return tell_stack (t, frames, n_frames, count, cost, n);
}

/* The profile is busy, but its names are not.  errno does not come out.  */
Test (profile_visit, from_inside)
{
  struct cgw_visitor v = teller;
  struct one o;
  struct told t = { .o = &o };

  open_told (&o, NULL);
  v.stack = call_inside;
  errno = 12345;
  cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
  cr_expect_eq (errno, 12345);
  cr_expect_str_eq (t.text, told[1]);
  cr_expect_eq (told_by (&t, teller, CGW_OK, 0), CGW_OK);
  cr_expect_str_eq (t.text, told[1]);
  close_one (&o);
}

static enum cgw_status
be_cancelled (void *context, const struct cgw_pos *frames, size_t n_frames,
              uint64_t count, const uint64_t *cost, size_t n)
{
  pthread_testcancel ();
  return tell_stack (context, frames, n_frames, count, cost, n);
}

static int state_after; /* of cancellation */

static void *
visit_cancelled (void *context)
{
  struct cgw_visitor v = teller;

  v.stack = be_cancelled;
  pthread_cancel (pthread_self ());
  told_by (context, v, CGW_OK, 0);
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &state_after);
  return context;
}

/* A cancelled thread ends behind the visit, not in it.  */
Test (profile_visit, cancelled)
{
  struct one o;
  struct told t = { .o = &o };
  pthread_t thread;
  void *result;

  open_told (&o, NULL);
  cr_assert_eq (pthread_create (&thread, NULL, visit_cancelled, &t), 0);
  cr_assert_eq (pthread_join (thread, &result), 0);
  cr_expect_eq (result, &t);
  cr_expect_eq (state_after, PTHREAD_CANCEL_ENABLE);
  cr_expect_str_eq (t.text, told[1]);
  close_one (&o);
}

/* Without memory nothing comes at all, and the next visit brings all.  A visit
   keeps no memory.  */
Test (profile_visit, memory)
{
  for (int whole = 0; whole < 2; whole++)
    {
      struct cgw_visitor v = teller;
      bool failed = true;
      size_t n = 0;

      v.stack = whole ? tell_stack : NULL;
      for (; failed; n++)
        {
          struct heap heap = { 0 };
          struct one o;
          struct told t = { .o = &o };
          enum cgw_status status;
          size_t live;

          open_told (&o, &heap);
          heap_limit (&heap, n);
          status = told_by (&t, v, CGW_OK, 0);
          failed = heap.failed != 0;
          cr_expect_eq (status, failed ? CGW_ENOMEM : CGW_OK);
          cr_expect_str_eq (t.text, !failed ? told[whole] : "");
          heap.fail_at = 0;
          cr_expect_eq (cgw_profile_error (o.p, NULL), CGW_OK);
          cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
          cr_expect_str_eq (t.text, told[whole]);
          live = heap.live;
          cr_expect_eq (told_by (&t, v, CGW_OK, 0), CGW_OK);
          cr_expect_eq (heap.live, live);
          close_one (&o);
        }
      cr_expect_gt (n, 12);
    }
}
