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
  bool owns_fd;          /* cgw_open opened it, and we close it */
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
   a slow one has permitted it.  */
static inline void
cgwi_set_state (struct cgwi_core *c, enum cgwi_state state)
{
  if (state != CGWI_PART_OPEN)
    c->encoder.fast = 0;
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

/* Parts: part.c.  */

/* Begin a part that was checked, with n_events events that have costs, and end
   the one before.  *why is set for CGW_EINVAL.
   CGW_EINVAL, CGW_ENOMEM, CGW_EFINISHED, CGW_EIO, CGW_EAGAIN, CGW_EFORK:
   nothing was begun, and nothing changed.  */
enum cgw_status cgwi_begin_part (struct cgwi_core *c,
                                 const struct cgw_part *part, size_t n_events,
                                 struct cgwi_why *why);

/* Refuse records until the next part begins.  */
void cgwi_refuse_part (struct cgwi_core *c);

/* End the open part, if there is one: write the report of lost records, and
   the totals.  */
void cgwi_end_part (struct cgwi_core *c);

/* Write a comment line.  CGW_EORDER, CGW_EFINISHED, CGW_ENOMEM, CGW_EIO,
   CGW_EAGAIN, CGW_EFORK.  */
enum cgw_status cgwi_write_comment (struct cgwi_core *c, const char *text);

/* The file: file.c.  */

/* Make a core without a file.  Its memory must be all zeros but for c->memory
   and c->encoder.names.  The options must be valid.  False: no memory;
   cgwi_core_free it.  */
bool cgwi_core_make (struct cgwi_core *c, const struct cgw_options *o);

/* Free all memory, and close an owned descriptor.  */
void cgwi_core_free (struct cgwi_core *c);

/* Start the core's file on fd.  owns: the core closes the descriptor.  */
void cgwi_start_file (struct cgwi_core *c, int fd, bool owns);

/* End the last part, which there must be, with its totals, flush, and close an
   owned descriptor.  If that fails for good, keep the error.  CGW_EAGAIN,
   CGW_EFORK: the file is not finished.  CGW_EFINISHED: cgw_salvage has ended
   it.  */
enum cgw_status cgwi_finish_file (struct cgwi_core *c);

/* End the file for a crash handler, whatever call is inside the core, which
   writes nothing more from then on: write the committed records.  If another
   call is inside write(2), write nothing, because it is unknown how much of
   that is written.  If the file replaces another, rename it.
   CGW_EFINISHED: it has ended already; with `resume`, only its rename may be
   missing.  CGW_ELOST: another call is inside write(2).  CGW_EIO, CGW_EAGAIN,
   CGW_EFORK.  */
enum cgw_status cgwi_salvage_file (struct cgwi_core *c, bool resume);

/* Whether the file has no bytes yet.  */
bool cgwi_is_empty (const struct cgwi_core *c);

/* Room in the buffer: room.c.  */

/* Make the buffer large enough for `more` bytes (or its limit, if that is
   more), one record of a part with n_events events, and the end of a part, with
   padding.  False: no memory.  */
bool cgwi_fit (struct cgwi_core *c, size_t n_events, uint64_t more);

/* Upper bound of the end of a part: the report of lost records, the cost line
   of "[lost]", and the totals, with the padding before each.  */
size_t cgwi_end_max (size_t n_events);

/* Write what is buffered.  Async-signal-safe.  CGW_EAGAIN, CGW_EIO, CGW_EFORK;
   CGW_EFINISHED: a crash handler has ended the file.  */
enum cgw_status cgwi_flush (struct cgwi_core *c);

/* The same for normal code: wait while the descriptor takes nothing.  */
enum cgw_status cgwi_flush_waiting (struct cgwi_core *c);

/* Make room for a record when there is none.  After an error there is still
   none, see cgwi_flush.  Do not try a descriptor again that failed; only normal
   code does.  Wait while it takes nothing only with CGW_WAIT.  */
enum cgw_status cgwi_make_room (struct cgwi_core *c);

/* The same for normal code: wait while the descriptor takes nothing.  */
enum cgw_status cgwi_make_room_waiting (struct cgwi_core *c);

#endif
