/* perf_stack.c - unwinds the part of a stack that perf copied.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_stack.h"

#include "../base/memory.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Deeper than any stack that perf copies, for that has at most 64 KiB.  */
enum { MOST_FRAMES = 4096 };

/* A file at a place.  */
struct stack_module
{
  uint32_t object;
  uint64_t bias; /* of the addresses to the file's */
};

struct stack_space
{
  struct unwinder *unwinder;
  uint32_t process;
  uint32_t number; /* of what it has mapped */
  uint64_t turn;   /* when it was used last */
  Dwfl *dwfl;
  bool is_attached;
  struct stack_module *modules; /* that libdwfl knows */
  uint32_t n_modules;
  bool *is_added; /* regions, by number */
  uint32_t region_room;
};

/* Registers.  */

/* Where the registers of DWARF's order are among perf's, for the numbers in
   the attribute's mask are perf's.  The last is the address of the next
   instruction.  */
static const unsigned char x86_64_registers[]
    = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };
enum { X86_64_STACK = 7, X86_64_NEXT = 8, ARM_STACK = 31, ARM_NEXT = 32 };
enum { ARM_REGISTERS = 32 };

/* A register by perf's number.  False: the sample does not have it.  */
static bool
read_register (const struct perf_event_attr *a, const struct perf_sample *s,
               unsigned number, uint64_t *value)
{
  uint64_t mask = a->sample_regs_user, bit = UINT64_C (1) << number;

  if ((mask & bit) == 0)
    return false;
  *value = perf_u64 (s->registers
                     + (size_t) __builtin_popcountll (mask & (bit - 1))
                           * sizeof *value);
  return true;
}

static bool
set_x86_64_registers (const struct unwinder *u, Dwfl_Thread *thread)
{
  Dwarf_Word registers[sizeof x86_64_registers] = { 0 };

  for (unsigned i = 0; i < sizeof x86_64_registers; i++)
    read_register (u->attr, u->sample, x86_64_registers[i], &registers[i]);
  return dwfl_thread_state_registers (thread, 0, sizeof x86_64_registers,
                                      registers);
}

static bool
set_arm_registers (const struct unwinder *u, Dwfl_Thread *thread)
{
  Dwarf_Word registers[ARM_REGISTERS] = { 0 }, next = 0;

  for (unsigned i = 0; i < ARM_REGISTERS; i++)
    read_register (u->attr, u->sample, i, &registers[i]);
  read_register (u->attr, u->sample, ARM_NEXT, &next);
  dwfl_thread_state_register_pc (thread, next);
  return dwfl_thread_state_registers (thread, 0, ARM_REGISTERS, registers);
}

static unsigned
next_register (const struct unwinder *u)
{
  return u->machine == STACK_AARCH64 ? ARM_NEXT : X86_64_NEXT;
}

static unsigned
stack_register (const struct unwinder *u)
{
  return u->machine == STACK_AARCH64 ? ARM_STACK : X86_64_STACK;
}

bool
unwinder_can (const struct unwinder *u, const struct perf_event_attr *a,
              const struct perf_sample *s)
{
  uint64_t word;

  return unwinder_has_stack (s) && s->abi == PERF_SAMPLE_REGS_ABI_64
         && (u->machine == STACK_X86_64 || u->machine == STACK_AARCH64)
         && read_register (a, s, next_register (u), &word)
         && read_register (a, s, stack_register (u), &word);
}

uint64_t
unwinder_address (const struct unwinder *u, const struct perf_event_attr *a,
                  const struct perf_sample *s)
{
  uint64_t address = 0;

  read_register (a, s, next_register (u), &address);
  return address;
}

/* What libdwfl asks for.  */

static pid_t
next_thread (Dwfl *dwfl, void *space, void **thread)
{
  (void) dwfl;
  if (*thread != NULL)
    return 0;
  *thread = space;
  return 1;
}

static bool
get_thread (Dwfl *dwfl, pid_t tid, void *space, void **thread)
{
  (void) dwfl;
  (void) tid;
  *thread = space;
  return true;
}

static bool
set_registers (Dwfl_Thread *thread, void *space)
{
  const struct unwinder *u = ((struct stack_space *) space)->unwinder;

  return u->machine == STACK_AARCH64 ? set_arm_registers (u, thread)
                                     : set_x86_64_registers (u, thread);
}

/* Nothing but the stack was copied.  */
static bool
read_memory (Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *space)
{
  struct unwinder *u = ((struct stack_space *) space)->unwinder;
  const struct perf_sample *s = u->sample;
  uint64_t at = address - u->begin; /* below it: a huge number */

  (void) dwfl;
  if (at > s->stack_size || s->stack_size - at < sizeof *word)
    {
      u->is_whole = false;
      return false;
    }
  memcpy (word, s->stack + at, sizeof *word);
  return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks
    = { .next_thread = next_thread,
        .get_thread = get_thread,
        .memory_read = read_memory,
        .set_initial_registers = set_registers };

/* What is mapped.  */

/* Programs of 32 bits run on these machines, too: the registers say so, and are
   not unwound.  */
static enum stack_machine
machine_of (Elf *elf)
{
  GElf_Ehdr header;

  if (gelf_getehdr (elf, &header) == NULL)
    return STACK_UNKNOWN;
  switch (header.e_machine)
    {
    case EM_386:
    case EM_X86_64:
      return STACK_X86_64;
    case EM_ARM:
    case EM_AARCH64:
      return STACK_AARCH64;
    default:
      return STACK_OTHER;
    }
}

/* The difference of a region's addresses to those in its file, and whose code
   that has.  False: the file has nothing there.  */
static bool
find_bias (int fd, const struct region *region, uint64_t *bias,
           enum stack_machine *machine)
{
  Elf *elf;
  GElf_Phdr p;
  size_t n = 0;
  bool is_found = false;

  elf_version (EV_CURRENT);
  elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  elf_getphdrnum (elf, &n);
  *machine = machine_of (elf);
  for (size_t i = 0; i < n && !is_found; i++)
    if (gelf_getphdr (elf, (int) i, &p) != NULL && p.p_type == PT_LOAD
        && (p.p_flags & PF_X) != 0 && region->offset < p.p_offset + p.p_filesz
        && region->offset + (region->end - region->start) > p.p_offset)
      {
        *bias = region->start - region->offset + p.p_offset - p.p_vaddr;
        is_found = true;
      }
  elf_end (elf);
  return is_found;
}

static bool
has_module (const struct stack_space *s, uint32_t object, uint64_t bias)
{
  for (uint32_t i = 0; i < s->n_modules; i++)
    if (s->modules[i].object == object && s->modules[i].bias == bias)
      return true;
  return false;
}

/* Opens a region's file.  Returns -1 if it has no code there.  *path is to be
   freed.  */
static int
open_region (const struct unwinder *u, const struct region *region,
             char **path, uint64_t *bias, enum stack_machine *machine)
{
  int fd = resolver_open (u->resolver, region->object, path);

  if (fd < 0 || find_bias (fd, region, bias, machine))
    return fd;
  close (fd);
  return -1;
}

static void
add_region (struct stack_space *s, const struct region *region)
{
  char *path;
  enum stack_machine machine;
  uint64_t bias;
  int fd = open_region (s->unwinder, region, &path, &bias, &machine);

  if (fd >= 0 && !has_module (s, region->object, bias)
      && dwfl_report_elf (s->dwfl, path, path, fd, bias, true) != NULL)
    {
      fd = -1; /* It is libdwfl's.  */
      s->modules = resize_for_one (s->modules, s->n_modules,
                                   sizeof *s->modules);
      s->modules[s->n_modules++]
          = (struct stack_module){ region->object, bias };
    }
  if (fd >= 0)
    close (fd);
  free (path);
}

static void
add_region_at (struct stack_space *s, uint32_t process, uint64_t address)
{
  struct maps *maps = s->unwinder->maps;
  const struct region *region = maps_region (maps, process, address);
  uint32_t i;

  if (region == NULL)
    return;
  i = (uint32_t) (region - maps_process (maps, process)->regions->region);
  s->is_added = resize_for (s->is_added, i, &s->region_room,
                            sizeof *s->is_added);
  if (!s->is_added[i])
    add_region (s, region);
  s->is_added[i] = true;
}

/* Tells libdwfl the files that the stack may lead through, for a process may
   have mapped thousands, and map more between any two samples.  The addresses
   that calls return to are in registers or in memory; one may be the first
   behind a region.  */
static void
add_regions (struct stack_space *s, uint32_t process)
{
  enum { SMALLEST_PAGE = 4096, WORD = sizeof (uint64_t) };
  const struct perf_sample *sample = s->unwinder->sample;
  uint64_t mask = s->unwinder->attr->sample_regs_user;
  size_t n_registers = (size_t) __builtin_popcountll (mask),
         n = n_registers + sample->stack_size / WORD;

  dwfl_report_begin_add (s->dwfl);
  for (size_t i = 0; i < n; i++)
    {
      uint64_t address
          = perf_u64 (i < n_registers
                          ? sample->registers + i * WORD
                          : sample->stack + (i - n_registers) * WORD);

      add_region_at (s, process, address);
      if (address % SMALLEST_PAGE == 0)
        add_region_at (s, process, address - 1);
    }
  dwfl_report_end (s->dwfl, NULL, NULL);
}

static void
leave_space (struct stack_space *s)
{
  if (s == NULL)
    return;
  dwfl_end (s->dwfl);
  free (s->modules);
  free (s->is_added);
  free (s);
}

static struct stack_space *
new_space (struct unwinder *u, uint32_t process, uint32_t number)
{
  struct stack_space *s = resize (NULL, 1, sizeof *s);

  *s = (struct stack_space){ .unwinder = u,
                             .process = process,
                             .number = number,
                             .dwfl = dwfl_begin (&u->resolver->callbacks) };
  if (s->dwfl == NULL)
    no_memory ();
  return s;
}

/* The process's, or the one that was used least lately is given up.  */
static struct stack_space *
find_space (struct unwinder *u, uint32_t process, uint32_t number)
{
  unsigned oldest = 0;

  for (unsigned i = 0; i < STACK_SPACES; i++)
    {
      const struct stack_space *s = u->spaces[i];

      if (s != NULL && s->number == number)
        return u->spaces[i];
      if (u->spaces[oldest] != NULL
          && (s == NULL || s->process == process
              || (u->spaces[oldest]->process != process
                  && s->turn < u->spaces[oldest]->turn)))
        oldest = i;
    }
  leave_space (u->spaces[oldest]);
  return u->spaces[oldest] = new_space (u, process, number);
}

void
unwinder_name_machine (struct unwinder *u, const char *name)
{
  u->machine = name == NULL                  ? STACK_UNKNOWN
               : strcmp (name, "x86_64") == 0  ? STACK_X86_64
               : strcmp (name, "aarch64") == 0 ? STACK_AARCH64
                                               : STACK_OTHER;
}

/* That of a region's file, each of which is tried once.  The vdso is this
   machine's.  */
static enum stack_machine
machine_at (struct unwinder *u, const struct region *region)
{
  enum stack_machine machine = STACK_UNKNOWN;
  uint64_t bias;
  char *path;
  int fd;

  u->is_tried = resize_for (u->is_tried, region->object, &u->object_room,
                            sizeof *u->is_tried);
  if (u->is_tried[region->object])
    return STACK_UNKNOWN;
  u->is_tried[region->object] = true;
  fd = open_region (u, region, &path, &bias, &machine);
  if (fd >= 0)
    close (fd);
  if (fd < 0 || *path == '[')
    machine = STACK_UNKNOWN;
  free (path);
  return machine;
}

enum stack_machine
unwinder_find_machine (struct unwinder *u, uint32_t process)
{
  const struct regions *r = maps_process (u->maps, process)->regions;

  for (uint32_t i = 0;
       u->machine == STACK_UNKNOWN && r != NULL && i < r->n; i++)
    u->machine = machine_at (u, &r->region[i]);
  return u->machine;
}

/* Unwinding.  */

static int
take_frame (Dwfl_Frame *frame, void *unwinder)
{
  struct unwinder *u = unwinder;
  struct stack_frame f;
  Dwarf_Addr address;
  bool is_exact;

  if (!dwfl_frame_pc (frame, &address, &is_exact) || u->n == MOST_FRAMES)
    {
      u->is_whole = false;
      return DWARF_CB_ABORT;
    }
  f = (struct stack_frame){ address, !is_exact };
  u->frames = resize_for (u->frames, u->n, &u->room, sizeof *u->frames);
  u->frames[u->n++] = f;
  return DWARF_CB_OK;
}

void
unwinder_unwind (struct unwinder *u, uint32_t process, uint32_t number,
                 const struct perf_event_attr *attr,
                 const struct perf_sample *sample)
{
  struct stack_space *s = find_space (u, process, number);

  s->turn = ++u->turn;
  u->attr = attr;
  u->sample = sample;
  read_register (attr, sample, stack_register (u), &u->begin);
  u->n = 0;
  u->is_whole = true;
  add_regions (s, process);
  if (!s->is_attached) /* which needs a file */
    s->is_attached
        = dwfl_attach_state (s->dwfl, NULL, 1, &thread_callbacks, s);
  if (!s->is_attached
      || dwfl_getthread_frames (s->dwfl, 1, take_frame, u) != 0)
    u->is_whole = false;
}

void
unwinder_end (struct unwinder *u)
{
  for (unsigned i = 0; i < STACK_SPACES; i++)
    leave_space (u->spaces[i]);
  free (u->frames);
  free (u->is_tried);
}
