/* buffer.c - records that are not written yet, and a checkpoint for each.

   SPDX-License-Identifier: MIT  */

#include "buffer.h"

/* The shortest record with n words is a cost line of n costs, "* 1 1\n": it
   has 2 * (n + 1) bytes or more, and n + 1 words.  Below the first checkpoint
   is one more word, and behind the last there may be words not kept.  */
static size_t
words_for (size_t capacity)
{
  return capacity / 2 + 1 + CGWI_WORDS_MASK;
}

/* The word below the first checkpoint.  */
static uint64_t *
bottom (const struct cgwi_extent *e)
{
  return (uint64_t *) (void *) (e->bytes + e->capacity);
}

/* A longjmp may leave it at any instruction, and a handler that ends the file
   may run it between any two: it goes by `next` alone, and can be repeated.  */
void
cgwi_buffer_move (struct cgwi_buffer *b)
{
  if (atomic_load_explicit (&b->phase, memory_order_relaxed) != CGWI_MOVING)
    return;
  b->now = b->next;
  cgwi_in_order ();
  atomic_store_explicit (&b->phase, CGWI_IDLE, memory_order_relaxed);
}

static void
change (struct cgwi_buffer *b, struct cgwi_extent next)
{
  b->next = next;
  cgwi_in_order ();
  atomic_store_explicit (&b->phase, CGWI_MOVING, memory_order_relaxed);
  cgwi_in_order ();
  cgwi_buffer_move (b);
}

bool
cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                  size_t capacity)
{
  const struct cgwi_extent old = b->now;
  struct cgwi_extent larger = old;
  size_t used = old.bytes != NULL ? cgwi_buffer_used (b) : 0;
  size_t words = old.bytes != NULL ? (size_t) (old.last - bottom (&old)) : 0;

  if (capacity <= old.capacity)
    return true;
  if (capacity > SIZE_MAX / 8)
    return false;
  larger.capacity = (capacity + 7) / 8 * 8;
  larger.bytes = cgwi_copy_larger (m, old.bytes, used,
                                   larger.capacity
                                       + words_for (larger.capacity)
                                             * sizeof (uint64_t));
  if (larger.bytes == NULL)
    return false;
  larger.last = bottom (&larger);
  *larger.last = 0;
  if (words > 0)
    memcpy (larger.last + 1, bottom (&old) + 1, words * sizeof (uint64_t));
  larger.last += words;
  change (b, larger);
  cgwi_release (m, old.bytes);
  return true;
}

void
cgwi_buffer_start (struct cgwi_buffer *b, uint64_t offset)
{
  struct cgwi_extent next;

  cgwi_buffer_move (b);
  next = b->now;
  next.last = bottom (&next);
  next.offset = offset;
  b->inside = 0;
  atomic_store_explicit (&b->phase, CGWI_IDLE, memory_order_relaxed);
  atomic_store_explicit (&b->written, offset, memory_order_relaxed);
  change (b, next);
}

const uint64_t *
cgwi_buffer_whole (const struct cgwi_buffer *b)
{
  const uint64_t *c = b->now.last;
  size_t out = cgwi_buffer_out (b);

  while (cgwi_checkpoint_end (c) > out)
    c = cgwi_checkpoint_before (c);
  return c;
}

/* Copy the checkpoints above `whole` down, for records that begin `start`
   bytes further back.  */
static void
copy_checkpoints (struct cgwi_buffer *b, const uint64_t *whole, size_t start)
{
  size_t down = (size_t) (whole - bottom (&b->now));

  for (const uint64_t *c = b->now.last; c != whole;
       c = cgwi_checkpoint_before (c))
    {
      size_t n = cgwi_checkpoint_words (c);
      uint64_t *to = b->now.last - (b->now.last - c) - down;
      *to = *c - ((uint64_t) start << CGWI_END_SHIFT);
      memcpy (to - n, c - n, n * sizeof *c);
    }
}

void
cgwi_buffer_drop (struct cgwi_buffer *b, const uint64_t *whole)
{
  size_t start = cgwi_checkpoint_end (whole);
  size_t rest = cgwi_buffer_used (b) - start;
  size_t words = (size_t) (b->now.last - whole);
  struct cgwi_extent next = b->now;

  next.offset += start;
  next.last = bottom (&next) + words;
  if (start == 0 || rest > start || next.last >= whole)
    return;
  memcpy (b->now.bytes, b->now.bytes + start, rest);
  copy_checkpoints (b, whole, start);
  b->inside = 0;
  change (b, next);
}

void
cgwi_buffer_free (struct cgwi_buffer *b, const struct cgwi_memory *m)
{
  cgwi_buffer_move (b);
  cgwi_release (m, b->now.bytes);
}

/* How many bytes are left of the page that the next record begins in.  */
static size_t
left_of_page (const struct cgwi_buffer *b)
{
  return CGWI_PAGE - (b->now.offset + cgwi_buffer_used (b)) % CGWI_PAGE;
}

/* Commit, and find out how far the next page end is.  */
static void
commit (struct cgwi_buffer *b, const char *end, unsigned kind,
        const uint64_t *words, size_t n)
{
  b->inside = SIZE_MAX;
  cgwi_buffer_commit_inside (b, end, kind, words, n, n);
  b->inside = cgwi_buffer_used (b) + left_of_page (b);
  if (b->inside > b->limit)
    b->inside = b->limit;
}

void
cgwi_buffer_commit (struct cgwi_buffer *b, const char *end, unsigned kind,
                    const uint64_t *words, size_t n)
{
  char *start = cgwi_buffer_end (b);
  size_t left = left_of_page (b);
  size_t length = (size_t) (end - start);

  if (length > left && b->pad && left < CGWI_PAGE)
    {
      memmove (start + left, start, length);
      memset (start, '\n', left);
      end += left;
    }
  commit (b, end, kind, words, n);
}
