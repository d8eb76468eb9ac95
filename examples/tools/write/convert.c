/* convert.c - reads profiles of one kind, and writes another.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "convert.h"

#include "../base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Whether threads become files.  */
static bool
parse_threads (const char *how)
{
  if (how == NULL || strcmp (how, "parts") == 0)
    return false;
  if (strcmp (how, "files") != 0)
    tool_usage_error ("--threads needs parts or files, not ", how);
  return true;
}

bool
convert_option (struct conversion *c, int option)
{
  switch (option)
    {
    case 'o':
      c->to.out = optarg;
      return true;
    case CONVERT_ESTIMATE:
      c->to.is_estimated = true;
      return true;
    case CONVERT_THREADS:
      c->from.by_thread = true;
      c->to.by_profile = parse_threads (optarg);
      return true;
    case CONVERT_TO:
      c->to.format = export_option (optarg);
      return true;
    default:
      return read_option (&c->from, option);
    }
}

static bool
convert_files (struct conversion *c, char *const *paths, size_t n)
{
  struct import im;
  bool ok;

  if (!export_open (&c->to))
    return false;
  ok = read_files (&im, &c->from, paths, n);
  if (ok)
    {
      const struct recording r = samples_recording (&im);

      ok = export_write (&c->to, &r, tool_input_name (paths[n - 1]));
    }
  else
    export_discard (&c->to);
  samples_end (&im);
  return ok;
}

int
convert (struct conversion *c, int argc, char **argv)
{
  size_t n;
  char *const *paths = read_arguments (argc, argv, &n);

  export_check (&c->to);
  c->from.reader = c->to.reader;
  c->from.has_no_root
      = c->from.root == NULL && export_command (c->to.format) != NULL;
  c->from.by_function = c->to.is_estimated;
  /* What says of which thread a stack is says of which command.  */
  if (export_has_threads (c->to.format))
    {
      c->from.by_thread = true;
      c->from.by_command = !c->to.by_profile;
    }
  return convert_files (c, paths, n) ? EXIT_SUCCESS : TOOL_FAILED;
}
