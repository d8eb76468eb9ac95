/* fuzz_tracer.c - programs of cgw_tracer's calls, against a model.

   The input makes the choices of a program, which the model of the tracer's
   tests, tests/tracer/model.c, runs beside the library: it books each cost in
   all open calls.  The status, depth and tag of each call must be those of the
   model, and so must the file: all self costs, calls and inclusive costs.

   The model's checks are those of Criterion, and are compiled with the header
   of tests/arch; here they are fuzz_fail.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"

#include "../tracer/model.h"

#include <criterion/criterion.h>
#include <stdarg.h>

void
criterion_failed (bool end, const char *file, int line, const char *what,
                  const char *format, ...)
{
  char message[1000];
  va_list arguments;

  (void) end;
  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  fuzz_fail ("%s:%d: %s: %s", file, line, what, message);
}

static uint64_t
below (void *context, uint64_t n)
{
  return fuzz_below (context, n);
}

static bool
is_end (void *context)
{
  return fuzz_left (context) == 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct fuzz_input in = { data, data + size };

  tracer_model_run (&(struct tracer_model_choices){ below, is_end, &in,
                                                    "input" });
  return 0;
}
