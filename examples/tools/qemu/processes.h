/* processes.h - what became of the processes that the program forked and that
   have no profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROCESSES_H
#define PROCESSES_H 1

#include "qemu_shared.h"

#include <stdbool.h>

/* Says how many a signal ended, and what would have saved their profiles, or
   "".  Unless it is quiet, also how many are still running, whose profiles may
   come later, and how many executed other programs.  `memory` is the path of
   the shared memory.  */
void processes_say (const struct qemu_shared *shared, const char *memory,
                    const char *out, const char *advice, bool may_come,
                    bool is_quiet);

#endif /* PROCESSES_H */
