/* buffer.h - records not yet written, and a checkpoint for each.

   The owner encodes a record behind the last one, writes its checkpoint, and
   commits it by one store, of its end.  So between any two instructions a
   record is either in the buffer or not at all.

   A crash handler may end the buffer at any time, even from another thread:
   then nobody writes it any more but the handler.

   The buffer takes records until it holds `limit` bytes, and has room for one
   more record behind that.  So records are encoded without checking for
   space.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_BUFFER_H
#define CGWI_BUFFER_H 1

#include "../platform.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* If a process is killed inside write(2), the file ends at a multiple of this,
   because Linux copies page by page.  */
#define CGWI_PAGE 4096

/* A checkpoint has the length of a record, and in its lowest bit whether the
   record counts.  A record of this length or more has several: all but the last
   have this length.  */
#define CGWI_LENGTH_MAX 0x7fffu

enum cgwi_kind
{
  CGWI_TEXT,  /* a header, a comment, totals, the report of lost records */
  CGWI_RECORD /* a cost line, a call, a jump */
};

/* The largest buffer.  */
#define CGWI_BUFFER_MAX UINT32_MAX

/* The members that change together.  */
struct cgwi_extent
{
  char *bytes;
  char *end;       /* of the last record */
  uint16_t *first; /* checkpoint */
  uint64_t offset; /* of bytes[0] in the file */
  size_t capacity; /* of bytes; the checkpoints lie behind them */
};

/* Bits of a phase.  At most one of the first two is set.  */
enum
{
  CGWI_WRITING = 1, /* the file may have bytes that `written` does not count */
  CGWI_MOVING = 2,  /* `next` is complete and replaces `now` */
  CGWI_BUFFER_ENDED = 4    /* by cgwi_buffer_end_at_once */
};

struct cgwi_buffer
{
  struct cgwi_extent now;
  struct cgwi_extent next;
  _Atomic int phase;
  _Atomic uint64_t written;  /* our bytes end here, as an offset in the file */
  char *inside;    /* a record that ends up to here crosses neither a page nor
                      the limit; NULL: not known */
  uint16_t *checkpoint; /* of the next record */
  size_t limit;
  bool pad;        /* keep records from crossing a page */
  int fd;
  ssize_t (*write) (void *context, const void *bytes, size_t n); /* or NULL */
  void *context;
  struct cgwi_mark *mark;
};

/* Begin to write or to move.  False: the buffer was ended.  */
static inline bool
cgwi_buffer_begin (struct cgwi_buffer *b, int phase)
{
  int idle = 0;

  return atomic_compare_exchange_strong (&b->phase, &idle, phase);
}

/* Return whether the buffer was ended meanwhile.  */
static inline bool
cgwi_buffer_done (struct cgwi_buffer *b)
{
  return atomic_fetch_and (&b->phase, CGWI_BUFFER_ENDED) & CGWI_BUFFER_ENDED;
}

/* Return how many bytes are held.  */
static inline size_t
cgwi_buffer_used (const struct cgwi_buffer *b)
{
  return (size_t) (b->now.end - b->now.bytes);
}

/* Return how many of them are known to be in the file.  */
static inline size_t
cgwi_buffer_out (const struct cgwi_buffer *b)
{
  return (size_t) (atomic_load_explicit (&b->written, memory_order_relaxed)
                   - b->now.offset);
}

/* Whether the buffer takes another record.  */
static inline bool
cgwi_buffer_has_room (const struct cgwi_buffer *b)
{
  return cgwi_buffer_used (b) < b->limit;
}

/* Return where to encode it.  */
static inline char *
cgwi_buffer_end (const struct cgwi_buffer *b)
{
  return b->now.end;
}

/* Make room for capacity bytes, and for the checkpoints of the records below
   the limit and of one behind it.  False: no memory, or the buffer was
   ended.  */
bool cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                       uint64_t capacity);

/* Set the offset in the file of an empty buffer.  */
void cgwi_buffer_start (struct cgwi_buffer *b, uint64_t offset);

/* Return how many bytes of an extent are of records that are completely
   written.  */
size_t cgwi_extent_whole (const struct cgwi_extent *e, uint64_t written);

/* Return how many records, which count, are not completely written.  */
uint64_t cgwi_buffer_unwritten (const struct cgwi_buffer *b);

/* Drop the records that are completely written, and move those behind them to
   the front.  Do nothing if they would overlap their old place: between any two
   instructions they must be complete in one of the places.  */
void cgwi_buffer_drop (struct cgwi_buffer *b);

/* End the buffer, whatever its owner is doing.  Return CGWI_WRITING if the
   owner is writing, CGWI_BUFFER_ENDED if the buffer was ended before.  0: *e is
   what it holds, and stays so; nobody writes it but the caller.
   Async-signal-safe.  */
int cgwi_buffer_end_at_once (struct cgwi_buffer *b, struct cgwi_extent *e);

void cgwi_buffer_free (struct cgwi_buffer *b, const struct cgwi_memory *m);

/* Commit the record that was encoded at cgwi_buffer_end, up to end.  If it
   would cross a page, fill up that page with blank lines before it.  */
void cgwi_buffer_commit (struct cgwi_buffer *b, char *end,
                         enum cgwi_kind kind);

/* Whether a record that ends there crosses neither a page nor the limit, and
   so may be committed by cgwi_buffer_commit_inside.  */
static inline bool
cgwi_buffer_is_inside (const struct cgwi_buffer *b, const char *end)
{
  return end <= b->inside;
}

/* Commit a record that is inside.  release: a crash handler, maybe in another
   thread, finds the record complete.  */
static inline void
cgwi_buffer_commit_inside (struct cgwi_buffer *b, char *end,
                           enum cgwi_kind kind)
{
  size_t length = (size_t) (end - b->now.end);

  *b->checkpoint++ = (uint16_t) (length << 1 | (unsigned) kind);
  __atomic_store_n (&b->now.end, end, __ATOMIC_RELEASE);
}

#endif
