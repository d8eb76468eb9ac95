/* exec_calls.c - the system calls that execute another program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "exec_calls.h"

#include <stddef.h>
#include <string.h>

static const struct
{
  const char *processor; /* how QEMU's names of it begin */
  struct exec_calls calls;
} table[] = { { "x86_64", { 59, 322 } },     { "i386", { 11, 358 } },
              { "aarch64", { 221, 281 } },   { "arm", { 11, 387 } },
              { "s390x", { 11, 354 } },      { "ppc", { 11, 362 } },
              { "mipsn32", { 6057, 6320 } }, { "mips64", { 5057, 5316 } },
              { "mips", { 4011, 4356 } },    { "sparc", { 59, 350 } },
              { "alpha", { 59, 513 } },      { "hppa", { 11, 342 } },
              { "m68k", { 11, 355 } },       { "sh4", { 11, 376 } },
              { "xtensa", { 117, 341 } },    { "microblaze", { 11, 388 } },
              { "cris", { 11, -1 } } };

/* Younger processors have one table.  */
struct exec_calls
exec_calls_of (const char *processor)
{
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strncmp (processor, table[i].processor, strlen (table[i].processor))
        == 0)
      return table[i].calls;
  return (struct exec_calls){ 221, 281 };
}

bool
exec_calls_have (struct exec_calls calls, int64_t number)
{
  return number == calls.execve || number == calls.execveat;
}
