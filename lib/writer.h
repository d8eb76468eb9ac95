/* writer.h - struct cgw_writer, and what the files of the library that know
   the format (header.c, body.c, cut.c, writer.c) share.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_WRITER_H
#define CGWI_WRITER_H 1

#include "buffer.h"
#include "cgw.h"
#include "guard.h"
#include "memory.h"
#include "names.h"
#include "number.h"
#include "ring.h"
#include "subposition.h"
#include "whole.h"

/* What readers remember from the lines so far.  It changes while a record is
   encoded: a call that a longjmp left leaves it wrong, but then no record
   follows before a new file.  */
struct cgwi_encoder
{
  uint32_t object;  /* index of the last ob=; 0, unknown, at a file's start;
                       or CGWI_NONE */
  uint32_t file;    /* of the last fl=, or CGWI_NONE */
  uint32_t source;  /* of the last fl=, fi= or fe=: where costs are booked */
  uint32_t fn;      /* of the last fn=, or CGWI_NONE */
  bool inlined;     /* a fi= or fe= came since the last fl= */
  bool absolute;    /* a fn= came since the last cost line */
  bool usual;       /* the next cost line may be a usual one: see usual.h */
  uint32_t line;    /* of the last cost line: the base of relative ones */
  uint64_t instr;
  struct cgw_fn at_fn; /* handles of the last cost line's position */
  struct cgw_file at_file;
};

enum cgwi_state
{
  CGWI_NO_PART,
  CGWI_PART_OPEN,
  CGWI_FINISHED
};

/* One sum per event, for the open part and for the whole file.  */
struct cgwi_sums
{
  uint64_t *memory;    /* what all of the following point into */
  uint64_t *part;      /* self costs recorded in the open part */
  uint64_t *part_lost; /* and lost */
  uint64_t *file;      /* the same of the parts before */
  uint64_t *file_lost;
};

/* The kinds of records.  */
enum cgwi_kind
{
  CGWI_COST,
  CGWI_CALL,
  CGWI_JUMP,
  CGWI_COND_JUMP
};

/* Members are used inside the guard only, but for the atomic ones and those
   that never change while a part is open.  */
struct cgw_writer
{
  struct cgwi_guard guard;
  struct cgwi_ring ring;      /* records parked by who found the guard busy */
  uint32_t parking_slots;     /* of the options */
  size_t park_costs;          /* how many costs a parked record may have */
  _Atomic uint64_t busy;      /* records lost because the ring was full ... */
  _Atomic uint64_t *busy_costs; /* ... and their self costs, since the last
                                   part's end */
  uint64_t file_busy;         /* and before that */
  const _Atomic unsigned char *alive; /* 1; and in a forked child 0, where the
                                         kernel can wipe the page ... */
  void *page;                 /* ... that it is the first byte of, or NULL */
  pid_t pid;                  /* who may write */

  struct cgwi_memory memory;
  struct cgwi_buffer buffer;
  struct cgwi_encoder encoder;

  enum cgwi_state state;
  unsigned flags;
  unsigned positions;  /* CGW_LINE, ... of all parts; 0 before the first */
  size_t n_events;     /* not derived ones; 0 before the first part */
  uint32_t part;       /* counts parts: the stamp of a defined name */
  uint32_t first_part; /* the stamp of the present file's first part */
  uint32_t salt;       /* tells this writer's handles from another's */

  struct cgwi_names objects;
  struct cgwi_names files;
  struct cgwi_names fns;
  uint32_t lost_fn;    /* index of "[lost]" */

  char *creator;       /* as the caller gave it */
  char *events;        /* the events of all parts, with their formulas */

  struct cgwi_sums sums;
  bool overflow;       /* a sum of the open part passed 2^64-1 */
  uint64_t recorded;   /* records, as in struct cgw_stats */
  uint64_t lost;
  uint64_t part_lost;  /* of them, in the open part */
  _Atomic uint64_t refused;
  uint64_t discarded;
  uint64_t start;      /* the descriptor's offset at the file's beginning */

  bool owns_fd;        /* cgw_create opened it: finish and free close it */
  _Atomic bool failing; /* the last write failed, for another reason than
                          EAGAIN: only normal code tries again */
  _Atomic int error_number; /* errno of the last failure */
  enum cgw_status missing_part; /* why the last part was not begun */
  _Atomic int error;   /* the first status that left something out of the file */
};

/* Whether the writer is a forked child's copy: the kernel has wiped its page.
   Only normal code can ask where the kernel cannot do that.  */
static inline bool
cgwi_is_copy (const struct cgw_writer *w)
{
  return atomic_load_explicit (w->alive, memory_order_relaxed) == 0;
}

/* Keeps the first error that leaves something out; returns status.  */
static inline enum cgw_status
cgwi_keep (struct cgw_writer *w, enum cgw_status status)
{
  int none = CGW_OK;

  atomic_compare_exchange_strong (&w->error, &none, (int) status);
  return status;
}

/* The index that a handle stands for, or CGWI_NONE for another writer's.
   A handle is the index xor the writer's salt, whose top bit is set, so it is
   never 0, and another writer's is almost never in range.  */
static inline uint32_t
cgwi_index (const struct cgw_writer *w, const struct cgwi_names *t,
            uint32_t handle)
{
  uint32_t index = handle == 0 ? 0 : handle ^ w->salt;
  return index < t->n ? index : CGWI_NONE;
}

/* The index of a name, added if need be; CGWI_NONE when there is no memory.  */
uint32_t cgwi_add_name (struct cgw_writer *w, struct cgwi_names *t,
                        const char *text, uint32_t file, uint32_t object);

/* Takes in the record that was encoded at w->buffer.bytes + used up to end. */
static inline void
cgwi_commit (struct cgw_writer *w, const char *end)
{
  size_t used = (size_t) (end - w->buffer.bytes);

  if (!cgwi_buffer_commit_inside (&w->buffer, used))
    cgwi_buffer_commit (&w->buffer, used);
}

/* Writes what is buffered, in a handler, too; CGW_OK, CGW_EAGAIN, CGW_EIO.  */
enum cgw_status cgwi_flush (struct cgw_writer *w);

/* The same for normal code: waits while the descriptor takes nothing.  */
enum cgw_status cgwi_flush_waiting (struct cgw_writer *w);

enum cgw_status cgwi_make_more_room (struct cgw_writer *w);

/* Makes room for a record.  CGW_EIO, CGW_EAGAIN: there is none.  A descriptor
   that failed is not tried again: that is for normal code.  */
static inline enum cgw_status
cgwi_make_room (struct cgw_writer *w)
{
  return w->buffer.used < w->buffer.limit ? CGW_OK : cgwi_make_more_room (w);
}

enum cgw_status cgwi_make_room_waiting (struct cgw_writer *w);

/* Enters the guard from normal code, which may wait for another thread.
   CGW_EFORK: the writer is a forked child's copy.  CGW_EBUSY: a call that
   this one interrupted, or that never ended, holds the writer.  */
enum cgw_status cgwi_enter (struct cgw_writer *w);

/* Writes what is parked, inside the guard.  */
void cgwi_write_parked (struct cgw_writer *w);

/* Counts what is parked as lost: who holds the writer will not write it.  */
void cgwi_lose_parked (struct cgw_writer *w);

/* Enters, while anything is parked and nobody else is inside, and writes it. */
void cgwi_drain (struct cgw_writer *w);

/* Leaves the guard, and looks for what was parked until then.  */
static inline void
cgwi_leave (struct cgw_writer *w)
{
  cgwi_guard_leave (&w->guard);
  if (!cgwi_ring_is_empty (&w->ring))
    cgwi_drain (w);
}

/* Bytes of a parked record with so many costs.  */
size_t cgwi_parked_size (size_t n_costs);

/* Refuses a record: nothing changes but the count and the kept error.  */
enum cgw_status cgwi_refuse (struct cgw_writer *w, enum cgw_status status);

/* Write a record, inside the guard; the pointers are not NULL.  followed is
   NULL for a jump that is not conditional.  */
enum cgw_status cgwi_cost (struct cgw_writer *w, const struct cgw_pos *pos,
                           const uint64_t *cost, size_t n);
enum cgw_status cgwi_call (struct cgw_writer *w, const struct cgw_pos *from,
                           const struct cgw_pos *to, uint64_t count,
                           const uint64_t *cost, size_t n);
enum cgw_status cgwi_jump (struct cgw_writer *w, const struct cgw_pos *from,
                           const struct cgw_pos *to, const uint64_t *followed,
                           uint64_t executed);

/* What a record's length depends on.  */
struct cgwi_lengths
{
  size_t object; /* of the longest name */
  size_t file;
  size_t fn;
  size_t n_events;
};

struct cgwi_lengths cgwi_lengths (const struct cgw_writer *w);

/* Bytes of the longest end of a part, with the padding before it.  */
size_t cgwi_end_length (const struct cgwi_lengths *l);

/* Makes the buffer large enough for `more` bytes (or what it takes before a
   write, if that is more), one record and the end of a part.  */
bool cgwi_fit (struct cgw_writer *w, const struct cgwi_lengths *l,
               size_t more);

/* Writes the cost line of what the open part lost; room must be there.  */
void cgwi_write_lost (struct cgw_writer *w);

/* Ends the open part: the report of what was lost, and the totals.  */
void cgwi_end_part (struct cgw_writer *w);

/* The comment before what was lost, and a number behind it.  */
#define CGWI_LOST_REPORT "# cgw: lost "

/* Gives up what is buffered: counts its records as lost, and cuts a regular
   file back to its last whole record.  */
void cgwi_discard (struct cgw_writer *w);

/* Adds n costs to sums; true when one passed 2^64-1.  */
static inline bool
cgwi_add_costs (uint64_t *sums, const uint64_t *cost, size_t n)
{
  bool overflow = n > 0 && __builtin_add_overflow (sums[0], cost[0], sums);

  /* The first apart: most writers have one event.  The unrolled rest takes a
     third fewer instructions for 13.  */
#pragma GCC unroll 4
  for (size_t i = 1; i < n; i++)
    overflow |= __builtin_add_overflow (sums[i], cost[i], &sums[i]);
  return overflow;
}

/* Begins a file on fd: all but the names and the options is as new.  */
void cgwi_start_file (struct cgw_writer *w, int fd);

/* Takes a caller's options, or the defaults for NULL; false when they are not
   right.  */
bool cgwi_take_options (struct cgw_options *ours,
                        const struct cgw_options *theirs);

/* Makes a writer on a descriptor that need not be open yet.  */
enum cgw_status cgwi_new (struct cgw_writer **result, int fd,
                          const struct cgw_options *o);

/* Copies a caller's struct, whose first member is its size, into one of n
   bytes.  A member that the caller does not know is 0; false when the caller
   has set one that this library does not know.  */
bool cgwi_take_struct (void *ours, size_t n, const void *theirs);

#endif
