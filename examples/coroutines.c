/* coroutines.c - a generator: its costs are inclusive costs of the function
   that resumes it, until it yields.
     cc coroutines.c -o coroutines $(pkg-config --cflags --libs cgw)
     ./coroutines
     callgrind_annotate --tree=both --inclusive=yes callgrind.out.coroutines
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>
#include <ucontext.h>

static struct cgw_tracer *of_main, *of_squares; /* each has its open calls */
static struct cgw_pos in_sum, in_squares;
static uint64_t steps; /* so far: the counter of both */
static ucontext_t main_context, squares_context;
static int value;

static void
squares (void)
{
  cgw_tracer_enter (of_squares, NULL, &in_squares, 0, &steps);
  for (int i = 1;; i++)
    {
      steps += 10;
      value = i * i;
      cgw_tracer_yield (of_squares, &steps);
      swapcontext (&squares_context, &main_context);
    }
}

static int
next (void)
{
  cgw_tracer_resume (of_squares, of_main, NULL, &steps);
  swapcontext (&main_context, &squares_context);
  return value;
}

static int
sum (int n)
{
  int all = 0;
  cgw_tracer_enter (of_main, NULL, &in_sum, 0, &steps);
  for (int i = 0; i < n; i++)
    {
      steps++;
      all += next ();
    }
  cgw_tracer_leave (of_main, &steps);
  return all;
}

int
main (void)
{
  static char stack[65536];
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *profile;
  part.events = &(struct cgw_event){ .name = "Steps" };
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  cgw_tracer_new (&of_main, profile, NULL);
  cgw_tracer_new (&of_squares, profile, NULL);
  struct cgw_file file = cgw_add_file (names, __FILE__);
  in_sum.fn = cgw_add_fn (names, "sum", file, (struct cgw_object){ 0 });
  in_squares.fn = cgw_add_fn (names, "squares", file, (struct cgw_object){ 0 });
  getcontext (&squares_context);
  squares_context.uc_stack.ss_sp = stack;
  squares_context.uc_stack.ss_size = sizeof stack;
  makecontext (&squares_context, squares, 0);
  printf ("1 + 4 + 9 = %d\n", sum (3));
  enum cgw_status status
    = cgw_profile_save (profile, "callgrind.out.coroutines", &part, NULL);
  if (status != CGW_OK)
    fprintf (stderr, "coroutines: %s\n", cgw_profile_explain (profile));
  cgw_profile_free (profile); /* and the tracers */
  cgw_names_free (names);
  return status != CGW_OK;
}
