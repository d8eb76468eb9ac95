/* room.c - make room in the buffer, by growing it or by writing it.

   SPDX-License-Identifier: MIT  */

#include "core.h"

#include "../format/cachegrind.h"
#include "../format/header.h"
#include "../format/lines.h"
#include "../output/write.h"

#include <errno.h>

/* Return the larger bound: one is that of the callgrind format, the other that
   of CGW_CACHEGRIND.  */
static size_t
larger (size_t a, size_t b)
{
  return a > b ? a : b;
}

bool
cgwi_fit (struct cgwi_core *c, size_t n_events, uint64_t more)
{
  struct cgwi_buffer *b = &c->buffer;
  uint64_t limit = more > b->limit ? more : b->limit;

  return cgwi_buffer_grow (b, c->memory,
                           limit + CGWI_PAGE
                               + larger (cgwi_record_max (n_events),
                                         cgwi_cachegrind_line_max (n_events))
                               + cgwi_end_max (n_events) + CGWI_NUMBER_SLACK);
}

size_t
cgwi_end_max (size_t n_events)
{
  return 3 * CGWI_PAGE + cgwi_lost_comment_max ()
         + larger (cgwi_cost_line_max (n_events),
                   cgwi_cachegrind_line_max (n_events))
         + cgwi_sums_max (n_events);
}

enum cgw_status
cgwi_flush (struct cgwi_core *c)
{
  size_t out = cgwi_buffer_out (&c->buffer);
  int error = cgwi_write (&c->buffer);
  bool fails = error > 0 && error != EAGAIN;

  if (error == CGWI_FORKED)
    return CGW_EFORK;
  if (error == CGWI_STOPPED)
    return CGW_EFINISHED;
  if (fails)
    atomic_store_explicit (&c->error_number, error, memory_order_relaxed);
  /* release: cgw_error, which finds that the file fails, says why.  */
  atomic_store_explicit (&c->failing, fails, memory_order_release);
  if (cgwi_buffer_out (&c->buffer) != out)
    cgwi_buffer_drop (&c->buffer);
  return error == 0 ? CGW_OK : fails ? CGW_EIO : CGW_EAGAIN;
}

enum cgw_status
cgwi_flush_waiting (struct cgwi_core *c)
{
  enum cgw_status status;

  while ((status = cgwi_flush (c)) == CGW_EAGAIN && c->buffer.write == NULL)
    cgwi_wait_writable (&c->buffer);
  return status;
}

enum cgw_status
cgwi_make_room (struct cgwi_core *c)
{
  enum cgw_status status
      = atomic_load_explicit (&c->failing, memory_order_relaxed)
            ? CGW_EIO
        : c->encoder.flags & CGW_WAIT ? cgwi_flush_waiting (c)
                                      : cgwi_flush (c);

  return cgwi_buffer_has_room (&c->buffer) ? CGW_OK : status;
}

enum cgw_status
cgwi_make_room_waiting (struct cgwi_core *c)
{
  enum cgw_status status;

  if (cgwi_buffer_has_room (&c->buffer))
    return CGW_OK;
  status = cgwi_flush_waiting (c);
  return cgwi_buffer_has_room (&c->buffer) ? CGW_OK : status;
}
