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

/* A checkpoint: n words of the owner's, and above them a last word with the
   record's end in the buffer, its kind, which is the owner's too, and n.  */
#define CGWI_END_SHIFT 16
#define CGWI_KIND_SHIFT 8
#define CGWI_WORDS_MASK UINT64_C (0xff)
#define CGWI_KIND_MASK UINT64_C (0xff)

/* What changes at once: see cgwi_buffer_move.  */
struct cgwi_extent
{
  char *bytes;
  uint64_t *last;  /* the last word of the last checkpoint.  Below the first
                      checkpoint there is a word that is 0.  */
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

/* The end that a checkpoint's last word says.  */
static inline size_t
cgwi_checkpoint_end (const uint64_t *checkpoint)
{
  return (size_t) (*checkpoint >> CGWI_END_SHIFT);
}

static inline unsigned
cgwi_checkpoint_kind (const uint64_t *checkpoint)
{
  return (unsigned) (*checkpoint >> CGWI_KIND_SHIFT & CGWI_KIND_MASK);
}

static inline size_t
cgwi_checkpoint_words (const uint64_t *checkpoint)
{
  return (size_t) (*checkpoint & CGWI_WORDS_MASK);
}

/* The checkpoint of the record before.  The one below the first has the end
   0.  */
static inline const uint64_t *
cgwi_checkpoint_before (const uint64_t *checkpoint)
{
  return checkpoint - cgwi_checkpoint_words (checkpoint) - 1;
}

/* How many bytes are held.  */
static inline size_t
cgwi_buffer_used (const struct cgwi_buffer *b)
{
  return cgwi_checkpoint_end (b->now.last);
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
const uint64_t *cgwi_buffer_whole (const struct cgwi_buffer *b);

/* Forget the records up to that one.  Those behind it move to the front; where
   they would overlap themselves there, nothing changes: what moves must be
   whole in one of the places between any two instructions.  */
void cgwi_buffer_drop (struct cgwi_buffer *b, const uint64_t *whole);

/* Complete a change that a longjmp, or a handler that ends the file now,
   interrupted.  */
void cgwi_buffer_move (struct cgwi_buffer *b);

void cgwi_buffer_free (struct cgwi_buffer *b, const struct cgwi_memory *m);

/* Commit the record that was encoded at cgwi_buffer_end, up to end.  Blank
   lines before it fill up the page that it would straddle.  */
void cgwi_buffer_commit (struct cgwi_buffer *b, const char *end, unsigned kind,
                         const uint64_t *words, size_t n);

/* The same for a record that ends in this page and below the limit.  False,
   and nothing is done, for others.  Only `kept` of the n words are kept: n is
   for a loop whose end processors foresee.  */
static inline __attribute__ ((always_inline)) bool
cgwi_buffer_commit_inside (struct cgwi_buffer *b, const char *end,
                           unsigned kind, const uint64_t *words, size_t n,
                           size_t kept)
{
  size_t used = (size_t) (end - b->now.bytes);
  uint64_t *last = b->now.last;

  if (used > b->inside)
    return false;
  for (size_t i = 0; i < n; i++)
    last[1 + i] = words[i];
  last += kept + 1;
  *last = (uint64_t) used << CGWI_END_SHIFT
          | (uint64_t) kind << CGWI_KIND_SHIFT | kept;
  /* The record and its checkpoint come first: a handler may end the file now,
     and never return.  */
  cgwi_in_order ();
  b->now.last = last;
  return true;
}

#endif
