/* perf_threads.c - the processes and threads of a perf.data.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_data.h"

#include "../base/memory.h"

#include <stdlib.h>

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

uint32_t
perf_process_of (struct perf *p, uint32_t pid)
{
  return find_process (p, pid, 0);
}

void
perf_change_space (struct perf *p, uint32_t process)
{
  p->spaces[process].number = ++p->last_space;
}

void
perf_replace_program (struct perf *p, uint32_t pid)
{
  uint32_t old = find_process (p, pid, 1), process = perf_process_of (p, pid);

  maps_fork (&p->maps, process, old);
  p->spaces[old] = p->spaces[process];
  maps_forget (&p->maps, process);
  perf_change_space (p, process);
  p->spaces[process].was_replaced = true;
}

uint32_t
perf_program_of (struct perf *p, uint32_t pid, bool is_in_kernel,
                 uint64_t address)
{
  uint32_t process = perf_process_of (p, pid);
  struct location location;

  if (!p->spaces[process].was_replaced)
    return process;
  if (is_in_kernel && !maps_find (&p->maps, process, address, &location))
    return find_process (p, pid, 1);
  p->spaces[process].was_replaced = false;
  maps_forget (&p->maps, find_process (p, pid, 1));
  return process;
}

struct thread *
perf_thread_of (struct perf *p, uint32_t pid, uint32_t tid)
{
  uint64_t key = tid;
  struct thread *t = table_add (&p->threads, &key);

  if (t->pid != pid)
    {
      t->pid = pid;
      t->is_numbered = false;
      t->start = (struct cgw_fn){ 0 };
    }
  return t;
}

void
perf_set_comm (struct thread *t, const char *comm)
{
  free (t->comm);
  t->comm = copy_text (comm);
  t->is_numbered = false;
}

uint32_t
perf_number_of (struct perf *p, struct thread *t)
{
  if (!t->is_numbered)
    {
      struct import_thread thread
          = { t->pid, t->tid, t->tid == 0 ? "swapper" : t->comm, 0 };

      t->number = import_thread (p->im, &thread);
      t->is_numbered = true;
    }
  return t->number;
}
