/* perf_data.c - reads perf.data: what its records mean.

   Records are put in the order of time.  They say which processes and threads
   there are, and what is mapped into them; samples have addresses, which
   become positions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "import.h"

#include "kernel.h"
#include "maps.h"
#include "memory.h"
#include "perf_file.h"
#include "perf_order.h"
#include "perf_sample.h"
#include "perf_stack.h"
#include "resolve.h"
#include "table.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records, by offsets.  */
enum
{
  BODY = PERF_HEADER,
  MAP_PID = BODY,
  MAP_ADDRESS = BODY + 8,
  MAP_SIZE = BODY + 16,
  MAP_OFFSET = BODY + 24,
  MAP_PATH = BODY + 32,
  MAP2_BUILD_ID_SIZE = BODY + 32,
  MAP2_BUILD_ID = BODY + 36,
  MAP2_INODE = BODY + 40,
  MAP2_PROTECTION = BODY + 56,
  MAP2_PATH = BODY + 64,
  COMM_PID = BODY,
  COMM_TID = BODY + 4,
  COMM_NAME = BODY + 8,
  FORK_PID = BODY,
  FORK_PARENT_PID = BODY + 4,
  FORK_TID = BODY + 8,
  FORK_PARENT_TID = BODY + 12,
  FORK_END = BODY + 16,
  LOST_COUNT = BODY + 8,
  LOST_END = BODY + 16,
  LOST_SAMPLES_COUNT = BODY,
  LOST_SAMPLES_END = BODY + 8,
  SYMBOL_ADDRESS = BODY,
  SYMBOL_SIZE = BODY + 8,
  SYMBOL_FLAGS = BODY + 14,
  SYMBOL_NAME = BODY + 16
};

/* In newer headers only.  Behind that marker is a number, by which the kernel
   gives the user's addresses later; they are left out.  */
#define CONTEXT_USER_DEFERRED ((uint64_t) -640)
enum
{
  RECORD_SYMBOL = 17,
  SYMBOL_IS_GONE = 1,
  MISC_MAP_BUILD_ID = 1 << 14,
  PROTECTION_EXECUTE = 4
};

/* The numbers of address spaces that are of no process.  */
enum { NO_PROCESS, KERNEL_PROCESS };

/* Who runs: as in the records.  */
enum mode
{
  MODE_UNKNOWN,
  MODE_KERNEL,
  MODE_USER,
  MODE_HYPERVISOR,
  MODE_GUEST_KERNEL,
  MODE_GUEST_USER
};

/* How many frames are remembered of a thread's outermost ones.  */
enum { BASE_FRAMES = 6 };

struct thread
{
  uint64_t tid;
  uint32_t pid;
  bool is_numbered;
  bool is_unwound;            /* the base is no guess by frame pointers */
  uint32_t number;            /* the import's */
  char *comm;
  uint64_t base[BASE_FRAMES]; /* outermost addresses of a whole stack, the
                                 innermost of them first */
  uint32_t n_base;
};

/* An address's positions.  The key is of the first two.  */
struct place_entry
{
  uint64_t address;
  uint32_t space; /* what it was mapped in */
  uint16_t mode;
  uint16_t is_call;
  uint32_t first; /* of the positions */
  uint32_t n;
  bool is_main;
};

/* More are found anew, so that the memory does not grow with the time that a
   program runs.  */
enum { MOST_PLACES = 1 << 21 };

/* Most addresses of a sample were in the samples just before it, too.  */
enum { KNOWN_BITS = 13, KNOWN_PLACES = 1 << KNOWN_BITS };

/* What a process has mapped.  */
struct space
{
  uint32_t number;   /* that no other contents had */
  bool was_replaced; /* by a program that may not run yet */
  uint32_t threads;  /* that did not end */
};

/* What was counted last by an event in a thread.  */
struct counter
{
  uint64_t id;
  uint64_t tid;
  uint64_t value;
};

struct perf
{
  struct import *im;
  struct input *in;
  struct perf_file file;
  struct perf_order order;

  struct maps maps;
  struct resolver resolver;
  struct kernel kernel;
  struct unwinder unwinder;
  struct intern pids;        /* numbers of address spaces */
  struct space *spaces;      /* by number of process */
  uint32_t space_room;
  uint32_t last_space;       /* the highest number */
  struct table threads;      /* by tid */

  struct table places;
  struct place_entry *known; /* copies of some that came last, by a hash */
  struct cgw_pos *positions; /* theirs */
  uint32_t n_positions;
  uint32_t position_room;
  struct cgw_pos *frames;    /* of a sample */
  uint32_t n_frames;
  uint32_t frame_room;

  bool has_events;           /* the columns are known */
  uint32_t n_columns;        /* with that of the samples, the last */
  uint32_t *column;          /* of each attribute; that of the samples if it
                                has none */
  uint32_t n_attrs;
  uint64_t *cost;
  struct table counters;

  uint64_t lost;             /* records */
  uint64_t lost_samples;
  uint64_t unknown;          /* samples of no event */
};

/* Events.  */

static struct cgw_event
make_event (const struct perf_attr *attr, const struct cgw_event *before,
            uint32_t n)
{
  char *name = perf_attr_name (attr), *unit = perf_attr_unit (attr);
  struct cgw_event event = import_event (name, unit, before, n);

  free (name);
  free (unit);
  return event;
}

/* Describes the recording.  */
static void
describe (struct perf *p)
{
  struct perf_about *a = &p->file.about;
  char *text;

  if (p->im->cmd == NULL)
    {
      p->im->cmd = a->command;
      a->command = NULL;
    }
  if (a->host == NULL)
    return;
  text = make_text ("on %s%s%s%s%s", a->host,
                    a->release != NULL ? ", Linux " : "",
                    a->release != NULL ? a->release : "",
                    a->version != NULL ? ", by perf " : "",
                    a->version != NULL ? a->version : "");
  import_describe (p->im, "Recorded", text);
  free (text);
}

/* Events have a column each, and the samples, whatever their events, the
   last.  */
static bool
begin_events (struct perf *p)
{
  const struct perf_attrs *attrs = &p->file.about.attrs;
  struct cgw_event *events
      = resize (NULL, (size_t) attrs->n + 1, sizeof *events);
  bool ok;

  p->has_events = true;
  p->n_attrs = attrs->n;
  p->column = resize (NULL, attrs->n, sizeof *p->column);
  for (uint32_t i = 0; i < attrs->n; i++)
    {
      p->column[i] = UINT32_MAX;
      if (perf_attr_is_dummy (&attrs->all[i]))
        continue;
      p->column[i] = p->n_columns;
      events[p->n_columns]
          = make_event (&attrs->all[i], events, p->n_columns);
      p->n_columns++;
    }
  events[p->n_columns] = import_event ("Samples", NULL, events, p->n_columns);
  p->n_columns++;
  p->cost = resize (NULL, p->n_columns, sizeof *p->cost);
  ok = import_events (p->im, p->in, events, p->n_columns, CGW_INSTR_LINE);
  for (uint32_t i = 0; i < p->n_columns; i++)
    import_free_event (&events[i]);
  free (events);
  describe (p);
  p->kernel.release = p->file.about.release;
  p->unwinder.is_arm = p->file.about.machine != NULL
                       && strcmp (p->file.about.machine, "aarch64") == 0;
  return ok;
}

/* Processes and threads.  */

/* A process, or, if `which` is not 0, what it was before it executed a
   program.  */
static uint32_t
find_process (struct perf *p, uint32_t pid, uint32_t which)
{
  uint64_t key = (uint64_t) which << 32 | pid;
  uint32_t n = p->pids.n;
  uint32_t i = intern (&p->pids, &key, sizeof key);

  if (i == n)
    {
      p->spaces
          = resize_for (p->spaces, i, &p->space_room, sizeof *p->spaces);
      p->spaces[i] = (struct space){ .number = ++p->last_space,
                                     .threads = 1 };
      maps_process (&p->maps, i)->pid = pid;
    }
  return i;
}

static uint32_t
process_of (struct perf *p, uint32_t pid)
{
  return find_process (p, pid, 0);
}

static void
change_space (struct perf *p, uint32_t process)
{
  p->spaces[process].number = ++p->last_space;
}

/* A process executes another program.  The call that does so is the old
   program's, and goes on for a while.  */
static void
replace_program (struct perf *p, uint32_t pid)
{
  uint32_t old = find_process (p, pid, 1), process = process_of (p, pid);

  maps_fork (&p->maps, process, old);
  p->spaces[old] = p->spaces[process];
  maps_forget (&p->maps, process);
  change_space (p, process);
  p->spaces[process].was_replaced = true;
}

/* Whose the user's addresses of a sample are: the process's, or those of the
   program that it executed before, as long as the new one did not run.  */
static uint32_t
program_of (struct perf *p, uint32_t pid, bool is_in_kernel, uint64_t address)
{
  uint32_t process = process_of (p, pid);
  struct location location;

  if (!p->spaces[process].was_replaced)
    return process;
  if (is_in_kernel && !maps_find (&p->maps, process, address, &location))
    return find_process (p, pid, 1);
  p->spaces[process].was_replaced = false;
  maps_forget (&p->maps, find_process (p, pid, 1));
  return process;
}

static struct thread *
thread_of (struct perf *p, uint32_t pid, uint32_t tid)
{
  uint64_t key = tid;
  struct thread *t = table_add (&p->threads, &key);

  if (t == NULL)
    no_memory ();
  if (t->pid != pid)
    {
      t->pid = pid;
      t->is_numbered = false;
      t->n_base = 0;
    }
  return t;
}

static void
set_comm (struct thread *t, const char *comm)
{
  free (t->comm);
  t->comm = copy_text (comm);
  t->is_numbered = false;
}

static uint32_t
number_of (struct perf *p, struct thread *t)
{
  if (!t->is_numbered)
    {
      struct import_thread thread
          = { t->pid, t->tid, t->tid == 0 ? "swapper" : t->comm };

      t->number = import_thread (p->im, &thread);
      t->is_numbered = true;
    }
  return t->number;
}

/* Places.  */

/* What neither the resolver nor the kernel's symbols know.  */
static struct import_frame
other_frame (enum mode mode, uint64_t address)
{
  struct import_frame frame = { .address = address };

  if (mode == MODE_HYPERVISOR)
    frame.object = "[hypervisor]";
  if (mode == MODE_GUEST_KERNEL)
    frame.object = "[guest.kernel]";
  if (mode == MODE_GUEST_USER)
    frame.object = "[guest]";
  return frame;
}

static void
add_position (struct perf *p, struct cgw_pos pos)
{
  p->positions = resize_for (p->positions, p->n_positions, &p->position_room,
                             sizeof *p->positions);
  p->positions[p->n_positions++] = pos;
}

static void
add_frame_position (struct perf *p, struct import_frame frame)
{
  struct cgw_pos pos;

  import_place (p->im, &frame, 1, &pos);
  add_position (p, pos);
}

static void
add_places (struct perf *p, struct place_entry *e, struct location location)
{
  struct places places = resolve (&p->resolver, location, e->is_call);

  for (uint32_t i = 0; i < places.n; i++)
    add_position (p, places.at[i].pos);
  e->is_main = places.at[places.n - 1].is_main;
}

/* A call's address is that of its last byte.  */
static void
find_place (struct perf *p, uint32_t process, struct place_entry *e)
{
  uint64_t address = e->address - e->is_call;
  struct location location;

  e->first = p->n_positions;
  if (e->mode == MODE_USER)
    {
      maps_find (&p->maps, process, address, &location);
      add_places (p, e, location);
    }
  else if (e->mode != MODE_KERNEL)
    add_frame_position (p, other_frame ((enum mode) e->mode, address));
  else if (kernel_locate (&p->kernel, address, &location))
    add_places (p, e, location);
  else
    add_frame_position (p, kernel_frame (&p->kernel, address));
  e->n = p->n_positions - e->first;
}

static const struct table empty_places
    = { .key_size = 2 * sizeof (uint64_t),
        .entry_size = sizeof (struct place_entry) };

static const struct place_entry *
look_up (struct perf *p, uint32_t process, const struct place_entry *key)
{
  struct place_entry *e;

  if (p->places.n == MOST_PLACES)
    {
      table_free (&p->places);
      p->places = empty_places;
      p->n_positions = 0;
      memset (p->known, 0, KNOWN_PLACES * sizeof *p->known);
    }
  e = table_add (&p->places, key);
  if (e == NULL)
    no_memory ();
  if (e->n == 0) /* it is new */
    find_place (p, process, e);
  return e;
}

static const struct place_entry *
place_of (struct perf *p, uint32_t process, enum mode mode, uint64_t address,
          bool is_call)
{
  uint32_t space
      = p->spaces[mode == MODE_USER ? process : KERNEL_PROCESS].number;
  uint64_t hash
      = (address + space) * UINT64_C (0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS);
  struct place_entry *known = &p->known[hash];

  if (known->n == 0 || known->address != address || known->space != space
      || known->mode != mode || known->is_call != is_call)
    {
      struct place_entry key = { .address = address,
                                 .space = space,
                                 .mode = (uint16_t) mode,
                                 .is_call = is_call };

      *known = *look_up (p, process, &key);
    }
  return known;
}

/* Stacks.  */

static void
add_frame (struct perf *p, uint32_t process, enum mode mode,
           uint64_t address, bool is_call)
{
  const struct place_entry *e = place_of (p, process, mode, address, is_call);

  p->frames = resize_for (p->frames, p->n_frames + e->n, &p->frame_room,
                          sizeof *p->frames);
  memcpy (p->frames + p->n_frames, p->positions + e->first,
          e->n * sizeof *p->frames);
  p->n_frames += e->n;
}

/* Markers among the addresses of a call chain say whose those behind them
   are.  */
static bool
is_marker (uint64_t address)
{
  return address >= PERF_CONTEXT_MAX;
}

static enum mode
mode_of_marker (uint64_t marker)
{
  switch (marker)
    {
    case PERF_CONTEXT_KERNEL:
      return MODE_KERNEL;
    case PERF_CONTEXT_USER:
      return MODE_USER;
    case PERF_CONTEXT_HV:
      return MODE_HYPERVISOR;
    case PERF_CONTEXT_GUEST:
    case PERF_CONTEXT_GUEST_KERNEL:
      return MODE_GUEST_KERNEL;
    case PERF_CONTEXT_GUEST_USER:
      return MODE_GUEST_USER;
    default:
      return MODE_UNKNOWN;
    }
}

/* Remembers the outermost addresses of a chain, but not the leaf, which is no
   call.  */
static void
remember_chain (struct thread *t, const unsigned char *addresses, uint64_t n)
{
  t->is_unwound = false;
  t->n_base = n <= BASE_FRAMES ? (uint32_t) n - 1 : BASE_FRAMES;
  for (uint32_t i = 0; i < t->n_base; i++)
    t->base[i] = perf_u64 (addresses + (n - t->n_base + i) * sizeof *t->base);
}

/* And of a stack that was unwound.  */
static void
remember_unwound (struct thread *t, const struct stack_frame *frames,
                  uint32_t n)
{
  t->is_unwound = true;
  t->n_base = n <= BASE_FRAMES ? n - 1 : BASE_FRAMES;
  for (uint32_t i = 0; i < t->n_base; i++)
    t->base[i] = frames[n - t->n_base + i].address;
}

/* How many of the base's outermost frames are those that every stack of the
   thread has: down to main, or the routine that the thread began with, which
   the C library's two functions call.  Without main nothing tells frame
   pointers from other numbers that a register had.  */
static uint32_t
base_length (struct perf *p, uint32_t process, const struct thread *t)
{
  for (uint32_t i = t->n_base; i-- != 0;)
    if (place_of (p, process, MODE_USER, t->base[i], true)->is_main)
      return t->n_base - i;
  if (!t->is_unwound)
    return 0;
  return t->n_base < 3 ? t->n_base : 3;
}

/* The function that has an address's machine code.  */
static struct cgw_fn
function_of (struct perf *p, uint32_t process, uint64_t address)
{
  const struct place_entry *e
      = place_of (p, process, MODE_USER, address, true);

  return p->positions[e->first + e->n - 1].fn;
}

/* Puts the thread's outermost frames behind those of a stack that is cut off:
   so what they cost in all stays right, although what lies between is not
   known.  */
static void
append_base (struct perf *p, uint32_t process, const struct thread *t)
{
  uint32_t i = t->n_base - base_length (p, process, t);

  for (uint32_t k = i; k < t->n_base && p->n_frames != 0; k++)
    if (function_of (p, process, t->base[k]).handle
        == p->frames[p->n_frames - 1].fn.handle)
      i = k + 1;
  for (; i < t->n_base; i++)
    add_frame (p, process, MODE_USER, t->base[i], true);
}

/* The deepest chain that the kernel writes, if it is not asked for
   another.  */
enum { USUAL_DEPTH = 127 };

/* Adds the addresses of a call chain.  Those that come first in their mode are
   where the processor was; the others are where calls return to.  Returns
   where the user's begin, or n.  */
static uint64_t
add_chain (struct perf *p, uint32_t process, enum mode mode,
           const struct perf_sample *s, uint64_t *depth)
{
  enum mode at = mode;
  bool is_call = false;
  uint64_t user = s->n_chain;

  for (uint64_t i = 0; i < s->n_chain; i++)
    {
      uint64_t address = perf_u64 (s->chain + i * sizeof address);

      if (is_marker (address))
        {
          at = mode_of_marker (address);
          is_call = false;
          i += address == CONTEXT_USER_DEFERRED;
          continue;
        }
      if (at == MODE_USER && user == s->n_chain)
        user = i;
      if (p->n_frames == 0 && s->has_ip && at == mode)
        address = s->ip;
      add_frame (p, process, at, address, is_call);
      is_call = true;
      ++*depth;
    }
  return user;
}

/* The calls that a processor has noted, the last first: from, to, flags.
   Where it was in the last, the chain says, if it has the user's code.  */
static void
add_branches (struct perf *p, uint32_t process, const struct perf_sample *s,
              bool has_leaf)
{
  enum { WORDS = 3 };

  if (!has_leaf && s->n_branches != 0)
    add_frame (p, process, MODE_USER,
               perf_u64 (s->branches + sizeof (uint64_t)), false);
  for (uint64_t i = 0; i < s->n_branches; i++)
    add_frame (p, process, MODE_USER,
               perf_u64 (s->branches + i * WORDS * sizeof (uint64_t)), false);
}

/* The stack that was copied.  */
static void
add_unwound (struct perf *p, uint32_t process, struct thread *t,
             const struct perf_event_attr *a, const struct perf_sample *s)
{
  struct unwinder *u = &p->unwinder;

  unwinder_unwind (u, process, p->spaces[process].number, a, s);
  for (uint32_t i = 0; i < u->n; i++)
    add_frame (p, process, MODE_USER, u->frames[i].address,
               u->frames[i].is_call);
  if (u->is_whole && u->n > 1)
    remember_unwound (t, u->frames, u->n);
  else
    append_base (p, process, t);
}

static void
add_stack (struct perf *p, uint32_t process, struct thread *t, enum mode mode,
           const struct perf_event_attr *a, const struct perf_sample *s)
{
  uint64_t user, depth = 0;
  uint64_t most = a->sample_max_stack != 0 ? a->sample_max_stack : USUAL_DEPTH;
  bool has_calls
      = (a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) != 0
        && s->n_branches != 0;
  struct perf_sample chain = *s;

  if (has_calls)
    for (uint64_t i = 0; i < s->n_chain; i++)
      if (perf_u64 (s->chain + i * sizeof i) == PERF_CONTEXT_USER)
        chain.n_chain = i + 2 <= s->n_chain ? i + 2 : s->n_chain;
  user = add_chain (p, process, mode, &chain, &depth);
  if (user == chain.n_chain && !has_calls
      && unwinder_can (&p->unwinder, a, s))
    {
      add_unwound (p, process, t, a, s);
      return;
    }
  if (p->n_frames == 0 && s->has_ip && !has_calls)
    add_frame (p, process, mode, s->ip, false);
  if (has_calls)
    add_branches (p, process, s, user != chain.n_chain);
  else if (depth >= most)
    append_base (p, process, t);
  else if (user + 1 < s->n_chain)
    remember_chain (t, s->chain + user * sizeof user, s->n_chain - user);
}

/* Samples.  */

/* What an event in a thread counted since its last sample.  */
static uint64_t
counted_since (struct perf *p, uint64_t id, uint64_t tid, uint64_t value)
{
  uint64_t key[] = { id, tid };
  struct counter *c = table_add (&p->counters, key);
  uint64_t last;

  if (c == NULL)
    no_memory ();
  last = c->value;
  c->value = value;
  return value > last ? value - last : 0;
}

/* The sample says how often each event of a group was counted so far.  */
static void
add_counters (struct perf *p, const struct perf_event_attr *a,
              const struct perf_sample *s)
{
  for (uint64_t i = 0; i < s->n_counters; i++)
    {
      const unsigned char *at = s->counters + i * s->counter_size;
      uint64_t id = s->counter_id != 0 ? perf_u64 (at + s->counter_id) : s->id;
      uint32_t n = p->file.about.attrs.n > 1
                       ? perf_attrs_find (&p->file.about.attrs, id)
                       : 0;

      if (n < p->n_attrs && p->column[n] != UINT32_MAX)
        p->cost[p->column[n]]
            += counted_since (p, id, a->inherit ? s->tid : 0, perf_u64 (at));
    }
}

/* Where the user's code was; 0: unknown.  */
static uint64_t
user_address (const struct perf *p, const struct perf_event_attr *a,
              const struct perf_sample *s)
{
  if (unwinder_can (&p->unwinder, a, s))
    return unwinder_address (&p->unwinder, a, s);
  for (uint64_t i = 0; i + 1 < s->n_chain; i++)
    if (perf_u64 (s->chain + i * sizeof i) == PERF_CONTEXT_USER)
      return perf_u64 (s->chain + (i + 1) * sizeof i);
  return 0;
}

/* Who ran.  Some records leave it open; the kernel has the upper half of the
   addresses.  */
static enum mode
mode_of (const struct perf_record *r, const struct perf_sample *s)
{
  unsigned mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;

  if (mode == MODE_UNKNOWN && s->has_ip)
    return s->ip >> 63 != 0 ? MODE_KERNEL : MODE_USER;
  return (enum mode) mode;
}

static bool
take_sample (struct perf *p, const struct perf_record *r)
{
  uint32_t n, process;
  const struct perf_event_attr *a;
  struct perf_sample s;
  struct import_sample sample;
  struct thread *t;
  const char *reason;
  enum mode mode;

  if (!p->has_events && !begin_events (p))
    return false;
  n = perf_attrs_of (&p->file.about.attrs, r);
  if (n >= p->n_attrs)
    {
      p->unknown++;
      return true;
    }
  a = &p->file.about.attrs.all[n].attr;
  reason = perf_sample_parse (a, r, &s);
  if (reason != NULL)
    return input_refuse (p->in, r->offset, reason);
  mode = mode_of (r, &s);
  t = thread_of (p, s.pid, s.tid);
  memset (p->cost, 0, p->n_columns * sizeof *p->cost);
  p->cost[p->n_columns - 1] = 1;
  if ((a->sample_type & PERF_SAMPLE_READ) != 0)
    add_counters (p, a, &s);
  else if (p->column[n] != UINT32_MAX)
    p->cost[p->column[n]] = s.period;
  if (!import_wants (p->im, number_of (p, t)))
    return true;
  process = program_of (p, s.pid, mode != MODE_USER,
                        user_address (p, a, &s));
  p->n_frames = 0;
  add_stack (p, process, t, mode, a, &s);
  sample = (struct import_sample){ .thread = number_of (p, t),
                                   .time = s.time == PERF_NO_TIME
                                               ? IMPORT_NO_TIME
                                               : s.time,
                                   .frames = p->frames,
                                   .n = p->n_frames,
                                   .cost = p->cost };
  return import_sample (p->im, p->in, &sample);
}

/* What is mapped.  */

/* What is mapped from no file; perf calls it so.  */
static bool
is_made (const char *path)
{
  static const char *const begins[]
      = { "//anon", "/anon_hugepage", "/dev/zero", "/memfd:", "/SYSV",
          "[anon",  "[heap]",         "[stack" };

  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (strncmp (path, begins[i], strlen (begins[i])) == 0)
      return true;
  return *path == '\0';
}

static void
set_build_id (struct object *object, const unsigned char *id, size_t n)
{
  object->build_id_size
      = n < OBJECT_BUILD_ID ? (uint32_t) n : OBJECT_BUILD_ID;
  memcpy (object->build_id, id, object->build_id_size);
}

static void
add_map (struct perf *p, const struct perf_record *r, struct object *object)
{
  uint32_t pid = perf_u32 (r->bytes + MAP_PID), process;
  enum mode mode
      = (enum mode) (r->misc & PERF_RECORD_MISC_CPUMODE_MASK);
  struct perf_build_id b
      = perf_about_build_id (&p->file.about, kernel_path (object->path));
  struct region region
      = { .start = perf_u64 (r->bytes + MAP_ADDRESS),
          .offset = perf_u64 (r->bytes + MAP_OFFSET) };
  uint64_t size = perf_u64 (r->bytes + MAP_SIZE);

  region.end = size <= UINT64_MAX - region.start ? region.start + size
                                                 : UINT64_MAX;
  if (object->build_id_size == 0 && b.size != 0)
    set_build_id (object, b.id, b.size);
  if (object->build_id_size != 0)
    object->inode = 0;
  if (mode == MODE_KERNEL || (pid == UINT32_MAX && mode != MODE_GUEST_KERNEL))
    {
      kernel_map (&p->kernel, region, object);
      change_space (p, KERNEL_PROCESS);
      return;
    }
  if (mode != MODE_USER)
    return;
  process = process_of (p, pid);
  if (is_made (object->path))
    maps_add_made (&p->maps, process, region.start, region.end);
  else
    {
      region.object = maps_object (&p->maps, object);
      maps_add (&p->maps, process, region);
    }
  change_space (p, process);
}

static bool
refuse_record (const struct perf *p, const struct perf_record *r)
{
  return input_refuse (p->in, r->offset, "the record is cut off");
}

static bool
take_map (struct perf *p, const struct perf_record *r)
{
  struct object object
      = { .path = perf_text (r->bytes, r->size, MAP_PATH) };

  if (object.path == NULL)
    return refuse_record (p, r);
  if ((r->misc & PERF_RECORD_MISC_MMAP_DATA) == 0)
    add_map (p, r, &object);
  return true;
}

static bool
take_map2 (struct perf *p, const struct perf_record *r)
{
  struct object object
      = { .path = perf_text (r->bytes, r->size, MAP2_PATH) };

  if (object.path == NULL)
    return refuse_record (p, r);
  if ((r->misc & MISC_MAP_BUILD_ID) != 0)
    set_build_id (&object, r->bytes + MAP2_BUILD_ID,
                  r->bytes[MAP2_BUILD_ID_SIZE]);
  else
    object.inode = perf_u64 (r->bytes + MAP2_INODE);
  if ((r->misc & PERF_RECORD_MISC_MMAP_DATA) == 0
      && (perf_u32 (r->bytes + MAP2_PROTECTION) & PROTECTION_EXECUTE) != 0)
    add_map (p, r, &object);
  return true;
}

/* Code of the kernel's own making.  */
static bool
take_symbol (struct perf *p, const struct perf_record *r)
{
  const char *name = perf_text (r->bytes, r->size, SYMBOL_NAME);
  uint16_t flags;

  if (name == NULL)
    return refuse_record (p, r);
  memcpy (&flags, r->bytes + SYMBOL_FLAGS, sizeof flags);
  if ((flags & SYMBOL_IS_GONE) == 0)
    kernel_made (&p->kernel, perf_u64 (r->bytes + SYMBOL_ADDRESS),
                 perf_u32 (r->bytes + SYMBOL_SIZE), name);
  change_space (p, KERNEL_PROCESS);
  return true;
}

/* What processes do.  */

static bool
take_comm (struct perf *p, const struct perf_record *r)
{
  const char *comm = perf_text (r->bytes, r->size, COMM_NAME);
  uint32_t pid;
  struct thread *t;

  if (comm == NULL)
    return refuse_record (p, r);
  pid = perf_u32 (r->bytes + COMM_PID);
  t = thread_of (p, pid, perf_u32 (r->bytes + COMM_TID));
  set_comm (t, comm);
  if ((r->misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
    {
      replace_program (p, pid);
      t->n_base = 0;
    }
  return true;
}

/* A thread begins in the address space that its parent has, or a copy of it.
   Of processes that were there before perf, it makes up such a record, without
   what is mapped.  */
static bool
take_fork (struct perf *p, const struct perf_record *r)
{
  uint32_t pid, parent_pid;
  struct thread *t;
  char *comm;

  if (r->size < FORK_END)
    return refuse_record (p, r);
  pid = perf_u32 (r->bytes + FORK_PID);
  parent_pid = perf_u32 (r->bytes + FORK_PARENT_PID);
  t = thread_of (p, parent_pid, perf_u32 (r->bytes + FORK_PARENT_TID));
  comm = copy_text (t->comm);
  t = thread_of (p, pid, perf_u32 (r->bytes + FORK_TID));
  set_comm (t, comm);
  t->n_base = 0;
  free (comm);
  if (pid != parent_pid && (r->misc & PERF_RECORD_MISC_FORK_EXEC) == 0)
    {
      uint32_t parent = process_of (p, parent_pid),
               child = process_of (p, pid);

      maps_fork (&p->maps, parent, child);
      p->spaces[child] = p->spaces[parent];
      p->spaces[child].threads = 1;
    }
  if (pid == parent_pid)
    p->spaces[process_of (p, pid)].threads++;
  return true;
}

/* A process that has ended needs no more memory.  */
static bool
take_exit (struct perf *p, const struct perf_record *r)
{
  uint32_t process;

  if (r->size < FORK_END)
    return refuse_record (p, r);
  process = process_of (p, perf_u32 (r->bytes + FORK_PID));
  if (p->spaces[process].threads > 1)
    p->spaces[process].threads--;
  else
    maps_forget (&p->maps, process);
  return true;
}

/* Records.  */

static bool
take_lost (struct perf *p, const struct perf_record *r)
{
  if (r->type == PERF_RECORD_LOST && r->size >= LOST_END)
    p->lost += perf_u64 (r->bytes + LOST_COUNT);
  if (r->type == PERF_RECORD_LOST_SAMPLES && r->size >= LOST_SAMPLES_END)
    p->lost_samples += perf_u64 (r->bytes + LOST_SAMPLES_COUNT);
  return true;
}

/* A record's turn has come.  */
static bool
take_record (void *context, const struct perf_record *r)
{
  struct perf *p = context;

  switch (r->type)
    {
    case PERF_RECORD_SAMPLE:
      return take_sample (p, r);
    case PERF_RECORD_MMAP:
      return take_map (p, r);
    case PERF_RECORD_MMAP2:
      return take_map2 (p, r);
    case PERF_RECORD_COMM:
      return take_comm (p, r);
    case PERF_RECORD_FORK:
      return take_fork (p, r);
    case PERF_RECORD_EXIT:
      return take_exit (p, r);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
      return take_lost (p, r);
    case RECORD_SYMBOL:
      return take_symbol (p, r);
    default:
      return true;
    }
}

/* Records without a time are what was there before all others.  */
static bool
queue_record (struct perf *p, const struct perf_record *r)
{
  uint64_t time;

  if (r->type == PERF_OWN_FINISHED_ROUND)
    return perf_order_round (&p->order);
  time = perf_attrs_time (&p->file.about.attrs, r);
  return time == PERF_NO_TIME ? take_record (p, r)
                              : perf_order_add (&p->order, r, time);
}

static bool
read_records (struct perf *p)
{
  struct perf_record r;
  enum perf_next next = PERF_NEXT;
  bool ok = true;

  while (ok && (next = perf_file_next (&p->file, &r)) == PERF_NEXT)
    ok = queue_record (p, &r);
  return ok && next == PERF_END && perf_order_end (&p->order);
}

/* Beginning and end.  */

static void
warn_of (const struct perf *p, uint64_t n, const char *what)
{
  char *text;

  if (n == 0)
    return;
  text = make_text ("%s: %" PRIu64, what, n);
  tool_warn (p->in->name, 0, text);
  free (text);
}

static void
warn (const struct perf *p)
{
  warn_of (p, p->lost, "records lost while it was recorded");
  warn_of (p, p->lost_samples, "samples lost while it was recorded");
  warn_of (p, p->unknown, "samples of no event of the file, left out");
  if (p->order.is_full)
    tool_warn (p->in->name, 0,
               "it does not say when records are complete: what is mapped may "
               "be wrong");
  if (p->file.is_open_ended)
    tool_warn (p->in->name, 0,
               "perf did not finish it: its last samples, and build IDs, may "
               "be missing");
}

static void
begin (struct perf *p, struct import *im, struct input *in)
{
  uint64_t none = UINT64_MAX;

  *p = (struct perf){ .im = im, .in = in };
  p->order.take = take_record;
  p->order.context = p;
  p->resolver.inline_functions = im->options->inline_functions;
  p->resolver.symfs = im->options->symfs;
  p->resolver.debug_path = im->options->debug_path;
  p->threads = (struct table){ .key_size = sizeof (uint64_t),
                               .entry_size = sizeof (struct thread) };
  p->places = empty_places;
  p->known = resize (NULL, KNOWN_PLACES, sizeof *p->known);
  memset (p->known, 0, KNOWN_PLACES * sizeof *p->known);
  p->counters = (struct table){ .key_size = 2 * sizeof (uint64_t),
                                .entry_size = sizeof (struct counter) };
  maps_begin (&p->maps);
  resolver_begin (&p->resolver, &p->maps, im->names);
  p->unwinder.maps = &p->maps;
  p->unwinder.resolver = &p->resolver;
  kernel_begin (&p->kernel, &p->maps, KERNEL_PROCESS, &p->resolver,
                im->options);
  /* Numbers that no process has.  */
  intern (&p->pids, &none, sizeof none);
  none--;
  intern (&p->pids, &none, sizeof none);
  p->spaces = resize_for (p->spaces, KERNEL_PROCESS, &p->space_room,
                          sizeof *p->spaces);
}

static void
end (struct perf *p)
{
  for (uint32_t i = 0; i < p->threads.n; i++)
    free (((struct thread *) table_entry (&p->threads, i))->comm);
  table_free (&p->threads);
  table_free (&p->places);
  table_free (&p->counters);
  unwinder_end (&p->unwinder);
  resolver_end (&p->resolver);
  kernel_end (&p->kernel);
  maps_end (&p->maps);
  intern_free (&p->pids);
  perf_order_free (&p->order);
  perf_file_end (&p->file);
  free (p->spaces);
  free (p->known);
  free (p->positions);
  free (p->frames);
  free (p->column);
  free (p->cost);
}

static bool
read_perf_data (struct import *im, struct input *in)
{
  struct perf p;
  bool ok;

  begin (&p, im, in);
  ok = perf_file_begin (&p.file, in);
  if (ok)
    ok = read_records (&p);
  if (ok)
    warn (&p);
  end (&p);
  return ok;
}

const struct import_kind import_perf_data
    = { "perf", "perf.data", perf_is_file, read_perf_data };
