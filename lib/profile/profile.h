/* profile.h - struct cgw_profile, shared by sums.c, which adds costs and
   calls, stack.c and expand.c, which add stacks, and sorted.c, which orders
   all for writing.

   Adding does not enter the writer: a key has indices of names, which the
   writer publishes and never removes.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PROFILE_H
#define CGWI_PROFILE_H 1

#include "../gate/gate.h"
#include "spot.h"
#include "stacks.h"

/* An entry of the table of edges, before its inclusive costs.  */
struct cgwi_edge
{
  struct cgwi_spot key;
  uint64_t count;
  uint64_t to_instr; /* the lowest known target */
  uint32_t to_line;
  uint32_t seen;     /* index in cgwi_seen.edges, if it is listed there */
};

/* The edges of the stack that is being expanded, each once, outermost first.
   Each edge and each called function stores its index in the list.  A stored
   index is valid only if the list has that edge there, so nothing has to be
   cleared between two stacks.  */
struct cgwi_seen
{
  uint32_t *edges;
  uint32_t n;
  uint32_t capacity;
  uint32_t *of_fn; /* by function: index of the first edge into it */
  uint32_t n_fns;
};

/* The own files of the first n functions: see homes.h.  */
struct cgwi_homes
{
  uint32_t *files; /* indices */
  uint32_t n;
  uint32_t capacity;
};

/* A tracer of a profile.  `book` books what its open calls have cost so far,
   inside the profile; the layer above sets it.  */
struct cgwi_tracing
{
  struct cgwi_tracing *next;
  struct cgwi_tracing **link; /* what points at this */
  enum cgw_status (*book) (struct cgwi_tracing *t);
};

struct cgw_profile
{
  struct cgw_writer *w;
  unsigned positions;
  uint32_t line_mask;  /* all bits, or none if the parts have no lines */
  uint64_t instr_mask;
  struct cgw_fn root;  /* below which stacks hang, or {0} */
  _Atomic bool inside; /* a call is under way: handlers must keep out */
  _Atomic int refused; /* why the first sum was not added: cgwi_refused_as */
  struct cgwi_tracing *tracers; /* they keep indices of entries */
  uint32_t interval;   /* how often the sums were cleared */
  bool has_stale;      /* entries may have no costs: they are left from an
                          earlier interval, or were only looked up */
  uint32_t epoch;      /* of all indices of entries, which no profile had before
                          (but 2^32 epochs ago) */
  struct cgwi_table self;
  struct cgwi_table edges;
  struct cgwi_stacks stacks;
  struct cgwi_seen seen;
  /* For tracers, by edge, of the first n_begins: index of the position where
     the callee began when the edge was last taken, to be tried first.  */
  uint32_t *begins;
  uint32_t n_begins;
  struct cgwi_homes homes;
  /* No edge's sums can pass 2^64-1 as long as these do not: n_calls, and
     called[i] + totals[i].  Once they do, or tracers add to edges (`exact`),
     stacks are expanded at once, to check the sums of each edge.  */
  bool exact;
  uint64_t n_calls;
  size_t n_events;
  uint64_t *called;    /* inclusive costs of all calls, behind totals */
  uint64_t totals[];   /* of the self costs */
};

/* Make an empty profile.  CGW_ENOMEM.  */
enum cgw_status cgwi_profile_make (struct cgw_profile **result,
                                   struct cgw_writer *w, size_t n_events,
                                   unsigned positions);

/* Enter a profile.  False: a handler interrupted a call on it, or a longjmp
   left one.  */
static inline bool
cgwi_profile_enter (struct cgw_profile *p)
{
  if (atomic_load_explicit (&p->inside, memory_order_relaxed))
    return false;
  atomic_store_explicit (&p->inside, true, memory_order_relaxed);
  cgwi_in_order ();
  return true;
}

static inline void
cgwi_profile_leave (struct cgw_profile *p)
{
  cgwi_in_order ();
  atomic_store_explicit (&p->inside, false, memory_order_relaxed);
}

/* Keep the status of a call that added nothing, and the reason.  Return the
   status.  */
enum cgw_status cgwi_profile_refuse (struct cgw_profile *p,
                                     enum cgw_status status,
                                     enum cgwi_reason reason);

/* The same for one that could not enter the profile.  */
enum cgw_status cgwi_profile_busy (struct cgw_profile *p);

/* Leave a profile.  Return the status of the call, and keep it if it is an
   error.  */
static inline enum cgw_status
cgwi_profile_end (struct cgw_profile *p, enum cgw_status status,
                  enum cgwi_reason reason)
{
  cgwi_profile_leave (p);
  return status == CGW_OK ? CGW_OK : cgwi_profile_refuse (p, status, reason);
}

/* Tracers come and go, inside; the open calls of one that goes are booked.  */
void cgwi_profile_add_tracer (struct cgw_profile *p, struct cgwi_tracing *t);
void cgwi_profile_remove_tracer (struct cgw_profile *p,
                                 struct cgwi_tracing *t);

/* Book what the open calls of all tracers have cost so far, inside: then no
   call has more inclusive cost than its caller.  */
void cgwi_profile_sync (struct cgw_profile *p);

/* Make room for n words; new ones are 0.  False: no memory, and nothing has
   changed.  */
bool cgwi_profile_reserve (const struct cgw_profile *p, uint32_t **words,
                           uint32_t *capacity, uint32_t n);

/* Whether the writer has a function of that index.  */
static inline bool
cgwi_profile_has_fn (const struct cgw_profile *p, uint32_t fn)
{
  return fn < atomic_load_explicit (&p->w->n_fns, memory_order_relaxed);
}

/* Make the key of a position.  Omit subpositions that the parts do not have,
   so that equal lines of the file become one entry.  The function is not
   checked: no table has a key whose function the writer does not have, so
   checking is needed only before a key is added.  CGW_EHANDLE: the file.  */
static inline enum cgw_status
cgwi_profile_key (const struct cgw_profile *p, const struct cgw_pos *pos,
                  struct cgwi_spot *key)
{
  const struct cgw_writer *w = p->w;
  uint32_t first = w->core.first_handle;

  key->source = 0;
  if (pos->file.handle != 0)
    {
      key->source = pos->file.handle - first + 1;
      if (key->source - 1
          >= atomic_load_explicit (&w->n_files, memory_order_relaxed))
        return CGW_EHANDLE;
    }
  key->fn = pos->fn.handle != 0 ? pos->fn.handle - first : 0;
  key->line = pos->line & p->line_mask;
  key->callee = CGWI_NONE;
  key->instr = pos->instr & p->instr_mask;
  return CGW_OK;
}

/* The same, and check the function, too.  */
static inline enum cgw_status
cgwi_profile_spot (const struct cgw_profile *p, const struct cgw_pos *pos,
                   struct cgwi_spot *spot)
{
  enum cgw_status status = cgwi_profile_key (p, pos, spot);

  return status == CGW_OK && !cgwi_profile_has_fn (p, spot->fn) ? CGW_EHANDLE
                                                                : status;
}

/* Check that the costs can be added.  CGW_EINVAL, CGW_ECOSTS.  */
static inline enum cgw_status
cgwi_profile_check (const struct cgw_profile *p, const uint64_t *cost,
                    size_t n)
{
  if (cost == NULL && n != 0)
    return CGW_EINVAL;
  return n > p->n_events ? CGW_ECOSTS : CGW_OK;
}

/* Why it is not CGW_OK.  */
static inline enum cgwi_reason
cgwi_profile_why_check (enum cgw_status status)
{
  return status == CGW_ECOSTS ? CGWI_COSTS_MANY : CGWI_COSTS_NULL;
}

/* Whether n costs, added to sums, stay below 2^64.  */
static inline bool
cgwi_costs_fit (const uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (sums[i] + cost[i] < cost[i])
      return false;
  return true;
}

/* Add n costs that fit to sums.  */
static inline void
cgwi_add_costs (uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sums[i] += cost[i];
}

/* Take back n costs that were added.  */
static inline void
cgwi_subtract_costs (uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sums[i] -= cost[i];
}

/* Whether an entry with these costs, and that count if it is an edge, is left
   from an earlier interval, or was only looked up.  */
static inline bool
cgwi_is_stale (const struct cgw_profile *p, uint64_t count,
               const uint64_t *costs)
{
  if (!p->has_stale || count != 0)
    return false;
  for (size_t i = 0; i < p->n_events; i++)
    if (costs[i] != 0)
      return false;
  return true;
}

/* Whether the profile takes calls that happened `count` times: 0 only for a
   writer that does.  */
static inline bool
cgwi_profile_takes_count (const struct cgw_profile *p, uint64_t count)
{
  return count != 0 || (p->w->core.encoder.flags & CGW_ZERO_CALLS) != 0;
}

/* Keep the lowest known target: then the result does not depend on the order
   of the calls.  */
void cgwi_add_target (struct cgwi_edge *edge, uint64_t instr, uint32_t line);

#endif
