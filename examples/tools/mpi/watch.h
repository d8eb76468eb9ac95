/* watch.h - the watcher: a process beside the program that symbolizes addresses
   and writes files, even if the program is killed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WATCH_H
#define WATCH_H 1

#include "rank.h"

#include <sys/types.h>

struct watch_options
{
  const char *out;
  bool keep;           /* always write the rank's own file */
  bool is_quiet;       /* print no summary */
  const char *program; /* its name, for messages */
};

/* Starts the watcher of this process, and sets memory->watcher.  False: no
   process can be started; a message was printed.  */
bool watch_start (struct rank_memory *memory, int memory_fd,
                  const struct watch_options *options);

/* Tells the watcher that no program will run.  */
void watch_cancel (struct rank_memory *memory);

#endif /* WATCH_H */
