/* read_options.h - the options of tools that read profiles of all kinds, and
   the reading.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef READ_OPTIONS_H
#define READ_OPTIONS_H 1

#include "samples.h"

#include <getopt.h>
#include <limits.h>

enum
{
  READ_COMM = UCHAR_MAX + 1,
  READ_DEBUG_PATH,
  READ_EVENT,
  READ_FROM,
  READ_INLINE,
  READ_ROOT,
  READ_SYMFS,
  READ_TIME,
  READ_OTHERS /* the first number that is free for others */
};

#define READ_OPTIONS                                                          \
  { "comm", required_argument, NULL, READ_COMM },                             \
  { "debug-path", required_argument, NULL, READ_DEBUG_PATH },                 \
  { "event", required_argument, NULL, READ_EVENT },                           \
  { "from", required_argument, NULL, READ_FROM },                             \
  { "inline", required_argument, NULL, READ_INLINE },                         \
  { "root", required_argument, NULL, READ_ROOT },                             \
  { "symfs", required_argument, NULL, READ_SYMFS },                           \
  { "time", required_argument, NULL, READ_TIME }

#define READ_OPTIONS_INIT { .to = UINT64_MAX, .inline_functions = true }

/* Takes an option with its optarg, or ends the program.  False: it is another
   one.  */
bool read_option (struct import_options *options, int option);

/* The files that remain on the command line; without any, "-".  */
char *const *read_arguments (int argc, char **argv, size_t *n);

/* Reads files into *im, which is to be ended by samples_end even so.  False: it
   failed, or there are no samples; a message was printed.  */
bool read_files (struct import *im, const struct import_options *options,
                 char *const *paths, size_t n);

#endif /* READ_OPTIONS_H */
