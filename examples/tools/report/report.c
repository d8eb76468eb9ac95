/* report.c - cgw-report: prints what a profile has, or how two differ.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/memory.h"
#include "../base/tool.h"
#include "../read/read_options.h"
#include "limit.h"
#include "model.h"
#include "print.h"
#include "screen.h"
#include "sources.h"

#include <stdlib.h>
#include <string.h>

enum
{
  REPORT_AGAINST = READ_OTHERS,
  REPORT_CALLEES,
  REPORT_CALLERS,
  REPORT_COLOR,
  REPORT_FAIL_IF,
  REPORT_FUNCTION,
  REPORT_HTML,
  REPORT_JSON,
  REPORT_LINES,
  REPORT_NO_SOURCE,
  REPORT_PARTS,
  REPORT_SORT,
  REPORT_SOURCE,
  REPORT_THREADS,
  REPORT_TOP
};

/* The exit status if a limit is passed.  */
enum { REPORT_OVER = 3 };

enum { REPORT_FUNCTIONS = 30 };

static const struct option long_options[]
    = { READ_OPTIONS,
        { "against", required_argument, NULL, REPORT_AGAINST },
        { "callees", no_argument, NULL, REPORT_CALLEES },
        { "callers", no_argument, NULL, REPORT_CALLERS },
        { "color", required_argument, NULL, REPORT_COLOR },
        { "fail-if", required_argument, NULL, REPORT_FAIL_IF },
        { "function", required_argument, NULL, REPORT_FUNCTION },
        { "html", no_argument, NULL, REPORT_HTML },
        { "json", no_argument, NULL, REPORT_JSON },
        { "lines", no_argument, NULL, REPORT_LINES },
        { "no-source", no_argument, NULL, REPORT_NO_SOURCE },
        { "output", required_argument, NULL, 'o' },
        { "parts", no_argument, NULL, REPORT_PARTS },
        { "sort", required_argument, NULL, REPORT_SORT },
        { "source", required_argument, NULL, REPORT_SOURCE },
        { "threads", no_argument, NULL, REPORT_THREADS },
        { "top", required_argument, NULL, REPORT_TOP },
        TOOL_OPTIONS };

static const char help[] = "\
Print which functions of a profile cost how much, or how two profiles differ.\n\
A FILE is a callgrind or cachegrind profile, or of any kind that cgw-import\n\
reads; without one, standard input is read.  Several are added up.\n\
\n\
      --against FILE  print what differs from this profile; several are added up\n\
      --callees       print what each function calls\n\
      --callers       print what calls each function\n\
      --color auto|always|never\n\
                      use colors: by default, on a terminal\n\
      --comm NAME     take only what a command did\n\
      --debug-path FOLDERS\n\
                      look for debug information there, too\n\
      --event NAMES   take only these events (separated by commas), in this\n\
                      order\n\
      --fail-if LIMIT exit with status 3 if costs are above a limit, such as\n\
                      'Ir > +1 %', 'Ir > 1000000' or 'main: Ir > +5 %'; may be\n\
                      repeated\n\
      --from KIND     take the files for inputs of this kind:\n\
                      callgrind, cpuprofile, firefox, folded, gperftools, perf,\n\
                      perf-script, pprof, speedscope\n\
      --function RE   print only functions whose names match a regular\n\
                      expression\n\
      --html          make a page of everything, for a web browser\n\
      --inline functions|lines\n\
                      make inlined functions functions of their own (the\n\
                      default), or lines of those that they are in\n\
      --json          print everything, for programs\n\
      --lines         print the lines that have costs, with the source if it is\n\
                      there\n\
      --no-source     do not show source; a page has no lines then\n\
  -o, --output OUT    write to the file OUT, which appears when it is complete;\n\
                      the default \"-\" is the standard output\n\
      --parts         report each thread of each part of each file by itself\n\
      --root NAME     make a function of this name the outermost of all stacks\n\
      --sort self|inclusive|calls|name\n\
                      sort functions by this (default: self)\n\
      --source FOLDER\n\
                      look for source files there, too; may be repeated\n\
      --symfs FOLDER  take programs and libraries from a folder that has those\n\
                      of the machine that was profiled\n\
      --threads       report each thread by itself\n\
      --time FROM,TO  take what was sampled between these seconds since the\n\
                      first sample; either may be left out\n\
      --top N         print this many functions (default: 30)\n";

static const struct tool report_tool = {
  .name = "cgw-report",
  .usage = "[--against FILE] [--callees] [--callers]\n"
           "                  [--color auto|always|never] [--comm NAME]\n"
           "                  [--debug-path FOLDERS] [--event NAMES]\n"
           "                  [--fail-if LIMIT] [--from KIND] [--function RE]\n"
           "                  [--html] [--inline functions|lines] [--json]\n"
           "                  [--lines] [--no-source] [-o OUT] [--parts]\n"
           "                  [--root NAME]\n"
           "                  [--sort self|inclusive|calls|name]\n"
           "                  [--source FOLDER] [--symfs FOLDER] [--threads]\n"
           "                  [--time FROM,TO] [--top N] [FILE...]",
  .help = help,
  .letters = "o:",
  .options = long_options
};

struct list
{
  char **all;
  size_t n;
};

struct report
{
  struct import_options from;
  struct model_options model;
  struct print_options print;
  const char *out;
  enum colours colours;
  void (*print_as) (const struct print_options *p, const struct model *m);
  bool has_no_source;
  struct list base;
  struct list folders;
  struct limit *limits;
  size_t n_limits;
  bool is_over; /* a limit */
  struct sources sources;
  regex_t function;
  struct screen screen;
};

static void
append (struct list *list, char *text)
{
  list->all = resize_for_one (list->all, list->n, sizeof *list->all);
  list->all[list->n++] = text;
}

/* Options.  */

/* Returns which of the words it is, or ends the program.  */
static unsigned
parse_word (const char *const *words, unsigned n, const char *reason)
{
  for (unsigned i = 0; i < n; i++)
    if (strcmp (words[i], optarg) == 0)
      return i;
  tool_usage_error (reason, optarg);
}

static void
parse_function (struct report *report)
{
  char text[120];
  int error;

  if (report->print.function != NULL)
    regfree (&report->function);
  error = regcomp (&report->function, optarg, REG_EXTENDED | REG_NOSUB);
  if (error != 0)
    {
      regerror (error, &report->function, text, sizeof text);
      tool_usage_error ("--function: ", text);
    }
  report->print.function = &report->function;
}

static void
choose_format (struct report *report,
               void (*print_as) (const struct print_options *p,
                                 const struct model *m))
{
  if (report->print_as != print_text && report->print_as != print_as)
    tool_usage_error ("--html and --json exclude each other", "");
  report->print_as = print_as;
}

static void
take_option (struct report *report, int option)
{
  static const char *const colours[] = { "auto", "always", "never" };
  static const char *const sorts[] = { "self", "inclusive", "calls", "name" };

  switch (option)
    {
    case 'o':
      report->out = optarg;
      break;
    case REPORT_AGAINST:
      append (&report->base, optarg);
      break;
    case REPORT_CALLEES:
      report->print.has_callees = true;
      break;
    case REPORT_CALLERS:
      report->print.has_callers = true;
      break;
    case REPORT_COLOR:
      report->colours = parse_word (
          colours, 3, "--color needs auto, always or never, not ");
      break;
    case REPORT_FAIL_IF:
      report->limits = resize_for_one (report->limits, report->n_limits,
                                       sizeof *report->limits);
      report->limits[report->n_limits++] = limit_parse (optarg);
      break;
    case REPORT_FUNCTION:
      parse_function (report);
      break;
    case REPORT_HTML:
      choose_format (report, print_html);
      report->model.has_tree = true;
      break;
    case REPORT_JSON:
      choose_format (report, print_json);
      break;
    case REPORT_LINES:
      report->print.has_lines = true;
      break;
    case REPORT_NO_SOURCE:
      report->has_no_source = true;
      break;
    case REPORT_PARTS:
      report->from.by_part = report->from.by_thread = true;
      break;
    case REPORT_SORT:
      report->model.sort = parse_word (
          sorts, 4, "--sort needs self, inclusive, calls or name, not ");
      break;
    case REPORT_SOURCE:
      append (&report->folders, optarg);
      break;
    case REPORT_THREADS:
      report->from.by_thread = true;
      break;
    case REPORT_TOP:
      report->print.top = (uint32_t) tool_number ("--top", optarg, UINT32_MAX);
      break;
    default:
      read_option (&report->from, option);
    }
}

/* Ends the program if options exclude each other.  */
static void
check_options (const struct report *report)
{
  const struct print_options *p = &report->print;

  if (report->print_as != print_text
      && (p->function != NULL || p->has_callers || p->has_callees
          || p->top != 0))
    tool_usage_error ("--html and --json have all functions and calls", "");
  if (report->print_as == print_html && report->from.by_thread)
    tool_usage_error ("--html needs threads added up", "");
  if (report->from.by_thread && report->base.n != 0)
    tool_usage_error ("--against needs threads added up", "");
  if (report->from.by_thread && report->n_limits != 0)
    tool_usage_error ("--fail-if needs threads added up", "");
  for (size_t i = 0; i < report->n_limits; i++)
    if (report->limits[i].is_change && report->base.n == 0)
      tool_usage_error ("a change needs --against: ", report->limits[i].text);
}

/* Reading, and printing.  */

static bool
print_one (struct report *report, const struct input_profile *after,
           const struct input_profile *base)
{
  struct model m;
  bool ok = model_make (&m, &report->model, after, base);

  if (ok)
    report->print_as (&report->print, &m);
  for (size_t i = 0; i < report->n_limits && ok; i++)
    ok = limit_check (&report->limits[i], &m, after->file, &report->is_over);
  model_free (&m);
  return ok;
}

static bool
print_all (struct report *report, const struct recording *r,
           const struct input_profile *base)
{
  const char *file = tool_input_name (
      report->print.from.files[report->print.from.n_files - 1]);
  struct recording one = *r;
  bool ok = true;

  if (!report->from.by_thread)
    return print_one (report, &(struct input_profile){ r, file }, base);
  one.n_profiles = 1;
  for (size_t i = 0; i < r->n_profiles && ok; i++)
    {
      one.profiles = &r->profiles[i];
      if (i != 0)
        fputc ('\n', report->print.to);
      ok = print_one (report, &(struct input_profile){ &one, file }, base);
    }
  return ok;
}

static bool
print_read (struct report *report, struct import *after, struct import *base)
{
  const struct recording r = samples_recording (after);
  struct recording before;
  struct input_profile from;
  bool ok;

  if (base != NULL)
    {
      before = samples_recording (base);
      from = (struct input_profile){
        &before, tool_input_name (report->base.all[report->base.n - 1])
      };
    }
  if (!screen_open (&report->screen, report->out,
                    report->print_as == print_text, report->colours))
    return false;
  report->print.to = report->screen.to;
  report->print.is_coloured = report->screen.is_coloured;
  ok = print_all (report, &r, base != NULL ? &from : NULL);
  if (ok)
    return screen_close (&report->screen);
  screen_discard (&report->screen);
  return false;
}

static bool
make_report (struct report *report)
{
  const struct read_from *from = &report->print.from;
  struct import_options base_options = report->from;
  struct import after, base;
  bool ok = read_files (&after, &report->from, from->files, from->n_files);

  if (ok && report->base.n != 0)
    {
      base_options.names = after.names;
      ok = read_files (&base, &base_options, report->base.all, report->base.n)
           && print_read (report, &after, &base);
      samples_end (&base);
    }
  else if (ok)
    ok = print_read (report, &after, NULL);
  samples_end (&after);
  return ok;
}

int
main (int argc, char **argv)
{
  struct report report = { .from = READ_OPTIONS_INIT,
                           .print_as = print_text,
                           .out = "-" };
  int option;
  bool ok;

  tool_begin (&report_tool);
  while ((option = tool_option (argc, argv)) != -1)
    take_option (&report, option);
  check_options (&report);
  if (report.print.top == 0)
    report.print.top = REPORT_FUNCTIONS;
  report.from.has_no_root = report.from.root == NULL;
  report.model.events = report.from.events;
  report.model.by_line
      = report.print.has_lines
        || (report.print_as == print_html && !report.has_no_source);
  report.from.by_function = !report.model.by_line;
  report.sources.folders = (const char *const *) report.folders.all;
  report.sources.n_folders = report.folders.n;
  report.print.sources = report.has_no_source ? NULL : &report.sources;
  report.print.is_apart = report.from.by_thread;
  report.print.from = (struct read_from){
    .base = (const char *const *) report.base.all,
    .n_base = report.base.n
  };
  report.print.from.files
      = read_arguments (argc, argv, &report.print.from.n_files);
  ok = make_report (&report);
  sources_free (&report.sources);
  if (report.print.function != NULL)
    regfree (&report.function);
  for (size_t i = 0; i < report.n_limits; i++)
    limit_free (&report.limits[i]);
  free (report.limits);
  free (report.base.all);
  free (report.folders.all);
  return !ok ? TOOL_FAILED : report.is_over ? REPORT_OVER : EXIT_SUCCESS;
}
