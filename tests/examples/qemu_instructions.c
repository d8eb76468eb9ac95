/* qemu_instructions.c - what cgw-qemu takes instructions for.

   qemu_instructions PROCESSOR <DISASSEMBLY: reads what objdump -dw printed, and
   prints address and kind of each instruction that calls, returns, or jumps; of
   calls and jumps also the address that they contain.  Jumps with a delay slot
   are left out.

   SPDX-License-Identifier: MIT  */

#include "qemu/instruction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* Reads a column of bytes, and of words of a little-endian processor.  Returns
   how many bytes there are.  */
static size_t
read_bytes (char *column, unsigned char bytes[MOST], bool *is_halves)
{
  size_t n = 0;

  *is_halves = false;
  for (char *word = strtok (column, " "); word != NULL;
       word = strtok (NULL, " "))
    {
      size_t size = strlen (word) / 2;
      unsigned long value = strtoul (word, NULL, 16);

      *is_halves |= size == 2;
      for (size_t i = 0; i < size && n < MOST; i++, value >>= 8)
        bytes[n++] = (unsigned char) value;
    }
  return n;
}

/* Whether it is not seen that a call ends with these bytes, which follow those of
   earlier calls of this function.  */
static bool
is_hidden (const struct processor *p, const unsigned char *bytes, size_t n,
           bool is_thumb)
{
  static unsigned char before[CALL_MAX];

  for (size_t i = 0; i < n; i++)
    {
      memmove (before, before + 1, CALL_MAX - 1);
      before[CALL_MAX - 1] = bytes[i];
    }
  return !instruction_may_call (p, before, is_thumb);
}

int
main (int argc, char **argv)
{
  static const char *const kinds[] = {
    [TRANSFER_LEAP] = "leap",
    [TRANSFER_RETURN] = "return",
    [TRANSFER_RESUME] = "resume",
    [TRANSFER_UNKNOWN] = "unknown"
  };
  const struct processor *p = argc == 2 ? processor_find (argv[1]) : NULL;
  char line[500];

  while (fgets (line, sizeof line, stdin) != NULL)
    {
      char *at, *end;
      uint64_t address = strtoull (line, &at, 16);
      unsigned char bytes[MOST];
      enum transfer transfer;
      bool is_thumb;
      uint64_t target;
      size_t n;

      if (at == line || strncmp (at, ":\t", 2) != 0
          || (end = strchr (at += 2, '\t')) == NULL)
        continue;
      *end = '\0';
      n = read_bytes (at, bytes, &is_thumb);
      transfer = instruction_transfer (p, bytes, n, is_thumb);
      target = instruction_target (p, bytes, n, address, is_thumb);
      if (is_hidden (p, bytes, n, is_thumb) && transfer == TRANSFER_CALL)
        printf ("%" PRIx64 " is no call\n", address);
      if (transfer == TRANSFER_CALL)
        printf ("%" PRIx64 " call %" PRIx64 "\n", address, target);
      else if (kinds[transfer] != NULL)
        printf ("%" PRIx64 " %s\n", address, kinds[transfer]);
      else if (target != 0)
        printf ("%" PRIx64 " jump %" PRIx64 "\n", address, target);
    }
  return 0;
}
