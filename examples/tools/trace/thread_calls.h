/* thread_calls.h - the calls of one thread, which a struct cgw_tracer sums up.

   While a program runs, its functions are known by their addresses only:
   finding out what they mean takes time and memory.  So each address is the
   name of a function in a names object of the thread's own, and the place of a
   call its address.  When the thread ends, its sums are copied, and all else is
   freed: programs may make very many threads.

   In call trees, each context has such a name, with its number: that is a
   function as it was called by one context.  See run/tree.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_THREAD_CALLS_H
#define TRACE_THREAD_CALLS_H 1

#include "arena.h"
#include "thread_sums.h"

#include <cgw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Whether calls are summed up as trees.  Set this before the first ones.  */
extern bool calls_are_trees;

/* A function that was called, from a place.  Contexts of trees are among these,
   too, without a place.  */
struct known
{
  uintptr_t fn;
  uintptr_t site;     /* where its machine code returns to */
  uintptr_t from;     /* the same, or where it was inlined */
  struct cgw_fn name;
  uint32_t context;   /* in trees: its index; that of a context's caller */
};

struct calls
{
  clockid_t clock;
  uint64_t n;          /* calls so far */
  uint64_t top;        /* tag of the running call, or 0 */
  struct arena arena;  /* for all up to slots */
  struct cgw_tracer *tracer; /* NULL: closed */
  struct cgw_profile *profile;
  struct cgw_names *names;
  struct known *known;
  uint32_t *slots;     /* hash table: an index of known plus 1, or 0 */
  uint32_t n_known;
  uint32_t n_slots;    /* a power of two, at least twice n_known; or 0 */
  const uint32_t *first; /* what a call looks in first: slots, or in trees, whose
                            keys are longer, one that is empty */
  size_t first_mask;     /* its size, less 1 */
  uint32_t n_before;   /* known ones before the last calls_close, in trees */
  struct sums sums;    /* until the last calls_close */
};

/* Makes room for calls, at first and after calls_close.  False: no memory; but
   it can be closed.  */
bool calls_open (struct calls *c, clockid_t clock);

/* Ends all functions, and keeps the sums only.  Not in a handler.  */
void calls_close (struct calls *c);

/* Copies the sums so far, with those of open calls, as if they were closed.
   copy must be all zeros.  It takes memory from the kernel alone, in the arena
   of the copy, which calls_free_copy frees.  False: there is none.  */
bool calls_copy (struct calls *c, struct calls *copy);
void calls_free_copy (struct calls *copy);

void calls_free (struct calls *c);

/* A function was entered.  site is where its machine code returns to, and
   here an address in it; stack is its stack pointer.  False: no memory.  */
bool calls_enter (struct calls *c, uintptr_t fn, uintptr_t site,
                  uintptr_t here, uintptr_t stack);

/* A function was left: ends it, and the calls below it that were left without a
   call of the hook.  Ignores a function that was not entered.  */
void calls_leave (struct calls *c, uintptr_t fn, uint64_t now);

/* Ends the functions whose stack is below: control has left them.  to_first:
   of functions that share the machine's frame with that stack, it goes to the
   one into which the others were inlined.  */
void calls_cut (struct calls *c, uintptr_t stack, bool to_first);

/* Ends all functions.  */
void calls_end (struct calls *c);

/* Forgets all but the functions that are active: these begin now, by another
   clock.  False: no memory.  */
bool calls_restart (struct calls *c, clockid_t clock);

#endif /* TRACE_THREAD_CALLS_H */
