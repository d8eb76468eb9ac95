/* tool_run.c - runs tools in this process, on files in memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#include "fuzz.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARGUMENTS = 10 };

static FILE *messages;
static char *text;
static size_t size;

void
tool_file_make (struct tool_file *file)
{
  if (file->path[0] != '\0')
    return;
  file->fd = memfd_create ("fuzz", MFD_CLOEXEC);
  snprintf (file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
}

void
tool_file_fill (struct tool_file *file, const void *bytes, size_t n)
{
  if (ftruncate (file->fd, 0) != 0
      || pwrite (file->fd, bytes, n, 0) != (ssize_t) n)
    fuzz_fail ("no room in memory");
}

char *
tool_file_read (const struct tool_file *file, size_t *n)
{
  off_t end = lseek (file->fd, 0, SEEK_END);
  char *bytes = end >= 0 ? malloc ((size_t) end + 1) : NULL;

  if (bytes == NULL || pread (file->fd, bytes, (size_t) end, 0) != end)
    fuzz_fail ("a file in memory cannot be read");
  bytes[end] = '\0';
  *n = (size_t) end;
  return bytes;
}

FILE *
tool_messages (void)
{
  if (messages == NULL)
    messages = open_memstream (&text, &size);
  return messages;
}

void
tool_forget (void)
{
  rewind (tool_messages ());
  fputc ('\0', messages);
  rewind (messages);
}

const char *
tool_said (void)
{
  fputc ('\0', tool_messages ());
  fflush (messages);
  return text;
}

/* The lowest descriptor that is free.  */
static int
free_descriptor (void)
{
  int fd = dup (STDERR_FILENO);

  close (fd);
  return fd;
}

/* Puts the file in the place of the standard output.  Returns what was
   there.  */
static int
begin_output (struct tool_file *out)
{
  int kept;

  fflush (stdout);
  kept = dup (STDOUT_FILENO);
  tool_file_fill (out, "", 0);
  if (kept < 0 || lseek (out->fd, 0, SEEK_SET) != 0
      || dup2 (out->fd, STDOUT_FILENO) < 0)
    fuzz_fail ("the standard output cannot be replaced");
  return kept;
}

static void
end_output (int kept)
{
  fflush (stdout);
  if (dup2 (kept, STDOUT_FILENO) < 0)
    fuzz_fail ("the standard output is lost");
  close (kept);
}

int
tool_run (int (*tool) (int argc, char **argv), const char *const *arguments,
          struct tool_file *out)
{
  char *argv[ARGUMENTS + 1] = { NULL };
  int descriptor = free_descriptor ();
  int kept = begin_output (out);
  int argc = 0, status;

  for (; arguments[argc] != NULL && argc < ARGUMENTS; argc++)
    argv[argc] = (char *) (uintptr_t) arguments[argc];
  tool_forget ();
  optind = 0; /* begin anew */
  status = tool (argc, argv);
  end_output (kept);
  if (free_descriptor () != descriptor)
    fuzz_fail ("%s leaves a descriptor open", arguments[0]);
  return status;
}
