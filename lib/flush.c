/* flush.c - writing what is buffered, from handlers, too: nothing here waits.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

#include <errno.h>

enum cgw_status
cgwi_flush (struct cgw_writer *w)
{
  int error = cgwi_buffer_write (&w->buffer);

  w->failing = error != 0 && error != EAGAIN;
  if (error == 0)
    return CGW_OK;
  cgwi_buffer_drop (&w->buffer,
                    cgwi_whole_records (w->buffer.bytes, w->buffer.out));
  if (error == EAGAIN)
    return CGW_EAGAIN;
  w->error_number = error;
  return CGW_EIO;
}

enum cgw_status
cgwi_make_more_room (struct cgw_writer *w)
{
  enum cgw_status status = w->failing ? CGW_EIO : cgwi_flush (w);

  return w->buffer.used < w->buffer.limit ? CGW_OK : status;
}
