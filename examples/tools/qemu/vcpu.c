/* vcpu.c - follows the calls of a virtual processor.

   QEMU says which blocks are executed.  One that does not follow the block
   before was reached by a jump, a call, a return, or an interrupt:
   - A call instruction calls what comes next.
   - A return instruction goes back to the innermost open call that has this
     return address, and so ends those inside it.  If none has it, the return is
     that of a signal handler, to the code that ends it.
   - A jump to the beginning of another function is a tail call: it is counted
     as a call by the function that jumps, and ends with it.  A signal handler
     begins in the same way.
   - A jump to the middle of another function, to an address that the
     instruction does not contain, goes back to that function's innermost open
     call: longjmp, an exception that is caught, or the end of a signal handler.
   - Where the instruction contains the address, the functions share code.  The
     jump goes back to a function that jumped here, or is a tail call, too.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "vcpu.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

const struct function vcpu_no_function;

static void
begin_stack (struct vcpu *v)
{
  struct cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;

  v->now = (struct stack){ .n = 0 };
  options.n_counters = vcpu_n_events (v->events);
  options.flags = CGW_CALLS_ONLY;
  if (cgw_tracer_new (&v->now.tracer, v->profile, &options) != CGW_OK)
    no_memory ();
}

struct vcpu *
vcpu_new (uint32_t number, bool is_system, struct cgw_names *names,
          struct vcpu_events events, const struct reader *reader)
{
  struct vcpu *v = resize (NULL, 1, sizeof *v);

  memset (v, 0, sizeof *v);
  v->function = &vcpu_no_function;
  v->number = number;
  v->is_system = is_system;
  v->events = events;
  v->calls.key_size = sizeof (*v->recent)->key;
  v->calls.entry_size = sizeof **v->recent;
  v->profile = new_profile (names, vcpu_n_events (events),
                            reader_positions (reader, CGW_INSTR_LINE));
  begin_stack (v);
  return v;
}

void
vcpu_free (struct vcpu *v)
{
  cgw_profile_free (v->profile);
  free (v->now.frames);
  while (v->n_parked > 0)
    free (v->parked[--v->n_parked].frames);
  free (v->parked);
  free (v->are_handlers);
  free (v->counts);
  free (v->linkage);
  table_free (&v->calls);
  free (v->accesses);
  free (v);
}

/* The open calls.  */

static const struct frame *
top_of (const struct vcpu *v)
{
  return &v->now.frames[v->now.n - 1];
}

static void
push (struct vcpu *v, struct frame frame)
{
  if (v->now.n == v->now.capacity)
    v->now.frames = resize_for (v->now.frames, v->now.n, &v->now.capacity,
                            sizeof *v->now.frames);
  v->now.frames[v->now.n++] = frame;
}

static void
unwind (struct vcpu *v, uint32_t n_frames)
{
  for (; v->now.n > n_frames; v->now.n--)
    cgw_tracer_leave (v->now.tracer, v->counters);
}

/* A call that is not among the recent ones becomes the first of those with its
   hash.  */
static __attribute__ ((noinline)) void
find_call (struct vcpu *v, const struct block *site,
           const struct function *callee, struct call recent[RECENT_WAYS])
{
  struct call wanted = { .key = { callee, site->site } };
  struct call *call = table_add (&v->calls, &wanted.key);

  if (call->edge.handle == 0)
    {
      struct cgw_pos at;

      guest_lock ();
      at = guest_site (site->site);
      guest_unlock ();
      cgw_tracer_edge (v->now.tracer, &at, &callee->start, &call->edge);
    }
  memmove (&recent[1], &recent[0], (RECENT_WAYS - 1) * sizeof *recent);
  recent[0] = *call;
}

/* A block calls a function.  */
static void
enter (struct vcpu *v, const struct block *site,
       const struct function *callee, uint64_t back)
{
  uint32_t sum = site->site
                 + (uint32_t) ((uintptr_t) callee >> 4) * UINT32_C (0x9e3779b1);
  struct call *recent
      = v->recent[sum * UINT32_C (0x85ebca6b) >> (32 - RECENT_BITS)];
  uint32_t i = 0;

  while (i < RECENT_WAYS
         && (recent[i].key.site != site->site
             || recent[i].key.function != callee))
    i++;
  if (i == RECENT_WAYS)
    {
      find_call (v, site, callee, recent);
      i = 0;
    }
  cgw_tracer_enter_edge (v->now.tracer, recent[i].edge, 0, v->counters);
  push (v, (struct frame){ callee, back, site, false });
}

/* A function that nothing here called.  */
static void
begin (struct vcpu *v, const struct function *function)
{
  cgw_tracer_enter (v->now.tracer, NULL, &function->start, 0, v->counters);
  push (v, (struct frame){ .function = function });
}

static bool
is_handler (const struct vcpu *v, const struct function *function)
{
  return function->is_handler
         || (function->number < v->n_handlers
             && v->are_handlers[function->number]);
}

/* Whether a block is what a call leads to that was interrupted: the function that
   the instruction names, or one that it called before.  */
static bool
is_called (const struct vcpu *v, const struct block *site,
           const struct block *block)
{
  struct call wanted = { .key = { block->function, site->site } };

  return block->is_entry && !is_handler (v, block->function)
         && (site->target == block->start
             || table_find (&v->calls, &wanted.key) != NULL);
}

/* A signal may interrupt a call before its function begins; then its handler
   seems to be called, and when that has ended, the function begins.  Returns
   whether it does so now.  */
static bool
resume_call (struct vcpu *v, const struct block *to)
{
  uint32_t i = v->now.n - 1;
  struct frame handler;

  if (!v->now.frames[i].is_trampoline)
    return false;
  while (i > 0 && v->now.frames[i].back == 0)
    i--;
  handler = v->now.frames[i];
  if (i == 0 || handler.site == NULL
      || !is_called (v, handler.site, to))
    return false;
  unwind (v, i);
  enter (v, handler.site, to->function, handler.back);
  return true;
}

/* A tail call.  The function that jumps may have been jumped to by others,
   which never go on; if it is one of these itself, it need not stay twice.

   The dynamic linker finds another object's function when that is called for
   the first time, and jumps there: that was a call by its caller.  */
static void
jump (struct vcpu *v, const struct block *block)
{
  const struct function *from = top_of (v)->function, *to = block->function;
  uint32_t n = v->now.n;

  if (from->may_resolve
      && (from->symbol != NULL || from->object != to->object))
    {
      cgw_tracer_tail (v->now.tracer, &to->start, 0, v->counters);
      v->now.frames[n - 1].function = to;
      return;
    }
  for (uint32_t i = n; i > 1 && v->now.frames[i - 1].back == 0; i--)
    if (v->now.frames[i - 2].function == top_of (v)->function)
      {
        unwind (v, i - 1);
        break;
      }
  if (!resume_call (v, block))
    enter (v, v->last, to, 0);
}

/* Goes back to the call with a return address.  False: none has it.  */
static bool
return_to (struct vcpu *v, uint64_t address)
{
  for (uint32_t i = v->now.n; i > 1; i--)
    if (v->now.frames[i - 1].back == address)
      {
        unwind (v, i - 1);
        return true;
      }
  return false;
}

/* Goes on in the innermost open call of a function.  False: it has none.  */
static bool
continue_in (struct vcpu *v, const struct function *function)
{
  for (uint32_t i = v->now.n; i > 0; i--)
    if (v->now.frames[i - 1].function == function)
      {
        unwind (v, i);
        return true;
      }
  return false;
}

/* Whether a stack goes on with a block: with what an interrupt interrupted, or
   where a function left it.  If it is not known what a call calls that was
   interrupted, the stack goes on behind the call.  */
static bool
waits_for (const struct vcpu *v, const struct stack *stack,
           const struct block *block)
{
  const struct block *site = stack->interrupt.site;
  const struct frame *top;

  if (stack->n == 0)
    return false;
  top = &stack->frames[stack->n - 1];
  if (site == NULL)
    return top->back == block->start || top->function == block->function;
  switch (site->transfer)
    {
    case TRANSFER_CALL:
      return is_called (v, site, block)
             || stack->interrupt.back == block->start;
    case TRANSFER_RETURN:
      return top->back == block->start;
    default:
      return top->function == block->function || is_called (v, site, block);
    }
}

/* The running stack goes on with a block that it waits for.  */
static void
go_on (struct vcpu *v, const struct block *block)
{
  struct frame interrupt = v->now.interrupt;
  enum transfer transfer
      = interrupt.site != NULL ? interrupt.site->transfer : TRANSFER_RETURN;

  v->now.interrupt.site = NULL;
  if (transfer == TRANSFER_RETURN)
    return_to (v, block->start);
  else if (transfer == TRANSFER_CALL ? block->start != interrupt.back
                                     : block->function != top_of (v)->function)
    enter (v, interrupt.site, block->function, interrupt.back);
}

/* An empty stack need not be kept.  */
static void
park (struct vcpu *v, struct stack stack)
{
  if (stack.n == 0)
    {
      cgw_tracer_free (stack.tracer);
      free (stack.frames);
      return;
    }
  v->parked = resize_for (v->parked, v->n_parked, &v->parked_capacity,
                          sizeof *v->parked);
  v->parked[v->n_parked++] = stack;
}

/* Goes on with another stack: one that waits for the block, or a new one.  The
   latter is that of a task, or of a function that was called before the counting
   began.  */
static void
change_stack (struct vcpu *v, const struct block *block)
{
  uint32_t i = v->n_parked;
  struct stack left = v->now;

  while (i > 0 && !waits_for (v, &v->parked[i - 1], block))
    i--;
  cgw_tracer_stop (left.tracer, v->counters);
  if (i > 0)
    {
      v->now = v->parked[i - 1];
      memmove (&v->parked[i - 1], &v->parked[i],
               (--v->n_parked - (i - 1)) * sizeof *v->parked);
      park (v, left);
      cgw_tracer_start (v->now.tracer, v->counters);
      go_on (v, block);
      return;
    }
  park (v, left);
  begin_stack (v);
  begin (v, block->function);
}

/* Goes back to a function that jumped to the running one, or to one that did so
   before.  False: it is none of these.  */
static bool
jump_back (struct vcpu *v, const struct function *function)
{
  for (uint32_t i = v->now.n; i > 1 && v->now.frames[i - 1].back == 0; i--)
    if (v->now.frames[i - 2].function == function)
      {
        unwind (v, i - 1);
        return true;
      }
  return false;
}

/* Whether a jump may go anywhere: longjmp's, or the end of a signal handler.  */
static bool
may_go_far (const struct vcpu *v)
{
  return v->last->leaps || top_of (v)->is_trampoline;
}

static void
follow_jump (struct vcpu *v, const struct block *block)
{
  const struct function *function = block->function;

  if (function == top_of (v)->function)
    return;
  if (block->is_entry)
    jump (v, block);
  else if (may_go_far (v) ? !return_to (v, block->start)
                              && !continue_in (v, function)
                          : !jump_back (v, function))
    jump (v, block);
}

static void
mark_handler (struct vcpu *v, const struct function *function)
{
  v->are_handlers = resize_for (v->are_handlers, function->number,
                                &v->n_handlers, sizeof *v->are_handlers);
  v->are_handlers[function->number] = true;
}

/* Where among the running function, and those that it ended by tail calls, the
   open call of a known handler is; 0: there is none.  */
static uint32_t
find_known_handler (const struct vcpu *v)
{
  for (uint32_t i = v->now.n; i-- > 1;)
    if (is_handler (v, v->now.frames[i].function))
      return i;
    else if (v->now.frames[i].back != 0)
      break;
  return 0;
}

/* The same for the handler that ends now.  If without it and what it called the
   stack goes on with the block, that is it.  Else it is a known one, or the
   function that the last block is of.  */
static uint32_t
find_handler (const struct vcpu *v, const struct block *block)
{
  struct stack rest = v->now;
  uint32_t i = v->now.n;

  while (i-- > 1)
    {
      rest.n = i;
      rest.interrupt = v->now.frames[i];
      if (waits_for (v, &rest, block))
        return i;
      if (rest.interrupt.back != 0)
        break;
    }
  i = find_known_handler (v);
  if (i != 0)
    return i;
  for (i = v->now.n - 1; i > 0; i--)
    if (v->now.frames[i].function == v->last->function)
      break;
  return i;
}

/* The end of an interrupt's handler.  Another interrupt may follow at once.  */
static void
follow_resume (struct vcpu *v, const struct block *block)
{
  uint32_t i = find_handler (v, block);
  struct frame handler = v->now.frames[i];

  mark_handler (v, handler.function);
  v->now.interrupt = handler;
  unwind (v, i);
  if (waits_for (v, &v->now, block))
    go_on (v, block);
  else if (block->is_entry && is_handler (v, block->function)
           && handler.site != NULL)
    enter (v, handler.site, block->function, handler.back);
  else
    change_stack (v, block);
}

/* Whether the running function is the handler of an interrupt that ends as a
   usual function does, or ends it by a tail call.  */
static bool
is_in_handler (const struct vcpu *v)
{
  uint32_t i = find_known_handler (v);

  return i != 0 && v->now.frames[i].function->is_handler;
}

/* A signal handler returns to code that resumes what it interrupted, and that
   is a function of its own.  */
static void
follow_return (struct vcpu *v, const struct block *block)
{
  if (return_to (v, block->start))
    return;
  if (is_in_handler (v))
    follow_resume (v, block);
  else if (block->is_entry)
    {
      jump (v, block);
      v->now.frames[v->now.n - 1].is_trampoline = !v->is_system;
    }
  else if (v->is_system || !continue_in (v, block->function))
    change_stack (v, block);
}

/* Without a known instruction, a jump to the beginning of a function is a call,
   and one to the return address of the innermost call is a return.  */
static void
follow_unknown (struct vcpu *v, const struct block *block)
{
  if (block->is_entry)
    enter (v, v->last, block->function, v->last->end);
  else if (top_of (v)->back == block->start)
    unwind (v, v->now.n - 1);
  else
    follow_jump (v, block);
}

/* The open function that a block was moved away from, or NULL.  */
static const struct function *
find_whole (const struct vcpu *v, const struct block *block)
{
  for (uint32_t i = v->now.n; i > 0; i--)
    if (guest_is_part (block, v->now.frames[i - 1].function))
      return v->now.frames[i - 1].function;
  return NULL;
}

/* The first execution of a block of unknown code shows its function.  Returns
   whether that was seen by a return.  */
static bool
find_function (struct vcpu *v, struct block *block)
{
  enum transfer by = v->last != NULL ? v->last->transfer : TRANSFER_CALL;
  const struct function *whole = find_whole (v, block);
  bool is_return
      = whole == NULL && by == TRANSFER_RETURN && return_to (v, block->start);
  bool is_known = is_return || by == TRANSFER_JUMP || by == TRANSFER_UNKNOWN;

  if (whole == NULL && is_known && !guest_has_symbol (block))
    whole = top_of (v)->function;
  guest_adopt (block, whole);
  return is_return;
}

/* An unwatched block leads only to blocks of its function.  So those executed
   between two watched blocks are at first of the function of the earlier one; and
   after a signal, an exception or a return to where no call was, of another
   function.  Only the first vcpu has such blocks.  */

static bool
has_unwatched (const struct vcpu *v)
{
  return v->number == 1;
}

static uint64_t
uncounted (const struct vcpu *v, const struct function *function)
{
  return has_unwatched (v) && function != NULL
           ? function->unwatched->instructions - function->unwatched->counted
           : 0;
}

static void
count_unwatched (struct vcpu *v, const struct function *function)
{
  uint64_t n = uncounted (v, function);

  if (n == 0)
    return;
  v->counters[EVENT_INSTRUCTIONS] += n;
  function->unwatched->counted += n;
}

/* Goes on in the open call where unwatched blocks were executed after those of the
   last one's function.  False: there is none.  */
static bool
catch_up (struct vcpu *v, const struct block *block)
{
  bool is_far = v->last->transfer == TRANSFER_RETURN || may_go_far (v);
  uint32_t i = v->now.n;

  if (!top_of (v)->is_trampoline
      && !(is_far && uncounted (v, block->function) != 0))
    return false;
  while (i > 0 && uncounted (v, v->now.frames[i - 1].function) == 0)
    i--;
  if (i == 0)
    return false;
  if (i < v->now.n && v->now.frames[i].site != NULL)
    v->last = v->now.frames[i].site;
  unwind (v, i);
  count_unwatched (v, top_of (v)->function);
  return true;
}

static void
follow (struct vcpu *v, struct block *block)
{
  const struct block *last = v->last;

  if (last != NULL)
    count_unwatched (v, last->function);
  if (block->function == NULL && find_function (v, block))
    return;
  if (last == NULL)
    begin (v, block->function);
  else if (catch_up (v, block))
    follow_jump (v, block);
  else if (block->start == last->end && last->transfer != TRANSFER_RESUME)
    follow_jump (v, block);
  else if (last->transfer == TRANSFER_CALL)
    enter (v, last, block->function, last->end);
  else if (last->transfer == TRANSFER_RETURN)
    follow_return (v, block);
  else if (last->transfer == TRANSFER_RESUME)
    follow_resume (v, block);
  else if (last->transfer == TRANSFER_UNKNOWN)
    follow_unknown (v, block);
  else
    follow_jump (v, block);
}

/* Execution.  */

/* What leads to another object is a cost of the block that called.  */

static void
add_linkage (struct vcpu *v, uint32_t event, uint64_t cost)
{
  uint32_t site = v->last->site;

  v->linkage
      = resize_for (v->linkage, site, &v->n_linkage, sizeof *v->linkage);
  v->linkage[site].of[event] += cost;
}

static void
count_linkage (struct vcpu *v, const struct block *block)
{
  add_linkage (v, EVENT_INSTRUCTIONS, block->n);
  v->counters[EVENT_INSTRUCTIONS] += block->n;
  if (v->events.has_blocks)
    v->counters[vcpu_event_blocks (v->events)]++;
}

/* Whether a block of another kind belongs to the one before.  */
static bool
pass (struct vcpu *v, const struct block *block)
{
  if (block->kind == BLOCK_REPEAT)
    return v->last->last == block->start;
  count_linkage (v, block);
  return true;
}

void
vcpu_execute (struct vcpu *v, struct block *block)
{
  if (block->kind != BLOCK_USUAL && v->last != NULL && pass (v, block))
    return;
  if (block->function != v->function)
    {
      follow (v, block);
      v->function = block->function;
    }
  if (block->number >= v->n_counts)
    v->counts = resize_for (v->counts, block->number, &v->n_counts,
                            sizeof *v->counts);
  vcpu_count (v, block);
}

void
vcpu_access (struct vcpu *v, uint32_t instruction, bool is_write)
{
  uint32_t event = is_write ? EVENT_WRITES : EVENT_READS;

  v->counters[event]++;
  if (instruction != VCPU_LINKAGE)
    {
      v->accesses = resize_for (v->accesses, instruction, &v->n_accesses,
                                sizeof *v->accesses);
      v->accesses[instruction].of[event]++;
    }
  else if (v->last != NULL)
    add_linkage (v, event, 1);
}

/* Costs.  */

static void
move_linkage (struct vcpu *v, uint32_t site, struct cgw_profile *profile)
{
  const uint64_t *costs = v->linkage[site].of;

  if (costs[EVENT_INSTRUCTIONS] != 0)
    {
      struct cgw_pos pos = guest_site (site);

      cgw_profile_cost (profile, &pos, costs,
                        v->events.has_accesses ? EVENT_WRITES + 1 : 1);
    }
}

static void
move_block (struct vcpu *v, const struct block *block,
            struct cgw_profile *profile)
{
  uint64_t count = has_unwatched (v) ? block->unwatched : 0;
  size_t n = vcpu_n_events (v->events);

  if (block->number < v->n_counts)
    count += v->counts[block->number];
  for (uint32_t i = 0; i < block->n && count != 0; i++)
    {
      uint64_t cost[EVENTS_MAX] = { count };
      uint32_t number = block->first + i;
      struct cgw_pos pos = guest_position (block, i);

      if (number < v->n_accesses)
        {
          cost[EVENT_READS] = v->accesses[number].of[EVENT_READS];
          cost[EVENT_WRITES] = v->accesses[number].of[EVENT_WRITES];
        }
      if (v->events.has_blocks)
        cost[vcpu_event_blocks (v->events)] = i == 0 ? count : 0;
      cgw_profile_cost (profile, &pos, cost, n);
    }
}

void
vcpu_forget (struct vcpu *v)
{
  if (v->n_counts != 0)
    memset (v->counts, 0, v->n_counts * sizeof *v->counts);
  if (v->n_linkage != 0)
    memset (v->linkage, 0, v->n_linkage * sizeof *v->linkage);
  if (v->n_accesses != 0)
    memset (v->accesses, 0, v->n_accesses * sizeof *v->accesses);
  guest_lock ();
  for (uint32_t i = 0; has_unwatched (v) && i < guest_blocks (); i++)
    guest_block (i)->unwatched = 0;
  guest_unlock ();
  cgw_profile_clear (v->profile);
}

void
vcpu_move (struct vcpu *v, struct cgw_profile *profile)
{
  guest_lock ();
  for (uint32_t i = 0; i < guest_blocks (); i++)
    move_block (v, guest_block (i), profile);
  for (uint32_t i = 0; i < v->n_linkage && i < guest_sites (); i++)
    move_linkage (v, i, profile);
  guest_unlock ();
  if (v->last != NULL)
    count_unwatched (v, v->last->function);
  cgw_tracer_sync (v->now.tracer, v->counters);
  cgw_profile_merge (profile, v->profile);
  vcpu_forget (v);
}
