/* open.h - open a file that nobody else can have planted.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_OPEN_H
#define CGWI_OPEN_H 1

#include "../platform.h"

enum cgwi_opened
{
  CGWI_OPENED,
  CGWI_OPEN_FAILED, /* *error says why */
  CGWI_NOT_OURS,    /* not a regular file of the caller's own, under one name;
                       *error is 0 or what open said */
  CGWI_BAD_PATH,    /* a "%" that is neither "%p" nor "%%" */
  CGWI_OPEN_NO_MEMORY
};

/* Open path, with "%p" and "%%" replaced, and empty it.  Keeps errno.  */
enum cgwi_opened cgwi_open (const struct cgwi_memory *m, const char *path,
                            int *fd, int *error);

#endif
