/* test_bounds.c - the bounds of what is encoded: the longest text of each kind
   is not longer than its bound says, and nothing is touched behind it.

   The buffer has room for what the bounds say, and nobody looks again: a bound
   that is too small is a write behind the end.  One that is much too large is
   memory for nothing, so each case also says how many bytes its bound may have
   to spare.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../lib/format/cachegrind.h"
#include "../../lib/format/header.h"
#include "../../lib/format/events.h"
#include "../../lib/format/lines.h"
#include "../../lib/text/escape.h"
#include "../../lib/writer/writer.h"
#include "../support/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 0xa5

/* The longest texts leave a bound that many bytes at most, unless a case says
   why it is more.  */
#define SPARE 16

/* A line number has 10 digits, and an address 18, where a subposition may have
   20.  */
#define SUBPOSITIONS_SPARE (2 + 10)

/* A bound's bytes, the slack that is allowed behind them, and the guard.  */
struct text
{
  char *bytes;
  size_t max;
  size_t slack;
};

enum { GUARDED = 4096 };

static char *
make_text (struct text *t, size_t max, size_t slack)
{
  t->bytes = malloc (max + slack + GUARDED);
  cr_assert_not_null (t->bytes);
  memset (t->bytes, GUARD, max + slack + GUARDED);
  t->max = max;
  t->slack = slack;
  return t->bytes;
}

/* Check a text that ends there, and free it.  */
static void
check_text (struct text *t, const char *end, size_t spare, const char *what)
{
  size_t length = (size_t) (end - t->bytes);

  cr_expect_leq (length, t->max, "%s: %zu bytes, and the bound is %zu", what,
                 length, t->max);
  cr_expect_leq (t->max, length + spare, "%s: %zu bytes, and the bound is %zu",
                 what, length, t->max);
  for (size_t i = 0; i < GUARDED; i++)
    cr_assert_eq ((unsigned char) t->bytes[t->max + t->slack + i], GUARD,
                  "%s: byte %zu behind the bound and its slack", what, i);
  free (t->bytes);
}

/* The same where the bound is a sum that says exactly what the text has, so
   that no term of it can hide behind what another has to spare.  */
static void
check_exactly (struct text *t, const char *end, size_t spare, const char *what)
{
  cr_expect_eq (t->max, (size_t) (end - t->bytes) + spare,
                "%s: %zu bytes, and the bound is %zu, not %zu more", what,
                (size_t) (end - t->bytes), t->max, spare);
  check_text (t, end, spare, what);
}

/* The lines of a part's body.  */

/* An encoder in whose next record each name needs its text and a new id of ten
   digits.  */
struct world
{
  struct cgw_names *names;
  struct heap heap;
  struct cgwi_encoder e;
  struct cgwi_place from, to;
  uint64_t costs[CGW_EVENTS_MAX];
};

/* Add a name of n bytes.  It begins as an id does, so it has one even in plain
   mode.  */
static uint32_t
add (struct world *w, enum cgwi_kind_of_name kind, size_t n, char last,
     uint32_t file, uint32_t object)
{
  char *text = malloc (n);
  enum cgw_status status;
  uint32_t index;

  cr_assert_not_null (text);
  memset (text, 'x', n);
  memcpy (text, "(1", 2);
  text[n - 1] = last;
  index = cgwi_add_name (w->names, kind, text, n, file, object, &status);
  cr_assert_neq (index, CGWI_NONE);
  free (text);
  return index;
}

static void
add_names (struct world *w, size_t n)
{
  uint32_t objects[2], files[4], fns[2];

  for (int i = 0; i < 2; i++)
    objects[i] = add (w, CGWI_OBJECTS, n, (char) ('a' + i), 0, 0);
  for (int i = 0; i < 4; i++)
    files[i] = add (w, CGWI_FILES, n, (char) ('a' + i), 0, 0);
  for (int i = 0; i < 2; i++)
    fns[i] = add (w, CGWI_FNS, n, (char) ('a' + i), files[i], objects[i]);
  for (int i = 0; i < 2; i++)
    *(i == 0 ? &w->from : &w->to) = (struct cgwi_place){
      .fn = fns[i],
      .source = files[2 + i],
      .line = UINT32_MAX - (uint32_t) i,
      .instr = UINT64_MAX - (uint64_t) i,
      .name = cgwi_name (w->names, CGWI_FNS, fns[i])
    };
}

static void
start (struct world *w, unsigned flags, size_t name, size_t n_events)
{
  memset (w, 0, sizeof *w);
  w->names = make_names (&w->heap);
  w->e.names = w->names;
  w->e.flags = flags;
  w->e.positions = CGW_INSTR_LINE;
  w->e.n_events = n_events;
  w->e.part = 1;
  w->e.last = (struct cgwi_remembered){ .object = CGWI_NONE,
                                        .file = CGWI_NONE,
                                        .source = CGWI_NONE,
                                        .fn = CGWI_NONE };
  add_names (w, name);
  /* Ids are counted from there: the names that are used get the largest.  */
  cr_assert (cgwi_reserve_ids (&w->e, &w->names->memory));
  w->e.ids[CGWI_OBJECTS].last = INT32_MAX - 2;
  w->e.ids[CGWI_FILES].last = INT32_MAX - 4;
  w->e.ids[CGWI_FNS].last = INT32_MAX - 2;
  for (size_t i = 0; i < CGW_EVENTS_MAX; i++)
    w->costs[i] = UINT64_MAX - i;
}

static void
stop (struct world *w)
{
  cgwi_free_ids (&w->e, &w->names->memory);
  cgw_names_free (w->names);
  cr_assert_eq (w->heap.live, 0);
}

enum kind
{
  COST_LINE,
  CALL,
  JUMP,
  COND_JUMP,
  COUNT_LINE, /* with CGW_CACHEGRIND */
  KINDS
};

static const char *const kind_names[KINDS]
    = { "cost line", "call", "jump", "conditional jump", "count line" };

static size_t
record_max (enum kind kind, size_t n_events)
{
  return kind == COST_LINE    ? cgwi_cost_line_max (n_events)
         : kind == CALL       ? cgwi_call_max (n_events)
         : kind == COUNT_LINE ? cgwi_cachegrind_line_max (n_events)
                              : cgwi_jump_max ();
}

static char *
put_record (char *p, struct world *w, enum kind kind, size_t n)
{
  static const uint64_t followed = UINT64_MAX;

  switch (kind)
    {
    case COST_LINE:
      return cgwi_put_cost_line (p, &w->e, &w->from, w->costs, n);
    case CALL:
      return cgwi_put_call (p, &w->e, &w->from, &w->to, UINT64_MAX, w->costs,
                            n);
    case JUMP:
      return cgwi_put_jump (p, &w->e, &w->from, &w->to, NULL, UINT64_MAX);
    case COUNT_LINE:
      return cgwi_put_cachegrind_line (p, &w->e, &w->from, w->costs, n);
    default:
      return cgwi_put_jump (p, &w->e, &w->from, &w->to, &followed,
                            UINT64_MAX);
    }
}

/* What the bound of a kind has to spare.  ob=, fl=, fi= and fn= are a
   byte shorter than the longest specs, four bytes in all; a call or jump has
   two pairs of subpositions; a jump that is not conditional has one number
   less, and the "/".  In a count line, a line has 10 digits, and there is room
   for those of any number.  */
static size_t
record_spare (enum kind kind)
{
  size_t pairs = kind == COST_LINE ? 1 : 2;

  if (kind == COUNT_LINE)
    return CGWI_NUMBER_MAX - 10;
  return 4 + pairs * SUBPOSITIONS_SPARE
         + (kind == JUMP ? CGWI_NUMBER_MAX + 1 : 0);
}

static void
check_longest (enum kind kind, unsigned flags, size_t n_events)
{
  struct world w;
  struct text t;
  char what[100];

  snprintf (what, sizeof what, "%s, flags %u, %zu events", kind_names[kind],
            flags, n_events);
  start (&w, flags, CGW_NAME_MAX, n_events);
  make_text (&t, record_max (kind, n_events), CGWI_NUMBER_SLACK);
  check_exactly (&t, put_record (t.bytes, &w, kind, n_events),
                 record_spare (kind), what);
  if (kind != COUNT_LINE)
    cr_expect_leq (record_max (kind, n_events), cgwi_record_max (n_events));
  stop (&w);
}

#define CACHEGRIND (CGW_CACHEGRIND | CGWI_CACHEGRIND_IMPLIES)

Test (bounds, records)
{
  static const unsigned flags[] = { CGW_ABSOLUTE, CGW_PLAIN_NAMES,
                                    CGW_ABSOLUTE | CGW_KEEP_ZEROS };
  static const size_t n_events[] = { 1, 2, CGW_EVENTS_MAX };

  for (int e = 0; e < 3; e++)
    {
      for (enum kind kind = 0; kind < COUNT_LINE; kind++)
        for (int f = 0; f < 3; f++)
          check_longest (kind, flags[f], n_events[e]);
      check_longest (COUNT_LINE, CACHEGRIND, n_events[e]);
    }
}

/* All ids of the longest record have ten digits: else the test above would
   prove less than it says.  */
Test (bounds, records_with_the_largest_ids)
{
  struct world w;
  struct text t;

  start (&w, CGW_ABSOLUTE, 10, 1);
  make_text (&t, record_max (CALL, 1), CGWI_NUMBER_SLACK);
  *put_record (t.bytes, &w, CALL, 1) = '\0';
  cr_expect_str_eq (t.bytes,
                    "ob=(2147483646) (1xxxxxxxa\n"
                    "fl=(2147483644) (1xxxxxxxa\n"
                    "fn=(2147483646) (1xxxxxxxa\n"
                    "fi=(2147483645) (1xxxxxxxc\n"
                    "cob=(2147483647) (1xxxxxxxb\n"
                    "cfi=(2147483646) (1xxxxxxxb\n"
                    "cfn=(2147483647) (1xxxxxxxb\n"
                    "calls=18446744073709551615 0xfffffffffffffffe 4294967294\n"
                    "0xffffffffffffffff 4294967295 18446744073709551615\n");
  free (t.bytes);
  stop (&w);
}

/* Costs that are encoded and then left out are written all the same: behind
   the line's end, but not behind the bound.  So are zeros that stay.  */
Test (bounds, zero_costs)
{
  static const unsigned flags[] = { CGW_ABSOLUTE,
                                    CGW_ABSOLUTE | CGW_KEEP_ZEROS,
                                    CACHEGRIND };

  for (int f = 0; f < 3; f++)
    for (size_t n = 0; n <= CGW_EVENTS_MAX; n += 50)
      for (size_t kept = 0; kept <= n; kept += 25)
        {
          enum kind kind = flags[f] == CACHEGRIND ? COUNT_LINE : COST_LINE;
          struct world w;
          struct text t;

          start (&w, flags[f], 3, CGW_EVENTS_MAX);
          memset (w.costs + kept, 0, (CGW_EVENTS_MAX - kept)
                                         * sizeof w.costs[0]);
          make_text (&t, record_max (kind, CGW_EVENTS_MAX), CGWI_NUMBER_SLACK);
          check_text (&t, put_record (t.bytes, &w, kind, n), SIZE_MAX / 2,
                      "zeros");
          stop (&w);
        }
}

/* Comments.  */

/* A string of n bytes, each of which is escaped.  */
static char *
control_characters (size_t n)
{
  char *text = malloc (n + 1);

  cr_assert_not_null (text);
  memset (text, 1, n);
  text[n] = '\0';
  return text;
}

static void
check_comment (const char *text, size_t spare)
{
  struct text t;

  /* A comment has no number: there is no slack.  */
  make_text (&t, cgwi_comment_max (text), 0);
  check_text (&t, cgwi_put_comment (t.bytes, text), spare, "comment");
}

Test (bounds, comments)
{
  static const size_t lengths[] = { 1, 2, 10, 4095, 100000 };

  check_comment ("", SPARE);
  for (int i = 0; i < 5; i++)
    {
      char *text = control_characters (lengths[i]);
      check_comment (text, SPARE);
      free (text);
    }
  /* One that looks like our report becomes longer by what is escaped in it:
     less than four times.  */
  check_comment ("cgw: lost x", SIZE_MAX / 2);
  check_comment ("cgw: lost \001\001\001\001\001\001\001\001\001\001", 64);
}

Test (bounds, lost_comment)
{
  struct text t;

  make_text (&t, cgwi_lost_comment_max (), CGWI_NUMBER_SLACK);
  check_text (&t, cgwi_put_lost_comment (t.bytes, UINT64_MAX), SPARE,
              "the report of what was lost");
  make_text (&t, cgwi_lost_comment_max (), CGWI_NUMBER_SLACK);
  check_text (&t, cgwi_put_lost_comment (t.bytes, 1), CGWI_NUMBER_MAX + SPARE,
              "the report of one record");
}

/* Names.  */

static void
check_name (const char *text, size_t n, size_t length)
{
  struct text t;
  char *end;

  /* The table has exactly that much room.  */
  make_text (&t, CGW_NAME_MAX, 0);
  end = cgwi_put_clean_name (t.bytes, text, n);
  cr_expect_eq ((size_t) (end - t.bytes), length, "%zu bytes become %zu", n,
                (size_t) (end - t.bytes));
  check_text (&t, end, SIZE_MAX / 2, "name");
}

/* A name of CGW_NAME_MAX bytes stays whole, clean or escaped; one byte more,
   and it is cut to that or, in front of what does not fit, to less.  */
Test (bounds, names)
{
  enum { MAX = CGW_NAME_MAX, ROOM = MAX + 100 };
  char *text = malloc (ROOM);

  cr_assert_not_null (text);
  memset (text, 'x', ROOM);
  check_name (text, MAX, MAX);
  check_name (text, MAX + 1, MAX);
  check_name (text, ROOM, MAX);
  text[MAX - 1] = ' ';
  check_name (text, MAX - 3, MAX - 3);
  check_name (text, MAX, MAX);
  memset (text, 1, ROOM);
  check_name (text, MAX / 4, MAX);
  /* 17 bytes are "#" and the hash; of the others a part of an escape stays
     empty.  */
  check_name (text, MAX / 4 + 1, (MAX - 17) / 4 * 4 + 17);
  check_name (text, ROOM, (MAX - 17) / 4 * 4 + 17);
  /* A character whose escape is 12 bytes, U+2028, at each place near the
     end.  */
  for (size_t i = MAX - 20; i <= MAX; i++)
    {
      memset (text, 'x', ROOM);
      memcpy (text + i, "\342\200\250", 3);
      check_name (text, i + 3, i + 12 <= MAX ? i + 12 : MAX);
    }
  free (text);
}

/* The header, totals and formulas.  */

static void
check_formula (const char *formula, size_t spare)
{
  struct text t;

  /* The bound has its slack inside: the text is followed by more, or by
     nothing.  */
  make_text (&t, cgwi_formula_max (formula), 0);
  check_text (&t, cgwi_put_formula (t.bytes, formula), spare, formula);
}

/* Of all formulas, those grow most that have the shortest names: n bytes
   become 2 * n + 2.  The bound is for these, for it does not look at the
   names.  */
Test (bounds, formulas)
{
  static const char *const formulas[]
      = { "a", "2a", "2 a", "a+a", "2a+2a", "a+a+a+a+a", "2147483647a",
          "2147483647a+2147483647a", "2a+2a+2a+2a+2a+2a+2a+2a+2a+2a" };

  for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
    check_formula (formulas[i], strlen (formulas[i]) + SPARE);
}

/* The names of the most events that a part may have, long ones, and strings
   that are escaped everywhere.  */
struct wide_part
{
  struct cgw_part part;
  struct cgw_event events[CGW_EVENTS_MAX + 1];
  char names[CGW_EVENTS_MAX + 1][32];
  uint64_t summary[CGW_EVENTS_MAX];
  const char *desc[2];
  char *escaped;
};

static void
make_wide_part (struct wide_part *w, size_t n_events, const char *formula)
{
  memset (w, 0, sizeof *w);
  w->escaped = control_characters (1000);
  for (size_t i = 0; i < n_events; i++)
    {
      snprintf (w->names[i], sizeof w->names[i], "Event%zu", i);
      w->events[i] = (struct cgw_event){ w->names[i], w->escaped, NULL };
      w->summary[i] = UINT64_MAX;
    }
  if (formula != NULL)
    w->events[n_events] = (struct cgw_event){ "Sum", w->escaped, formula };
  w->desc[0] = w->desc[1] = w->escaped;
  w->part = (struct cgw_part){
    .size = sizeof w->part,
    .events = w->events,
    .n_events = n_events + (formula != NULL),
    .positions = CGW_INSTR_LINE,
    .pid = UINT64_MAX,
    .number = UINT64_MAX,
    .thread = UINT64_MAX,
    .cmd = w->escaped,
    .desc = w->desc,
    .n_desc = 2,
    .summary = w->summary,
    .n_summary = n_events
  };
}

/* The library accepts the part, with that many events.  */
static void
check_valid (const struct cgw_part *part, size_t n_events)
{
  struct cgw_part copy;
  struct cgwi_why why;

  cr_assert_eq (cgwi_take_part (&copy, part, &why), n_events);
}

static void
check_header (const struct wide_part *w, size_t n_events, size_t spare)
{
  struct cgwi_encoder e = { .positions = CGW_INSTR_LINE, .n_events = n_events,
                            .part = 1 };
  struct text t;

  /* The bound has its slack inside.  */
  make_text (&t, cgwi_header_max (w->escaped, &w->part), 0);
  check_exactly (&t, cgwi_put_header (t.bytes, &e, w->escaped, &w->part),
                 spare, "header");
}

/* What the lines around the events have to spare: the NULs of the texts, the
   keys that are shorter than "thread:", and the slack.  Each event has
   four bytes, for the blank, the newline and two NULs are counted once too
   often.  The summary's place is that of the most events.  */
#define HEADER_SPARE (18 + CGWI_NUMBER_SLACK)
#define EVENT_SPARE 4

Test (bounds, header)
{
  static const size_t n_events[] = { 1, 2, 199, CGW_EVENTS_MAX };
  static struct wide_part w;

  for (int i = 0; i < 4; i++)
    {
      make_wide_part (&w, n_events[i], NULL);
      check_valid (&w.part, n_events[i]);
      check_header (&w, n_events[i],
                    HEADER_SPARE + EVENT_SPARE * n_events[i]
                        + (CGW_EVENTS_MAX - n_events[i])
                              * (1 + CGWI_NUMBER_MAX));
      free (w.escaped);
    }
}

/* A derived event has a place in events: that it does not use, and its formula
   there, too.  */
Test (bounds, header_with_a_formula)
{
  static const char formula[] = "2Event0+2147483647Event1+3*Event199";
  static const char written[] = " = 2 Event0 + 2147483647 Event1 + 3 Event199";
  static struct wide_part w;

  make_wide_part (&w, CGW_EVENTS_MAX, formula);
  check_valid (&w.part, CGW_EVENTS_MAX);
  check_header (&w, CGW_EVENTS_MAX,
                HEADER_SPARE + EVENT_SPARE * (CGW_EVENTS_MAX + 1)
                    + strlen (" Sum") + 2 * cgwi_formula_max (formula)
                    - strlen (written));
  free (w.escaped);
}

/* Numbers of 20 digits, with the part's number for want of the caller's.  */
Test (bounds, header_of_a_later_part)
{
  static struct wide_part w;
  struct cgwi_encoder e = { .positions = CGW_INSTR_LINE, .n_events = 1,
                            .part = UINT32_MAX };
  struct text t;

  make_wide_part (&w, 1, NULL);
  w.part.pid = w.part.number = w.part.thread = 0;
  make_text (&t, cgwi_header_max ("", &w.part), 0);
  check_text (&t, cgwi_put_header (t.bytes, &e, "", &w.part), SIZE_MAX / 2,
              "header of a later part");
  free (w.escaped);
}

/* What the file's parts must have in common: with the NUL behind it, that is a
   string on the heap.  A formula's bound is the only one with more to
   spare.  */
Test (bounds, all_events)
{
  static const char formula[] = "2Event0+2Event1";
  static struct wide_part w;
  struct text t;
  char *end;

  for (int with_formula = 0; with_formula < 2; with_formula++)
    {
      make_wide_part (&w, CGW_EVENTS_MAX, with_formula ? formula : NULL);
      make_text (&t, cgwi_all_events_max (&w.part), 1);
      end = cgwi_put_all_events (t.bytes, &w.part);
      *end = '\0';
      check_text (&t, end,
                  SPARE + (with_formula ? cgwi_formula_max (formula) : 0),
                  "all events");
      free (w.escaped);
    }
}

/* Sums a[i] + b[i] that are as long as a number can be.  */
static void
make_longest_sums (uint64_t a[CGW_EVENTS_MAX], uint64_t b[CGW_EVENTS_MAX])
{
  for (size_t i = 0; i < CGW_EVENTS_MAX; i++)
    {
      a[i] = UINT64_MAX - i;
      b[i] = i;
    }
}

Test (bounds, sums)
{
  static const size_t n_events[] = { 1, 2, CGW_EVENTS_MAX };
  uint64_t a[CGW_EVENTS_MAX], b[CGW_EVENTS_MAX];
  struct text t;

  make_longest_sums (a, b);
  for (int i = 0; i < 3; i++)
    {
      make_text (&t, cgwi_sums_max (n_events[i]), CGWI_NUMBER_SLACK);
      check_text (&t,
                  cgwi_put_sums (t.bytes, "summary:", a, b, n_events[i],
                                 n_events[i]),
                  SPARE, "sums");
    }
}

static void
check_cachegrind_header (const struct wide_part *w, size_t spare)
{
  struct text t;

  /* No number: no slack.  */
  make_text (&t, cgwi_cachegrind_header_max (&w->part), 0);
  check_text (&t, cgwi_put_cachegrind_header (t.bytes, w->escaped, &w->part),
              spare, "cachegrind header");
}

/* Each escape is whole, so up to 3 bytes of what a cut leaves stay empty, of
   cmd and of the one desc that there is room for.  */
Test (bounds, cachegrind_header)
{
  static const size_t n_events[] = { 1, CGW_EVENTS_MAX };
  static struct wide_part w;

  for (int i = 0; i < 2; i++)
    {
      make_wide_part (&w, n_events[i], NULL);
      check_cachegrind_header (&w, 2 * 3 + SPARE);
      w.part.n_desc = 0;
      check_cachegrind_header (&w, 2 * 3 + SPARE);
      w.part.cmd = NULL;
      check_cachegrind_header (&w, CGWI_CACHEGRIND_TEXT_MAX + 3 + SPARE);
      free (w.escaped);
    }
}

/* However many, however long: they stop at their bound.  */
Test (bounds, cachegrind_descs)
{
  enum { DESCS = 600 };
  static char text[1100];
  const char *desc[DESCS];
  static struct wide_part w;

  make_wide_part (&w, 1, NULL);
  w.part.desc = desc;
  w.part.n_desc = DESCS;
  for (int i = 0; i < DESCS; i++)
    desc[i] = text;
  for (size_t length = 0; length < sizeof text - 1; length++)
    {
      memset (text, 'x', length);
      check_cachegrind_header (&w, 10 + 3 + SPARE);
    }
  free (w.escaped);
}
