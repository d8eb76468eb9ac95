/* open.h - open an output file: as fopen does, or strictly, so that nobody else
   can have planted it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_OPEN_H
#define CGWI_OPEN_H 1

#include "../platform.h"
#include "replace.h"

enum cgwi_opened
{
  CGWI_OPENED,
  CGWI_OPEN_FAILED, /* *error is the errno */
  CGWI_NOT_OURS,    /* planted, or refused by CGW_PATH_STRICT: *error says
                       why, see cgw_open */
  CGWI_BAD_PATH,    /* a "%" that is neither "%p" nor "%%" */
  CGWI_OPEN_NO_MEMORY
};

/* Open path as the writer's flags ask: CGW_PATH_EXPAND, CGW_PATH_STRICT,
   CGW_REPLACE.  Keep errno, and what the file holds.  If the file is to be
   replaced, open the replacement.  */
enum cgwi_opened cgwi_open (const struct cgwi_memory *m, const char *path,
                            unsigned flags,
                            struct cgwi_replacement *replacement, int *fd,
                            int *error);

/* Empty an open file, if this is that process: a handler may have forked since
   the file was opened, and then it is another process's.  (If it forks just
   before ftruncate, that goes unnoticed; an empty file is left alone.)  Return
   0, an errno, or CGWI_FORKED.  Keep errno.  */
int cgwi_empty (int fd, pid_t process);

/* Close a descriptor.  Return 0 or an errno.  Keep errno.  */
int cgwi_close (int fd);

#endif
