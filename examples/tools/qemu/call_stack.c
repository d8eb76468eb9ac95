/* call_stack.c - the calls of a virtual processor.

   The inclusive cost of a call is what the counters count from its beginning to
   its end.  In recursion the outermost call has it all.  A stack that waits
   costs nothing: what its calls have cost is added when it is left, and they
   begin to count anew when it goes on.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "call_stack.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

/* In the table, which moves its entries.  */
struct sum
{
  unsigned char key[sizeof ((struct call *) NULL)->key];
  struct call *call;
};

void
calls_begin (struct calls *c, uint32_t n_events, bool is_system)
{
  c->n_events = n_events;
  c->is_system = is_system;
  c->is_counting = true;
  c->is_usual = !is_system;
  c->sums.key_size = sizeof ((struct sum *) NULL)->key;
  c->sums.entry_size = sizeof (struct sum);
}

void
calls_want_contexts (struct calls *c, struct cgw_names *names, uint32_t vcpu)
{
  c->is_usual = false;
  contexts_begin (&c->contexts, names, vcpu, c->n_events);
}

static struct call *
call_of (const struct calls *c, uint32_t i)
{
  return ((struct sum *) table_entry (&c->sums, i))->call;
}

void
calls_free (struct calls *c)
{
  for (uint32_t i = 0; i < c->sums.n; i++)
    free (call_of (c, i));
  while (c->n_parked > 0)
    free (c->parked[--c->n_parked].stack.frames);
  free (c->parked);
  free (c->now.frames);
  free (c->base.frames);
  free (c->n_open);
  table_free (&c->sums);
  contexts_free (&c->contexts);
}

/* Costs.  */

/* A frame is on the stack that runs, or on the thread's below it.  */
static void
open_frame (struct calls *c, struct frame *f)
{
  f->start.of[0] = c->counters.of[0];
  if (c->n_events > 1)
    f->start = c->counters;
  c->n_open[f->function->number] += !f->is_silent;
}

static void
open_stack (struct calls *c, const struct stack *s)
{
  for (uint32_t i = 0; i < s->n; i++)
    open_frame (c, &s->frames[i]);
}

static void
close_stack (struct calls *c, const struct stack *s)
{
  for (uint32_t i = s->n; i > 0; i--)
    calls_close (c, &s->frames[i - 1]);
}

/* Contexts.  */

/* The innermost calls were left, or others go on.  */
static void
go_on (struct calls *c)
{
  if (c->contexts.names != NULL)
    contexts_go (&c->contexts,
                 c->now.n != 0 ? calls_top (c)->context : CONTEXT_ROOT,
                 &c->counters);
}

/* Finds the contexts of the calls from number n on.  A coroutine's are called by
   the stack below it.  */
static void
find_contexts (struct calls *c, uint32_t n)
{
  uint32_t caller;

  if (c->contexts.names == NULL)
    return;
  caller = n != 0        ? c->now.frames[n - 1].context
           : c->base.n != 0 ? c->base.frames[c->base.n - 1].context
                            : CONTEXT_ROOT;
  for (uint32_t i = n; i < c->now.n; i++)
    {
      struct frame *f = &c->now.frames[i];

      caller = f->context
          = contexts_find (&c->contexts, caller, f->function, f->site,
                           c->base.n + i);
    }
  go_on (c);
}

/* Calls.  */

bool
calls_has (const struct calls *c, const struct block *site,
           const struct function *callee)
{
  struct call wanted = { .key = { callee, site->site } };

  return table_find (&c->sums, &wanted.key) != NULL;
}

/* A call that is not among the recent ones becomes the first of those with its
   hash.  */
static __attribute__ ((noinline)) struct call *
find_call (struct calls *c, const struct block *site,
           const struct function *callee, struct call *recent[RECENT_WAYS])
{
  struct call wanted = { .key = { callee, site->site } };
  struct sum *sum = table_add (&c->sums, &wanted.key);

  if (sum->call == NULL)
    {
      sum->call = new_lines (sizeof wanted);
      *sum->call = wanted;
    }
  memmove (&recent[1], &recent[0], (RECENT_WAYS - 1) * sizeof *recent);
  return recent[0] = sum->call;
}

static struct call *
count_call (struct calls *c, const struct block *site,
            const struct function *callee)
{
  uint32_t sum = site->site
                 + (uint32_t) ((uintptr_t) callee >> 4) * UINT32_C (0x9e3779b1);
  struct call **recent
      = c->recent[sum * UINT32_C (0x85ebca6b) >> (32 - RECENT_BITS)];
  struct call *call = NULL;

  for (uint32_t i = 0; i < RECENT_WAYS && call == NULL; i++)
    if (recent[i] != NULL && recent[i]->key.site == site->site
        && recent[i]->key.function == callee)
      call = recent[i];
  if (call == NULL)
    call = find_call (c, site, callee, recent);
  call->count++;
  return call;
}

void
calls_push (struct calls *c, const struct block *site,
            const struct function *callee, uint64_t back)
{
  struct frame *f;

  if (c->now.n == c->now.capacity)
    c->now.frames = resize_for (c->now.frames, c->now.n, &c->now.capacity,
                                sizeof *f);
  if (callee->number >= c->n_functions)
    c->n_open = resize_for (c->n_open, callee->number, &c->n_functions,
                            sizeof *c->n_open);
  f = &c->now.frames[c->now.n++];
  f->function = callee;
  f->call = site != NULL && c->is_counting ? count_call (c, site, callee)
                                           : NULL;
  f->site = site;
  f->back = back;
  f->is_silent = !c->is_counting;
  f->is_named = false;
  f->is_far = back == 0 && site != NULL
              && (site->leaps || site->transfer == TRANSFER_RETURN);
  open_frame (c, f);
}

void
calls_enter (struct calls *c, const struct block *site,
             const struct function *callee, uint64_t back)
{
  calls_push (c, site, callee, back);
  find_contexts (c, c->now.n - 1);
}

void
calls_leave (struct calls *c)
{
  calls_pop (c);
  go_on (c);
}

void
calls_replace (struct calls *c, const struct function *callee)
{
  struct frame ended = *calls_top (c);

  calls_unwind (c, c->now.n - 1);
  calls_enter (c, ended.site, callee, ended.back);
}

void
calls_unwind (struct calls *c, uint32_t n)
{
  while (c->now.n > n)
    calls_leave (c);
}

/* Other stacks.  */

/* Equal stacks have the same one; others seldom.  */
static uint64_t
hash_stack (const struct stack *s)
{
  uint64_t hash = s->n;

  for (uint32_t i = 0; i < s->n; i++)
    {
      const struct frame *f = &s->frames[i];

      hash = (hash ^ hash >> 32) + (uintptr_t) f->site + f->back;
      hash *= UINT64_C (0x9e3779b97f4a7c15);
    }
  return hash;
}

static bool
is_equal (const struct parked *a, const struct parked *b)
{
  if (a->hash != b->hash || a->stack.n != b->stack.n
      || a->interrupted != b->interrupted)
    return false;
  for (uint32_t i = a->stack.n; i > 0; i--)
    {
      const struct frame *f = &a->stack.frames[i - 1];
      const struct frame *g = &b->stack.frames[i - 1];

      if (f->function != g->function || f->call != g->call
          || f->site != g->site || f->back != g->back)
        return false;
    }
  return true;
}

static void
drop_parked (struct calls *c, uint32_t number)
{
  free (c->parked[number].stack.frames);
  memmove (&c->parked[number], &c->parked[number + 1],
           (--c->n_parked - number) * sizeof *c->parked);
}

/* A stack that never goes on, as that of a coroutine that has ended, is dropped
   in the end.  */
static void
add_parked (struct calls *c, struct stack s, const struct block *interrupted)
{
  struct parked p = { s, interrupted, hash_stack (&s), 1 };
  uint32_t i = c->n_parked;

  if (c->parked == NULL)
    c->parked = resize (NULL, PARKED_MAX, sizeof p);
  while (i > 0 && !is_equal (&c->parked[i - 1], &p))
    i--;
  if (i > 0)
    {
      p.n += c->parked[i - 1].n;
      drop_parked (c, i - 1);
    }
  if (c->n_parked == PARKED_MAX)
    drop_parked (c, 0);
  c->parked[c->n_parked++] = p;
}

/* The first calls of a stack, and those of another one from a number on.  */
static struct stack
join_stacks (const struct stack *first, uint32_t n, const struct stack *rest,
             uint32_t from)
{
  uint32_t n_all = n + (rest->n - from);
  struct stack s = { resize (NULL, n_all, sizeof *s.frames), n_all, n_all };

  if (n != 0)
    memcpy (s.frames, first->frames, n * sizeof *s.frames);
  memcpy (s.frames + n, rest->frames + from, (n_all - n) * sizeof *s.frames);
  return s;
}

static struct stack
copy_stack (const struct stack *of, uint32_t from)
{
  return join_stacks (of, 0, of, from);
}

static void
take_parked (struct calls *c, uint32_t number)
{
  if (--c->parked[number].n == 0)
    drop_parked (c, number);
}

void
calls_park (struct calls *c, uint32_t n, const struct block *interrupted)
{
  if (c->now.n != n)
    add_parked (c, copy_stack (&c->now, n), interrupted);
  calls_unwind (c, n);
}

/* Leaves the running stack: that of a thread waits for its coroutines.  */
static void
leave (struct calls *c, const struct block *interrupted)
{
  if (!c->is_system && c->base.n == 0)
    c->base = c->now;
  else
    {
      calls_park (c, 0, interrupted);
      free (c->now.frames);
    }
  c->now = (struct stack){ NULL, 0, 0 };
  c->n_waited = 0;
}

void
calls_resume (struct calls *c, uint32_t number,
              const struct block *interrupted)
{
  struct stack s = copy_stack (&c->parked[number].stack, 0);

  c->went_on = c->parked[number].interrupted;
  take_parked (c, number);
  leave (c, interrupted);
  c->now = s;
  c->n_waited = s.n;
  open_stack (c, &c->now);
  find_contexts (c, 0);
  contexts_resume (&c->contexts);
}

void
calls_resume_base (struct calls *c)
{
  calls_park (c, 0, NULL);
  free (c->now.frames);
  c->now = c->base;
  c->base = (struct stack){ NULL, 0, 0 };
  go_on (c);
}

void
calls_begin_stack (struct calls *c, const struct block *interrupted)
{
  leave (c, interrupted);
}

/* The lower calls of the running stack become those of a parked one, and
   conversely.  Both went on, or would have, at the same time.  */
static void
change_lower (struct calls *c, uint32_t number, uint32_t n_parked,
              const struct block *interrupted)
{
  uint32_t n = c->n_waited, context = c->now.frames[n - 1].context;
  struct stack old = c->now, parked = c->parked[number].stack;
  struct costs start = old.frames[n - 1].start;
  struct stack left = join_stacks (&old, n, &parked, n_parked);

  c->now = join_stacks (&parked, n_parked, &old, n);
  c->n_waited = n_parked;
  for (uint32_t i = 0; i < n; i++)
    c->n_open[old.frames[i].function->number] -= !old.frames[i].is_silent;
  for (uint32_t i = 0; i < n_parked; i++)
    {
      struct frame *f = &c->now.frames[i];

      f->start = start;
      c->n_open[f->function->number] += !f->is_silent;
    }
  free (old.frames);
  take_parked (c, number);
  add_parked (c, left, interrupted);
  find_contexts (c, 0);
  if (c->contexts.names != NULL)
    contexts_change (&c->contexts, context,
                     c->now.frames[n_parked - 1].context);
}

/* The number of the innermost call of a function that returns to an address,
   plus 1; 0: there is none.  */
static uint32_t
find_returning (struct stack s, const struct function *function,
                uint64_t address)
{
  for (; s.n > 0; s.n--)
    if (s.frames[s.n - 1].function == function
        && calls_returns_to (&s, address))
      break;
  return s.n;
}

static void
correct_lower (struct calls *c, uint64_t address)
{
  const struct function *function = c->now.frames[c->n_waited - 1].function;

  for (uint32_t k = c->n_parked; k > 0; k--)
    {
      const struct parked *p = &c->parked[k - 1];
      uint32_t n = find_returning (p->stack, function, address);

      if (n != 0)
        {
          change_lower (c, k - 1, n, p->interrupted);
          return;
        }
    }
}

/* The stack went on with a call that was interrupted, and another one waits
   with a call of the same function.  */
static void
correct_call (struct calls *c, uint64_t address)
{
  for (uint32_t k = c->n_parked; k > 0; k--)
    {
      const struct block *site = c->parked[k - 1].interrupted;

      if (site != NULL && site->transfer == TRANSFER_CALL
          && site->end == address && site->target == c->went_on->target)
        {
          struct frame *f;

          change_lower (c, k - 1, c->parked[k - 1].stack.n, c->went_on);
          f = &c->now.frames[c->n_waited];
          f->back = address;
          f->site = c->went_on = site;
          if (f->call != NULL && f->call->count != 0) /* not saved yet */
            {
              f->call->count--;
              f->call = count_call (c, site, f->function);
            }
          return;
        }
    }
}

void
calls_correct (struct calls *c, uint64_t address)
{
  uint32_t i = calls_find_back (&c->now);

  if (c->n_waited == 0 || calls_returns_to (&c->now, address))
    return;
  if (i <= c->n_waited)
    correct_lower (c, address);
  else if (i == c->n_waited + 1 && c->now.frames[i - 1].site == c->went_on)
    correct_call (c, address);
}

/* Sums.  */

static void
move_call (struct call *call, struct cgw_profile *profile, uint32_t n_events)
{
  struct cgw_pos at = guest_site ((uint32_t) call->key.site);

  if (profile != NULL)
    cgw_profile_call (profile, &at, &call->key.function->start, call->count,
                      call->costs.of, n_events);
  call->count = 0;
  call->costs = (struct costs){ { 0 } };
}

void
calls_move (struct calls *c, struct cgw_profile *profile)
{
  close_stack (c, &c->now);
  close_stack (c, &c->base);
  for (uint32_t i = 0; i < c->sums.n; i++)
    move_call (call_of (c, i), c->contexts.names == NULL ? profile : NULL,
               c->n_events);
  if (c->contexts.names != NULL)
    contexts_move (&c->contexts, &c->counters, profile);
  open_stack (c, &c->base);
  open_stack (c, &c->now);
}

static void
count_open (const struct stack *s, uint64_t n)
{
  for (uint32_t i = 0; i < s->n; i++)
    if (s->frames[i].call != NULL)
      s->frames[i].call->count += n;
}

void
calls_forget (struct calls *c)
{
  calls_move (c, NULL);
  count_open (&c->base, 1);
  count_open (&c->now, 1);
  for (uint32_t i = 0; i < c->n_parked; i++)
    count_open (&c->parked[i].stack, c->parked[i].n);
}
