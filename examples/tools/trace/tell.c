/* tell.c - tells cgw-trace what becomes of the profiles.

   SPDX-License-Identifier: MIT  */

#include "tell.h"

#include "trace_shared.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct trace_shared *shared;

void
tell_begin (void)
{
  const char *path = getenv (TRACE_SHARED_ENV);
  int fd = path ? open (path, O_RDWR | O_CLOEXEC) : -1;
  struct trace_shared *s = MAP_FAILED;
  struct stat st;

  if (fd < 0)
    return;
  if (fstat (fd, &st) == 0 && st.st_size == (off_t) sizeof *s)
    s = mmap (NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close (fd);
  if (s != MAP_FAILED && s->magic == TRACE_SHARED_MAGIC)
    shared = s;
}

void
tell_traceable (bool is_traceable)
{
  if (!shared)
    return;
  shared->is_traceable = is_traceable;
  shared->is_not_traceable = !is_traceable;
}

/* What an earlier program of this process has called was lost, or will be
   replaced.  */
void
tell_traced (void)
{
  static atomic_flag is_told = ATOMIC_FLAG_INIT;

  if (!shared || atomic_flag_test_and_set (&is_told))
    return;
  if (shared->is_traced)
    shared->is_replaced = 1;
  shared->is_saved = 0;
  shared->is_written = 0;
  shared->is_traced = 1;
}

void
tell_failed (bool is_said)
{
  if (!shared)
    return;
  shared->failed++;
  if (!is_said)
    shared->unsaid++;
}

/* The entry of a file that was saved before; or that with the least time.
   Processes that do this at once may overwrite each other's: then the file
   with the most time may be missing, and another is taken for it.  */
static struct trace_file *
find_file (uint32_t process, uint32_t thread)
{
  struct trace_file *least = &shared->files[0];

  for (int i = 0; i < TRACE_FILES; i++)
    {
      struct trace_file *file = &shared->files[i];

      if (file->process == process && file->thread == thread)
        return file;
      if (file->time < least->time)
        least = file;
    }
  shared->n_files++;
  return least;
}

void
tell_file (bool with_pid, unsigned thread, uint64_t time)
{
  uint32_t process = with_pid ? (uint32_t) getpid () : 0;
  struct trace_file *file = shared ? find_file (process, thread) : NULL;

  if (!file || file->time > time)
    return;
  file->process = process;
  file->thread = thread;
  file->time = time;
}

static void
tell_profile (const struct tell_profile *p)
{
  shared->calls = p->calls;
  shared->threads = p->threads;
  shared->missing = p->missing;
  shared->limits = p->limits;
}

void
tell_saved (const struct tell_profile *p, bool by_abort)
{
  if (!shared)
    return;
  tell_profile (p);
  shared->is_aborting = by_abort;
  shared->is_saved = 1;
}

void
tell_written (const struct tell_profile *p)
{
  if (!shared)
    return;
  tell_profile (p);
  shared->is_written = 1;
}
