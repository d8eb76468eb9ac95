/* model.c - exhaustive check of the gate's memory order: no schedule, and
   nothing that a weakly ordered processor may do, breaks the try-lock and the
   queue of deferred records.

   The code is the library's: lib/slots.h, lib/gate, and the calls of
   lib/writer/parts.c, see model_gate.c.  model_run.c makes each of its atomic
   accesses a step, model_memory.c is the C11 memory model, and model_search.c
   visits every state.  Checked in each:

   - there is no data race on the core, on the contents of slots and on the
     queue's memory, and no unordered stores to links;
   - a record whose call returned CGW_OK is encoded exactly once, or lost if
     cgw_salvage ended the file; any other never; deferred ones of a thread keep
     their order; and none is lost if there is a slot for each;
   - no record is lost, and counted, when the last part has ended;
   - when all have returned, nobody holds the lock, and no record is left in the
     queue, unless a call has written as many as it may, or the file was
     salvaged; and every slot is on one of the stacks;
   - nobody waits for another thread.

   Then the same with one access weaker or one rule broken ("finds"), to prove
   that the check sees it; and with weaker orders that are enough.

   Prints TAP.  make check runs the small configurations alone; with CGW_FULL in
   the environment it is all of this, and with CGW_STRESS, larger configurations.
   An argument prints the schedule of each thing found.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  { .name = "the lock is a flag, a handler salvages, another one records",
    .threads = 3, .slots = 2,
    .calls = { TWO, { RECORD, SALVAGE }, { RECORD } },
    .handler_of = { 0, 1, 2 }, .flag = true, .salvages = true },
  { .name = "the lock is a flag, a handler salvages in the first begin",
    .threads = 2, .slots = 1,
    .calls = { { BEGIN, RECORD }, { SALVAGE, RECORD } },
    .handler_of = { 0, 1 }, .flag = true, .begins_closed = true,
    .salvages = true },
  { .name = "the lock is a flag, another thread salvages, 1 slot",
    .threads = 2, .slots = 1, .calls = { { SALVAGE }, TWO },
    .flag = true, .salvages = true },
  { .name = "one salvages, a thread records twice, 1 slot",
    .threads = 2, .slots = 1, .calls = { { SALVAGE }, TWO },
    .salvages = true },
  { .name = "one salvages, a thread begins and records",
    .threads = 2, .slots = 1, .calls = { { SALVAGE }, { BEGIN, RECORD } },
    .begins_closed = true, .salvages = true },
  { .name = "one begins and finishes, a thread records twice",
    .threads = 2, .slots = 1, .begins_closed = true,
    .calls = { { BEGIN, FINISH }, TWO } },
  { .name = "2 threads record twice, 2 slots",
    .threads = 2, .slots = 2, .calls = { TWO, TWO } },
  { .name = "a thread, its handler and another thread record, 1 slot",
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE },
    .handler_of = { 0, 1, 0 } },
  { .name = "a thread, its handler and another thread record, 2 slots",
    .threads = 3, .slots = 2, .calls = { ONE, ONE, ONE },
    .handler_of = { 0, 1, 0 } },
  { .name = "a handler interrupts a finish, another thread records",
    .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE },
    .handler_of = { 0, 1, 0 } },
  { .name = "a handler interrupts a finish, another thread records, 2 slots",
    .threads = 3, .slots = 2, .calls = { { FINISH }, ONE, ONE },
    .handler_of = { 0, 1, 0 } },

#define FULL .effort = IN_FULL
  { .name = "one begins the first part, 2 threads record, 1 slot", FULL,
    .threads = 3, .slots = 1, .begins_closed = true,
    .calls = { { BEGIN }, ONE, ONE } },
  { .name = "one finishes, 2 threads record, 1 slot", FULL,
    .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE } },
  { .name = "one salvages, 2 threads record, 1 slot", FULL,
    .threads = 3, .slots = 1, .calls = { { SALVAGE }, ONE, ONE },
    .salvages = true },
  { .name = "3 threads record, 1 slot", FULL,
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE } },
  { .name = "2 threads record twice, 1 slot, seq_cst delayed by 3", FULL,
    .threads = 2, .slots = 1, .calls = { TWO, TWO }, .delay = 3 },

#define STRESS .effort = IN_STRESS
  { .name = "a handler salvages, another thread records twice", STRESS,
    .threads = 3, .slots = 1, .calls = { ONE, { SALVAGE }, TWO },
    .handler_of = { 0, 1, 0 }, .salvages = true },
  { .name = "one salvages, one finishes, one records", STRESS,
    .threads = 3, .slots = 1, .calls = { { SALVAGE }, { FINISH }, ONE },
    .salvages = true },
  { .name = "3 threads record, one of them twice, 1 slot", STRESS,
    .threads = 3, .slots = 1, .calls = { TWO, ONE, ONE } },
  { .name = "3 threads record, 2 slots", STRESS,
    .threads = 3, .slots = 2, .calls = { ONE, ONE, ONE } },
  { .name = "one finishes, 2 threads record, 1 slot, seq_cst delayed by 2",
    STRESS, .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE }, .delay = 2 },
  { .name = "one finishes, 2 threads record, 2 slots", STRESS,
    .threads = 3, .slots = 2, .calls = { { FINISH }, ONE, ONE } },
  { .name = "one begins the first part, 2 threads record, 2 slots", STRESS,
    .threads = 3, .slots = 2, .begins_closed = true,
    .calls = { { BEGIN }, ONE, ONE } },
  { .name = "2 threads record twice, 2 slots, seq_cst delayed by 2", STRESS,
    .threads = 2, .slots = 2, .calls = { TWO, TWO }, .delay = 2 },
  { .name = "one begins, 2 threads record, 1 slot, seq_cst delayed by 2",
    STRESS, .threads = 3, .slots = 1, .begins_closed = true,
    .calls = { { BEGIN }, ONE, ONE }, .delay = 2 },
  { .name = "3 threads record, 1 slot, seq_cst delayed by 2", STRESS,
    .threads = 3, .slots = 1, .calls = { ONE, ONE, ONE }, .delay = 2 },
  { .name = "one salvages, 2 threads record, 2 slots", STRESS,
    .threads = 3, .slots = 2, .calls = { { SALVAGE }, TWO, ONE },
    .salvages = true },
  { .name = "4 threads record, 1 slot", STRESS,
    .threads = 4, .slots = 1, .calls = { ONE, ONE, ONE, ONE } },
  { .name = "3 threads record, one of them twice, 2 slots", STRESS,
    .threads = 3, .slots = 2, .calls = { TWO, ONE, ONE } },
  { .name = "3 threads record, two of them twice, 1 slot", STRESS,
    .threads = 3, .slots = 1, .calls = { TWO, TWO, ONE } },
  { .name = "2 threads and a handler of each record, 2 slots", STRESS,
    .threads = 4, .slots = 2, .calls = { ONE, ONE, ONE, ONE },
    .handler_of = { 0, 0, 1, 2 } },
  { .name = "2 threads record twice, 2 slots, seq_cst delayed by 8", STRESS,
    .threads = 2, .slots = 2, .calls = { TWO, TWO }, .delay = 8 },
  { .name = "one finishes, 2 threads record, 1 slot, seq_cst delayed by 8",
    STRESS, .threads = 3, .slots = 1, .calls = { { FINISH }, ONE, ONE },
    .delay = 8 },
};

struct weaker
{
  const char *function; /* of the library; of cgwi_slots_pop ... */
  enum kind kind;
  uint8_t order;
  bool head; /* ... only the loads of the head */
};

#define MOST_WEAKER 3
#define ORDER(function, kind, order) WEAKER, { { function, kind, order, false } }

/* What each of these does must be found in some configuration.  */
static const struct
{
  const char *name;
  enum mutation mutation;
  struct weaker weaker[MOST_WEAKER];
} mutations[] = {
  { "enter relaxed", ORDER ("cgwi_try_enter", CAS, RELAXED) },
  { "enter release", ORDER ("cgwi_try_enter", CAS, RELEASE) },
  { "failed enter relaxed", ORDER ("cgwi_try_enter", CAS_FAILS, RELAXED) },
  { "failed enter acquire", ORDER ("cgwi_try_enter", CAS_FAILS, ACQUIRE) },
  { "leave relaxed", ORDER ("cgwi_unlock", STORE, RELAXED) },
  { "leave release", ORDER ("cgwi_unlock", STORE, RELEASE) },
  { "looks after leaving relaxed", WEAKER,
    { { "cgwi_needs_service", LOAD, RELAXED, false },
      { "has_service", LOAD, RELAXED, false } } },
  { "looks after leaving acquire", WEAKER,
    { { "cgwi_needs_service", LOAD, ACQUIRE, false },
      { "has_service", LOAD, ACQUIRE, false } } },
  { "leave release, looks acquire", WEAKER,
    { { "cgwi_unlock", STORE, RELEASE, false },
      { "cgwi_needs_service", LOAD, ACQUIRE, false },
      { "has_service", LOAD, ACQUIRE, false } } },
  { "deferring: all looks relaxed", WEAKER,
    { { "defer", LOAD, RELAXED, false },
      { "queue_status", LOAD, RELAXED, false },
      { "check", LOAD, RELAXED, false } } },
  { "begin: pointer to the queue relaxed",
    ORDER ("reserve_queue", STORE, RELAXED) },
  { "begin: pointer to the queue release",
    ORDER ("reserve_queue", STORE, RELEASE) },
  { "pop: load relaxed", WEAKER,
    { { "cgwi_slots_pop", LOAD, RELAXED, true } } },
  { "pop: failed CAS relaxed", ORDER ("cgwi_slots_pop", CAS_FAILS, RELAXED) },
  { "pop: load and CAS relaxed", WEAKER,
    { { "cgwi_slots_pop", LOAD, RELAXED, true },
      { "cgwi_slots_pop", CAS, RELAXED, false },
      { "cgwi_slots_pop", CAS_FAILS, RELAXED, false } } },
  { "push relaxed", ORDER ("cgwi_slots_push", CAS, RELAXED) },
  { "push release", ORDER ("cgwi_slots_push", CAS, RELEASE) },
  { "push acq_rel", ORDER ("cgwi_slots_push", CAS, ACQ_REL) },
  { "take relaxed", ORDER ("cgwi_slots_take_all", CAS, RELAXED) },
  { "take release", ORDER ("cgwi_slots_take_all", CAS, RELEASE) },
  { "list heads without a tag", NO_TAG, { { 0 } } },
  { "no round of writing what was deferred", ONE_ROUND, { { 0 } } },
  /* These two are as the code has it.  */
  { "a direct record before a deferred one of its thread", STRICT_ORDER,
    { { 0 } } },
  { "more deferred records than a call writes", STRICT_END, { { 0 } } },
};

/* Weaker orders that are enough, all at once.  C11 wants the order of a failed
   compare-exchange no stronger than that of a successful one, therefore the
   code has more for the lock and for pop.  */
static const struct weaker enough[] = {
  { "cgwi_try_enter", CAS, ACQUIRE, false },
  { "queue_status", LOAD, ACQUIRE, false },
  { "cgwi_slots_pop", CAS, RELAXED, false },
  { "cgwi_write_deferred", LOAD, RELAXED, false },
};

const struct config *config;
enum mutation mutation;
static const struct weaker *weaker;
static size_t n_weaker;

#define COUNT(array) (sizeof (array) / sizeof *(array))

static unsigned test_number;
static bool all_good = true;
static bool with_schedules;
static enum effort effort;

static void
report (bool good, const char *what, const char *name, const char *wrong)
{
  all_good &= good;
  printf ("%sok %u - %s%s%s%s\n", good ? "" : "not ", ++test_number, what,
          name, wrong != NULL ? ": " : "", wrong != NULL ? wrong : "");
  fflush (stdout);
}

uint8_t
order_of (const struct access *a, enum kind kind, unsigned object)
{
  for (size_t i = 0; i < n_weaker && weaker[i].function != NULL; i++)
    if (weaker[i].kind == kind && strcmp (weaker[i].function, a->function) == 0
        && !(weaker[i].head && object >= LINKS))
      return weaker[i].order;
  return kind == CAS_FAILS ? a->fails : a->order;
}

/* Searches the configurations until something is found; no large ones.  */
static const char *
search_all (void)
{
  const char *wrong = NULL;

  for (unsigned i = 0; i < COUNT (configs) && wrong == NULL; i++)
    if (configs[i].effort <= effort && configs[i].effort < IN_STRESS)
      {
        config = &configs[i];
        wrong = search (with_schedules);
      }
  return wrong;
}

/* Runs the configurations; returns how many states they have.  */
static size_t
run_configs (void)
{
  size_t states = 0;

  n_weaker = 0;
  mutation = NOTHING;
  for (unsigned i = 0; i < COUNT (configs); i++)
    if (configs[i].effort <= effort)
      {
        const char *wrong;

        config = &configs[i];
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

      weaker = mutations[i].weaker;
      n_weaker = MOST_WEAKER;
      mutation = mutations[i].mutation;
      wrong = search_all ();
      report (wrong != NULL, "finds: ", mutations[i].name, wrong);
    }
}

static void
run_enough (void)
{
  const char *wrong;

  weaker = enough;
  n_weaker = COUNT (enough);
  mutation = WEAKER;
  wrong = search_all ();
  report (wrong == NULL,
          "enough: ", "of seq_cst: failed try-lock, leave, last look, push",
          wrong);
}

int
main (int argc, char **argv)
{
  (void) argv;
  with_schedules = argc > 1;
  effort = getenv ("CGW_STRESS") != NULL ? IN_STRESS
           : getenv ("CGW_FULL") != NULL ? IN_FULL
                                         : QUICK;
  printf ("# figure model_states %zu\n", run_configs ());
  if (effort != QUICK)
    {
      run_mutations ();
      run_enough ();
    }
  printf ("1..%u\n", test_number);
  return all_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
