/* model_gate.c - the gate's code in steps of one atomic access each.

   Plain accesses are part of the step before them: whether they race does not
   depend on when they run, only on happens-before.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <string.h>

/* What a thread does next.  */
enum place
{
  DONE,
  ENTERING,
  ENTERING_SETS,
  HOLDING,
  FINDING,
  CHECKING,
  POPPING,
  POPPING_NEXT,
  POPPING_CAS,
  PUSHING,
  PUSHING_NEXT,
  PUSHING_CAS,
  LOOKING,
  DRAINING,
  DRAINING_SETS,
  TAKING,
  TAKING_CAS,
  TURNING,
  TURNING_NEXT,
  WRITING,
  GIVING,
  GIVING_NEXT,
  GIVING_CAS,
  POINTING,
  OPENING,
  OPENING_CAS,
  LEAVING,
  PLACES
};

/* Records.  */

static enum call
current_call (struct step *p)
{
  unsigned call = self (p)->call;

  return call < MOST_CALLS ? config->calls[p->thread][call] : NONE;
}

static uint8_t
call_bit (struct step *p)
{
  return (uint8_t)(1u << self (p)->call);
}

static uint8_t
record_number (struct step *p)
{
  return (uint8_t)(p->thread * MOST_CALLS + self (p)->call);
}

static bool
has_status (struct step *p)
{
  return ((p->s.accepted[p->thread] | p->s.refused[p->thread]) & call_bit (p))
         != 0;
}

/* Encodes a record, by plain accesses to the core.  */
static void
encode (struct step *p, unsigned record)
{
  unsigned thread = record / MOST_CALLS;
  unsigned bit = 1u << record % MOST_CALLS;

  touch (p, CORE);
  if (!p->s.open)
    violate (p, "a record is encoded while no part is open");
  if (p->s.encoded[thread] & bit)
    violate (p, "a record is encoded twice");
  else if (p->s.encoded[thread] > bit
           && (mutation == STRICT_ORDER || mutation == EARLIER_FIRST
               || p->s.deferred[thread] > bit))
    violate (p, "a record overtakes an earlier one of its thread");
  if (p->s.refused[thread] & bit)
    violate (p, "a refused record is encoded");
  p->s.encoded[thread] |= (uint8_t)bit;
}

/* The steps.  Each returns the place of the next one.  */

static enum place
end_call (struct step *p)
{
  struct thread *t = self (p);

  t->call++;
  t->written = t->rounds = 0;
  t->refused = t->closing = false;
  return current_call (p) == NONE ? DONE : ENTERING;
}

static enum place
refuse (struct step *p)
{
  p->s.refused[p->thread] |= call_bit (p);
  return end_call (p);
}

/* The call's own work under the lock: a record.  */
static enum place
own_record (struct step *p)
{
  if (p->s.open)
    {
      encode (p, record_number (p));
      p->s.accepted[p->thread] |= call_bit (p);
    }
  else
    {
      touch (p, CORE);
      p->s.refused[p->thread] |= call_bit (p);
    }
  return LEAVING;
}

/* The same: cgw_begin_part.  The first one makes the queue.  */
static enum place
own_begin (struct step *p)
{
  bool first = !p->s.made;

  touch (p, CORE);
  if (p->s.open)
    return LEAVING;
  if (first || mutation == REMADE)
    touch (p, QUEUE);
  p->s.made = p->s.open = true;
  return first ? POINTING : OPENING;
}

/* The same: cgw_finish, which takes the queue and closes it in one.  */
static enum place
own_finish (struct step *p)
{
  touch (p, CORE);
  if (!p->s.open)
    return LEAVING;
  self (p)->closing = true;
  return TAKING;
}

static enum place
own_work (struct step *p)
{
  switch (current_call (p))
    {
    case RECORD:
      return own_record (p);
    case BEGIN:
      return own_begin (p);
    default:
      return own_finish (p);
    }
}

/* Tries the lock.  With a flag, it is set in a step of its own: a handler may
   come in between, and then has left when the thread goes on.  */
static enum place
try_lock (struct step *p, enum place sets, enum place locked,
          enum place refused)
{
  if (config->flag)
    return load (p, LOCK, TRY) == 0 ? sets : refused;
  return cas (p, LOCK, 1, TRY, TRY_FAILS) ? locked : refused;
}

static enum place
locked (struct step *p)
{
  if (current_call (p) == RECORD && mutation != EARLIER_FIRST)
    return own_work (p);
  return HOLDING;
}

static enum place
step_enter (struct step *p)
{
  enum place place = try_lock (p, ENTERING_SETS, HOLDING, FINDING);

  if (place == HOLDING)
    return locked (p);
  if (place == FINDING && mutation == WAITING)
    return ENTERING;
  return place == FINDING && current_call (p) != RECORD ? end_call (p) : place;
}

static enum place
step_enter_set (struct step *p)
{
  store (p, LOCK, 1, TRY);
  return locked (p);
}

/* Before anything else the holder writes what was deferred.  */
static enum place
step_hold (struct step *p)
{
  return SLOT (load_head (p, DEFERRED, EARLIER)) != 0 ? TAKING_CAS
                                                      : own_work (p);
}

/* The lock is busy: is there a queue, and is it open?  */
static enum place
step_find (struct step *p)
{
  return load (p, POINTER, POINT_LOAD) != 0 ? CHECKING : refuse (p);
}

static enum place
step_check (struct step *p)
{
  need (p, QUEUE);
  if (load (p, DEFERRED, ENTRY) & CLOSED)
    return refuse (p);
  need (p, EVENTS);
  return POPPING;
}

/* Gets a free slot, or finds none: the record is lost.  */
static enum place
pop_head (struct step *p)
{
  return self (p)->head != 0 ? POPPING_NEXT : refuse (p);
}

static enum place
step_pop (struct step *p)
{
  load_head (p, IDLE, POP_LOAD);
  return pop_head (p);
}

static enum place
step_pop_next (struct step *p)
{
  self (p)->next = load (p, NEXT + self (p)->head - 1u, POP_NEXT);
  return POPPING_CAS;
}

static enum place
step_pop_cas (struct step *p)
{
  struct thread *t = self (p);
  uint8_t slot = t->head;

  if (!cas (p, IDLE, t->next, POP_CAS, POP_FAILS))
    return pop_head (p);
  t->slot = slot;
  touch (p, PAYLOAD + slot - 1u);
  p->s.payload[slot - 1] = record_number (p);
  return PUSHING;
}

/* Publishes the slot, or gives it back when the queue is closed.  */
static enum place
push_head (struct step *p)
{
  if (!(self (p)->head & CLOSED))
    return PUSHING_NEXT;
  p->s.refused[p->thread] |= call_bit (p);
  self (p)->refused = true;
  return GIVING;
}

static enum place
step_push (struct step *p)
{
  load_head (p, DEFERRED, PUSH_LOAD);
  return push_head (p);
}

static enum place
step_push_next (struct step *p)
{
  store (p, NEXT + self (p)->slot - 1u, self (p)->head, PUSH_NEXT);
  return PUSHING_CAS;
}

static enum place
step_push_cas (struct step *p)
{
  if (!cas (p, DEFERRED, self (p)->slot, PUSH_CAS, PUSH_FAILS))
    return push_head (p);
  self (p)->slot = 0;
  p->s.accepted[p->thread] |= call_bit (p);
  p->s.deferred[p->thread] |= call_bit (p);
  return LOOKING;
}

/* No more than the queue holds, and perhaps one: the rest waits for the next
   call.  */
static bool
has_done_enough (struct step *p)
{
  if (mutation == ONE_ROUND)
    return self (p)->rounds != 0;
  return mutation != UNBOUNDED && self (p)->written > config->slots;
}

/* The last look, after a push and after leaving.  (After leaving the code
   looks twice, which is no more than once at the later time.)  */
static enum place
step_look (struct step *p)
{
  if (SLOT (load (p, DEFERRED, LOOK)) == 0)
    return end_call (p);
  if (has_done_enough (p))
    {
      p->s.gave_up |= mutation != ONE_ROUND && mutation != STRICT_END;
      return end_call (p);
    }
  return DRAINING;
}

static enum place
step_drain (struct step *p)
{
  enum place place = try_lock (p, DRAINING_SETS, TAKING, DONE);

  return place == DONE ? end_call (p) : place;
}

static enum place
step_drain_set (struct step *p)
{
  store (p, LOCK, 1, TRY);
  return TAKING;
}

/* Everything that was taken is written.  */
static enum place
all_written (struct step *p)
{
  struct thread *t = self (p);

  t->rounds = mutation == ONE_ROUND;
  if (t->closing)
    {
      touch (p, CORE);
      p->s.open = false;
      return LEAVING;
    }
  return has_status (p) || current_call (p) != RECORD ? LEAVING : own_work (p);
}

static enum place
step_take (struct step *p)
{
  load_head (p, DEFERRED, TAKE_LOAD);
  return SLOT (self (p)->head) != 0 || self (p)->closing ? TAKING_CAS
                                                         : all_written (p);
}

static enum place
step_take_cas (struct step *p)
{
  struct thread *t = self (p);
  uint8_t list = SLOT (t->head);

  if (!cas (p, DEFERRED, t->closing ? CLOSED : 0,
            t->closing ? CLOSE_CAS : TAKE_CAS, TAKE_FAILS))
    return TAKING_CAS;
  t->list = list;
  return list != 0 ? TURNING : all_written (p);
}

/* Reverses the list that was taken: oldest record first.  */
static enum place
step_turn (struct step *p)
{
  self (p)->next = load (p, NEXT + self (p)->list - 1u, TAKE_NEXT);
  return TURNING_NEXT;
}

static enum place
step_turn_next (struct step *p)
{
  struct thread *t = self (p);

  store (p, NEXT + t->list - 1u, t->turned, TAKE_NEXT);
  t->turned = t->list;
  t->list = t->next;
  return t->list != 0 ? TURNING : WRITING;
}

static enum place
step_write (struct step *p)
{
  struct thread *t = self (p);

  t->slot = t->turned;
  t->turned = load (p, NEXT + t->slot - 1u, TAKE_NEXT);
  touch (p, PAYLOAD + t->slot - 1u);
  encode (p, p->s.payload[t->slot - 1]);
  p->s.payload[t->slot - 1] = 0;
  t->written += has_status (p) || current_call (p) != RECORD;
  return GIVING;
}

/* Gives a slot back.  */
static enum place
step_give (struct step *p)
{
  load_head (p, IDLE, GIVE_LOAD);
  return GIVING_NEXT;
}

static enum place
step_give_next (struct step *p)
{
  store (p, NEXT + self (p)->slot - 1u, self (p)->head, GIVE_NEXT);
  return GIVING_CAS;
}

static enum place
step_give_cas (struct step *p)
{
  struct thread *t = self (p);

  if (!cas (p, IDLE, t->slot, GIVE_CAS, GIVE_FAILS))
    return GIVING_NEXT;
  t->slot = 0;
  if (t->refused)
    return end_call (p);
  return t->turned != 0 ? WRITING : all_written (p);
}

static enum place
step_point (struct step *p)
{
  store (p, POINTER, 1, POINT_STORE);
  touch (p, EVENTS);
  return OPENING;
}

static enum place
step_open (struct step *p)
{
  load_head (p, DEFERRED, TAKE_LOAD);
  return OPENING_CAS;
}

static enum place
step_open_cas (struct step *p)
{
  return cas (p, DEFERRED, 0, OPEN_CAS, TAKE_FAILS) ? LEAVING : OPENING_CAS;
}

static enum place
step_leave (struct step *p)
{
  store (p, LOCK, 0, LEAVE);
  return mutation == NO_LOOK ? end_call (p) : LOOKING;
}

static const struct
{
  const char *name;
  enum place (*run) (struct step *);
} steps[PLACES] = {
  [DONE] = { "done", NULL },
  [ENTERING] = { "try-lock", step_enter },
  [ENTERING_SETS] = { "set the flag", step_enter_set },
  [HOLDING] = { "entered: load deferred", step_hold },
  [FINDING] = { "busy: load the pointer", step_find },
  [CHECKING] = { "busy: load deferred", step_check },
  [POPPING] = { "pop: load idle", step_pop },
  [POPPING_NEXT] = { "pop: load next", step_pop_next },
  [POPPING_CAS] = { "pop: CAS idle", step_pop_cas },
  [PUSHING] = { "push: load deferred", step_push },
  [PUSHING_NEXT] = { "push: store next", step_push_next },
  [PUSHING_CAS] = { "push: CAS deferred", step_push_cas },
  [LOOKING] = { "last look: load deferred", step_look },
  [DRAINING] = { "drain: try-lock", step_drain },
  [DRAINING_SETS] = { "drain: set the flag", step_drain_set },
  [TAKING] = { "take: load deferred", step_take },
  [TAKING_CAS] = { "take: CAS deferred", step_take_cas },
  [TURNING] = { "reverse: load next", step_turn },
  [TURNING_NEXT] = { "reverse: store next", step_turn_next },
  [WRITING] = { "write: load next", step_write },
  [GIVING] = { "give back: load idle", step_give },
  [GIVING_NEXT] = { "give back: store next", step_give_next },
  [GIVING_CAS] = { "give back: CAS idle", step_give_cas },
  [POINTING] = { "begin: store the pointer", step_point },
  [OPENING] = { "open: load deferred", step_open },
  [OPENING_CAS] = { "open: CAS deferred", step_open_cas },
  [LEAVING] = { "leave", step_leave },
};

const char *
place_name (unsigned place)
{
  return steps[place].name;
}

void
forget_registers (struct thread *t)
{
  if (t->place != POPPING_CAS && t->place != TURNING_NEXT)
    t->next = 0;
  switch (t->place)
    {
    case POPPING_NEXT:
    case POPPING_CAS:
    case PUSHING_NEXT:
    case PUSHING_CAS:
    case TAKING_CAS:
    case GIVING_NEXT:
    case GIVING_CAS:
    case OPENING_CAS:
      return;
    default:
      t->head = t->head_of = t->head_at = 0;
    }
}

/* Threads and handlers.  A handler runs to its end before the thread that it
   interrupts goes on, and takes that one's view there and back.  */

bool
is_done (const struct state *s, unsigned thread)
{
  return s->thread[thread].place == DONE;
}

bool
waits_to_start (const struct state *s, unsigned thread)
{
  return config->handler_of[thread] != 0 && !s->thread[thread].started;
}

bool
is_interrupted (const struct state *s, unsigned thread)
{
  for (unsigned i = 0; i < config->threads; i++)
    if (config->handler_of[i] == thread + 1 && s->thread[i].started
        && !is_done (s, i))
      return true;
  return false;
}

bool
can_run (const struct state *s, unsigned thread)
{
  if (is_done (s, thread) || is_interrupted (s, thread))
    return false;
  if (!waits_to_start (s, thread))
    return true;
  thread = config->handler_of[thread] - 1u;
  return !waits_to_start (s, thread) && can_run (s, thread);
}

static struct thread *
interrupted (struct step *p)
{
  return &p->s.thread[config->handler_of[p->thread] - 1];
}

static void
start_handler (struct step *p)
{
  self (p)->started = true;
  self (p)->view = interrupted (p)->view;
  memset (&interrupted (p)->view, 0, sizeof (struct view));
}

static void
end_thread (struct step *p)
{
  if (config->handler_of[p->thread] != 0)
    interrupted (p)->view = self (p)->view;
  memset (&self (p)->view, 0, sizeof (struct view));
}

void
run_step (struct step *p)
{
  p->choices = 1;
  if (waits_to_start (&p->s, p->thread))
    start_handler (p);
  self (p)->place = (uint8_t)steps[self (p)->place].run (p);
  if (is_done (&p->s, p->thread))
    end_thread (p);
}

/* Not with the lock: that one the library cannot get back.  */
bool
can_die (const struct state *s, unsigned thread)
{
  const struct thread *t = &s->thread[thread];

  return config->dies[thread] && can_run (s, thread)
         && ((t->place >= FINDING && t->place <= DRAINING) || t->refused);
}

void
die (struct step *p)
{
  struct thread *t = self (p);

  p->s.slots_lost += t->slot != 0;
  p->s.gave_up |= t->place == LOOKING || t->place == DRAINING;
  t->slot = 0;
  t->place = DONE;
  end_thread (p);
}

static void
initialize_thread (struct thread *t, unsigned number)
{
  bool knows_queue
      = !config->begins_closed || config->calls[number][0] == BEGIN;

  t->place = config->calls[number][0] == NONE ? DONE : ENTERING;
  if (config->handler_of[number] == 0)
    t->view.plain
        = (uint8_t)(knows_queue ? 0xff : 0xff & ~(1u << QUEUE | 1u << EVENTS));
}

void
initialize (struct state *s)
{
  memset (s, 0, sizeof *s);
  s->made = s->open = !config->begins_closed;
  for (unsigned i = 0; i < OBJECTS; i++)
    s->messages[i] = 1;
  s->message[POINTER][0].value = s->made;
  s->message[IDLE][0].value = config->slots;
  for (unsigned i = 0; i < config->slots; i++)
    s->message[NEXT + i][0].value = (uint8_t)i;
  s->message[DEFERRED][0].value = config->begins_closed ? CLOSED : 0;
  for (unsigned i = 0; i < config->threads; i++)
    initialize_thread (&s->thread[i], i);
}
