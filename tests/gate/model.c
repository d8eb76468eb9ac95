/* model.c - exhaustive check of the gate's memory order: no schedule, and
   nothing that a weakly ordered processor may do, breaks the try-lock and the
   queue of deferred records.

   Compiles none of the library.  model_gate.c has the gate's code in steps,
   model_memory.c the C11 memory model, and model_search.c visits every state.
   Checked in each:

   - one holder of the lock at a time; no data race on the core, on payloads
     and on the queue's memory, and no unordered stores to next[];
   - a record whose call returned OK is encoded exactly once, any other never;
     those that a thread defers keep their order;
   - when all have returned, no record is left in the queue, unless a thread
     came to the bound of draining; and every slot is on one of the stacks;
   - nobody waits for another thread.

   Then the same with one access weaker or one rule broken ("finds"), to prove
   that the check sees it; and with weaker orders that are enough.

   Prints TAP.  With CGW_STRESS in the environment, larger configurations.  An
   argument prints the schedule of each thing found.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t orders[ACCESSES] = {
  [TRY] = SEQ_CST,         [TRY_FAILS] = SEQ_CST, [LEAVE] = SEQ_CST,
  [LOOK] = SEQ_CST,        [EARLIER] = SEQ_CST,   [POINT_LOAD] = ACQUIRE,
  [POINT_STORE] = RELEASE, [ENTRY] = SEQ_CST,     [POP_LOAD] = ACQUIRE,
  [POP_NEXT] = RELAXED,    [POP_CAS] = ACQUIRE,   [POP_FAILS] = ACQUIRE,
  [PUSH_LOAD] = RELAXED,   [PUSH_NEXT] = RELAXED, [PUSH_CAS] = SEQ_CST,
  [PUSH_FAILS] = RELAXED,  [TAKE_LOAD] = RELAXED, [TAKE_CAS] = SEQ_CST,
  [TAKE_FAILS] = RELAXED,  [TAKE_NEXT] = RELAXED, [GIVE_LOAD] = RELAXED,
  [GIVE_NEXT] = RELAXED,   [GIVE_CAS] = SEQ_CST,  [GIVE_FAILS] = RELAXED,
  [CLOSE_CAS] = SEQ_CST,   [OPEN_CAS] = SEQ_CST,
};

#define ONE { RECORD }
#define TWO { RECORD, RECORD }

/* The small ones first, for what follows.  */
static const struct config configs[] = {
  { .name = "2 threads record twice, 1 slot",
    .threads = 2, .slots = 1, .calls = { TWO, TWO } },
  { .name = "a thread and its handler record, 1 slot",
    .threads = 2, .slots = 1, .calls = { TWO, TWO },
    .handler_of = { 0, 1 } },
  { .name = "a handler interrupts a handler, 2 slots",
    .threads = 3, .slots = 2, .calls = { TWO, TWO, TWO },
    .handler_of = { 0, 1, 2 } },
  { .name = "the lock is a flag, a handler interrupts a handler, 2 slots",
    .threads = 3, .slots = 2, .calls = { TWO, TWO, TWO },
    .handler_of = { 0, 1, 2 }, .flag = true },
  { .name = "the lock is a flag, a handler interrupts a finish",
    .threads = 3, .slots = 2, .calls = { { RECORD, FINISH }, TWO, TWO },
    .handler_of = { 0, 1, 2 }, .flag = true },
  { .name = "the lock is a flag, a handler interrupts the first begin",
    .threads = 3, .slots = 1, .calls = { { BEGIN, RECORD }, TWO, ONE },
    .handler_of = { 0, 1, 2 }, .flag = true, .begins_closed = true },
  { .name = "one finishes in vain and goes on, a thread records twice",
    .threads = 2, .slots = 2, .calls = { { FINISH, BEGIN }, TWO } },
  { .name = "one begins and finishes, a thread records twice",
    .threads = 2, .slots = 1, .begins_closed = true,
    .calls = { { BEGIN, FINISH }, TWO } },
  { .name = "2 threads record twice, 2 slots",
    .threads = 2, .slots = 2, .calls = { TWO, TWO } },
  { .name = "3 threads record, 1 slot",
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE } },
  { .name = "one begins the first part, 2 threads record, 1 slot",
    .threads = 3, .slots = 1, .begins_closed = true,
    .calls = { { BEGIN }, ONE, ONE } },
  { .name = "one finishes, 2 threads record, 1 slot",
    .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE } },
  { .name = "a thread, its handler and another thread record, 1 slot",
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE },
    .handler_of = { 0, 1, 0 } },
  { .name = "a thread, its handler and another thread record, 2 slots",
    .threads = 3, .slots = 2, .calls = { ONE, ONE, ONE },
    .handler_of = { 0, 1, 0 } },
  { .name = "a handler interrupts a finish, another thread records",
    .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE },
    .handler_of = { 0, 1, 0 } },
  { .name = "a handler is left by longjmp, another thread finishes, 1 slot",
    .threads = 3, .slots = 1, .calls = { ONE, ONE, { FINISH } },
    .handler_of = { 0, 1, 0 }, .dies = { false, true } },
  { .name = "a handler is left by longjmp, another thread records, 2 slots",
    .threads = 3, .slots = 2, .calls = { ONE, ONE, ONE },
    .handler_of = { 0, 1, 0 }, .dies = { false, true } },
  { .name = "one finishes, 2 threads record, 2 slots",
    .threads = 3, .slots = 2, .calls = { { FINISH }, ONE, ONE } },
  { .name = "one begins the first part, 2 threads record, 2 slots",
    .threads = 3, .slots = 2, .begins_closed = true,
    .calls = { { BEGIN }, ONE, ONE } },
  { .name = "2 threads record twice, 1 slot, seq_cst delayed by 3",
    .threads = 2, .slots = 1, .calls = { TWO, TWO }, .delay = 3 },
  { .name = "2 threads record twice, 2 slots, seq_cst delayed by 2",
    .threads = 2, .slots = 2, .calls = { TWO, TWO }, .delay = 2 },
  { .name = "one finishes, 2 threads record, 1 slot, seq_cst delayed by 2",
    .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE }, .delay = 2 },
  { .name = "one begins, 2 threads record, 1 slot, seq_cst delayed by 2",
    .threads = 3, .slots = 1, .begins_closed = true,
    .calls = { { BEGIN }, ONE, ONE }, .delay = 2 },
  { .name = "3 threads record, 1 slot, seq_cst delayed by 2",
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE }, .delay = 2 },
  { .name = "3 threads record, 2 slots",
    .threads = 3, .slots = 2, .calls = { ONE, ONE, ONE } },
  { .name = "3 threads record, one of them twice, 1 slot",
    .threads = 3, .slots = 1, .calls = { TWO, ONE, ONE } },

  { .name = "drain without bound: no record waits for the next call",
    .rule = UNBOUNDED,
    .threads = 3, .slots = 1, .calls = { TWO, ONE, ONE } },
  { .name = "the holder drains first: all records of a thread keep order",
    .rule = EARLIER_FIRST,
    .threads = 2, .slots = 2, .calls = { TWO, TWO } },

  { .name = "4 threads record, 1 slot", .stress = true,
    .threads = 4, .slots = 1, .calls = { ONE, ONE, ONE, ONE } },
  { .name = "3 threads record, one of them twice, 2 slots", .stress = true,
    .threads = 3, .slots = 2, .calls = { TWO, ONE, ONE } },
  { .name = "3 threads record, two of them twice, 1 slot", .stress = true,
    .threads = 3, .slots = 1, .calls = { TWO, TWO, ONE } },
  { .name = "one finishes in vain and goes on, 2 threads record, 2 slots",
    .stress = true,
    .threads = 3, .slots = 2, .calls = { { FINISH, BEGIN }, TWO, ONE } },
  { .name = "2 threads and a handler of each record, 2 slots",
    .stress = true, .threads = 4, .slots = 2,
    .calls = { ONE, ONE, ONE, ONE }, .handler_of = { 0, 0, 1, 2 } },
  { .name = "a handler is left by longjmp, another thread records twice",
    .stress = true, .threads = 3, .slots = 2, .calls = { ONE, ONE, TWO },
    .handler_of = { 0, 1, 0 }, .dies = { false, true } },
  { .name = "2 threads record twice, 2 slots, seq_cst delayed by 8",
    .stress = true,
    .threads = 2, .slots = 2, .calls = { TWO, TWO }, .delay = 8 },
  { .name = "one finishes, 2 threads record, 1 slot, seq_cst delayed by 8",
    .stress = true,
    .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE }, .delay = 8 },
  { .name = "3 threads record, 1 slot, seq_cst delayed by 8", .stress = true,
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE }, .delay = 8 },
  { .name = "3 threads record, 2 slots, seq_cst delayed by 2",
    .stress = true,
    .threads = 3, .slots = 2, .calls = { ONE, ONE, ONE }, .delay = 2 },
};

struct weaker
{
  enum access access;
  uint8_t order;
};

#define MOST_WEAKER 4

/* What each of these does must be found in some configuration.  */
static const struct
{
  const char *name;
  enum mutation mutation;
  unsigned n;
  struct weaker weaker[MOST_WEAKER];
} mutations[] = {
  { "try-lock relaxed", WEAKER, 1, { { TRY, RELAXED } } },
  { "try-lock release", WEAKER, 1, { { TRY, RELEASE } } },
  { "failed try-lock relaxed", WEAKER, 1, { { TRY_FAILS, RELAXED } } },
  { "failed try-lock acquire", WEAKER, 1, { { TRY_FAILS, ACQUIRE } } },
  { "leave relaxed", WEAKER, 1, { { LEAVE, RELAXED } } },
  { "leave release", WEAKER, 1, { { LEAVE, RELEASE } } },
  { "last look relaxed", WEAKER, 1, { { LOOK, RELAXED } } },
  { "last look acquire", WEAKER, 1, { { LOOK, ACQUIRE } } },
  { "leave release, last look acquire", WEAKER, 2,
    { { LEAVE, RELEASE }, { LOOK, ACQUIRE } } },
  { "busy: look at the queue relaxed", WEAKER, 1, { { ENTRY, RELAXED } } },
  { "open relaxed", WEAKER, 1, { { OPEN_CAS, RELAXED } } },
  { "open acquire", WEAKER, 1, { { OPEN_CAS, ACQUIRE } } },
  { "busy: pointer to the queue relaxed", WEAKER, 1,
    { { POINT_LOAD, RELAXED } } },
  { "begin: pointer to the queue relaxed", WEAKER, 1,
    { { POINT_STORE, RELAXED } } },
  { "pop: load relaxed", WEAKER, 1, { { POP_LOAD, RELAXED } } },
  { "pop: failed CAS relaxed", WEAKER, 1, { { POP_FAILS, RELAXED } } },
  { "pop: load and CAS relaxed", WEAKER, 3,
    { { POP_LOAD, RELAXED }, { POP_CAS, RELAXED }, { POP_FAILS, RELAXED } } },
  { "push relaxed", WEAKER, 1, { { PUSH_CAS, RELAXED } } },
  { "push release", WEAKER, 1, { { PUSH_CAS, RELEASE } } },
  { "push acq_rel", WEAKER, 1, { { PUSH_CAS, ACQ_REL } } },
  { "take relaxed", WEAKER, 1, { { TAKE_CAS, RELAXED } } },
  { "take release", WEAKER, 1, { { TAKE_CAS, RELEASE } } },
  { "close relaxed", WEAKER, 1, { { CLOSE_CAS, RELAXED } } },
  { "close release", WEAKER, 1, { { CLOSE_CAS, RELEASE } } },
  { "give back relaxed", WEAKER, 1, { { GIVE_CAS, RELAXED } } },
  { "list heads without a tag", NO_TAG, 0, { { 0, 0 } } },
  { "no look after leaving", NO_LOOK, 0, { { 0, 0 } } },
  { "one round of draining at most", ONE_ROUND, 0, { { 0, 0 } } },
  { "a record waits for the lock", WAITING, 0, { { 0, 0 } } },
  { "a queue in use is made anew", REMADE, 0, { { 0, 0 } } },
  /* These two are as the code has it.  */
  { "a direct record before a deferred one of its thread", STRICT_ORDER, 0,
    { { 0, 0 } } },
  { "more deferred records than the bound of draining", STRICT_END, 0,
    { { 0, 0 } } },
};

/* Weaker orders that are enough.  All at once: each alone is stronger.  C11
   wants the order of a failed compare-exchange no stronger than that of a
   successful one, therefore the code has more for try-lock and pop.  */
static const struct weaker enough[] = {
  { TRY, ACQUIRE },       { EARLIER, RELAXED },  { ENTRY, ACQUIRE },
  { POP_CAS, RELAXED },   { TAKE_CAS, ACQUIRE }, { GIVE_CAS, RELEASE },
  { CLOSE_CAS, ACQUIRE }, { OPEN_CAS, RELEASE },
};

const struct config *config;
enum mutation mutation;
uint8_t order_of[ACCESSES];

#define COUNT(array) (sizeof (array) / sizeof *(array))

static unsigned test_number;
static bool all_good = true;
static bool with_schedules;

static void
report (bool good, const char *what, const char *name, const char *wrong)
{
  all_good &= good;
  printf ("%sok %u - %s%s%s%s\n", good ? "" : "not ", ++test_number, what,
          name, wrong != NULL ? ": " : "", wrong != NULL ? wrong : "");
  fflush (stdout);
}

static void
set_orders (const struct weaker *weaker, size_t n)
{
  memcpy (order_of, orders, sizeof order_of);
  for (size_t i = 0; i < n; i++)
    order_of[weaker[i].access] = weaker[i].order;
}

/* Searches the small configurations until something is found.  */
static const char *
search_all (void)
{
  const char *wrong = NULL;

  for (unsigned i = 0; i < COUNT (configs) && wrong == NULL; i++)
    if (!configs[i].stress && configs[i].rule == NOTHING)
      {
        config = &configs[i];
        wrong = search (with_schedules);
      }
  return wrong;
}

/* Runs the configurations; returns how many states they have.  */
static size_t
run_configs (bool stress)
{
  size_t states = 0;

  set_orders (NULL, 0);
  for (unsigned i = 0; i < COUNT (configs); i++)
    if (stress || !configs[i].stress)
      {
        const char *wrong;

        config = &configs[i];
        mutation = config->rule;
        wrong = search (true);
        report (wrong == NULL, "", config->name, wrong);
        printf ("# %zu states\n", states_visited ());
        states += states_visited ();
      }
  return states;
}

static void
run_mutations (void)
{
  for (unsigned i = 0; i < COUNT (mutations); i++)
    {
      const char *wrong;

      set_orders (mutations[i].weaker, mutations[i].n);
      mutation = mutations[i].mutation;
      wrong = search_all ();
      report (wrong != NULL, "finds: ", mutations[i].name, wrong);
    }
}

static void
run_enough (void)
{
  const char *wrong;

  set_orders (enough, COUNT (enough));
  mutation = WEAKER;
  wrong = search_all ();
  report (wrong == NULL,
          "enough: ", "of seq_cst: failed try-lock, leave, last look, push",
          wrong);
}

int
main (int argc, char **argv)
{
  bool stress = getenv ("CGW_STRESS") != NULL;
  unsigned plan = COUNT (mutations) + 1;

  (void)argv;
  with_schedules = argc > 1;
  for (unsigned i = 0; i < COUNT (configs); i++)
    plan += stress || !configs[i].stress;
  printf ("1..%u\n", plan);
  printf ("# figure model_states %zu\n", run_configs (stress));
  run_mutations ();
  run_enough ();
  return all_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
