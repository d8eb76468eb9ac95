/* profile.h - struct cgw_profile, shared by sums.c, which adds costs, calls and
   stacks, and sorted.c, which orders all for writing.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PROFILE_H
#define CGWI_PROFILE_H 1

#include "stacks.h"

/* An entry of the table of edges, before its inclusive costs.  */
struct cgwi_edge
{
  struct cgwi_key key;
  uint64_t count;
  uint64_t to_instr; /* the lowest known target */
  uint32_t to_line;
  /* What to try first.  Of stacks: index in p->listed.edges.  Of tracers:
     index of the position where the callee began when the edge was last taken,
     inverted, so that neither takes the other's for its own.  */
  uint32_t hint;
};

/* The edges of the stack that is being expanded, each once, outermost first.
   Each edge and each called function stores its index in the list.  A stored
   index is valid only if the list has that edge there, so nothing has to be
   cleared between two stacks.  */
struct cgwi_edge_list
{
  struct cgwi_array edges; /* uint32_t */
  uint32_t n;
  struct cgwi_array of_fn; /* uint32_t: by index of a function, the first edge
                              into it */
};

/* Which path a tracer's next event takes.  */
enum cgwi_path
{
  CGWI_SLOW, /* it is stopped, or a call is missed, or its open calls
                are not yet counted in this interval */
  CGWI_FAST_CALLS_ONLY, /* it books no self costs */
  CGWI_FAST,
  CGWI_FAST_ONE /* the profile has one event, which is a counter */
};

/* A tracer of a profile.  `book` books what its open calls have cost so far,
   inside the profile; `free` frees it.  The layer above sets them.  */
struct cgwi_tracing
{
  struct cgwi_tracing *next;
  struct cgwi_tracing **link; /* what points at this */
  enum cgwi_path path;        /* cgw_profile_clear makes it slow */
  void (*book) (struct cgwi_tracing *t);
  void (*free) (struct cgwi_tracing *t);
};

struct cgwi_scratch_block;

struct cgw_profile
{
  struct cgw_names *names;
  unsigned positions;
  uint32_t line_mask;  /* all bits, or none if the parts have no lines */
  uint64_t instr_mask;
  struct cgw_fn root;  /* below which stacks and calls hang, or {0} */
  _Atomic bool inside; /* a call is under way: handlers must keep out */
  struct cgwi_tracing *tracers; /* they keep indices of entries */
  struct cgwi_array sites; /* struct cgwi_site: the tracers' recent calls */
  uint32_t interval;   /* how often the sums were cleared */
  uint32_t epoch;      /* of all indices of entries, which no profile had
                          before (but 2^32 epochs ago) */
  struct cgwi_table self;
  struct cgwi_table edges;
  struct cgwi_stacks stacks;
  struct cgwi_edge_list listed;
  struct cgwi_array frames; /* struct cgw_pos: those of a kept stack */
  struct cgwi_scratch_block *scratch;
  struct cgw_profile *expanded; /* by the call that is inside, or NULL */
  struct cgwi_refusals refusals;
  struct cgwi_why why; /* why the call that is inside failed, set with any
                          status but CGW_ENOMEM and CGW_EBUSY */
  size_t n_events;
  bool has_signed;     /* an event is signed: its costs and sums are two's
                          complement */
  bool *is_signed;     /* by event, behind totals */
  uint64_t totals[];   /* of the self costs */
};

/* Make an empty profile.  CGW_ENOMEM.  */
enum cgw_status cgwi_profile_make (struct cgw_profile **result,
                                   struct cgw_names *names, size_t n_events,
                                   unsigned positions);

/* Make an empty profile of the same names, events and positions.
   CGW_ENOMEM.  */
enum cgw_status cgwi_profile_make_like (struct cgw_profile **result,
                                        const struct cgw_profile *p);

static inline const struct cgwi_memory *
cgwi_memory_of (const struct cgw_profile *p)
{
  return &p->names->memory;
}

/* Return memory for n elements that the call that is inside needs until
   cgwi_free_scratch.  NULL: there is none.  */
void *cgwi_scratch (struct cgw_profile *p, size_t n, size_t size);

/* Free all scratch memory and p->expanded, at the end of a call.  */
void cgwi_free_scratch (struct cgw_profile *p);

/* Entering and leaving.  */

/* Enter a profile.  False: a handler interrupted a call on it.  */
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

/* Keep why a call is refused.  Return the status.  */
enum cgw_status cgwi_profile_refuse (struct cgw_profile *p,
                                     enum cgwi_called called,
                                     enum cgw_status status);

/* Begin a public call: enter.  CGW_EINVAL, CGW_EBUSY: do not leave.  */
static inline enum cgw_status
cgwi_profile_begin (struct cgw_profile *p, enum cgwi_called called)
{
  return p == NULL                ? CGW_EINVAL
         : cgwi_profile_enter (p) ? CGW_OK
                                  : cgwi_profile_refuse (p, called, CGW_EBUSY);
}

/* End a public call: leave, and return its status.  */
static inline enum cgw_status
cgwi_profile_end (struct cgw_profile *p, enum cgwi_called called,
                  enum cgw_status status)
{
  if (status != CGW_OK)
    cgwi_profile_refuse (p, called, status);
  cgwi_profile_leave (p);
  return status;
}

/* Set p->why, and return the status.  CGWI_FAIL takes the members of a struct
   cgwi_why.  */
enum cgw_status cgwi_fail (struct cgw_profile *p, enum cgw_status status,
                           const struct cgwi_why *why);
#define CGWI_FAIL(p, status, ...)                                             \
  cgwi_fail (p, status, &(struct cgwi_why){ __VA_ARGS__ })

/* An argument is NULL.  Return CGW_EINVAL.  */
static inline enum cgw_status
cgwi_fail_null (struct cgw_profile *p, enum cgwi_parameter parameter)
{
  return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_NULL_ARGUMENT,
                    .parameter = parameter);
}

/* Tracers come and go, inside.  */
void cgwi_profile_add_tracer (struct cgw_profile *p, struct cgwi_tracing *t);
void cgwi_profile_remove_tracer (struct cgwi_tracing *t);

/* Book what the open calls of all tracers have cost so far, inside: then no
   call has more inclusive cost than its caller.  */
void cgwi_profile_sync (struct cgw_profile *p);

/* Make room for n words; new ones are 0.  False: no memory, and nothing has
   changed.  */
bool cgwi_reserve_words (const struct cgwi_memory *m, struct cgwi_array *words,
                         size_t n);

/* Keys.  */

/* Return a function's file: 0 if that is its own.  The function may be of
   other names.  */
static inline uint32_t
cgwi_source (const struct cgw_names *names, uint32_t fn, uint32_t file)
{
  uint32_t index = cgwi_index (names, fn);

  return cgwi_has_name (names, CGWI_FNS, index)
                 && file - names->first_handle
                        == cgwi_name (names, CGWI_FNS, index)->file
             ? 0
             : file;
}

/* Return the key of a position in a function, without checking its names.  No
   table has a key of other names, and few callers have a handle of the unknown
   function: so most keys are found as they are.  Omit subpositions that the
   parts do not have, so that equal lines of the file are one entry.  */
static inline struct cgwi_key
cgwi_key (const struct cgw_profile *p, const struct cgw_pos *pos, uint32_t fn)
{
  uint32_t file = pos->file.handle;

  return (struct cgwi_key){
    .fn = fn,
    .file = file == 0 ? 0 : cgwi_source (p->names, fn, file),
    .line = pos->line & p->line_mask,
    .callee = CGWI_NONE,
    .instr = pos->instr & p->instr_mask
  };
}

/* Return the handle of a function as entries have it.  */
static inline uint32_t
cgwi_known_fn (const struct cgw_profile *p, uint32_t fn)
{
  return fn != p->names->first_handle ? fn : 0;
}

/* Return the key of a position whose names were checked.  */
static inline struct cgwi_key
cgwi_checked_key (const struct cgw_profile *p, const struct cgw_pos *pos)
{
  return cgwi_key (p, pos, cgwi_known_fn (p, pos->fn.handle));
}

/* Whether a key of cgwi_key is also that of cgwi_checked_key, and of names that
   there are.  */
static inline bool
cgwi_is_checked (const struct cgw_profile *p, const struct cgwi_key *key)
{
  return cgwi_known_fn (p, key->fn) == key->fn
         && cgwi_has_name (p->names, CGWI_FNS, cgwi_index (p->names, key->fn))
         && cgwi_has_name (p->names, CGWI_FILES,
                           cgwi_index (p->names, key->file));
}

/* Check the names of a position; in an array, it is frame `i`.
   CGW_EHANDLE.  */
enum cgw_status cgwi_check_names (struct cgw_profile *p,
                                  const struct cgw_pos *pos,
                                  enum cgwi_parameter parameter, uint32_t i);

/* Check a position, and make its key.  CGW_EHANDLE.  */
enum cgw_status cgwi_take_pos (struct cgw_profile *p,
                               const struct cgw_pos *pos,
                               enum cgwi_parameter parameter,
                               struct cgwi_key *key);

/* Sums.  */

/* Check that the costs of at most so many events can be added.  CGW_EINVAL,
   CGW_ECOSTS.  */
enum cgw_status cgwi_check_costs (struct cgw_profile *p, const uint64_t *cost,
                                  size_t n, size_t most);

/* A sum stops at 2^64-1: then the result does not depend on the order of
   adding.  That of a signed event would, so it is modulo 2^64.  */

/* An addition to a sum of an event overflowed and left this value.  Return the
   sum; unless the event is signed, keep CGW_EOVERFLOW.  */
uint64_t cgwi_overflow (struct cgw_profile *p, size_t event, uint64_t sum);

static inline void
cgwi_add_cost (struct cgw_profile *p, uint64_t *sum, size_t event,
               uint64_t cost)
{
  if (__builtin_add_overflow (*sum, cost, sum))
    *sum = cgwi_overflow (p, event, *sum);
}

static inline void
cgwi_add_costs (struct cgw_profile *p, uint64_t *sums, const uint64_t *cost,
                size_t n)
{
  for (size_t i = 0; i < n; i++)
    cgwi_add_cost (p, &sums[i], i, cost[i]);
}

/* Add to a number of calls.  */
static inline void
cgwi_add_count (struct cgw_profile *p, uint64_t *sum, uint64_t count)
{
  if (__builtin_add_overflow (*sum, count, sum))
    {
      *sum = UINT64_MAX;
      cgwi_keep_error (&p->refusals, CGW_EOVERFLOW, CGWI_WHY_COUNT_OVERFLOW,
                       0);
    }
}

/* Whether nothing is written of an entry with these costs, and that count if it
   is an edge.  It may have been only looked up, or be left from an earlier
   interval.  */
static inline bool
cgwi_is_zero (const struct cgw_profile *p, uint64_t count,
              const uint64_t *costs)
{
  for (size_t i = 0; i < p->n_events; i++)
    count |= costs[i];
  return count == 0;
}

/* Keep the lowest known target: then the result does not depend on the order
   of the calls.  */
void cgwi_add_target (struct cgwi_edge *edge, uint64_t instr, uint32_t line);

/* Adding: sums.c, merge.c.  */

/* Look up or add a position, and add self costs, from the first-th to the n-th,
   to it and to the totals.  CGW_ENOMEM.  */
enum cgw_status cgwi_add_self (struct cgw_profile *p,
                               const struct cgwi_key *key,
                               const uint64_t *cost, size_t first, size_t n);

/* Look up or add an edge, and add to it the count and target of another one,
   and n inclusive costs.  CGW_ENOMEM.  */
enum cgw_status cgwi_add_calls (struct cgw_profile *p,
                                const struct cgwi_key *key,
                                const struct cgwi_edge *more,
                                const uint64_t *cost, size_t n);

/* Make frames of a kept stack of `from`, in p->frames.  False: no memory.  */
bool cgwi_take_frames (struct cgw_profile *p, const struct cgw_profile *from,
                       const struct cgwi_stack *stack, struct cgwi_frames *f);

/* Turn the stacks into self costs and calls, and add the others: in
   p->expanded, because the stacks of p stay whole.  Return the profile that has
   these sums, p itself if there are no stacks.  NULL: no memory.  */
const struct cgw_profile *cgwi_expand_stacks (struct cgw_profile *p);

/* Merge two profiles of one shape, inside both.  After an error nothing was
   added.  */
enum cgw_status cgwi_merge (struct cgw_profile *into,
                            struct cgw_profile *from);

#endif
