/* buffer.c - records not yet written, and a checkpoint for each.

   SPDX-License-Identifier: MIT  */

#include "buffer.h"

/* Return how many checkpoints there may be.  A record has at least two bytes,
   as the comment "#\n".  Records begin below the limit; behind it come one
   more, and texts at the end of a part and the beginning of the next.  */
static size_t
checkpoints_for (size_t limit, size_t capacity)
{
  return limit / 2 + capacity / CGWI_LENGTH_MAX + 16;
}

/* The checkpoints of an extent lie behind its bytes.  */
static uint16_t *
checkpoints (const struct cgwi_extent *e)
{
  return (uint16_t *) (void *) (e->bytes + e->capacity);
}

/* Replace `now`, where the next checkpoint is that one.  False: the buffer was
   ended, and nothing has changed.  */
static bool
change (struct cgwi_buffer *b, struct cgwi_extent next, uint16_t *checkpoint)
{
  b->next = next;
  cgwi_in_order ();
  if (!cgwi_buffer_begin (b, CGWI_MOVING))
    return false;
  b->now = b->next;
  b->checkpoint = checkpoint;
  b->inside = NULL;
  cgwi_buffer_done (b);
  return true;
}

bool
cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                  uint64_t capacity)
{
  const struct cgwi_extent old = b->now;
  size_t used = cgwi_buffer_used (b), n = (size_t) (b->checkpoint - old.first);
  struct cgwi_extent larger = old;

  if (capacity <= old.capacity)
    return true;
  if (capacity > CGWI_BUFFER_MAX - CGWI_PAGE || capacity > SIZE_MAX / 4)
    return false;
  larger.capacity
      = ((size_t) capacity + CGWI_PAGE - 1) / CGWI_PAGE * CGWI_PAGE;
  larger.bytes = cgwi_copy_larger (
      m, old.bytes, used,
      larger.capacity
          + checkpoints_for (b->limit, larger.capacity) * sizeof (uint16_t));
  if (larger.bytes == NULL)
    return false;
  larger.end = larger.bytes + used;
  larger.first = checkpoints (&larger);
  if (n > 0)
    memcpy (larger.first, old.first, n * sizeof (uint16_t));
  if (!change (b, larger, larger.first + n))
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

/* Take the record at a checkpoint: return its length, and make that its last
   checkpoint.  */
static size_t
take_checkpoint (uint16_t **checkpoint)
{
  size_t length = 0;

  for (; **checkpoint >> 1 == CGWI_LENGTH_MAX; ++*checkpoint)
    length += CGWI_LENGTH_MAX;
  return length + (**checkpoint >> 1);
}

/* Find the first record that is not completely written: return where it begins,
   and its checkpoint.  */
static size_t
find_unwritten (const struct cgwi_extent *e, uint64_t written,
                uint16_t **checkpoint)
{
  size_t held = (size_t) (e->end - e->bytes), end = 0;

  *checkpoint = e->first;
  while (end < held)
    {
      uint16_t *c = *checkpoint;
      size_t length = take_checkpoint (&c);

      if (e->offset + end + length > written)
        break;
      end += length;
      *checkpoint = c + 1;
    }
  return end;
}

size_t
cgwi_extent_whole (const struct cgwi_extent *e, uint64_t written)
{
  uint16_t *checkpoint;

  return find_unwritten (e, written, &checkpoint);
}

uint64_t
cgwi_buffer_unwritten (const struct cgwi_buffer *b)
{
  const struct cgwi_extent *e = &b->now;
  uint16_t *c;
  size_t end = find_unwritten (
      e, atomic_load_explicit (&b->written, memory_order_relaxed), &c);
  uint64_t n = 0;

  for (; end < cgwi_buffer_used (b); c++)
    {
      end += take_checkpoint (&c);
      n += *c & 1;
    }
  return n;
}

/* Move the records of `next` to the front of its bytes, and its checkpoints,
   unless these would overlap their old place.  */
static void
move_to_front (struct cgwi_buffer *b, struct cgwi_extent next, size_t dropped)
{
  size_t rest = cgwi_buffer_used (b) - dropped;
  size_t n_dropped = (size_t) (next.first - checkpoints (&next));
  size_t n = (size_t) (b->checkpoint - next.first);
  uint16_t *front = checkpoints (&next);

  if (rest > dropped || n > n_dropped)
    return;
  memcpy (next.bytes, next.bytes + dropped, rest);
  next.offset += dropped;
  next.end = next.bytes + rest;
  if (!change (b, next, b->checkpoint))
    return;
  /* Nobody looks for checkpoints at the front any more.  */
  memcpy (front, next.first, n * sizeof *front);
  next.first = front;
  /* Ended in between: there may be no room for more checkpoints.  */
  if (!change (b, next, front + n))
    b->limit = 0;
}

void
cgwi_buffer_drop (struct cgwi_buffer *b)
{
  uint64_t written = atomic_load_explicit (&b->written, memory_order_relaxed);
  struct cgwi_extent next = b->now;
  uint16_t *checkpoint = b->checkpoint;
  size_t dropped = cgwi_buffer_used (b);

  /* Mostly all is written.  */
  if (next.offset + dropped != written)
    dropped = find_unwritten (&next, written, &checkpoint);
  next.first = checkpoint;
  if (dropped != 0)
    move_to_front (b, next, dropped);
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
      .end = __atomic_load_n (&b->now.end, __ATOMIC_ACQUIRE),
      .first = b->now.first,
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
cgwi_buffer_commit (struct cgwi_buffer *b, char *end, enum cgwi_kind kind)
{
  char *start = cgwi_buffer_end (b);
  size_t left = left_of_page (b);
  size_t length = (size_t) (end - start);

  if (length > left && b->pad && left < CGWI_PAGE)
    {
      memmove (start + left, start, length);
      memset (start, '\n', left);
      length += left;
    }
  end = start + length;
  for (; length >= CGWI_LENGTH_MAX; length -= CGWI_LENGTH_MAX)
    *b->checkpoint++ = CGWI_LENGTH_MAX << 1;
  *b->checkpoint++ = (uint16_t) (length << 1 | (unsigned) kind);
  __atomic_store_n (&b->now.end, end, __ATOMIC_RELEASE);
  /* The next record may be committed up to the end of its page, or the
     limit.  */
  b->inside = end + left_of_page (b);
  if (b->inside > b->now.bytes + b->limit)
    b->inside = b->now.bytes + b->limit;
}
