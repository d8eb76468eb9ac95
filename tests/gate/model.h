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
#define MOST_OBJECTS 11
#define MOST_MESSAGES 24
#define MOST_DELAYED 8
#define MOST_ACCESSES 64 /* of a call */
#define MOST_ALONE 300   /* of a thread that runs alone */

/* The atomic objects: the lock, the heads of the two stacks and the links of
   the slots; then those that matter in some configurations only.  All others
   are plain memory.  */
enum object
{
  LOCK,
  DEFERRED,
  IDLE,
  LINKS,
  MORE = LINKS + MOST_SLOTS
};

/* Plain memory whose accesses are checked: the core; the queue as a whole; and
   the contents of each slot.  */
enum plain
{
  CORE,
  QUEUE,
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

enum kind
{
  LOAD,
  STORE,
  EXCHANGE,
  CAS,
  CAS_FAILS, /* its second memory order */
  FENCE
};

enum call
{
  NONE,
  RECORD,
  FINISH,
  BEGIN,
  SALVAGE
};

enum mutation
{
  NOTHING, /* but weaker orders, maybe */
  NO_TAG,
  ONE_ROUND
};

/* When a configuration is searched.  */
enum effort
{
  QUICK,
  IN_FULL,
  IN_STRESS
};

/* What one search runs.  */
struct config
{
  uint8_t slots;
  uint8_t calls[MOST_THREADS][MOST_CALLS];
  uint8_t handler_of[MOST_THREADS]; /* thread + 1 that this one interrupts */
  bool flag;     /* one thread: a writer without CGW_THREADS */
  uint8_t delay; /* see model_memory.c */
  enum effort effort;
  /* By the calls.  */
  uint8_t threads;
  bool begins_closed; /* no part is open, because some call is BEGIN */
  bool salvages;      /* some call is SALVAGE */
};

/* What a thread knows of the objects.  */
struct view
{
  uint8_t seen[MOST_OBJECTS]; /* oldest message that it may read */
  uint8_t plain;              /* bit: the last access happens-before */
};

struct message
{
  uint64_t value;
  struct view released;
};

/* A seq_cst access that is executed but not in the order S yet.  */
struct delayed
{
  uint8_t object;
  uint8_t at; /* the message that it read, or wrote */
  bool writes;
};

/* An atomic access, as the library's code has it.  */
struct access
{
  const char *function;
  uint8_t size;
  uint8_t kind;
  uint8_t order;
  uint8_t fails; /* the order of a failed compare-exchange */
};

/* What an access returned, and the plain memory that the code then found.  */
struct result
{
  uint64_t value;
  uint32_t memory;
  bool exchanged;
};

struct thread
{
  /* All that tells one state of a thread from another.  */
  struct view view;
  uint64_t local;  /* what its call knows */
  uint8_t call;    /* number of the current call */
  uint8_t rounds;  /* of the call: how often it entered, and records that it
                      wrote for others */
  bool started;    /* of a handler */
  bool done;
  bool holds;      /* the lock */
  bool left;       /* the call's last access freed it */
  uint8_t n_delayed;
  struct delayed delayed[MOST_DELAYED];
  /* How to come there again.  */
  uint32_t memory; /* plain memory when the call began */
  uint8_t n_results;
  const struct access *next;
  struct result results[MOST_ACCESSES];
};

struct state
{
  struct thread thread[MOST_THREADS];
  uint8_t messages[MOST_OBJECTS]; /* how many */
  uint8_t in_order[MOST_OBJECTS]; /* the last message in S */
  uint32_t memory;                /* plain memory: see model_run.c */
  /* Bits: calls that are records, and ... */
  uint8_t accepted[MOST_THREADS]; /* ... returned CGW_OK */
  uint8_t refused[MOST_THREADS];
  uint8_t encoded[MOST_THREADS];
  uint8_t lost[MOST_THREADS];
  uint8_t by_queue[MOST_THREADS]; /* encoded, after they were deferred */
  bool gave_up;  /* some call has left deferred records to the next one */
  bool may_lose; /* cgw_salvage has returned that not all is in the file */
  bool finished; /* cgw_finish has */
  struct message message[MOST_OBJECTS][MOST_MESSAGES];
};

#define NEWEST MOST_MESSAGES

/* A step of a thread.  */
struct step
{
  struct state s;
  unsigned thread;
  unsigned choice;   /* which message to read, or NEWEST */
  unsigned choices;  /* how many there are */
  const char *wrong; /* what it violates, or NULL */
};

extern const struct config *config;
extern enum mutation mutation;
extern unsigned n_objects;

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

/* The thread that a handler interrupts at last: they are one for the library,
   and share a program order.  */
static inline unsigned
carrier (unsigned thread)
{
  while (config->handler_of[thread] != 0)
    thread = config->handler_of[thread] - 1u;
  return thread;
}

/* model.c */

/* The order that this access has, by the present mutation.  */
uint8_t order_of (const struct access *a, enum kind kind);

/* model_memory.c */

/* Reads a plain object that is written once: that happens before.  */
void need (struct step *p, unsigned plain);

/* Accesses another plain object: the last access happens before.  */
void touch (struct step *p, unsigned plain);

/* Makes an access.  A compare-exchange `expects` a value.  */
struct result perform (struct step *p, const struct access *a, unsigned object,
                       uint64_t value, uint64_t expects);

uint64_t last_value (const struct state *s, unsigned object);

/* Whether the first delayed access of the thread can be the next in S.  */
bool can_enter_order (const struct state *s, unsigned thread);
void enter_order (struct state *s, unsigned thread);
bool is_delayed_enough (const struct state *s, unsigned thread);

/* Whether there is an S for the execution.  If not, C11 forbids it.  */
bool order_exists (const struct state *s);

/* Forgets messages that nobody can read any more.  */
void forget_messages (struct state *s);

/* model_run.c */

bool is_done (const struct state *s, unsigned thread);
bool waits_to_start (const struct state *s, unsigned thread);
bool is_interrupted (const struct state *s, unsigned thread);
bool can_run (const struct state *s, unsigned thread);

/* Begins with all threads before their first access.  */
void start_threads (struct step *p);

/* Makes the next access of a thread, and all it does up to the one after.  */
void run_step (struct step *p);

/* Runs a thread to its end.  It reads the newest messages.  */
void run_alone (struct step *p);

/* What the next step of a thread is.  */
const char *next_name (const struct state *s, unsigned thread);

/* The step under way, if what the code does now it does for the first time;
   else NULL.  */
struct step *live_step (void);

/* The thread of the step under way.  */
unsigned current_thread (void);

/* Ends the call under way, as if it had not been made.  */
void abandon_call (void) __attribute__ ((noreturn));

uint64_t do_access (volatile void *p, const struct access *a, uint64_t value,
                    uint64_t expects);
extern bool exchanged; /* by the last compare-exchange */

/* Fetches the plain memory of a state.  */
void set_memory (uint32_t number);
void forget_memory (void);

/* model_gate.c */

/* The plain memory that the library works on.  */
extern unsigned char *const memory_bytes;
extern const size_t memory_size;

/* The objects' addresses; which of the links is of no use is NULL.  */
extern const volatile void *objects[MOST_OBJECTS];

void initialize (struct step *p);
void make_call (struct step *p);

/* What is wrong when all threads have returned, or NULL.  */
const char *check_end (const struct state *s);

/* model_search.c */

uint64_t mix (uint64_t h, uint64_t word);
uint64_t mix_bytes (uint64_t h, const void *bytes, size_t n);

/* Visits all states.  Returns what is wrong in one, whose schedule it prints,
   or NULL.  */
const char *search (void);

/* How many states the last search visited.  */
size_t states_visited (void);

#endif
