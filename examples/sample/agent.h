/* agent.h - shared declarations of the agent, the part of sample that is
   preloaded into the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_AGENT_H
#define SAMPLE_AGENT_H 1

#include "agent_parts.h"
#include "shared.h"

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

/* agent.c: this process and this thread.  */

/* Whether the process is sampled.  */
bool agent_is_on (void);

/* Whether the thread is in the handler, or walks a stack.  */
bool agent_is_inside (void);

/* The program has begun this thread.  */
void agent_begin_thread (void);

/* Stops this thread's clock, if its ticks outlive an exec.  Returns whether it
   did.  */
bool agent_pause (void);
void agent_resume (void);

/* agent_process.c: what tells this process from others.  */

/* Notes it.  */
void agent_process_note (void);

/* Whether its program is written in Go.  */
bool agent_process_is_go (void);

/* Whether an address is where the program or the dynamic linker begins: the
   root of the first thread's stack.  */
void agent_process_find_entries (void);
bool agent_process_is_entry (uint64_t address);

/* agent_libc.c: replaces functions of libc.  */

/* Marks functions that the program calls.  */
#define AGENT_STAND_IN __attribute__ ((visibility ("default")))

/* Sets a pointer to libc's own function.  */
void agent_find (const char *name, void *pointer);

/* Finds all of them.  The constructors of other libraries may call one that the
   agent stands in for before the agent's constructor runs.  */
void agent_libc_find (void);

/* libc's own pthread_sigmask and sigaction.  */
int agent_sigmask (int how, const sigset_t *set, sigset_t *old);
int agent_sigaction (int number, const struct sigaction *action,
                     struct sigaction *old);

/* agent_exec.c: likewise, for those that execute another program.  */
void agent_exec_find (void);

/* agent_stack.c: a thread's stacks, which lie before other memory of its.  */

/* Returns that memory, of `size` bytes; or NULL, errno says why.  */
void *agent_stacks_new (size_t size);

/* Makes one of them this thread's alternate stack, if it has none.  */
void agent_stacks_use (void *behind);

void agent_stacks_free (void *behind, size_t size);

/* Calls a function on the other one.  */
void agent_stacks_call (void *behind, void (*function) (void *),
                        void *argument);

#endif /* SAMPLE_AGENT_H */
