/* same_bytes.c - writes a profile of all kinds of records to standard output,
   which has the same bytes on all systems: see tests/arch.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <cgw.h>
#include <stdio.h>
#include <string.h>

#define FNS 60

static struct cgw_names *names;
static struct cgw_writer *w;
static struct cgw_fn fns[FNS];
static struct cgw_file files[5];
static uint64_t random_state = 1;

/* The same numbers everywhere, of all lengths.  */
static uint64_t
next (void)
{
  random_state = random_state * UINT64_C (6364136223846793005) + 1;
  return random_state >> 11;
}

static uint64_t
of_any_length (void)
{
  unsigned length = (unsigned)(next () % 50);
  return next () & ((UINT64_C (1) << length) - 1);
}

static void
add_names (void)
{
  static const char *const odd[]
      = { "(1) id", "two\nlines",  "\xff\xfe", " blank ",
          "",       "caf\xc3\xa9", "\x7f\x80", "f\xe2\x80\xa8g" };
  static char longest[CGW_NAME_MAX + 100];
  struct cgw_object objects[3];
  char text[40];

  memset (longest, 'n', sizeof longest - 1);
  for (int i = 0; i < 3; i++)
    {
      snprintf (text, sizeof text, "/usr/lib/lib%d.so", i);
      objects[i] = cgw_add_object (names, text);
    }
  for (int i = 0; i < 5; i++)
    {
      snprintf (text, sizeof text, "/usr/src/dir %d/file.c", i);
      files[i] = cgw_add_file (names, text);
    }
  for (int i = 0; i < FNS; i++)
    {
      const char *name = text;

      snprintf (text, sizeof text, "function_%d", i);
      if (i < (int)(sizeof odd / sizeof *odd))
        name = odd[i];
      else if (i == 20)
        name = longest;
      fns[i] = cgw_add_fn (names, name, files[i % 5], objects[i % 3]);
    }
}

static struct cgw_pos
position (void)
{
  struct cgw_pos pos = { .fn = fns[next () % FNS] };

  if (next () % 4 == 0)
    pos.file = files[next () % 5];
  pos.line = (uint32_t)of_any_length ();
  pos.instr = of_any_length ();
  return pos;
}

/* Records of all kinds.  Jumps stay in their function.  */
static void
records (unsigned n)
{
  while (n-- > 0)
    {
      struct cgw_pos from = position (), to = position ();
      uint64_t cost[3] = { of_any_length (), next () % 3, of_any_length () };
      uint64_t count = 1 + of_any_length ();

      switch (next () % 8)
        {
        case 0:
          cgw_call (w, &from, &to, count, cost, 3);
          break;
        case 1:
          to.fn = from.fn;
          cgw_jump (w, &from, &to, count);
          break;
        case 2:
          to.fn = from.fn;
          cgw_cond_jump (w, &from, &to, count, count + next () % 100);
          break;
        default:
          cgw_cost (w, &from, cost, next () % 4);
        }
    }
}

/* Sums, and stacks with recursion.  */
static void
sums (const struct cgw_part *part)
{
  struct cgw_profile *p;
  struct cgw_pos frames[12];
  uint64_t cost[3];

  if (cgw_profile_new (&p, names, 3, part->positions) != CGW_OK)
    return;
  for (int i = 0; i < 2000; i++)
    {
      size_t depth = 1 + (size_t)(next () % 12);

      for (size_t frame = 0; frame < depth; frame++)
        frames[frame] = position ();
      for (int event = 0; event < 3; event++)
        cost[event] = next () % 1000;
      cgw_profile_stack (p, frames, depth, 1, cost, 3);
      cgw_profile_cost (p, frames, cost, 3);
      cgw_profile_call (p, frames, &frames[depth - 1], 1, cost, 3);
    }
  cgw_profile_write (p, w, part);
  cgw_profile_free (p);
}

int
main (void)
{
  static const struct cgw_event events[]
      = { { "Ir", "Instructions", NULL },
          { "Dr", NULL, NULL },
          { "Dw", NULL, NULL },
          { "Sum", "All", "Ir + 10 Dr + Dw" } };
  static const char *const desc[] = { "Trigger: interval", "Info: \x01" };
  struct cgw_part part = CGW_PART_INIT;
  int status;

  if (cgw_names_new (&names, NULL) != CGW_OK
      || cgw_open_fd (&w, names, 1, NULL) != CGW_OK)
    return 1;
  part.events = events;
  part.n_events = 4;
  part.positions = CGW_INSTR_LINE;
  part.cmd = "program \\ with a\nnewline";
  part.desc = desc;
  part.n_desc = 2;
  add_names ();
  for (part.number = 1; part.number <= 3; part.number++)
    {
      if (cgw_begin_part (w, &part) != CGW_OK)
        return 2;
      records (5000);
      cgw_comment (w, "a comment");
    }
  sums (&part);
  status = cgw_finish (w) == CGW_OK ? 0 : 3;
  cgw_free (w);
  cgw_names_free (names);
  return status;
}
