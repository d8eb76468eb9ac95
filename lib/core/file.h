/* file.h - start and finish a file, and salvage it when a call never returns.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_FILE_H
#define CGWI_FILE_H 1

#include "core.h"

/* Make a core, whose memory must be all zeros but for c->memory and the user of
   the names, without a file.  The options must be valid.  False: no memory;
   cgwi_core_free it.  */
bool cgwi_core_make (struct cgwi_core *c, const struct cgw_options *o);

/* Free all memory, and close an owned descriptor.  */
void cgwi_core_free (struct cgwi_core *c);

/* Start the core's file on fd.  owns: the core closes the descriptor.  */
void cgwi_start_file (struct cgwi_core *c, int fd, bool owns);

/* End the last part, which there must be, with its totals, flush, and close an
   owned descriptor.  If that fails for good, keep the error.  CGW_EAGAIN,
   CGW_EFORK: the file is not finished.  CGW_EFINISHED: cgw_salvage has ended
   it.  */
enum cgw_status cgwi_finish_file (struct cgwi_core *c);

/* End the file for a crash handler, whatever call is inside the core, which
   writes nothing more from then on: write the committed records.  If another
   call is inside write(2), write nothing, because it is unknown how much of
   that is written.  If the file replaces another, rename it.
   CGW_EFINISHED: it has ended already; with `resume`, only its rename may be
   missing.  CGW_ELOST: another call is inside write(2).  CGW_EIO, CGW_EAGAIN,
   CGW_EFORK.  */
enum cgw_status cgwi_salvage_file (struct cgwi_core *c, bool resume);

/* Whether the file has no bytes yet.  */
bool cgwi_is_empty (const struct cgwi_core *c);

#endif
