/* hottest.h - prints the functions of a profile that cost most.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef HOTTEST_H
#define HOTTEST_H 1

#include "reader.h"

#include <cgw.h>

/* Prints, on the standard error, the five functions with the highest self cost
   by the first event, the sum of all, and the commands that open the profile.
   n_files: how many profiles were written, of which this is the one with the
   highest cost.  reader: the one that they were written for, or NULL.  Prints
   nothing if the profile is no regular file, or nothing has a cost.  */
void hottest_print (const char *path, unsigned n_files,
                    const struct reader *reader);

/* The same of a profile that was written to `path` and is still there: it is
   not read again.  event: what its first one is called.  command: what opens
   the file, or NULL if it is a callgrind profile.  */
void hottest_print_sums (struct cgw_profile *profile, struct cgw_names *names,
                         const char *event, const char *path,
                         unsigned n_files, const struct reader *reader,
                         const char *command);

#endif /* HOTTEST_H */
