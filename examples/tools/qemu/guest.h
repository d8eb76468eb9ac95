/* guest.h - the code of the program that QEMU runs: the blocks that QEMU
   translates, and the functions that they belong to.

   Any thread may call these functions; those below "Positions" while it has
   locked.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef GUEST_H
#define GUEST_H 1

#include "instruction.h"
#include "interface.h"
#include "numbers.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

struct function
{
  struct number *unwatched; /* instructions in blocks whose executions only QEMU
                               counts, without those that the counters have */
  uint32_t number;    /* counted from 0 */
  bool may_resolve;   /* it may be the dynamic linker's that finds others; with
                         a symbol, it is */
  bool is_handler;    /* of an interrupt, and returns as a usual function */
  const char *symbol; /* or NULL */
  uint64_t object;
  struct cgw_pos start;
};

enum block_kind
{
  BLOCK_USUAL,
  BLOCK_LINKAGE, /* it only leads to another object's function */
  BLOCK_REPEAT   /* one instruction, which goes on if it was the last one */
};

/* Instructions that are executed one after the other.  Blocks stay until the
   end.  Each execution looks at one, so what it needs comes first.  */
struct block
{
  uint64_t start;             /* the program's addresses */
  uint64_t end;
  _Atomic (const struct function *) function; /* NULL: not known yet */
  struct number executions;   /* by the first vcpu, and those that only QEMU
                                 counted */
  enum transfer transfer;     /* what the instruction does that ends it; a leap
                                 is a jump here, which only leaps */
  enum block_kind kind;
  uint32_t number;            /* counted from 0 */
  uint32_t n;                 /* instructions */
  uint32_t site;              /* the number of the one that ends it: blocks may
                                 share that */
  bool is_entry;              /* its function begins with it */
  bool leaps;                 /* it jumps to where a register or memory says */
  bool is_from;               /* counting begins here, or ends */
  bool is_until;
  uint64_t target;            /* where it calls or jumps, if it says so; or 0 */
  bool stays;                 /* it is known to lead only there or to its end */
  uint64_t last;              /* where the last instruction begins */
  uint32_t first;             /* the number of the first one */
  uint32_t head;              /* likewise, of the first one; only with jumps */
  bool is_inner;              /* signals and exceptions aside, it is reached and
                                 left only by jumps within its function */
};

/* Where counting begins and ends: names or addresses of functions, or NULL.  */
struct guest_limits
{
  const char *from;
  const char *until;
};

/* symbols: the file of what runs on a whole system, or NULL.  */
void guest_begin (const struct qemu_info_t *qemu, const char *symbols,
                  struct guest_limits limits, bool has_jumps,
                  struct cgw_names *names);

/* Around a fork, so that the child finds all whole; and around what looks at
   positions.  */
void guest_lock (void);
void guest_unlock (void);

/* A system call of the program returns this.  */
void guest_returned (int64_t result);

/* The block of a translation.  *rest is that of its last instruction alone, if
   QEMU may not execute it with the others; or NULL.  */
struct block *guest_translated (const struct qemu_plugin_tb *tb,
                                struct block **rest);

/* From now on only QEMU counts executions of an inner block.  */
void guest_unwatch (struct block *block, struct qemu_plugin_tb *tb);

/* A block without a known function is the first of one, if `of` is NULL or of
   another object; or belongs to that one.  */
void guest_adopt (struct block *block, const struct function *of);

/* Whether a block without a known function has a symbol of its own.  */
bool guest_has_symbol (const struct block *block);

/* Whether a block without a known function is code that a compiler has moved
   away from a function.  */
bool guest_is_part (const struct block *block,
                    const struct function *function);

/* Positions.  */

/* The position of an instruction: of a block's number i; of a site.  */
struct cgw_pos guest_position (const struct block *block, uint32_t i);
struct cgw_pos guest_site (uint32_t site);

/* Whether a site jumps to where a register or memory says.  */
bool guest_leaps (uint32_t site);

/* The first vcpu's numbers of blocks and functions become 0.  */
void guest_clear (void);

uint32_t guest_sites (void);
uint32_t guest_blocks (void);
struct block *guest_block (uint32_t number);

#endif /* GUEST_H */
