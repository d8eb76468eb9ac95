/* read_options.c - the options of tools that read profiles of all kinds.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "read_options.h"

#include "../base/tool.h"
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

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

bool
read_option (struct import_options *options, int option)
{
  switch (option)
    {
    case READ_COMM:
      options->comm = optarg;
      return true;
    case READ_DEBUG_PATH:
      options->debug_path = optarg;
      return true;
    case READ_EVENT:
      options->events = parse_events (optarg);
      return true;
    case READ_FROM:
      options->kind = import_kind_named (optarg);
      if (options->kind == NULL)
        tool_usage_error ("no such kind of input: ", optarg);
      return true;
    case READ_INLINE:
      options->inline_functions = parse_inline (optarg);
      return true;
    case READ_ROOT:
      options->root = optarg;
      return true;
    case READ_SYMFS:
      options->symfs = optarg;
      return true;
    case READ_TIME:
      parse_time (options, optarg);
      return true;
    default:
      return false;
    }
}

/* Reading.  */

static bool
read_file (struct import *im, const char *path)
{
  const struct import_kind *kind = im->options->kind;
  struct input in;
  bool ok;

  if (!input_open (&in, path))
    return false;
  if (kind == NULL)
    kind = import_kind_of (&in);
  samples_next_input (im, in.name);
  ok = kind != NULL && kind->read (im, &in);
  input_close (&in);
  return ok;
}

char *const *
read_arguments (int argc, char **argv, size_t *n)
{
  static char standard_input[] = "-";
  static char *const no_files[] = { standard_input };

  *n = optind < argc ? (size_t) (argc - optind) : 1;
  return optind < argc ? argv + optind : no_files;
}

bool
read_files (struct import *im, const struct import_options *options,
            char *const *paths, size_t n)
{
  bool ok = true;

  samples_begin (im, options);
  for (size_t i = 0; i < n && ok; i++)
    ok = read_file (im, paths[i]);
  return ok && samples_has_any (im, tool_input_name (paths[n - 1]));
}
