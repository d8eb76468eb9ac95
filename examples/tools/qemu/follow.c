/* follow.c - follows the calls of a virtual processor.

   QEMU says which blocks are executed.  One that does not follow the block
   before was reached by a jump, a call, a return, or an interrupt:
   - A call instruction calls what comes next.
   - A return instruction goes back to the innermost open call that has this
     return address, and so ends those inside it.
   - A jump to the beginning of another function is a tail call: it is counted
     as a call by the function that jumps, and ends with it.  A signal handler
     begins in the same way.
   - A jump to the middle of another function, to an address that the
     instruction does not contain (a leap), goes back to the innermost open call
     with this return address, or of this function: longjmp, or an exception
     that is caught.
   - Where the instruction contains the address, the functions share code.  The
     jump goes back to a function that jumped here, or is a tail call, too.
   - A leap or a return to the return address of an open call that is no
     innermost one, or of a call on another stack, changes to another stack: of
     a coroutine or a task.
   - A block that the one before cannot lead to is the handler of an interrupt.
   - When an interrupt or a signal has been handled, all goes on as if it had
     not come, or another task goes on.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "follow.h"

#include "../base/memory.h"

/* Where calls continue.  */

/* The number of the innermost call of a stack that has a return address, plus
   1; 0: none has it.  */
static uint32_t
find_back (const struct stack *s, uint64_t address)
{
  uint32_t i = s->n;

  while (i > 0 && s->frames[i - 1].back != address)
    i--;
  return i;
}

static uint32_t
find_of_function (const struct stack *s, const struct function *function)
{
  uint32_t i = s->n;

  while (i > 0 && s->frames[i - 1].function != function)
    i--;
  return i;
}

/* Ends call number n, and those inside it.  If one of these has called others,
   this is no return: what was begun in an unusual way may have had a stack of
   its own, and be continued there.  */
static void
end_call (struct calls *c, uint32_t n)
{
  const struct frame *frames = c->now.frames;
  uint32_t inner = c->now.n - 1, far = n + 1;

  while (inner > n && frames[inner].back == 0)
    inner--;
  while (far < inner && !frames[far].is_far)
    far++;
  if (far < inner)
    calls_park (c, far, NULL);
  calls_unwind (c, n);
}

/* The number of the stack that was left last, without an interrupt, and has a
   call with a return address, plus 1; 0: none has.  */
static uint32_t
find_parked (const struct calls *c, uint64_t address)
{
  uint32_t k = c->n_parked;

  while (k > 0
         && (c->parked[k - 1].interrupted != NULL
             || find_back (&c->parked[k - 1].stack, address) == 0))
    k--;
  return k;
}

/* Goes back to the call with a return address, and returns its site.  NULL:
   none has it.  */
static const struct block *
return_to (struct calls *c, uint64_t address)
{
  uint32_t i;
  const struct block *site;

  if (find_back (&c->now, address) == 0)
    {
      if (find_back (&c->base, address) != 0)
        calls_resume_base (c);
      else
        {
          i = find_parked (c, address);
          if (i == 0)
            return NULL;
          calls_resume (c, i - 1, NULL);
        }
    }
  i = find_back (&c->now, address) - 1;
  site = c->now.frames[i].site;
  end_call (c, i);
  return site;
}

/* Goes on in the innermost open call of a function.  False: it has none.  */
static bool
continue_in (struct calls *c, const struct function *function)
{
  if (find_of_function (&c->now, function) == 0)
    {
      if (find_of_function (&c->base, function) == 0)
        return false;
      calls_resume_base (c);
    }
  calls_unwind (c, find_of_function (&c->now, function));
  return true;
}

/* Jumps.  */

/* A tail call.  The function that jumps may have been jumped to by others,
   which never go on; if it is one of these itself, it need not stay twice.

   The dynamic linker finds another object's function when that is called for
   the first time, and jumps there: that was a call by its caller.  Nobody calls
   what begins the program.  */
static void
jump (struct vcpu *v, const struct block *site, const struct block *block)
{
  struct calls *c = &v->calls;
  const struct function *from = calls_top (c)->function;

  if (from->may_resolve && calls_top (c)->site != NULL
      && (from->symbol != NULL || from->object != block->function->object))
    {
      calls_replace (c, block->function);
      return;
    }
  for (uint32_t i = c->now.n; i > 1 && c->now.frames[i - 1].back == 0; i--)
    if (c->now.frames[i - 2].function == from)
      {
        calls_unwind (c, i - 1);
        break;
      }
  calls_enter (c, site, block->function, 0);
  calls_top (c)->is_named
      = site->target == block->start || v->linked == site;
}

/* Goes back to a function that jumped to the running one, or to one that did so
   before.  False: it is none of these.  */
static bool
jump_back (struct calls *c, const struct function *function)
{
  for (uint32_t i = c->now.n; i > 1 && c->now.frames[i - 1].back == 0; i--)
    if (c->now.frames[i - 2].function == function)
      {
        calls_unwind (c, i - 1);
        return true;
      }
  return false;
}

static void
follow_jump (struct vcpu *v, const struct block *site,
             const struct block *block)
{
  struct calls *c = &v->calls;
  const struct function *function = block->function;

  if (function == calls_top (c)->function)
    return;
  if (block->is_entry)
    jump (v, site, block);
  else if (site->leaps ? return_to (c, block->start) == NULL
                           && !continue_in (c, function)
                       : !jump_back (c, function))
    jump (v, site, block);
}

/* Without a known instruction, a jump to the beginning of a function is a call,
   and one to the return address of the innermost call is a return.  */
static void
follow_unknown (struct vcpu *v, const struct block *site,
                const struct block *block)
{
  struct calls *c = &v->calls;

  if (block->is_entry)
    calls_enter (c, site, block->function, site->end);
  else if (calls_top (c)->back == block->start)
    calls_unwind (c, c->now.n - 1);
  else
    follow_jump (v, site, block);
}

/* Interrupts and signals.  */

/* Whether a block is known to be the first of a handler.  */
static bool
is_handler (const struct vcpu *v, const struct block *block)
{
  return (block->is_entry && block->function->is_handler)
         || (block->number < v->n_handlers && v->are_handlers[block->number]);
}

/* Whether a block begins a handler: a known one, or the block before it cannot
   lead to it.  After an exception, that may be executed again, or its rest.  */
static bool
is_interrupt (const struct vcpu *v, const struct block *last,
              const struct block *block)
{
  return v->calls.is_system
         && (block->start < last->start || block->start > last->end)
         && block->start != last->target
         && (last->stays || is_handler (v, block));
}

static void
begin_handler (struct vcpu *v, const struct block *interrupted,
               const struct block *block)
{
  v->are_handlers = resize_for (v->are_handlers, block->number,
                                &v->n_handlers, sizeof *v->are_handlers);
  v->are_handlers[block->number] = true;
  calls_enter (&v->calls, interrupted, block->function, BACK_INTERRUPT);
}

/* The number of the innermost handler that is open; 0: there is none.  */
static uint32_t
find_interrupt (const struct stack *s)
{
  uint32_t i = s->n - 1;

  while (i > 0 && s->frames[i].back != BACK_INTERRUPT)
    i--;
  return i;
}

/* Whether a block ends a handler: on a Cortex-M, by a return.  */
static bool
ends_handler (const struct vcpu *v, const struct block *last)
{
  return last->transfer == TRANSFER_RESUME
         || (last->transfer == TRANSFER_RETURN
             && calls_returns_to (&v->calls.now, BACK_INTERRUPT));
}

/* Whether a block is the beginning of what a call or a jump, which was
   interrupted, has led to before.  */
static bool
is_called (const struct vcpu *v, const struct block *site,
           const struct block *block)
{
  return block->is_entry && !is_handler (v, block)
         && calls_has (&v->calls, site, block->function);
}

/* Whether a stack goes on with a block: with what was interrupted, or where a
   function left it.  */
enum waits
{
  WAITS_NOT,
  WAITS_MAYBE,
  WAITS_SURELY
};
static enum waits
waits_for (const struct vcpu *v, const struct stack *stack,
           const struct block *interrupted, const struct block *block)
{
  bool is_back = calls_returns_to (stack, block->start);
  bool is_same = stack->n > 0
                 && stack->frames[stack->n - 1].function == block->function;
  bool is_next, is_target, is_sure, is_possible;

  if (interrupted == NULL)
    return is_back ? WAITS_SURELY : is_same ? WAITS_MAYBE : WAITS_NOT;
  is_next = block->start == interrupted->end && is_same;
  is_target = interrupted->target != 0 && block->start == interrupted->target;
  switch (interrupted->transfer)
    {
    case TRANSFER_RETURN:
      is_sure = is_back;
      is_possible = is_next;
      break;
    case TRANSFER_CALL:
      is_sure = is_target || is_called (v, interrupted, block);
      is_possible = is_next || (!interrupted->stays && block->is_entry);
      break;
    default:
      is_sure = is_target || is_next;
      is_possible = is_same || is_called (v, interrupted, block);
    }
  return is_sure ? WAITS_SURELY : is_possible ? WAITS_MAYBE : WAITS_NOT;
}

/* The handler that ends now: among the running function, and those that it
   ended by tail calls, the one without which the stack goes on with the block.
   What a jump named is none.  0: there is none.  */
static uint32_t
find_handler (const struct vcpu *v, const struct block *block)
{
  struct stack rest = v->calls.now;
  const struct frame *f;

  do
    {
      if (--rest.n == 0)
        return 0;
      f = &rest.frames[rest.n];
      if (!f->is_named && waits_for (v, &rest, f->site, block) != WAITS_NOT)
        return rest.n;
    }
  while (f->back == 0);
  return 0;
}

static void continue_from (struct vcpu *v, const struct block *site,
                           const struct block *block);

/* Goes on with a stack that waits for the block, or with a new one: that of a
   task, or of a function that was called before the counting began.  The
   running stack may go on with what was interrupted there, unless that is NULL.
   Of several that surely wait, the first is the one that was left first, and
   the last is the running one: a task that yields gives way to others.  */
static void
change_stack (struct vcpu *v, const struct block *interrupted,
              const struct block *block)
{
  struct calls *c = &v->calls;
  const struct block *site = interrupted;
  enum waits best = WAITS_NOT, waits;
  uint32_t found = 0;

  for (uint32_t k = 0; k < c->n_parked && best != WAITS_SURELY; k++)
    {
      const struct parked *p = &c->parked[k];

      waits = waits_for (v, &p->stack, p->interrupted, block);
      if (waits > best)
        {
          best = waits;
          found = k;
        }
    }
  waits = interrupted != NULL ? waits_for (v, &c->now, interrupted, block)
                              : WAITS_NOT;
  if (best == WAITS_NOT && waits == WAITS_NOT)
    {
      calls_begin_stack (c, interrupted);
      calls_enter (c, NULL, block->function, 0);
      return;
    }
  if (best > waits || best == WAITS_SURELY)
    {
      site = c->parked[found].interrupted;
      calls_resume (c, found, interrupted);
    }
  if (site != NULL)
    continue_from (v, site, block);
  else if (calls_returns_to (&c->now, block->start))
    return_to (c, block->start);
}

/* A handler ends: the innermost one.  Another one may follow at once.  */
static void
end_interrupt (struct vcpu *v, const struct block *block)
{
  struct calls *c = &v->calls;
  uint32_t i = find_interrupt (&c->now);
  const struct block *site;

  if (i == 0)
    i = find_handler (v, block);
  if (i == 0)
    {
      change_stack (v, NULL, block);
      return;
    }
  site = c->now.frames[i].site;
  calls_unwind (c, i);
  if (is_handler (v, block))
    begin_handler (v, site, block);
  else
    change_stack (v, site, block);
}

/* A call at the end of a function returns to the next one.  A signal handler
   returns to code that resumes what was interrupted, and that is a function of
   its own.  */
static void
follow_return (struct vcpu *v, const struct block *site,
               const struct block *block)
{
  struct calls *c = &v->calls;
  const struct block *caller;

  calls_correct (c, block->start);
  caller = return_to (c, block->start);
  if (caller != NULL)
    follow_jump (v, caller, block);
  else if (block->is_entry)
    jump (v, site, block);
  else if (v->calls.is_system || !continue_in (c, block->function))
    change_stack (v, NULL, block);
}

/* Goes on with a block behind another one, which may have been interrupted in
   between.  */
static void
continue_from (struct vcpu *v, const struct block *site,
               const struct block *block)
{
  v->last = site;
  if (block->start == site->end || site->transfer == TRANSFER_JUMP)
    follow_jump (v, site, block);
  else if (site->transfer == TRANSFER_CALL)
    calls_enter (&v->calls, site, block->function, site->end);
  else if (site->transfer == TRANSFER_RETURN)
    follow_return (v, site, block);
  else
    follow_unknown (v, site, block);
}

/* Unwatched blocks.  Such a block leads only to blocks of its function.  So
   those executed between two watched blocks are at first of the function of the
   earlier one; and after a signal, an exception or a return to where no call
   was, of another function.  */

static bool
has_uncounted (struct vcpu *v, const struct function *function)
{
  return function != NULL && number_get (function->unwatched, &v->boards) != 0;
}

/* Goes on in the innermost call where unwatched blocks were executed after
   those of the last one's function, and returns what was executed there
   before.  NULL: there is no such call.  */
static const struct block *
catch_up (struct vcpu *v)
{
  struct calls *c = &v->calls;
  uint32_t i = c->now.n;
  const struct block *site;

  while (i > 0 && !has_uncounted (v, c->now.frames[i - 1].function))
    i--;
  if (i == 0 || i == c->now.n)
    return NULL;
  site = c->now.frames[i].site;
  calls_unwind (c, i);
  count_unwatched (v, calls_top (c)->function);
  return site;
}

/* The handler of a signal has ended, and what was interrupted goes on, unless
   the handler has changed that.  If no call waits for the block, the handler is
   the one that ended last, before the code that resumes began, or that which
   ended itself by a jump there.  Returns what was executed before the
   block.  */
static const struct block *
end_signal (struct vcpu *v, const struct block *last,
            const struct block *block)
{
  struct calls *c = &v->calls;
  uint32_t i = find_handler (v, block);

  if (i == 0 && block->function != NULL && !block->is_entry
      && (return_to (c, block->start) != NULL
          || continue_in (c, block->function)))
    return last;
  if (i == 0)
    {
      i = c->now.n > 2 ? c->now.n - 2 : 1;
      while (i > 1 && c->now.frames[i].is_named)
        i--;
    }
  if (i < c->now.n)
    last = c->now.frames[i].site;
  calls_unwind (c, i);
  count_unwatched (v, calls_top (c)->function);
  return last;
}

/* Unknown functions.  */

/* The open function that a block was moved away from, or NULL.  */
static const struct function *
find_whole (const struct calls *c, const struct block *block)
{
  for (uint32_t i = c->now.n; i > 0; i--)
    if (guest_is_part (block, c->now.frames[i - 1].function))
      return c->now.frames[i - 1].function;
  return NULL;
}

/* The first execution of a block of unknown code shows its function.  Returns
   whether that was seen by a return.  */
static bool
find_function (struct vcpu *v, const struct block *last, struct block *block)
{
  struct calls *c = &v->calls;
  enum transfer by = last->transfer;
  const struct function *whole = find_whole (c, block);
  bool is_return
      = whole == NULL && by == TRANSFER_RETURN
        && return_to (c, block->start) != NULL;
  bool is_known = is_return
                  || ((by == TRANSFER_JUMP || by == TRANSFER_UNKNOWN)
                      && !is_interrupt (v, last, block));

  if (whole == NULL && is_known && !guest_has_symbol (block))
    whole = calls_top (c)->function;
  guest_adopt (block, whole);
  return is_return;
}

static __attribute__ ((noinline)) void
follow_unusual (struct vcpu *v, struct block *block)
{
  const struct block *last = v->last, *site = NULL;

  if (v->is_resumed)
    last = end_signal (v, last, block);
  v->is_resumed = false;
  if (block->function == NULL && find_function (v, last, block))
    return;
  if ((last->leaps || last->transfer == TRANSFER_RETURN)
      && has_uncounted (v, block->function))
    site = catch_up (v);
  if (site != NULL)
    follow_jump (v, site, block);
  else if (v->calls.is_system && ends_handler (v, last))
    end_interrupt (v, block);
  else if (is_interrupt (v, last, block))
    begin_handler (v, last, block);
  else
    continue_from (v, last, block);
  v->linked = NULL;
}

/* Whether a return leads to where the innermost call was.  */
static inline bool
is_return (struct vcpu *v, const struct block *block)
{
  const struct stack *now = &v->calls.now;
  const struct frame *top = &now->frames[now->n - 1];

  return now->n > 1 && top->back == block->start
         && top[-1].function == block->function
         && !has_uncounted (v, block->function);
}

/* What is usual comes first, for speed: a call, and a return from it.  */
void
follow (struct vcpu *v, struct block *block)
{
  const struct block *last = v->last;

  if (last == NULL)
    {
      guest_adopt (block, NULL);
      calls_enter (&v->calls, NULL, block->function, 0);
      return;
    }
  count_unwatched (v, last->function);
  if (!v->calls.is_usual || v->is_resumed || block->function == NULL
      || block->start == last->end)
    follow_unusual (v, block);
  else if (last->transfer == TRANSFER_CALL)
    calls_push (&v->calls, last, block->function, last->end);
  else if (last->transfer == TRANSFER_RETURN && is_return (v, block))
    calls_pop (&v->calls);
  else
    follow_unusual (v, block);
}
