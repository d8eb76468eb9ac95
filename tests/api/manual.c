/* manual.c - compiles and runs the examples of the manual pages that are no
   whole programs.  manual.sh makes what it includes of the pages: statuses.h,
   examples.h and examples.def.

   Each example runs in a process of its own, with names, a writer, a profile
   and a tracer, and what they stand for.  Each call that returns a status must
   return CGW_OK: statuses.h has macros of their names.

   SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE 1
#include <cgw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static enum cgw_status
ok (const char *call, enum cgw_status status)
{
  if (status == CGW_OK)
    return status;
  fprintf (stderr, "%s: %s\n", call, cgw_strerror (status));
  _exit (1);
}

#include "statuses.h"

/* What a program has that prints a profile by itself.  */

static FILE *out;

struct old_function
{
  const char *file, *name;
  int line, active;
  long self;
  struct old_edge *calls;
};
static struct old_function old_functions[2];

static struct old_edge
{
  struct old_edge *next;
  struct old_function *to;
  int line;
  long count, inclusive;
} old_edge = { NULL, &old_functions[1], 2, 1, 4 };

static struct old_function old_functions[2]
    = { { "a.c", "f", 1, 1, 3, &old_edge }, { "a.c", "g", 5, 1, 4, NULL } };

struct old_node
{
  struct old_node *children, *next;
  const char *name;
  int line;
  long self, count, inclusive;
};
static struct old_node old_nodes[2] = { { &old_nodes[1], NULL, "f", 1, 3, 1, 7 },
                                        { NULL, NULL, "g", 5, 4, 2, 4 } };

static struct
{
  struct old_function *fn;
  long start;
} stack[2] = { { &old_functions[0], 0 }, { &old_functions[1], 5 } };

static int depth = 2;

static long
now (void)
{
  return 9;
}

static struct old_edge *
find_call (const struct old_function *from, const struct old_function *to)
{
  return from == &old_functions[0] && to == &old_functions[1] ? &old_edge
                                                              : NULL;
}

/* And one that uses libcgw.  */

static struct cgw_names *names;
static struct cgw_writer *w;
static struct cgw_event event = { .name = "Ir" };
static struct cgw_part part = CGW_PART_INIT;
static struct cgw_profile *profile, *profiles[2];
static struct cgw_tracer *tracer;
static struct cgw_recorder *recorder;
static struct cgw_file file;
static struct cgw_object object;
static struct cgw_fn main_fn, lost_fn;
static struct cgw_pos in_main, in_work, in_walk;
static uint64_t cost = 1, cost_below = 2, counter;
static const char *name = "f";
static uint32_t first_line = 1, line = 2;
static int n_threads = 2;

struct function
{
  struct cgw_pos begin;
  uint64_t self;
  struct edge *calls;
};
static struct function functions[2];

struct edge
{
  struct edge *next;
  struct function *to;
  struct cgw_pos at;
  uint64_t count, inclusive;
};
static struct edge edge = { NULL, &functions[1], { .line = 2 }, 1, 4 };

struct node
{
  struct node *parent;
  struct cgw_pos begin;
  uint64_t self, count;
};
static struct node nodes[2] = { { NULL, { .line = 1 }, 3, 1 },
                                { &nodes[0], { .line = 5 }, 4, 2 } };

static uint64_t
clock_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

/* Running them.  */

static void
add_functions (void)
{
  main_fn = cgw_add_fn (names, "main", file, object);
  lost_fn = cgw_add_fn (names, "[lost]", file, object);
  in_main = (struct cgw_pos){ .fn = main_fn, .line = 1 };
  in_work = (struct cgw_pos){ .fn = cgw_add_fn (names, "work", file, object),
                              .line = 5 };
  in_walk = (struct cgw_pos){ .fn = cgw_add_fn (names, "walk", file, object),
                              .line = 9 };
  functions[0] = (struct function){ in_main, 3, &edge };
  functions[1].begin = nodes[1].begin = in_work;
  nodes[0].begin = in_main;
}

/* With a lost sample.  */
static void
make_recorder (void)
{
  recorder = cgw_recorder_init (malloc (cgw_recorder_size (1, 1, 1)), 1, 1, 1);
  for (int i = 0; i < 2; i++)
    (cgw_recorder_push) (recorder, 0, (uint64_t[]){ 1 }, 1, &cost, 1);
}

/* A part that has begun, in a file at path, and main, which runs.  */
static void
before (const char *path)
{
  part.events = &event;
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  file = cgw_add_file (names, "a.c");
  object = cgw_add_object (names, "a");
  add_functions ();
  cgw_open (&w, names, path, NULL);
  cgw_begin_part (w, &part);
  for (int i = 0; i < n_threads; i++)
    {
      cgw_profile_new (&profiles[i], names, 1, CGW_LINE);
      cgw_profile_cost (profiles[i], &in_work, &cost, 1);
    }
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  cgw_profile_cost (profile, &in_main, &cost, 1);
  cgw_tracer_new (&tracer, profile, NULL);
  cgw_tracer_enter (tracer, NULL, &in_main, 0, &counter);
  make_recorder ();
  out = stdout;
}

/* Examples end by this, in the scope of what they have put into the part.  One
   may have forked, or left a writer without a part.  */
static void
after (void)
{
  enum cgw_status finished = (cgw_finish) (w);
  int status;

  if (finished == CGW_EORDER)
    {
      cgw_begin_part (w, &part);
      finished = (cgw_finish) (w);
    }
  ok ("cgw_finish", finished);
  cgw_free (w);
  cgw_open (&w, names, "part.out", NULL);
  cgw_begin_part (w, &part);
  cgw_free (w);
  while (wait (&status) > 0)
    if (status != 0)
      _exit (1);
  _exit (fflush (NULL) != 0);
}

#include "examples.h"

/* The functions of the pages.  */
static void
run_functions (void)
{
  here = &in_work;
  on_tick (SIGPROF);
  if (print_stacks (profile, names) != CGW_OK)
    _exit (1);
  after ();
}

static void
run_crash (void)
{
  struct sigaction crash = { .sa_handler = on_crash,
                             .sa_flags = (int) SA_RESETHAND };

  sigaction (SIGTERM, &crash, NULL);
  raise (SIGTERM);
}

static const struct
{
  const char *file; /* that it writes */
  void (*run) (void);
  int status; /* of the process */
} examples[] = {
#define EXAMPLE(file, run) { file, run, 0 },
#include "examples.def"
  { "functions.out", run_functions, 0 },
  { "crash.out", run_crash, SIGTERM },
};

int
main (void)
{
  size_t n = sizeof examples / sizeof *examples;
  int failed = 0;

  for (size_t i = 0; i < n; i++)
    {
      int status = -1;
      pid_t pid = fork ();

      if (pid == 0)
        {
          before (examples[i].file);
          examples[i].run ();
        }
      waitpid (pid, &status, 0);
      if (status == examples[i].status)
        continue;
      fprintf (stderr, "%s: status %d\n", examples[i].file, status);
      failed = 1;
    }
  return failed;
}
