/* buffer.h - records not yet written, and a checkpoint for each.

   The owner encodes a record behind the last one, and commits it by one store:
   of the pointer to its checkpoint, which has the offset of its end.  So
   between any two instructions a record is either in the buffer, with its
   checkpoint, or not at all.

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

/* A checkpoint: this, and n words of the owner's below it.  */
struct cgwi_checkpoint
{
  uint32_t end;  /* of the record, as an offset in the buffer */
  uint16_t n;
  uint16_t kind; /* for the owner */
};

_Static_assert (sizeof (struct cgwi_checkpoint) == sizeof (uint64_t),
                "checkpoints and words lie in one array");

/* The largest buffer.  */
#define CGWI_BUFFER_MAX UINT32_MAX

/* The members that change together.  */
struct cgwi_extent
{
  char *bytes;
  struct cgwi_checkpoint *last; /* the lowest one has the end 0 */
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
  char *end;       /* of the last record.  now.last says it, too, but the next
                      record would wait longer for that: a tenth of its time */
  _Atomic int phase;
  _Atomic uint64_t written;  /* our bytes end here, as an offset in the file */
  size_t inside;   /* a record that ends up to here crosses neither a page
                      nor the limit; 0: not known */
  size_t limit;
  bool pad;        /* keep records from crossing a page */
  int fd;
  ssize_t (*write) (void *context, const void *bytes, size_t n); /* or NULL */
  void *context;
  struct cgwi_mark *mark;
};

/* Return the words of a checkpoint.  */
static inline const uint64_t *
cgwi_checkpoint_words (const struct cgwi_checkpoint *c)
{
  return (const uint64_t *) (const void *) c - c->n;
}

/* Return the checkpoint of the previous record.  */
static inline const struct cgwi_checkpoint *
cgwi_checkpoint_before (const struct cgwi_checkpoint *c)
{
  return c - c->n - 1;
}

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
  return b->now.last->end;
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
  return b->end;
}

/* Make room for capacity bytes, and for the checkpoints of the records below
   the limit and of one behind it.  False: no memory, or the buffer was
   ended.  */
bool cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                       size_t capacity);

/* Set the offset in the file of an empty buffer.  */
void cgwi_buffer_start (struct cgwi_buffer *b, uint64_t offset);

/* Return the checkpoint of the last record of an extent that is completely
   written.  */
const struct cgwi_checkpoint *cgwi_extent_whole (const struct cgwi_extent *e,
                                                 uint64_t written);

/* Drop the records that are completely written, and move those behind them to
   the front.  Do nothing if they would overlap their old place: between any two
   instructions they must be complete in one of the places.  */
void cgwi_buffer_drop (struct cgwi_buffer *b);

/* End the buffer, whatever its owner is doing.  Return CGWI_WRITING if the owner
   is writing, CGWI_BUFFER_ENDED if the buffer was ended before.  0: *e is what
   it holds, and stays so; nobody writes it but the caller.
   Async-signal-safe.  */
int cgwi_buffer_end_at_once (struct cgwi_buffer *b, struct cgwi_extent *e);

void cgwi_buffer_free (struct cgwi_buffer *b, const struct cgwi_memory *m);

/* Commit the record that was encoded at cgwi_buffer_end, up to end.  If it
   would cross a page, fill up that page with blank lines before it.  */
void cgwi_buffer_commit (struct cgwi_buffer *b, char *end, unsigned kind,
                         const uint64_t *words, size_t n);

/* Whether a record that ends there crosses neither a page nor the limit, and
   so may be committed by cgwi_buffer_commit_inside.  */
static inline bool
cgwi_buffer_is_inside (const struct cgwi_buffer *b, const char *end)
{
  return (size_t) (end - b->now.bytes) <= b->inside;
}

/* Return where the next checkpoint's words go.  */
static inline uint64_t *
cgwi_buffer_words (const struct cgwi_buffer *b)
{
  return (uint64_t *) (void *) (b->now.last + 1);
}

/* Commit a record whose n words are at cgwi_buffer_words.  */
static inline void
cgwi_buffer_commit_inside (struct cgwi_buffer *b, char *end, unsigned kind,
                           size_t n)
{
  struct cgwi_checkpoint *next = b->now.last + n + 1;

  next->end = (uint32_t) (end - b->now.bytes);
  next->n = (uint16_t) n;
  next->kind = (uint16_t) kind;
  /* release: a crash handler, maybe in another thread, finds the record
     complete.  */
  cgwi_in_order ();
  __atomic_store_n (&b->now.last, next, __ATOMIC_RELEASE);
  b->end = end;
}

#endif
