/* call_stack.h - the calls of a virtual processor: those that are open, on one
   stack or several, and the sums of all.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALL_STACK_H
#define CALL_STACK_H 1

#include "../base/table.h"
#include "contexts.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* All calls from a site to a function.  */
struct call
{
  struct
  {
    const struct function *function;
    uint64_t site;
  } key;
  uint64_t count;
  struct costs costs; /* inclusive */
};

/* An open call.  The handler of an interrupt has no return address.  */
#define BACK_INTERRUPT UINT64_MAX
struct frame
{
  const struct function *function;
  struct call *call;        /* NULL: it is not counted */
  const struct block *site; /* what was executed before; NULL: nothing */
  uint64_t back;            /* the return address; 0: unknown */
  uint32_t context;         /* its number, if they are wanted */
  bool is_silent;           /* it began while nothing counted */
  bool is_named;            /* the site says that it leads to the function */
  bool is_far;              /* a leap or a return led to the function: its stack
                               may be another one than that below */
  struct costs start;       /* the counters when it began or went on */
};

/* Calls that are open at the same time.  */
struct stack
{
  struct frame *frames;
  uint32_t n;
  uint32_t capacity;
};

/* Stacks that wait.  Equal ones are one, for none of them can be told from the
   others.  */
struct parked
{
  struct stack stack;
  const struct block *interrupted; /* what a handler of an interrupt that then
                                      left the stack interrupted; or NULL */
  uint64_t hash;                   /* of the stack */
  uint64_t n;
};
enum { PARKED_MAX = 4096 };

/* The recent calls: by a hash, two of each, so that two calls with one hash
   that alternate both stay.  */
enum { RECENT_BITS = 10, RECENT_WAYS = 2 };

struct calls
{
  uint32_t n_events;
  bool is_system;        /* its stacks are those of tasks, which are equals */
  bool is_counting;      /* a call that begins now counts */
  bool is_usual;         /* no system, and no contexts */
  struct costs counters; /* what was executed */
  struct stack now;
  uint32_t n_waited;     /* so many of its calls were open when it went on */
  const struct block *went_on; /* behind this, which was interrupted; or NULL */
  struct stack base;     /* the thread's own, while `now` is a coroutine's: what
                            this one costs is inclusive cost of its calls */
  uint32_t *n_open;      /* by the number of a function: frames of these two
                            that are not silent */
  uint32_t n_functions;
  struct parked *parked; /* the last one was left last */
  uint32_t n_parked;
  struct table sums;     /* struct sum */
  struct call *recent[1 << RECENT_BITS][RECENT_WAYS];
  struct contexts contexts;
};

void calls_begin (struct calls *c, uint32_t n_events, bool is_system);

/* Contexts are wanted: calls_move moves them instead of sums of calls.  */
void calls_want_contexts (struct calls *c, struct cgw_names *names,
                          uint32_t vcpu);

void calls_free (struct calls *c);

static inline struct frame *
calls_top (const struct calls *c)
{
  return &c->now.frames[c->now.n - 1];
}

/* Whether a site has called a function.  */
bool calls_has (const struct calls *c, const struct block *site,
                const struct function *callee);

/* A block calls a function, if no contexts are wanted.  Its site is NULL if
   nothing here calls it.  */
void calls_push (struct calls *c, const struct block *site,
                 const struct function *callee, uint64_t back);

/* The same in any case.  */
void calls_enter (struct calls *c, const struct block *site,
                  const struct function *callee, uint64_t back);

/* The function that runs ends, and another one runs in its place, called from
   the same site.  */
void calls_replace (struct calls *c, const struct function *callee);

/* The number of the innermost call of a stack that has a return address, plus
   1; 0: none has.  */
static inline uint32_t
calls_find_back (const struct stack *s)
{
  uint32_t i = s->n;

  while (i > 0 && s->frames[i - 1].back == 0)
    i--;
  return i;
}

static inline bool
calls_returns_to (const struct stack *s, uint64_t address)
{
  uint32_t i = calls_find_back (s);

  return i > 0 && s->frames[i - 1].back == address;
}

/* Adds the cost of a call to its sum.  Frames close from the innermost to the
   outermost.  */
static inline void
calls_close (struct calls *c, const struct frame *f)
{
  if (f->is_silent || --c->n_open[f->function->number] != 0
      || f->call == NULL)
    return;
  for (uint32_t i = 0; i < c->n_events; i++)
    f->call->costs.of[i] += c->counters.of[i] - f->start.of[i];
}

/* Ends the innermost call, if no contexts are wanted.  */
static inline void
calls_pop (struct calls *c)
{
  calls_close (c, &c->now.frames[--c->now.n]);
  if (c->n_waited > c->now.n)
    c->n_waited = c->now.n;
}

/* Ends the innermost call.  */
void calls_leave (struct calls *c);

/* Ends calls until so many are open.  */
void calls_unwind (struct calls *c, uint32_t n);

/* Other stacks.  */

/* The calls from number n on wait, on a stack of their own.  */
void calls_park (struct calls *c, uint32_t n, const struct block *interrupted);

/* Goes on with another stack, and lets the running one wait: with a parked one,
   by its number; with that of the thread; or with an empty one.  */
void calls_resume (struct calls *c, uint32_t number,
                   const struct block *interrupted);
void calls_resume_base (struct calls *c);
void calls_begin_stack (struct calls *c, const struct block *interrupted);

/* A call returns to an address.  Where several stacks waited in one function,
   this may show that another one has gone on than the one that was resumed:
   then the two change what is below.  */
void calls_correct (struct calls *c, uint64_t address);

/* Sums.  */

/* Moves all sums to a profile.  Open calls stay so.  */
void calls_move (struct calls *c, struct cgw_profile *profile);

/* Begins anew: with the calls that are open, as a forked process does.  */
void calls_forget (struct calls *c);

#endif /* CALL_STACK_H */
