/* output.c - the sums of all vcpus, and the file that they are written to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "output.h"

#include "../base/memory.h"
#include "../run/size_limit.h"
#include "../run/tree.h"
#include "execute.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void
output_begin (struct output *o, const char *path)
{
  int fd = open (path, O_RDWR | O_CLOEXEC);
  void *memory = MAP_FAILED;

  if (fd >= 0)
    {
      memory = mmap (NULL, sizeof *o->shared, PROT_READ | PROT_WRITE,
                     MAP_SHARED, fd, 0);
      close (fd);
    }
  o->shared = memory != MAP_FAILED ? memory : NULL;
}

void
output_take (struct output *o, struct vcpu *v)
{
  uint32_t i = o->has_parts ? v->number - 1 : 0;

  while (o->n_profiles <= i)
    {
      o->profiles
          = resize_for_one (o->profiles, o->n_profiles, sizeof *o->profiles);
      o->jumps = resize_for_one (o->jumps, o->n_profiles, sizeof *o->jumps);
      jumps_begin (&o->jumps[o->n_profiles]);
      o->profiles[o->n_profiles++]
          = new_profile (o->names, vcpu_n_events (o->events),
                         reader_positions (o->reader, CGW_INSTR_LINE));
    }
  vcpu_move (v, o->profiles[i], &o->jumps[i]);
  o->are_cut |= v->calls.contexts.are_cut;
}

/* Returns whether it was so before.  */
static bool
set_missing (struct output *o, bool is_missing)
{
  _Atomic (uint32_t) *word = &o->shared->missing[o->process / 32];
  uint32_t bit = UINT32_C (1) << o->process % 32;

  return ((is_missing ? atomic_fetch_or (word, bit)
                      : atomic_fetch_and (word, ~bit))
          & bit)
         != 0;
}

void
output_fork (struct output *o, bool is_program)
{
  while (o->n_profiles > 0)
    {
      cgw_profile_free (o->profiles[--o->n_profiles]);
      jumps_free (&o->jumps[o->n_profiles]);
    }
  o->process = (uint32_t) getpid ();
  o->is_there = false;
  o->is_missing = o->shared != NULL && is_program;
  o->n_executing = 0;
  if (o->is_missing && set_missing (o, true))
    o->shared->n_replaced++;
}

void
output_execute (struct output *o, bool begins)
{
  o->n_executing += begins ? 1 : -1U;
  if (o->shared == NULL || o->n_executing != begins)
    return;
  if (o->process == 0)
    o->shared->is_executing = begins;
  else
    {
      o->shared->n_executed += begins ? 1 : -1U;
      if (o->is_missing)
        set_missing (o, !begins);
    }
}

/* Writing.  */

static void
set_events (struct vcpu_events has, struct cgw_event events[EVENTS_MAX])
{
  events[EVENT_INSTRUCTIONS]
      = (struct cgw_event){ "Ir", "Instructions", NULL };
  if (has.has_accesses)
    {
      events[EVENT_READS]
          = (struct cgw_event){ "Dr", "Reads of memory", NULL };
      events[EVENT_WRITES]
          = (struct cgw_event){ "Dw", "Writes of memory", NULL };
    }
  if (has.has_blocks)
    events[vcpu_event_blocks (has)]
        = (struct cgw_event){ "Bl", "Blocks of instructions", NULL };
}

/* Returns the limits of the reader that the part meets.  */
static unsigned
write_part (struct output *o, uint32_t i, struct cgw_writer *w)
{
  struct cgw_event events[EVENTS_MAX], fit[EVENTS_MAX];
  struct cgw_part part = CGW_PART_INIT;
  char *processor = make_text (QEMU_PROCESSOR "%s", o->processor);
  const char *desc[] = { processor, TREE_CUT_DESC };
  unsigned limits;

  set_events (o->events, events);
  part.events = events;
  part.n_events = vcpu_n_events (o->events);
  part.positions = CGW_INSTR_LINE;
  part.cmd = o->command;
  part.desc = desc;
  part.n_desc = o->are_cut ? 2 : 1;
  part.pid = (uint64_t) getpid ();
  part.number = i + 1;
  part.thread = o->has_parts ? i + 1 : 0;
  limits = READER_CALLS | reader_fit (o->reader, &part, fit)
           | (o->has_jumps ? READER_JUMPS : 0);
  cgw_profile_write (o->profiles[i], w, &part);
  if (o->has_jumps
      && (o->reader == NULL || (o->reader->lacks & READER_JUMPS) == 0))
    jumps_write (&o->jumps[i], w);
  free (processor);
  return limits;
}

static uint64_t
count_instructions (const struct output *o)
{
  uint64_t sum = 0, n;

  for (uint32_t i = 0; i < o->n_profiles; i++)
    if (cgw_profile_total (o->profiles[i], &n, 1) == CGW_OK)
      sum += n;
  return sum;
}

static void
tell_written (struct output *o, unsigned limits, bool is_end)
{
  struct qemu_shared *s = o->shared;
  uint64_t n = count_instructions (o);

  if (!o->is_there)
    s->n_files++;
  if (n >= s->most)
    {
      s->most = n;
      s->largest = o->process;
    }
  if (o->process != 0)
    return;
  s->limits = limits;
  s->is_saved = !is_end;
  s->is_written = is_end;
}

static void
tell_failed (struct output *o, enum cgw_status status, struct cgw_writer *w)
{
  o->shared->failed = o->process;
  o->shared->error = w != NULL ? cgw_errno (w) : 0;
  o->shared->status = (int) status;
}

static struct cgw_writer *
create (struct output *o, const char *path)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w = NULL;

  options.flags = CGW_REPLACE | CGW_WAIT;
  if (o->reader != NULL)
    options.flags |= o->reader->flags;
  options.creator = "libcgw-" PACKAGE_VERSION " qemu";
  cgw_open (&w, o->names, path, &options);
  return w;
}

static void
write_file (struct output *o, bool is_end)
{
  char *path = o->process != 0
                 ? make_text ("%s.%lu", o->path, (unsigned long) o->process)
                 : copy_text (o->path);
  bool is_new = access (path, F_OK) != 0;
  struct cgw_writer *w = create (o, path);
  enum cgw_status status;
  unsigned limits = 0;

  for (uint32_t i = 0; w != NULL && i < o->n_profiles; i++)
    limits |= write_part (o, i, w);
  status = w != NULL ? cgw_finish (w) : CGW_ENOMEM;
  /* By the umask of the beginning, which the program may have changed.  Somebody
     who may rename files here may have put a link in the place of this one: do
     not change the mode of what it leads to.  */
  if (status == CGW_OK && is_new)
    fchmodat (AT_FDCWD, path, DEFFILEMODE & ~o->mask, AT_SYMLINK_NOFOLLOW);
  if (o->shared != NULL && status == CGW_OK)
    tell_written (o, limits, is_end);
  else if (o->shared != NULL)
    tell_failed (o, status, w);
  if (o->is_missing)
    set_missing (o, false);
  o->is_missing = false;
  o->is_there |= status == CGW_OK;
  cgw_free (w);
  free (path);
}

void
output_write (struct output *o, bool is_end)
{
  struct size_limit limit;

  if (o->n_profiles == 0) /* nothing began */
    return;
  size_limit_ignore (&limit);
  write_file (o, is_end);
  size_limit_restore (&limit);
}
