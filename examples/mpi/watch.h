/* watch.h - the watcher: a process beside the program, which finds out what
   addresses mean, writes files, and is still there when the program was killed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WATCH_H
#define WATCH_H 1

#include "rank.h"

#include <sys/types.h>

struct watch_options
{
  const char *out;
  const char *parts;   /* the file of --ranks, or NULL */
  bool keep;           /* write the rank's own file always */
  bool is_first;       /* this is rank 0, as far as is known yet */
  const char *program; /* its name, for messages */
};

/* Starts the watcher of this process, and sets memory->watcher.  False: an
   output cannot be opened, or there is no process; it was said why.  */
bool watch_start (struct rank_memory *memory, int memory_fd,
                  const struct watch_options *options);

/* No program will run: the watcher is not needed.  */
void watch_cancel (struct rank_memory *memory);

#endif /* WATCH_H */
