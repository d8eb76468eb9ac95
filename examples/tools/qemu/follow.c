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
   - When an interrupt or a signal has been handled, all goes on as if it had not
     come.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "follow.h"

#include "../base/memory.h"

/* Where calls continue.  */

/* The number of the innermost call of a stack that has a return address, plus 1;
   0: none has it.  */
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
   this is no return: what was begun in an unusual way may have had a stack of its
   own, and be continued there.  */
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

/* Goes back to the call with a return address, and returns its site.  NULL: none
   has it.  */
static const struct block *
return_to (struct calls *c, uint64_t address)
{
  uint32_t k = c->n_parked, i;
  const struct block *site;

  if (find_back (&c->now, address) == 0)
    {
      while (k > 0
             && (c->parked[k - 1].interrupted != NULL
                 || find_back (&c->parked[k - 1].stack, address) == 0))
        k--;
      if (find_back (&c->base, address) != 0)
        calls_resume_base (c);
      else if (k > 0)
        calls_resume (c, k - 1, NULL);
      else
        return NULL;
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
jump (struct calls *c, const struct block *site, const struct block *block)
{
  const struct function *from = calls_top (c)->function;

  if (from->may_resolve && calls_top (c)->back != 0
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
  calls_top (c)->is_named = site->target == block->start;
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
follow_jump (struct calls *c, const struct block *site,
             const struct block *block)
{
  const struct function *function = block->function;

  if (function == calls_top (c)->function)
    return;
  if (block->is_entry)
    jump (c, site, block);
  else if (site->leaps ? return_to (c, block->start) == NULL
                           && !continue_in (c, function)
                       : !jump_back (c, function))
    jump (c, site, block);
}

/* Without a known instruction, a jump to the beginning of a function is a call,
   and one to the return address of the innermost call is a return.  */
static void
follow_unknown (struct calls *c, const struct block *site,
                const struct block *block)
{
  if (block->is_entry)
    calls_enter (c, site, block->function, site->end);
  else if (calls_top (c)->back == block->start)
    calls_unwind (c, c->now.n - 1);
  else
    follow_jump (c, site, block);
}

/* Interrupts and signals.  */

static bool
is_handler (const struct vcpu *v, const struct function *function)
{
  return function->is_handler
         || (function->number < v->n_handlers
             && v->are_handlers[function->number]);
}

static void
mark_handler (struct vcpu *v, const struct function *function)
{
  v->are_handlers = resize_for (v->are_handlers, function->number,
                                &v->n_handlers, sizeof *v->are_handlers);
  v->are_handlers[function->number] = true;
}

/* Whether a block is what a call leads to that was interrupted: the function that
   the instruction names, or one that it called before.  */
static bool
is_called (const struct vcpu *v, const struct block *site,
           const struct block *block)
{
  return block->is_entry && !is_handler (v, block->function)
         && (site->target == block->start
             || calls_has (&v->calls, site, block->function));
}

/* Whether a stack of n calls goes on with a block: with what was interrupted, or
   where a function left it.  If it is not known what a call calls that was
   interrupted, the stack goes on behind the call.  */
static bool
waits_for (const struct vcpu *v, struct stack stack,
           const struct block *interrupted, const struct block *block)
{
  const struct frame *top = &stack.frames[stack.n - 1];

  if (interrupted == NULL)
    return find_back (&stack, block->start) != 0
           || top->function == block->function;
  switch (interrupted->transfer)
    {
    case TRANSFER_CALL:
      return is_called (v, interrupted, block)
             || interrupted->end == block->start;
    case TRANSFER_RETURN:
      return top->back == block->start;
    default:
      return top->function == block->function
             || is_called (v, interrupted, block);
    }
}

/* Where among the running function, and those that it ended by tail calls, the
   open call of a known handler is; 0: there is none.  */
static uint32_t
find_known_handler (const struct vcpu *v)
{
  const struct stack *now = &v->calls.now;

  for (uint32_t i = now->n; i-- > 1;)
    if (is_handler (v, now->frames[i].function))
      return i;
    else if (now->frames[i].back != 0)
      break;
  return 0;
}

/* The handler that ends now: among the running function, and those that it ended
   by tail calls, the one without which the stack goes on with the block.  What a
   jump named is none.  0: there is none.  */
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
      if (!f->is_named && waits_for (v, rest, f->site, block))
        return rest.n;
    }
  while (f->back == 0);
  return 0;
}

static void continue_from (struct vcpu *v, const struct block *site,
                           const struct block *block);

/* Goes on with another stack: one that waits for the block, or a new one.  The
   latter is that of a task, or of a function that was called before the counting
   began.  */
static void
change_stack (struct vcpu *v, const struct block *interrupted,
              const struct block *block)
{
  struct calls *c = &v->calls;
  const struct block *site = NULL;
  uint32_t k = c->n_parked;

  while (k > 0 && !waits_for (v, c->parked[k - 1].stack,
                              c->parked[k - 1].interrupted, block))
    k--;
  if (k == 0)
    {
      calls_begin_stack (c, interrupted);
      calls_enter (c, NULL, block->function, 0);
      return;
    }
  site = c->parked[k - 1].interrupted;
  calls_resume (c, k - 1, interrupted);
  if (site != NULL)
    continue_from (v, site, block);
  else if (find_back (&c->now, block->start) != 0)
    return_to (c, block->start);
}

/* The handler of an interrupt ends: without a stack that waits, a known one, or
   the function that the last block is of.  Another interrupt may follow at
   once.  */
static void
end_interrupt (struct vcpu *v, const struct block *last,
               const struct block *block)
{
  struct calls *c = &v->calls;
  uint32_t waits = find_handler (v, block);
  uint32_t i = waits != 0 ? waits : find_known_handler (v);
  struct frame handler;

  if (i == 0)
    for (i = c->now.n - 1; i > 0; i--)
      if (c->now.frames[i].function == last->function)
        break;
  handler = c->now.frames[i];
  mark_handler (v, handler.function);
  calls_unwind (c, i);
  if (waits != 0)
    continue_from (v, handler.site, block);
  else if (block->is_entry && is_handler (v, block->function)
           && handler.site != NULL)
    calls_enter (c, handler.site, block->function, handler.back);
  else
    change_stack (v, handler.site, block);
}

/* Whether the running function is the handler of an interrupt that ends as a
   usual function does, or ends it by a tail call.  */
static bool
is_in_handler (const struct vcpu *v)
{
  uint32_t i = find_known_handler (v);

  return i != 0 && v->calls.now.frames[i].function->is_handler;
}

/* A call at the end of a function returns to the next one.  A signal handler
   returns to code that resumes what was interrupted, and that is a function of its
   own.  */
static void
follow_return (struct vcpu *v, const struct block *site,
               const struct block *block)
{
  struct calls *c = &v->calls;
  const struct block *caller = return_to (c, block->start);

  if (caller != NULL)
    follow_jump (c, caller, block);
  else if (is_in_handler (v))
    end_interrupt (v, site, block);
  else if (block->is_entry)
    jump (c, site, block);
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
  if (site->transfer == TRANSFER_RESUME)
    end_interrupt (v, site, block);
  else if (block->start == site->end || site->transfer == TRANSFER_JUMP)
    follow_jump (&v->calls, site, block);
  else if (site->transfer == TRANSFER_CALL)
    calls_enter (&v->calls, site, block->function, site->end);
  else if (site->transfer == TRANSFER_RETURN)
    follow_return (v, site, block);
  else
    follow_unknown (&v->calls, site, block);
}

/* Unwatched blocks.  Such a block leads only to blocks of its function.  So those
   executed between two watched blocks are at first of the function of the earlier
   one; and after a signal, an exception or a return to where no call was, of
   another function.  Only the first vcpu has such blocks.  */

static uint64_t
uncounted (const struct vcpu *v, const struct function *function)
{
  return v->number == 1 && function != NULL
           ? function->unwatched->instructions - function->unwatched->counted
           : 0;
}

void
count_unwatched (struct vcpu *v, const struct function *function)
{
  uint64_t n = uncounted (v, function);

  if (n == 0)
    return;
  v->calls.counters.of[EVENT_INSTRUCTIONS] += n;
  function->unwatched->counted += n;
}

/* Goes on in the innermost call where unwatched blocks were executed after those
   of the last one's function, and returns what was executed there before.  NULL:
   there is no such call.  */
static const struct block *
catch_up (struct vcpu *v)
{
  struct calls *c = &v->calls;
  uint32_t i = c->now.n;
  const struct block *site;

  while (i > 0 && uncounted (v, c->now.frames[i - 1].function) == 0)
    i--;
  if (i == 0 || i == c->now.n)
    return NULL;
  site = c->now.frames[i].site;
  calls_unwind (c, i);
  count_unwatched (v, calls_top (c)->function);
  return site;
}

/* The handler of a signal has ended, and what was interrupted goes on, unless the
   handler has changed that.  If no call waits for the block, the handler is the
   one that ended last, before the code that resumes began, or that which ended
   itself by a jump there.  Returns what was executed before the block.  */
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
find_function (struct calls *c, const struct block *last, struct block *block)
{
  enum transfer by = last->transfer;
  const struct function *whole = find_whole (c, block);
  bool is_return
      = whole == NULL && by == TRANSFER_RETURN
        && return_to (c, block->start) != NULL;
  bool is_known = is_return || by == TRANSFER_JUMP || by == TRANSFER_UNKNOWN;

  if (whole == NULL && is_known && !guest_has_symbol (block))
    whole = calls_top (c)->function;
  guest_adopt (block, whole);
  return is_return;
}

void
follow (struct vcpu *v, struct block *block)
{
  const struct block *last = v->last, *site = NULL;

  if (last == NULL)
    {
      guest_adopt (block, NULL);
      calls_enter (&v->calls, NULL, block->function, 0);
      return;
    }
  count_unwatched (v, last->function);
  if (v->is_resumed)
    last = end_signal (v, last, block);
  v->is_resumed = false;
  if (block->function == NULL && find_function (&v->calls, last, block))
    return;
  if ((last->leaps || last->transfer == TRANSFER_RETURN)
      && uncounted (v, block->function) != 0)
    site = catch_up (v);
  if (site != NULL)
    follow_jump (&v->calls, site, block);
  else
    continue_from (v, last, block);
}
