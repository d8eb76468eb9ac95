/* core.h - struct cgwi_core: one file being written, by somebody who is alone
   with it.  Knows neither threads nor handlers: that it is alone is the gate's
   business.

   Its calls may be left by a longjmp between any two instructions, and a
   handler that interrupts one may ask cgwi_salvage to write what is there.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CORE_H
#define CGWI_CORE_H 1

#include "../format/encoder.h"
#include "../output/buffer.h"
#include "accounts.h"

enum cgwi_state
{
  CGWI_STARTING, /* inside cgwi_start_file */
  CGWI_NO_PART,
  CGWI_PART_OPEN,
  CGWI_FINISHED
};

struct cgwi_core
{
  struct cgwi_encoder encoder;
  struct cgwi_buffer buffer;
  struct cgwi_accounts accounts;
  const struct cgwi_memory *memory;

  enum cgwi_state state;
  const uint64_t *begun; /* the last checkpoint when the last unusual record
                            began to be encoded; NULL: see cgwi_is_decided */
  uint32_t salt;         /* tells this writer's handles from another's */
  uint32_t lost_fn;      /* index of "[lost]" */
  char *creator;         /* as the caller gave it */
  char *events;          /* the events of all parts, with their formulas */
  uint64_t start;        /* the descriptor's offset at the file's beginning */
  bool owns_fd;          /* cgw_create opened it: finish and free close it */
  enum cgw_status missing_part; /* why the last part was not begun */
  _Atomic bool failing;  /* the last write failed, for another reason than
                            EAGAIN: only normal code tries again */
  _Atomic int error_number; /* errno of the last failure */
  _Atomic int error;     /* the first status that left something out of the
                            file; CGW_EIO comes before all others */
};

/* Keep the first error that leaves something out.  Return status.  Any thread
   and handler may.  */
static inline enum cgw_status
cgwi_keep (struct cgwi_core *c, enum cgw_status status)
{
  int kept = atomic_load_explicit (&c->error, memory_order_relaxed);

  while ((kept == CGW_OK || (status == CGW_EIO && kept != CGW_EIO))
         && !atomic_compare_exchange_weak_explicit (&c->error, &kept,
                                                    (int) status,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed))
    continue;
  return status;
}

/* Handles.  A handle is the index xor the writer's salt, whose top bit is set,
   so it is never 0, and another writer's is almost never in range.  */

static inline uint32_t
cgwi_handle (const struct cgwi_core *c, uint32_t index)
{
  return index ^ c->salt;
}

/* Return the index that a handle stands for, or CGWI_NONE, when the table has
   n names.  */
static inline uint32_t
cgwi_index (const struct cgwi_core *c, uint32_t n, uint32_t handle)
{
  uint32_t index = handle == 0 ? 0 : handle ^ c->salt;
  return index < n ? index : CGWI_NONE;
}

/* CGW_EORDER or CGW_EFINISHED when no part is open.  */
static inline enum cgw_status
cgwi_check_open (const struct cgwi_core *c)
{
  return c->state == CGWI_PART_OPEN  ? CGW_OK
         : c->state == CGWI_FINISHED ? CGW_EFINISHED
                                     : CGW_EORDER;
}

#endif
