/* outfile.h - an output file that appears complete or not at all; and the
   files of an earlier run go.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OUTFILE_H
#define OUTFILE_H 1

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens the output for path; NULL and "-" are the standard output.  If path is
   not a regular file, but for example a pipe or a device, writes to it
   directly.  Returns the descriptor, or -1 after printing a message.  There can
   be only one output at a time.  */
int outfile_open (const char *path);

/* Returns the name of the output for messages.  */
const char *outfile_name (const char *path);

/* Makes a writer on the output, whose records wait if a pipe takes no bytes
   now.  creator is that of struct cgw_options.  Ends the program if there is
   no memory.  */
struct cgw_writer *outfile_writer (struct cgw_names *names, unsigned flags,
                                   const char *creator);

/* Prints why the library could not write the output.  Returns false.  */
bool outfile_complain (const char *path, struct cgw_writer *w);

/* Finishes and frees the writer, and closes the output, as outfile_close.  A
   failure is printed.  */
bool outfile_finish (const char *path, struct cgw_writer *w);

/* Returns the output as a stream, for outfile_finish_stream.  Ends the program
   if there is no memory.  */
FILE *outfile_stream (void);

/* Closes the stream, and the output, as outfile_close.  A failure is
   printed.  */
bool outfile_finish_stream (const char *path, FILE *stream);

/* Closes the output.  If it is complete, renames it.  If not, or if that fails,
   removes it; a failure is printed.  Returns whether the output is there.  */
bool outfile_close (const char *path, bool is_complete);

/* Removes the temporary file.  */
void outfile_discard (void);

/* What an earlier run left.  */

/* Removes the regular files whose names are `before`, a number, perhaps "-" and
   another number, and `behind`, if one of their first lines begins with `mark`:
   other people's files lack it.  This run replaces those with the numbers below
   `n_kept`, all with the digits that the highest needs: they stay.  */
void outfile_remove_earlier (const char *before, const char *behind, uint64_t n_kept,
                     const char *mark);

#endif /* OUTFILE_H */
