/* test_step_run.c - runs: a handler at a boundary between two instructions.

   The processor's trap flag gives a signal after every instruction of a call.
   Runs of one combination of scene and actions share a process, which one that
   goes wrong or hangs ends.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "test_step.h"

#include "support.h"
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_SECONDS 120 /* only a run that hangs takes as long */

struct steps steps;
char *run_directory;

/* What the processes of a combination tell the test.  */
static struct report
{
  volatile unsigned long boundary; /* of the run under way */
  volatile unsigned long inner;
  unsigned long instructions; /* of the call, when nobody interrupts it */
  unsigned long runs;
  volatile bool failed;
  char message[400];
} *report;

void
fail (const char *file, int line, const char *format, ...)
{
  const char *base = strrchr (file, '/');
  va_list arguments;
  int n;

  /* What a child's copy says until its call ends does not matter.  */
  if (report->failed || (t.in_child && t.inside))
    return;
  report->failed = true;
  n = snprintf (report->message, sizeof report->message, "%s:%d: ",
                base != NULL ? base + 1 : file, line);
  va_start (arguments, format);
  vsnprintf (report->message + n, sizeof report->message - (size_t) n, format,
             arguments);
  va_end (arguments);
}

bool
run_failed (void)
{
  return report->failed;
}

/* Stepping.  */

bool
steps_wanted (void)
{
  int level = steps.level;

  if (!t.inside || level >= LEVELS)
    return false;
  if (level == 0 && steps.counting)
    return true;
  return steps.at[level] != 0 && steps.n[level] < steps.at[level];
}

/* A boundary.  Returns whether there will be another.  */
static bool
reach_boundary (void)
{
  int level = steps.level;

  if (level < LEVELS && ++steps.n[level] == steps.at[level])
    {
      place_decoy ();
      steps.level = level + 1;
      t.action[level]->act (level);
      steps.level = level;
    }
  return !t.in_child && steps_wanted ();
}

/* One run.  */
static void
run (const struct scene *s, const struct action *first,
     const struct action *second, bool threads)
{
  volatile enum cgw_status status = CGW_OK;

  t.threads = threads;
  t.action[0] = first;
  t.action[1] = second;
  steps.n[0] = steps.n[1] = 0;
  steps.level = 0;
  report->runs++;
  world_open (s);
  if (s->prepare != NULL)
    s->prepare ();
  alarm (RUN_SECONDS);
  if (sigsetjmp (steps.out, 0) == 0)
    {
      t.inside = true;
      status = s->call ();
    }
  trap_off ();
  if (t.in_child)
    child_returned ();
  conclude (status);
  alarm (0);
  world_close ();
}

/* How many instructions the call has.  */
static unsigned long
count_steps (const struct scene *s, bool threads)
{
  steps.at[0] = steps.at[1] = 0;
  steps.counting = true;
  run (s, NULL, NULL, threads);
  steps.counting = false;
  return steps.n[0];
}

/* Combinations: the runs of one scene with the same actions.  */

struct combination
{
  const struct scene *scene;
  const struct action *first;
  const struct action *second; /* or NULL */
  bool threads;
  unsigned salt;    /* where a short form begins */
  unsigned long n;  /* instructions of the call */
};

/* The steps that the long form spends on a combination, for each unit of
   CGW_STRESS.  A step takes some 15 us in a virtual machine.  With the usual 30,
   every some-th boundary is tried; with CGW_STRESS=3000, all of a record.  */
#define PER_UNIT 50.0
#define FORK_COST 200.0 /* as much as so many steps */

static bool
is_long_form (void)
{
  return getenv ("CGW_STRESS") != NULL;
}

/* How many runs of a combination the long form has steps for.  */
static double
affordable (const struct combination *c)
{
  bool forks = c->first->forks || (c->second != NULL && c->second->forks);

  return atof (getenv ("CGW_STRESS")) * PER_UNIT
         / ((double) c->n / 2 + (forks ? FORK_COST : 0));
}

/* How far the boundaries are apart.  */
static unsigned long
stride_of (const struct combination *c)
{
  double runs = wants_all () ? 3 : 1;

  if (is_long_form () && affordable (c) > runs)
    runs = affordable (c);
  return (unsigned long) ((double) c->n / runs) + 1;
}

static void
run_boundaries (const struct combination *c)
{
  unsigned long stride = stride_of (c), inner = c->salt;

  for (unsigned long boundary = 1 + c->salt * 7919u % stride;
       boundary <= c->n && !report->failed; boundary += stride)
    {
      report->boundary = boundary;
      report->inner = inner;
      steps.at[0] = boundary;
      steps.at[1] = c->second != NULL ? 1 + inner : 0;
      run (c->scene, c->first, c->second, c->threads);
      /* 61 has no divisor in common with the steps of a handler.  What was
         not reached shows how many those are.  */
      if (steps.n[1] < 1 + inner)
        inner %= steps.n[1] + 1;
      else
        inner += 61;
    }
}

/* A process of its own for the runs; returns its status.  */
static int
in_child (const struct combination *c)
{
  int status = 0;
  pid_t child;

  report->failed = false;
  report->message[0] = '\0';
  child = fork ();
  if (child == 0)
    {
      step_catch (reach_boundary);
      step_wanted = steps_wanted;
      world_open_files ();
      report->boundary = report->inner = 0;
      if (c->first == NULL)
        report->instructions = count_steps (c->scene, c->threads);
      else
        run_boundaries (c);
      leave (report->failed);
    }
  while (waitpid (child, &status, 0) == -1 && errno == EINTR)
    ;
  return status;
}

/* Fails the test for what a process left, unless it went well.  */
static bool
ended_well (const struct combination *c, int status)
{
  bool hangs = WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM;

  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return true;
  cr_expect_fail (
      "%s [%s%s%s%s], boundary %lu of %lu, inner %lu: %s %d%s: %s",
      c->scene->name, c->first != NULL ? c->first->name : "nothing",
      c->second != NULL ? " <- " : "", c->second != NULL ? c->second->name : "",
      c->threads ? ", threads" : "",
      report->boundary, c->n, report->inner,
      WIFSIGNALED (status) ? "signal" : "status",
      WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status),
      hangs ? " (hangs)" : "", report->message);
  return false;
}

/* Sweeps.  */

/* For work on a scene or an action: its name, if it is to be the only one.  */
static bool
is_wanted (const char *variable, const char *name)
{
  const char *only = getenv (variable);

  return only == NULL || strcmp (only, name) == 0;
}

static bool
is (const struct action *a, enum action_name name)
{
  return a == &actions[name];
}

/* Each action alone; records that are interrupted by each, and each that is
   interrupted by records; and an end of the file that is interrupted by another
   one, a fork or a jump.  */
static bool
suits (const struct combination *c)
{
  const struct action *a = c->first, *b = c->second;

  if ((a->suits != NULL && !a->suits (c->scene))
      || (b != NULL && b->suits != NULL && !b->suits (c->scene)))
    return false;
  return b == NULL || is (a, RECORDS) || (is (b, RECORDS) && !a->leaves)
         || ((is (a, FINISH) || is (a, SALVAGE))
             && (is (b, SALVAGE) || b->forks || b->leaves));
}

/* Most of what is at depth 2, in long calls, and with threads is left out, and in
   make check two thirds of the rest: something else in each scene.  The long form
   leaves it out only of calls that are too long for it.  */
static bool
is_chosen (const struct combination *c)
{
  unsigned one_in = wants_all () ? 1 : 3;
  uint32_t hash;

  if (is_long_form () && affordable (c) >= 1)
    return true;
  if (c->n > 2000)
    one_in *= 3;
  if (c->threads)
    one_in *= 3;
  if (c->second != NULL)
    one_in *= 6;
  hash = c->salt * UINT32_C (2654435761);
  hash = (hash ^ hash >> 15) * UINT32_C (0x2c1b3c6d);
  return (hash >> 16) % one_in == 0;
}

/* All actions in one scene.  With threads the call is longer by so little that
   the short form does not count again.  */
static void
sweep_scene (const struct scene *s, bool threads, unsigned salt)
{
  struct combination c = { .scene = s, .threads = threads, .salt = salt };

  if ((!threads || is_long_form ()) && !ended_well (&c, in_child (&c)))
    return;
  c.n = report->instructions;
  if (c.n == 0)
    return;
  for (int first = 0; first < ACTIONS; first++)
    for (int second = -1; second < ACTIONS; second++)
      {
        c.first = &actions[first];
        c.second = second >= 0 ? &actions[second] : NULL;
        c.salt++;
        if (suits (&c) && is_chosen (&c)
            && is_wanted ("CGW_ACTION", c.first->name))
          ended_well (&c, in_child (&c));
      }
}

void
sweep (const char *name, const struct scene *table)
{
  unsigned salt = 0;
  char figure[100];

  STEP_OR_SKIP ();
  report = mmap (NULL, sizeof *report, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq ((void *) report, MAP_FAILED);
  run_directory = make_directory ();
  for (const struct scene *s = table; s->name != NULL; s++)
    for (int threads = 0; threads < 2; threads++)
      if (is_wanted ("CGW_SCENE", s->name))
        sweep_scene (s, threads, salt += 211);
  remove_directory (run_directory);
  snprintf (figure, sizeof figure, "runs_stepped_%s", name);
  print_figure (figure, report->runs);
}
