/* file.h - the life of one file: start, finish, and what becomes of it when
   a call never returned.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_FILE_H
#define CGWI_FILE_H 1

#include "core.h"

/* Make a core; its memory is all zeros but for c->memory.  The options must be
   right.  No file is started.  False: no memory; cgwi_core_free it.  */
bool cgwi_core_make (struct cgwi_core *c, const struct cgw_options *o);

/* Free all memory, and close a descriptor that is owned.  */
void cgwi_core_free (struct cgwi_core *c);

/* Start a file on fd: all but the names and the options is as new.  owns: the
   core closes the descriptor.  */
void cgwi_start_file (struct cgwi_core *c, int fd, bool owns);

/* Make a core whose file could not be opened.  */
void cgwi_refuse_file (struct cgwi_core *c, enum cgw_status why, int error);

/* End the last part with its totals, flush, and close an owned descriptor.
   Returns what cgw_finish does.  CGW_EAGAIN, CGW_EORDER, CGW_EFORK: the file
   is not finished.  */
enum cgw_status cgwi_finish_file (struct cgwi_core *c);

/* Write the whole records that are committed, for a call that is inside the
   core and may never go on; unless it is inside write(2), where nobody knows
   how much is written.  Should it go on after all, it finds everything as it
   was, but written.  */
void cgwi_salvage (struct cgwi_core *c);

#endif
