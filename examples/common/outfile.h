/* outfile.h - an output file that appears whole, or not at all.

   It is written under another name in the same directory and renamed when it
   is complete.  On failure, and on SIGINT, SIGTERM or SIGHUP, that other file
   is removed, and a file that was there before stays as it was.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OUTFILE_H
#define OUTFILE_H 1

#include <cgw.h>

#include <stdbool.h>
#include <sys/types.h>

/* Opens the output for path; NULL and "-" stand for the standard output.  What
   is there, but is no regular file, as a pipe or a device, is written to as it
   is.  Returns the descriptor, or -1: it has said why.  There is one output at
   a time.  */
int outfile_open (const char *path);

/* What to call it in messages.  */
const char *outfile_name (const char *path);

/* Says why the library could not write it, by the status that it returned.
   Returns false.  */
bool outfile_complain (const char *path, const struct cgw_writer *w,
                       enum cgw_status status);

/* A hook for struct cgw_options, which writes to it.  A descriptor that takes
   nothing just now, as one that is shared with a non-blocking program, is
   waited for.  */
ssize_t outfile_write (void *context, const void *bytes, size_t n);

/* Closes it and gives it its name, if it is complete.  If not, or if that
   fails, which it says, removes what was written.  Returns whether it is
   there.  */
bool outfile_close (const char *path, bool is_complete);

/* Removes what was written.  */
void outfile_discard (void);

#endif /* OUTFILE_H */
