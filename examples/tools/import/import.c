/* import.c - reads profiles of many kinds, and writes them as a callgrind
   profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/tool.h"
#include "../format/reader_tool.h"
#include "../write/convert.h"

enum { OPTION_FOR = CONVERT_OTHERS };

static const struct option long_options[]
    = { CONVERT_OPTIONS, { "for", required_argument, NULL, OPTION_FOR },
        TOOL_OPTIONS };

static const char help[] = "\
Read profiles of other tools, and write them as one callgrind profile.  The\n\
kind of a FILE is found by its first bytes; without one, standard input is\n\
read.\n\
\n\
      --comm NAME     take only what a command did\n\
      --debug-path FOLDERS\n\
                      look for debug information there, too\n\
      --estimate      with --to: where there are costs and calls, but no stacks,\n\
                      make some\n\
      --event NAMES   take only these events (separated by commas); names the\n\
                      event of folded stacks (default: Samples)\n\
      --for READER    write what one reader shows right: kcachegrind,\n\
                      callgrind_annotate, cg_annotate, gprof2dot, qtcreator or\n\
                      speedscope; and print what that does not show\n\
      --from KIND     take the files for inputs of this kind:\n\
                      callgrind, cpuprofile, firefox, folded, gperftools, perf,\n\
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
                      first sample; either may be left out\n\
      --to FORMAT     write another format than callgrind profiles: folded,\n\
                      pprof or speedscope\n";

static const struct tool import_tool = {
  .name = "cgw-import",
  .usage = "[--comm NAME] [--debug-path FOLDERS] [--estimate]\n"
           "                  [--event NAMES] [--for READER] [--from KIND]\n"
           "                  [--inline functions|lines] [-o OUT] [--root NAME]\n"
           "                  [--symfs FOLDER] [--threads[=parts|files]]\n"
           "                  [--time FROM,TO] [--to FORMAT] [FILE...]",
  .help = help,
  .letters = "o:",
  .options = long_options
};

int
main (int argc, char **argv)
{
  struct conversion c = CONVERSION_INIT;
  int option;

  tool_begin (&import_tool);
  while ((option = tool_option (argc, argv)) != -1)
    if (!convert_option (&c, option))
      c.to.reader = reader_option (optarg);
  if (c.to.reader != NULL && c.to.reader->lacks & READER_PARTS
      && c.from.by_thread && !c.to.by_profile)
    tool_usage_error ("--threads needs =files for ", c.to.reader->name);
  return convert (&c, argc, argv);
}
