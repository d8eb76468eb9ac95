/* agent_unwind.c - walks the stack that a signal interrupted: by libunwind,
   or along frame pointers.

   libunwind is loaded with RTLD_LOCAL.  If the agent were linked with it, its
   symbols would replace the program's own, such as those of the C++ runtime's
   unwinder.  In a handler, the agent's dl_iterate_phdr finds the unwind tables
   for it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define UNW_LOCAL_ONLY 1

#include "agent_parts.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libunwind.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define QUOTE_EXPANDED(name) #name
#define QUOTE(name) QUOTE_EXPANDED (name)

_Static_assert (sizeof (unw_cursor_t)
                    <= sizeof ((struct agent_thread *) NULL)->cursor,
                "a cursor has its place");

static __typeof__ (&unw_init_local2) init_local2;
static __typeof__ (&unw_step) step;
static __typeof__ (&unw_get_reg) get_reg;
static __typeof__ (&unw_get_proc_info) get_proc_info;
static __typeof__ (&unw_is_signal_frame) is_signal_frame;
static __typeof__ (&unw_flush_cache) flush_cache;
static __typeof__ (&unw_backtrace) backtrace;
static unw_addr_space_t *address_space;

/* Addresses of code that was found to have unwind tables; libunwind would look
   for these each time.  */
static _Atomic unw_word_t tabled[1024];

/* Whether this thread is in libunwind.  */
static __thread volatile bool is_walking
    __attribute__ ((tls_model ("initial-exec")));

/* The names are macros, for those of each architecture.  memcpy,
   because C has no conversion from void * to a function pointer.  */
#define FIND(library, pointer, name) \
  find (library, QUOTE (name), &pointer, sizeof pointer)

static bool
find (void *library, const char *name, void *pointer, size_t size)
{
  void *symbol = dlsym (library, name);

  memcpy (pointer, &symbol, size);
  return symbol != NULL;
}

static bool
load_libunwind (void)
{
  void *library = dlopen ("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

  return library != NULL && FIND (library, step, unw_step)
         && FIND (library, get_reg, unw_get_reg)
         && FIND (library, get_proc_info, unw_get_proc_info)
         && FIND (library, is_signal_frame, unw_is_signal_frame)
         && FIND (library, flush_cache, unw_flush_cache)
         && FIND (library, backtrace, unw_backtrace)
         && FIND (library, address_space, unw_local_addr_space)
         && FIND (library, init_local2, unw_init_local2);
}

/* Where its code lies.  */
static uintptr_t code_start, code_end;

static int
find_code (struct dl_phdr_info *info, size_t size, void *unused)
{
  uintptr_t address;

  (void) size;
  (void) unused;
  memcpy (&address, &step, sizeof address);
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + p->p_vaddr;

      if (p->p_type == PT_LOAD && address - start < p->p_memsz)
        {
          code_start = start;
          code_end = start + p->p_memsz;
          return 1;
        }
    }
  return 0;
}

bool
agent_unwind_is_code (const void *address)
{
  return (uintptr_t) address - code_start < code_end - code_start;
}

bool
agent_unwind_begin (bool frame_pointers)
{
  if (frame_pointers)
    return true;
  if (load_libunwind ())
    {
      dl_iterate_phdr (find_code, NULL);
      return true;
    }
  init_local2 = NULL;
  return false;
}

void
agent_unwind_forget (void)
{
  if (init_local2 == NULL)
    return;
  flush_cache (*address_space, 0, 0);
  for (size_t i = 0; i < sizeof tabled / sizeof *tabled; i++)
    atomic_store_explicit (&tabled[i], 0, memory_order_relaxed);
}

static int
move_up (int fd)
{
  enum { HIGH = 1000 };
  struct rlimit limit;
  int high;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < HIGH + 2)
    return fd;
  high = fcntl (fd, F_DUPFD_CLOEXEC, HIGH);
  if (high < 0)
    return fd;
  syscall (SYS_close, fd);
  return high;
}

void
agent_unwind_move_pipe (int ends[2])
{
  if (!is_walking)
    return;
  for (int i = 0; i < 2; i++)
    ends[i] = move_up (ends[i]);
}

/* Deeper than any stack that is not broken.  */
enum { MOST_STEPS = 1000000 };

static bool
has_room (const struct agent_walk *w, size_t steps)
{
  return w->n < w->max || (w->deep && steps < MOST_STEPS);
}

/* Where there is no room for more, the outermost ones move down.  */
static void
put (struct agent_walk *w, uint64_t address)
{
  if (w->n == w->max)
    {
      uint64_t *base = w->frames + w->max - SAMPLE_BASE_FRAMES;

      memmove (base, base + 1, (SAMPLE_BASE_FRAMES - 1) * sizeof *base);
      w->n--;
    }
  w->frames[w->n++] = address;
}

/* Reads a frame's two words: the caller's frame, and the return address.
   The register may hold anything, so the kernel reads: it does not fault.  */
static bool
read_frame (uint64_t frame, uint64_t words[2])
{
  struct iovec local = { words, 2 * sizeof *words };
  struct iovec remote = { (void *) (uintptr_t) frame, 2 * sizeof *words };

  return frame % sizeof *words == 0
         && syscall (SYS_process_vm_readv, syscall (SYS_getpid), &local, 1ul,
                     &remote, 1ul, 0ul) == (long) local.iov_len;
}

/* By libunwind.  */

static bool
has_tables (unw_cursor_t *cursor)
{
  unw_proc_info_t code;
  unw_word_t ip;

  if (get_reg (cursor, UNW_REG_IP, &ip) != 0)
    return false;
  _Atomic unw_word_t *known = &tabled[ip % (sizeof tabled / sizeof *tabled)];
  if (atomic_load_explicit (known, memory_order_relaxed) == ip)
    return true;
  if (get_proc_info (cursor, &code) != 0
      || code.end_ip - code.start_ip <= 1) /* 1: it has no tables */
    return false;
  atomic_store_explicit (known, ip, memory_order_relaxed);
  return true;
}

/* Through code without tables, libunwind follows the frame register, which may
   hold anything: even the address of memory that is gone, because libunwind
   checks each page but once.  Just above the stack pointer there is always
   stack.  In code with tables, the register may hold any value, and is not
   followed: there the kernel need not read, which a sandbox may forbid.
   *checked is the last register that the kernel read from.  */
static bool
may_step (unw_cursor_t *cursor, unw_word_t *checked)
{
  enum { PAGE = 4096 };
  unw_word_t frame, stack;
  uint64_t words[2];

  if (get_reg (cursor, UNW_X86_64_RBP, &frame) != 0 || frame == *checked
      || get_reg (cursor, UNW_REG_SP, &stack) != 0 || frame - stack < PAGE
      || has_tables (cursor))
    return true;
  *checked = frame;
  return read_frame (frame, words);
}

static void
walk_tables (ucontext_t *context, struct agent_walk *w)
{
  unw_cursor_t *cursor = w->cursor;
  bool exact = true; /* the leaf, and what another signal interrupted */
  unw_word_t checked = 0;
  int more = init_local2 (cursor, context, UNW_INIT_SIGNAL_FRAME) == 0;

  for (size_t steps = 0; more > 0 && has_room (w, steps); steps++)
    {
      bool is_signal = is_signal_frame (cursor) > 0;
      unw_word_t ip = 0;

      if (get_reg (cursor, UNW_REG_IP, &ip) != 0 || ip == 0)
        break;
      put (w, exact || is_signal ? ip : ip - 1);
      exact = is_signal;
      if (!may_step (cursor, &checked))
        break;
      more = step (cursor);
    }
  w->end = more == 0;
}

/* By frame pointers.  */

/* Registers of the interrupted code: where it was, and its frame.  */
static void
get_registers (const ucontext_t *context, uint64_t *ip, uint64_t *frame)
{
  *ip = (uint64_t) context->uc_mcontext.gregs[REG_RIP];
  *frame = (uint64_t) context->uc_mcontext.gregs[REG_RBP];
}

static void
walk_frames (const ucontext_t *context, struct agent_walk *w)
{
  uint64_t words[2];
  uint64_t ip, frame;

  get_registers (context, &ip, &frame);
  put (w, ip);
  w->end = false;
  for (size_t steps = 0; has_room (w, steps); steps++)
    {
      w->end = !read_frame (frame, words) || words[1] == 0;
      if (w->end)
        break;
      put (w, words[1] - 1);
      /* Stacks grow downwards; anything else is no frame.  */
      w->end = words[0] <= frame;
      if (w->end)
        break;
      frame = words[0];
    }
}

void
agent_unwind (ucontext_t *context, struct agent_walk *w)
{
  w->n = 0;
  is_walking = true;
  if (init_local2 != NULL)
    walk_tables (context, w);
  is_walking = false;
  if (w->n == 0)
    walk_frames (context, w);
}

/* libunwind remembers how it left each function: so this is much faster.  */
size_t
agent_unwind_callers (void **addresses, size_t max)
{
  int n;

  is_walking = true;
  n = init_local2 != NULL ? backtrace (addresses, (int) max) : 0;
  is_walking = false;
  return n > 0 ? (size_t) n : 0;
}
