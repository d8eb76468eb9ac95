/* buffer.h - records that are not written yet, and a checkpoint for each.

   The owner encodes a record behind the last one and commits it by one store,
   of the checkpoint that says where it ends.  So between any two instructions
   a record is either in the buffer, with its checkpoint, or not at all.

   The buffer begins at the end of a record.  It takes records until it holds
   `limit` bytes, and has room for one more behind that, so records are encoded
   without any check of space.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_BUFFER_H
#define CGWI_BUFFER_H 1

#include "../platform.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A process killed inside write(2) leaves a file that ends at a multiple of
   this: Linux copies page by page.  */
#define CGWI_PAGE 4096

/* A checkpoint: this, and below it n words of the owner's.  */
struct cgwi_checkpoint
{
  uint32_t end;  /* of the record, in the buffer */
  uint16_t n;
  uint16_t kind; /* the owner's, too */
};

_Static_assert (sizeof (struct cgwi_checkpoint) == sizeof (uint64_t),
                "checkpoints and words lie in one array");

/* No buffer is larger.  */
#define CGWI_BUFFER_MAX UINT32_MAX

/* What changes at once: see cgwi_buffer_move.  */
struct cgwi_extent
{
  char *bytes;
  struct cgwi_checkpoint *last; /* below the first is one with the end 0 */
  uint64_t offset; /* of bytes[0] in the file */
  size_t capacity; /* of bytes; the checkpoints lie behind them */
};

enum cgwi_phase
{
  CGWI_IDLE,
  CGWI_WRITING, /* bytes may be in the file that `written` does not count yet */
  CGWI_MOVING   /* now is about to become next */
};

struct cgwi_buffer
{
  struct cgwi_extent now;
  struct cgwi_extent next;
  _Atomic int phase;         /* enum cgwi_phase */
  _Atomic uint64_t written;  /* the offset up to which the file has our bytes */
  size_t inside;   /* a record that ends up to here does not straddle a page,
                      and does not reach the limit; 0: find out */
  size_t limit;
  bool pad;        /* keep records from straddling a page */
  int fd;
  ssize_t (*write) (void *context, const void *bytes, size_t n); /* or NULL */
  void *context;
  struct cgwi_mark *mark;
};

/* The words of a checkpoint.  */
static inline const uint64_t *
cgwi_checkpoint_words (const struct cgwi_checkpoint *c)
{
  return (const uint64_t *) (const void *) c - c->n;
}

/* The checkpoint of the record before.  */
static inline const struct cgwi_checkpoint *
cgwi_checkpoint_before (const struct cgwi_checkpoint *c)
{
  return c - c->n - 1;
}

/* How many bytes are held.  */
static inline size_t
cgwi_buffer_used (const struct cgwi_buffer *b)
{
  return b->now.last->end;
}

/* Of them, how many are known to be in the file.  */
static inline size_t
cgwi_buffer_out (const struct cgwi_buffer *b)
{
  return (size_t) (atomic_load_explicit (&b->written, memory_order_relaxed)
                   - b->now.offset);
}

/* Whether another record may be encoded.  */
static inline bool
cgwi_buffer_has_room (const struct cgwi_buffer *b)
{
  return cgwi_buffer_used (b) < b->limit;
}

/* Where to encode it.  */
static inline char *
cgwi_buffer_end (const struct cgwi_buffer *b)
{
  return b->now.bytes + cgwi_buffer_used (b);
}

/* Make room for capacity bytes and the checkpoints of all records that fit.
   False: no memory.  */
bool cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                       size_t capacity);

/* Begin a file at that offset, with nothing held.  */
void cgwi_buffer_start (struct cgwi_buffer *b, uint64_t offset);

/* Return the checkpoint of the last record that is written as a whole.  */
const struct cgwi_checkpoint *cgwi_buffer_whole (const struct cgwi_buffer *b);

/* Forget the records up to that one.  Those behind it move to the front; where
   they would overlap themselves there, nothing changes: what moves must be
   whole in one of the places between any two instructions.  */
void cgwi_buffer_drop (struct cgwi_buffer *b,
                       const struct cgwi_checkpoint *whole);

/* Complete a change that a longjmp, or a handler that ends the file now,
   interrupted.  */
void cgwi_buffer_move (struct cgwi_buffer *b);

void cgwi_buffer_free (struct cgwi_buffer *b, const struct cgwi_memory *m);

/* Commit the record that was encoded at cgwi_buffer_end, up to end.  Blank
   lines before it fill up the page that it would straddle.  */
void cgwi_buffer_commit (struct cgwi_buffer *b, const char *end, unsigned kind,
                         const uint64_t *words, size_t n);

/* Whether a record that ends there is inside its page, and below the limit.
   Such a record may be committed by cgwi_buffer_commit_inside.  */
static inline bool
cgwi_buffer_is_inside (const struct cgwi_buffer *b, const char *end)
{
  return (size_t) (end - b->now.bytes) <= b->inside;
}

/* Where the next checkpoint's words go.  */
static inline uint64_t *
cgwi_buffer_words (const struct cgwi_buffer *b)
{
  return (uint64_t *) (void *) (b->now.last + 1);
}

/* Commit a record whose n words are at cgwi_buffer_words.  */
static inline void
cgwi_buffer_commit_inside (struct cgwi_buffer *b, const char *end,
                           unsigned kind, size_t n)
{
  struct cgwi_checkpoint *next = b->now.last + n + 1;

  next->end = (uint32_t) (end - b->now.bytes);
  next->n = (uint16_t) n;
  next->kind = (uint16_t) kind;
  /* The record and its checkpoint come first: a handler may end the file now,
     and never return.  */
  cgwi_in_order ();
  b->now.last = next;
}

#endif
