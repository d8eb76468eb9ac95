/* core.h - struct cgwi_core: one file being written.  The core knows neither
   threads nor handlers: the gate lets one call in at a time.

   A handler that interrupts the core's functions, or another thread, may end
   the buffer at any instruction: see cgwi_buffer_end_at_once.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CORE_H
#define CGWI_CORE_H 1

#include "../format/encoder.h"
#include "../output/buffer.h"
#include "accounts.h"

enum cgwi_state
{
  CGWI_NO_PART,
  CGWI_PART_OPEN,
  CGWI_PART_REFUSED, /* the next part was refused, and so are its records; the
                        one before has yet to be ended */
  CGWI_FINISHING,    /* cgw_finish has begun: only it may go on */
  CGWI_PARTS_ENDED,  /* and has ended the last part */
  CGWI_FINISHED
};

struct cgwi_core
{
  struct cgwi_encoder encoder;
  struct cgwi_buffer buffer;
  struct cgwi_accounts accounts;
  const struct cgwi_memory *memory;

  _Atomic int state;     /* enum cgwi_state; set by cgwi_set_state alone */
  char *creator;         /* as the caller gave it */
  char *events;          /* the events of all parts, with their formulas */
  uint64_t start;        /* the descriptor's offset when the file started */
  bool owns_fd;          /* cgw_create opened it, and we close it */
  _Atomic bool failing;  /* the last write failed, but not with EAGAIN: only
                            normal code tries again */
  _Atomic int error_number; /* errno of the last failure */
  struct cgwi_refusals refusals;
};

static inline enum cgwi_state
cgwi_state (const struct cgwi_core *c)
{
  return (enum cgwi_state) atomic_load_explicit (&c->state,
                                                 memory_order_relaxed);
}

/* Set the state.  Only in an open part, the fast path writes cost lines, once
   an unusual one has permitted it.  */
static inline void
cgwi_set_state (struct cgwi_core *c, enum cgwi_state state)
{
  if (state != CGWI_PART_OPEN)
    c->encoder.usual = 0;
  atomic_store_explicit (&c->state, (int) state, memory_order_relaxed);
}

static inline struct cgwi_replacement *
cgwi_replacement_of (const struct cgwi_core *c)
{
  return &c->buffer.mark->page->replacement;
}

/* Keep that the file could not be written.  */
static inline void
cgwi_keep_io_error (struct cgwi_core *c)
{
  cgwi_keep_error (&c->refusals, CGW_EIO, CGWI_WHY_NOT_WRITTEN,
                   (uint32_t) atomic_load_explicit (&c->error_number,
                                                    memory_order_relaxed));
}

/* Whether the file takes nothing more.  */
static inline bool
cgwi_is_over (const struct cgwi_core *c)
{
  return cgwi_state (c) >= CGWI_FINISHING;
}

/* CGW_EORDER or CGW_EFINISHED when no part is open.  */
static inline enum cgw_status
cgwi_check_open (const struct cgwi_core *c)
{
  enum cgwi_state state = cgwi_state (c);

  return state == CGWI_PART_OPEN    ? CGW_OK
         : state >= CGWI_FINISHING ? CGW_EFINISHED
                                   : CGW_EORDER;
}

#endif
