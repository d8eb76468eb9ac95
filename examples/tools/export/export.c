/* export.c - cgw-export: writes profiles in the formats of other viewers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/tool.h"
#include "../write/convert.h"

static const struct option long_options[] = { CONVERT_OPTIONS, TOOL_OPTIONS };

static const char help[] = "\
Write profiles in the format of another viewer.  A FILE is a callgrind or\n\
cachegrind profile, or of any kind that cgw-import reads; without one, standard\n\
input is read.\n\
\n\
      --comm NAME     take only what a command did\n\
      --debug-path FOLDERS\n\
                      look for debug information there, too\n\
      --estimate      where there are costs and calls, but no stacks, make some\n\
      --event NAMES   take only these events (separated by commas)\n\
      --from KIND     take the files for inputs of this kind:\n\
                      callgrind, cpuprofile, firefox, folded, gperftools, perf,\n\
                      perf-script, pprof, speedscope\n\
      --inline functions|lines\n\
                      make inlined functions functions of their own (the\n\
                      default), or lines of those that they are in\n\
  -o, --output OUT    write to the file OUT, which appears when it is complete;\n\
                      the default \"-\" is the standard output\n\
      --root NAME     make a function of this name the outermost of all stacks\n\
      --symfs FOLDER  take programs and libraries from a folder that has those\n\
                      of the machine that was profiled\n\
      --threads[=parts|files]\n\
                      keep threads apart, as pprof profiles do in any case; or\n\
                      write a file for each, OUT.PID-TID\n\
      --time FROM,TO  take what was sampled between these seconds since the\n\
                      first sample; either may be left out\n\
      --to FORMAT     write this format: callgrind, folded, pprof or\n\
                      speedscope\n";

static const struct tool export_tool = {
  .name = "cgw-export",
  .usage = "--to FORMAT [--comm NAME] [--debug-path FOLDERS] [--estimate]\n"
           "                  [--event NAMES] [--from KIND]\n"
           "                  [--inline functions|lines] [-o OUT] [--root NAME]\n"
           "                  [--symfs FOLDER] [--threads[=parts|files]]\n"
           "                  [--time FROM,TO] [FILE...]",
  .help = help,
  .letters = "o:",
  .options = long_options
};

int
main (int argc, char **argv)
{
  struct conversion c = CONVERSION_INIT;
  int option;

  tool_begin (&export_tool);
  while ((option = tool_option (argc, argv)) != -1)
    convert_option (&c, option);
  if (c.to.format == NULL)
    tool_usage_error ("--to FORMAT is missing", "");
  return convert (&c, argc, argv);
}
