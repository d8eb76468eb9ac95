/* export.h - writes a recording in one of several formats.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef EXPORT_H
#define EXPORT_H 1

#include "../format/reader.h"
#include "../format/recording.h"

#include <stdbool.h>

struct export_format;

struct export_options
{
  const struct export_format *format; /* NULL: callgrind */
  const char *out;             /* as for outfile_open */
  bool by_profile;             /* a file for each: OUT.PID-TID */
  bool is_estimated;           /* where there are no stacks, make some up */
  const struct reader *reader; /* whom a callgrind profile is for, or NULL */
};

/* Returns the format of this name, or ends the program.  */
const struct export_format *export_option (const char *name);

/* What names of its files end with, such as ".pb.gz"; "" for callgrind.  And a
   command that opens one; NULL for callgrind.  */
const char *export_suffix (const struct export_format *format);
const char *export_command (const struct export_format *format);

/* Whether a format says of each stack which thread it is of.  */
bool export_has_threads (const struct export_format *format);

/* Ends the program if options exclude each other.  */
void export_check (const struct export_options *options);

/* Opens the output, if it is to be one.  False: a message was printed.  */
bool export_open (const struct export_options *options);

/* Writes the output, or outputs.  `input` is what messages name.  False: it
   failed; a message was printed, and there is no output.  */
bool export_write (const struct export_options *options,
                   const struct recording *r, const char *input);

/* Writes to the output that is open, with the name `path`, and closes it.  Adds
   the limits of the reader that the profiles meet to *limits.  All costs are
   those of stacks, if the format needs it.  */
bool export_write_one (const struct export_options *options,
                       const struct recording *r, const char *path,
                       unsigned *limits);

/* Removes the output that is open, after another error.  */
void export_discard (const struct export_options *options);

#endif /* EXPORT_H */
