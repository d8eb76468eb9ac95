/* model.h - exhaustive check of the gate's memory order: what the parts of the
   program share.  See model.c.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TESTS_GATE_MODEL_H
#define TESTS_GATE_MODEL_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_SLOTS 2
#define MOST_THREADS 4
#define MOST_CALLS 2 /* of a thread */
#define MOST_MESSAGES 24
#define MOST_DELAYED 8

/* The atomic objects.  Values: of LOCK, 0 or 1; of POINTER, which points to
   the queue, 0 while there is none; of NEXT, a slot's link, slot + 1 or 0; of
   the list heads IDLE and DEFERRED, the same, or CLOSED.  */
enum object
{
  LOCK,
  POINTER,
  IDLE,
  DEFERRED,
  NEXT,
  OBJECTS = NEXT + MOST_SLOTS
};
#define CLOSED 0x80
#define SLOT(value) ((value)&0x7f)

/* The plain objects: the core's state; the queue's memory as a whole; how many
   events there are, which is atomic in the code but must not be old; and one
   payload per slot.  */
enum plain
{
  CORE,
  QUEUE,
  EVENTS,
  PAYLOAD
};

enum
{
  RELAXED = 0,
  ACQUIRE = 1,
  RELEASE = 2,
  ACQ_REL = 3,
  SEQ_CST = 7
};

/* The atomic accesses in the gate's code.  */
enum access
{
  TRY,
  TRY_FAILS,
  LEAVE,
  LOOK,
  EARLIER,
  POINT_LOAD,
  POINT_STORE,
  ENTRY,
  POP_LOAD,
  POP_NEXT,
  POP_CAS,
  POP_FAILS,
  PUSH_LOAD,
  PUSH_NEXT,
  PUSH_CAS,
  PUSH_FAILS,
  TAKE_LOAD,
  TAKE_CAS,
  TAKE_FAILS,
  TAKE_NEXT,
  GIVE_LOAD,
  GIVE_NEXT,
  GIVE_CAS,
  GIVE_FAILS,
  CLOSE_CAS,
  OPEN_CAS,
  ACCESSES
};

enum call
{
  NONE,
  RECORD,
  FINISH,
  BEGIN
};

enum mutation
{
  NOTHING,
  WEAKER,
  NO_TAG,
  NO_LOOK,
  WAITING,
  REMADE,
  ONE_ROUND,     /* one round of draining */
  UNBOUNDED,     /* as many as there are records */
  EARLIER_FIRST, /* the holder writes deferred records before its own */
  STRICT_ORDER,  /* deferred records and others of a thread keep order */
  STRICT_END     /* no record waits for the next call */
};

/* What one search runs.  */
struct config
{
  const char *name;
  uint8_t calls[MOST_THREADS][MOST_CALLS];
  uint8_t threads, slots;
  uint8_t handler_of[MOST_THREADS]; /* thread + 1 that this one interrupts */
  bool dies[MOST_THREADS];          /* left by longjmp, at any point */
  bool begins_closed;
  enum mutation rule; /* one that must hold */
  bool flag;     /* one thread: the lock is a flag, not compare-exchanged */
  uint8_t delay; /* see model_memory.c */
  bool stress;
};

/* What a thread knows of the objects.  */
struct view
{
  uint8_t seen[OBJECTS]; /* oldest message that it may read */
  uint8_t plain;         /* bit: the last access happens-before */
};

struct message
{
  uint8_t value;
  struct view released;
};

/* A seq_cst access that is executed but not in the order S yet.  */
struct delayed
{
  uint8_t object;
  uint8_t at; /* the message that it read, or wrote */
  bool writes;
};

struct thread
{
  struct view view;
  uint8_t place;   /* in the gate's code */
  uint8_t call;    /* number of the current call */
  uint8_t head;    /* value of a list head, ... */
  uint8_t head_of; /* ... which one, ... */
  uint8_t head_at; /* ... and its message + 1: the tag */
  uint8_t next;
  uint8_t slot;    /* + 1; this thread owns it */
  uint8_t list;    /* slot + 1; taken from DEFERRED */
  uint8_t turned;  /* slot + 1; the part that is reversed */
  uint8_t written; /* deferred records, in this call */
  uint8_t rounds;  /* the same; counted with ONE_ROUND */
  bool refused;    /* gives its own slot back */
  bool closing;
  bool started; /* of a handler */
  uint8_t n_delayed;
  struct delayed delayed[MOST_DELAYED];
};

struct state
{
  struct thread thread[MOST_THREADS];
  uint8_t messages[OBJECTS]; /* how many */
  uint8_t in_order[OBJECTS]; /* the last message in S */
  uint8_t payload[MOST_SLOTS];
  uint8_t accepted[MOST_THREADS]; /* bits: calls that returned OK */
  uint8_t refused[MOST_THREADS];
  uint8_t encoded[MOST_THREADS];
  uint8_t deferred[MOST_THREADS]; /* bits: calls that went to the queue */
  uint8_t slots_lost;             /* with a thread that died */
  bool open;                      /* a part is; the core's state */
  bool made;                      /* the queue's memory is */
  bool gave_up; /* some thread: its bound is reached, or it died */
  struct message message[OBJECTS][MOST_MESSAGES];
};

/* A step of a thread.  */
struct step
{
  struct state s;
  unsigned thread;
  unsigned choice;   /* which message to read */
  unsigned choices;  /* how many there are */
  const char *wrong; /* what it violates, or NULL */
};

extern const struct config *config;
extern enum mutation mutation;
extern uint8_t order_of[ACCESSES];

static inline struct thread *
self (struct step *p)
{
  return &p->s.thread[p->thread];
}

static inline void
violate (struct step *p, const char *text)
{
  if (p->wrong == NULL)
    p->wrong = text;
}

/* model_memory.c */

/* Reads a plain object that is written once: that happens before.  */
void need (struct step *p, unsigned plain);

/* Accesses another plain object: the last access happens before.  */
void touch (struct step *p, unsigned plain);
uint8_t load (struct step *p, unsigned object, enum access access);

/* Loads a list head into the thread's `head`.  */
uint8_t load_head (struct step *p, unsigned object, enum access access);

void store (struct step *p, unsigned object, uint8_t value,
            enum access access);
void exchange (struct step *p, unsigned object, uint8_t value,
               enum access access);

/* Compare-exchange of a list head that the thread has in `head`, or of LOCK
   that is 0.  When it fails, the list head it read is in `head`.  */
bool cas (struct step *p, unsigned object, uint8_t value, enum access success,
          enum access failure);

uint8_t last_value (const struct state *s, unsigned object);

/* Whether the first delayed access of the thread can be the next in S.  */
bool can_enter_order (const struct state *s, unsigned thread);
void enter_order (struct state *s, unsigned thread);
bool is_delayed_enough (const struct state *s, unsigned thread);

/* Whether there is an S for the execution.  If not, C11 forbids it.  */
bool order_exists (const struct state *s);

/* Forgets messages that nobody can read any more.  */
void forget_messages (struct state *s);

/* model_gate.c */

void initialize (struct state *s);
bool is_done (const struct state *s, unsigned thread);
bool waits_to_start (const struct state *s, unsigned thread);
bool is_interrupted (const struct state *s, unsigned thread);
bool can_run (const struct state *s, unsigned thread);
void run_step (struct step *p);

/* Whether the thread may be left by longjmp here.  */
bool can_die (const struct state *s, unsigned thread);
void die (struct step *p);

/* Clears what a thread will not use any more.  */
void forget_registers (struct thread *t);

/* What the next step of a thread is.  */
const char *place_name (unsigned place);

/* model_search.c */

/* Visits all states.  Returns what is wrong in one, or NULL.  */
const char *search (bool with_schedule);

/* How many states the last search visited.  */
size_t states_visited (void);

#endif
