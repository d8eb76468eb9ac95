/* file.c - start and finish a file, and salvage it when a call never returns.

   SPDX-License-Identifier: MIT  */

#include "file.h"

#include "../format/cachegrind.h"
#include "../output/open.h"
#include "../output/replace.h"
#include "../output/truncate.h"
#include "../output/write.h"
#include "part.h"
#include "room.h"

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
  if (c->creator == NULL || !cgwi_fit (c, 0, 0))
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
write_rest (struct cgwi_core *c, enum cgw_status (*flush) (struct cgwi_core *))
{
  enum cgw_status status = flush (c);

  if (status == CGW_OK)
    {
      cgwi_end_part (c);
      status = flush (c);
    }
  if (status == CGW_EIO)
    {
      cgwi_truncate (&c->buffer);
      cgwi_keep_io_error (c);
    }
  return status;
}

/* If the file is to replace another, do that, unless it is not all there, or
   has no part.  A crash handler in another thread may do so at the same
   time.  */
static enum cgw_status
replace (struct cgwi_core *c, bool is_whole)
{
  struct cgwi_replacement *r = cgwi_replacement_of (c);
  int error = 0;

  if (is_whole
      && atomic_load_explicit (&c->buffer.written, memory_order_relaxed) != 0)
    error = cgwi_replacement_rename (r);
  else
    cgwi_replacement_remove (r);
  if (error != 0)
    {
      atomic_store (&c->error_number, error);
      cgwi_keep_error (&c->refusals, CGW_EIO, CGWI_WHY_NOT_RENAMED,
                       (uint32_t) error);
    }
  return error == 0 ? CGW_OK : CGW_EIO;
}

/* A crash handler may be writing, maybe in another thread, unless the buffer is
   ended here: then leave the descriptor open, and the file to it.  A file that
   replaces another ends when it has its name: until then a crash handler still
   has something to do.  */
static void
finish_and_close (struct cgwi_core *c, bool is_whole)
{
  struct cgwi_extent e;
  bool may_close = cgwi_buffer_end_at_once (&c->buffer, &e);
  int error;

  if (cgwi_replacement_of (c)->process == 0)
    cgwi_set_state (c, CGWI_FINISHED);
  if (may_close && (error = close_own (c)) != 0)
    {
      atomic_store (&c->error_number, error);
      cgwi_keep_io_error (c);
      is_whole = false;
    }
  if (may_close)
    replace (c, is_whole);
  cgwi_set_state (c, CGWI_FINISHED);
}

enum cgw_status
cgwi_finish_file (struct cgwi_core *c)
{
  enum cgw_status status = write_rest (c, cgwi_flush_waiting);

  if (status == CGW_EAGAIN || status == CGW_EFORK)
    return status;
  finish_and_close (c, status == CGW_OK);
  return CGW_OK;
}

/* Do not wait for a descriptor that takes nothing: what is left is lost.  */
enum cgw_status
cgwi_salvage_file (struct cgwi_core *c)
{
  enum cgw_status status
      = c->events != NULL ? write_rest (c, cgwi_flush) : CGW_OK;

  if (status == CGW_EFORK)
    return status;
  if (status == CGW_EAGAIN)
    {
      cgwi_truncate (&c->buffer);
      cgwi_keep_error (&c->refusals, CGW_ELOST, CGWI_WHY_LOST_DESCRIPTOR, 0);
    }
  finish_and_close (c, status == CGW_OK);
  return status;
}

enum cgw_status
cgwi_salvage_buffer (struct cgwi_core *c)
{
  struct cgwi_buffer *b = &c->buffer;
  struct cgwi_extent e;
  bool failing = atomic_load_explicit (&c->failing, memory_order_relaxed);
  int error;

  if (!cgwi_buffer_end_at_once (b, &e))
    return replace (c, !failing);
  error = cgwi_write_extent (b, &e, 0);
  if (error == CGWI_FORKED)
    return CGW_EFORK;
  if (error == 0)
    return replace (c, true);
  if (error != EAGAIN)
    atomic_store (&c->error_number, error);
  cgwi_truncate_extent (b, &e);
  replace (c, false);
  return error == EAGAIN ? CGW_EAGAIN : CGW_EIO;
}
