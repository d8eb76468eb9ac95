/* recode.c - reads a callgrind file, whoever wrote it, and writes it again
   through libcgw: the same profile in the same order, smaller, or plain, or
   what cachegrind's format has a place for.

   cgin.c reads; repair.c changes calls if asked to; this file hands each record
   on to the library; outfile.c takes care that the output appears whole or not
   at all.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin.h"
#include "memory.h"
#include "outfile.h"
#include "progress.h"
#include "repair.h"
#include "source.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options
{
  unsigned flags;
  bool repair;
  char *in;
  const char *out; /* as for outfile_open */
};

struct recode
{
  const struct options *options;
  const char *name;     /* of the input, for messages */
  struct cgw_names *names;
  struct cgw_writer *w; /* NULL before the first part */
  struct repair *repair; /* or NULL */
  char *events;         /* with --cachegrind, those of the first part */
};

/* The names of a part's events that have costs, each behind a blank; NULL when
   there is no memory.  */
static char *
list_events (const struct cgw_part *part)
{
  char *list = NULL;
  size_t size = 0;
  FILE *stream = open_memstream (&list, &size);

  if (!stream)
    return NULL;
  for (size_t i = 0; i < part->n_events; i++)
    if (!part->events[i].formula)
      fprintf (stream, " %s", part->events[i].name);
  if (fclose (stream) == 0)
    return list;
  free (list);
  return NULL;
}

/* A file in cachegrind's format has one part, where equal lines are added up:
   it takes the costs of all parts that have the same events.  */
static enum cgw_status
join_part (struct recode *r, const struct cgw_part *part)
{
  char *events = list_events (part);

  if (!events)
    return CGW_ENOMEM;
  if (!r->events)
    {
      r->events = events;
      enum cgw_status status = cgw_begin_part (r->w, part);
      if (status == CGW_EINVAL)
        tool_complain (r->name, 0,
                       "cg_merge reads only events whose names begin with a "
                       "letter");
      return status;
    }
  bool same = strcmp (events, r->events) == 0;
  free (events);
  return same ? CGW_OK : CGW_EINVAL;
}

/* The writer is made with the first part, for the file's creator is known
   then.  */
static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct recode *r = context;
  unsigned flags = r->options->flags;

  if (!r->w)
    r->w = outfile_writer (r->names, flags, creator);
  return flags & CGW_CACHEGRIND ? join_part (r, part)
                                : cgw_begin_part (r->w, part);
}

/* What follows hands one call on each.  */

static enum cgw_status
write_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  return cgw_cost (((struct recode *) context)->w, pos, cost, n);
}

static void
before_call (void *context, uint64_t line, bool has_object, bool has_file)
{
  struct recode *r = context;

  if (r->repair)
    repair_before_call (r->repair, line, has_object, has_file);
}

static enum cgw_status
write_call (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
            size_t n)
{
  struct recode *r = context;
  struct cgw_pos callee = *to;

  if (r->repair)
    repair_call (r->repair, from, &callee, &count, cost, &n);
  return cgw_call (r->w, from, &callee, count, cost, n);
}

static enum cgw_status
write_jump (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t executed)
{
  return cgw_jump (((struct recode *) context)->w, from, to, executed);
}

static enum cgw_status
write_cond_jump (void *context, const struct cgw_pos *from,
                 const struct cgw_pos *to, uint64_t followed,
                 uint64_t executed)
{
  return cgw_cond_jump (((struct recode *) context)->w, from, to, followed,
                        executed);
}

static enum cgw_status
write_comment (void *context, const char *text)
{
  return cgw_comment (((struct recode *) context)->w, text);
}

static void
warn (void *context, uint64_t line, const char *text)
{
  tool_warn (((struct recode *) context)->name, line, text);
}

/* Says what went wrong: with the output, or else in a line of the input.
   Returns false.  */
static bool
complain (const struct recode *r, uint64_t line, const char *reason)
{
  if (cgw_error (r->w, NULL) == CGW_EIO)
    return outfile_complain (r->options->out, r->w);
  return tool_complain (r->name, line, reason);
}

/* Ends the library's output, whose errors may only show up here.  */
static bool
finish (struct recode *r)
{
  if (r->repair)
    repair_end (r->repair, r->w);
  return cgw_finish (r->w) == CGW_OK || complain (r, 0, cgw_explain (r->w));
}

/* Reads the file at fd and writes it to the output.  */
static bool
copy (struct recode *r, int fd)
{
  bool keeps_calls = !(r->options->flags & CGW_CACHEGRIND);
  const struct cgin_sink sink = { .context = r,
                                  .names = r->names,
                                  .begin_part = begin_part,
                                  .cost = write_cost,
                                  .before_call = before_call,
                                  .call = write_call,
                                  .jump = write_jump,
                                  .cond_jump = write_cond_jump,
                                  .comment = write_comment,
                                  .warn = warn,
                                  .zero_calls_remedy
                                  = keeps_calls && !r->repair
                                      ? "--repair makes it calls=1"
                                      : NULL };
  struct cgin_error error;
  bool ok = cgin_read (fd, &sink, &error);

  progress_end ();
  return ok ? finish (r) : complain (r, error.line, error.text);
}

/* Learns what there is to repair.  */
static bool
look (struct recode *r, struct source *in, bool is_shown)
{
  struct cgin_error error;
  int fd = source_open (in);
  bool ok;

  if (fd < 0)
    return false;
  if (is_shown)
    progress_begin (2 * progress_size (fd));
  r->repair = repair_new (r->names);
  ok = repair_look (r->repair, fd, &error);
  source_close (in, fd);
  return ok || complain (r, error.line, error.text);
}

/* What is repaired is read twice: a pipe, from a copy.  */
static bool
look_and_copy (struct recode *r, bool is_shown)
{
  struct source in = { .path = r->options->in, .name = r->name };
  int fd = look (r, &in, is_shown) ? source_open (&in) : -1;
  bool ok = fd >= 0 && copy (r, fd);

  if (fd >= 0)
    source_close (&in, fd);
  source_free (&in);
  return ok;
}

static bool
copy_once (struct recode *r, bool is_shown)
{
  int fd = tool_open_input (r->options->in);

  if (fd < 0)
    return false;
  if (is_shown)
    progress_begin (progress_size (fd));
  return copy (r, fd);
}

static bool
recode (const struct options *options)
{
  struct recode r
      = { .options = options, .name = tool_input_name (options->in) };
  int out = outfile_open (options->out);
  bool is_shown, ok;

  if (out < 0)
    return false;
  /* A profile that is written to the terminal shows where it is.  */
  is_shown = !isatty (out);
  r.names = new_names ();
  ok = outfile_close (options->out, options->repair
                                      ? look_and_copy (&r, is_shown)
                                      : copy_once (&r, is_shown));
  if (ok && r.repair)
    repair_say (r.repair, r.name);
  repair_free (r.repair);
  cgw_free (r.w);
  cgw_names_free (r.names);
  free (r.events);
  return ok;
}

static const struct option long_options[]
    = { { "cachegrind", no_argument, NULL, 'c' },
        { "keep-zeros", no_argument, NULL, 'k' },
        { "output", required_argument, NULL, 'o' },
        { "plain", no_argument, NULL, 'p' },
        { "repair", no_argument, NULL, 'r' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-recode",
  .usage = "[--cachegrind] [--keep-zeros] [--plain] [--repair] [-o OUT]\n                  IN",
  .help = "\
Read the callgrind or cachegrind file IN, by any writer (\"-\": standard\n\
input), and write the same profile again, smaller.\n\
\n\
      --cachegrind  write cachegrind's format, for cg_annotate, cg_merge and\n\
                    cg_diff: the costs of each line, and no calls\n\
      --keep-zeros  write costs of 0 at the end of a line, for speedscope\n\
  -o, --output OUT  write to the file OUT, which appears when it is complete;\n\
                    the default \"-\" is the standard output\n\
      --plain       write names in full, and absolute positions\n\
      --repair      repair calls of other writers that readers misread, and\n\
                    print what was changed\n",
  .letters = "o:",
  .options = long_options
};

static void
parse_arguments (int argc, char **argv, struct options *options)
{
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    switch (option)
      {
      case 'c':
        options->flags |= CGW_CACHEGRIND;
        break;
      case 'k':
        options->flags |= CGW_KEEP_ZEROS;
        break;
      case 'o':
        options->out = optarg;
        break;
      case 'r':
        options->repair = true;
        break;
      default:
        options->flags |= CGW_PLAIN_NAMES | CGW_ABSOLUTE;
        break;
      }
  if (optind >= argc)
    tool_usage_error ("no file", "");
  if (optind + 1 < argc)
    tool_usage_error ("more than one file", "");
  options->in = argv[optind];
}

int
main (int argc, char **argv)
{
  /* What is read may have calls that happened 0 times.  Padding is for files
     that a killed program leaves behind: this one leaves none.  */
  struct options options = { .flags = CGW_ZERO_CALLS | CGW_NO_PAD };

  parse_arguments (argc, argv, &options);
  return recode (&options) ? EXIT_SUCCESS : TOOL_FAILED;
}
