/* spec_fixtures.c - writes the examples of the format's specification, as files
   here.  With the flags of each fixture, its body is that of the specification, byte
   for byte, with two exceptions:

   - predefined: the specification defines all ids ahead of the costs.
     KCachegrind binds a function to the file that is current where its id is
     defined, and so would put every function into the last file; libcgw defines
     an id where it is used first.  The comments and the meaning are the same.
   - The two examples with addresses have no fl=; libcgw writes fl=??? for an
     unknown file.  The second of them also moves from line 90 to 91 by "+1".
     libcgw writes "91", because it writes a relative number only if that is
     shorter.

   The header is larger than in the specification: version:, creator: and
   positions: are always there, and totals: ends the part.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <cgw.h>
#include <stdio.h>

#define COUNT(array) (sizeof (array) / sizeof *(array))

static struct cgw_names *names; /* of all fixtures */

/* A function that writes the records of an example.  It need not check
   statuses: cgw_finish returns the first error.  */
typedef void records (struct cgw_writer *w);

static void
simple (struct cgw_writer *w)
{
  struct cgw_file file = cgw_add_file (names, "file.f");
  struct cgw_object none = { 0 };
  struct cgw_pos at = { .fn = cgw_add_fn (names, "main", file, none) };

  at.line = 15;
  cgw_cost (w, &at, (const uint64_t[]){ 90, 14, 2 }, 3);
  at.line = 16;
  cgw_cost (w, &at, (const uint64_t[]){ 20, 12 }, 2);
}

/* One call from a line, with its inclusive cost.  */
static void
call (struct cgw_writer *w, struct cgw_fn from, uint32_t line,
      struct cgw_fn to, uint32_t to_line, uint64_t count, uint64_t cost)
{
  const struct cgw_pos source = { .fn = from, .line = line };
  const struct cgw_pos target = { .fn = to, .line = to_line };

  cgw_call (w, &source, &target, count, &cost, 1);
}

static void
self (struct cgw_writer *w, struct cgw_fn fn, uint32_t line, uint64_t cost)
{
  const struct cgw_pos at = { .fn = fn, .line = line };

  cgw_cost (w, &at, &cost, 1);
}

/* main calls func1 once and func2 3 times; func1 calls func2 twice.  */
static void
extended (struct cgw_writer *w)
{
  struct cgw_object none = { 0 };
  struct cgw_file file1 = cgw_add_file (names, "file1.c");
  struct cgw_file file2 = cgw_add_file (names, "file2.c");
  struct cgw_fn main_fn = cgw_add_fn (names, "main", file1, none);
  struct cgw_fn func1 = cgw_add_fn (names, "func1", file1, none);
  struct cgw_fn func2 = cgw_add_fn (names, "func2", file2, none);

  self (w, main_fn, 16, 20);
  call (w, main_fn, 16, func1, 50, 1, 400);
  call (w, main_fn, 16, func2, 20, 3, 400);
  self (w, func1, 51, 100);
  call (w, func1, 51, func2, 20, 2, 300);
  self (w, func2, 20, 700);
}

static void
predefined (struct cgw_writer *w)
{
  cgw_comment (w, "define file ID mapping");
  cgw_comment (w, "define function ID mapping");
  extended (w);
}

static void
addresses (struct cgw_writer *w)
{
  struct cgw_file unknown = { 0 };
  struct cgw_object none = { 0 };
  struct cgw_pos at = { .fn = cgw_add_fn (names, "func", unknown, none) };

  at.instr = 0x80001234;
  at.line = 90;
  cgw_cost (w, &at, (const uint64_t[]){ 1 }, 1);
  at.instr = 0x80001237;
  cgw_cost (w, &at, (const uint64_t[]){ 5 }, 1);
  at.instr = 0x80001238;
  at.line = 91;
  cgw_cost (w, &at, (const uint64_t[]){ 6 }, 1);
}

/* What the document says about the header, in one file: long names, derived
   events and a known summary.  */
static void
header (struct cgw_writer *w)
{
  struct cgw_file file = cgw_add_file (names, "file.f");
  struct cgw_object none = { 0 };
  struct cgw_pos at = { .fn = cgw_add_fn (names, "main", file, none),
                        .line = 15 };

  cgw_cost (w, &at, (const uint64_t[]){ 90, 14 }, 2);
}

static const struct cgw_event cycles[] = { { "Cycles", NULL, NULL },
                                           { "Instructions", NULL, NULL },
                                           { "Flops", NULL, NULL } };
static const struct cgw_event instructions[]
  = { { "Instructions", NULL, NULL } };
static const struct cgw_event ticks[] = { { "ticks", NULL, NULL } };
static const struct cgw_event fetches[]
  = { { "Ir", "Instruction Fetches", NULL },
      { "Dr", NULL, NULL },
      { "Sum", NULL, "Ir + Dr" } };
static const uint64_t full_cost[] = { 100, 20 };

#define PLAIN (CGW_PLAIN_NAMES | CGW_ABSOLUTE)

static const struct fixture
{
  const char *name;
  unsigned flags;
  unsigned positions;
  const struct cgw_event *events;
  size_t n_events;
  records *write;
} fixtures[] = {
  { "simple", PLAIN, CGW_LINE, cycles, COUNT (cycles), simple },
  { "extended", PLAIN, CGW_LINE, instructions, 1, extended },
  { "names", CGW_ABSOLUTE, CGW_LINE, instructions, 1, extended },
  { "predefined", CGW_ABSOLUTE, CGW_LINE, instructions, 1, predefined },
  { "absolute", PLAIN, CGW_INSTR_LINE, ticks, 1, addresses },
  { "relative", CGW_PLAIN_NAMES, CGW_INSTR_LINE, ticks, 1, addresses },
  { "header", PLAIN, CGW_LINE, fetches, COUNT (fetches), header },
};

static struct cgw_part
part_of (const struct fixture *fixture)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = fixture->events;
  part.n_events = fixture->n_events;
  part.positions = fixture->positions;
  if (fixture->events == fetches)
    {
      part.summary = full_cost;
      part.n_summary = COUNT (full_cost);
    }
  return part;
}

static enum cgw_status
make_fixture (const struct fixture *fixture)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = part_of (fixture);
  struct cgw_writer *w;
  enum cgw_status status;
  char path[100];

  snprintf (path, sizeof path, "%s.callgrind", fixture->name);
  options.flags = fixture->flags;
  cgw_open (&w, names, path, &options);
  cgw_begin_part (w, &part);
  fixture->write (w);
  status = cgw_finish (w);
  if (status != CGW_OK)
    fprintf (stderr, "%s: %s\n", path, cgw_explain (w));
  cgw_free (w);
  return status;
}

int
main (void)
{
  cgw_names_new (&names, NULL);
  for (size_t i = 0; i < COUNT (fixtures); i++)
    if (make_fixture (&fixtures[i]) != CGW_OK)
      return 1;
  cgw_names_free (names);
  return 0;
}
