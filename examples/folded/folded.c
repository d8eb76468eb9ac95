/* folded.c - reads folded stacks, as perf's stackcollapse and the tools around
   flame graphs write them, and writes a callgrind profile.

   A line is a stack, its frames outermost first, and how often it was seen:

     main;work;read_line 12

   cgw_profile adds them up, so it takes memory per function and edge, not per
   line.  lines.c reads; outfile.c takes care that the output appears whole or
   not at all.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <cgw.h>

#include "lines.h"
#include "memory.h"
#include "outfile.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  const char *in;
  const char *out;   /* NULL: standard output */
  const char *event;
  const char *root;  /* NULL, or what calls all stacks */
};

struct folded
{
  const struct options *options;
  const char *name; /* of the input, for messages */
  struct cgw_names *names;
  struct cgw_profile *sums;
  struct cgw_pos *frames; /* of one stack, the leaf first */
  uint32_t room;          /* for so many frames */
  uint64_t stacks;
};

/* Reading a line.  */

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t';
}

/* Cuts the blanks off both ends.  */
static char *
trim (char *text)
{
  size_t n;

  while (is_blank (*text))
    text++;
  n = strlen (text);
  while (n > 0 && is_blank (text[n - 1]))
    n--;
  text[n] = '\0';
  return text;
}

/* Reads a count; returns NULL, or what is wrong with it.  */
static const char *
parse_count (const char *text, uint64_t *count)
{
  uint64_t n = 0;

  if (text[strspn (text, "0123456789.")] == '\0' && strchr (text, '.'))
    return "the count is a fraction; counts are whole numbers";
  for (; *text; text++)
    {
      unsigned digit = (unsigned) *text - '0';
      if (digit > 9)
        return "the last word is not a count";
      if (n > (UINT64_MAX - digit) / 10)
        return "the count is larger than 2^64-1";
      n = n * 10 + digit;
    }
  *count = n;
  return NULL;
}

/* Splits a line at its last blank, for names may have blanks, too; returns
   NULL, or what is wrong.  */
static const char *
split (char *line, char **stack, uint64_t *count)
{
  size_t n = strlen (line);

  while (n > 0 && !is_blank (line[n - 1]))
    n--;
  if (n == 0)
    return parse_count (line, count) == NULL ? "a count without a stack"
                                             : "a stack without a count";
  line[n - 1] = '\0';
  *stack = line;
  return parse_count (line + n, count);
}

/* Adding a stack.  */

/* A function whose file, line and object nobody knows.  The library takes an
   empty name for an unknown function.  */
static struct cgw_pos
frame (struct folded *f, const char *name)
{
  struct cgw_file file = { 0 };
  struct cgw_object object = { 0 };

  return (struct cgw_pos){ .fn = cgw_add_fn (f->names, name, file, object) };
}

/* Turns "a;b;c" into frames, c first; returns how many.  */
static size_t
find_frames (struct folded *f, char *stack)
{
  size_t n = 1 + (f->options->root != NULL);
  size_t i;

  for (const char *p = stack; (p = strchr (p, ';')) != NULL; p++)
    n++;
  f->frames = resize_for (f->frames, (uint32_t) n - 1, &f->room,
                          sizeof *f->frames);
  i = n;
  if (f->options->root)
    f->frames[--i] = frame (f, f->options->root);
  while (i > 0)
    {
      char *end = stack + strcspn (stack, ";");
      char *next = *end ? end + 1 : end;
      *end = '\0';
      f->frames[--i] = frame (f, trim (stack));
      stack = next;
    }
  return n;
}

/* Adds what a line says; returns NULL, or what is wrong with it.  */
static const char *
add_line (struct folded *f, char *line)
{
  char *stack;
  uint64_t count;
  const char *reason;
  enum cgw_status status;
  size_t n;

  line = trim (line);
  if (!*line)
    return NULL;
  reason = split (line, &stack, &count);
  if (reason)
    return reason;
  n = find_frames (f, stack);
  status = cgw_profile_stack (f->sums, f->frames, n, 1, &count, 1);
  f->stacks++;
  return status == CGW_OK ? NULL : cgw_strerror (status);
}

static const char *
line_error (enum lines_status status)
{
  switch (status)
    {
    case LINES_TOO_LONG:
      return "the line is too long";
    case LINES_NUL:
      return "the line has a NUL byte";
    default:
      return strerror (errno);
    }
}

static bool
add_lines (struct folded *f, int fd)
{
  struct lines in = { .fd = fd };
  enum lines_status status;
  const char *reason = NULL;
  char *line;
  size_t length;

  while ((status = lines_next (&in, &line, &length)) == LINES_OK)
    if ((reason = add_line (f, line)) != NULL)
      break;
  if (!reason && status != LINES_END)
    reason = line_error (status);
  if (reason)
    tool_complain (f->name, status == LINES_ERRNO ? 0 : in.number, reason);
  lines_free (&in);
  return !reason;
}

/* Writing.  */

static bool
write_profile (const struct folded *f)
{
  const struct cgw_event event = { .name = f->options->event };
  struct cgw_part part = CGW_PART_INIT;
  /* Padding is for files that a killed program leaves behind.  */
  struct cgw_writer *w = outfile_writer (f->names, CGW_NO_PAD, NULL);

  part.events = &event;
  part.n_events = 1;
  cgw_profile_write (f->sums, w, &part);
  return outfile_finish (f->options->out, w);
}

static bool
folded (const struct options *options)
{
  struct folded f = { .options = options,
                      .name = tool_input_name (options->in) };
  int in = tool_open_input (options->in);
  bool ok;

  if (in < 0 || outfile_open (options->out) < 0)
    return false;
  f.names = new_names ();
  f.sums = new_profile (f.names, 1, CGW_LINE);
  ok = add_lines (&f, in)
       && (f.stacks != 0 || tool_complain (f.name, 0, "there are no stacks"));
  if (ok)
    ok = write_profile (&f);
  else
    outfile_discard ();
  cgw_profile_free (f.sums);
  cgw_names_free (f.names);
  free (f.frames);
  return ok;
}

/* Arguments.  */

/* Printable ASCII without blanks.  */
static bool
is_event_name (const char *name)
{
  const char *c = name;

  while (*c > ' ' && *c <= '~')
    c++;
  return *name && *c == '\0';
}

static const struct option long_options[]
    = { { "output", required_argument, NULL, 'o' },
        { "event", required_argument, NULL, 'e' },
        { "root", required_argument, NULL, 'r' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-folded",
  .usage = "[--event NAME] [--root NAME] [-o OUT] [FILE]",
  .help = "\
Read folded stacks, such as \"main;work;read_line 12\", from FILE or standard\n\
input, and write a callgrind profile.\n\
\n\
      --event NAME  name of the event, without blanks (default: Samples)\n\
      --root NAME   make a function of this name the outermost of all stacks\n\
  -o, --output OUT  write to the file OUT, which appears when it is complete;\n\
                    the default \"-\" is the standard output\n",
  .letters = "o:",
  .options = long_options
};

static void
parse_arguments (int argc, char **argv, struct options *options)
{
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    if (option == 'o')
      options->out = optarg;
    else if (option == 'e')
      options->event = optarg;
    else
      options->root = optarg;
  if (optind + 1 < argc)
    tool_usage_error ("more than one file", "");
  if (optind < argc)
    options->in = argv[optind];
  if (!is_event_name (options->event))
    tool_usage_error ("an event is printable ASCII without blanks, not ",
                      options->event);
}

int
main (int argc, char **argv)
{
  struct options options = { .in = "-", .event = "Samples" };

  parse_arguments (argc, argv, &options);
  return folded (&options) ? EXIT_SUCCESS : TOOL_FAILED;
}
