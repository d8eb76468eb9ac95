/* records.c - cgw_cost, cgw_call, cgw_jump, cgw_cond_jump.

   SPDX-License-Identifier: MIT  */

#include "../gate/submit.h"

/* A fast cost line of a writer without CGW_THREADS needs no function call.
   All else is in functions of their own, so that the fast path saves no
   registers for them.  */

static __attribute__ ((noinline)) enum cgw_status
write_slow (struct cgw_writer *w, const struct cgw_pos *pos,
            const uint64_t *cost, size_t n)
{
  return cgwi_write_and_leave (
      w, &(struct cgwi_record){ CGWI_COST, pos, NULL, 0, 0, cost, n });
}

/* With CGW_THREADS, or with a holder, or with wrong arguments.  */
static __attribute__ ((noinline)) enum cgw_status
submit_cost (struct cgw_writer *w, const struct cgw_pos *pos,
             const uint64_t *cost, size_t n)
{
  if (pos == NULL || cost == NULL || !cgwi_takes_records (w)
      || !cgwi_try_enter (w))
    return cgwi_submit (
        w, &(struct cgwi_record){ CGWI_COST, pos, NULL, 0, 0, cost, n });
  if (!cgwi_write_fast_cost (&w->core, pos, cost, n))
    return write_slow (w, pos, cost, n);
  cgwi_leave (w);
  return CGW_OK;
}

static inline __attribute__ ((always_inline)) enum cgw_status
cost_line (struct cgw_writer *w, const struct cgw_pos *pos,
           const uint64_t *cost, size_t n)
{
  if (pos == NULL || cost == NULL || !cgwi_takes_records (w)
      || !cgwi_try_enter_alone (w))
    return submit_cost (w, pos, cost, n);
  if (!cgwi_write_fast_cost (&w->core, pos, cost, n))
    return write_slow (w, pos, cost, n);
  cgwi_unlock_alone (w);
  return cgwi_needs_service (w) ? cgwi_serve (w) : CGW_OK;
}

static __attribute__ ((noinline)) enum cgw_status
cost_line_of_several (struct cgw_writer *w, const struct cgw_pos *pos,
                      const uint64_t *cost, size_t n)
{
  return cost_line (w, pos, cost, n);
}

/* One event has a copy of the code, in which the compiler drops the loops.  */
enum cgw_status
cgw_cost (struct cgw_writer *w, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n)
{
  if (w == NULL)
    return CGW_EINVAL;
  return n == 1 ? cost_line (w, pos, cost, 1)
                : cost_line_of_several (w, pos, cost, n);
}

enum cgw_status
cgw_call (struct cgw_writer *w, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t count,
          const uint64_t *inclusive_cost, size_t n)
{
  const struct cgwi_record r
      = { CGWI_CALL, from, to, count, 0, inclusive_cost, n };

  return w != NULL && cgwi_takes_records (w) && cgwi_try_enter_alone (w)
             ? cgwi_write_and_leave (w, &r)
             : cgwi_submit (w, &r);
}

enum cgw_status
cgw_jump (struct cgw_writer *w, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t executed)
{
  return cgwi_submit (w, &(struct cgwi_record){ CGWI_JUMP, from, to, executed,
                                                0, NULL, 0 });
}

enum cgw_status
cgw_cond_jump (struct cgw_writer *w, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t followed, uint64_t executed)
{
  return cgwi_submit (w, &(struct cgwi_record){ CGWI_COND_JUMP, from, to,
                                                executed, followed, NULL, 0 });
}
