/* trace_calls.c - the calls of one thread: stack and table.

   SPDX-License-Identifier: MIT  */

#include "trace_calls.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_ROOM = 4096 };
#define NONE UINT32_MAX

/* Memory.  */

/* Doubles the memory at *p, which new bytes are 0.  */
static bool
grow (void **p, size_t *room)
{
  size_t more = *room == 0 ? FIRST_ROOM : 2 * *room;
  void *bytes = mmap (NULL, more, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (bytes == MAP_FAILED)
    return false;
  if (*room != 0)
    {
      memcpy (bytes, *p, *room);
      munmap (*p, *room);
    }
  *p = bytes;
  *room = more;
  return true;
}

static void
release (void *p, size_t *room)
{
  if (*room != 0)
    munmap (p, *room);
  *room = 0;
}

/* No handler may jump out of what happens between these.  */
static void
block_signals (sigset_t *old)
{
  sigset_t all;

  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, old);
}

static void
unblock_signals (const sigset_t *old)
{
  sigprocmask (SIG_SETMASK, old, NULL);
}

/* The table.  */

static size_t
hash (uintptr_t caller, uintptr_t site, uintptr_t callee)
{
  uint64_t h = (uint64_t) caller * 0x9e3779b97f4a7c15u;

  h = (h ^ site) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 29) ^ callee) * 0x94d049bb133111ebu;
  return (size_t) (h ^ (h >> 32));
}

/* The slot of an edge, or the empty one where it belongs.  */
static uint32_t *
find_slot (const struct calls *c, uintptr_t caller, uintptr_t site,
           uintptr_t callee)
{
  size_t mask = c->slots_room / sizeof *c->slots - 1;

  for (size_t i = hash (caller, site, callee) & mask;; i = (i + 1) & mask)
    {
      const struct edge *e;
      if (c->slots[i] == 0)
        return c->slots + i;
      e = c->edges + (c->slots[i] - 1);
      if (e->site == site && e->callee == callee && e->caller == caller)
        return c->slots + i;
    }
}

/* The index of an edge, or NONE.  */
static uint32_t
find_edge (const struct calls *c, uintptr_t caller, uintptr_t site,
           uintptr_t callee)
{
  return c->slots_room == 0 ? NONE
                            : *find_slot (c, caller, site, callee) - 1;
}

/* Makes room for one edge more; the table stays at most half full.  */
static bool
grow_table (struct calls *c)
{
  void *p = c->edges;

  if ((c->n_edges + 1) * sizeof *c->edges > c->edges_room)
    {
      if (c->n_edges == NONE - 1 || !grow (&p, &c->edges_room))
        return false;
      c->edges = p;
    }
  if (2 * (c->n_edges + 1) * sizeof *c->slots <= c->slots_room)
    return true;
  p = c->slots;
  if (!grow (&p, &c->slots_room))
    return false;
  c->slots = p;
  memset (c->slots, 0, c->slots_room);
  for (size_t i = 0; i < c->n_edges; i++)
    {
      const struct edge *e = c->edges + i;
      *find_slot (c, e->caller, e->site, e->callee) = (uint32_t) i + 1;
    }
  return true;
}

static uint32_t
add_edge (struct calls *c, uintptr_t caller, uintptr_t site,
          uintptr_t callee, uint32_t nowhere)
{
  if (!grow_table (c))
    return NONE;
  c->edges[c->n_edges] = (struct edge){
    .caller = caller, .site = site, .callee = callee, .nowhere = nowhere
  };
  *find_slot (c, caller, site, callee) = (uint32_t) ++c->n_edges;
  return (uint32_t) c->n_edges - 1;
}

/* Adds an edge, and that from nowhere if there is none.  NONE: no memory.  */
static uint32_t
add_edges (struct calls *c, uintptr_t caller, uintptr_t site,
           uintptr_t callee)
{
  uint32_t nowhere, edge = NONE;
  sigset_t old;

  block_signals (&old);
  nowhere = find_edge (c, 0, 0, callee);
  if (nowhere == NONE)
    nowhere = add_edge (c, 0, 0, callee, 0);
  if (nowhere != NONE)
    edge = add_edge (c, caller, site, callee, nowhere);
  unblock_signals (&old);
  return edge;
}

/* The stack.  */

static uintptr_t
function_of (const struct calls *c, const struct frame *f)
{
  return c->edges[f->edge].callee;
}

/* Whether a function was inlined into that of a frame.  */
static bool
shares_frame (const struct frame *f, uintptr_t stack, uintptr_t site)
{
  return f->stack == stack && f->site == site;
}

/* Makes room for one frame more.  */
static bool
grow_stack (struct calls *c)
{
  void *p = c->frames;
  sigset_t old;
  bool ok;

  if ((c->depth + 1) * sizeof *c->frames <= c->frames_room)
    return true;
  block_signals (&old);
  ok = grow (&p, &c->frames_room);
  c->frames = p;
  unblock_signals (&old);
  return ok;
}

/* To do it twice changes nothing.  */
static void
do_step (struct calls *c)
{
  const struct step *s = &c->step;
  struct edge *e = c->edges + s->edge;

  e->count = s->count;
  e->self = s->self;
  e->time = s->time;
  e->calls = s->calls;
  c->edges[e->nowhere].active = s->active;
  c->n = s->n;
  c->depth = s->depth;
  if (s->depth != 0)
    c->frames[s->depth - 1].inside = s->inside;
}

static void
make_step (struct calls *c, const struct step *s)
{
  c->step = *s;
  atomic_signal_fence (memory_order_seq_cst);
  atomic_store_explicit (&c->stepping, true, memory_order_relaxed);
  atomic_signal_fence (memory_order_seq_cst);
  do_step (c);
  atomic_signal_fence (memory_order_seq_cst);
  atomic_store_explicit (&c->stepping, false, memory_order_relaxed);
}

/* The step that changes nothing of an edge.  */
static struct step
step_of (const struct calls *c, uint32_t edge)
{
  const struct edge *e = c->edges + edge;

  return (struct step){ .count = e->count, .self = e->self, .time = e->time,
                        .calls = e->calls, .n = c->n, .edge = edge,
                        .active = c->edges[e->nowhere].active };
}

struct frame *
calls_enter (struct calls *c, uintptr_t fn, uintptr_t site, uintptr_t here,
             uintptr_t stack)
{
  const struct frame *top
      = c->depth == 0 ? NULL : c->frames + (c->depth - 1);
  uintptr_t caller = top == NULL ? 0 : function_of (c, top);
  /* A function that was inlined shares the machine's frame with its caller:
     the place of the call is then here.  */
  bool inlined = top != NULL && shares_frame (top, stack, site);
  uintptr_t from = inlined ? here : site;
  uint32_t edge = find_edge (c, caller, from, fn);
  struct step s;

  if (edge == NONE)
    edge = add_edges (c, caller, from, fn);
  if (edge == NONE || !grow_stack (c))
    return NULL;
  c->frames[c->depth] = (struct frame){ .stack = stack, .site = site,
                                        .calls = c->n, .edge = edge };
  s = step_of (c, edge);
  s.count++;
  s.active++;
  s.n++;
  s.depth = c->depth + 1;
  make_step (c, &s);
  return c->frames + (c->depth - 1);
}

/* Ends the function on top of the stack.  */
static void
pop (struct calls *c, uint64_t now)
{
  const struct frame *f = c->frames + (c->depth - 1);
  struct step s = step_of (c, f->edge);
  uint64_t time = now - f->start;

  s.self += time - f->inside;
  s.active--;
  if (s.active == 0)
    {
      s.time += time;
      s.calls += c->n - f->calls;
    }
  s.depth = c->depth - 1;
  if (s.depth != 0)
    s.inside = c->frames[s.depth - 1].inside + time;
  make_step (c, &s);
}

void
calls_leave (struct calls *c, uintptr_t fn, uint64_t now)
{
  size_t i = c->depth;

  while (i != 0 && function_of (c, c->frames + (i - 1)) != fn)
    i--;
  while (i != 0 && c->depth >= i)
    pop (c, now);
}

void
calls_repair (struct calls *c, uint64_t now)
{
  if (c->stepping)
    do_step (c);
  c->stepping = false;
  if (c->depth != 0 && c->frames[c->depth - 1].start == 0)
    c->frames[c->depth - 1].start = now;
}

void
calls_cut (struct calls *c, uintptr_t stack, bool to_first, uint64_t now)
{
  while (c->depth != 0 && c->frames[c->depth - 1].stack < stack)
    pop (c, now);
  while (to_first && c->depth > 1
         && c->frames[c->depth - 1].stack == stack
         && shares_frame (c->frames + (c->depth - 2), stack,
                          c->frames[c->depth - 1].site))
    pop (c, now);
}

void
calls_end (struct calls *c, uint64_t now)
{
  while (c->depth != 0)
    pop (c, now);
}

bool
calls_restart (struct calls *c, uint64_t now)
{
  struct calls old = *c;
  bool ok = true;

  memset (c, 0, sizeof *c);
  for (size_t i = 0; i < old.depth && ok; i++)
    {
      const struct frame *f = old.frames + i;
      const struct edge *e = old.edges + f->edge;
      struct frame *again
          = calls_enter (c, e->callee, e->site, e->site, f->stack);
      ok = again != NULL;
      if (ok)
        {
          again->site = f->site;
          again->start = now;
        }
    }
  calls_free (&old);
  return ok;
}

void
calls_free_stack (struct calls *c)
{
  release (c->frames, &c->frames_room);
  c->frames = NULL;
  c->depth = 0;
}

void
calls_free (struct calls *c)
{
  calls_free_stack (c);
  release (c->edges, &c->edges_room);
  release (c->slots, &c->slots_room);
  memset (c, 0, sizeof *c);
}
