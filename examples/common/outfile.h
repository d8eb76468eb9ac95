/* outfile.h - an output file that appears complete or not at all.

   It is written under another name in the same directory, and renamed when it
   is complete.  On failure, and on SIGINT, SIGTERM or SIGHUP, the temporary
   file is removed, and an older file stays as it was.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OUTFILE_H
#define OUTFILE_H 1

#include <cgw.h>

#include <stdbool.h>
#include <sys/types.h>

/* Opens the output for path; NULL and "-" are the standard output.  If path is
   not a regular file, but for example a pipe or a device, writes to it
   directly.  Returns the descriptor, or -1 after printing a message.  There can
   be only one output at a time.  */
int outfile_open (const char *path);

/* Returns the name of the output for messages.  */
const char *outfile_name (const char *path);

/* Prints why the library could not write the output.  Returns false.  */
bool outfile_complain (const char *path, const struct cgw_writer *w,
                       enum cgw_status status);

/* A write hook for struct cgw_options.  Waits if the descriptor is non-blocking
   and takes no bytes now.  */
ssize_t outfile_write (void *context, const void *bytes, size_t n);

/* Closes the output.  If it is complete, renames it.  If not, or if that fails,
   removes it; a failure is printed.  Returns whether the output is there.  */
bool outfile_close (const char *path, bool is_complete);

/* Removes the temporary file.  */
void outfile_discard (void);

#endif /* OUTFILE_H */
