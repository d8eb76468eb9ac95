/* buffer.c - records not yet written, and a checkpoint for each.

   SPDX-License-Identifier: MIT  */

#include "buffer.h"

/* The most words of a record: CGW_EVENTS_MAX and more.  */
#define WORDS_MAX 255

/* Return how many words the checkpoints need.  The record with the most words
   per byte is a cost line such as "* 1 1\n": with n costs it has at least
   2 * (n + 1) bytes, and n + 1 words.  Records begin below the limit, and the
   last one may have more bytes.  Below the first checkpoint is one more word;
   behind the last one, words of a record that is not committed.  */
static size_t
words_for (size_t limit)
{
  return limit / 2 + 2 + 2 * WORDS_MAX;
}

/* The checkpoint below the first.  */
static struct cgwi_checkpoint *
bottom (const struct cgwi_extent *e)
{
  return (struct cgwi_checkpoint *) (void *) (e->bytes + e->capacity);
}

static void
move (struct cgwi_buffer *b)
{
  b->now = b->next;
  b->end = b->now.bytes + b->now.last->end;
  b->inside = 0;
}

/* Replace `now`.  False: the buffer was ended, and nothing has changed.  */
static bool
change (struct cgwi_buffer *b, struct cgwi_extent next)
{
  b->next = next;
  cgwi_in_order ();
  if (!cgwi_buffer_begin (b, CGWI_MOVING))
    return false;
  move (b);
  cgwi_buffer_done (b);
  return true;
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
  if (capacity > CGWI_BUFFER_MAX - CGWI_PAGE || capacity > SIZE_MAX / 8)
    return false;
  larger.capacity = (capacity + CGWI_PAGE - 1) / CGWI_PAGE * CGWI_PAGE;
  larger.bytes = cgwi_copy_larger (m, old.bytes, used,
                                   larger.capacity
                                       + words_for (b->limit)
                                             * sizeof (uint64_t));
  if (larger.bytes == NULL)
    return false;
  larger.last = bottom (&larger);
  memset (larger.last, 0, sizeof *larger.last);
  if (words > 0)
    memcpy (larger.last + 1, bottom (&old) + 1, words * sizeof (uint64_t));
  larger.last += words;
  if (!change (b, larger))
    {
      cgwi_release (m, larger.bytes);
      return false;
    }
  cgwi_release (m, old.bytes);
  return true;
}

void
cgwi_buffer_start (struct cgwi_buffer *b, uint64_t offset)
{
  b->now.offset = offset;
  atomic_store_explicit (&b->written, offset, memory_order_relaxed);
}

const struct cgwi_checkpoint *
cgwi_extent_whole (const struct cgwi_extent *e, uint64_t written)
{
  const struct cgwi_checkpoint *c = e->last;

  while (e->offset + c->end > written)
    c = cgwi_checkpoint_before (c);
  return c;
}

/* Copy the checkpoints above `whole` to the bottom, for records that move to
   the front.  */
static void
copy_checkpoints (const struct cgwi_buffer *b,
                  const struct cgwi_checkpoint *whole)
{
  struct cgwi_checkpoint *to = bottom (&b->now) + (b->now.last - whole);

  for (const struct cgwi_checkpoint *c = b->now.last; c != whole;
       c = cgwi_checkpoint_before (c))
    {
      *to = *c;
      to->end -= whole->end;
      to -= c->n;
      memcpy (to, cgwi_checkpoint_words (c), c->n * sizeof *to);
      to--;
    }
}

void
cgwi_buffer_drop (struct cgwi_buffer *b)
{
  const struct cgwi_checkpoint *whole = cgwi_extent_whole (
      &b->now, atomic_load_explicit (&b->written, memory_order_relaxed));
  size_t rest = cgwi_buffer_used (b) - whole->end;
  struct cgwi_extent next = b->now;

  next.offset += whole->end;
  next.last = bottom (&next) + (b->now.last - whole);
  if (whole->end == 0 || rest > whole->end || next.last >= whole)
    return;
  memcpy (b->now.bytes, b->now.bytes + whole->end, rest);
  copy_checkpoints (b, whole);
  change (b, next);
}

/* acquire: what the owner has done.  While it moves, `next` is complete, and it
   does not touch the records that `next` has.  */
int
cgwi_buffer_end_at_once (struct cgwi_buffer *b, struct cgwi_extent *e)
{
  int phase = atomic_fetch_or (&b->phase, CGWI_BUFFER_ENDED);

  if (phase & CGWI_BUFFER_ENDED)
    return CGWI_BUFFER_ENDED;
  if (phase & CGWI_WRITING)
    return CGWI_WRITING;
  if (phase & CGWI_MOVING)
    *e = b->next;
  else
    *e = (struct cgwi_extent){
      .bytes = b->now.bytes,
      .last = __atomic_load_n (&b->now.last, __ATOMIC_ACQUIRE),
      .offset = b->now.offset,
      .capacity = b->now.capacity,
    };
  return 0;
}

void
cgwi_buffer_free (struct cgwi_buffer *b, const struct cgwi_memory *m)
{
  cgwi_release (m, b->now.bytes);
}

/* Return how many bytes are left of the page in which the next record
   begins. */
static size_t
left_of_page (const struct cgwi_buffer *b)
{
  return CGWI_PAGE - (b->now.offset + cgwi_buffer_used (b)) % CGWI_PAGE;
}

void
cgwi_buffer_commit (struct cgwi_buffer *b, char *end, unsigned kind,
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
  if (n > 0)
    memcpy (cgwi_buffer_words (b), words, n * sizeof *words);
  cgwi_buffer_commit_inside (b, end, kind, n);
  /* The next record may be committed up to the end of its page, or the
     limit.  */
  b->inside = cgwi_buffer_used (b) + left_of_page (b);
  if (b->inside > b->limit)
    b->inside = b->limit;
}
