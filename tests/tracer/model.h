/* model.h - tracers against a naive model, which books each cost in all open
   calls: programs of enter, leave, tail call, unwind, move, run, switch,
   coroutines and misuse, with recursion, several counters, signed events, and
   tracers for the calls only.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MODEL_H
#define MODEL_H 1

#include <stdbool.h>
#include <stdint.h>

/* What makes the choices of which a program consists.  */
struct tracer_model_choices
{
  uint64_t (*below) (void *context, uint64_t n); /* a number below n */
  bool (*is_end) (void *context); /* whether the program ends early */
  void *context;
  const char *name; /* of the program, for messages */
};

/* Runs a program in a profile and in the model, and checks the status of each
   call, and that both write the same file in the end.  */
void tracer_model_run (const struct tracer_model_choices *choices);

#endif /* MODEL_H */
