/* life.c - cgw_new, cgw_create, cgw_reset, cgw_recreate, cgw_free.

   SPDX-License-Identifier: MIT  */

#include "../core/file.h"
#include "../gate/gate.h"
#include "../output/open.h"
#include "../output/write.h"
#include "phrase.h"
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

static const struct cgw_options no_options = CGW_OPTIONS_INIT;

/* Copy a caller's options, or the defaults for NULL.  False, and a sentence:
   they are invalid, and the copy has the defaults.  */
static bool
take_options (struct cgw_options *o, const struct cgw_options *theirs,
              struct cgwi_sentence *why)
{
  bool right = cgwi_take_struct (o, sizeof *o,
                                 theirs != NULL ? theirs : &no_options,
                                 "options", "CGW_OPTIONS_INIT", why);

  if (right && (o->flags & ~ALL_FLAGS) != 0)
    right = cgwi_say (why, "options.flags has %x, which libcgw "
                           CGW_VERSION_STRING " does not know",
                      o->flags & ~ALL_FLAGS);
  else if (right && o->buffer_size > SIZE_MAX / 4)
    right = cgwi_say (why, "options.buffer_size is %U, too much for an address "
                           "space", (uint64_t) o->buffer_size);
  else if (right && o->queue_slots > CGWI_SLOTS_MAX)
    right = cgwi_say (why, "options.queue_slots is %u: at most %u",
                      o->queue_slots, (unsigned) CGWI_SLOTS_MAX);
  if (!right)
    *o = no_options;
  return right;
}

/* Check a caller's descriptor.  */
static bool
take_fd (int fd, struct cgwi_sentence *why)
{
  if (fd < 0)
    return cgwi_say (why, "fd is negative: it was not opened");
  return cgwi_is_writable (fd)
         || cgwi_say (why, "fd is %u, which is not open for writing",
                      (unsigned) fd);
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
  w->n_slots = o->queue_slots != 0 ? o->queue_slots : DEFAULT_SLOTS;
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

/* Make a writer that has no file and never gets one unless it is reset, to say
   why.  */
static enum cgw_status
make_refused (struct cgw_writer **result, const struct cgw_options *o,
              const struct cgwi_sentence *why)
{
  enum cgw_status status = make (result, o);

  if (status != CGW_OK)
    return status;
  cgwi_refuse_file (&(*result)->core, CGW_EINVAL, 0, why);
  return CGW_EINVAL;
}

enum cgw_status
cgw_new (struct cgw_writer **result, int fd, const struct cgw_options *options)
{
  struct cgwi_sentence why = { "" };
  struct cgw_options o;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (!take_options (&o, options, &why)
      || (o.write == NULL && !take_fd (fd, &why)))
    return make_refused (result, &o, &why);
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
           int *error, struct cgwi_sentence *why)
{
  enum cgwi_opened result = cgwi_open (&w->memory, path, process,
                                       &w->core.known, fd, error);

  switch (result)
    {
    case CGWI_OPENED:
      return CGW_OK;
    case CGWI_OPEN_FAILED:
    case CGWI_NOT_OURS:
      cgwi_say (why, "path %q: %s", path,
                cgwi_phrase (result == CGWI_NOT_OURS, *error));
      return result == CGWI_NOT_OURS ? CGW_EFILE : CGW_EIO;
    case CGWI_BAD_PATH:
      cgwi_say (why, "path %q: of %% only %%p, the process id, and %%%% are "
                     "allowed", path);
      return CGW_EINVAL;
    default:
      return CGW_ENOMEM;
    }
}

/* Empty it, unless a handler has forked since this was that process.  After a
   failure the writer is as it was.  */
static enum cgw_status
empty_file (struct cgw_writer *w, const char *path, int fd, pid_t process,
            int *error, struct cgwi_sentence *why)
{
  *error = cgwi_empty_file (&w->core, fd, process);
  if (*error == 0)
    return CGW_OK;
  if (*error != CGWI_FORKED)
    {
      cgwi_say (why, "path %q: %s", path, cgwi_phrase (false, *error));
      return CGW_EIO;
    }
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
                 int *fd, int *error, struct cgwi_sentence *why)
{
  int before = w->core.next_fd;
  enum cgw_status status
      = open_file (w, path, process, &w->core.next_fd, error, why);

  *fd = w->core.next_fd;
  if (status == CGW_OK)
    status = empty_file (w, path, *fd, process, error, why);
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
  struct cgwi_sentence why = { "" };
  enum cgw_status status;
  int fd, error;

  if ((w->path = copy_path (w, path)) == NULL)
    return CGW_ENOMEM;
  status = open_empty_file (w, path, process, &fd, &error, &why);
  if (status == CGW_OK)
    cgwi_start_file (&w->core, fd, true);
  else
    cgwi_refuse_file (&w->core, status, error, &why);
  return status;
}

/* Check what cgw_create asks for beyond cgw_new.  */
static bool
may_create (const char *path, const struct cgw_options *o,
            struct cgwi_sentence *why)
{
  if (path == NULL)
    return cgwi_say (why, "path is NULL");
  return o->write == NULL
         || cgwi_say (why, "options.write: cgw_create writes to a file; "
                           "cgw_new takes a write hook");
}

enum cgw_status
cgw_create (struct cgw_writer **result, const char *path,
            const struct cgw_options *options)
{
  pid_t process = getpid ();
  struct cgwi_sentence why = { "" };
  struct cgw_options o;
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (!take_options (&o, options, &why) || !may_create (path, &o, &why))
    return make_refused (result, &o, &why);
  /* Open, and so empty, the file last, when nothing else can fail.  */
  if ((status = make (result, &o)) != CGW_OK)
    return status;
  status = open_first_file (*result, path, process);
  if (status == CGW_ENOMEM)
    {
      free_writer (*result);
      *result = NULL;
    }
  return status;
}

/* Whether a file was begun and not finished; that of a forked child's parent
   is none of its business.  */
static bool
is_unfinished (const struct cgw_writer *w)
{
  return cgwi_mark_is_ours (&w->mark) && w->core.events != NULL
         && w->core.state != CGWI_FINISHED;
}

enum cgw_status
cgw_free (struct cgw_writer *w)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_OK;
  /* Leak memory that another thread is using rather than free it.  */
  if ((status = cgwi_take_over (w)) != CGW_OK)
    return status;
  status = is_unfinished (w) ? CGW_EORDER : CGW_OK;
  free_writer (w);
  return status;
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
  struct cgwi_sentence why = { "" };
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if (w->core.buffer.write == NULL && !take_fd (fd, &why))
    return cgwi_explain_call (w, CGW_EINVAL, &why);
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
open_next_file (struct cgw_writer *w, const char *path, pid_t process, int *fd,
                struct cgwi_sentence *why)
{
  enum cgw_status status;
  char *copy = NULL;
  int error;

  if (path == NULL && w->path == NULL)
    {
      cgwi_say (why, "path is NULL, and the writer had no path before");
      return CGW_EINVAL;
    }
  if (path != NULL && (copy = copy_path (w, path)) == NULL)
    return CGW_ENOMEM;
  status = open_empty_file (w, path != NULL ? path : w->path, process, fd,
                            &error, why);
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
  static const struct cgwi_sentence has_hook
      = { "the writer has a write hook: use cgw_reset" };
  pid_t process = getpid ();
  struct cgwi_sentence why = { "" };
  enum cgw_status status;
  bool entered;
  int fd;

  if (w == NULL)
    return CGW_EINVAL;
  if (w->core.buffer.write != NULL)
    return cgwi_explain_call (w, CGW_EINVAL, &has_hook);
  if ((status = cgwi_try_take_over (w, &entered)) != CGW_OK)
    return status;
  status = open_next_file (w, path, process, &fd, &why);
  if (status == CGW_OK)
    return restart (w, fd, true, process);
  /* If the holder goes on, it may be writing a sentence.  */
  if (entered || !cgwi_mark_is_ours (&w->mark))
    {
      w->core.errors.last_why = why;
      cgwi_errors_end (&w->core.errors, status);
    }
  if (entered)
    cgwi_leave (w);
  return status;
}
