/* file.c - start and finish a file, and salvage it when a call never returns.

   SPDX-License-Identifier: MIT  */

#include "file.h"

#include "../format/cachegrind.h"
#include "../output/open.h"
#include "../output/truncate.h"
#include "../output/write.h"
#include "handles.h"
#include "part.h"
#include "room.h"

#include <errno.h>
#include <unistd.h>

#define DEFAULT_BUFFER_SIZE 65536

/* Return where a new writer's handles begin, 1 to 2^31.  The multiples of the
   golden ratio spread evenly: of any 10,000 writers that a process makes one
   after the other, no two are closer than 140,000 handles; of 100,000 writers,
   9,000.  */
static uint32_t
first_handle (void)
{
  static _Atomic uint32_t writers = 1; /* far from small numbers */
  uint32_t n = atomic_fetch_add_explicit (&writers, 1, memory_order_relaxed);

  return ((n * UINT32_C (1327217885)) & INT32_MAX) + 1;
}

/* Add the names that every file has.  */
static bool
add_first_names (struct cgwi_core *c)
{
  struct cgwi_encoder *e = &c->encoder;

  if (cgwi_add_name (c, &e->objects, NULL, 0, 0) == CGWI_NONE
      || cgwi_add_name (c, &e->files, NULL, 0, 0) == CGWI_NONE
      || cgwi_add_name (c, &e->fns, NULL, 0, 0) == CGWI_NONE)
    return false;
  c->lost_fn = cgwi_add_name (c, &e->fns, "[lost]", 0, 0);
  return c->lost_fn != CGWI_NONE;
}

bool
cgwi_core_make (struct cgwi_core *c, const struct cgw_options *o)
{
  static const struct cgwi_lengths none = { 0, 0, 0, 0 };
  const char *creator
      = o->creator != NULL ? o->creator : "libcgw-" CGW_VERSION_STRING;
  struct cgwi_buffer *b = &c->buffer;

  c->first_handle = first_handle ();
  c->encoder.flags = o->flags;
  if (cgwi_is_cachegrind (&c->encoder))
    c->encoder.flags |= CGWI_CACHEGRIND_IMPLIES;
  b->write = o->write;
  b->context = o->write_context;
  b->pad = !(c->encoder.flags & CGW_NO_PAD);
  b->limit = o->buffer_size != 0 ? o->buffer_size : DEFAULT_BUFFER_SIZE;
  b->fd = -1;
  c->creator = cgwi_resize (c->memory, NULL, strlen (creator) + 1);
  if (c->creator == NULL || !cgwi_fit (c, &none, 0))
    return false;
  strcpy (c->creator, creator);
  return add_first_names (c);
}

/* Close a descriptor that we own.  Return 0 or an errno.  Give up ownership
   first, so that it is not closed twice after a longjmp.  */
static int
close_own (struct cgwi_core *c)
{
  bool owns = c->owns_fd;
  int kept = errno;
  int error = 0;

  c->owns_fd = false;
  cgwi_in_order ();
  if (owns && close (c->buffer.fd) == -1 && errno != EINTR)
    error = errno;
  errno = kept;
  return error;
}

/* Close a descriptor that a cgw_recreate left by a longjmp has opened.  */
static void
close_next (struct cgwi_core *c)
{
  int fd = c->next_fd;

  c->next_fd = -1;
  cgwi_in_order ();
  if (fd != -1)
    cgwi_close_unused (fd);
}

/* Set a pointer to NULL, then release its block: cgw_free may come after a
   longjmp.  */
static void
release (struct cgwi_core *c, char **p)
{
  char *old = *p;

  *p = NULL;
  cgwi_in_order ();
  cgwi_release (c->memory, old);
}

void
cgwi_core_free (struct cgwi_core *c)
{
  close_own (c);
  close_next (c);
  cgwi_names_free (&c->encoder.objects, c->memory);
  cgwi_names_free (&c->encoder.files, c->memory);
  cgwi_names_free (&c->encoder.fns, c->memory);
  cgwi_buffer_free (&c->buffer, c->memory);
  cgwi_accounts_clear (&c->accounts, c->memory);
  release (c, &c->creator);
  release (c, &c->events);
}

static void
clear_errors (struct cgwi_core *c)
{
  atomic_store_explicit (&c->failing, false, memory_order_relaxed);
  atomic_store_explicit (&c->error_number, 0, memory_order_relaxed);
  cgwi_errors_clear (&c->errors);
}

/* The old file may be this very one: first make sure that no handler's
   cgw_finish writes the rest of it any more, and that a forked child knows
   it.  */
int
cgwi_empty_file (struct cgwi_core *c, int fd, pid_t process)
{
  enum cgwi_state kept = c->state;
  int error;

  cgwi_know_next (&c->known, fd);
  c->state = CGWI_STARTING;
  cgwi_in_order ();
  error = cgwi_empty (fd, process);
  cgwi_in_order ();
  if (error != 0)
    c->state = kept;
  return error;
}

void
cgwi_start_file (struct cgwi_core *c, int fd, bool owns)
{
  struct cgwi_encoder *e = &c->encoder;

  c->state = CGWI_STARTING;
  cgwi_in_order ();
  if (c->buffer.write == NULL)
    cgwi_know (&c->known, fd);
  close_own (c);
  if (c->next_fd != fd)
    close_next (c);
  c->start = c->buffer.write == NULL ? cgwi_present_offset (fd) : 0;
  cgwi_buffer_start (&c->buffer, c->start);
  cgwi_accounts_clear (&c->accounts, c->memory);
  release (c, &c->events);
  clear_errors (c);
  e->last = (struct cgwi_remembered){ 0 };
  e->usual = 0;
  e->positions = 0;
  e->n_events = 0;
  e->first_part = e->part + 1;
  cgwi_names_restart (&e->objects);
  cgwi_names_restart (&e->files);
  cgwi_names_restart (&e->fns);
  c->next_fd = -1;
  cgwi_in_order ();
  c->buffer.fd = fd;
  c->owns_fd = owns;
  cgwi_in_order ();
  c->state = CGWI_NO_PART;
}

void
cgwi_refuse_file (struct cgwi_core *c, enum cgw_status status, int error,
                  const struct cgwi_sentence *why)
{
  atomic_store_explicit (&c->error_number, error, memory_order_relaxed);
  cgwi_errors_keep_sentence (&c->errors, status, why);
  c->state = CGWI_FINISHED;
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
    {
      cgwi_truncate (&c->buffer);
      cgwi_errors_keep (&c->errors, status);
    }
  return status;
}

/* Whether there never was a file.  (One without a part that was finished was
   finished by a handler, for CGW_EORDER.)  */
static bool
is_refused (const struct cgwi_core *c)
{
  return c->events == NULL && cgwi_errors_first (&c->errors) != CGW_EORDER;
}

/* Return why a file has no part: it could not be opened, its first part was
   refused, or none was ever begun.  */
static enum cgw_status
why_no_part (struct cgwi_core *c)
{
  if (cgwi_errors_first (&c->errors) == CGW_OK)
    {
      cgwi_say (&c->errors.last_why, "the file has no part: call "
                                     "cgw_begin_part, or cgw_profile_write for "
                                     "sums, before cgw_finish");
      cgwi_errors_miss_part (&c->errors, CGW_EORDER);
    }
  return cgwi_errors_first (&c->errors);
}

enum cgw_status
cgwi_finish_file (struct cgwi_core *c)
{
  enum cgw_status status;
  int error;

  if (c->state == CGWI_FINISHED && !is_refused (c))
    return CGW_EFINISHED;
  if (c->events == NULL)
    return why_no_part (c);
  status = write_rest (c);
  if (status == CGW_EAGAIN || status == CGW_EFORK)
    return status;
  /* Finished before the close: then a handler's cgw_finish writes nothing to
     a file that got the descriptor's number.  */
  c->encoder.usual = 0;
  c->state = CGWI_FINISHED;
  cgwi_in_order ();
  if ((error = close_own (c)) != 0)
    {
      atomic_store_explicit (&c->error_number, error, memory_order_relaxed);
      cgwi_errors_keep (&c->errors, CGW_EIO);
    }
  return cgwi_errors_first (&c->errors);
}

void
cgwi_salvage (struct cgwi_core *c)
{
  struct cgwi_buffer *b = &c->buffer;
  int error;

  if (c->state == CGWI_STARTING || c->state == CGWI_FINISHED
      || atomic_load_explicit (&b->phase, memory_order_relaxed)
             == CGWI_WRITING)
    return;
  cgwi_buffer_move (b);
  error = cgwi_write (b);
  if (error == 0 || error == CGWI_FORKED)
    return;
  atomic_store_explicit (&c->error_number, error, memory_order_relaxed);
  cgwi_truncate (b);
}
