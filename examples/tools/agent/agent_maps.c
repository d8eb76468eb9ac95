/* agent_maps.c - the agent's view of what is mapped: reads
   /proc/self/maps whenever a stack leads to an address that is new, and notes
   what is mapped there for the profiler.

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
  MOST_REGIONS = 65536, /* a process may have little more mappings, unless its
                           system was told otherwise */
  MOST_OBJECTS = 4096,
  MOST_HEADERS = 16, /* of an object, of the kinds that unwinding needs */
  LINE_BYTES = 8192,
  LINES_PER_LOOK = 256, /* see read_for */
  MOST_LOOKS = 1024
};

/* Executable regions.  */

struct region
{
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t inode;
  uint32_t object; /* a number in `objects`, + 1; 0: none that is known */
  bool is_noted;
  bool is_left_out; /* or was, when it was read before */
};

/* As the last reading of /proc/self/maps found them, sorted.  The next one
   fills the other array, so what the version leads to stays as it is until the
   version has changed.  */
static struct
{
  struct region region[MOST_REGIONS];
  uint32_t n;
} regions[2];
static _Atomic uint32_t version;

/* Objects, for those who walk stacks in other threads at any time: one that is
   used stays as it is.  */
static struct object
{
  _Atomic bool is_used;
  uint32_t n;
  uint64_t bias; /* of its addresses */
  ElfW (Phdr) headers[MOST_HEADERS];
} objects[MOST_OBJECTS];
static _Atomic uint32_t n_objects; /* that were ever used */
static _Atomic uint32_t iterating; /* threads that look at them */

static agent_note_fn *take_note;
static _Atomic uint64_t *left_out; /* regions that could not be noted at first,
                                      or not be kept; the profiler's */
static uint64_t most_not_kept;     /* by one reading of this process */
static _Atomic uint64_t noted;     /* the number of the last note */

static _Atomic bool is_reading; /* somebody reads /proc/self/maps */
static _Atomic bool changed;    /* something was unmapped since */
static _Atomic uint32_t closing; /* threads that are about to unmap */
static _Atomic uint32_t looks;   /* at stacks, since it was read */
static _Atomic uint32_t few_looks; /* that it is not read again after */

/* Looking.  */

static bool
search (const struct region *region, uint32_t n, uint64_t address,
        struct region *found)
{
  uint32_t low = 0, high = n;

  /* The first that ends behind the address.  */
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;

      if (region[middle].end <= address)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == n || address < region[low].start || !region[low].is_noted)
    return false;
  *found = region[low];
  return true;
}

static bool
is_known (uint64_t address, struct region *found)
{
  uint32_t before;
  bool known;

  do
    {
      before = atomic_load (&version);
      known = search (regions[before % 2].region, regions[before % 2].n,
                      address, found);
      atomic_thread_fence (memory_order_acquire);
    }
  while (atomic_load (&version) != before);
  return known;
}

static bool
all_known (const uint64_t *frames, size_t n)
{
  struct region region = { 0 };

  /* Neighbours are often in one region.  */
  for (size_t i = 0; i < n; i++)
    if (frames[i] - region.start >= region.end - region.start
        && !is_known (frames[i], &region))
      return false;
  return true;
}

/* Parsing.  */

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

/* Reading.  All of this is of the thread that reads.  */

static struct
{
  const struct region *old; /* the next of those of before, ... */
  const struct region *old_end;
  struct region *region;    /* ... and what they become */
  uint32_t n;
  uint32_t lines;
  uint64_t not_kept;
  struct line first_of_file; /* an object's headers are in the last region that
                                began its file */
  char buffer[LINE_BYTES];
} reading;

/* A note that regions are added to: a file may have thousands, and so may what
   has no file.  */
static struct
{
  struct sample_note_head head;
  char bytes[SAMPLE_NOTE_BYTES];
  size_t n;
  uint32_t first; /* of those regions that are not noted, the first in it */
  bool is_begun;
} note;

/* Objects.  */

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

/* Returns a place for an object, or NULL.  Whoever walks a stack may still look
   at one that was just given up, and sees none that is taken later.  */
static struct object *
free_object (void)
{
  uint32_t n = atomic_load (&n_objects);

  for (uint32_t i = 0; i < n && atomic_load (&iterating) == 0; i++)
    if (!atomic_load (&objects[i].is_used))
      return &objects[i];
  if (n == MOST_OBJECTS)
    return NULL;
  atomic_store (&n_objects, n + 1);
  return &objects[n];
}

/* Copies program headers, and finds the bias: the first segment lies where the
   file's first page does.  */
static void
copy_headers (struct object *o, uint64_t start, const ElfW (Ehdr) *elf)
{
  bool has_bias = false;

  o->n = 0;
  for (uint32_t i = 0; i < elf->e_phnum && o->n < MOST_HEADERS; i++)
    {
      ElfW (Phdr) *p = &o->headers[o->n];

      if (!read_memory (start + elf->e_phoff + i * sizeof *p, p, sizeof *p))
        break;
      if (p->p_type == PT_LOAD && !has_bias)
        {
          o->bias = start - (p->p_vaddr - p->p_offset);
          has_bias = true;
        }
      o->n += is_wanted (p);
    }
}

/* Returns the number of a new object, + 1; 0: it is none, or there is no
   room.  */
static uint32_t
add_object (const struct line *first)
{
  struct object *o;
  ElfW (Ehdr) elf;

  if (!first->readable || !read_memory (first->start, &elf, sizeof elf)
      || memcmp (elf.e_ident, ELFMAG, SELFMAG) != 0
      || elf.e_phentsize != sizeof *o->headers)
    return 0;
  o = free_object ();
  if (o == NULL)
    {
      reading.not_kept++;
      return 0;
    }
  copy_headers (o, first->start, &elf);
  atomic_store (&o->is_used, true);
  return (uint32_t) (o - objects) + 1;
}

static uint32_t
object_of (const struct line *l)
{
  if (l->inode != 0 && reading.first_of_file.inode == l->inode)
    return add_object (&reading.first_of_file);
  return l->length == 6 && memcmp (l->path, "[vdso]", 6) == 0 ? add_object (l)
                                                              : 0;
}

static void
give_up (const struct region *r)
{
  if (r->object != 0)
    atomic_store (&objects[r->object - 1].is_used, false);
}

/* Notes.  */

static void
end_note (void)
{
  bool ok;

  if (!note.is_begun)
    return;
  note.is_begun = false;
  note.head.word[SAMPLE_NOTE_NUMBER] = atomic_fetch_add (&noted, 1) + 1;
  ok = take_note (SAMPLE_NOTE_MAP, &note.head, note.bytes, note.n);
  for (uint32_t i = note.first; i < reading.n; i++)
    if (!reading.region[i].is_noted)
      {
        reading.region[i].is_noted = ok;
        if (!ok && !reading.region[i].is_left_out)
          atomic_fetch_add (left_out, 1);
        reading.region[i].is_left_out = !ok;
      }
}

static size_t
round_up (size_t n)
{
  return (n + 7) / 8 * 8;
}

/* Notes the region of a line, which will be the next one.  Its path may be cut
   off.  */
static void
add_to_note (const struct line *l)
{
  const uint64_t place[SAMPLE_NOTE_PLACE] = { l->start, l->end, l->offset };
  size_t length
      = l->length < SAMPLE_NOTE_BYTES ? l->length : SAMPLE_NOTE_BYTES;

  if (note.is_begun && note.head.word[SAMPLE_NOTE_INODE] == l->inode
      && note.head.length == length
      && memcmp (note.bytes, l->path, length) == 0
      && note.n + sizeof place <= sizeof note.bytes)
    {
      memcpy (note.bytes + note.n, place, sizeof place);
      note.n += sizeof place;
      return;
    }
  end_note ();
  note.is_begun = true;
  note.first = reading.n;
  note.head = (struct sample_note_head){
    { l->start, l->end, l->offset, l->inode }, length
  };
  note.n = round_up (length);
  memset (note.bytes, 0, note.n);
  memcpy (note.bytes, l->path, length);
}

/* Regions.  */

static bool
is_same (const struct region *r, const struct line *l)
{
  return r->start == l->start && r->end == l->end && r->offset == l->offset
         && r->inode == l->inode;
}

/* Takes the next region, which may have been there before.  */
static void
add_region (const struct line *l)
{
  struct region r
      = { l->start, l->end, l->offset, l->inode, 0, false, false };

  if (reading.n == MOST_REGIONS)
    {
      reading.not_kept++;
      return;
    }
  while (reading.old < reading.old_end && reading.old->start < l->start)
    give_up (reading.old++);
  if (reading.old < reading.old_end && is_same (reading.old, l))
    r = *reading.old++;
  else
    r.object = object_of (l);
  if (!r.is_noted)
    add_to_note (l);
  reading.region[reading.n++] = r;
}

/* What is mapped while it is read may make a line begin before the end of the
   one before.  */
static void
take_line (const char *p, const char *end)
{
  struct line l;

  reading.lines++;
  parse_line (p, end, &l);
  if (l.offset == 0 && l.inode != 0)
    reading.first_of_file = l;
  if (l.executable
      && (reading.n == 0
          || l.start >= reading.region[reading.n - 1].end))
    add_region (&l);
}

/* Takes the lines in n bytes; returns how many bytes are left, of a line that
   goes on.  A line that fills the buffer is taken as it is.  */
static size_t
take_lines (size_t n)
{
  const char *line = reading.buffer;
  const char *end = reading.buffer + n;
  const char *newline;

  while ((newline = memchr (line, '\n', (size_t) (end - line))) != NULL)
    {
      take_line (line, newline);
      line = newline + 1;
    }
  if (line == reading.buffer && n == sizeof reading.buffer)
    {
      take_line (line, end);
      line = end;
    }
  n = (size_t) (end - line);
  memmove (reading.buffer, line, n);
  return n;
}

/* System calls, and not libc's functions, which are cancellation points.  */
static bool
read_lines (void)
{
  long fd = syscall (SYS_openat, AT_FDCWD, "/proc/self/maps",
                     O_RDONLY | O_CLOEXEC, 0);
  size_t left = 0;
  long got;

  if (fd < 0)
    return false;
  while ((got = syscall (SYS_read, fd, reading.buffer + left,
                         sizeof reading.buffer - left)) > 0)
    left = take_lines (left + (size_t) got);
  syscall (SYS_close, fd);
  return true;
}

static void
read_maps (void)
{
  uint32_t now = atomic_load (&version);

  reading.old = regions[now % 2].region;
  reading.old_end = reading.old + regions[now % 2].n;
  reading.region = regions[1 - now % 2].region;
  reading.n = 0;
  reading.lines = 0;
  reading.not_kept = 0;
  memset (&reading.first_of_file, 0, sizeof reading.first_of_file);
  if (!read_lines ())
    return;
  end_note ();
  while (reading.old < reading.old_end)
    give_up (reading.old++);
  regions[1 - now % 2].n = reading.n;
  atomic_store (&version, now + 1);
  if (reading.not_kept > most_not_kept)
    {
      atomic_fetch_add (left_out, reading.not_kept - most_not_kept);
      most_not_kept = reading.not_kept;
    }
}

/* An address that stays unknown, in a broken stack for instance, must not cost
   a reading each time.  A long reading takes longer than the time between two
   samples, which a program that always runs new code must not pay each time,
   either.  */
static void
read_for (const uint64_t *frames, size_t n)
{
  uint32_t few = atomic_load (&few_looks);

  if (atomic_exchange (&changed, false) || atomic_load (&closing) != 0)
    agent_unwind_forget ();
  read_maps ();
  atomic_store (&looks, 0);
  if (all_known (frames, n))
    few = reading.lines / LINES_PER_LOOK;
  else if (few < MOST_LOOKS)
    few = 2 * few + 1;
  atomic_store (&few_looks, few);
}

void
agent_maps_begin (agent_note_fn *note_fn, _Atomic uint64_t *n_left_out)
{
  take_note = note_fn;
  left_out = n_left_out;
}

bool
agent_maps_see (const uint64_t *frames, size_t n)
{
  bool free = false;

  if (n != 0)
    atomic_fetch_add (&looks, 1);
  if (!atomic_load (&changed) && atomic_load (&closing) == 0
      && (all_known (frames, n)
          || atomic_load (&looks) <= atomic_load (&few_looks)))
    return false;
  /* If another thread is reading, it notes what this one needs, too.  */
  if (!atomic_compare_exchange_strong (&is_reading, &free, true))
    return false;
  read_for (frames, n);
  atomic_store (&is_reading, false);
  return true;
}

uint64_t
agent_maps_noted (void)
{
  return atomic_load (&is_reading) ? UINT64_MAX : atomic_load (&noted);
}

void
agent_maps_restart (void)
{
  for (uint32_t i = 0; i < atomic_load (&n_objects); i++)
    atomic_store (&objects[i].is_used, false);
  regions[0].n = regions[1].n = 0;
  note.is_begun = false;
  most_not_kept = 0;
  atomic_store (&iterating, 0);
  atomic_store (&noted, 0);
  atomic_store (&changed, false);
  atomic_store (&closing, 0);
  atomic_store (&few_looks, 0);
  atomic_store (&is_reading, false);
}

int
agent_maps_iterate (int (*callback) (struct dl_phdr_info *, size_t, void *),
                    void *data)
{
  int result = 0;

  atomic_fetch_add (&iterating, 1);
  for (uint32_t i = 0; i < atomic_load (&n_objects) && result == 0; i++)
    {
      struct dl_phdr_info info = { 0 };

      if (!atomic_load (&objects[i].is_used) || objects[i].n == 0)
        continue;
      info.dlpi_addr = (ElfW (Addr)) objects[i].bias;
      info.dlpi_name = "";
      info.dlpi_phdr = objects[i].headers;
      info.dlpi_phnum = (ElfW (Half)) objects[i].n;
      result = callback (&info, sizeof info, data);
    }
  atomic_fetch_sub (&iterating, 1);
  return result;
}

/* What unmaps code.  The constructors of other libraries may call this before
   any constructor here.  */
AGENT_STAND_IN int
dlclose (void *handle)
{
  int result;

  agent_find_real ();
  atomic_fetch_add (&closing, 1);
  result = agent_real.dlclose (handle);
  atomic_store (&changed, true);
  atomic_fetch_sub (&closing, 1);
  return result;
}
