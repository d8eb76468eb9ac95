/* exec_calls.h - the system calls that execute another program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef EXEC_CALLS_H
#define EXEC_CALLS_H 1

#include <stdbool.h>
#include <stdint.h>

/* Their numbers.  */
struct exec_calls
{
  int16_t execve;
  int16_t execveat;
};

/* Those of a processor, as QEMU names it.  */
struct exec_calls exec_calls_of (const char *processor);

bool exec_calls_have (struct exec_calls calls, int64_t number);

#endif /* EXEC_CALLS_H */
