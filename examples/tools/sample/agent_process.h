/* agent_process.h - facts about this process, for the agent.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_AGENT_PROCESS_H
#define SAMPLE_AGENT_PROCESS_H 1

#include "../run/notes.h"

#include <stdbool.h>
#include <stdint.h>

/* Fills in the head of a note of what tells this process from others, and the
   head's length of bytes, which are its command.  */
void agent_process_describe (struct sample_note_head *head,
                             char bytes[SAMPLE_NOTE_BYTES]);

/* Whether its program is written in Go.  */
bool agent_process_is_go (void);

/* Whether an address is where the program or the dynamic linker begins: the
   root of the first thread's stack.  */
void agent_process_find_entries (void);
bool agent_process_is_entry (uint64_t address);

#endif /* SAMPLE_AGENT_PROCESS_H */
