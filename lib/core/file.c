/* file.c - start and finish a file, and salvage it when a call never returns.

   SPDX-License-Identifier: MIT  */

#include "core.h"

#include "../format/cachegrind.h"
#include "../output/open.h"
#include "../output/replace.h"
#include "../output/write.h"

#include <errno.h>
#include <unistd.h>

#define DEFAULT_BUFFER_SIZE 65536

bool
cgwi_core_make (struct cgwi_core *c, const struct cgw_options *o)
{
  const char *creator
      = o->creator != NULL ? o->creator : "libcgw-" CGW_VERSION_STRING;
  struct cgwi_buffer *b = &c->buffer;

  c->encoder.flags = o->flags;
  if (cgwi_is_cachegrind (&c->encoder))
    c->encoder.flags |= CGWI_CACHEGRIND_IMPLIES;
  b->write = o->write;
  b->context = o->write_context;
  b->pad = !(c->encoder.flags & CGW_NO_PAD);
  b->limit = o->buffer_size != 0 ? o->buffer_size : DEFAULT_BUFFER_SIZE;
  b->fd = -1;
  c->creator = cgwi_resize (c->memory, NULL, strlen (creator) + 1);
  if (c->creator == NULL || !cgwi_fit (c, 0, 0)
      || !cgwi_reserve_ids (&c->encoder, c->memory))
    return false;
  strcpy (c->creator, creator);
  return true;
}

/* Close a descriptor that we own.  Return 0 or an errno.  */
static int
close_own (struct cgwi_core *c)
{
  bool owns = c->owns_fd;

  c->owns_fd = false;
  return owns ? cgwi_close (c->buffer.fd) : 0;
}

void
cgwi_core_free (struct cgwi_core *c)
{
  close_own (c);
  if (c->buffer.mark->page != NULL)
    cgwi_replacement_remove (cgwi_replacement_of (c));
  cgwi_buffer_free (&c->buffer, c->memory);
  cgwi_accounts_free (&c->accounts, c->memory);
  cgwi_release (c->memory, c->creator);
  cgwi_release (c->memory, c->events);
  cgwi_free_ids (&c->encoder, c->memory);
}

void
cgwi_start_file (struct cgwi_core *c, int fd, bool owns)
{
  c->start = c->buffer.write == NULL ? cgwi_present_offset (fd) : 0;
  cgwi_buffer_start (&c->buffer, c->start);
  c->buffer.fd = fd;
  c->owns_fd = owns;
}

/* Write the records, then the totals.  If the descriptor fails for good, only
   records are left in the buffer, and they are lost.  */
static enum cgw_status
write_rest (struct cgwi_core *c)
{
  enum cgw_status status = cgwi_flush_waiting (c);

  if (status == CGW_OK)
    {
      cgwi_end_part (c);
      status = cgwi_flush_waiting (c);
    }
  if (status == CGW_EIO)
    cgwi_keep_io_error (c);
  return status;
}

bool
cgwi_is_empty (const struct cgwi_core *c)
{
  return atomic_load_explicit (&c->buffer.written, memory_order_relaxed)
         == c->start;
}

/* If the file is to replace another, do that, unless it is empty or the
   descriptor has failed it.  A crash handler in another thread may do so at the
   same time.  */
static void
replace_file (struct cgwi_core *c)
{
  struct cgwi_replacement *r = cgwi_replacement_of (c);
  int error = 0;

  if (cgwi_first_error (&c->refusals) == CGW_EIO || cgwi_is_empty (c))
    cgwi_replacement_remove (r);
  else
    error = cgwi_replacement_rename (r);
  if (error == 0)
    return;
  atomic_store (&c->error_number, error);
  cgwi_keep_error (&c->refusals, CGW_EIO, CGWI_WHY_NOT_RENAMED,
                   (uint32_t) error);
}

/* End the buffer, truncate the file to what was written of it, and close the
   descriptor.  If a crash handler has ended it before, maybe in another thread,
   the handler may be writing: leave the descriptor open, and the file to it.  */
static void
finish_and_close (struct cgwi_core *c)
{
  struct cgwi_extent e;
  int error;

  if (cgwi_buffer_end_at_once (&c->buffer, &e) == 0)
    {
      cgwi_truncate (&c->buffer, &e);
      error = close_own (c);
      if (error != 0)
        {
          atomic_store (&c->error_number, error);
          cgwi_keep_io_error (c);
        }
      replace_file (c);
    }
  cgwi_set_state (c, CGWI_FINISHED);
}

enum cgw_status
cgwi_finish_file (struct cgwi_core *c)
{
  enum cgw_status status = write_rest (c);

  if (status != CGW_OK && status != CGW_EIO)
    return status;
  finish_and_close (c);
  return CGW_OK;
}

/* Write what the buffer held when it was ended.  */
static enum cgw_status
write_ended (struct cgwi_core *c, const struct cgwi_extent *e)
{
  struct cgwi_buffer *b = &c->buffer;
  int error = cgwi_write_extent (b, e, 0);

  if (error == 0)
    return CGW_OK;
  if (error == CGWI_FORKED)
    return CGW_EFORK;
  cgwi_truncate (b, e);
  if (error == EAGAIN)
    return CGW_EAGAIN;
  atomic_store (&c->error_number, error);
  cgwi_keep_io_error (c);
  return CGW_EIO;
}

enum cgw_status
cgwi_salvage_file (struct cgwi_core *c, bool resume)
{
  struct cgwi_extent e;
  int others = cgwi_buffer_end_at_once (&c->buffer, &e);
  enum cgw_status status = others == CGWI_BUFFER_ENDED ? CGW_EFINISHED
                           : others == CGWI_WRITING    ? CGW_ELOST
                                                       : write_ended (c, &e);

  if (status != CGW_EFORK && (status != CGW_EFINISHED || resume))
    replace_file (c);
  return status;
}
