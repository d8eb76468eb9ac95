/* record.c - cgw_cost, cgw_call, cgw_jump, cgw_cond_jump: a record is written
   by who is inside the writer.

   Who finds somebody else inside (the code that a handler interrupted, or
   another thread) parks the record in the ring; who is inside writes what is
   parked when it leaves.  A record that finds the ring full is lost and
   counted.  Nobody waits.

   SPDX-License-Identifier: MIT  */

#include "usual.h"

/* A parked record.  */
struct parked
{
  enum cgwi_kind kind;
  uint32_t n;
  struct cgw_pos from; /* of a cost, its position */
  struct cgw_pos to;
  uint64_t count;      /* of a call; executed, of a jump */
  uint64_t followed;
  uint64_t cost[];
};

/* A record as it was handed over.  */
struct handed
{
  enum cgwi_kind kind;
  const struct cgw_pos *from;
  const struct cgw_pos *to;
  uint64_t count;
  uint64_t followed;
  const uint64_t *cost;
  size_t n;
};

size_t
cgwi_parked_size (size_t n_costs)
{
  return sizeof (struct parked) + n_costs * sizeof (uint64_t);
}

enum cgw_status
cgwi_refuse (struct cgw_writer *w, enum cgw_status status)
{
  atomic_fetch_add_explicit (&w->refused, 1, memory_order_relaxed);
  return status == CGW_EFINISHED ? status : cgwi_keep (w, status);
}

/* Writes a record; inside the guard.  */
static inline __attribute__ ((always_inline)) enum cgw_status
write_record (struct cgw_writer *w, struct handed r)
{
  switch (r.kind)
    {
    case CGWI_COST:
      return cgwi_cost (w, r.from, r.cost, r.n);
    case CGWI_CALL:
      return cgwi_call (w, r.from, r.to, r.count, r.cost, r.n);
    case CGWI_JUMP:
      return cgwi_jump (w, r.from, r.to, NULL, r.count);
    default:
      return cgwi_jump (w, r.from, r.to, &r.followed, r.count);
    }
}

static void
write_parked (struct cgw_writer *w, const struct parked *p)
{
  write_record (w, (struct handed){ p->kind, &p->from, &p->to, p->count,
                                    p->followed, p->cost, p->n });
}

void
cgwi_write_parked (struct cgw_writer *w)
{
  struct cgwi_slot *slot;

  while ((slot = cgwi_ring_first (&w->ring)) != NULL)
    {
      write_parked (w, (const struct parked *) (const void *) slot->bytes);
      cgwi_ring_take (&w->ring, slot);
    }
}

void
cgwi_drain (struct cgw_writer *w)
{
  while (cgwi_ring_first (&w->ring) != NULL && cgwi_guard_enter (&w->guard))
    {
      cgwi_write_parked (w);
      cgwi_guard_leave (&w->guard);
    }
}

/* Counts a record that found the ring full.  */
static enum cgw_status
lose_busy (struct cgw_writer *w, struct handed r)
{
  if (r.kind == CGWI_COST)
    for (size_t i = 0; i < r.n; i++)
      atomic_fetch_add_explicit (&w->busy_costs[i], r.cost[i],
                                 memory_order_relaxed);
  atomic_fetch_add_explicit (&w->busy, 1, memory_order_relaxed);
  return cgwi_keep (w, CGW_ELOST);
}

void
cgwi_lose_parked (struct cgw_writer *w)
{
  struct cgwi_slot *slot;

  while ((slot = cgwi_ring_first (&w->ring)) != NULL)
    {
      const struct parked *p = (const void *) slot->bytes;
      lose_busy (w, (struct handed){ .kind = p->kind, .cost = p->cost,
                                     .n = p->n });
      cgwi_ring_take (&w->ring, slot);
    }
}

/* Leaves a record for who is inside the writer.  */
static __attribute__ ((noinline)) enum cgw_status
park (struct cgw_writer *w, struct handed r)
{
  struct cgwi_slot *slot;
  struct parked *p;

  if (r.n > w->park_costs)
    return cgwi_refuse (w, w->park_costs != 0 ? CGW_ECOSTS : CGW_EORDER);
  slot = cgwi_ring_reserve (&w->ring);
  if (slot == NULL)
    return lose_busy (w, r);
  p = (struct parked *) (void *) slot->bytes;
  p->kind = r.kind;
  p->n = (uint32_t) r.n;
  p->from = *r.from;
  p->to = r.to != NULL ? *r.to : *r.from;
  p->count = r.count;
  p->followed = r.followed;
  memcpy (p->cost, r.cost, r.n * sizeof *r.cost);
  cgwi_ring_publish (slot);
  cgwi_drain (w);
  return CGW_OK;
}

/* What needs no look into the writer.  */
static inline bool
is_complete (struct handed r)
{
  return r.from != NULL && (r.to != NULL || r.kind == CGWI_COST)
         && (r.cost != NULL || r.n == 0);
}

/* Hands over a record.  Inlined where its kind is known.  */
static inline __attribute__ ((always_inline)) enum cgw_status
hand_over (struct cgw_writer *w, struct handed r)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if (!is_complete (r))
    return cgwi_refuse (w, CGW_EINVAL);
  if (cgwi_is_copy (w))
    return CGW_EFORK;
  if (!cgwi_guard_enter (&w->guard))
    return park (w, r);
  status = write_record (w, r);
  cgwi_leave (w);
  return status;
}

/* cgw_cost takes the short way with a usual cost line.  What is rare is in
   functions of its own, so that the short way saves no registers for it.  */

static __attribute__ ((noinline)) enum cgw_status
hand_over_any (struct cgw_writer *w, const struct cgw_pos *pos,
               const uint64_t *cost, size_t n)
{
  return hand_over (w, (struct handed){ CGWI_COST, pos, NULL, 0, 0, cost, n });
}

/* Inside the guard, which it leaves.  */
static __attribute__ ((noinline)) enum cgw_status
write_unusual (struct cgw_writer *w, const struct cgw_pos *pos,
               const uint64_t *cost, size_t n)
{
  enum cgw_status status = cgwi_cost (w, pos, cost, n);

  cgwi_leave (w);
  return status;
}

static __attribute__ ((noinline)) enum cgw_status
drain (struct cgw_writer *w)
{
  cgwi_drain (w);
  return CGW_OK;
}

static inline __attribute__ ((always_inline)) enum cgw_status
hand_over_cost (struct cgw_writer *w, const struct cgw_pos *pos,
                const uint64_t *cost, size_t n)
{
  if (pos == NULL || cost == NULL || cgwi_is_copy (w)
      || !cgwi_guard_enter (&w->guard))
    return hand_over_any (w, pos, cost, n);
  if (!cgwi_put_usual_record (w, pos, cost, n))
    return write_unusual (w, pos, cost, n);
  cgwi_guard_leave (&w->guard);
  return cgwi_ring_is_empty (&w->ring) ? CGW_OK : drain (w);
}

static __attribute__ ((noinline)) enum cgw_status
hand_over_costs (struct cgw_writer *w, const struct cgw_pos *pos,
                 const uint64_t *cost, size_t n)
{
  return hand_over_cost (w, pos, cost, n);
}

/* One event is apart, for its loops are no loops.  */
enum cgw_status
cgw_cost (struct cgw_writer *w, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n)
{
  if (w == NULL)
    return CGW_EINVAL;
  return n == 1 ? hand_over_cost (w, pos, cost, 1)
                : hand_over_costs (w, pos, cost, n);
}

enum cgw_status
cgw_call (struct cgw_writer *w, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t count,
          const uint64_t *inclusive_cost, size_t n)
{
  return hand_over (w, (struct handed){ CGWI_CALL, from, to, count, 0,
                                        inclusive_cost, n });
}

enum cgw_status
cgw_jump (struct cgw_writer *w, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t executed)
{
  return hand_over (
      w, (struct handed){ CGWI_JUMP, from, to, executed, 0, NULL, 0 });
}

enum cgw_status
cgw_cond_jump (struct cgw_writer *w, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t followed, uint64_t executed)
{
  return hand_over (w, (struct handed){ CGWI_COND_JUMP, from, to, executed,
                                        followed, NULL, 0 });
}
