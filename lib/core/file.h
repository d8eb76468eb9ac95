/* file.h - start and finish a file, and salvage it when a call never returns.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_FILE_H
#define CGWI_FILE_H 1

#include "core.h"

/* Make a core, whose memory must be all zeros but for c->memory and c->next_fd,
   which is -1, without a file.  The options must be valid.  False: no memory; cgwi_core_free it.  */
bool cgwi_core_make (struct cgwi_core *c, const struct cgw_options *o);

/* Free all memory, and close an owned descriptor.  */
void cgwi_core_free (struct cgwi_core *c);

/* Start a file on fd, keeping only the names and the options.  owns: the core
   closes the descriptor.  */
void cgwi_start_file (struct cgwi_core *c, int fd, bool owns);

/* Empty a file that this process opened; cgwi_start_file must follow.  Return
   0; or an errno or CGWI_FORKED, and then nothing has changed.  */
int cgwi_empty_file (struct cgwi_core *c, int fd, pid_t process);

/* Finish a file that could not be opened, or has no part, for that reason.  */
void cgwi_refuse_file (struct cgwi_core *c, enum cgw_status status, int error,
                       const struct cgwi_sentence *why);

/* End the last part with its totals, flush, and close an owned descriptor.
   Return what cgw_finish returns.  CGW_EAGAIN, CGW_EFORK, and any error of a
   file without a part: the file is not finished.  */
enum cgw_status cgwi_finish_file (struct cgwi_core *c);

/* Write the committed records, while a call is inside the core that may never
   continue.  Do nothing if it is inside write(2), because it is unknown how
   much of that is written.  If the call does continue, it finds its state
   unchanged, but written.  */
void cgwi_salvage (struct cgwi_core *c);

#endif
