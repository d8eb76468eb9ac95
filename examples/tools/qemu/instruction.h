/* instruction.h - which instructions of a processor call and return.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INSTRUCTION_H
#define INSTRUCTION_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an instruction does that ends a block.  */
enum transfer
{
  TRANSFER_JUMP, /* or nothing: the next block follows */
  TRANSFER_LEAP, /* a jump to an address in a register or in memory */
  TRANSFER_CALL,
  TRANSFER_RETURN,
  TRANSFER_RESUME, /* of what an interrupt interrupted */
  TRANSFER_UNKNOWN
};

struct processor;

/* By QEMU's name.  NULL: the processor's instructions are not known here.  */
const struct processor *processor_find (const char *name);

/* Whether the instruction behind a jump is executed before it.  */
bool processor_has_delay_slot (const struct processor *p);

/* Whether all of its instructions that lead elsewhere are known.  */
bool processor_knows_jumps (const struct processor *p);

/* Whether there may be a table of handlers of interrupts, which are usual
   functions: so it is on Arm's Cortex-M.  */
bool processor_has_vectors (const struct processor *p);

/* Whether QEMU begins a new block with an instruction that crosses the end of a
   page, having shown it as the last one of the block before, too.  */
bool processor_cuts_at_pages (const struct processor *p);

/* Whether QEMU executes an instruction again and again, until it is done; and
   whether the processor has some.  */
bool processor_has_repeats (const struct processor *p);
bool instruction_repeats (const struct processor *p,
                          const unsigned char *bytes, size_t n);

/* Whether 4 bytes at a multiple of 4 look like an instruction of Thumb, and not
   of ARM's other set.  */
bool instruction_is_thumb (const struct processor *p,
                           const unsigned char *bytes);

/* is_thumb: for ARM's processors.  */
enum transfer instruction_transfer (const struct processor *p,
                                    const unsigned char *bytes, size_t n,
                                    bool is_thumb);

/* Whether an instruction may end where these bytes do that may have led
   elsewhere before what follows it is executed: a call, or a return or leap
   with a condition.  */
enum { BEFORE_MAX = 8 };
bool instruction_may_come_back (const struct processor *p,
                                const unsigned char bytes[BEFORE_MAX],
                                bool is_thumb);

/* Where a call or jump at an address leads, if the instruction says so itself;
   else 0.  Jumps with delay slots are not known.  */
uint64_t instruction_target (const struct processor *p,
                             const unsigned char *bytes, size_t n,
                             uint64_t address, bool is_thumb);

#endif /* INSTRUCTION_H */
