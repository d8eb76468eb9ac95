/* open.h - open an output file that nobody else can have planted.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_OPEN_H
#define CGWI_OPEN_H 1

#include "../platform.h"

enum cgwi_opened
{
  CGWI_OPENED,
  CGWI_OPEN_FAILED, /* *error is the errno */
  CGWI_NOT_OURS,    /* not a regular file of this user with one link; *error
                       says which: see cgw_create */
  CGWI_BAD_PATH,    /* a "%" that is neither "%p" nor "%%" */
  CGWI_OPEN_NO_MEMORY
};

/* Open path, with "%p" and "%%" replaced, and empty it.  Keep errno.  */
enum cgwi_opened cgwi_open (const struct cgwi_memory *m, const char *path,
                            int *fd, int *error);

#endif
