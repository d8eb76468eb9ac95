/* shared_file.h - memory that a tool shares with the program that it runs, and
   with what that starts: a file that they open by its path.

   Programs may close all descriptors that they inherit, so the path leads to
   the tool's descriptor, in /proc.  Only processes of the same user may go that
   way.  Root's program may become another user, as servers do, and execute
   another program then.  So for root the file has a name in /dev/shm.  Any user
   may open it who knows the name, which is random, in a folder that only root
   can list.  The name is in the environment of the program, which no third
   user can read.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SHARED_FILE_H
#define SHARED_FILE_H 1

#include <stdbool.h>
#include <stddef.h>

enum { SHARED_FILE_PATH = 80 };

struct shared_file
{
  void *memory;                /* zeroed */
  char path[SHARED_FILE_PATH]; /* for the program */
};

/* Makes it.  It is gone when this process ends, however that ends.  False:
   errno says why.  */
bool shared_file_make (struct shared_file *f, size_t size);

#endif /* SHARED_FILE_H */
