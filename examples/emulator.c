/* emulator.c - an emulator profiles its program by addresses alone, and saves
   the profile every second: kill it, and look at the file.
     cc emulator.c -o emulator $(pkg-config --cflags --libs cgw)
     ./emulator; callgrind_annotate --tree=both callgrind.out.emulator
     timeout -s KILL 5 ./emulator 1000000000
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* An instruction is an operation plus an operand: RETURN + 3 skips three
   return addresses, like a longjmp.  A function is its first instruction.  */
enum { RETURN, SET = 100, MINUS = 200, IF_0 = 300, JUMP = 400, CALL = 500 };
enum { MAIN, A = 7, B = 10, PING = 13, PONG = 15, DIG = 18, FAIL = 24, END };
static const char *const functions[END] = { [MAIN] = "main", [A] = "a",
  [B] = "b", [PING] = "ping", [PONG] = "pong", [DIG] = "dig", [FAIL] = "fail" };
static const int program[END] = {
  SET + 5, CALL + A, SET + 7, CALL + PING, SET + 3, CALL + DIG, RETURN,
  IF_0 + 9, CALL + B, RETURN, MINUS + 1, CALL + A, RETURN, /* a and b */
  MINUS + 1, JUMP + PONG, IF_0 + 17, JUMP + PING, RETURN,
  MINUS + 1, IF_0 + 22, CALL + DIG, RETURN, CALL + FAIL, RETURN, RETURN + 3
};

static struct cgw_fn fns[END]; /* of each instruction */
static struct cgw_profile *sums;
static struct cgw_tracer *tracer;
static uint64_t now; /* the tracer's counter: instructions so far */
static int executed[END], calls[END], inclusive[END]; /* the machine's count */

/* Instruction pc runs after last.  The tag of a call is its return address: a
   RETURN to it ends the call.  (Reaching it otherwise, as in a, does not.)  */
static void
profile (int last, int pc)
{
  struct cgw_pos at = { .fn = fns[pc], .instr = 4u * pc };
  size_t depth = cgw_tracer_depth (tracer);
  if (depth == 0 || program[last] / 100 == CALL / 100)
    cgw_tracer_enter (tracer, NULL, &at, 4u * last + 4, &now);
  else if (program[last] / 100 == RETURN / 100)
    {
      if (cgw_tracer_unwind_tag (tracer, at.instr, &now) == CGW_OK)
        cgw_tracer_leave (tracer, &now);
    }
  else if (fns[last].handle != at.fn.handle)
    cgw_tracer_tail (tracer, &at, cgw_tracer_tag (tracer, depth), &now);
  cgw_tracer_move (tracer, &at, &now);
  now++;
}

/* The file is replaced when the new one is complete.  */
static bool
save (void)
{
  struct cgw_event event = { .name = "Instructions" };
  struct cgw_part part = CGW_PART_INIT;
  part.events = &event;
  part.n_events = 1;
  part.positions = CGW_INSTR;
  if (cgw_profile_save (sums, "callgrind.out.emulator", &part, NULL) == CGW_OK)
    return true;
  fprintf (stderr, "emulator: %s\n", cgw_profile_explain (sums));
  return false;
}

/* The machine: a number, and a stack of return addresses.  */
static void
run (void)
{
  int number = 0, depth = 1, stack[20] = { END };
  unsigned active[20] = { 0, 1u << MAIN }; /* bits of functions */
  for (int pc = MAIN, last = END, next; pc != END; last = pc, pc = next)
    {
      int to = program[pc] % 100, op = program[pc] - to;
      profile (last, pc);
      executed[pc]++;
      for (int fn = 0; fn < END; fn++)
        inclusive[fn] += active[depth] >> fn & 1;
      next = op >= JUMP || (op == IF_0 && number == 0) ? to : pc + 1;
      number = op == SET ? to : op == MINUS ? number - to : number;
      if (op == CALL)
        stack[depth++] = pc + 1;
      if (op >= JUMP) /* or CALL */
        active[depth] = active[depth - 1] | 1u << to;
      calls[to] += op >= JUMP;
      if (op == RETURN)
        next = stack[depth -= to + 1];
    }
}

int
main (int argc, char **argv)
{
  struct cgw_names *names;
  long runs = argc > 1 ? atol (argv[1]) : 1;
  time_t saved = time (NULL);
  cgw_names_new (&names, NULL);
  cgw_profile_new (&sums, names, 1, CGW_INSTR);
  cgw_tracer_new (&tracer, sums, NULL);
  for (int i = 0; i < END; i++)
    fns[i] = !functions[i] ? fns[i - 1]
             : cgw_add_fn (names, functions[i], (struct cgw_file){ 0 },
                           (struct cgw_object){ 0 });
  for (; runs > 0; runs--)
    {
      run ();
      cgw_tracer_unwind (tracer, 0, &now);
      if (time (NULL) != saved && save ())
        saved = time (NULL);
    }
  bool ok = save ();
  for (int i = 0; i < END; i++)
    printf ("0x%x %d %d %d\n", 4u * i, executed[i], calls[i], inclusive[i]);
  cgw_profile_free (sums); /* and the tracer */
  cgw_names_free (names);
  return !ok;
}
