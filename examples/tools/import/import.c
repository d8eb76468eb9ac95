/* import.c - reads profiles of many kinds, and writes them as a callgrind
   profile.

   Each kind has a reader, a file of its own, which hands call stacks on to
   samples.c; input.c has the bytes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/outfile.h"
#include "../base/tool.h"
#include "../format/reader_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
import_file (struct import *im, const char *path)
{
  const struct import_kind *kind = im->options->kind;
  struct input in;
  bool ok;

  if (!input_open (&in, path))
    return false;
  if (kind == NULL)
    kind = import_kind_of (&in);
  samples_next_input (im);
  ok = kind != NULL && kind->read (im, &in);
  input_close (&in);
  return ok;
}

static bool
import_files (const struct import_options *options, char *const *paths,
              size_t n)
{
  struct import im;
  bool has_one_output = options->threads != IMPORT_FILES;
  bool ok = true;

  if (has_one_output && outfile_open (options->out) < 0)
    return false;
  samples_begin (&im, options);
  for (size_t i = 0; i < n && ok; i++)
    ok = import_file (&im, paths[i]);
  ok = ok && samples_has_any (&im, tool_input_name (paths[n - 1]));
  if (ok)
    ok = samples_write (&im);
  else if (has_one_output)
    outfile_discard ();
  samples_end (&im);
  return ok;
}

/* Arguments.  */

enum
{
  OPTION_COMM = 256,
  OPTION_DEBUG_PATH,
  OPTION_EVENT,
  OPTION_FOR,
  OPTION_FROM,
  OPTION_INLINE,
  OPTION_ROOT,
  OPTION_SYMFS,
  OPTION_THREADS,
  OPTION_TIME
};

static const struct option long_options[]
    = { { "comm", required_argument, NULL, OPTION_COMM },
        { "debug-path", required_argument, NULL, OPTION_DEBUG_PATH },
        { "event", required_argument, NULL, OPTION_EVENT },
        { "for", required_argument, NULL, OPTION_FOR },
        { "from", required_argument, NULL, OPTION_FROM },
        { "inline", required_argument, NULL, OPTION_INLINE },
        { "output", required_argument, NULL, 'o' },
        { "root", required_argument, NULL, OPTION_ROOT },
        { "symfs", required_argument, NULL, OPTION_SYMFS },
        { "threads", optional_argument, NULL, OPTION_THREADS },
        { "time", required_argument, NULL, OPTION_TIME },
        TOOL_OPTIONS };

static const char help[] = "\
Read profiles of other tools, and write them as one callgrind profile.  The\n\
kind of a FILE is found by its first bytes; without one, standard input is\n\
read.\n\
\n\
      --comm NAME     take only what a command did\n\
      --debug-path FOLDERS\n\
                      look for debug information there, too\n\
      --event NAMES   take only these events (separated by commas); names the\n\
                      event of folded stacks (default: Samples)\n\
      --for READER    write what one reader shows right: kcachegrind,\n\
                      callgrind_annotate, cg_annotate, gprof2dot, qtcreator or\n\
                      speedscope; and print what that does not show\n\
      --from KIND     take the files for inputs of this kind:\n\
                      callgrind, cpuprofile, folded, gperftools, perf,\n\
                      perf-script, pprof, speedscope\n\
      --inline functions|lines\n\
                      make inlined functions functions of their own (the\n\
                      default), or lines of those that they are in\n\
  -o, --output OUT    write to the file OUT, which appears when it is complete;\n\
                      the default \"-\" is the standard output\n\
      --root NAME     make a function of this name the outermost of all stacks\n\
                      (default: the command, or \"(root)\")\n\
      --symfs FOLDER  take programs and libraries from a folder that has those\n\
                      of the machine that was profiled\n\
      --threads[=parts|files]\n\
                      write a part for each thread (the default), or a file,\n\
                      OUT.PID-TID\n\
      --time FROM,TO  take what was sampled between these seconds since the\n\
                      first sample; either may be left out\n";

static const struct tool import_tool = {
  .name = "cgw-import",
  .usage = "[--comm NAME] [--debug-path FOLDERS] [--event NAMES]\n"
           "                  [--for READER] [--from KIND]\n"
           "                  [--inline functions|lines] [-o OUT] [--root NAME]\n"
           "                  [--symfs FOLDER] [--threads[=parts|files]]\n"
           "                  [--time FROM,TO] [FILE...]",
  .help = help,
  .letters = "o:",
  .options = long_options
};

/* Reads seconds, as nanoseconds; "" is `none`.  Ends the program if it is no
   number.  */
static uint64_t
parse_seconds (const char *text, const char *end, uint64_t none)
{
  double seconds;
  char *after;

  if (text == end)
    return none;
  seconds = strtod (text, &after);
  if (after != end || !(seconds >= 0 && seconds < 1e9))
    tool_usage_error ("--time needs FROM,TO in seconds, not ", text);
  return (uint64_t) (seconds * 1e9 + 0.5);
}

static void
parse_time (struct import_options *options, const char *text)
{
  const char *comma = strchr (text, ',');

  if (comma == NULL)
    tool_usage_error ("--time needs FROM,TO in seconds, not ", text);
  options->has_times = true;
  options->from = parse_seconds (text, comma, 0);
  options->to = parse_seconds (comma + 1, strchr (text, '\0'), UINT64_MAX);
}

static bool
parse_inline (const char *how)
{
  if (strcmp (how, "functions") != 0 && strcmp (how, "lines") != 0)
    tool_usage_error ("--inline needs functions or lines, not ", how);
  return strcmp (how, "functions") == 0;
}

static int
parse_threads (const char *how)
{
  if (how == NULL || strcmp (how, "parts") == 0)
    return IMPORT_PARTS;
  if (strcmp (how, "files") != 0)
    tool_usage_error ("--threads needs parts or files, not ", how);
  return IMPORT_FILES;
}

/* Names of events are printable ASCII without blanks; between them are
   commas.  */
static const char *
parse_events (const char *names)
{
  const char *c = names;

  while (*c > ' ' && *c <= '~' && strncmp (c, ",,", 2) != 0)
    c++;
  if (*names == ',' || c[-1] == ',' || *c == ',')
    tool_usage_error ("--event needs names with commas between them, not ",
                      names);
  if (*c != '\0')
    tool_usage_error (
        "an event is printable ASCII without blanks, not ", names);
  return names;
}

static void
parse_option (struct import_options *options, int option)
{
  switch (option)
    {
    case 'o':
      options->out = optarg;
      break;
    case OPTION_COMM:
      options->comm = optarg;
      break;
    case OPTION_DEBUG_PATH:
      options->debug_path = optarg;
      break;
    case OPTION_EVENT:
      options->events = parse_events (optarg);
      break;
    case OPTION_FOR:
      options->reader = reader_option (optarg);
      break;
    case OPTION_FROM:
      options->kind = import_kind_named (optarg);
      if (options->kind == NULL)
        tool_usage_error ("no such kind of input: ", optarg);
      break;
    case OPTION_INLINE:
      options->inline_functions = parse_inline (optarg);
      break;
    case OPTION_ROOT:
      options->root = optarg;
      break;
    case OPTION_SYMFS:
      options->symfs = optarg;
      break;
    case OPTION_THREADS:
      options->threads = parse_threads (optarg);
      break;
    default:
      parse_time (options, optarg);
      break;
    }
}

int
main (int argc, char **argv)
{
  static char standard_input[] = "-";
  static char *no_files[] = { standard_input };
  struct import_options options
      = { .out = "-", .to = UINT64_MAX, .inline_functions = true };
  bool has_files;
  int option;

  tool_begin (&import_tool);
  while ((option = tool_option (argc, argv)) != -1)
    parse_option (&options, option);
  if (options.threads == IMPORT_FILES && strcmp (options.out, "-") == 0)
    tool_usage_error ("--threads=files needs -o", "");
  if (options.reader != NULL && options.reader->lacks & READER_PARTS
      && options.threads == IMPORT_PARTS)
    tool_usage_error ("--threads needs =files for ", options.reader->name);
  has_files = optind < argc;
  return import_files (&options, has_files ? argv + optind : no_files,
                       has_files ? (size_t) (argc - optind) : 1)
             ? EXIT_SUCCESS
             : TOOL_FAILED;
}
