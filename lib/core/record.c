/* record.c - check and write cost lines, calls and jumps.

   SPDX-License-Identifier: MIT  */

#include "record.h"

#include "../format/cachegrind.h"

/* Check.  What is inlined by force is so because calling it takes 5 % more
   instructions.  */

/* The reasons of records have no details, which a handler could not keep.  */
static __attribute__ ((noinline)) void
set_why (struct cgwi_why *why, enum cgwi_reason reason,
         enum cgwi_parameter parameter, uint32_t value)
{
  *why = (struct cgwi_why){ .reason = reason,
                            .parameter = parameter,
                            .value = value };
}

static inline enum cgw_status
refuse_record (struct cgwi_why *why, enum cgw_status status,
               enum cgwi_reason reason, enum cgwi_parameter parameter,
               uint32_t value)
{
  set_why (why, reason, parameter, value);
  return status;
}

/* Look up a position's handles.  */
static inline enum cgw_status
find_place (const struct cgw_names *names, const struct cgw_pos *pos,
            enum cgwi_parameter parameter, struct cgwi_place *at,
            struct cgwi_why *why)
{
  uint32_t fn = cgwi_index (names, pos->fn.handle);
  uint32_t source = cgwi_index (names, pos->file.handle);

  if (!cgwi_has_name (names, CGWI_FNS, fn))
    return refuse_record (why, CGW_EHANDLE, CGWI_WHY_FOREIGN_FN, parameter, 0);
  if (!cgwi_has_name (names, CGWI_FILES, source))
    return refuse_record (why, CGW_EHANDLE, CGWI_WHY_FOREIGN_FILE, parameter,
                          0);
  at->fn = fn;
  at->name = cgwi_name (names, CGWI_FNS, fn);
  at->source = pos->file.handle == 0 ? at->name->file : source;
  at->line = pos->line;
  at->instr = pos->instr;
  at->handles = cgwi_handles (pos);
  return CGW_OK;
}

/* Look up the position where a record is written, inside.  Most follow one with
   the same names, which need no look-up.  */
static inline __attribute__ ((always_inline)) enum cgw_status
find_source (const struct cgwi_encoder *e, const struct cgw_pos *pos,
             enum cgwi_parameter parameter, struct cgwi_place *at,
             struct cgwi_why *why)
{
  if (e->fast == 0 || cgwi_handles (pos) != e->handles)
    return find_place (e->names, pos, parameter, at, why);
  *at = (struct cgwi_place){ .fn = e->last.fn,
                             .source = e->last.source,
                             .name = e->last.name,
                             .line = pos->line,
                             .instr = pos->instr,
                             .handles = e->handles };
  return CGW_OK;
}

/* Check what a record begins with, and look up its first position.  Names are
   never removed, and the events do not change once they are known: so only
   find_source needs to be inside.  */
static inline __attribute__ ((always_inline)) enum cgw_status
check_source (const struct cgwi_encoder *e, const struct cgwi_record *r,
              enum cgwi_parameter parameter, bool inside,
              struct cgwi_place *at, struct cgwi_why *why)
{
  if (r->from == NULL)
    return refuse_record (why, CGW_EINVAL, CGWI_WHY_NULL_ARGUMENT, parameter,
                          0);
  if (r->cost == NULL && r->n != 0)
    return refuse_record (why, CGW_EINVAL, CGWI_WHY_NULL_ARRAY, CGWI_ARG_COST,
                          cgwi_n_and_most (r->n, 0));
  if (r->n > e->n_events)
    return refuse_record (why, CGW_ECOSTS, CGWI_WHY_MANY_COSTS, CGWI_ARG_N,
                          cgwi_n_and_most (r->n, e->n_events));
  return inside ? find_source (e, r->from, parameter, at, why)
                : find_place (e->names, r->from, parameter, at, why);
}

/* Check the rest of a call or jump.  The format has no line for the object of a
   jump's target, and KCachegrind would assign the function to the source's
   object.  */
static inline __attribute__ ((always_inline)) enum cgw_status
check_target (const struct cgwi_encoder *e, const struct cgwi_record *r,
              const struct cgwi_place *from, struct cgwi_place *to,
              struct cgwi_why *why)
{
  enum cgw_status status;

  if (r->to == NULL)
    return refuse_record (why, CGW_EINVAL, CGWI_WHY_NULL_ARGUMENT, CGWI_ARG_TO,
                          0);
  if ((status = find_place (e->names, r->to, CGWI_ARG_TO, to, why)) != CGW_OK)
    return status;
  if (r->kind != CGWI_CALL)
    return from->name->object == to->name->object
               ? CGW_OK
               : refuse_record (why, CGW_EINVAL, CGWI_WHY_OTHER_OBJECT,
                                CGWI_ARG_NO_PARAMETER, 0);
  return r->count != 0 || (e->flags & CGW_ZERO_CALLS)
             ? CGW_OK
             : refuse_record (why, CGW_EINVAL, CGWI_WHY_ZERO_CALLS,
                              CGWI_ARG_COUNT, 0);
}

enum cgw_status
cgwi_check_record (const struct cgwi_encoder *e, const struct cgwi_record *r,
                   struct cgwi_why *why)
{
  bool is_cost = r->kind == CGWI_COST;
  struct cgwi_place from, to;
  enum cgw_status status
      = check_source (e, r, is_cost ? CGWI_ARG_POS : CGWI_ARG_FROM, false,
                      &from, why);

  return status != CGW_OK || is_cost ? status
                                     : check_target (e, r, &from, &to, why);
}

/* Write.  */

/* A record is lost for that reason: count it.  Return the status.  */
static enum cgw_status
lose_record (struct cgwi_core *c, const struct cgwi_record *r,
             enum cgw_status status, struct cgwi_why *why)
{
  cgwi_lose_record (&c->accounts, r);
  switch (status)
    {
    case CGW_EAGAIN:
      cgwi_keep_error (&c->refusals, CGW_ELOST, CGWI_WHY_LOST_DESCRIPTOR, 0);
      return refuse_record (why, status, CGWI_WHY_LOST_DESCRIPTOR,
                            CGWI_ARG_NO_PARAMETER, 0);
    case CGW_EIO:
      cgwi_keep_io_error (c);
      return refuse_record (why, status, CGWI_WHY_NOT_WRITTEN,
                            CGWI_ARG_NO_PARAMETER,
                            (uint32_t) atomic_load_explicit (
                                &c->error_number, memory_order_relaxed));
    default: /* CGW_EFINISHED: a crash handler has ended the buffer */
      return refuse_record (why, CGW_ELOST, CGWI_WHY_LOST_SALVAGED,
                            CGWI_ARG_NO_PARAMETER, 0);
    }
}

static inline enum cgw_status
check_open (const struct cgwi_core *c, struct cgwi_why *why)
{
  enum cgw_status status = cgwi_check_open (c);

  return status == CGW_OK
             ? status
             : refuse_record (why, status,
                              status == CGW_EORDER ? CGWI_WHY_NO_PART
                                                   : CGWI_WHY_NO_REASON,
                              CGWI_ARG_NO_PARAMETER, 0);
}

/* Make room for a record, or lose it.  */
static inline __attribute__ ((always_inline)) enum cgw_status
begin_record (struct cgwi_core *c, const struct cgwi_record *r,
              struct cgwi_why *why)
{
  enum cgw_status status;

  if (cgwi_buffer_has_room (&c->buffer)
      || (status = cgwi_make_room (c)) == CGW_OK)
    return CGW_OK;
  return status == CGW_EFORK ? refuse_record (why, status, CGWI_WHY_NO_REASON,
                                              CGWI_ARG_NO_PARAMETER, 0)
                             : lose_record (c, r, status, why);
}

/* Commit a record up to end, with those self costs.  */
static inline __attribute__ ((always_inline)) void
commit_record (struct cgwi_core *c, char *end, const uint64_t *cost, size_t n)
{
  struct cgwi_buffer *b = &c->buffer;

  cgwi_count_record (&c->accounts, cost, n);
  if (cgwi_buffer_is_inside (b, end))
    cgwi_buffer_commit_inside (b, end, CGWI_RECORD);
  else
    cgwi_buffer_commit (b, end, CGWI_RECORD);
  if (c->accounts.near_overflow)
    c->encoder.fast = 0;
}

/* Encode a cost line at the buffer's end.  Inlined, though in two places: most
   slow lines begin a run of fast ones.  */
static inline __attribute__ ((always_inline)) char *
put_cost (struct cgwi_core *c, const struct cgwi_place *at,
          const uint64_t *cost, size_t n)
{
  struct cgwi_encoder *e = &c->encoder;
  char *p = cgwi_buffer_end (&c->buffer);

  return __builtin_expect (cgwi_is_cachegrind (e), 0)
             ? cgwi_put_cachegrind_line (p, e, at, cost, n)
             : cgwi_put_cost_line (p, e, at, cost, n);
}

enum cgw_status
cgwi_write_cost (struct cgwi_core *c, const struct cgwi_record *r,
                 struct cgwi_why *why)
{
  struct cgwi_place at;
  enum cgw_status status;
  size_t n;

  if ((status = check_open (c, why)) != CGW_OK
      || (status = check_source (&c->encoder, r, CGWI_ARG_POS, true, &at, why))
             != CGW_OK
      || (status = begin_record (c, r, why)) != CGW_OK)
    return status;
  n = cgwi_without_zeros (r->cost, r->n);
  commit_record (c, put_cost (c, &at, r->cost, n), r->cost, n);
  return CGW_OK;
}

/* The format of CGW_CACHEGRIND has no calls and jumps: they are counted, but
   not written.  */
enum cgw_status
cgwi_write_edge (struct cgwi_core *c, const struct cgwi_record *r,
                 struct cgwi_why *why)
{
  struct cgwi_encoder *e = &c->encoder;
  struct cgwi_place from, to;
  enum cgw_status status;
  char *p;

  if ((status = check_open (c, why)) != CGW_OK
      || (status = check_source (e, r, CGWI_ARG_FROM, true, &from, why))
             != CGW_OK
      || (status = check_target (e, r, &from, &to, why)) != CGW_OK)
    return status;
  if (cgwi_is_cachegrind (e))
    {
      c->accounts.n_silent++;
      return CGW_OK;
    }
  if ((status = begin_record (c, r, why)) != CGW_OK)
    return status;
  p = cgwi_buffer_end (&c->buffer);
  p = r->kind == CGWI_CALL
          ? cgwi_put_call (p, e, &from, &to, r->count, r->cost, r->n)
          : cgwi_put_jump (p, e, &from, &to,
                           r->kind == CGWI_JUMP ? NULL : &r->followed,
                           r->count);
  commit_record (c, p, NULL, 0);
  return CGW_OK;
}

void
cgwi_write_lost (struct cgwi_core *c, const uint64_t *lost)
{
  struct cgwi_place at
      = { .fn = CGWI_LOST_FN,
          .name = cgwi_name (c->encoder.names, CGWI_FNS, CGWI_LOST_FN) };

  cgwi_buffer_commit (&c->buffer,
                      put_cost (c, &at, lost, c->encoder.n_events),
                      CGWI_TEXT);
}
