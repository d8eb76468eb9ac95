/* vm.c - an interpreter counts the lines that it executes: with recursion, and
   an exception that ends calls.
     cc vm.c -o vm $(pkg-config --cflags --libs cgw)
     ./vm; callgrind_annotate --tree=both --inclusive=yes callgrind.out.vm
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>

/* A program: main calls down, which calls itself until it throws.  */
enum { CALL, RETURN, THROW_AT_0 };
enum { MAIN = 1, CATCH = 3, DOWN = 4, LINES = 7 };
static const struct { int operation, target; } code[LINES] = {
  [MAIN] = { CALL, DOWN }, { RETURN, 0 }, [CATCH] = { RETURN, 0 },
  [DOWN] = { THROW_AT_0, 0 }, { CALL, DOWN }, { RETURN, 0 }
};
static struct cgw_pos at[LINES];     /* the position of each line */
static struct cgw_edge edges[LINES]; /* the call there, once it is known */

static void
run (struct cgw_tracer *tracer)
{
  uint64_t executed = 0; /* lines so far: the tracer's counter */
  int returns[20], depth = 1, line = MAIN, number = 3;
  cgw_tracer_enter (tracer, NULL, &at[MAIN], 0, &executed);
  while (depth > 0)
    {
      cgw_tracer_move (tracer, &at[line], &executed);
      executed++;
      if (code[line].operation == CALL)
        {
          int target = code[line].target;
          if (edges[line].handle == 0)
            cgw_tracer_edge (tracer, &at[line], &at[target], &edges[line]);
          cgw_tracer_enter_edge (tracer, edges[line], 0, &executed);
          returns[depth++] = line + 1;
          line = target;
        }
      else if (code[line].operation == RETURN)
        {
          cgw_tracer_leave (tracer, &executed);
          line = returns[--depth];
        }
      else if (number-- > 0)
        line++;
      else
        {
          depth = 1;
          cgw_tracer_unwind (tracer, depth, &executed);
          line = CATCH;
        }
    }
}

int
main (void)
{
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *profile;
  struct cgw_tracer *tracer;
  part.events = &(struct cgw_event){ .name = "Lines" };
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  cgw_tracer_new (&tracer, profile, NULL);
  struct cgw_file file = cgw_add_file (names, "program.vm");
  struct cgw_object vm = cgw_add_object (names, "vm");
  for (uint32_t i = MAIN; i < LINES; i++)
    at[i] = (struct cgw_pos){ cgw_add_fn (names, i < DOWN ? "main" : "down",
                                          file, vm), .line = i };
  run (tracer);
  enum cgw_status status
    = cgw_profile_save (profile, "callgrind.out.vm", &part, NULL);
  if (status != CGW_OK)
    fprintf (stderr, "vm: %s\n", cgw_profile_explain (profile));
  cgw_profile_free (profile); /* and the tracer */
  cgw_names_free (names);
  return status != CGW_OK;
}
