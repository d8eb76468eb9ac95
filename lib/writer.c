/* writer.c - struct cgw_writer: new, free, reset, flush, finish.

   SPDX-License-Identifier: MIT  */

#include "writer.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_BUFFER_SIZE 65536
#define ALL_FLAGS                                                             \
  (CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS | CGW_NO_PAD              \
   | CGW_ZERO_CALLS | CGW_THREADS)
#define DEFAULT_PARKING_SLOTS 1024
#define MOST_PARKING_SLOTS (1u << 24)

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

/* The buffer's size.  */

struct cgwi_lengths
cgwi_lengths (const struct cgw_writer *w)
{
  return (struct cgwi_lengths){ .object = w->objects.longest,
                                .file = w->files.longest,
                                .fn = w->fns.longest,
                                .n_events = w->n_events };
}

/* Bytes of a position spec with a name of n bytes.  */
static size_t
spec_length (size_t n)
{
  return sizeof "cfn=(4294967295) \n" + n;
}

static size_t
costs_length (size_t n_events)
{
  return (1 + CGWI_NUMBER_MAX) * n_events + CGWI_NUMBER_SLACK;
}

/* Bytes of the longest record, a call or a jump, with the padding before it:
   ob fl fn fi, cob cfi cfn, the counts and the target, and the cost line.  */
static size_t
record_length (const struct cgwi_lengths *l)
{
  return CGWI_PAGE + 2 * spec_length (l->object) + 3 * spec_length (l->file)
         + 2 * spec_length (l->fn) + sizeof "calls=" + 2 * CGWI_NUMBER_MAX
         + 4 * (CGWI_SUBPOSITION_MAX + 1) + costs_length (l->n_events) + 16;
}

size_t
cgwi_end_length (const struct cgwi_lengths *l)
{
  return 2 * CGWI_PAGE + sizeof CGWI_LOST_REPORT + CGWI_NUMBER_MAX
         + record_length (l) + sizeof "totals:" + costs_length (l->n_events)
         + 16;
}

bool
cgwi_fit (struct cgw_writer *w, const struct cgwi_lengths *l, size_t more)
{
  struct cgwi_buffer *b = &w->buffer;

  return cgwi_buffer_grow (b, &w->memory,
                           (more > b->limit ? more : b->limit)
                               + record_length (l) + cgwi_end_length (l));
}

/* Making a writer.  */

/* Whether fd may be written to.  Keeps errno.  */
static bool
is_writable (int fd)
{
  int kept = errno;
  int flags = fcntl (fd, F_GETFL);

  errno = kept;
  return flags != -1 && (flags & O_ACCMODE) != O_RDONLY;
}

/* Where the next byte goes: paddings depend on it.  0 on what has no offset. */
static uint64_t
present_offset (int fd)
{
  int kept = errno;
  bool append = fcntl (fd, F_GETFL) & O_APPEND;
  off_t offset = lseek (fd, 0, append ? SEEK_END : SEEK_CUR);

  errno = kept;
  return offset > 0 ? (uint64_t) offset : 0;
}

void
cgwi_start_file (struct cgw_writer *w, int fd)
{
  w->buffer.fd = fd;
  w->buffer.used = w->buffer.out = w->buffer.inside = 0;
  w->buffer.offset = w->buffer.write == NULL ? present_offset (fd) : 0;
  w->start = w->buffer.offset;
  w->encoder = (struct cgwi_encoder){ 0 };
  w->state = CGWI_NO_PART;
  w->positions = 0;
  w->n_events = 0;
  cgwi_ring_free (&w->ring, &w->memory);
  w->park_costs = 0;
  atomic_store (&w->busy, 0);
  w->file_busy = 0;
  w->first_part = w->part + 1;
  cgwi_release (&w->memory, w->events);
  cgwi_release (&w->memory, w->sums.memory);
  w->events = NULL;
  w->sums = (struct cgwi_sums){ 0 };
  w->overflow = false;
  w->recorded = w->lost = w->part_lost = w->discarded = 0;
  atomic_store (&w->refused, 0);
  w->owns_fd = false;
  w->failing = false;
  w->error_number = 0;
  w->missing_part = CGW_OK;
  w->error = CGW_OK;
  cgwi_names_restart (&w->objects);
  cgwi_names_restart (&w->files);
  cgwi_names_restart (&w->fns);
}

/* The names that every writer has, and its creator.  */
static bool
add_first_names (struct cgw_writer *w, const char *creator)
{
  if (creator == NULL)
    creator = "libcgw-" CGW_VERSION_STRING;
  w->creator = cgwi_resize (&w->memory, NULL, strlen (creator) + 1);
  if (w->creator == NULL)
    return false;
  strcpy (w->creator, creator);
  if (cgwi_add_name (w, &w->objects, NULL, 0, 0) == CGWI_NONE
      || cgwi_add_name (w, &w->files, NULL, 0, 0) == CGWI_NONE
      || cgwi_add_name (w, &w->fns, NULL, 0, 0) == CGWI_NONE)
    return false;
  w->lost_fn = cgwi_add_name (w, &w->fns, "[lost]", 0, 0);
  return w->lost_fn != CGWI_NONE;
}

bool
cgwi_take_options (struct cgw_options *o, const struct cgw_options *theirs)
{
  static const struct cgw_options none = CGW_OPTIONS_INIT;

  return cgwi_take_struct (o, sizeof *o, theirs != NULL ? theirs : &none)
         && (o->flags & ~ALL_FLAGS) == 0 && o->buffer_size <= SIZE_MAX / 4
         && o->parking_slots <= MOST_PARKING_SLOTS;
}

/* Differs from writer to writer, and has its top bit set.  */
static uint32_t
make_salt (const struct cgw_writer *w)
{
  uint64_t mixed = (uintptr_t) w * UINT64_C (0x9e3779b97f4a7c15);
  return (uint32_t) (mixed >> 32) | UINT32_C (0x80000000);
}

/* Marks this process as the one that may write: a page that the kernel wipes
   in a forked child.  False when there is no memory; where the kernel cannot
   wipe it there is no page, and normal code compares process ids.  */
static bool
mark_process (struct cgw_writer *w)
{
  static const _Atomic unsigned char always = 1;
  int kept = errno;
  void *page = w->page;

  w->pid = getpid ();
  if (page == NULL)
    page = mmap (NULL, CGWI_PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED && madvise (page, CGWI_PAGE, MADV_WIPEONFORK) == -1)
    {
      munmap (page, CGWI_PAGE);
      page = NULL;
    }
  errno = kept;
  if (page == MAP_FAILED)
    return false;
  if (page != NULL)
    *(unsigned char *) page = 1;
  w->page = page;
  w->alive = page != NULL ? page : &always;
  return true;
}

enum cgw_status
cgwi_new (struct cgw_writer **result, int fd, const struct cgw_options *o)
{
  struct cgwi_memory memory = {
    o->allocate != NULL ? o->allocate : allocate, o->allocate_context
  };
  struct cgw_writer *w = cgwi_resize (&memory, NULL, sizeof *w);

  if (w == NULL)
    return CGW_ENOMEM;
  memset (w, 0, sizeof *w);
  w->memory = memory;
  w->flags = o->flags;
  w->salt = make_salt (w);
  w->buffer.write = o->write;
  w->buffer.context = o->write_context;
  w->buffer.pad = !(o->flags & CGW_NO_PAD);
  w->buffer.limit = o->buffer_size != 0 ? o->buffer_size : DEFAULT_BUFFER_SIZE;
  w->guard.threads = (o->flags & CGW_THREADS) != 0;
  w->parking_slots
      = o->parking_slots != 0 ? o->parking_slots : DEFAULT_PARKING_SLOTS;
  cgwi_start_file (w, fd);
  if (!mark_process (w) || !add_first_names (w, o->creator))
    {
      cgw_free (w);
      return CGW_ENOMEM;
    }
  *result = w;
  return CGW_OK;
}

enum cgw_status
cgw_new (struct cgw_writer **result, int fd, const struct cgw_options *options)
{
  struct cgw_options o;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (!cgwi_take_options (&o, options)
      || (o.write == NULL && !is_writable (fd)))
    return CGW_EINVAL;
  return cgwi_new (result, fd, &o);
}

/* Closes a descriptor of our own; returns 0 or an errno.  */
static int
close_own (struct cgw_writer *w)
{
  int kept = errno;
  int error = 0;

  if (w->owns_fd && close (w->buffer.fd) == -1 && errno != EINTR)
    error = errno;
  w->owns_fd = false;
  errno = kept;
  return error;
}

void
cgw_free (struct cgw_writer *w)
{
  struct cgwi_memory memory;

  if (w == NULL)
    return;
  memory = w->memory;
  close_own (w);
  if (w->page != NULL)
    munmap (w->page, CGWI_PAGE);
  cgwi_ring_free (&w->ring, &memory);
  cgwi_names_free (&w->objects, &memory);
  cgwi_names_free (&w->files, &memory);
  cgwi_names_free (&w->fns, &memory);
  cgwi_release (&memory, w->buffer.bytes);
  cgwi_release (&memory, w->creator);
  cgwi_release (&memory, w->events);
  cgwi_release (&memory, w->sums.memory);
  cgwi_release (&memory, w);
}

enum cgw_status
cgw_reset (struct cgw_writer *w, int fd)
{
  if (w == NULL || (w->buffer.write == NULL && !is_writable (fd)))
    return CGW_EINVAL;
  if (!mark_process (w))
    return CGW_ENOMEM;
  close_own (w);
  atomic_store (&w->guard.busy, 0);
  cgwi_start_file (w, fd);
  return CGW_OK;
}

/* Entering from normal code.  */

/* A holder may wait inside write(2) for a slow pipe; one that takes longer
   than this, in ms, has most likely jumped out of its call and never leaves. */
#define LONGEST_WAIT 10000

enum cgw_status
cgwi_enter (struct cgw_writer *w)
{
  static const struct timespec one_ms = { 0, 1000000 };
  int kept = errno;
  enum cgw_status status = CGW_OK;

  if (cgwi_is_copy (w) || (w->page == NULL && w->pid != getpid ()))
    return CGW_EFORK;
  for (int ms = 0; !cgwi_guard_enter (&w->guard); ms++)
    {
      if (!w->guard.threads || ms == LONGEST_WAIT)
        {
          status = CGW_EBUSY;
          break;
        }
      nanosleep (&one_ms, NULL);
    }
  errno = kept;
  return status;
}

/* Writing what is buffered.  */

/* Waits until the descriptor takes bytes again, or fails for good: the next
   write tells which.  Keeps errno.  */
static void
wait_writable (int fd)
{
  struct pollfd p = { .fd = fd, .events = POLLOUT };
  int kept = errno;

  poll (&p, 1, -1);
  errno = kept;
}

enum cgw_status
cgwi_flush_waiting (struct cgw_writer *w)
{
  enum cgw_status status;

  while ((status = cgwi_flush (w)) == CGW_EAGAIN && w->buffer.write == NULL)
    wait_writable (w->buffer.fd);
  return status;
}

enum cgw_status
cgwi_make_room_waiting (struct cgw_writer *w)
{
  enum cgw_status status;

  if (w->buffer.used < w->buffer.limit)
    return CGW_OK;
  status = cgwi_flush_waiting (w);
  return w->buffer.used < w->buffer.limit ? CGW_OK : status;
}

enum cgw_status
cgw_flush (struct cgw_writer *w)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) != CGW_OK)
    return status;
  cgwi_write_parked (w);
  status = w->state == CGWI_FINISHED ? CGW_EFINISHED : cgwi_flush_waiting (w);
  cgwi_leave (w);
  return status;
}

/* Writes all there is; then the totals.  If the descriptor fails for good,
   what is left in the buffer is records alone, and they are counted as
   lost.  */
static enum cgw_status
write_rest (struct cgw_writer *w)
{
  enum cgw_status status = cgwi_flush_waiting (w);

  if (status == CGW_OK)
    {
      cgwi_end_part (w);
      status = cgwi_flush_waiting (w);
    }
  if (status == CGW_EIO)
    {
      cgwi_discard (w);
      cgwi_keep (w, status);
    }
  return status;
}

/* Ends the file, inside the guard.  */
static enum cgw_status
finish (struct cgw_writer *w)
{
  int error;

  if (w->state == CGWI_FINISHED)
    return CGW_EFINISHED;
  if (w->events == NULL)
    return CGW_EORDER;
  cgwi_write_parked (w);
  if (write_rest (w) == CGW_EAGAIN)
    return CGW_EAGAIN;
  if (w->missing_part != CGW_OK)
    cgwi_keep (w, w->missing_part);
  if ((error = close_own (w)) != 0)
    {
      w->error_number = error;
      cgwi_keep (w, CGW_EIO);
    }
  w->state = CGWI_FINISHED;
  return (enum cgw_status) w->error;
}

/* Ends the file for a call that holds the writer and may never go on, because
   a longjmp left it: what that call made so far is not looked at.  What is
   parked waited for it, and is lost.  Should the call go on after all, it
   finds the writer finished, and all bytes written.  */
static enum cgw_status
abandon (struct cgw_writer *w)
{
  if (w->state == CGWI_FINISHED)
    return CGW_EFINISHED;
  w->state = CGWI_FINISHED;
  cgwi_keep (w, CGW_EBUSY);
  cgwi_lose_parked (w);
  if (!w->buffer.writing)
    {
      struct cgwi_buffer rest = w->buffer;
      int error = cgwi_buffer_write (&rest);
      w->buffer.out = error == 0 ? w->buffer.used : rest.out;
      w->error_number = error;
      if (error != 0)
        cgwi_discard (w);
    }
  close_own (w);
  cgwi_guard_leave (&w->guard);
  return CGW_EBUSY;
}

enum cgw_status
cgw_finish (struct cgw_writer *w)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w)) == CGW_EBUSY)
    return abandon (w);
  if (status != CGW_OK)
    return status;
  status = finish (w);
  cgwi_leave (w);
  return status;
}
