/* stacks.c - an interpreter's call stacks, for a profile and a flame graph.
     cc stacks.c -o stacks $(pkg-config --cflags --libs cgw)
     ./stacks >folded; callgrind_annotate --inclusive=yes callgrind.out.stacks
   flamegraph.pl and cgw-report draw "folded".  SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>

static struct cgw_names *names;
static struct cgw_profile *profile;
/* A program: each character is a line, and a letter calls a function.  */
static const struct { const char *name, *lines; } program[] = {
  ['m'] = { "main", "wwwwwww" }, ['w'] = { "work", "--p-" },
  ['p'] = { "print(Ljava/lang/String;)V", "-----" }
};
/* Where each open call is.  The stack grows down: the leaf is first.  */
static struct cgw_pos stack[20], *const end = stack + 20, *top = stack + 20;

static void
run (int f)
{
  static uint64_t executed, interval = 7; /* lines from sample to sample */
  struct cgw_file file = cgw_add_file (names, "program.vm");
  *--top = (struct cgw_pos){ .line = 1 };
  top->fn = cgw_add_fn (names, program[f].name, file, (struct cgw_object){ 0 });
  for (const char *c = program[f].lines; *c; c++, top->line++)
    {
      if (++executed % interval == 0)
        cgw_profile_stack (profile, top, end - top, 1, &interval, 1);
      if (*c != '-')
        run (*c);
    }
  top++;
}

/* Names may have ';', but no line breaks, which the library escapes.  */
static enum cgw_status
print_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
             uint64_t count, const uint64_t *cost, size_t n)
{
  for (size_t i = n_frames; i-- > 0; putchar (i > 0 ? ';' : ' '))
    for (const char *c = cgw_fn_name (names, frames[i].fn, NULL, NULL); *c; c++)
      putchar (*c == ';' ? ':' : *c);
  printf ("%ju\n", (uintmax_t) cost[0]);
  return (void) context, (void) count, (void) n, CGW_OK;
}

/* What was not added as a stack would be missing in the graph.  */
static enum cgw_status
refuse_cost (void *p, const struct cgw_pos *at, const uint64_t *cost, size_t n)
{
  return (void) p, (void) at, (void) cost, (void) n, CGW_ELOST;
}
static enum cgw_status
refuse_call (void *p, const struct cgw_pos *at, const struct cgw_pos *to,
             uint64_t count, const uint64_t *cost, size_t n)
{
  return (void) to, (void) count, refuse_cost (p, at, cost, n);
}

int
main (void)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  struct cgw_part part = CGW_PART_INIT;
  visitor.cost = refuse_cost;
  visitor.call = refuse_call;
  visitor.stack = print_stack;
  part.events = &(struct cgw_event){ .name = "Lines" };
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  run ('m');
  int failed = cgw_profile_visit (profile, &visitor) != CGW_OK
    || cgw_profile_save (profile, "callgrind.out.stacks", &part, NULL) != 0;
  if (failed)
    fprintf (stderr, "stacks: %s\n", cgw_profile_explain (profile));
  cgw_profile_free (profile);
  cgw_names_free (names);
  return failed;
}
