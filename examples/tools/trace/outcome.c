/* outcome.c - tells cgw-trace what becomes of the profiles.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "outcome.h"

#include "trace_shared.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct trace_shared *shared;

void
outcome_begin (void)
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
  if (s != MAP_FAILED)
    shared = s;
}

void
outcome_called (void)
{
  static atomic_flag is_told = ATOMIC_FLAG_INIT;

  if (shared && !atomic_flag_test_and_set (&is_told))
    shared->n_programs++;
}

void
outcome_complete (unsigned n_missing)
{
  if (!shared)
    return;
  shared->n_missing = n_missing;
  shared->is_complete = 1;
}

static uint32_t
process_id (bool is_own)
{
  return is_own ? 0 : (uint32_t) getpid ();
}

/* The entry of a file that was saved before; or a new one; or else that with
   the least time, which several processes may overwrite at once.  */
static struct trace_file *
find_file (uint32_t process, uint32_t thread)
{
  struct trace_file *least = &shared->files[0];
  uint32_t n;

  for (int i = 0; i < TRACE_FILES; i++)
    {
      struct trace_file *file = &shared->files[i];

      if (file->process == process && file->thread == thread)
        return file;
      if (file->time < least->time)
        least = file;
    }
  n = shared->n_files++;
  return n < TRACE_FILES ? &shared->files[n] : least;
}

void
outcome_file (bool is_own, unsigned thread, uint64_t time)
{
  struct trace_file *file;

  if (!shared)
    return;
  if (is_own)
    shared->is_saved = 1;
  file = find_file (process_id (is_own), thread);
  if (file->time > time)
    return;
  file->process = process_id (is_own);
  file->thread = thread;
  file->time = time;
}

void
outcome_failed (bool is_own, unsigned thread, int error)
{
  if (!shared || shared->error != 0)
    return;
  shared->failed.process = process_id (is_own);
  shared->failed.thread = thread;
  shared->error = (uint32_t) error;
}
