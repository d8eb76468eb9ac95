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
     cgw_salvage returned CGW_ELOST; any other never; deferred ones of a thread
     keep their order; and none is lost if there is a slot for each;
   - no record is lost, and counted, when the last part has ended;
   - when all have returned, nobody holds the lock, and no record is left in the
     queue, unless a call has written as many as it may, or cgw_salvage returned
     CGW_ELOST; and every slot is on one of the stacks;
   - nobody waits for another thread.

   Then the same with one access weaker or one rule broken ("finds"), to prove
   that the check sees it.

   Prints TAP.  make check runs the small configurations alone; with CGW_FULL in
   the environment it is all of this, and with CGW_STRESS, larger configurations.
   The schedule of each thing found is printed, too.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE { RECORD }
#define TWO { RECORD, RECORD }
#define NESTED .handler_of = { 0, 1, 2 } /* each interrupts the one before */
#define ONE_NESTED .handler_of = { 0, 1 }
#define FLAG .flag = true
#define FULL .effort = IN_FULL
#define STRESS .effort = IN_STRESS

/* The small ones first, for what follows.  */
static const struct config configs[] = {
  { 1, .calls = { TWO, TWO } },
  { 1, .calls = { TWO, TWO }, NESTED },
  { 2, .calls = { TWO, TWO, TWO }, NESTED },
  { 2, .calls = { TWO, TWO, TWO }, NESTED, FLAG },
  { 2, .calls = { { RECORD, FINISH }, TWO, TWO }, NESTED, FLAG },
  { 1, .calls = { { BEGIN, RECORD }, TWO, ONE }, NESTED, FLAG },
  { 2, .calls = { TWO, { RECORD, SALVAGE }, { RECORD } }, NESTED, FLAG },
  { 1, .calls = { { BEGIN, RECORD }, { SALVAGE, RECORD } }, NESTED, FLAG },
  { 1, .calls = { { SALVAGE }, TWO }, FLAG },
  { 1, .calls = { { SALVAGE }, TWO } },
  { 1, .calls = { { SALVAGE }, { BEGIN, RECORD } } },
  { 1, .calls = { { SALVAGE }, ONE, ONE }, .handler_of = { 0, 0, 2 } },
  { 1, .calls = { { BEGIN, FINISH }, TWO } },
  { 2, .calls = { TWO, TWO } },
  { 1, .calls = { ONE, ONE, ONE }, ONE_NESTED },
  { 2, .calls = { ONE, ONE, ONE }, ONE_NESTED },
  { 1, .calls = { { FINISH }, ONE, ONE }, ONE_NESTED },
  { 2, .calls = { { FINISH }, ONE, ONE }, ONE_NESTED },
  { 1, .calls = { { BEGIN }, ONE, ONE }, FULL },
  { 1, .calls = { { FINISH }, ONE, ONE }, FULL },
  { 1, .calls = { { SALVAGE }, ONE, ONE }, FULL },
  { 1, .calls = { ONE, ONE, ONE }, FULL },
  { 1, .calls = { TWO, TWO }, .delay = 3, FULL },
  { 1, .calls = { ONE, { SALVAGE }, TWO }, ONE_NESTED, STRESS },
  { 1, .calls = { { SALVAGE }, { FINISH }, ONE }, STRESS },
  { 2, .calls = { { FINISH }, ONE, ONE }, STRESS },
  { 2, .calls = { { BEGIN }, ONE, ONE }, STRESS },
  { 1, .calls = { { BEGIN }, ONE, ONE }, .delay = 2, STRESS },
  { 1, .calls = { ONE, ONE, ONE }, .delay = 2, STRESS },
  { 2, .calls = { { SALVAGE }, TWO, ONE }, STRESS },
  { 1, .calls = { ONE, ONE, ONE, ONE }, STRESS },
  { 2, .calls = { TWO, ONE, ONE }, STRESS },
  { 1, .calls = { TWO, TWO, ONE }, STRESS },
  { 2, .calls = { ONE, ONE, ONE, ONE }, .handler_of = { 0, 0, 1, 2 }, STRESS },
  { 2, .calls = { TWO, TWO }, .delay = 8, STRESS },
  { 1, .calls = { { FINISH }, ONE, ONE }, .delay = 8, STRESS },
};

struct weaker
{
  const char *function; /* of the library */
  enum kind kind;
  uint8_t order;
};

#define MOST_WEAKER 3
#define ORDER(function, kind, order) NOTHING, { { function, kind, order } }

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
  { "look after leaving relaxed", ORDER ("cgwi_needs_service", LOAD, RELAXED) },
  { "look after leaving acquire", ORDER ("cgwi_needs_service", LOAD, ACQUIRE) },
  { "leave release, look acquire", NOTHING,
    { { "cgwi_unlock", STORE, RELEASE },
      { "cgwi_needs_service", LOAD, ACQUIRE } } },
  { "deferring: all looks relaxed", NOTHING,
    { { "defer", LOAD, RELAXED }, { "closed_for", LOAD, RELAXED } } },
  { "pop: load relaxed", ORDER ("cgwi_slots_pop", LOAD, RELAXED) },
  { "pop: failed CAS relaxed", ORDER ("cgwi_slots_pop", CAS_FAILS, RELAXED) },
  { "pop: load and CAS relaxed", NOTHING,
    { { "cgwi_slots_pop", LOAD, RELAXED },
      { "cgwi_slots_pop", CAS, RELAXED },
      { "cgwi_slots_pop", CAS_FAILS, RELAXED } } },
  { "push relaxed", ORDER ("cgwi_slots_push", CAS, RELAXED) },
  { "push release", ORDER ("cgwi_slots_push", CAS, RELEASE) },
  { "push acq_rel", ORDER ("cgwi_slots_push", CAS, ACQ_REL) },
  { "take relaxed", ORDER ("cgwi_slots_take_all", CAS, RELAXED) },
  { "take release", ORDER ("cgwi_slots_take_all", CAS, RELEASE) },
  { "list heads without a tag", NO_TAG, { { 0 } } },
  { "no round of writing what was deferred", ONE_ROUND, { { 0 } } },
};

const struct config *config;
enum mutation mutation;
static const struct weaker *weaker;
static size_t n_weaker;

#define COUNT(array) (sizeof (array) / sizeof *(array))

static unsigned test_number;
static bool all_good = true;
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
order_of (const struct access *a, enum kind kind)
{
  for (size_t i = 0; i < n_weaker && weaker[i].function != NULL; i++)
    if (weaker[i].kind == kind && strcmp (weaker[i].function, a->function) == 0)
      return weaker[i].order;
  return kind == CAS_FAILS ? a->fails : a->order;
}

/* Makes a configuration the present one.  */
static void
choose (const struct config *chosen)
{
  static struct config present;

  present = *chosen;
  for (unsigned i = 0; i < MOST_THREADS; i++)
    for (unsigned k = 0; k < MOST_CALLS; k++)
      {
        present.threads += k == 0 && present.calls[i][k] != NONE;
        present.begins_closed |= present.calls[i][k] == BEGIN;
        present.salvages |= present.calls[i][k] == SALVAGE;
      }
  config = &present;
}

/* What the present configuration is: the calls of each thread.  */
static const char *
describe (void)
{
  static const char *const names[]
      = { "", " record", " finish", " begin", " salvage" };
  static char text[300];
  size_t n = (size_t) snprintf (text, sizeof text, "%u slots%s, delay %u",
                                config->slots, config->flag ? ", a flag" : "",
                                config->delay);

  for (unsigned i = 0; i < config->threads; i++)
    {
      n += (size_t) snprintf (text + n, sizeof text - n, "; %u", i);
      if (config->handler_of[i] != 0)
        n += (size_t) snprintf (text + n, sizeof text - n, " in %d",
                                config->handler_of[i] - 1);
      for (unsigned k = 0; k < MOST_CALLS; k++)
        n += (size_t) snprintf (text + n, sizeof text - n, "%s",
                                names[config->calls[i][k]]);
    }
  return text;
}

/* Searches the configurations until something is found; no large ones.  */
static const char *
search_all (void)
{
  const char *wrong = NULL;

  for (unsigned i = 0; i < COUNT (configs) && wrong == NULL; i++)
    if (configs[i].effort <= effort && configs[i].effort < IN_STRESS)
      {
        choose (&configs[i]);
        wrong = search ();
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

        choose (&configs[i]);
        wrong = search ();
        report (wrong == NULL, "", describe (), wrong);
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

int
main (void)
{
  effort = getenv ("CGW_STRESS") != NULL ? IN_STRESS
           : getenv ("CGW_FULL") != NULL ? IN_FULL
                                         : QUICK;
  printf ("# figure model_states %zu\n", run_configs ());
  if (effort != QUICK)
    run_mutations ();
  printf ("1..%u\n", test_number);
  return all_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
