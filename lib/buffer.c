/* buffer.c - the bytes of the file that are not written yet, and the only
   loop that writes to a descriptor.

   SPDX-License-Identifier: MIT  */

#include "buffer.h"

#include <errno.h>
#include <unistd.h>

bool
cgwi_buffer_grow (struct cgwi_buffer *b, const struct cgwi_memory *m,
                  size_t capacity)
{
  char *bytes;

  if (capacity <= b->capacity)
    return true;
  bytes = cgwi_resize (m, b->bytes, capacity);
  if (bytes == NULL)
    return false;
  b->bytes = bytes;
  b->capacity = capacity;
  return true;
}

void
cgwi_buffer_drop (struct cgwi_buffer *b, size_t n)
{
  memmove (b->bytes, b->bytes + n, b->used - n);
  b->used -= n;
  b->out -= n;
  b->offset += n;
  b->inside = 0;
}

/* How many bytes are left of the page that holds the byte at `used`.  */
static size_t
left_of_page (const struct cgwi_buffer *b)
{
  return CGWI_PAGE - (b->offset + b->used) % CGWI_PAGE;
}

void
cgwi_buffer_commit (struct cgwi_buffer *b, size_t end)
{
  size_t left = left_of_page (b);
  size_t n = end - b->used;

  if (n > left && b->pad && left < CGWI_PAGE)
    {
      memmove (b->bytes + b->used + left, b->bytes + b->used, n);
      memset (b->bytes + b->used, '\n', left);
      n += left;
    }
  atomic_signal_fence (memory_order_release);
  b->used += n;
  b->inside = b->used + left_of_page (b);
  if (b->inside > b->limit)
    b->inside = b->limit;
}

/* One write; returns 0 or an errno.  */
static int
write_some (struct cgwi_buffer *b)
{
  const char *from = b->bytes + b->out;
  size_t left = b->used - b->out;
  ssize_t n;

  errno = 0;
  n = b->write != NULL ? b->write (b->context, from, left)
                       : write (b->fd, from, left);
  if (n > 0 && (size_t) n <= left)
    {
      b->out += (size_t) n;
      return 0;
    }
  /* Nothing taken, or a hook that breaks its contract: no progress.  */
  return n < 0 && errno != 0 ? errno : EIO;
}

int
cgwi_buffer_write (struct cgwi_buffer *b)
{
  int kept = errno;
  int error = 0;

  b->writing = true;
  while (error == 0 && b->out < b->used)
    {
      error = write_some (b);
      if (error == EINTR)
        error = 0;
    }
  errno = kept;
  if (error == 0)
    cgwi_buffer_drop (b, b->used);
  b->writing = false;
  return error == EWOULDBLOCK ? EAGAIN : error;
}
