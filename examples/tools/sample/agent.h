/* agent.h - shared declarations of the agent, the part of sample that is
   preloaded into the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_AGENT_H
#define SAMPLE_AGENT_H 1

#include "../agent/agent_parts.h"
#include "sample_shared.h"

#include <stdbool.h>
#include <stdint.h>

/* agent_process.c: what tells this process from others.  */

/* Notes it.  */
void agent_process_note (void);

/* Whether its program is written in Go.  */
bool agent_process_is_go (void);

/* Whether an address is where the program or the dynamic linker begins: the
   root of the first thread's stack.  */
void agent_process_find_entries (void);
bool agent_process_is_entry (uint64_t address);

#endif /* SAMPLE_AGENT_H */
