/* life.c - cgw_new, cgw_create, cgw_reset, cgw_free.

   SPDX-License-Identifier: MIT  */

#include "../core/file.h"
#include "../gate/gate.h"
#include "../output/open.h"
#include "../output/write.h"
#include "structs.h"

#include <stdlib.h>

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

/* Open a writer's file, or record why it has none.  */
static enum cgw_status
open_file (struct cgw_writer *w, const char *path)
{
  int fd, error;

  switch (cgwi_open (&w->memory, path, &fd, &error))
    {
    case CGWI_OPENED:
      cgwi_start_file (&w->core, fd, true);
      return CGW_OK;
    case CGWI_OPEN_FAILED:
      cgwi_refuse_file (&w->core, CGW_EIO, error);
      return CGW_EIO;
    case CGWI_NOT_OURS:
      cgwi_refuse_file (&w->core, CGW_EFILE, error);
      return CGW_EFILE;
    case CGWI_BAD_PATH:
      return CGW_EINVAL;
    default:
      return CGW_ENOMEM;
    }
}

enum cgw_status
cgw_create (struct cgw_writer **result, const char *path,
            const struct cgw_options *options)
{
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
  status = open_file (*result, path);
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

/* In a forked child, records from handlers return CGW_EFORK until
   cgwi_mark_set, then CGW_EORDER; in the same process CGW_EORDER from the
   start, because the queue is closed.  */
enum cgw_status
cgw_reset (struct cgw_writer *w, int fd)
{
  enum cgw_status status;

  if (w == NULL || (w->core.buffer.write == NULL && !cgwi_is_writable (fd)))
    return CGW_EINVAL;
  if ((status = cgwi_take_over (w)) != CGW_OK)
    return status;
  atomic_store_explicit (&w->finish_wanted, false, memory_order_relaxed);
  cgwi_queue_restart (atomic_load (&w->queue));
  cgwi_start_file (&w->core, fd, false);
  atomic_store_explicit (&w->refused, 0, memory_order_relaxed);
  cgwi_mark_set (&w->mark);
  cgwi_leave (w);
  return CGW_OK;
}
