/* instead.h - prints the commands that sample what the agent cannot.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_INSTEAD_H
#define SAMPLE_INSTEAD_H 1

#include <stdbool.h>
#include <stdint.h>

struct instead
{
  uint64_t pid;       /* of a running process, or 0 */
  const char *events; /* other than processor time, or NULL */
  uint64_t hertz;
  const char *out;
  const char *reader; /* as --for has it, or NULL */
  bool frame_pointers; /* nobody need be told that others are possible */
  char **program;      /* if there is no pid */
};

void instead_print (const struct instead *wanted);

#endif /* SAMPLE_INSTEAD_H */
