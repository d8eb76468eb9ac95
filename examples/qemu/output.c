/* output.c - the sums of all vcpus, and the file that they are written to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "output.h"

#include "memory.h"
#include "tool.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
output_take (struct output *o, struct vcpu *v)
{
  uint32_t i = o->has_parts ? v->number - 1 : 0;

  while (o->n_profiles <= i)
    {
      o->profiles
          = resize_for_one (o->profiles, o->n_profiles, sizeof *o->profiles);
      o->profiles[o->n_profiles++]
          = new_profile (o->names, vcpu_n_events (o->events), CGW_INSTR_LINE);
    }
  vcpu_move (v, o->profiles[i]);
}

void
output_forget (struct output *o)
{
  while (o->n_profiles > 0)
    cgw_profile_free (o->profiles[--o->n_profiles]);
}

static void
set_events (struct vcpu_events has, struct cgw_event events[EVENTS_MAX])
{
  events[EVENT_INSTRUCTIONS] = (struct cgw_event){ "Ir", "Instructions", NULL };
  if (has.has_accesses)
    {
      events[EVENT_READS] = (struct cgw_event){ "Dr", "Reads of memory", NULL };
      events[EVENT_WRITES]
          = (struct cgw_event){ "Dw", "Writes of memory", NULL };
    }
  if (has.has_blocks)
    events[vcpu_event_blocks (has)]
        = (struct cgw_event){ "Bl", "Blocks of instructions", NULL };
}

static void
write_part (struct output *o, uint32_t i, struct cgw_writer *w)
{
  struct cgw_event events[EVENTS_MAX];
  struct cgw_part part = CGW_PART_INIT;

  set_events (o->events, events);
  part.events = events;
  part.n_events = vcpu_n_events (o->events);
  part.positions = CGW_INSTR_LINE;
  part.cmd = o->command;
  part.pid = (uint64_t) getpid ();
  part.part = i + 1;
  part.thread = o->has_parts ? i + 1 : 0;
  cgw_profile_write (o->profiles[i], w, &part);
}

bool
output_write (struct output *o)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w = NULL;
  bool is_new = access (o->path, F_OK) != 0;
  enum cgw_status status;

  options.flags = CGW_REPLACE | CGW_WAIT;
  options.creator = "libcgw-" PACKAGE_VERSION " qemu";
  status = cgw_create (&w, o->names, o->path, &options);
  if (status == CGW_OK)
    {
      for (uint32_t i = 0; i < o->n_profiles; i++)
        write_part (o, i, w);
      status = cgw_finish (w);
    }
  if (status != CGW_OK)
    tool_complain (o->path, 0,
                   w != NULL ? cgw_explain (w) : cgw_names_explain (o->names));
  else if (is_new) /* the library makes it for its owner alone */
    chmod (o->path, DEFFILEMODE & ~o->mask);
  cgw_free (w);
  return status == CGW_OK;
}
