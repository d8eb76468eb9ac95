/* test_unit.c - which events are the same one, and what their units do.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/tool.h"
#include "capture.h"
#include "format/unit.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tool tool
    = { .name = "test", .usage = "", .help = "", .letters = "" };

/* An event of two inputs, a and b.  */
struct pair
{
  struct cgw_event a, b;
  uint64_t times_a, times_b; /* 0: refused */
  const char *says;          /* what is printed begins so */
};

#define NAMES(a, b) { a, NULL, NULL }, { b, NULL, NULL }
#define LONG_NAMES(a, b) { "E", a, NULL }, { "E", b, NULL }

static const struct pair pairs[] = {
  { LONG_NAMES ("Time in ms", "Time in us"), 1000, 1, "" },
  { LONG_NAMES ("cpu (ns)", "cpu (ms)"), 1, 1000000, "" },
  { LONG_NAMES ("cpu (ns)", "Processor time in us; calls are counts"), 1, 1000,
    "" },
  { LONG_NAMES ("Wait in line in s", "Time in ps"), UINT64_C (1000000000000), 1,
    "" },
  { LONG_NAMES ("T (seconds)", "T (microseconds)"), 1000000, 1, "" },
  { LONG_NAMES ("T (sec)", "T (s)"), 1, 1, "" },
  { LONG_NAMES ("T (hrs)", "T (min)"), 60, 1, "" },
  { LONG_NAMES ("x (\302\265s)", "x (\316\274s)"), 1, 1, "" },
  { LONG_NAMES ("space (bytes)", "space (B)"), 1, 1, "" },
  { LONG_NAMES ("space (bytes)", "space (kB)"), 1, 1024, "" },
  { LONG_NAMES ("space (GiB)", "space (MB)"), 1024, 1, "" },
  { LONG_NAMES ("x (KiB)", "x (KB)"), 1, 1, "" },
  { LONG_NAMES ("Bytes, in units of 10^-2", NULL), 1, 100, "" },
  { LONG_NAMES ("W, in units of 10^-12", "W, in units of 10^-3"), 1,
    1000000000, "" },
  { LONG_NAMES ("x (count)", NULL), 1, 1, "" },
  { LONG_NAMES ("x (10 ns): more than before", "x in us: more than before"), 1,
    100, "" },
  /* What is no unit.  */
  { LONG_NAMES ("Instructions", "Fetches"), 1, 1, "" },
  { LONG_NAMES ("Bytes (direct plus indirect)", "Bytes"), 1, 1, "" },
  { LONG_NAMES ("x ()", "(ms)"), 1, 1, "" },
  { LONG_NAMES ("Time in main", "ms) x (us"), 1, 1, "" },
  { LONG_NAMES ("a (ms) b", "Bytes, in units of 10^-13"), 1, 1, "" },
  /* Units that are not known, or cannot be converted.  */
  { LONG_NAMES ("e (0.25 Joules)", "e (0.25 Joules)"), 1, 1, "" },
  { LONG_NAMES ("e (0.25 Joules)", "e (0.5 Joules)"), 0, 0,
    "test: b: event \"E\" has the unit \"0.5 Joules\" here, and \"0.25 "
    "Joules\" in a: one cannot be converted into the other\n" },
  { LONG_NAMES ("e (ms)", "e (bytes)"), 0, 0, "test: b: event \"E\"" },
  { LONG_NAMES ("e (count)", "e (ms)"), 0, 0, "test: b: event \"E\"" },
  { LONG_NAMES ("e (10ns)", "e (15ns)"), 0, 0, "test: b: event \"E\"" },
  { LONG_NAMES ("e (0ns)", "e (ns)"), 0, 0, "test: b: event \"E\"" },
  { LONG_NAMES ("e (999999hrs)", "e (ns)"), 0, 0, "test: b: event \"E\"" },
  /* One of them tells nothing.  */
  { LONG_NAMES ("e (ms)", NULL), 1, 1,
    "test: b: warning: event \"E\" has no unit here, and \"ms\" in a: it is "
    "taken for the same\n" },
  { LONG_NAMES ("e", "e (Joules)"), 1, 1,
    "test: a: warning: event \"E\" has no unit here, and \"Joules\" in b: it "
    "is taken for the same\n" },
  /* Names.  */
  { NAMES ("Time_(10ns)", "Time_(us)"), 1, 100, "" },
  { NAMES ("cpu(ms)", "cpu(s)"), 1, 1000, "" },
  { { "Time_s", "Time_(\302\265s)", NULL }, { "Time", "Time in ns", NULL },
    1000, 1, "" },
  { NAMES ("Time_(us)_more", "Time_(ms)_more"), 1, 1000, "" },
  { NAMES ("Time_(us)", "Time"), 1, 1, "test: b: warning: event \"Time\"" },
};

/* In a process that Criterion does not know.  */
static void
expect (bool is_so)
{
  if (!is_so)
    _exit (9);
}

static bool
take (struct unit_event *e, const struct cgw_event *event, const char *file,
      uint64_t *before)
{
  char *key = unit_key (event, 1, 0);

  expect (strcmp (key, e->key) == 0);
  free (key);
  return unit_event_take (e, file, event, before);
}

static void
compare (void *context)
{
  const struct pair *p = context;
  struct unit_event e = unit_event_first (unit_key (&p->a, 1, 0), "a", &p->a);
  uint64_t before, factor;

  tool_begin (&tool);
  if (!take (&e, &p->b, "b", &before))
    expect (p->times_a == 0);
  else
    {
      expect (before == p->times_a);
      expect (unit_event_factor (&e, &p->b, &factor));
      expect (factor == p->times_b);
      expect (unit_event_factor (&e, &p->a, &factor));
      expect (factor == p->times_a);
      expect (e.is_converted == (p->times_a != p->times_b));
    }
  unit_event_free (&e);
}

Test (unit, two_inputs)
{
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
      struct pair p = pairs[i];
      const struct captured *c = capture (compare, &p);

      cr_assert_eq (c->status, 0, "pair %zu: %s", i, c->err);
      cr_assert_eq (strncmp (c->err, p.says, strlen (p.says)), 0,
                    "pair %zu: %s", i, c->err);
      cr_assert_eq (*p.says == '\0', *c->err == '\0', "pair %zu: %s", i,
                    c->err);
      /* Their order does not matter.  */
      p = (struct pair){ pairs[i].b, pairs[i].a, pairs[i].times_b,
                         pairs[i].times_a, "" };
      c = capture (compare, &p);
      cr_assert_eq (c->status, 0, "pair %zu, exchanged: %s", i, c->err);
    }
}

Test (unit, the_finest_has_the_names)
{
  const struct cgw_event events[] = { { "T", "Time in s", NULL },
                                      { "T", "Wall time in ms", NULL },
                                      { "T", "Time in s", NULL },
                                      { "T", "Time in ms", NULL } };
  struct unit_event e
      = unit_event_first (unit_key (events, 1, 0), "a", events);
  uint64_t before;
  char *plain;

  cr_assert (unit_event_take (&e, "b", &events[1], &before));
  cr_assert_eq (before, 1000);
  cr_assert_str_eq (e.long_name, "Wall time in ms");
  cr_assert (unit_event_take (&e, "c", &events[2], &before));
  cr_assert_eq (before, 1);
  cr_assert_str_eq (e.file, "b");
  cr_assert_null (e.differs);
  cr_assert (unit_event_take (&e, "d", &events[3], &before));
  cr_assert_str_eq (e.differs, "d");
  plain = unit_event_plain (&e);
  cr_assert_str_eq (plain, "T (ms)");
  free (plain);
  unit_event_free (&e);
}

Test (unit, a_plain_long_name_tells_what_the_name_does_not)
{
  const struct cgw_event none = { "T", "Time", NULL };
  const struct cgw_event name = { "T_s", "T_(\302\265s)", NULL };
  struct unit_event e = unit_event_first (unit_key (&none, 1, 0), "a", &none);

  cr_assert_null (unit_event_plain (&e));
  unit_event_free (&e);
  e = unit_event_first (unit_key (&name, 1, 0), "a", &name);
  cr_assert_str_eq (e.key, "T");
  unit_event_free (&e);
}

/* Of three inputs, which unit the one means that tells none is not known.  */
static void
take_three (void *context)
{
  const char *const long_names[] = { "T in ms", NULL, "T in us" };
  const size_t *order = context;
  struct unit_event e;
  uint64_t before;
  bool ok = true;

  tool_begin (&tool);
  for (size_t i = 0; i < 3; i++)
    {
      const struct cgw_event event = { "T", long_names[order[i]], NULL };

      if (i == 0)
        e = unit_event_first (unit_key (&event, 1, 0), "a", &event);
      else
        ok = ok && unit_event_take (&e, "b", &event, &before);
    }
  expect (!ok);
  unit_event_free (&e);
}

Test (unit, several_units_and_none)
{
  size_t orders[][3]
      = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 } };

  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    {
      const struct captured *c = capture (take_three, orders[i]);

      cr_assert_eq (c->status, 0, "%s", c->err);
      cr_assert_not_null (strstr (c->err, "event \"T\" has no unit here, and "
                                          "several in the other files\n"));
    }
}

Test (unit, a_later_part_may_not_surprise)
{
  const struct cgw_event events[] = { { "T", "Time in ms", NULL },
                                      { "T", "Time in us", NULL },
                                      { "T", NULL, NULL },
                                      { "T", "Time in bytes", NULL } };
  struct unit_event e
      = unit_event_first (unit_key (events, 1, 0), "a", events);
  uint64_t factor;

  for (size_t i = 1; i < 4; i++)
    cr_assert (!unit_event_factor (&e, &events[i], &factor));
  unit_event_free (&e);
}

/* Two events of one part stay two.  */
Test (unit, names_that_differ_in_their_units_alone)
{
  const struct cgw_event events[] = { { "Time", NULL, NULL },
                                      { "Time_(us)", NULL, NULL },
                                      { "cpu(ms)", NULL, NULL },
                                      { "cpu(ns)", NULL, NULL },
                                      { "cpu(samples)", NULL, NULL },
                                      { "(ms)", NULL, NULL },
                                      { "_(ms)", NULL, NULL },
                                      { "W_(s)", NULL, NULL } };
  const char *const keys[] = { "Time", "Time_(us)", "cpu(ms)", "cpu(ns)",
                               "cpu(samples)", "(ms)", "_", "W" };

  for (size_t i = 0; i < 8; i++)
    {
      char *key = unit_key (events, 8, i);

      cr_assert_str_eq (key, keys[i]);
      free (key);
    }
}

Test (unit, what_may_be_added_as_it_is)
{
  const struct cgw_event ns = { "T", "Time in ns", NULL };
  const struct cgw_event us = { "T", "Time in us", NULL };
  const struct cgw_event none = { "T", NULL, NULL };

  cr_assert (unit_fits (&ns, &ns));
  cr_assert (unit_fits (&ns, &none));
  cr_assert (!unit_fits (&ns, &us));
}

Test (unit, a_product_has_an_end)
{
  uint64_t cost = UINT64_MAX / 1000;

  cr_assert (unit_multiply (&cost, 1000));
  cr_assert_eq (cost, UINT64_MAX / 1000 * 1000);
  cr_assert (unit_multiply (&cost, 1));
  cr_assert (!unit_multiply (&cost, 2));
}

/* What formats with a field for the unit call an event.  */
Test (unit, what_other_formats_call_an_event)
{
  static const struct
  {
    struct cgw_event event;
    const char *name;
    const char *unit;
    uint64_t factor;
  } cases[] = {
    { { "Ir", NULL, NULL }, "Ir", "count", 1 },
    { { "Ir", "Instruction Fetch", NULL }, "Ir", "count", 1 },
    { { "samples", "samples (count)", NULL }, "samples", "count", 1 },
    { { "cpu", "cpu (ns)", NULL }, "cpu", "nanoseconds", 1 },
    { { "CPU", "Processor time in us; calls are counts", NULL }, "CPU",
      "microseconds", 1 },
    { { "Time", "Time in ps", NULL }, "Time", "ps", 1 },
    { { "T", "T (1000 ps)", NULL }, "T", "nanoseconds", 1 },
    { { "T", "T (min)", NULL }, "T", "seconds", 60 },
    { { "T", "T (hrs)", NULL }, "T", "seconds", 3600 },
    { { "x", "x (\302\265s)", NULL }, "x", "microseconds", 1 },
    { { "space", "space (bytes)", NULL }, "space", "bytes", 1 },
    { { "space", "space (KiB)", NULL }, "space", "kilobytes", 1 },
    { { "space", "space (10MB)", NULL }, "space", "megabytes", 10 },
    { { "Bytes", "Bytes, in units of 10^-2", NULL }, "Bytes", "10^-2", 1 },
    { { "e", "e (0.25 Joules)", NULL }, "e", "0.25 Joules", 1 },
    { { "e", "e (pages)", NULL }, "e", "pages", 1 },
    /* Names tell units, too.  */
    { { "Time_(10ns)", NULL, NULL }, "Time", "nanoseconds", 10 },
    { { "cpu(ms)", NULL, NULL }, "cpu", "milliseconds", 1 },
    { { "Time_s", "Time_(\302\265s)", NULL }, "Time", "microseconds", 1 },
    { { "Time_(us)_more", NULL, NULL }, "Time_more", "microseconds", 1 },
    /* Names of inputs that are no identifiers.  */
    { { "inuse_space", "inuse space (bytes)", NULL }, "inuse space", "bytes",
      1 },
    { { "cpu_clock", "cpu-clock (ns)", NULL }, "cpu-clock", "nanoseconds", 1 },
    { { "_9_lives", "9 lives", NULL }, "9 lives", "count", 1 },
    { { "cpu_2", "cpu (ns)", NULL }, "cpu", "nanoseconds", 1 },
    { { "E", "Everything (ns)", NULL }, "E", "nanoseconds", 1 },
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct unit_told told = unit_tell (&cases[i].event);

      cr_expect_str_eq (told.name, cases[i].name, "case %zu: %s", i,
                        told.name);
      cr_expect_str_eq (told.unit, cases[i].unit, "case %zu: %s", i,
                        told.unit);
      cr_expect_eq (told.factor, cases[i].factor, "case %zu", i);
      free (told.name);
      free (told.unit);
    }
}
