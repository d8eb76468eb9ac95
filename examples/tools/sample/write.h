/* write.h - writes the profiles, one per process.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_WRITE_H
#define SAMPLE_WRITE_H 1

#include "../write/export.h"
#include "stacks.h"

#include <stdbool.h>
#include <stdint.h>

/* Where OUT leads for a process: "%p" in it stands for the process id; if it
   has none, further processes get theirs behind it; "-" is standard output.
   If that or OUT is no regular file, further processes have theirs in
   those of write_default.  */
struct write_options
{
  const char *out;
  struct export_options to; /* without its member out */
  uint64_t interval; /* ns of a tick */
  uint64_t hertz;
  bool inline_functions; /* as struct resolver's */
  bool is_saved;     /* profiles are written again and again, to regular
                        files */
  bool is_saver;     /* this writes them while the program runs */
  bool is_quiet;     /* do not say what was written */
  int first;         /* write_begin's: the first output's descriptor, or -1 */
  const char *others;
  bool is_cleared;   /* write_clear was called */
  char default_name[40];
};

/* Returns the name of outputs that no option gives: callgrind.out.%p, or
   profile.%p and what the format's names end with.  */
const char *write_default (struct write_options *options);

/* Opens the first output, if its name is known before there is a process.
   False: it cannot be; a message was printed.  */
bool write_begin (struct write_options *options);

/* Before the first profile is written: removes what an earlier run left beside
   OUT.  */
void write_clear (struct write_options *options);

/* Writes all profiles: of the first process always, of others when they were
   sampled.  False: one could not be written; a message was
   printed.  */
bool write_profiles (struct stacks *s, const struct write_options *options);

#endif /* SAMPLE_WRITE_H */
