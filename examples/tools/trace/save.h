/* save.h - saves the profile every few seconds, in a thread of its own.

   The file is complete at any time, so a program that is killed leaves what was
   saved last.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_SAVE_H
#define TRACE_SAVE_H 1

#include "thread.h"

/* Begins to save, if that is wanted.  In a forked child, not if a handler has
   forked: it may have interrupted malloc.  */
void save_begin (void);
void save_begin_in_child (void);

/* Saves once, in the present thread.  */
void save_now (bool by_abort);

/* Waits until nothing is being saved, and keeps it so until save_go_on.  */
void save_wait (void);
void save_go_on (void);

/* thread_copy, while no thread forks.  */
bool save_copy (struct thread *t, struct thread *copy);

/* For pthread_atfork: a child must not get calls that are being copied.  */
void save_before_fork (void);
void save_after_fork (void);

#endif /* TRACE_SAVE_H */
