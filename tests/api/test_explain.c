/* test_explain.c - the usual mistakes: what cgw_explain says of each, right
   after the call, and at the end to a program that checks cgw_finish alone.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t costs[2] = { 1, 2 };
static const struct cgw_event ir = { "Ir", NULL, NULL };
static const struct cgw_pos here = { .line = 1 };

/* A program that makes one mistake.  */
struct program
{
  struct cgw_writer *w;
  char path[4096];
  int fd;
};

/* Mistakes before the writer: each returns the status of the call.  */

static enum cgw_status
new_on (struct program *p, int fd)
{
  return cgw_new (&p->w, fd, NULL);
}

static enum cgw_status
negative_fd (struct program *p)
{
  return new_on (p, -1);
}

static enum cgw_status
read_only_fd (struct program *p)
{
  int fd = dup2 (open ("/dev/null", O_RDONLY), 20);
  enum cgw_status status = new_on (p, fd);

  close (fd);
  return status;
}

static enum cgw_status
closed_fd (struct program *p)
{
  return new_on (p, 21);
}

static enum cgw_status
options_without_init (struct program *p)
{
  struct cgw_options o = { .flags = CGW_ABSOLUTE };

  return cgw_new (&p->w, p->fd, &o);
}

static enum cgw_status
options_of_rubbish (struct program *p)
{
  struct cgw_options o;

  memset (&o, 0x5a, sizeof o);
  return cgw_new (&p->w, p->fd, &o);
}

static enum cgw_status
unknown_flag (struct program *p)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_THREADS | 0x100;
  return cgw_new (&p->w, p->fd, &o);
}

static enum cgw_status
huge_buffer (struct program *p)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = (size_t) 1 << (sizeof (size_t) * 8 - 1);
  return cgw_new (&p->w, p->fd, &o);
}

static enum cgw_status
many_slots (struct program *p)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.queue_slots = 1u << 25;
  return cgw_new (&p->w, p->fd, &o);
}

static enum cgw_status
hook_and_path (struct program *p)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.write = sink_write;
  return cgw_create (&p->w, p->path, &o);
}

static enum cgw_status
null_path (struct program *p)
{
  return cgw_create (&p->w, NULL, NULL);
}

static enum cgw_status
percent_d (struct program *p)
{
  return cgw_create (&p->w, "profile.%d", NULL);
}

static enum cgw_status
device (struct program *p)
{
  return cgw_create (&p->w, "/dev/null", NULL);
}

static enum cgw_status
directory (struct program *p)
{
  return cgw_create (&p->w, "/tmp", NULL);
}

static enum cgw_status
missing_directory (struct program *p)
{
  return cgw_create (&p->w, "/no/such/profile", NULL);
}

static enum cgw_status
file_as_directory (struct program *p)
{
  return cgw_create (&p->w, "/dev/null/profile", NULL);
}

/* Parts.  */

static enum cgw_status
start (struct program *p)
{
  return cgw_new (&p->w, p->fd, NULL);
}

static enum cgw_status
begin (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
begin_with (struct program *p, const struct cgw_event *events, size_t n)
{
  struct cgw_part part = written_part_of (events, n);

  start (p);
  return cgw_begin_part (p->w, &part);
}

#define BEGIN_WITH(p, ...)                                                    \
  begin_with (p, (const struct cgw_event[]){ __VA_ARGS__ },                   \
              sizeof ((const struct cgw_event[]){ __VA_ARGS__ })              \
                  / sizeof (struct cgw_event))

static enum cgw_status
null_part (struct program *p)
{
  start (p);
  return cgw_begin_part (p->w, NULL);
}

static enum cgw_status
part_without_init (struct program *p)
{
  struct cgw_part part = { .events = &ir, .n_events = 1 };

  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
part_of_a_newer_library (struct program *p)
{
  struct
  {
    struct cgw_part part;
    uint64_t unknown;
  } newer = { written_part_of (&ir, 1), UINT64_MAX };

  newer.part.size = sizeof newer;
  start (p);
  return cgw_begin_part (p->w, &newer.part);
}

static enum cgw_status
no_events (struct program *p)
{
  return begin_with (p, NULL, 0);
}

static enum cgw_status
only_derived (struct program *p)
{
  return BEGIN_WITH (p, { "Sum", NULL, "" });
}

static enum cgw_status
all_events_derived (struct program *p)
{
  static const struct cgw_event events[] = { { "Ir", NULL, "2" } };

  return begin_with (p, events, 1);
}

static enum cgw_status
many_events (struct program *p)
{
  static struct cgw_event events[201];
  static char names[201][8];

  for (int i = 0; i < 201; i++)
    {
      snprintf (names[i], sizeof names[i], "E%d", i);
      events[i].name = names[i];
    }
  return begin_with (p, events, 201);
}

static enum cgw_status
null_name (struct program *p)
{
  return BEGIN_WITH (p, { "Ir", NULL, NULL }, { NULL, NULL, NULL });
}

static enum cgw_status
blank_in_name (struct program *p)
{
  return BEGIN_WITH (p, { "Ir", NULL, NULL }, { "wall time", NULL, NULL });
}

static enum cgw_status
newline_in_name (struct program *p)
{
  return BEGIN_WITH (p, { "Ir\n", NULL, NULL });
}

static enum cgw_status
long_name_of_colon (struct program *p)
{
  return BEGIN_WITH (p, { "cycles:u", "User cycles", NULL });
}

static enum cgw_status
duplicate (struct program *p)
{
  return BEGIN_WITH (p, { "Ir", NULL, NULL }, { "Dr", NULL, NULL },
                     { "Ir", NULL, NULL });
}

static enum cgw_status
formula_of_nothing (struct program *p)
{
  return BEGIN_WITH (p, { "Ir", NULL, NULL }, { "Sum", NULL, "Ir + Dr" });
}

static enum cgw_status
formula_of_parentheses (struct program *p)
{
  return BEGIN_WITH (p, { "Ir", NULL, NULL }, { "Sum", NULL, "2 (Ir)" });
}

static enum cgw_status
formula_without_sign (struct program *p)
{
  return BEGIN_WITH (p, { "Ir", NULL, NULL }, { "Sum", NULL, "Ir Ir" });
}

static enum cgw_status
bad_positions (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  part.positions = 7;
  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
long_summary (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  part.summary = costs;
  part.n_summary = 2;
  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
null_summary (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  part.n_summary = 1;
  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
null_desc (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  part.n_desc = 2;
  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
null_in_desc (struct program *p)
{
  static const char *const desc[] = { "Trigger: interval", NULL };
  struct cgw_part part = written_part_of (&ir, 1);

  part.desc = desc;
  part.n_desc = 2;
  start (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
other_events (struct program *p)
{
  static const struct cgw_event dr = { "Dr", NULL, NULL };
  struct cgw_part part = written_part_of (&dr, 1);

  begin (p);
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
other_positions (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  begin (p);
  part.positions = CGW_INSTR;
  return cgw_begin_part (p->w, &part);
}

static enum cgw_status
second_cachegrind_part (struct program *p)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = written_part_of (&ir, 1);

  o.flags = CGW_CACHEGRIND;
  cgw_new (&p->w, p->fd, &o);
  cgw_begin_part (p->w, &part);
  return cgw_begin_part (p->w, &part);
}

/* Records.  */

static enum cgw_status
before_a_part (struct program *p)
{
  start (p);
  return cgw_cost (p->w, &here, costs, 1);
}

static enum cgw_status
null_position (struct program *p)
{
  begin (p);
  return cgw_cost (p->w, NULL, costs, 1);
}

static enum cgw_status
null_target (struct program *p)
{
  begin (p);
  return cgw_jump (p->w, &here, NULL, 1);
}

static enum cgw_status
null_costs (struct program *p)
{
  begin (p);
  return cgw_call (p->w, &here, &here, 1, NULL, 1);
}

static enum cgw_status
many_costs (struct program *p)
{
  begin (p);
  return cgw_cost (p->w, &here, costs, 2);
}

static enum cgw_status
count_zero (struct program *p)
{
  begin (p);
  return cgw_call (p->w, &here, &here, 0, costs, 1);
}

static enum cgw_status
jump_to_another_object (struct program *p)
{
  struct cgw_pos there = { .line = 1 };

  begin (p);
  there.fn = written_fn (p->w, "o", "f", "g");
  return cgw_cond_jump (p->w, &here, &there, 1, 1);
}

/* A handle of a writer that was freed.  */
static struct cgw_fn
foreign_fn (void)
{
  struct cgw_writer *other;
  struct cgw_fn fn;
  int fd = open ("/dev/null", O_WRONLY);

  cgw_new (&other, fd, NULL);
  fn = written_fn (other, "o", "f", "g");
  cgw_free (other);
  close (fd);
  return fn;
}

static enum cgw_status
foreign_position (struct program *p)
{
  struct cgw_pos at = { .fn = foreign_fn () };

  begin (p);
  return cgw_cost (p->w, &at, costs, 1);
}

static enum cgw_status
foreign_file (struct program *p)
{
  struct cgw_pos at = { .file = { foreign_fn ().handle } };

  begin (p);
  return cgw_call (p->w, &here, &at, 1, costs, 1);
}

static enum cgw_status
foreign_file_of_a_name (struct program *p)
{
  struct cgw_file file = { foreign_fn ().handle };

  begin (p);
  cgw_add_fn (p->w, "main", file, (struct cgw_object){ 0 });
  return cgw_error (p->w);
}

static enum cgw_status
null_comment (struct program *p)
{
  begin (p);
  return cgw_comment (p->w, NULL);
}

/* The first mistake explains what follows from it.  */
static enum cgw_status
costs_after_a_refused_part (struct program *p)
{
  other_events (p);
  cr_expect_eq (cgw_cost (p->w, &here, costs, 1), CGW_EORDER);
  return cgw_error (p->w);
}

/* Profiles.  */

static enum cgw_status
profile_of_no_events (struct program *p)
{
  struct cgw_profile *profile;

  start (p);
  return cgw_profile_new (&profile, p->w, 0, 0);
}

static enum cgw_status
profile_of_bad_positions (struct program *p)
{
  struct cgw_profile *profile;

  start (p);
  return cgw_profile_new (&profile, p->w, 1, 4);
}

static enum cgw_status
write_profile (struct program *p, size_t n_events, unsigned positions,
               const struct cgw_part *part)
{
  struct cgw_profile *profile;
  enum cgw_status status;

  cgw_profile_new (&profile, p->w, n_events, positions);
  status = cgw_profile_write (profile, part);
  cgw_profile_free (profile);
  return status;
}

static enum cgw_status
profile_of_another_shape (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  start (p);
  return write_profile (p, 2, CGW_LINE, &part);
}

static enum cgw_status
profile_of_other_positions (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  start (p);
  return write_profile (p, 1, CGW_INSTR, &part);
}

static enum cgw_status
profile_after_another_part (struct program *p)
{
  static const struct cgw_event dr = { "Dr", NULL, NULL };
  struct cgw_part part = written_part_of (&dr, 1);

  begin (p);
  return write_profile (p, 1, CGW_LINE, &part);
}

static enum cgw_status
refused_by_the_profile (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);
  struct cgw_profile *profile;

  start (p);
  cgw_profile_new (&profile, p->w, 1, 0);
  cr_expect_eq (cgw_profile_cost (profile, &here, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_profile_write (profile, &part), CGW_OK);
  cgw_profile_free (profile);
  return cgw_error (p->w);
}

/* The end.  */

static enum cgw_status
no_part (struct program *p)
{
  start (p);
  return cgw_finish (p->w);
}

static enum cgw_status
finish_twice (struct program *p)
{
  begin (p);
  cgw_finish (p->w);
  return cgw_finish (p->w);
}

static enum cgw_status
null_stats (struct program *p)
{
  begin (p);
  return cgw_get_stats (p->w, NULL);
}

static enum cgw_status
stats_without_init (struct program *p)
{
  struct cgw_stats s = { .n_costs = 0 };

  begin (p);
  return cgw_get_stats (p->w, &s);
}

static enum cgw_status
reset_to_a_closed_fd (struct program *p)
{
  begin (p);
  return cgw_reset (p->w, 21);
}

static enum cgw_status
recreate_without_a_path (struct program *p)
{
  begin (p);
  return cgw_recreate (p->w, NULL);
}

static enum cgw_status
recreate_at_a_directory (struct program *p)
{
  begin (p);
  return cgw_recreate (p->w, "/tmp");
}

static enum cgw_status
recreate_with_a_hook (struct program *p)
{
  struct sink sink = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = written_part_of (&ir, 1);

  o.write = sink_write;
  o.write_context = &sink;
  cgw_new (&p->w, -1, &o);
  cgw_begin_part (p->w, &part);
  sink_free (&sink);
  return cgw_recreate (p->w, p->path);
}

static enum cgw_status
full_disk (struct program *p)
{
  struct cgw_part part = written_part_of (&ir, 1);

  cgw_new (&p->w, open ("/dev/full", O_WRONLY | O_CLOEXEC), NULL);
  cgw_begin_part (p->w, &part);
  cgw_cost (p->w, &here, costs, 1);
  return cgw_flush (p->w);
}

/* What cgw_finish returns after the mistake: the same, or something else.  */
#define SAME (-1)

static const struct mistake
{
  const char *name;
  enum cgw_status (*make) (struct program *p);
  enum cgw_status status;
  int finish;
  const char *sentence; /* or its beginning, if that ends with a blank */
} mistakes[] = {
#define MISTAKE(name, status, finish, sentence)                               \
  { #name, name, CGW_##status, finish, sentence }
  MISTAKE (negative_fd, EINVAL, SAME, "fd is negative: it was not opened"),
  MISTAKE (read_only_fd, EINVAL, SAME,
           "fd is 20, which is not open for writing"),
  MISTAKE (closed_fd, EINVAL, SAME,
           "fd is 21, which is not open for writing"),
  MISTAKE (options_without_init, EINVAL, SAME,
           "options.size is 0: initialize the struct with CGW_OPTIONS_INIT"),
  MISTAKE (options_of_rubbish, EINVAL, SAME,
           sizeof (size_t) == 8
               ? "options.size is 6510615555426900570: initialize the struct "
                 "with CGW_OPTIONS_INIT"
               : "options.size is 1515870810: initialize the struct with "
                 "CGW_OPTIONS_INIT"),
  MISTAKE (unknown_flag, EINVAL, SAME,
           "options.flags has 0x100, which libcgw " CGW_VERSION_STRING
           " does not know"),
  MISTAKE (huge_buffer, EINVAL, SAME,
           sizeof (size_t) == 8
               ? "options.buffer_size is 9223372036854775808, too much for an "
                 "address space"
               : "options.buffer_size is 2147483648, too much for an address "
                 "space"),
  MISTAKE (many_slots, EINVAL, SAME,
           "options.queue_slots is 33554432: at most 16777216"),
  MISTAKE (hook_and_path, EINVAL, SAME,
           "options.write: cgw_create writes to a file; cgw_new takes a write "
           "hook"),
  MISTAKE (null_path, EINVAL, SAME, "path is NULL"),
  MISTAKE (percent_d, EINVAL, SAME,
           "path \"profile.%d\": of % only %p, the process id, and %% are "
           "allowed"),
  MISTAKE (device, EFILE, SAME,
           "path \"/dev/null\": a device or a FIFO (EINVAL)"),
  MISTAKE (directory, EFILE, SAME, "path \"/tmp\": a directory (EISDIR)"),
  MISTAKE (missing_directory, EIO, SAME,
           "path \"/no/such/profile\": a directory of the path does not exist "
           "(ENOENT)"),
  MISTAKE (file_as_directory, EIO, SAME,
           "path \"/dev/null/profile\": a part of the path is not a directory "
           "(ENOTDIR)"),

  MISTAKE (null_part, EINVAL, SAME, "part is NULL"),
  MISTAKE (part_without_init, EINVAL, SAME,
           "part.size is 0: initialize the struct with CGW_PART_INIT"),
  MISTAKE (part_of_a_newer_library, EINVAL, SAME,
           "part has a member, at byte "),
  MISTAKE (no_events, EINVAL, SAME,
           "part.events is NULL, or part.n_events is 0: a part has at least "
           "one event"),
  MISTAKE (only_derived, EINVAL, SAME,
           "part.events[0].formula, \"\": at \"\", expected a number below "
           "2^31 or the name of an earlier event"),
  MISTAKE (all_events_derived, EINVAL, SAME,
           "part.events[0].formula, \"2\": at \"2\", expected a number below "
           "2^31 or the name of an earlier event"),
  MISTAKE (many_events, EINVAL, SAME,
           "part.events: 201 are not derived; KCachegrind reads at most 200"),
  MISTAKE (null_name, EINVAL, SAME, "part.events[1].name is NULL or empty"),
  MISTAKE (blank_in_name, EINVAL, SAME,
           "part.events[1].name, \"wall time\": a name has no blanks or "
           "control characters, and is UTF-8"),
  MISTAKE (newline_in_name, EINVAL, SAME,
           "part.events[0].name, \"Ir\\x0a\": a name has no blanks or control "
           "characters, and is UTF-8"),
  MISTAKE (long_name_of_colon, EINVAL, SAME,
           "part.events[0].name, \"cycles:u\": with a long name or a formula, "
           "a name has only letters, digits and _, and no digit first"),
  MISTAKE (duplicate, EINVAL, SAME,
           "part.events[2].name, \"Ir\": an earlier event has the same name"),
  MISTAKE (formula_of_nothing, EINVAL, SAME,
           "part.events[1].formula, \"Ir + Dr\": at \"Dr\", there is no "
           "earlier event of this name"),
  MISTAKE (formula_of_parentheses, EINVAL, SAME,
           "part.events[1].formula, \"2 (Ir)\": at \"2 (Ir)\", expected a "
           "number below 2^31 or the name of an earlier event"),
  MISTAKE (formula_without_sign, EINVAL, SAME,
           "part.events[1].formula, \"Ir Ir\": at \"Ir\", expected + or - and "
           "a number below 2^31 or the name of an earlier event"),
  MISTAKE (bad_positions, EINVAL, SAME,
           "part.positions is 7: it is CGW_LINE, CGW_INSTR or "
           "CGW_INSTR_LINE"),
  MISTAKE (long_summary, EINVAL, SAME,
           "part.n_summary is 2, but the part has 1 events that are not "
           "derived"),
  MISTAKE (null_summary, EINVAL, SAME,
           "part.summary is NULL, but part.n_summary is 1"),
  MISTAKE (null_desc, EINVAL, SAME,
           "part.desc is NULL, but part.n_desc is 2"),
  MISTAKE (null_in_desc, EINVAL, SAME,
           "part.desc[1] is NULL, but part.n_desc is 2"),
  MISTAKE (other_events, EINVAL, SAME,
           "part.events: all parts of a file have the events of its first "
           "part, which are \"Ir\""),
  MISTAKE (other_positions, EINVAL, SAME,
           "part.positions: all parts of a file have those of its first "
           "part"),
  MISTAKE (second_cachegrind_part, EINVAL, SAME,
           "a second part: with CGW_CACHEGRIND a file has one"),

  MISTAKE (before_a_part, EORDER, SAME,
           "cgw_cost: no part is open: cgw_begin_part comes first, and must "
           "succeed"),
  MISTAKE (null_position, EINVAL, SAME, "cgw_cost: pos is NULL"),
  MISTAKE (null_target, EINVAL, SAME, "cgw_jump: to is NULL"),
  MISTAKE (null_costs, EINVAL, SAME,
           "cgw_call: the costs are NULL, but n is 1"),
  MISTAKE (many_costs, ECOSTS, SAME,
           "cgw_cost: n is 2, but there are 1 events that are not derived"),
  MISTAKE (count_zero, EINVAL, SAME,
           "cgw_call: count is 0, for which callgrind_annotate takes inclusive "
           "cost for self cost; CGW_ZERO_CALLS allows it"),
  MISTAKE (jump_to_another_object, EINVAL, SAME,
           "cgw_cond_jump: to->fn is in another object than from->fn, and the "
           "format has no line for that"),
  MISTAKE (foreign_position, EHANDLE, SAME,
           "cgw_cost: pos->fn is a handle of another writer, or of one that "
           "was freed"),
  MISTAKE (foreign_file, EHANDLE, SAME,
           "cgw_call: to->file is a handle of another writer, or of one that "
           "was freed"),
  MISTAKE (foreign_file_of_a_name, EHANDLE, SAME,
           "cgw_add_fn, \"main\": file is a handle of another writer, or of "
           "one that was freed"),
  MISTAKE (null_comment, EINVAL, SAME, "text is NULL"),
  MISTAKE (costs_after_a_refused_part, EINVAL, SAME,
           "part.events: all parts of a file have the events of its first "
           "part, which are \"Ir\""),

  MISTAKE (profile_of_no_events, EINVAL, SAME,
           "cgw_profile_new: n_events is 0: 1 to 200"),
  MISTAKE (profile_of_bad_positions, EINVAL, SAME,
           "cgw_profile_new: positions is 4: it is CGW_LINE, CGW_INSTR or "
           "CGW_INSTR_LINE"),
  MISTAKE (profile_of_another_shape, EINVAL, SAME,
           "part.events: the profile was made for 2 events that are not "
           "derived, the part has 1"),
  MISTAKE (profile_of_other_positions, EINVAL, SAME,
           "part.positions are not those that the profile was made for"),
  MISTAKE (profile_after_another_part, EINVAL, SAME,
           "part.events: all parts of a file have the events of its first "
           "part, which are \"Ir\""),
  MISTAKE (refused_by_the_profile, ECOSTS, SAME,
           "an addition to a profile was refused: n is more than the number "
           "of the profile's events"),

  MISTAKE (no_part, EORDER, SAME,
           "the file has no part: call cgw_begin_part, or cgw_profile_write for sums, before cgw_finish"),
  MISTAKE (finish_twice, EFINISHED, CGW_EFINISHED,
           "the file is finished: cgw_recreate or cgw_reset starts the next "
           "one"),
  MISTAKE (null_stats, EINVAL, CGW_OK, "stats is NULL"),
  MISTAKE (stats_without_init, EINVAL, CGW_OK,
           "stats.size is 0: initialize the struct with CGW_STATS_INIT"),
  MISTAKE (reset_to_a_closed_fd, EINVAL, CGW_OK,
           "fd is 21, which is not open for writing"),
  MISTAKE (recreate_without_a_path, EINVAL, CGW_OK,
           "path is NULL, and the writer had no path before"),
  MISTAKE (recreate_at_a_directory, EFILE, CGW_OK,
           "path \"/tmp\": a directory (EISDIR)"),
  MISTAKE (recreate_with_a_hook, EINVAL, SAME,
           "the writer has a write hook: use cgw_reset"),
  MISTAKE (full_disk, EIO, SAME,
           "no space is left on the device (ENOSPC)"),
#undef MISTAKE
};

static bool
is_sentence (const struct mistake *m, const char *sentence)
{
  size_t n = strlen (m->sentence);

  return m->sentence[n - 1] == ' ' ? strncmp (sentence, m->sentence, n) == 0
                                   : strcmp (sentence, m->sentence) == 0;
}

static void
check (const struct mistake *m)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };
  enum cgw_status status = m->make (&p), end;
  const char *sentence = cgw_explain (p.w, status);

  cr_expect_eq (status, m->status, "%s: %s", m->name, cgw_strerror (status));
  cr_expect (is_sentence (m, sentence), "%s: %s", m->name, sentence);
  if (m->make != recreate_with_a_hook)
    {
      end = cgw_finish (p.w);
      cr_expect_eq (end, m->finish == SAME ? status : (unsigned) m->finish,
                    "%s: cgw_finish: %s", m->name, cgw_strerror (end));
      if (end != CGW_EFINISHED)
        cr_expect_eq (cgw_error (p.w), end, "%s: cgw_error", m->name);
      if (m->finish == SAME)
        cr_expect (is_sentence (m, cgw_explain (p.w, end)),
                   "%s: after cgw_finish: %s", m->name,
                   cgw_explain (p.w, end));
    }
  cgw_free (p.w);
  close (p.fd);
}

Test (explain, the_usual_mistakes)
{
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
    check (&mistakes[i]);
}

/* Statuses that need no culprit.  */

Test (explain, no_writer)
{
  static const char sentence[]
      = "the writer is NULL: cgw_new and cgw_create return one unless they "
        "find no memory";

  cr_expect_str_eq (cgw_explain (NULL, CGW_EINVAL), sentence);
  cr_expect_str_eq (cgw_explain (NULL, CGW_OK), cgw_strerror (CGW_OK));
  cr_expect_str_eq (cgw_explain (NULL, CGW_ECOSTS), cgw_strerror (CGW_ECOSTS));
}

Test (explain, no_error)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);

  cr_expect_str_eq (cgw_explain (w, CGW_OK), cgw_strerror (CGW_OK));
  cr_expect_eq (written_part (w, "Dr", CGW_LINE), CGW_EINVAL);
  cr_expect_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  cr_expect_str_eq (cgw_explain (w, CGW_OK), cgw_strerror (CGW_OK));
  written_end (&f, CGW_OK);
  written_free (&f);
}

/* A child's copy says so, whatever the parent's writer has.  */
Test (explain, a_forked_child)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };
  pid_t child;
  int status;

  before_a_part (&p);
  child = fork ();
  if (child == 0)
    _exit (cgw_finish (p.w) != CGW_EFORK || cgw_error (p.w) != CGW_EFORK
           || strcmp (cgw_explain (p.w, CGW_EFORK),
                      cgw_strerror (CGW_EFORK)) != 0
           || cgw_free (p.w) != CGW_OK);
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_expect_eq (status, 0);
  cgw_free (p.w);
  close (p.fd);
}

Test (explain, free_before_finish)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };

  cr_expect_eq (cgw_free (NULL), CGW_OK);
  start (&p);
  cr_expect_eq (cgw_free (p.w), CGW_OK);
  begin (&p);
  cr_expect_eq (cgw_free (p.w), CGW_EORDER);
  begin (&p);
  cgw_finish (p.w);
  cr_expect_eq (cgw_free (p.w), CGW_OK);
  close (p.fd);
}

/* What was refused and then succeeds is no error.  */

static void *
allocate (void *context, void *p, size_t n)
{
  const bool *empty = context;

  if (n == 0)
    free (p);
  return n == 0 || *empty ? NULL : realloc (p, n);
}

/* Texts for which no memory is left over.  */
static const char *
long_text (char letter)
{
  static char text[2][300000];
  char *t = text[letter % 2];

  memset (t, letter, sizeof text[0] - 1);
  return t;
}

static struct cgw_writer *
open_starved (struct written *f, bool *empty)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  *empty = false;
  o.allocate = allocate;
  o.allocate_context = empty;
  written_open (f, &o);
  cr_assert_eq (written_part (f->w, "Ir", CGW_LINE), CGW_OK);
  return f->w;
}

Test (explain, a_name_that_is_tried_again)
{
  const char *a = long_text ('a'), *b = long_text ('b');
  struct written f;
  bool empty;
  struct cgw_writer *w = open_starved (&f, &empty);

  for (int i = 0; i < 2; i++)
    {
      empty = true;
      cr_expect_eq (cgw_add_file (w, a).handle, 0);
      cr_expect_eq (cgw_add_file (w, a).handle, 0);
      cr_expect_eq (cgw_error (w), CGW_ENOMEM);
      empty = false;
      if (i == 1) /* another name is missing for good */
        {
          empty = true;
          cr_expect_eq (cgw_add_file (w, b).handle, 0);
          empty = false;
        }
      cr_expect_neq (cgw_add_file (w, "another").handle, 0);
      cr_expect_eq (cgw_error (w), CGW_ENOMEM);
      cr_expect_neq (cgw_add_file (w, a).handle, 0);
      cr_expect_eq (cgw_error (w), i == 0 ? CGW_OK : CGW_ENOMEM);
      a = long_text ('c');
    }
  written_end (&f, CGW_ENOMEM);
  written_free (&f);
}

Test (explain, a_comment_that_is_tried_again)
{
  const char *a = long_text ('a');
  struct written f;
  bool empty;
  struct cgw_writer *w = open_starved (&f, &empty);

  empty = true;
  cr_expect_eq (cgw_comment (w, a), CGW_ENOMEM);
  cr_expect_eq (cgw_error (w), CGW_ENOMEM);
  empty = false;
  cr_expect_eq (cgw_comment (w, a), CGW_OK);
  written_end (&f, CGW_OK);
  written_free (&f);
}

/* A record that was refused meanwhile stays an error.  */
Test (explain, a_retry_forgets_nothing_else)
{
  const char *a = long_text ('a');
  struct written f;
  bool empty;
  struct cgw_writer *w = open_starved (&f, &empty);

  empty = true;
  cgw_add_file (w, a);
  cgw_cost (w, NULL, NULL, 0);
  empty = false;
  cr_expect_neq (cgw_add_file (w, a).handle, 0);
  written_end (&f, CGW_ENOMEM);
  written_free (&f);
}

Test (explain, a_part_that_is_tried_again)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);
  struct cgw_profile *p;

  cr_expect_eq (written_part (w, "Dr", CGW_LINE), CGW_EINVAL);
  cr_expect_eq (cgw_error (w), CGW_EINVAL);
  cr_expect_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  cr_expect_eq (cgw_error (w), CGW_OK);
  cr_expect_eq (cgw_profile_new (&p, w, 0, 0), CGW_EINVAL);
  cr_expect_eq (cgw_error (w), CGW_EINVAL);
  cr_expect_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_end (&f, CGW_OK);
  written_free (&f);
}

/* A part that begins later does not make up for records that were refused with
   the one before.  */
Test (explain, a_part_that_is_tried_again_too_late)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);

  cr_expect_eq (written_part (w, "Dr", CGW_LINE), CGW_EINVAL);
  cr_expect_eq (cgw_cost (w, &here, costs, 1), CGW_EORDER);
  cr_expect_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_end (&f, CGW_EINVAL);
  written_free (&f);
}

/* The first error is kept, but for a late failure of the descriptor.  */
Test (explain, a_late_failure_is_not_hidden)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);

  cgw_cost (w, NULL, NULL, 0);
  cr_expect_eq (cgw_cost (w, &here, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_error (w), CGW_EINVAL);
  cgw_cost (w, &here, costs, 1);
  f.fail = ENOSPC;
  cr_expect_eq (cgw_finish (w), CGW_EIO);
  cr_expect_eq (cgw_error (w), CGW_EIO);
  cr_expect_str_eq (cgw_explain (w, CGW_EIO),
                    "no space is left on the device (ENOSPC)");
  cr_expect_str_eq (cgw_explain (w, CGW_EINVAL), "cgw_cost: pos is NULL");
  written_free (&f);
}

/* What comes after cgw_finish leaves nothing out of the file.  */
Test (explain, calls_after_the_end)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);
  struct cgw_profile *p, *none;

  cr_assert_eq (cgw_profile_new (&p, w, 1, 0), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cr_expect_eq (cgw_cost (w, NULL, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_call (w, &here, NULL, 1, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_cost (w, &here, costs, 2), CGW_EFINISHED);
  cr_expect_eq (cgw_begin_part (w, NULL), CGW_EFINISHED);
  cr_expect_eq (cgw_profile_new (&none, w, 0, 0), CGW_EINVAL);
  cr_expect_eq (cgw_profile_write (p, NULL), CGW_EFINISHED);
  cr_expect_eq (cgw_comment (w, NULL), CGW_EFINISHED);
  cr_expect_eq (cgw_add_file (w, "x").handle, 0);
  cr_expect_eq (cgw_error (w), CGW_OK);
  cgw_profile_free (p);
  written_free (&f);
}

Test (explain, a_first_part_that_is_refused_after_cgw_finish)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };

  cr_expect_eq (no_part (&p), CGW_EORDER);
  cr_expect_eq (cgw_begin_part (p.w, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_finish (p.w), CGW_EINVAL);
  cr_expect_str_eq (cgw_explain (p.w, CGW_EINVAL), "part is NULL");
  cgw_free (p.w);
  close (p.fd);
}

/* A sentence is that of the call that failed, or there is none.  */

Test (explain, not_the_call_before)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };
  struct cgw_profile *profile;

  null_stats (&p);
  cr_expect_eq (cgw_call (p.w, &here, &here, 0, costs, 1), CGW_EINVAL);
  cr_expect_eq (strncmp (cgw_explain (p.w, CGW_EINVAL), "cgw_call: count", 15),
                0, "%s", cgw_explain (p.w, CGW_EINVAL));
  cgw_free (p.w);

  begin (&p);
  cgw_profile_new (&profile, p.w, 1, 0);
  cgw_get_stats (p.w, NULL);
  cr_expect_eq (cgw_profile_cost (profile, NULL, costs, 1), CGW_EINVAL);
  cr_expect_str_eq (cgw_explain (p.w, CGW_EINVAL),
                    "cgw_profile_cost: pos is NULL");
  cgw_profile_free (profile);
  cgw_free (p.w);
  close (p.fd);
}

Test (explain, not_the_parents_call)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };
  pid_t child;
  int status;

  null_part (&p);
  child = fork ();
  if (child == 0)
    _exit (cgw_recreate (p.w, "%z") != CGW_EINVAL
           || strncmp (cgw_explain (p.w, CGW_EINVAL), "path \"%z\"", 9) != 0
           || cgw_reset (p.w, -1) != CGW_EINVAL
           || strncmp (cgw_explain (p.w, CGW_EINVAL), "fd is", 5) != 0);
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_expect_eq (status, 0);
  cgw_free (p.w);
  close (p.fd);
}

/* A long formula leaves room for what is wrong in it.  */
Test (explain, a_long_formula)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };
  char formula[1000];

  memset (formula, '(', sizeof formula - 1);
  formula[sizeof formula - 1] = '\0';
  BEGIN_WITH (&p, { "Ir", NULL, NULL }, { "Sum", NULL, formula });
  cr_expect_not_null (strstr (cgw_explain (p.w, CGW_EINVAL),
                              "the name of an earlier event"));
  cgw_free (p.w);
  close (p.fd);
}

/* Long and strange texts are quoted in part, and never leave the sentence.  */
Test (explain, long_texts)
{
  struct program p = { .fd = open ("/dev/null", O_WRONLY) };
  char name[1000];
  const char *sentence;

  memset (name, '\033', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  cr_expect_eq (BEGIN_WITH (&p, { "Ir", NULL, NULL }, { name, NULL, name }),
                CGW_EINVAL);
  sentence = cgw_explain (p.w, CGW_EINVAL);
  cr_expect_leq (strlen (sentence), 250);
  cr_expect_null (strchr (sentence, '\033'));
  cr_expect_not_null (strstr (sentence, "\\x1b...\": a name has no blanks"),
                      "%s", sentence);
  cgw_free (p.w);
  close (p.fd);
}
