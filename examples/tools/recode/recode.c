/* recode.c - reads a callgrind file, whoever wrote it, and writes it again
   through libcgw: the same profile in the same order, smaller, or plain, or as
   one reader shows it right.

   cgin reads; repair.c changes calls if asked to; one_part.c makes one part
   of several; this file hands each record on to the library; outfile.c takes
   care that the output appears whole or not at all.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/infile.h"
#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/progress.h"
#include "../base/tool.h"
#include "../format/cgin.h"
#include "../format/reader_tool.h"
#include "one_part.h"
#include "repair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options
{
  unsigned flags;
  const struct reader *reader; /* or NULL */
  bool repair;
  bool looks;       /* the file is read twice */
  bool says;        /* what the reader does not show */
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
  bool cfn_is_call;     /* as in struct cgin_sink; it is known after a look */
  unsigned limits;      /* of the reader, that the file meets */
  struct one_part one;  /* with a reader of one part */
  bool has_part;        /* it was begun */
  bool told;            /* a message was printed */
  struct cgw_profile *sums; /* for a reader that needs order, or NULL */
  unsigned n_records;
};

static bool
lacks (const struct recode *r, unsigned limit)
{
  return r->options->reader != NULL && r->options->reader->lacks & limit;
}

/* Begins a part without what the reader lacks.  */
static enum cgw_status
write_header (struct recode *r, const struct cgw_part *part)
{
  struct cgw_event *events
    = resize (NULL, part->n_events, sizeof *events);
  struct cgw_part copy = *part;
  enum cgw_status status;

  reader_fit (r->options->reader, &copy, events);
  status = cgw_begin_part (r->w, &copy);
  free (events);
  if (status == CGW_EINVAL && r->options->flags & CGW_CACHEGRIND)
    tool_complain (r->name, 0,
                   "cg_merge reads only events whose names begin with a "
                   "letter");
  return status;
}

/* The first part's header, or that of all.  */
static enum cgw_status
begin_one_part (struct recode *r, const struct cgw_part *first)
{
  const struct reader *reader = r->options->reader;
  struct cgw_part part;

  r->has_part = true;
  one_part_header (&r->one, &part);
  if (reader->needs_order)
    r->sums
      = new_profile (r->names, part.n_events,
                     reader_positions (reader, part.positions));
  else if (r->one.n_parts > 1)
    return write_header (r, &part);
  else
    return write_header (r, first);
  return CGW_OK;
}

/* A reader of one part gets the costs of all.  */
static enum cgw_status
join_part (struct recode *r, const struct cgw_part *part)
{
  if (r->one.n_parts == 0) /* there was no first reading */
    one_part_look (&r->one, part, r->name);
  if (!one_part_begin (&r->one, part))
    return CGW_EINVAL;
  return r->has_part ? CGW_OK : begin_one_part (r, part);
}

/* The writer is made with the first part, for the file's creator is known
   then.  */
static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct recode *r = context;

  if (!r->w)
    r->w = outfile_writer (r->names, r->options->flags, creator);
  return lacks (r, READER_PARTS) ? join_part (r, part)
                                 : write_header (r, part);
}

/* What follows hands one call on each.  */

static bool
take_costs (const struct recode *r, const uint64_t **cost, size_t *n,
            uint64_t room[CGW_EVENTS_MAX])
{
  return !r->has_part || one_part_costs (&r->one, cost, n, room);
}

/* Names are added as they are read, and only normal calls make room for their
   ids.  So many records name no more functions than a writer has room for.  */
static void
make_room_for_ids (struct recode *r)
{
  if (++r->n_records % 4096 == 0)
    cgw_flush (r->w);
}

static enum cgw_status
write_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  struct recode *r = context;
  uint64_t room[CGW_EVENTS_MAX];

  if (!take_costs (r, &cost, &n, room))
    return CGW_EOVERFLOW;
  if (!r->sums)
    {
      make_room_for_ids (r);
      return cgw_cost (r->w, pos, cost, n);
    }
  cgw_profile_cost (r->sums, pos, cost, n);
  return cgw_profile_error (r->sums, NULL);
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
  const struct reader *reader = r->options->reader;
  uint64_t room[CGW_EVENTS_MAX];
  struct cgw_pos callee = *to;

  if (r->repair)
    repair_call (r->repair, from, &callee, &count, cost, &n);
  if (reader && reader->drops_recursion
      && from->fn.handle == callee.fn.handle)
    return CGW_OK;
  if (!take_costs (r, &cost, &n, room))
    return CGW_EOVERFLOW;
  if (!r->sums)
    {
      make_room_for_ids (r);
      return cgw_call (r->w, from, &callee, count, cost, n);
    }
  cgw_profile_call (r->sums, from, &callee, count, cost, n);
  return cgw_profile_error (r->sums, NULL);
}

static enum cgw_status
write_jump (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t executed)
{
  struct recode *r = context;

  return lacks (r, READER_JUMPS) ? CGW_OK
                                 : cgw_jump (r->w, from, to, executed);
}

static enum cgw_status
write_cond_jump (void *context, const struct cgw_pos *from,
                 const struct cgw_pos *to, uint64_t followed,
                 uint64_t executed)
{
  struct recode *r = context;

  return lacks (r, READER_JUMPS)
           ? CGW_OK
           : cgw_cond_jump (r->w, from, to, followed, executed);
}

static enum cgw_status
write_comment (void *context, const char *text)
{
  struct recode *r = context;

  return r->sums ? CGW_OK : cgw_comment (r->w, text);
}

static void
warn (void *context, uint64_t line, const char *text)
{
  tool_warn (((struct recode *) context)->name, line, text);
}

static void
warn_of_costs_behind_cfn (void *context, uint64_t n, uint64_t line,
                          bool in_totals)
{
  const struct recode *r = context;
  char text[160];

  if (in_totals || r->repair)
    return;
  snprintf (text, sizeof text,
            "costs directly behind cfn=, without calls= (%" PRIu64 "): "
            "readers take them for self costs; %s",
            n,
            r->options->flags & CGW_CACHEGRIND
              ? "--for=cg_annotate leaves them out"
              : "--repair makes them those of calls");
  tool_warn (r->name, line, text);
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

/* Writes the sums as the one part.  */
static void
write_sums (struct recode *r)
{
  struct cgw_event events[CGW_EVENTS_MAX];
  struct cgw_part part;

  one_part_header (&r->one, &part);
  reader_fit (r->options->reader, &part, events);
  cgw_profile_write (r->sums, r->w, &part);
  repair_write_silent (r->repair, r->w);
}

/* Ends the library's output, whose errors may only show up here.  */
static bool
finish (struct recode *r)
{
  if (r->sums)
    write_sums (r);
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
                                  .cfn_is_call = r->cfn_is_call,
                                  .costs_behind_cfn
                                  = warn_of_costs_behind_cfn,
                                  .zero_calls_remedy
                                  = keeps_calls && !r->repair
                                      ? "--repair makes it calls=1"
                                      : NULL };
  struct cgin_error error;
  bool ok = cgin_read (fd, &sink, &error);

  progress_end ();
  return ok ? finish (r) : complain (r, error.line, error.text);
}

static bool
look_at_part (void *context, const struct cgw_part *part)
{
  struct recode *r = context;
  struct cgw_event *events = resize (NULL, part->n_events, sizeof *events);
  struct cgw_part copy = *part;

  r->limits |= reader_fit (r->options->reader, &copy, events);
  free (events);
  if (!r->told && !r->cfn_is_call) /* the first look */
    r->told = !one_part_look (&r->one, part,
                              lacks (r, READER_PARTS) ? r->name : NULL);
  one_part_begin (&r->one, part);
  return r->one.is_same;
}

/* Learns what there is to repair, and what the reader does not show.  */
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
  r->repair = repair_new (r->names, r->options->reader, r->options->repair,
                          r->cfn_is_call);
  ok = repair_look (r->repair, fd, look_at_part, r, &error);
  source_close (in, fd);
  if (!ok && !r->told)
    complain (r, error.line, error.text);
  if (!ok || r->told)
    return false;
  if (repair_must_look_again (r->repair))
    {
      repair_free (r->repair);
      r->cfn_is_call = true;
      return look (r, in, is_shown);
    }
  if (r->options->reader)
    r->limits |= repair_limits (r->repair);
  return true;
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
  bool ok;

  if (fd < 0)
    return false;
  if (is_shown)
    progress_begin (progress_size (fd));
  ok = copy (r, fd);
  if (fd != STDIN_FILENO)
    close (fd);
  return ok;
}

/* Says what was repaired, and what the reader does not show.  */
static void
say (const struct recode *r)
{
  if (r->repair && !repair_say (r->repair, r->name) && r->options->repair)
    tool_say (r->name, 0, "nothing to repair");
  if (r->options->says)
    reader_say (r->options->reader, r->limits, r->name);
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
  ok = outfile_close (options->out, options->looks
                                      ? look_and_copy (&r, is_shown)
                                      : copy_once (&r, is_shown));
  if (ok)
    say (&r);
  repair_free (r.repair);
  cgw_profile_free (r.sums);
  cgw_free (r.w);
  cgw_names_free (r.names);
  one_part_free (&r.one);
  return ok;
}

static const struct option long_options[]
    = { { "cachegrind", no_argument, NULL, 'c' },
        { "for", required_argument, NULL, 'f' },
        { "keep-zeros", no_argument, NULL, 'k' },
        { "output", required_argument, NULL, 'o' },
        { "plain", no_argument, NULL, 'p' },
        { "repair", no_argument, NULL, 'r' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-recode",
  .usage = "[--cachegrind] [--for READER] [--keep-zeros] [-o OUT] [--plain]\n"
           "                  [--repair] IN",
  .help = "\
Read the callgrind or cachegrind file IN, by any writer (\"-\": standard\n\
input), and write the same profile again, smaller.\n\
\n\
      --cachegrind  write cachegrind's format, for cg_annotate, cg_merge and\n\
                    cg_diff: the costs of each line, and no calls\n\
      --for READER  write what one reader shows right, and print what it does\n\
                    not show: kcachegrind, callgrind_annotate, cg_annotate,\n\
                    gprof2dot, qtcreator or speedscope\n\
      --keep-zeros  write costs of 0 at the end of a line\n\
  -o, --output OUT  write to the file OUT, which appears when it is complete;\n\
                    the default \"-\" is the standard output\n\
      --plain       write names in full, and absolute positions\n\
      --repair      repair calls of other writers that readers misread, and\n\
                    print what was changed\n",
  .letters = "o:",
  .options = long_options
};

/* --cachegrind is a reader of which nothing is said.  */
static void
set_reader_flags (struct options *options)
{
  if (options->reader
      && options->flags & (CGW_CACHEGRIND | CGW_PLAIN_NAMES))
    tool_usage_error ("--for excludes --cachegrind and --plain", "");
  if (options->repair && options->flags & CGW_CACHEGRIND)
    tool_usage_error ("--repair excludes --cachegrind, which has no calls", "");
  options->says = options->reader != NULL;
  options->looks = options->says || options->repair;
  if (options->flags & CGW_CACHEGRIND)
    options->reader = reader_named ("cg_annotate");
  if (options->reader)
    options->flags |= options->reader->flags;
}

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
      case 'f':
        options->reader = reader_option (optarg);
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
  set_reader_flags (options);
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
