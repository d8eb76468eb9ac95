/* agent_maps.c - the agent's view of what is mapped: reads
   /proc/self/maps whenever a stack leads to an address that is new, and notes
   what is mapped there for sample.

   This needs no hook of dlopen, and works for processes that end soon or
   suddenly.  All of it is async-signal-safe: it uses system calls and its own
   memory only, and does not wait for locks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum
{
  MOST_REGIONS = 4096,
  MOST_HEADERS = 16, /* of an object, of the kinds that unwinding needs */
  LINE_BYTES = 8192,
  MOST_WAIT = 1024
};

/* An executable region.  Added at the end, never moved: readers run in other
   threads at any time.  */
struct region
{
  uint64_t start;
  uint64_t end;
  uint64_t inode;
  uint64_t bias;     /* of the object's addresses */
  uint32_t n_phdr;   /* 0: not an object */
  uint32_t seen;     /* in which reading; the reader's */
  _Atomic bool gone;
};

static struct region regions[MOST_REGIONS];
static ElfW (Phdr) headers[MOST_REGIONS][MOST_HEADERS];
static _Atomic uint32_t n_regions;
static _Atomic uint64_t noted; /* the number of the last note */

static _Atomic bool reading; /* somebody reads /proc/self/maps */
static _Atomic bool changed; /* something was unmapped since */
static _Atomic uint32_t closing; /* threads that are about to unmap */
static _Atomic uint32_t wait_for; /* addresses that stay unknown: looks to */
static _Atomic uint32_t waited;   /* let pass before it is read again */

/* A line of /proc/self/maps.  */
struct line
{
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t inode;
  bool readable;
  bool executable;
  const char *path;
  size_t length;
};

/* The region that an object's headers are in: the last that began its file.
   Only the thread that is reading uses it.  */
static struct line first_of_file;
static char buffer[LINE_BYTES];
static uint32_t readings;

/* Looking.  */

static const struct region *
region_of (uint64_t address)
{
  uint32_t n = atomic_load_explicit (&n_regions, memory_order_acquire);

  for (uint32_t i = 0; i < n; i++)
    if (address - regions[i].start < regions[i].end - regions[i].start
        && !atomic_load_explicit (&regions[i].gone, memory_order_relaxed))
      return &regions[i];
  return NULL;
}

static bool
all_known (const uint64_t *frames, size_t n)
{
  const struct region *region = NULL;

  for (size_t i = 0; i < n; i++)
    {
      /* Neighbours are often in one region.  */
      if (region != NULL
          && frames[i] - region->start < region->end - region->start)
        continue;
      region = region_of (frames[i]);
      if (region == NULL)
        return false;
    }
  return true;
}

/* Parsing.  */

static const char *
parse_number (const char *p, const char *end, unsigned base, uint64_t *n)
{
  *n = 0;
  for (; p < end; p++)
    {
      unsigned digit = (unsigned char) *p;

      if (digit - '0' < 10)
        digit -= '0';
      else if (digit - 'a' < 6)
        digit -= 'a' - 10;
      else
        break;
      *n = *n * base + digit;
    }
  return p;
}

static const char *
skip (const char *p, const char *end, size_t n)
{
  return (size_t) (end - p) < n ? end : p + n;
}

/* "START-END PERM OFFSET DEV INODE   PATH"  */
static void
parse_line (const char *p, const char *end, struct line *l)
{
  memset (l, 0, sizeof *l);
  p = parse_number (p, end, 16, &l->start);
  p = parse_number (skip (p, end, 1), end, 16, &l->end);
  p = skip (p, end, 1);
  l->readable = p < end && *p == 'r';
  l->executable = end - p > 2 && p[2] == 'x';
  p = parse_number (skip (p, end, 5), end, 16, &l->offset);
  p = skip (p, end, 1);
  while (p < end && *p != ' ')
    p++;
  p = parse_number (skip (p, end, 1), end, 10, &l->inode);
  while (p < end && *p == ' ')
    p++;
  l->path = p;
  l->length = (size_t) (end - p);
}

/* Adding.  */

/* Another thread may unmap at any time what was read in /proc/self/maps: so
   the kernel reads, which does not fault.  */
static bool
read_memory (uint64_t address, void *bytes, size_t n)
{
  struct iovec local = { bytes, n };
  struct iovec remote = { (void *) (uintptr_t) address, n };

  return syscall (SYS_process_vm_readv, syscall (SYS_getpid), &local, 1ul,
                  &remote, 1ul, 0ul) == (long) n;
}

static bool
is_wanted (const ElfW (Phdr) *p)
{
  return p->p_type == PT_LOAD || p->p_type == PT_GNU_EH_FRAME
         || p->p_type == PT_DYNAMIC;
}

/* Copies an object's program headers, and finds its bias: the first segment
   lies where the file's first page does.  */
static void
find_headers (struct region *r, const struct line *first)
{
  ElfW (Phdr) *copies = headers[r - regions];
  ElfW (Ehdr) elf;
  bool has_bias = false;

  if (!first->readable || !read_memory (first->start, &elf, sizeof elf)
      || memcmp (elf.e_ident, ELFMAG, SELFMAG) != 0
      || elf.e_phentsize != sizeof *copies)
    return;
  for (uint32_t i = 0; i < elf.e_phnum && r->n_phdr < MOST_HEADERS; i++)
    {
      ElfW (Phdr) *p = &copies[r->n_phdr];

      if (!read_memory (first->start + elf.e_phoff + i * sizeof *p, p,
                        sizeof *p))
        break;
      if (p->p_type == PT_LOAD && !has_bias)
        {
          r->bias = first->start - (p->p_vaddr - p->p_offset);
          has_bias = true;
        }
      r->n_phdr += is_wanted (p);
    }
}

static bool
is_same (const struct region *r, const struct line *l)
{
  return r->start == l->start && r->end == l->end && r->inode == l->inode
         && !atomic_load_explicit (&r->gone, memory_order_relaxed);
}

static void
add_region (const struct line *l)
{
  struct sample_note_head head
      = { { l->start, l->end, l->offset, l->inode }, l->length };
  uint32_t n = atomic_load_explicit (&n_regions, memory_order_relaxed);
  struct region *r = &regions[n];

  for (uint32_t i = 0; i < n; i++)
    if (is_same (&regions[i], l))
      {
        regions[i].seen = readings;
        return;
      }
  if (n == MOST_REGIONS)
    return;
  memset (r, 0, sizeof *r);
  r->start = l->start;
  r->end = l->end;
  r->inode = l->inode;
  r->seen = readings;
  if (l->inode != 0 && first_of_file.inode == l->inode)
    find_headers (r, &first_of_file);
  else if (l->length == 6 && memcmp (l->path, "[vdso]", 6) == 0)
    find_headers (r, l);
  head.word[SAMPLE_NOTE_NUMBER] = atomic_fetch_add (&noted, 1) + 1;
  agent_note (SAMPLE_NOTE_MAP, &head, l->path);
  atomic_store_explicit (&n_regions, n + 1, memory_order_release);
}

static void
take_line (const char *p, const char *end)
{
  struct line l;

  parse_line (p, end, &l);
  if (l.offset == 0 && l.inode != 0)
    first_of_file = l;
  if (l.executable)
    add_region (&l);
}

/* Takes the lines in n bytes; returns how many bytes are left, of a line that
   goes on.  A line that fills the buffer is taken as it is.  */
static size_t
take_lines (size_t n)
{
  const char *line = buffer;
  const char *end = buffer + n;
  const char *newline;

  while ((newline = memchr (line, '\n', (size_t) (end - line))) != NULL)
    {
      take_line (line, newline);
      line = newline + 1;
    }
  if (line == buffer && n == sizeof buffer)
    {
      take_line (line, end);
      line = end;
    }
  n = (size_t) (end - line);
  memmove (buffer, line, n);
  return n;
}

/* System calls, and not libc's functions, which are cancellation points.  */
static void
read_maps (void)
{
  long fd = syscall (SYS_openat, AT_FDCWD, "/proc/self/maps",
                     O_RDONLY | O_CLOEXEC, 0);
  size_t left = 0;
  long got;

  if (fd < 0)
    return;
  memset (&first_of_file, 0, sizeof first_of_file);
  while ((got = syscall (SYS_read, fd, buffer + left, sizeof buffer - left))
         > 0)
    left = take_lines (left + (size_t) got);
  syscall (SYS_close, fd);
}

static void
forget_unseen (void)
{
  uint32_t n = atomic_load (&n_regions);

  for (uint32_t i = 0; i < n; i++)
    if (regions[i].seen != readings)
      atomic_store (&regions[i].gone, true);
}

/* Whether to read again for an address that is not known.  One that stays
   unknown, in a broken stack for instance, must not cost that much each
   time.  */
static bool
is_worth_reading (void)
{
  if (atomic_load (&waited) < atomic_load (&wait_for))
    {
      atomic_fetch_add (&waited, 1);
      return false;
    }
  return true;
}

static void
read_for (const uint64_t *frames, size_t n)
{
  uint32_t wait = atomic_load (&wait_for);

  if (atomic_exchange (&changed, false) || atomic_load (&closing) != 0)
    agent_unwind_forget ();
  readings++;
  read_maps ();
  forget_unseen ();
  atomic_store (&waited, 0);
  if (all_known (frames, n))
    wait = 0;
  else if (wait < MOST_WAIT)
    wait = 2 * wait + 1;
  atomic_store (&wait_for, wait);
}

bool
agent_maps_see (const uint64_t *frames, size_t n)
{
  bool free = false;

  if (!atomic_load (&changed) && atomic_load (&closing) == 0
      && (all_known (frames, n) || !is_worth_reading ()))
    return false;
  /* If another thread is reading, it notes what this one needs, too.  */
  if (!atomic_compare_exchange_strong (&reading, &free, true))
    return false;
  read_for (frames, n);
  atomic_store (&reading, false);
  return true;
}

uint64_t
agent_maps_noted (void)
{
  return atomic_load (&reading) ? UINT64_MAX : atomic_load (&noted);
}

void
agent_maps_begin_change (void)
{
  atomic_fetch_add (&closing, 1);
}

void
agent_maps_end_change (void)
{
  atomic_store (&changed, true);
  atomic_fetch_sub (&closing, 1);
}

void
agent_maps_restart (void)
{
  atomic_store (&n_regions, 0);
  atomic_store (&noted, 0);
  atomic_store (&changed, false);
  atomic_store (&closing, 0);
  atomic_store (&wait_for, 0);
  atomic_store (&reading, false);
}

int
agent_maps_iterate (int (*callback) (struct dl_phdr_info *, size_t, void *),
                    void *data)
{
  uint32_t n = atomic_load_explicit (&n_regions, memory_order_acquire);
  int result = 0;

  for (uint32_t i = 0; i < n && result == 0; i++)
    {
      struct dl_phdr_info info = { 0 };

      if (regions[i].n_phdr == 0 || atomic_load (&regions[i].gone))
        continue;
      info.dlpi_addr = (ElfW (Addr)) regions[i].bias;
      info.dlpi_name = "";
      info.dlpi_phdr = headers[i];
      info.dlpi_phnum = (ElfW (Half)) regions[i].n_phdr;
      result = callback (&info, sizeof info, data);
    }
  return result;
}
