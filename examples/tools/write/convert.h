/* convert.h - cgw-import and cgw-export: read profiles of one kind, and write
   another.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CONVERT_H
#define CONVERT_H 1

#include "../read/read_options.h"
#include "export.h"

struct conversion
{
  struct import_options from;
  struct export_options to;
};

#define CONVERSION_INIT { .from = READ_OPTIONS_INIT, .to = { .out = "-" } }

enum
{
  CONVERT_ESTIMATE = READ_OTHERS,
  CONVERT_THREADS,
  CONVERT_TO,
  CONVERT_OTHERS /* the first number that is free for others */
};

/* Short ones are "o:".  */
#define CONVERT_OPTIONS                                                       \
  READ_OPTIONS, { "estimate", no_argument, NULL, CONVERT_ESTIMATE },          \
  { "output", required_argument, NULL, 'o' },                                 \
  { "threads", optional_argument, NULL, CONVERT_THREADS },                    \
  { "to", required_argument, NULL, CONVERT_TO }

/* Takes an option with its optarg, or ends the program.  False: it is another
   one.  */
bool convert_option (struct conversion *c, int option);

/* Reads the files that remain on the command line, or the standard input, and
   writes the output.  Returns the exit status.  */
int convert (struct conversion *c, int argc, char **argv);

#endif /* CONVERT_H */
