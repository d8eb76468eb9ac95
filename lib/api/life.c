/* life.c - cgw_new, cgw_create, cgw_reset, cgw_recreate, cgw_free.

   SPDX-License-Identifier: MIT  */

#include "../core/file.h"
#include "../gate/gate.h"
#include "../output/open.h"
#include "../output/write.h"
#include "structs.h"

#include <stdlib.h>
#include <unistd.h>

#define ALL_FLAGS                                                             \
  (CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS | CGW_NO_PAD              \
   | CGW_ZERO_CALLS | CGW_THREADS | CGW_WAIT | CGW_CACHEGRIND)
#define DEFAULT_SLOTS 1024

/* The allocator when there is no hook.  */
static void *
allocate (void *context, void *p, size_t n)
{
  (void) context;
  if (n > 0)
    return realloc (p, n);
  free (p);
  return NULL;
}

/* Copy a caller's options, or the defaults for NULL.  False: they are
   invalid.  */
static bool
take_options (struct cgw_options *o, const struct cgw_options *theirs)
{
  static const struct cgw_options none = CGW_OPTIONS_INIT;

  return cgwi_take_struct (o, sizeof *o, theirs != NULL ? theirs : &none)
         && (o->flags & ~ALL_FLAGS) == 0 && o->buffer_size <= SIZE_MAX / 4
         && o->parking_slots <= CGWI_SLOTS_MAX;
}

static void
free_queues (struct cgw_writer *w)
{
  struct cgwi_queue *q = atomic_load (&w->queue);

  while (q != &w->no_queue)
    {
      struct cgwi_queue *older = q->older;
      cgwi_queue_free (q, &w->memory);
      q = older;
    }
}

static void
free_writer (struct cgw_writer *w)
{
  struct cgwi_memory memory = w->memory;

  cgwi_core_free (&w->core);
  free_queues (w);
  cgwi_mark_free (&w->mark);
  cgwi_release (&memory, w->path);
  cgwi_release (&memory, w);
}

/* Make a writer without a file.  */
static enum cgw_status
make (struct cgw_writer **result, const struct cgw_options *o)
{
  struct cgwi_memory memory = {
    o->allocate != NULL ? o->allocate : allocate, o->allocate_context
  };
  struct cgw_writer *w = cgwi_resize (&memory, NULL, sizeof *w);

  if (w == NULL)
    return CGW_ENOMEM;
  memset (w, 0, sizeof *w);
  w->memory = memory;
  w->threads = (o->flags & CGW_THREADS) != 0;
  w->n_slots = o->parking_slots != 0 ? o->parking_slots : DEFAULT_SLOTS;
  cgwi_queue_make_empty (&w->no_queue);
  atomic_init (&w->queue, &w->no_queue);
  w->core.memory = &w->memory;
  w->core.next_fd = -1;
  w->core.buffer.mark = &w->mark;
  if (!cgwi_mark_make (&w->mark) || !cgwi_core_make (&w->core, o))
    {
      free_writer (w);
      return CGW_ENOMEM;
    }
  cgwi_publish_names (w);
  cgwi_gate_make (w);
  cgwi_mark_set (&w->mark);
  *result = w;
  return CGW_OK;
}

enum cgw_status
cgw_new (struct cgw_writer **result, int fd, const struct cgw_options *options)
{
  struct cgw_options o;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (!take_options (&o, options)
      || (o.write == NULL && !cgwi_is_writable (fd)))
    return CGW_EINVAL;
  status = make (result, &o);
  if (status == CGW_OK)
    cgwi_start_file (&(*result)->core, fd, false);
  return status;
}

/* Return a copy of a path in a writer's memory, or NULL.  */
static char *
copy_path (struct cgw_writer *w, const char *path)
{
  size_t n = strlen (path) + 1;
  char *copy = cgwi_resize (&w->memory, NULL, n);

  return copy != NULL ? memcpy (copy, path, n) : NULL;
}

/* Open a file for a writer.  Change nothing in it.  */
static enum cgw_status
open_file (struct cgw_writer *w, const char *path, pid_t process, int *fd,
           int *error)
{
  switch (cgwi_open (&w->memory, path, process, &w->core.known, fd, error))
    {
    case CGWI_OPENED:
      return CGW_OK;
    case CGWI_OPEN_FAILED:
      return CGW_EIO;
    case CGWI_NOT_OURS:
      return CGW_EFILE;
    case CGWI_BAD_PATH:
      return CGW_EINVAL;
    default:
      return CGW_ENOMEM;
    }
}

/* Empty it, unless a handler has forked since this was that process.  After a
   failure the writer is as it was.  */
static enum cgw_status
empty_file (struct cgw_writer *w, int fd, pid_t process, int *error)
{
  *error = cgwi_empty_file (&w->core, fd, process);
  if (*error != CGWI_FORKED)
    return *error == 0 ? CGW_OK : CGW_EIO;
  *error = 0;
  return CGW_EFORK;
}

/* Open and empty a file for a writer.  After a failure *error is an errno or 0,
   and the writer is as it was.

   Meanwhile the descriptor is the writer's next_fd: so it is closed after a
   longjmp, too.  The one that is there may be that of a call which this one
   has interrupted, and which goes on if this one fails.  */
static enum cgw_status
open_empty_file (struct cgw_writer *w, const char *path, pid_t process,
                 int *fd, int *error)
{
  int before = w->core.next_fd;
  enum cgw_status status
      = open_file (w, path, process, &w->core.next_fd, error);

  *fd = w->core.next_fd;
  if (status == CGW_OK)
    status = empty_file (w, *fd, process, error);
  if (status != CGW_OK)
    {
      w->core.next_fd = before;
      before = *fd;
    }
  cgwi_in_order ();
  if (before != -1)
    cgwi_close_unused (before);
  return status;
}

/* Open a new writer's file, or record why it has none.  */
static enum cgw_status
open_first_file (struct cgw_writer *w, const char *path, pid_t process)
{
  enum cgw_status status;
  int fd, error;

  if ((w->path = copy_path (w, path)) == NULL)
    return CGW_ENOMEM;
  status = open_empty_file (w, path, process, &fd, &error);
  if (status == CGW_OK)
    cgwi_start_file (&w->core, fd, true);
  else if (error != 0)
    cgwi_refuse_file (&w->core, status, error);
  return status;
}

enum cgw_status
cgw_create (struct cgw_writer **result, const char *path,
            const struct cgw_options *options)
{
  pid_t process = getpid ();
  struct cgw_options o;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (path == NULL || !take_options (&o, options) || o.write != NULL)
    return CGW_EINVAL;
  /* Open, and so empty, the file last, when nothing else can fail.  */
  if ((status = make (result, &o)) != CGW_OK)
    return status;
  status = open_first_file (*result, path, process);
  if (status == CGW_EINVAL || status == CGW_ENOMEM)
    {
      free_writer (*result);
      *result = NULL;
    }
  return status;
}

void
cgw_free (struct cgw_writer *w)
{
  /* Leak memory that another thread is using rather than free it.  */
  if (w != NULL && cgwi_take_over (w) == CGW_OK)
    free_writer (w);
}

/* Start a new file in that process, inside, and leave.  If a handler has forked
   since the call began, and has returned into it in the child, the file is the
   parent's, and the child's copy stays dead.

   In a forked child, records from handlers return CGW_EFORK until
   cgwi_mark_set, then CGW_EORDER; in the same process CGW_EORDER from the
   start, because the queue is closed.  */
static enum cgw_status
restart (struct cgw_writer *w, int fd, bool owns, pid_t process)
{
  bool forked;

  atomic_store_explicit (&w->finish_wanted, false, memory_order_relaxed);
  cgwi_queue_restart (atomic_load (&w->queue));
  cgwi_start_file (&w->core, fd, owns);
  atomic_store_explicit (&w->refused, 0, memory_order_relaxed);
  cgwi_mark_set (&w->mark);
  /* Afterwards: until there is a part, a handler has nothing to write.  */
  forked = getpid () != process;
  if (forked)
    atomic_store_explicit (&w->mark.page->alive, false, memory_order_relaxed);
  cgwi_leave (w);
  return forked ? CGW_EFORK : CGW_OK;
}

enum cgw_status
cgw_reset (struct cgw_writer *w, int fd)
{
  pid_t process = getpid ();
  enum cgw_status status;

  if (w == NULL || (w->core.buffer.write == NULL && !cgwi_is_writable (fd)))
    return CGW_EINVAL;
  if ((status = cgwi_take_over (w)) != CGW_OK)
    return status;
  return restart (w, fd, false, process);
}

/* Set the path, then release the old one: cgw_free may come after a
   longjmp.  */
static void
change_path (struct cgw_writer *w, char *path)
{
  char *old = w->path;

  w->path = path;
  cgwi_in_order ();
  cgwi_release (&w->memory, old);
}

/* Open the file at path, or at the writer's own, inside.  If that fails,
   nothing has changed but what cgw_errno returns.  */
static enum cgw_status
open_next_file (struct cgw_writer *w, const char *path, pid_t process, int *fd)
{
  enum cgw_status status;
  char *copy = NULL;
  int error;

  if (path == NULL && w->path == NULL)
    return CGW_EINVAL;
  if (path != NULL && (copy = copy_path (w, path)) == NULL)
    return CGW_ENOMEM;
  status = open_empty_file (w, path != NULL ? path : w->path, process, fd,
                            &error);
  if (status != CGW_OK)
    cgwi_release (&w->memory, copy);
  else if (copy != NULL)
    change_path (w, copy);
  if (error != 0)
    atomic_store_explicit (&w->core.error_number, error,
                           memory_order_relaxed);
  return status;
}

/* Open the new file inside, because another thread may change the path, but
   before the old file is given up.  */
enum cgw_status
cgw_recreate (struct cgw_writer *w, const char *path)
{
  pid_t process = getpid ();
  enum cgw_status status;
  bool entered;
  int fd;

  if (w == NULL || w->core.buffer.write != NULL)
    return CGW_EINVAL;
  if ((status = cgwi_try_take_over (w, &entered)) != CGW_OK)
    return status;
  status = open_next_file (w, path, process, &fd);
  if (status == CGW_OK)
    return restart (w, fd, true, process);
  if (entered)
    cgwi_leave (w);
  return status;
}
