/* model_gate.c - the gate: the library's own code, on a core that only notes
   which record was written.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Atomic accesses are the model's.  Those of other kinds, as of a counter, work
   on plain memory.  */

#define ORDER(order)                                                          \
  ((order) == memory_order_relaxed   ? RELAXED                                \
   : (order) == memory_order_acquire ? ACQUIRE                                \
   : (order) == memory_order_release ? RELEASE                                \
   : (order) == memory_order_acq_rel ? ACQ_REL                                \
                                     : SEQ_CST)
/* What may be a pointer of this size is converted by way of uintptr_t.  */
#define WORD(size, value)                                                     \
  __builtin_choose_expr ((size) == sizeof (uintptr_t), (uintptr_t) (value),   \
                         (value))
#define ACCESS(p, kind, order, fails, value, expects)                         \
  __extension__ ({                                                            \
    static const struct access access_                                        \
        = { __func__, sizeof *(p), kind, ORDER (order), ORDER (fails) };      \
    const uint64_t result_ = do_access (                                      \
        (volatile void *) (uintptr_t) (p), &access_,                          \
        (uint64_t) WORD (sizeof (value), value),                              \
        (uint64_t) WORD (sizeof (expects), expects));                         \
    (__typeof__ (((void) 0, *(p)))) WORD (sizeof *(p), result_);              \
  })

#undef atomic_load_explicit
#undef atomic_load
#undef atomic_store_explicit
#undef atomic_store
#undef atomic_exchange
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak_explicit
#undef atomic_thread_fence

#define atomic_load_explicit(p, order)                                        \
  ACCESS (p, LOAD, order, memory_order_relaxed, 0, 0)
#define atomic_load(p) atomic_load_explicit (p, memory_order_seq_cst)
#define atomic_store_explicit(p, value, order)                                \
  ((void) ACCESS (p, STORE, order, memory_order_relaxed, value, 0))
#define atomic_store(p, value)                                                \
  atomic_store_explicit (p, value, memory_order_seq_cst)
#define atomic_exchange(p, value)                                             \
  ACCESS (p, EXCHANGE, memory_order_seq_cst, memory_order_relaxed, value, 0)
/* Without failures for no reason: they would lead back to an earlier state.  */
#define atomic_compare_exchange_weak_explicit(p, old, value, order, fails)    \
  (*(old) = ACCESS (p, CAS, order, fails, value, *(old)), exchanged)
#define atomic_compare_exchange_strong(p, old, value)                         \
  atomic_compare_exchange_weak_explicit (p, old, value, memory_order_seq_cst, \
                                         memory_order_seq_cst)
#define atomic_thread_fence(order)                                            \
  ((void) ACCESS ((uint64_t *) NULL, FENCE, order, memory_order_relaxed, 0, 0))

/* A handler is its thread.  */
#define pthread_self() (carrier (current_thread ()) + 1)

#include "../../lib/gate/gate.h"

/* All look into a slot here.  */
static struct cgwi_deferred *see_slot (const struct cgwi_queue *q,
                                       uint32_t slot);
#define cgwi_queue_at(q, slot) see_slot (q, slot)

#include "../../lib/gate/gate.c"
#include "../../lib/gate/submit.c"

/* The first part's queue is there from the beginning.  */
static struct cgwi_queue *publish_queue (void);
#define cgwi_queue_make(m, n, n_costs) publish_queue ()

#include "../../lib/writer/parts.c"

/* Functions that do not look at their parameters leave out the names, and a
   record is followed by its one cost: GNU C, of which clang warns.  */
#ifdef __clang__
# pragma clang diagnostic ignored "-Wc2x-extensions"
# pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif

/* Plain memory.  The paths at the end of the page never change, and most of the
   time of a search goes into copying this: they do not belong to it.  */

static struct memory
{
  struct cgw_writer w;
  struct cgwi_queue queue;
  _Atomic uint32_t links[MOST_SLOTS];
  struct
  {
    struct cgwi_deferred d;
    uint64_t cost;
  } records[MOST_SLOTS];
  struct cgwi_mark_page page;
} memory;

unsigned char *const memory_bytes = (unsigned char *) &memory;
const size_t memory_size = offsetof (struct memory, page.replacement);
const volatile void *objects[MOST_OBJECTS];

static struct cgwi_deferred *
see_slot (const struct cgwi_queue *q, uint32_t slot)
{
  struct step *p = live_step ();

  if (p != NULL)
    {
      need (p, QUEUE);
      touch (p, PAYLOAD + slot);
    }
  return (cgwi_queue_at) (q, slot);
}

static struct cgwi_queue *
publish_queue (void)
{
  struct step *p = live_step ();

  if (p != NULL)
    touch (p, QUEUE);
  return &memory.queue;
}

/* Records.  The number of one is its cost.  */

static uint64_t
current_number (struct step *p)
{
  return p->thread * MOST_CALLS + self (p)->call;
}

static bool
was_deferred (const void *cost)
{
  return (const unsigned char *) cost >= memory_bytes
         && (const unsigned char *) cost < memory_bytes + memory_size;
}

/* A record is in the file.  */
static void
encode (struct step *p, const uint64_t *cost)
{
  struct state *s = &p->s;
  unsigned thread = (unsigned) *cost / MOST_CALLS;
  uint8_t bit = (uint8_t) (1u << *cost % MOST_CALLS);

  if ((s->encoded[thread] | s->lost[thread]) & bit)
    violate (p, "a record is encoded twice");
  if (s->refused[thread] & bit)
    violate (p, "a refused record is encoded");
  if (was_deferred (cost))
    {
      if (s->by_queue[thread] > bit)
        violate (p, "a deferred record overtakes an earlier one");
      s->by_queue[thread] |= bit;
      self (p)->rounds++;
    }
  s->encoded[thread] |= bit;
}

/* The core.  */

enum cgw_status
cgwi_write_cost (struct cgwi_core *c, const struct cgwi_record *r,
                 struct cgwi_why *why)
{
  enum cgw_status status = cgwi_check_open (c);
  struct step *p = live_step ();

  *why = (struct cgwi_why){ .reason = CGWI_WHY_NO_REASON };
  if (p != NULL)
    {
      touch (p, CORE);
      if (status == CGW_OK)
        encode (p, r->cost);
    }
  return status;
}

void
cgwi_count_lost (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  struct step *p = live_step ();
  unsigned thread = (unsigned) *cost / MOST_CALLS;
  uint8_t bit = (uint8_t) (1u << *cost % MOST_CALLS);

  (void) a, (void) n;
  if (p == NULL)
    return;
  touch (p, CORE);
  if ((p->s.encoded[thread] | p->s.lost[thread]) & bit)
    violate (p, "a record is lost that was encoded or lost");
  p->s.lost[thread] |= bit;
}

void
cgwi_count_busy (struct cgwi_accounts *a, const uint64_t *cost, size_t n)
{
  struct step *p = live_step ();

  (void) a, (void) cost, (void) n;
  if (p != NULL && p->s.finished)
    violate (p, "a record is lost behind the end");
}

enum cgw_status
cgwi_begin_part (struct cgwi_core *c, const struct cgw_part *part,
                 size_t n_events, struct cgwi_why *why)
{
  (void) part, (void) n_events, (void) why;
  if (live_step () != NULL)
    touch (live_step (), CORE);
  c->events = (char *) c;
  cgwi_set_state (c, CGWI_PART_OPEN);
  return CGW_OK;
}

enum cgw_status
cgwi_finish_file (struct cgwi_core *c)
{
  struct step *p = live_step ();

  if (p != NULL)
    {
      touch (p, CORE);
      p->s.finished = true;
    }
  cgwi_set_state (c, CGWI_FINISHED);
  return CGW_OK;
}

/* It works beside the core's holder.  */
enum cgw_status
cgwi_salvage_file (struct cgwi_core *c, bool resume)
{
  (void) c;
  return resume ? CGW_OK : CGW_EFINISHED;
}

/* A file's first error: that cgw_salvage has lost records, or none.  */
void
cgwi_keep_error (struct cgwi_refusals *r, enum cgw_status status,
                 enum cgwi_reason reason, uint32_t detail)
{
  (void) reason;
  (void) detail;
  atomic_exchange (&r->first.word, status);
}

enum cgw_status
cgwi_repeat_first (struct cgwi_refusals *r)
{
  return config->salvages ? (enum cgw_status) atomic_load_explicit (
             &r->first.word, memory_order_acquire)
                          : CGW_OK;
}

/* Instead of waiting, the call ends.  It is also tried later.  */
void
cgwi_pause (unsigned tries)
{
  (void) tries;
  abandon_call ();
}

/* What else the gate's code calls, and what that returns here.  */

static uintptr_t
unused (void)
{
  puts ("Bail out! the model does not have this");
  exit (1);
}

#define RETURNS(type, result, name, ...)                                      \
  type name (__VA_ARGS__)                                                     \
  {                                                                           \
    return (type) (result);                                                   \
  }

RETURNS (enum cgw_status, CGW_OK, cgwi_check_record,
         const struct cgwi_encoder *, const struct cgwi_record *,
         struct cgwi_why *)
RETURNS (bool, true, cgwi_reserve_ids, struct cgwi_encoder *,
         const struct cgwi_memory *)
RETURNS (bool, false, cgwi_is_empty, const struct cgwi_core *)
RETURNS (bool, true, cgwi_mark_is_ours, const struct cgwi_mark *)
RETURNS (size_t, 1, cgwi_take_part, struct cgw_part *, const struct cgw_part *,
         struct cgwi_why *)
RETURNS (enum cgw_status, CGW_OK, cgwi_first_error,
         const struct cgwi_refusals *)
RETURNS (enum cgw_status, status, cgwi_refuse, struct cgwi_refusals *,
         enum cgwi_called, enum cgw_status status, const struct cgwi_why *)
RETURNS (void, 0, cgwi_inherit, struct cgwi_refusals *,
         const struct cgwi_refusals *)
RETURNS (void, unused (), cgwi_refuse_part, struct cgwi_core *)
RETURNS (enum cgw_status, unused (), cgwi_write_edge, struct cgwi_core *,
         const struct cgwi_record *, struct cgwi_why *)
RETURNS (enum cgw_status, unused (), cgwi_write_comment, struct cgwi_core *,
         const char *)
RETURNS (enum cgw_status, unused (), cgwi_flush_waiting, struct cgwi_core *)
RETURNS (enum cgw_status, unused (), cgwi_make_room_waiting,
         struct cgwi_core *)
RETURNS (void *, unused (), cgwi_resize, const struct cgwi_memory *, void *,
         size_t)
RETURNS (int, unused (), cgw_errno, const struct cgw_writer *)

/* The calls.  */

static unsigned
count_records (void)
{
  unsigned n = 0;

  for (unsigned i = 0; i < config->threads; i++)
    for (unsigned k = 0; k < MOST_CALLS; k++)
      n += config->calls[i][k] == RECORD;
  return n;
}

static void
end_record (struct step *p, enum cgw_status status)
{
  uint8_t bit = (uint8_t) (1u << self (p)->call);

  switch (status)
    {
    case CGW_OK:
      p->s.accepted[p->thread] |= bit;
      break;
    case CGW_EORDER:
    case CGW_EFINISHED:
    case CGW_ELOST:
      if (status == CGW_ELOST && count_records () <= config->slots)
        violate (p, "a record is lost though there is a slot for each");
      p->s.refused[p->thread] |= bit;
      break;
    default:
      violate (p, status == CGW_ECOSTS ? "an old number of events"
                                       : "a record is refused");
    }
}

static void
record (struct step *p)
{
  static const struct cgw_pos pos;
  const uint64_t cost[2] = { current_number (p) }; /* read in pairs */

  end_record (p, cgwi_submit (&memory.w,
                              &(struct cgwi_record){
                                CGWI_COST, &pos, NULL, 0, 0, cost, 1 }));
}

void
make_call (struct step *p)
{
  static const struct cgw_part part;
  enum cgw_status status;

  switch (config->calls[p->thread][self (p)->call])
    {
    case RECORD:
      record (p);
      break;
    case BEGIN:
      cgw_begin_part (&memory.w, &part);
      break;
    case FINISH:
      cgw_finish (&memory.w);
      break;
    default:
      status = cgw_salvage (&memory.w);
      p->s.may_lose |= status == CGW_ELOST;
    }
}

/* The end.  */

/* Marks the slots of a list, and the records in them.  False: one of the slots
   is marked already.  */
static bool
mark_slots (const struct state *s, uint64_t head, unsigned *seen,
            uint8_t records[MOST_THREADS])
{
  for (uint32_t top = (uint32_t) (head & CGWI_HEAD_TOP); top != 0;
       top = (uint32_t) last_value (s, LINKS + top - 1))
    {
      uint64_t number = memory.records[top - 1].cost;
      if (*seen & 1u << top)
        return false;
      *seen |= 1u << top;
      records[number / MOST_CALLS] |= (uint8_t) (1u << number % MOST_CALLS);
    }
  return true;
}

/* A thread's records, of which some are in the queue.  */
static const char *
check_records (const struct state *s, unsigned thread, uint8_t left)
{
  uint8_t accepted = s->accepted[thread];
  uint8_t ended = s->encoded[thread] | s->lost[thread];

  if (ended & ~accepted)
    return "a record without CGW_OK is encoded or lost";
  if (left & (ended | s->refused[thread]))
    return "a record is still in the queue";
  if (left != 0 && !s->may_lose && !s->gave_up)
    return "a record is left in the queue";
  if (accepted & ~(ended | left))
    return "a record with CGW_OK is gone";
  return s->lost[thread] != 0 && !s->may_lose ? "a record is lost" : NULL;
}

static const char *
check_slots (unsigned seen)
{
  unsigned n = 0;

  for (unsigned i = 1; i <= config->slots; i++)
    n += seen >> i & 1;
  return n < config->slots ? "a slot is lost" : NULL;
}

const char *
check_end (const struct state *s)
{
  uint8_t left[MOST_THREADS] = { 0 }, idle[MOST_THREADS] = { 0 };
  const char *wrong = NULL;
  unsigned seen = 0;

  if (last_value (s, LOCK) != 0)
    return "the lock is left held";
  set_memory (s->memory);
  if (!mark_slots (s, last_value (s, DEFERRED), &seen, left)
      || !mark_slots (s, last_value (s, IDLE), &seen, idle))
    return "a slot is in two lists";
  for (unsigned i = 0; i < MOST_THREADS && wrong == NULL; i++)
    wrong = check_records (s, i, left[i]);
  return wrong != NULL ? wrong : check_slots (seen);
}

/* The beginning.  */

static void
add_object (struct state *s, const volatile void *p, size_t size)
{
  objects[n_objects] = p;
  s->messages[n_objects] = 1;
  memcpy (&s->message[n_objects][0].value, (const void *) (uintptr_t) p, size);
  n_objects++;
}

#define ADD_OBJECT(s, object) add_object (s, &(object), sizeof (object))

static void
add_objects (struct state *s)
{
  struct cgw_writer *w = &memory.w;

  if (config->flag)
    ADD_OBJECT (s, w->held);
  else
    ADD_OBJECT (s, w->holder);
  ADD_OBJECT (s, memory.queue.deferred);
  ADD_OBJECT (s, memory.queue.idle);
  for (unsigned i = 0; i < MOST_SLOTS; i++)
    ADD_OBJECT (s, memory.links[i]);
  if (config->salvages)
    {
      ADD_OBJECT (s, w->core.state);
      ADD_OBJECT (s, w->salvaged);
      ADD_OBJECT (s, w->core.refusals.first.word);
    }
  if (config->begins_closed)
    {
      ADD_OBJECT (s, w->queue);
      ADD_OBJECT (s, w->no_queue.deferred);
    }
}

static void
make_queue (struct cgwi_queue *q)
{
  cgwi_queue_make_empty (q);
  q->slots.links = memory.links;
  q->slots.n = config->slots;
  q->n_costs = 1;
  q->records = (unsigned char *) memory.records;
  for (uint32_t i = config->slots; i > 0; i--)
    cgwi_slots_push (q->slots, &q->idle, i - 1);
}

static void
make_writer (struct cgw_writer *w)
{
  /* No name is added or refused.  */
  static struct cgw_names names;

  w->core.encoder.names = &names;
  w->threads = !config->flag;
  w->held = w->threads;
  w->mark.page = &memory.page;
  memory.page.alive = memory.page.takes_records = true;
  w->n_slots = mutation == ONE_ROUND ? 0 : config->slots;
  cgwi_queue_make_empty (&w->no_queue);
  w->core.state = config->begins_closed ? CGWI_NO_PART : CGWI_PART_OPEN;
  w->queue = config->begins_closed ? &w->no_queue : &memory.queue;
  w->core.events = config->begins_closed ? NULL : (char *) w;
}

void
initialize (struct step *p)
{
  memset (p, 0, sizeof *p);
  memset (&memory, 0, sizeof memory);
  forget_memory ();
  n_objects = 0;
  make_queue (&memory.queue);
  make_writer (&memory.w);
  if (!config->begins_closed)
    cgwi_slots_change (&memory.queue.deferred, CGWI_NOT_BEGUN, CGWI_OPEN);
  add_objects (&p->s);
  for (unsigned i = 0; i < config->threads; i++)
    p->s.thread[i].view.plain
        = config->handler_of[i] != 0 ? 0
          : config->begins_closed && config->calls[i][0] != BEGIN
              ? (uint8_t) ~(1u << QUEUE)
              : 0xff;
  start_threads (p);
}
