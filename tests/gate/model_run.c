/* model_run.c - runs the library's own code, whose atomic accesses are steps of
   the model.

   A call is a C function.  To make a step, it runs again from its beginning:
   accesses that it has made return what they returned, the next one is made in
   the model's memory, and before the one after that a longjmp ends the step.

   Plain memory is one block.  Its contents have numbers, which are part of the
   state: whenever the code goes on after an access, it finds the contents of
   then.

   What a call will do follows from its stack and its registers; so they tell
   one state from another.  Variables that matter no more would tell apart what
   is the same: therefore functions are not inlined, so that these disappear
   with their frames.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plain memory.  */

#define MOST_CONTENTS (1u << 14)

static struct
{
  unsigned char *contents;
  uint32_t n;
  uint32_t table[2 * MOST_CONTENTS]; /* by hash; number + 1 */
  uint32_t now; /* what the memory was last set to */
} known;

static void
bail_out (const char *text)
{
  printf ("Bail out! %s\n", text);
  exit (1);
}

static bool
is_memory (uint32_t number)
{
  return number < known.n
         && memcmp (memory_bytes, known.contents + number * memory_size,
                    memory_size) == 0;
}

/* The number of the present contents.  */
static uint32_t
number_memory (void)
{
  uint64_t hash;
  uint32_t *place;

  if (is_memory (known.now))
    return known.now;
  for (hash = mix_bytes (1, memory_bytes, memory_size);; hash++)
    {
      place = &known.table[hash % (2 * MOST_CONTENTS)];
      if (*place == 0 || is_memory (*place - 1))
        break;
    }
  if (*place == 0)
    {
      if (known.n == MOST_CONTENTS)
        bail_out ("more plain memory than there is room for");
      memcpy (known.contents + known.n * memory_size, memory_bytes,
              memory_size);
      *place = ++known.n;
    }
  return known.now = *place - 1;
}

void
set_memory (uint32_t number)
{
  memcpy (memory_bytes, known.contents + number * memory_size, memory_size);
  known.now = number;
}

void
forget_memory (void)
{
  if (known.contents == NULL)
    known.contents = malloc (MOST_CONTENTS * memory_size);
  if (known.contents == NULL)
    bail_out ("out of memory");
  memset (known.table, 0, sizeof known.table);
  known.n = known.now = 0;
}

/* Accesses.  */

enum { NEXT_ACCESS = 1, ABANDONED };

static struct
{
  struct step *step;
  jmp_buf out;
  const unsigned char *base; /* of the call's stack */
  unsigned at;               /* how many accesses it has made */
  bool live;                 /* it does all for the first time */
  bool done;                 /* it has made the access of this step */
  unsigned alone;            /* runs to its end, in so many accesses at most */
} run;

bool exchanged;
unsigned n_objects;

struct step *
live_step (void)
{
  return run.live ? run.step : NULL;
}

unsigned
current_thread (void)
{
  return run.step->thread;
}

void
abandon_call (void)
{
  longjmp (run.out, ABANDONED);
}

static unsigned
object_of (const volatile void *p)
{
  unsigned i = 0;

  while (i < n_objects && objects[i] != p)
    i++;
  return i;
}

/* An access to plain memory.  */
static uint64_t
access_plain (volatile void *p, const struct access *a, uint64_t value,
              uint64_t expects)
{
  void *q = (void *) (uintptr_t) p;
  uint64_t old = 0;

  memcpy (&old, q, a->size);
  exchanged = a->kind == EXCHANGE || (a->kind == CAS && old == expects);
  if (a->kind == STORE || exchanged)
    memcpy (q, &value, a->size);
  return old;
}

/* The registers that a call keeps are in the first words of a jmp_buf.  */
#define REGISTERS 64

/* Ends the step before an access.  */
static __attribute__ ((noinline)) void
stop (const struct access *a, const unsigned char *frame)
{
  struct thread *t = self (run.step);
  jmp_buf registers;

  memset (&registers, 0, sizeof registers);
  if (setjmp (registers) != 0)
    return;
  t->local = mix_bytes (1, &registers, REGISTERS);
  t->local = mix_bytes (t->local, frame, (size_t) (run.base - frame));
  t->next = a;
  longjmp (run.out, NEXT_ACCESS);
}

static void
keep_result (struct thread *t, struct result r)
{
  if (run.alone == 1)
    {
      violate (run.step, "a thread that runs alone does not end");
      longjmp (run.out, NEXT_ACCESS);
    }
  run.alone -= run.alone != 0;
  if (run.alone != 0)
    return;
  if (t->n_results == MOST_ACCESSES)
    bail_out ("a call has more accesses than there is room for");
  t->results[t->n_results++] = r;
  run.at = t->n_results;
}

/* Makes the access of this step, or the next one of a thread that runs
   alone.  */
static struct result
make_access (const struct access *a, unsigned object, uint64_t value,
             uint64_t expects)
{
  struct thread *t = self (run.step);
  struct state *s = &run.step->s;
  struct result r;

  if (run.done)
    s->memory = number_memory ();
  else
    set_memory (s->memory);
  if (run.done || run.alone != 0)
    run.step->choice = NEWEST;
  run.done = run.live = true;
  r = perform (run.step, a, object, value, expects);
  r.memory = s->memory;
  t->left = object == LOCK && a->kind == STORE;
  if (object == LOCK && (a->kind == STORE || r.exchanged))
    {
      t->holds = value != 0;
      t->rounds = (uint8_t) (t->rounds + t->holds);
    }
  keep_result (t, r);
  return r;
}

uint64_t
do_access (volatile void *p, const struct access *a, uint64_t value,
           uint64_t expects)
{
  unsigned object = object_of (p);
  struct result r;

  if (object == n_objects && a->kind != FENCE)
    return access_plain (p, a, value, expects);
  if (run.at < self (run.step)->n_results && !run.done)
    {
      r = self (run.step)->results[run.at++];
      set_memory (r.memory);
    }
  else
    {
      if (run.done && run.alone == 0)
        stop (a, __builtin_frame_address (0));
      r = make_access (a, object, value, expects);
    }
  exchanged = r.exchanged;
  return r.value;
}

/* Threads and handlers.  A handler runs to its end before the thread that it
   interrupts goes on, and takes that one's view there and back.  */

bool
is_done (const struct state *s, unsigned thread)
{
  return s->thread[thread].done;
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
end_thread (struct step *p)
{
  struct thread *t = self (p);

  if (config->handler_of[p->thread] != 0)
    interrupted (p)->view = t->view;
  memset (&t->view, 0, sizeof t->view);
  t->local = 0;
  t->done = true;
}

/* Clears the stack that the call will use: what lies there does not matter.  */
static __attribute__ ((noinline)) void
clear_stack (void)
{
  unsigned char stack[1500];

  memset (stack, 0, sizeof stack);
  __asm__ volatile ("" : : "r" (stack) : "memory");
}

/* Makes a call, from its beginning to where the step ends.  */
static int
make_one_call (void)
{
  volatile int how;

  run.at = 0;
  set_memory (self (run.step)->memory);
  how = setjmp (run.out);
  if (how != 0)
    return how;
  run.base = __builtin_frame_address (0);
  clear_stack ();
  make_call (run.step);
  return 0;
}

/* The call has returned.  A call that wrote as many records for others as the
   queue holds may leave the rest to the next call.  Its last access is then
   not a look at the queue.  */
static void
end_call (struct step *p)
{
  struct thread *t = self (p);

  if (run.at < t->n_results && !run.alone)
    bail_out ("a call went another way");
  p->s.gave_up |= t->left && t->rounds > config->slots;
  t->rounds = 0;
  t->left = false;
  t->n_results = 0;
  t->call++;
  t->memory = p->s.memory = number_memory ();
}

/* Runs the calls of a thread.  `begins`: before the first access of one.  */
static void
run_calls (struct step *p, bool begins)
{
  struct thread *t = self (p);

  run.step = p;
  run.live = run.done = begins;
  while (make_one_call () != NEXT_ACCESS)
    {
      end_call (p);
      if (t->call == MOST_CALLS || config->calls[p->thread][t->call] == NONE)
        {
          end_thread (p);
          return;
        }
    }
  p->s.memory = number_memory ();
}

void
run_step (struct step *p)
{
  struct thread *t = self (p);
  bool starts = waits_to_start (&p->s, p->thread);

  p->choices = 1;
  if (starts)
    {
      t->started = true;
      t->view = interrupted (p)->view;
      memset (&interrupted (p)->view, 0, sizeof (struct view));
      t->memory = p->s.memory;
    }
  run_calls (p, starts);
}

void
run_alone (struct step *p)
{
  run.alone = MOST_ALONE;
  run_step (p);
  run.alone = 0;
}

void
start_threads (struct step *p)
{
  p->s.memory = number_memory ();
  for (unsigned i = 0; i < config->threads; i++)
    {
      p->thread = i;
      self (p)->memory = p->s.memory;
      if (config->handler_of[i] == 0)
        run_calls (p, true);
    }
}

const char *
next_name (const struct state *s, unsigned thread)
{
  static const char *const kinds[]
      = { "load", "store", "exchange", "CAS", "CAS", "fence" };
  static char text[100];
  const struct access *a = s->thread[thread].next;

  if (waits_to_start (s, thread))
    return "starts";
  snprintf (text, sizeof text, "%s: %s", a->function, kinds[a->kind]);
  return text;
}
