/* trace_calls.h - the calls of one thread: a stack of the functions that are
   active, and a table of who called whom from where.

   Memory comes from mmap: the functions traced may be inside malloc.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_CALLS_H
#define TRACE_CALLS_H 1

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call from one place in one function to another.  */
struct edge
{
  uintptr_t caller; /* function that was active, 0 for none */
  uintptr_t site;   /* the address that the call returns to, or 0 */
  uintptr_t callee;
  uint64_t count;
  uint64_t self;    /* time in the callee, less what it called */
  /* Inside the callee, of outermost activations of it alone: what runs in an
     inner one, runs in the outer one, too, and must not count twice.  */
  uint64_t time;
  uint64_t calls;
  /* The edge to the callee from nowhere, which counts how often it is active
     at present.  */
  uint32_t nowhere;
  uint32_t active;
};

/* A function that is active.  */
struct frame
{
  uintptr_t stack;  /* what the stack pointer was in it */
  uintptr_t site;   /* where its machine code returns to */
  uint64_t start;   /* time */
  uint64_t inside;  /* time of what it called */
  uint64_t calls;   /* calls of the thread before this one */
  uint32_t edge;
};

/* A change of the counts, by their new values: entering and leaving change
   them in one step, which can be made again when a jump out of a signal
   handler has cut it short.  */
struct step
{
  uint64_t count, self, time, calls; /* of edge */
  uint64_t inside;                   /* of the frame that is then on top */
  uint64_t n;
  size_t depth;
  uint32_t edge;
  uint32_t active;                   /* of the callee */
};

struct calls
{
  struct edge *edges;
  size_t n_edges;
  size_t edges_room; /* in bytes, as all three */
  uint32_t *slots;   /* hash table: index of an edge + 1, or 0 */
  size_t slots_room;
  struct frame *frames;
  size_t depth;
  size_t frames_room;
  uint64_t n;        /* calls so far */
  struct step step;
  _Atomic bool stepping; /* step is not done */
};

/* A function was entered.  site is where its machine code returns to, and
   here an address in it.  The caller fills in the start of the frame.  NULL:
   no memory.  */
struct frame *calls_enter (struct calls *c, uintptr_t fn, uintptr_t site,
                           uintptr_t here, uintptr_t stack);

/* A function was left: ends it, and those called by it that were left without
   a word.  One that was not entered is nothing.  */
void calls_leave (struct calls *c, uintptr_t fn, uint64_t now);

/* A jump has cut short one of the other calls: puts things in order.  */
void calls_repair (struct calls *c, uint64_t now);

/* Ends the functions whose stack is below: control has left them.  to_first:
   of functions that share the machine's frame with that stack, it goes to the
   one into which the others were inlined.  */
void calls_cut (struct calls *c, uintptr_t stack, bool to_first, uint64_t now);

/* Ends all functions.  */
void calls_end (struct calls *c, uint64_t now);

/* Forgets all but the functions that are active: these begin now.  False: no
   memory.  */
bool calls_restart (struct calls *c, uint64_t now);

void calls_free_stack (struct calls *c);
void calls_free (struct calls *c);

#endif /* TRACE_CALLS_H */
