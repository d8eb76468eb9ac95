/* life.c - cgw_open_fd, cgw_open, cgw_free.

   SPDX-License-Identifier: MIT  */

#include "../gate/gate.h"
#include "../output/open.h"
#include "../output/replace.h"
#include "../output/write.h"
#include "writer.h"

#include <unistd.h>

#define DEFAULT_SLOTS 1024

/* Check a caller's descriptor.  */
static bool
take_fd (int fd, struct cgwi_why *why)
{
  if (fd < 0)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_NO_FD);
  return cgwi_is_writable (fd)
         || CGWI_BECAUSE (why, .reason = CGWI_WHY_FD_READ_ONLY,
                          .value = (uint32_t) fd);
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
  struct cgw_names *names = w->core.encoder.names;

  cgwi_core_free (&w->core);
  free_queues (w);
  cgwi_mark_free (&w->mark);
  cgwi_release (&names->memory, w);
  cgwi_release_names (names);
}

/* Make a writer without a file.  CGW_ENOMEM.  */
static enum cgw_status
make_writer (struct cgw_writer **result, struct cgw_names *names,
             const struct cgw_options *o)
{
  struct cgw_writer *w = cgwi_resize (&names->memory, NULL, sizeof *w);

  if (w == NULL)
    return CGW_ENOMEM;
  memset (w, 0, sizeof *w);
  w->memory = names->memory;
  w->threads = (o->flags & CGW_THREADS) != 0;
  w->n_slots = o->queue_slots != 0 ? o->queue_slots : DEFAULT_SLOTS;
  cgwi_queue_make_empty (&w->no_queue);
  atomic_init (&w->queue, &w->no_queue);
  w->core.memory = &w->memory;
  w->core.encoder.names = names;
  w->core.buffer.mark = &w->mark;
  cgwi_hold_names (names);
  if (!cgwi_mark_make (&w->mark) || !cgwi_core_make (&w->core, o))
    {
      free_writer (w);
      return CGW_ENOMEM;
    }
  cgwi_mark_set (&w->mark);
  atomic_store_explicit (&w->held, w->threads, memory_order_relaxed);
  atomic_store_explicit (&w->mark.page->takes_records, true,
                         memory_order_relaxed);
  *result = w;
  return CGW_OK;
}

/* Refuse all calls that need a file, as if it had ended.  */
static void
set_fileless (struct cgw_writer *w)
{
  cgwi_slots_close (&atomic_load (&w->queue)->deferred, CGWI_ENDED);
  cgwi_set_state (&w->core, CGWI_FINISHED);
}

/* Make a writer that has no file, to say why.  Without names it has some of its
   own.  */
static enum cgw_status
make_refused (struct cgw_writer **result, struct cgw_names *names,
              const struct cgw_options *o, enum cgwi_called called,
              const struct cgwi_why *why)
{
  struct cgw_names *own = NULL;
  enum cgw_status status
      = names != NULL ? CGW_OK : cgw_names_new (&own, NULL);

  if (status == CGW_OK)
    status = make_writer (result, names != NULL ? names : own, o);
  cgw_names_free (own);
  if (status != CGW_OK)
    return status;
  set_fileless (*result);
  return cgwi_refuse (&(*result)->core.refusals, called, CGW_EINVAL, why);
}

/* Check what cgw_open_fd and cgw_open ask for.  */
static bool
take_arguments (struct cgw_options *o, struct cgw_names *names,
                const struct cgw_options *theirs, struct cgwi_why *why)
{
  return cgwi_take_options (o, theirs, why)
         && (names != NULL
             || CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARGUMENT,
                              .parameter = CGWI_ARG_NAMES));
}

/* Check that cgw_open_fd is asked for nothing that is about a path.  */
static bool
has_path (const struct cgw_options *o, struct cgwi_why *why)
{
  return !(o->flags & (CGW_REPLACE | CGW_PATH_EXPAND | CGW_PATH_STRICT))
         || CGWI_BECAUSE (why, .reason = CGWI_WHY_REPLACES_PATH);
}

CGWI_COLD enum cgw_status
cgw_open_fd (struct cgw_writer **result, struct cgw_names *names, int fd,
             const struct cgw_options *options)
{
  struct cgwi_why why;
  struct cgw_options o;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (!take_arguments (&o, names, options, &why) || !has_path (&o, &why)
      || (o.write == NULL && !take_fd (fd, &why)))
    return make_refused (result, names, &o, CGWI_CALLED_OPEN_FD, &why);
  status = make_writer (result, names, &o);
  if (status == CGW_OK)
    cgwi_start_file (&(*result)->core, fd, false);
  return status;
}

/* Open a file for a writer.  Change nothing in it.  */
static enum cgw_status
open_file (struct cgw_writer *w, const char *path, int *fd,
           struct cgwi_why *why)
{
  int error;
  enum cgwi_opened result
      = cgwi_open (&w->memory, path, w->core.encoder.flags,
                   cgwi_replacement_of (&w->core), fd, &error);

  *why = (struct cgwi_why){ .reason = CGWI_WHY_NOT_OPENED,
                            .value = (uint32_t) error, .text = path };
  switch (result)
    {
    case CGWI_OPENED:
      return CGW_OK;
    case CGWI_OPEN_FAILED:
      return CGW_EIO;
    case CGWI_NOT_OURS:
      why->reason = CGWI_WHY_PATH_REFUSED;
      return CGW_EFILE;
    case CGWI_BAD_PATH:
      why->reason = CGWI_WHY_BAD_PATH;
      return CGW_EINVAL;
    default:
      *why = (struct cgwi_why){ .reason = CGWI_WHY_NO_REASON };
      return CGW_ENOMEM;
    }
}

/* Empty it, unless a handler has forked since this was that process.  */
static enum cgw_status
empty_file (int fd, pid_t process, struct cgwi_why *why)
{
  int error = cgwi_empty (fd, process);

  if (error == 0)
    return CGW_OK;
  if (error == CGWI_FORKED)
    return CGW_EFORK;
  why->value = (uint32_t) error;
  return CGW_EIO;
}

/* Open a writer's file, or keep why it has none.  */
static enum cgw_status
start_file_at (struct cgw_writer *w, const char *path, pid_t process)
{
  struct cgwi_core *c = &w->core;
  struct cgwi_why why;
  int fd;
  enum cgw_status status = open_file (w, path, &fd, &why);

  if (status == CGW_OK)
    status = empty_file (fd, process, &why);
  if (status == CGW_OK)
    {
      cgwi_start_file (c, fd, true);
      return CGW_OK;
    }
  if (fd != -1)
    cgwi_close (fd);
  cgwi_replacement_remove (cgwi_replacement_of (c));
  atomic_store_explicit (&c->error_number, (int) why.value,
                         memory_order_relaxed);
  set_fileless (w);
  return cgwi_refuse (&c->refusals, CGWI_CALLED_OPEN, status, &why);
}

/* Check what cgw_open asks for beyond cgw_open_fd.  */
static bool
may_create (const char *path, const struct cgw_options *o,
            struct cgwi_why *why)
{
  if (path == NULL)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARGUMENT,
                         .parameter = CGWI_ARG_PATH);
  return o->write == NULL
         || CGWI_BECAUSE (why, .reason = CGWI_WHY_HOOK_FOR_PATH);
}

CGWI_COLD enum cgw_status
cgw_open (struct cgw_writer **result, struct cgw_names *names,
          const char *path, const struct cgw_options *options)
{
  pid_t process = getpid ();
  struct cgwi_why why;
  struct cgw_options o;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (!take_arguments (&o, names, options, &why)
      || !may_create (path, &o, &why))
    return make_refused (result, names, &o, CGWI_CALLED_OPEN, &why);
  /* Open, and so empty, the file last, when nothing else can fail.  */
  if ((status = make_writer (result, names, &o)) != CGW_OK)
    return status;
  status = start_file_at (*result, path, process);
  if (status == CGW_ENOMEM)
    {
      free_writer (*result);
      *result = NULL;
    }
  return status;
}

CGWI_COLD void
cgw_free (struct cgw_writer *w)
{
  if (w != NULL)
    free_writer (w);
}
