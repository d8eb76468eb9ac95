/* core.h - struct cgwi_core: one file being written.  The core knows neither
   threads nor handlers: the gate lets one call in at a time.

   A longjmp may leave the core's functions between any two instructions, and a
   handler that interrupts one may call cgwi_salvage to write what is
   committed.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CORE_H
#define CGWI_CORE_H 1

#include "../format/encoder.h"
#include "../output/buffer.h"
#include "../output/known.h"
#include "accounts.h"
#include "errors.h"

enum cgwi_state
{
  CGWI_STARTING, /* cgwi_start_file is not complete */
  CGWI_NO_PART,
  CGWI_PART_OPEN,
  CGWI_PART_REFUSED, /* the next part was refused, and so are its records; the
                        one before has yet to be ended */
  CGWI_FINISHED
};

struct cgwi_core
{
  struct cgwi_encoder encoder;
  struct cgwi_buffer buffer;
  struct cgwi_accounts accounts;
  const struct cgwi_memory *memory;

  enum cgwi_state state;
  /* The last checkpoint when encoding of the last unusual record began, or
     NULL: see cgwi_is_decided.  */
  const struct cgwi_checkpoint *begun;
  uint32_t first_handle; /* of this writer: that of the names with index 0 */
  uint32_t lost_fn;      /* index of "[lost]" */
  char *creator;         /* as the caller gave it */
  char *events;          /* the events of all parts, with their formulas */
  uint64_t start;        /* the descriptor's offset when the file started */
  bool owns_fd;          /* cgw_create opened it, and we close it */
  int next_fd;           /* cgw_recreate opened it, and is not done; or -1 */
  struct cgwi_known known; /* the file, for forked children */
  _Atomic bool failing;  /* the last write failed, but not with EAGAIN: only
                            normal code tries again */
  _Atomic int error_number; /* errno of the last failure */
  struct cgwi_errors errors;
};

/* Handles.  A handle is an index plus the writer's first handle, which no
   earlier writer had: so handles of another writer, even of one that was
   freed, are out of range.  0 is the unknown name's.  */

static inline uint32_t
cgwi_handle (const struct cgwi_core *c, uint32_t index)
{
  return c->first_handle + index;
}

/* Return the index of a handle in a table of n names, or CGWI_NONE.  */
static inline uint32_t
cgwi_index (const struct cgwi_core *c, uint32_t n, uint32_t handle)
{
  uint32_t index = handle == 0 ? 0 : handle - c->first_handle;
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
