/* merge.c - adds callgrind files up, or puts them into one file as parts.  For
   their difference see diff.c.

   The inputs are read twice: first the headers, which decide on the events and
   positions of the result and on the slowest rank; then everything.  cgin
   reads the files.  A cgw_profile adds up costs and calls, and jumps.c adds up
   jumps.  outfile.c replaces the output only when it is complete.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/progress.h"
#include "../base/tool.h"
#include "../format/cgin.h"
#include "../format/header.h"
#include "../format/unit.h"
#include "../run/ranks.h"
#include "diff.h"
#include "events.h"
#include "inputs.h"
#include "jumps.h"
#include "rank_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge
{
  const char *out;
  bool is_on_terminal; /* the output, which shows how far the work has come */
  bool parts;
  bool ranks;
  bool diff;
  bool by_line;
  struct inputs inputs;

  /* From the first reading: */
  struct events events; /* without --ranks */
  struct rank_files rank_files;
  const struct cgw_event *list; /* the events of the result */
  size_t n_list;
  size_t n_costs;       /* those that are not derived */
  unsigned common;      /* positions that all inputs have */
  unsigned any;         /* positions that one of them has */
  const char *no_line;  /* an input without lines, or NULL */
  const char *no_instr; /* one without addresses, or NULL */

  /* The result: */
  struct cgw_names *names;
  struct cgw_writer *w;     /* NULL before the second reading */
  struct cgw_profile *sums; /* NULL if the parts stay parts */
  struct jumps jumps;
  struct header header;
  uint64_t n_parts;

  /* The input that is read: */
  const char *name;
  bool looked;      /* the first reading saw what it wanted */
  bool fits;        /* its events go with the others */
  char reason[400]; /* why a part was refused, or "" */
  size_t places[CGW_EVENTS_MAX]; /* of the part's events in the result */
  uint64_t factors[CGW_EVENTS_MAX]; /* of their costs */
  struct rank_file *rank; /* or NULL */
};

/* Reads an input.  False: it failed; a message was printed.  */
static bool
read_input (struct merge *m, struct source *in, const struct cgin_sink *sink)
{
  struct cgin_error error;
  int fd = source_open (in);
  bool ok;

  if (fd < 0)
    return false;
  m->name = in->name;
  m->looked = false;
  m->reason[0] = '\0';
  ok = cgin_read (fd, sink, &error);
  source_close (in, fd);
  if (ok || m->looked)
    return true;
  if (cgw_error (m->w, NULL) == CGW_EIO)
    return outfile_complain (m->out, m->w);
  return tool_complain (in->name, error.line,
                        m->reason[0] != '\0' ? m->reason : error.text);
}

/* The first reading.  */

static unsigned
positions_of (const struct cgw_part *part)
{
  return part->positions != 0 ? part->positions : CGW_LINE;
}

/* Takes note of an input's first part, and ends the reading.  */
static enum cgw_status
look_at_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct merge *m = context;
  unsigned positions = positions_of (part);

  (void) creator;
  m->looked = true;
  m->fits = m->ranks ? rank_files_take (&m->rank_files, m->name, part)
                     : events_take (&m->events, m->name, part);
  m->any |= positions;
  m->common &= positions;
  if (!(positions & CGW_LINE))
    m->no_line = m->name;
  if (!(positions & CGW_INSTR))
    m->no_instr = m->name;
  return CGW_EFINISHED;
}

/* Says what happens to positions that not all inputs have.  */
static bool
choose_positions (const struct merge *m)
{
  unsigned dropped = m->any & ~m->common;

  if (m->common == 0)
    {
      tool_complain (m->no_line, 0, "has addresses, but no lines");
      return tool_complain (m->no_instr, 0,
                            "has lines, but no addresses: they have no "
                            "positions in common");
    }
  if (dropped & CGW_LINE)
    tool_warn (m->no_line, 0,
               "has no lines: those of the other inputs are left out");
  if (dropped & CGW_INSTR)
    tool_warn (m->no_instr, 0,
               "has no addresses: those of the other inputs are left out");
  return true;
}

static bool
choose_events (struct merge *m)
{
  if (m->ranks)
    {
      bool bytes;

      if (!rank_files_compare (&m->rank_files))
        return false;
      bytes = m->rank_files.first->bytes;
      m->list = ranks_events ((uint32_t) m->rank_files.n, bytes);
      m->n_costs = ranks_n_costs (bytes);
      m->n_list = m->n_costs + 1;
      return true;
    }
  if (!events_choose (&m->events))
    return false;
  m->list = m->events.list;
  m->n_list = m->events.n_list;
  m->n_costs = m->events.n_all;
  return true;
}

static bool
look_at_inputs (struct merge *m)
{
  const struct cgin_sink sink = { .context = m,
                                  .begin_part = look_at_part };

  m->common = CGW_INSTR_LINE;
  for (size_t i = 0; i < m->inputs.n; i++)
    if (!read_input (m, &m->inputs.list[i], &sink) || !m->fits)
      return false;
  return choose_positions (m) && choose_events (m);
}

/* The second reading.  */

/* Finds the places of a part's events.  What has changed since the first
   reading, or comes only in a later part, is refused.  */
static enum cgw_status
begin_any_part (struct merge *m, const struct cgw_part *part)
{
  const char *wrong
      = m->rank != NULL
            ? rank_file_begin (m->rank, part)
            : events_map (&m->events, part, m->places, m->factors);

  if (wrong != NULL)
    snprintf (m->reason, sizeof m->reason, "%s", wrong);
  else if (m->common & ~positions_of (part))
    snprintf (m->reason, sizeof m->reason,
              "the part lacks positions that the first part has");
  return m->reason[0] == '\0' ? CGW_OK : CGW_EINVAL;
}

/* Puts costs in the order and the units of the result's events.  */
static enum cgw_status
spread (const struct merge *m, const uint64_t *cost, size_t n,
        uint64_t spread_cost[CGW_EVENTS_MAX])
{
  uint64_t own[RANKS_OWN_COSTS] = { 0 };

  if (m->rank != NULL)
    {
      memcpy (own, cost, n * sizeof *cost);
      ranks_costs (own, m->rank == m->rank_files.slowest,
                   m->rank == m->rank_files.fastest, spread_cost);
      return CGW_OK;
    }
  memset (spread_cost, 0, m->n_costs * sizeof *spread_cost);
  for (size_t i = 0; i < n; i++)
    {
      spread_cost[m->places[i]] = cost[i];
      if (!unit_multiply (&spread_cost[m->places[i]], m->factors[i]))
        return CGW_EOVERFLOW;
    }
  return CGW_OK;
}

static void
take_name (void *context, const struct cgin_name *name)
{
  jumps_name (&((struct merge *) context)->jumps, name);
}

static void
warn (void *context, uint64_t line, const char *text)
{
  tool_warn (((struct merge *) context)->name, line, text);
}

/* Says what a refused jump means; the reader would only say that it was
   refused.  */
static enum cgw_status
end_jump (struct merge *m, enum cgw_status status)
{
  if (status == CGW_EINVAL)
    snprintf (m->reason, sizeof m->reason, "a jump into another object");
  return status;
}

/* Sums.  */

static enum cgw_status
sum_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct merge *m = context;

  (void) creator;
  header_take (&m->header, part);
  return begin_any_part (m, part);
}

static enum cgw_status
sum_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  struct merge *m = context;
  uint64_t costs[CGW_EVENTS_MAX];

  if (spread (m, cost, n, costs) != CGW_OK)
    return CGW_EOVERFLOW;
  cgw_profile_cost (m->sums, pos, costs, m->n_costs);
  return cgw_profile_error (m->sums, NULL);
}

static enum cgw_status
sum_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct merge *m = context;
  uint64_t costs[CGW_EVENTS_MAX];

  if (spread (m, cost, n, costs) != CGW_OK)
    return CGW_EOVERFLOW;
  cgw_profile_call (m->sums, from, to, count, costs, m->n_costs);
  return cgw_profile_error (m->sums, NULL);
}

static enum cgw_status
sum_jump (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t executed)
{
  struct merge *m = context;

  return end_jump (m, jumps_add (&m->jumps, m->common, from, to, NULL,
                                 executed));
}

static enum cgw_status
sum_cond_jump (void *context, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t followed, uint64_t executed)
{
  struct merge *m = context;

  return end_jump (m, jumps_add (&m->jumps, m->common, from, to, &followed,
                                 executed));
}

/* A sum has no place for comments.  */
static enum cgw_status
drop_comment (void *context, const char *text)
{
  (void) context;
  (void) text;
  return CGW_OK;
}

/* Parts.  */

static enum cgw_status
write_part_header (void *context, const struct cgw_part *part,
                   const char *creator)
{
  struct merge *m = context;
  struct cgw_part copy = *part;
  uint64_t summary[CGW_EVENTS_MAX];
  enum cgw_status status = begin_any_part (m, part);

  (void) creator;
  if (status != CGW_OK)
    return status;
  copy.events = m->list;
  copy.n_events = m->n_list;
  copy.positions = m->common;
  copy.number = ++m->n_parts;
  if (part->summary != NULL)
    {
      status = spread (m, part->summary, part->n_summary, summary);
      if (status != CGW_OK)
        return status;
      copy.n_summary = m->n_costs;
      copy.summary = summary;
    }
  status = cgw_begin_part (m->w, &copy);
  if (status == CGW_EINVAL)
    snprintf (m->reason, sizeof m->reason, "%s", cgw_explain (m->w));
  return status;
}

static enum cgw_status
write_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  struct merge *m = context;
  uint64_t costs[CGW_EVENTS_MAX];

  if (spread (m, cost, n, costs) != CGW_OK)
    return CGW_EOVERFLOW;
  return cgw_cost (m->w, pos, costs, m->n_costs);
}

static enum cgw_status
write_call (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
            size_t n)
{
  struct merge *m = context;
  uint64_t costs[CGW_EVENTS_MAX];

  if (spread (m, cost, n, costs) != CGW_OK)
    return CGW_EOVERFLOW;
  return cgw_call (m->w, from, to, count, costs, m->n_costs);
}

static enum cgw_status
write_jump (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t executed)
{
  struct merge *m = context;

  return end_jump (m, cgw_jump (m->w, from, to, executed));
}

static enum cgw_status
write_cond_jump (void *context, const struct cgw_pos *from,
                 const struct cgw_pos *to, uint64_t followed,
                 uint64_t executed)
{
  struct merge *m = context;

  return end_jump (m, cgw_cond_jump (m->w, from, to, followed, executed));
}

static enum cgw_status
write_comment (void *context, const char *text)
{
  return cgw_comment (((struct merge *) context)->w, text);
}

/* The result.  */

static bool
read_inputs (struct merge *m)
{
  const char *remedy = "mend the file by cgw-recode --repair first";
  const struct cgin_sink to_sums = { .context = m,
                                     .names = m->names,
                                     .name = take_name,
                                     .begin_part = sum_part,
                                     .cost = sum_cost,
                                     .call = sum_call,
                                     .jump = sum_jump,
                                     .cond_jump = sum_cond_jump,
                                     .comment = drop_comment,
                                     .warn = warn,
                                     .zero_calls_remedy = remedy,
                                     .is_sum = true };
  const struct cgin_sink to_parts = { .context = m,
                                      .names = m->names,
                                      .begin_part = write_part_header,
                                      .cost = write_cost,
                                      .call = write_call,
                                      .jump = write_jump,
                                      .cond_jump = write_cond_jump,
                                      .comment = write_comment,
                                      .warn = warn,
                                      .zero_calls_remedy = remedy };

  for (size_t i = 0; i < m->inputs.n; i++)
    {
      m->rank = m->ranks ? &m->rank_files.list[i] : NULL;
      if (!read_input (m, &m->inputs.list[i],
                       m->parts ? &to_parts : &to_sums))
        return false;
    }
  return true;
}

static void
write_sums (struct merge *m)
{
  const struct header *h = &m->header;
  struct cgw_part part = CGW_PART_INIT;

  part.events = m->list;
  part.n_events = m->n_list;
  part.positions = m->common;
  if (m->ranks)
    part.cmd = m->rank_files.first->cmd;
  else
    {
      part.pid = h->pid;
      part.thread = h->thread;
      part.cmd = h->cmd;
      part.desc = (const char *const *) h->desc;
      part.n_desc = h->n_desc;
    }
  cgw_profile_write (m->sums, m->w, &part);
  jumps_write (&m->jumps, m->w);
}

static bool
write_result (struct merge *m)
{
  bool ok;

  /* What is read may have calls that happened 0 times.  Padding is for files
     that a killed program leaves behind: this one leaves none.  */
  m->w = outfile_writer (m->names, CGW_ZERO_CALLS | CGW_NO_PAD, NULL);
  if (!m->parts)
    m->sums = new_profile (m->names, m->n_costs, m->common);
  if (!m->is_on_terminal)
    progress_begin (inputs_size (&m->inputs));
  ok = read_inputs (m);
  progress_end ();
  if (!ok)
    return false;
  if (!m->parts)
    write_sums (m);
  return cgw_finish (m->w) == CGW_OK || outfile_complain (m->out, m->w);
}

static bool
merge (struct merge *m)
{
  int out = outfile_open (m->out);

  if (out < 0)
    return false;
  m->is_on_terminal = isatty (out) != 0;
  m->names = new_names ();
  jumps_init (&m->jumps);
  if (!outfile_close (m->out, look_at_inputs (m) && write_result (m)))
    return false;
  inputs_check_names (&m->inputs, m->out);
  return true;
}

/* Arguments.  */

static const struct option long_options[]
    = { { "output", required_argument, NULL, 'o' },
        { "parts", no_argument, NULL, 'p' },
        { "ranks", no_argument, NULL, 'r' },
        { "diff", no_argument, NULL, 'd' },
        { "by-line", no_argument, NULL, 'l' },
        { "files-from", required_argument, NULL, 'f' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-merge",
  .usage = "[--parts | --ranks] [--files-from LIST] -o OUT [IN...]\n"
           "       cgw-merge --diff [--by-line] [-o OUT] BEFORE AFTER",
  .help = "\
Add up callgrind files (\"-\": standard input), and write one profile; or write\n\
the difference of two.\n\
\n\
      --by-line          compare the lines of functions, too\n\
      --diff             subtract BEFORE from AFTER: write what is more and what\n\
                         is less, and print the largest changes\n\
      --files-from LIST  read the names of more inputs from the file LIST, one\n\
                         per line; \"-\" is the standard input\n\
  -o, --output OUT       write to the file OUT, which appears when it is\n\
                         complete; \"-\" is the standard output\n\
      --parts            do not add: write each part of each input as a part\n\
      --ranks            add up the rank-N files of cgw-mpi, as it does itself\n",
  .letters = "o:",
  .options = long_options
};

/* What --diff excludes, and needs.  */
static void
check_diff (const struct merge *m, bool has_list)
{
  if (m->by_line && !m->diff)
    tool_usage_error ("--by-line needs --diff", "");
  if (!m->diff)
    return;
  if (m->parts || m->ranks || has_list)
    tool_usage_error ("--diff excludes --parts, --ranks and --files-from", "");
  if (m->inputs.n != 2)
    tool_usage_error ("--diff needs two files", "");
}

static void
parse_arguments (int argc, char **argv, struct merge *m)
{
  const char *list = NULL;
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    if (option == 'o')
      m->out = optarg;
    else if (option == 'p')
      m->parts = true;
    else if (option == 'r')
      m->ranks = true;
    else if (option == 'd')
      m->diff = true;
    else if (option == 'l')
      m->by_line = true;
    else
      list = optarg;
  if (m->out == NULL && !m->diff)
    tool_usage_error ("no output: -o is missing", "");
  if (m->parts && m->ranks)
    tool_usage_error ("--parts and --ranks exclude each other", "");
  for (int i = optind; i < argc; i++)
    inputs_add (&m->inputs, argv[i]);
  if (list != NULL && !inputs_add_from (&m->inputs, list))
    exit (TOOL_FAILED);
  if (inputs_count_stdin (&m->inputs)
        + (list != NULL && strcmp (list, "-") == 0)
      > 1)
    tool_usage_error ("the standard input is given twice", "");
  if (m->inputs.n == 0)
    tool_usage_error ("no file", "");
  check_diff (m, list != NULL);
}

int
main (int argc, char **argv)
{
  struct merge m = { 0 };
  bool ok;

  parse_arguments (argc, argv, &m);
  ok = m.diff ? diff (&(struct diff_options){ &m.inputs, m.out, m.by_line })
              : merge (&m);
  cgw_profile_free (m.sums);
  cgw_free (m.w);
  cgw_names_free (m.names);
  jumps_free (&m.jumps);
  header_free (&m.header);
  events_free (&m.events);
  rank_files_free (&m.rank_files);
  inputs_free (&m.inputs);
  return ok ? EXIT_SUCCESS : TOOL_FAILED;
}
