/* jumps.c - an emulator counts the instructions at each address, a basic block
   at a time, and the jumps, which KCachegrind draws beside the instructions.
     cc jumps.c -o jumps $(pkg-config --cflags --libs cgw)
     ./jumps; callgrind_annotate callgrind.out.jumps
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>

/* A loop of 9 rounds, and a jump over an instruction.  Each has 4 bytes.  */
enum { MINUS_1, IF_NOT_0, JUMP, RETURN };
static const struct { int operation, target; } code[] = {
  { MINUS_1, 0 }, { IF_NOT_0, 0 }, { JUMP, 4 }, { MINUS_1, 0 }, { RETURN, 0 }
};
enum { N = sizeof code / sizeof *code };
static struct cgw_pos at[N];
static uint64_t reached[N], jumped[N]; /* how often */

static void
run (struct cgw_tracer *tracer)
{
  int number = 9, first = 0, last = 0;
  cgw_tracer_enter (tracer, NULL, &at[0], 0, NULL);
  while (code[last].operation != RETURN)
    {
      for (last = first; code[last].operation == MINUS_1; last++)
        number--;
      /* Each instruction of the block costs 1.  */
      cgw_tracer_block (tracer, &at[first], last - first + 1, (uint64_t[]){ 1 },
                        1, NULL);
      reached[last]++;
      first = last + 1;
      if (code[last].operation == JUMP
          || (code[last].operation == IF_NOT_0 && number > 0))
        {
          jumped[last]++;
          first = code[last].target;
        }
    }
  cgw_tracer_leave (tracer, NULL);
}

int
main (void)
{
  struct cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *profile;
  struct cgw_tracer *tracer;
  struct cgw_writer *w;
  part.events = &(struct cgw_event){ .name = "Instructions" };
  part.n_events = 1;
  part.positions = CGW_INSTR;
  options.n_counters = 0; /* instructions are costs of the blocks */
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_INSTR);
  cgw_tracer_new (&tracer, profile, &options);
  struct cgw_object object = cgw_add_object (names, "firmware.elf");
  for (int i = 0; i < N; i++)
    {
      at[i].fn = cgw_add_fn (names, "loop", (struct cgw_file){ 0 }, object);
      at[i].instr = 0x8000 + 4 * i;
    }
  run (tracer);
  cgw_open (&w, names, "callgrind.out.jumps", NULL);
  cgw_profile_write (profile, w, &part);
  for (int i = 0; i < N; i++) /* a profile has no jumps: the writer does */
    if (code[i].operation == JUMP)
      cgw_jump (w, &at[i], &at[code[i].target], jumped[i]);
    else if (code[i].operation == IF_NOT_0)
      cgw_cond_jump (w, &at[i], &at[code[i].target], jumped[i], reached[i]);
  enum cgw_status status = cgw_finish (w);
  if (status != CGW_OK)
    fprintf (stderr, "jumps: %s\n", cgw_explain (w));
  cgw_free (w);
  cgw_profile_free (profile); /* and the tracer */
  cgw_names_free (names);
  return status != CGW_OK;
}
