/* perf_data.c - reads perf.data: what its records mean.

   Records are put in the order of time.  They say which processes and threads
   there are, and what is mapped into them; samples have addresses, which
   become positions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_data.h"
#include "kinds.h"

#include "../base/memory.h"
#include "../base/tool.h"

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

enum
{
  RECORD_SYMBOL = 17,
  SYMBOL_IS_GONE = 1,
  MISC_MAP_BUILD_ID = 1 << 14,
  PROTECTION_EXECUTE = 4
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
  unwinder_name_machine (&p->unwinder, p->file.about.machine);
  return ok;
}

/* Samples.  */

/* What an event in a thread counted since its last sample.  */
static uint64_t
counted_since (struct perf *p, uint64_t id, uint64_t tid, uint64_t value)
{
  uint64_t key[] = { id, tid };
  struct counter *c = table_add (&p->counters, key);
  uint64_t last = c->value;

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

/* Whether what perf copied of a stack can be unwound, if it did copy one.  */
static bool
check_machine (struct perf *p, const struct perf_sample *s)
{
  const char *name = p->file.about.machine;
  enum stack_machine machine;
  char *text;

  if (!unwinder_has_stack (s))
    return true;
  machine = unwinder_find_machine (&p->unwinder,
                                   perf_process_of (p, s->pid));
  p->no_machine += machine == STACK_UNKNOWN;
  if (machine != STACK_OTHER)
    return true;
  text = make_text ("its copied stacks are of %s, and cannot be unwound here, "
                    "unlike those of x86_64 and aarch64: import the text of "
                    "perf script",
                    name != NULL ? name : "another machine");
  tool_complain (p->in->name, 0, text);
  free (text);
  return false;
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
  uint32_t thread;
  uint64_t time;

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
  if (!check_machine (p, &s))
    return false;
  mode = mode_of (r, &s);
  t = perf_thread_of (p, s.pid, s.tid);
  memset (p->cost, 0, p->n_columns * sizeof *p->cost);
  p->cost[p->n_columns - 1] = 1;
  if ((a->sample_type & PERF_SAMPLE_READ) != 0)
    add_counters (p, a, &s);
  else if (p->column[n] != UINT32_MAX)
    p->cost[p->column[n]] = s.period;
  time = s.time == PERF_NO_TIME ? IMPORT_NO_TIME : s.time;
  thread = perf_number_of (p, t);
  if (!import_wants (p->im, thread))
    {
      import_wants_time (p->im, time);
      return true;
    }
  process = perf_program_of (p, s.pid, mode != MODE_USER,
                             user_address (p, a, &s));
  perf_find_stack (p, process, t, mode, a, &s);
  sample = (struct import_sample){ .thread = thread,
                                   .time = time,
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
      perf_change_space (p, KERNEL_PROCESS);
      return;
    }
  if (mode != MODE_USER)
    return;
  process = perf_process_of (p, pid);
  if (is_made (object->path))
    maps_add_made (&p->maps, process, region.start, region.end);
  else
    {
      region.object = maps_object (&p->maps, object);
      maps_add (&p->maps, process, region);
    }
  perf_change_space (p, process);
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
  perf_change_space (p, KERNEL_PROCESS);
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
  t = perf_thread_of (p, pid, perf_u32 (r->bytes + COMM_TID));
  perf_set_comm (t, comm);
  if ((r->misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
    {
      perf_replace_program (p, pid);
      t->start = (struct cgw_fn){ 0 };
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
  t = perf_thread_of (p, parent_pid, perf_u32 (r->bytes + FORK_PARENT_TID));
  comm = copy_text (t->comm);
  t = perf_thread_of (p, pid, perf_u32 (r->bytes + FORK_TID));
  perf_set_comm (t, comm);
  t->start = (struct cgw_fn){ 0 };
  free (comm);
  if (pid != parent_pid && (r->misc & PERF_RECORD_MISC_FORK_EXEC) == 0)
    {
      uint32_t parent = perf_process_of (p, parent_pid),
               child = perf_process_of (p, pid);

      maps_fork (&p->maps, parent, child);
      p->spaces[child] = p->spaces[parent];
      p->spaces[child].threads = 1;
    }
  if (pid == parent_pid)
    p->spaces[perf_process_of (p, pid)].threads++;
  return true;
}

/* A process that has ended needs no more memory.  */
static bool
take_exit (struct perf *p, const struct perf_record *r)
{
  uint32_t process;

  if (r->size < FORK_END)
    return refuse_record (p, r);
  process = perf_process_of (p, perf_u32 (r->bytes + FORK_PID));
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
  warn_of (p, p->no_machine,
           "stacks not unwound, for neither the recording nor a file that was "
           "mapped says of which machine they are");
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
  perf_chains_begin (p);
  p->counters = (struct table){ .key_size = 2 * sizeof (uint64_t),
                                .entry_size = sizeof (struct counter) };
  maps_begin (&p->maps);
  resolver_open_many ();
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
  table_free (&p->counters);
  unwinder_end (&p->unwinder);
  resolver_end (&p->resolver);
  kernel_end (&p->kernel);
  maps_end (&p->maps);
  intern_free (&p->pids);
  perf_order_free (&p->order);
  perf_file_end (&p->file);
  free (p->spaces);
  perf_chains_end (p);
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
    {
      warn (&p);
      resolver_each_build_id (&p.resolver, import_build_id, im);
    }
  end (&p);
  return ok;
}

const struct import_kind import_perf_data
    = { "perf", perf_is_file, read_perf_data };
