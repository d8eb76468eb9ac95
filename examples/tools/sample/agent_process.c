/* agent_process.c - facts about this process: its id and command, its entry
   points, and whether its program is written in Go.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_process.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* The note.  */

/* Reads the beginning of a file of /proc; returns how many bytes.  */
static size_t
read_proc (const char *path, char *bytes, size_t n)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  size_t used = 0;
  ssize_t got;

  if (fd < 0)
    return 0;
  while (used < n && (got = read (fd, bytes + used, n - used)) > 0)
    used += (size_t) got;
  close (fd);
  return used;
}

/* When this process began; with its id that tells it from all others.  It is
   the 22nd field, the 20th behind the name, which may hold anything.  */
static uint64_t
start_time (void)
{
  char bytes[1024];
  size_t n = read_proc ("/proc/self/stat", bytes, sizeof bytes - 1);
  const char *p;

  bytes[n] = '\0';
  p = strrchr (bytes, ')');
  for (int field = 2; p != NULL && field < 22; field++)
    p = strchr (p + 1, ' ');
  return p != NULL ? strtoull (p, NULL, 10) : 0;
}

void
agent_process_describe (struct sample_note_head *head,
                        char bytes[SAMPLE_NOTE_BYTES])
{
  struct stat st = { 0 };

  stat ("/proc/self/exe", &st);
  *head = (struct sample_note_head){
    { (uint64_t) getpid (), start_time (), st.st_dev, st.st_ino },
    read_proc ("/proc/self/cmdline", bytes, SAMPLE_NOTE_BYTES)
  };
}

/* Go.  */

/* Whether one of the notes is that of Go's linker.  */
static bool
is_go_among (const char *note, size_t size)
{
  ElfW (Nhdr) n;

  while (size >= sizeof n + 4)
    {
      size_t length;

      memcpy (&n, note, sizeof n);
      if (n.n_namesz == 4 && memcmp (note + sizeof n, "Go", 3) == 0)
        return true;
      length = sizeof n + ((size_t) n.n_namesz + 3) / 4 * 4
               + ((size_t) n.n_descsz + 3) / 4 * 4;
      if (length > size)
        break;
      note += length;
      size -= length;
    }
  return false;
}

bool
agent_process_is_go (void)
{
  const ElfW (Phdr) *headers
      = (const ElfW (Phdr) *) (uintptr_t) getauxval (AT_PHDR);
  uint64_t n = getauxval (AT_PHNUM);
  uint64_t bias = 0;

  for (uint64_t i = 0; i < n; i++)
    {
      const ElfW (Phdr) *p = &headers[i];

      if (p->p_type == PT_PHDR)
        bias = (uintptr_t) headers - p->p_vaddr;
      else if (p->p_type == PT_NOTE
               && is_go_among (
                   (const char *) (uintptr_t) (bias + p->p_vaddr),
                   p->p_memsz))
        return true;
    }
  return false;
}

/* The beginning.  */

enum { ENTRY_BYTES = 64 };
static uint64_t entries[2]; /* of the program, and of the dynamic linker */

void
agent_process_find_entries (void)
{
  const ElfW (Ehdr) *linker
      = (const ElfW (Ehdr) *) (uintptr_t) getauxval (AT_BASE);

  entries[0] = getauxval (AT_ENTRY);
  entries[1] = linker != NULL ? (uintptr_t) linker + linker->e_entry : 0;
}

bool
agent_process_is_entry (uint64_t address)
{
  return address - entries[0] < ENTRY_BYTES
         || address - entries[1] < ENTRY_BYTES;
}
