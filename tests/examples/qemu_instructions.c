/* qemu_instructions.c - what cgw-qemu takes instructions for.

   qemu_instructions PROCESSOR <DISASSEMBLY: reads what objdump -dw printed, and
   prints address and kind of each instruction that calls, returns, or jumps to
   an address that it does not contain; of calls also the address that they
   contain.  Of x86, other jumps, too; and calls that may not end where they do.

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

/* Prints a jump to an address that the instruction contains, and whether it is
   not seen that a call may end here.  */
static void
print_more (const struct processor *p, const unsigned char *bytes, size_t n,
            uint64_t address, bool is_call)
{
  static unsigned char before[CALL_MAX];
  uint64_t target = 0;

  if (instruction_stays (p, bytes, n, address, &target) && target != 0)
    printf ("%" PRIx64 " jump %" PRIx64 "\n", address, target);
  for (size_t i = 0; i < n; i++)
    {
      memmove (before, before + 1, CALL_MAX - 1);
      before[CALL_MAX - 1] = bytes[i];
    }
  if (is_call && !instruction_may_call (p, before))
    printf ("%" PRIx64 " is no call\n", address);
}

int
main (int argc, char **argv)
{
  static const char *const kinds[] = {
    [TRANSFER_LEAP] = "leap",     [TRANSFER_CALL] = "call",
    [TRANSFER_RETURN] = "return", [TRANSFER_RESUME] = "resume",
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
      size_t n;

      if (at == line || strncmp (at, ":\t", 2) != 0
          || (end = strchr (at += 2, '\t')) == NULL)
        continue;
      *end = '\0';
      n = read_bytes (at, bytes, &is_thumb);
      transfer = instruction_transfer (p, bytes, n, is_thumb);
      print_more (p, bytes, n, address, transfer == TRANSFER_CALL);
      if (kinds[transfer] == NULL)
        continue;
      printf ("%" PRIx64 " %s", address, kinds[transfer]);
      if (transfer == TRANSFER_CALL)
        printf (" %" PRIx64,
                instruction_target (p, bytes, n, address, is_thumb));
      putchar ('\n');
    }
  return 0;
}
