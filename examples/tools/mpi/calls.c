/* calls.c - counts and times the calls of MPI functions, in the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "calls.h"

#include "../agent/agent_parts.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Calls of MPI_Init and MPI_Finalize are not counted, but their stacks bound
   the time before the first call and after the last one.  */
enum
{
  INIT = RANK_FUNCTIONS - 1,
  FINALIZE = RANK_FUNCTIONS - 2
};

/* Initial-exec: the agent is loaded with the program, so access never
   allocates.  */
static __thread struct
{
  volatile bool inside; /* an MPI function, or a function here */
  struct call call;     /* the MPI function's, ... */
  uintptr_t frame;      /* ... and where its wrapper keeps it */
  bool is_first;
  uint32_t last; /* the stack of the last call */
  uint64_t end;  /* of that call; 0: there was none */
  uint32_t period; /* in which it was */
} self __attribute__ ((tls_model ("initial-exec")));

static struct rank_memory *memory; /* NULL: there is no profile */
static _Atomic bool is_on;
static _Atomic uint32_t period; /* MPI_Pcontrol begins another one */

/* A cache of the stacks between two calls, guarded by the lock.  */
enum { PAIRS = 1024 };
static struct
{
  uint32_t last;
  uint32_t next;
  uint32_t stack;
} pairs[PAIRS];

static uint64_t
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* The lock.  */

static _Atomic bool is_locked;

static bool
try_lock (void)
{
  return !atomic_exchange_explicit (&is_locked, true, memory_order_acquire);
}

static void
lock (void)
{
  while (!try_lock ())
    sched_yield ();
}

static void
unlock (void)
{
  atomic_store_explicit (&is_locked, false, memory_order_release);
}

/* The table, in shared memory of a fixed size.  cgw-mpi reads it, even when the
   program was killed while it added a stack.  */

static uint64_t
hash_of (uint32_t kind, uint32_t function, const uint64_t *words, size_t n)
{
  uint64_t hash = (uint64_t) kind << 32 | function;

  for (size_t i = 0; i < n; i++)
    {
      hash = (hash ^ words[i]) * UINT64_C (0x9e3779b97f4a7c15);
      hash ^= hash >> 29;
    }
  return hash;
}

/* Store each item before the index that refers to it: the program may be killed
   at any time.  */
static uint32_t
add_stack (const struct rank_stack *key, const uint64_t *words, uint32_t *slot)
{
  uint32_t index = atomic_load_explicit (&memory->n_stacks,
                                         memory_order_relaxed);
  struct rank_stack *s = &memory->stacks[index];

  if (index == RANK_STACKS || key->n > RANK_WORDS - memory->n_words)
    return 0;
  agent_maps_see (words, key->n);
  *s = *key;
  s->first = memory->n_words;
  memcpy (memory->words + s->first, words, key->n * sizeof *words);
  memory->n_words += key->n;
  atomic_store_explicit (&memory->n_stacks, index + 1, memory_order_release);
  *slot = index;
  return index;
}

/* Returns the index of a stack, or 0 (RANK_LOST) if there is no room.  */
static uint32_t
find_stack (uint32_t kind, uint32_t function, const uint64_t *words, size_t n)
{
  struct rank_stack key = { .hash = hash_of (kind, function, words, n),
                            .kind = kind,
                            .function = function,
                            .n = (uint32_t) n };
  uint64_t at = key.hash % RANK_SLOTS;

  for (; memory->slots[at] != 0; at = (at + 1) % RANK_SLOTS)
    {
      const struct rank_stack *s = &memory->stacks[memory->slots[at]];

      if (s->hash == key.hash && s->kind == kind && s->function == function
          && s->n == n
          && memcmp (memory->words + s->first, words, n * sizeof *words) == 0)
        return memory->slots[at];
    }
  return add_stack (&key, words, &memory->slots[at]);
}

static void
add (uint32_t stack, uint64_t ns)
{
  memory->stacks[stack].count++;
  memory->stacks[stack].ns += ns;
}

static void
add_bytes (const struct call *call)
{
  memory->stacks[call->stack].sent += call->sent;
  memory->stacks[call->stack].received += call->received;
}

/* Fortran.  */

/* The code of the Fortran bindings.  Their frames are left out: the caller of
   interest is the Fortran program.  */
enum { BINDINGS = 8 };
static struct
{
  uintptr_t start;
  uintptr_t end;
} bindings[BINDINGS];
static int n_bindings;

static bool
is_binding (const char *path)
{
  static const char *const names[]
      = { "libmpichfort.so", "libmpifort", "libmpi_mpifh", "libmpi_usempi" };
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp (name, names[i], strlen (names[i])) == 0)
      return true;
  return false;
}

static int
take_binding (struct dl_phdr_info *info, size_t size, void *unused)
{
  (void) size;
  (void) unused;
  for (int i = 0; i < info->dlpi_phnum && is_binding (info->dlpi_name); i++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];

      if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0
          || n_bindings == BINDINGS)
        continue;
      bindings[n_bindings].start = info->dlpi_addr + p->p_vaddr;
      bindings[n_bindings].end = bindings[n_bindings].start + p->p_memsz;
      n_bindings++;
    }
  return 0;
}

static bool
is_in_binding (const void *address)
{
  for (int i = 0; i < n_bindings; i++)
    if ((uintptr_t) address - bindings[i].start
        < bindings[i].end - bindings[i].start)
      return true;
  return false;
}

/* The name of the binding's function that an address is in, or "".  dladdr is
   slow, so each thread keeps names.  */
static const char *
binding_name (const void *address)
{
  enum { KEPT = 64 };
  static __thread struct
  {
    const void *address;
    const char *name;
  } kept[KEPT] __attribute__ ((tls_model ("initial-exec")));
  size_t i = (uintptr_t) address % KEPT;
  Dl_info info;

  if (kept[i].address != address)
    {
      kept[i].name = dladdr (address, &info) != 0 && info.dli_sname != NULL
                         ? info.dli_sname
                         : "";
      kept[i].address = address;
    }
  return kept[i].name;
}

/* Whether the program called the binding for this function.  Other calls are
   the binding's own, such as those that make a type for a section of an array.
   Some old functions are another one for C, as MPI_Type_extent is
   MPI_Type_get_extent, so only the last word must be there.  */
static bool
is_for (const void *binding, const char *function)
{
  const char *name = binding_name (binding);

  return *name == '\0'
         || strcasestr (name, strrchr (function, '_') + 1) != NULL;
}

/* Calls.  */

/* Frames of functions here and of bindings; more than there are.  */
enum { OWN_FRAMES = 16 };

/* The stack of a call of a function that returns to `site`; of RANK_FRAMES
   frames: perhaps cut.  0: a binding calls it for itself; not if there is no
   function.  */
static size_t
walk (uint64_t *words, const char *function, const void *site)
{
  void *frames[RANK_FRAMES + OWN_FRAMES];
  size_t first = 0;
  size_t n;

  n = agent_unwind_callers (frames, RANK_FRAMES + OWN_FRAMES);
  while (first < n && frames[first] != site)
    first++;
  if (first == n) /* the stack could not be walked */
    {
      frames[0] = (void *) (uintptr_t) site;
      first = 0;
      n = 1;
    }
  while (first < n - 1 && is_in_binding (frames[first]))
    first++;
  if (function != NULL && first != 0 && is_in_binding (frames[first - 1])
      && !is_for (frames[first - 1], function))
    return 0;
  n = n - first < RANK_FRAMES ? n - first : RANK_FRAMES;
  for (size_t i = 0; i < n; i++)
    words[i] = (uintptr_t) frames[first + i] - 1;
  return n;
}

/* The stack of the time between two calls: see RANK_BETWEEN.  */
static uint32_t
between (uint32_t last, uint32_t next)
{
  const struct rank_stack *l = &memory->stacks[last];
  const struct rank_stack *s = &memory->stacks[next];
  const uint64_t *from = memory->words + l->first;
  const uint64_t *to = memory->words + s->first;
  uint64_t words[RANK_FRAMES + 1];
  uint32_t least = l->n < s->n ? l->n : s->n;
  uint32_t common = 0;

  while (common < least
         && from[l->n - 1 - common] == to[s->n - 1 - common])
    common++;
  if (common == least && common != 0)
    common--;
  if (least == 0)
    return 0;
  words[0] = to[s->n - 1 - common];
  words[1] = from[l->n - 1 - common];
  memcpy (words + 2, to + s->n - common, common * sizeof *words);
  return find_stack (RANK_BETWEEN, 0, words, 2 + common);
}

static uint32_t
find_between (uint32_t last, uint32_t next)
{
  uint32_t at = (last * 31 + next) % PAIRS;

  if (pairs[at].last != last || pairs[at].next != next)
    {
      pairs[at].stack = between (last, next);
      pairs[at].last = last;
      pairs[at].next = next;
    }
  return pairs[at].stack;
}

/* Adds the time since the last call, unless samples account for it.  */
static void
add_between (uint32_t next, uint64_t start)
{
  uint64_t ns = start - self.end;

  if (self.end == 0 || self.period != atomic_load (&period))
    return;
  if (self.is_first)
    memory->outside += ns;
  if (memory->interval == 0)
    add (self.last != 0 && next != 0 ? find_between (self.last, next) : 0, ns);
}

/* Returns the stack of a call.  Holds the lock.  */
static uint32_t
begin (uint32_t function, const char *name, const uint64_t *words, size_t n)
{
  uint32_t stack = find_stack (RANK_CALL, function, words, n);

  if (memory->names[function][0] == '\0')
    strncpy (memory->names[function], name, RANK_NAME - 1);
  if (n == RANK_FRAMES)
    memory->cut++;
  return stack;
}

/* Ends the MPI call under way if a longjmp has left it, for example in an error
   handler: then another call begins at or above its frame.  */
static void
end_left_call (const struct call *next)
{
  if (self.inside && (uintptr_t) next >= self.frame)
    call_end (&self.call);
}

void
call_begin (struct call *call, uint32_t function, const char *name,
            const void *site)
{
  uint64_t words[RANK_FRAMES];
  size_t n;

  end_left_call (call);
  call->is_counted
      = !self.inside && atomic_load_explicit (&is_on, memory_order_relaxed);
  call->has_bytes = false;
  if (!call->is_counted)
    return;
  self.inside = true;
  agent_maps_see (NULL, 0);
  n = walk (words, name, site);
  if (n == 0)
    {
      self.inside = call->is_counted = false;
      return;
    }
  lock ();
  call->stack = begin (function, name, words, n);
  call->start = now ();
  add_between (call->stack, call->start);
  unlock ();
  call->has_bytes = memory->bytes;
  call->sent = call->received = 0;
  self.call = *call;
  self.frame = (uintptr_t) call;
}

void
call_end (const struct call *call)
{
  uint64_t end;

  if (!call->is_counted)
    return;
  end = now ();
  lock ();
  if (atomic_load_explicit (&is_on, memory_order_relaxed))
    {
      add (call->stack, end - call->start);
      if (call->has_bytes)
        add_bytes (call);
    }
  unlock ();
  self.last = call->stack;
  self.end = end;
  self.period = atomic_load (&period);
  self.inside = false;
}

/* The profile.  */

/* Time begins in this thread, after the function that returns to `site`.  */
static void
start (const void *site)
{
  uint64_t words[RANK_FRAMES];
  size_t n;

  self.inside = true;
  n = walk (words, NULL, site);
  lock ();
  self.last = begin (INIT, "", words, n);
  self.period = atomic_fetch_add (&period, 1) + 1;
  self.end = now ();
  atomic_store (&is_on, true);
  unlock ();
  self.inside = false;
}

void
calls_begin (struct rank_memory *m, const void *site)
{
  memory = m;
  memory->n_stacks = 1;
  dl_iterate_phdr (take_binding, NULL);
  agent_maps_see (&memory->library, 1);
  self.is_first = true;
  start (site);
}

void
calls_continue (const void *site)
{
  if (memory != NULL && memory->owner == getpid ()
      && !atomic_load (&is_on))
    start (site);
}

void
calls_end (const void *site)
{
  uint64_t words[RANK_FRAMES];
  size_t n;

  if (memory == NULL || !atomic_load (&is_on))
    return;
  if (self.inside) /* left by a longjmp: nothing else calls MPI_Finalize there */
    call_end (&self.call);
  self.inside = true;
  n = walk (words, NULL, site);
  lock ();
  add_between (begin (FINALIZE, "", words, n), now ());
  atomic_store (&is_on, false);
  unlock ();
  self.inside = false;
}

void
calls_forget (void)
{
  atomic_store (&is_on, false);
}

bool
calls_inside (void)
{
  return self.inside || !atomic_load_explicit (&is_on, memory_order_relaxed);
}

void
calls_sample (const uint64_t *frames, size_t n, uint64_t ns)
{
  if (!try_lock ())
    memory->missed++;
  else
    {
      if (n == RANK_FRAMES)
        memory->cut++;
      add (find_stack (RANK_SAMPLE, 0, frames, n), ns);
      unlock ();
    }
}
