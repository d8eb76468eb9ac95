/* agent.h - what the files of the agent share: the part of sample that
   is preloaded into the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_AGENT_H
#define SAMPLE_AGENT_H 1

#include "shared.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Writes a note; also in a handler.  The bytes may be shorter than n.  */
void agent_note (enum sample_note kind, const struct sample_note_head *head,
                 const char *bytes);

/* agent_maps.c: what is mapped.  All of it works in handlers.  */

/* Makes sure that sample knows what lies at each address.  Reads
   /proc/self/maps only when one is new, or something was unmapped since, or
   is just being so; returns whether it did.  */
bool agent_maps_see (const uint64_t *frames, size_t n);

/* Around what may unmap code.  */
void agent_maps_begin_change (void);
void agent_maps_end_change (void);

/* Forgets everything, in a forked child, which must note it again.  */
void agent_maps_restart (void);

/* As dl_iterate_phdr, but without the dynamic linker's lock.  */
int agent_maps_iterate (int (*callback) (struct dl_phdr_info *, size_t,
                                         void *), void *data);

/* agent_unwind.c: walks stacks.  */

/* Outside handlers: chooses the way, and readies it.  False: there is no
   libunwind, and frame pointers are used.  */
bool agent_unwind_begin (bool frame_pointers);

/* Where a stack goes.  */
struct agent_walk
{
  uint64_t *frames; /* addresses, the leaf first; those of callers are one less
                       than where they return to: inside the call */
  size_t max;
  bool deep;        /* go on when there is no room for more, to the end, whose
                       last SAMPLE_BASE_FRAMES then stand last */
  size_t n;
  bool end;         /* out: it came to the end, as far as can be told */
};

/* Walks a stack, in a handler or elsewhere.  */
void agent_unwind (ucontext_t *context, struct agent_walk *w);

/* Something was unmapped: what is remembered of it must go.  */
void agent_unwind_forget (void);

/* A thread's place for libunwind's cursor, which is too large for small
   stacks.  */
void *agent_cursor (void);
#define AGENT_CURSOR_BYTES 4096

#endif /* SAMPLE_AGENT_H */
