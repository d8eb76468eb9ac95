/* record.c - write cost lines, calls and jumps.

   SPDX-License-Identifier: MIT  */

#include "record.h"

#include "../format/cachegrind.h"
#include "../format/lines.h"
#include "../format/usual.h"
#include "room.h"

/* Look up a position's handles.  CGW_EHANDLE.  */
static inline enum cgw_status
find_place (const struct cgwi_core *c, const struct cgw_pos *pos,
            struct cgwi_place *at)
{
  const struct cgw_names *names = c->encoder.names;
  uint32_t fn = cgwi_index (names, pos->fn.handle);
  uint32_t source = cgwi_index (names, pos->file.handle);

  if (!cgwi_has_name (names, CGWI_FNS, fn)
      || !cgwi_has_name (names, CGWI_FILES, source))
    return CGW_EHANDLE;
  at->fn = fn;
  at->name = cgwi_name (names, CGWI_FNS, fn);
  at->source = pos->file.handle == 0 ? at->name->file : source;
  at->line = pos->line;
  at->instr = pos->instr;
  at->handles = cgwi_handles (pos);
  return CGW_OK;
}

/* Do so where a record is written.  Most follow one with the same names, which
   need no look-up.  */
static inline enum cgw_status
find_source (const struct cgwi_core *c, const struct cgw_pos *pos,
             struct cgwi_place *at)
{
  const struct cgwi_encoder *e = &c->encoder;

  if (e->usual == 0 || cgwi_handles (pos) != e->handles)
    return find_place (c, pos, at);
  *at = (struct cgwi_place){ .fn = e->last.fn,
                             .source = e->last.source,
                             .name = e->last.name,
                             .line = pos->line,
                             .instr = pos->instr,
                             .handles = e->handles };
  return CGW_OK;
}

/* Check and look up both positions of a call or jump.  */
static inline enum cgw_status
find_edge (const struct cgwi_core *c, const struct cgw_pos *from,
           const struct cgw_pos *to, struct cgwi_place *source,
           struct cgwi_place *target)
{
  enum cgw_status status = cgwi_check_open (c);

  if (status == CGW_OK)
    status = find_source (c, from, source);
  return status == CGW_OK ? find_place (c, to, target) : status;
}

/* Count a record as lost for that reason.  Return the status.  */
static enum cgw_status
lose (struct cgwi_core *c, enum cgw_status why, const uint64_t *self_cost,
      size_t n)
{
  cgwi_count_lost (&c->accounts, self_cost, n);
  if (why == CGW_EAGAIN)
    cgwi_keep_error (&c->refusals, CGW_ELOST, CGWI_WHY_LOST_DESCRIPTOR, 0);
  else if (why == CGW_EIO)
    cgwi_keep_io_error (c);
  return why == CGW_EFINISHED ? CGW_ELOST : why;
}

/* Make room for a record.  CGW_EIO, CGW_EAGAIN, CGW_ELOST: the record is lost,
   and counted.  CGW_EFORK.  */
static inline enum cgw_status
begin_record (struct cgwi_core *c, const uint64_t *self_cost, size_t n)
{
  enum cgw_status status
      = cgwi_buffer_has_room (&c->buffer) ? CGW_OK : cgwi_make_room (c);

  return status == CGW_OK || status == CGW_EFORK
             ? status
             : lose (c, status, self_cost, n);
}

/* Commit the record up to end.  */
static inline __attribute__ ((always_inline)) void
commit_record (struct cgwi_core *c, char *end, const uint64_t *self_cost,
               size_t n)
{
  struct cgwi_buffer *b = &c->buffer;

  cgwi_count_record (&c->accounts, self_cost, n);
  if (cgwi_buffer_is_inside (b, end))
    cgwi_buffer_commit_inside (b, end, CGWI_RECORD);
  else
    cgwi_buffer_commit (b, end, CGWI_RECORD);
  if (c->accounts.near_overflow)
    c->encoder.usual = 0;
}

/* Encode a cost line at the buffer's end.  Inlined, though in two places: most
   lines that are not usual begin a run of usual ones.  */
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

/* Whether calls and jumps are silent: checked and counted, but not written,
   because the file's format has none.  */
static inline bool
has_no_edges (const struct cgwi_core *c)
{
  return cgwi_is_cachegrind (&c->encoder);
}

static enum cgw_status
record_silently (struct cgwi_core *c)
{
  c->accounts.n_silent++;
  return CGW_OK;
}

enum cgw_status
cgwi_write_cost (struct cgwi_core *c, const struct cgw_pos *pos,
                 const uint64_t *cost, size_t n)
{
  struct cgwi_place at;
  enum cgw_status status;

  if ((status = cgwi_check_open (c)) != CGW_OK)
    return status;
  if (n > c->encoder.n_events)
    return CGW_ECOSTS;
  if ((status = find_source (c, pos, &at)) != CGW_OK
      || (status = begin_record (c, cost, n)) != CGW_OK)
    return status;
  n = cgwi_without_zeros (cost, n);
  commit_record (c, put_cost (c, &at, cost, n), cost, n);
  return CGW_OK;
}

enum cgw_status
cgwi_write_call (struct cgwi_core *c, const struct cgw_pos *from,
                 const struct cgw_pos *to, uint64_t count,
                 const uint64_t *cost, size_t n)
{
  struct cgwi_place source, target;
  enum cgw_status status = find_edge (c, from, to, &source, &target);

  if (status != CGW_OK)
    return status;
  if (n > c->encoder.n_events)
    return CGW_ECOSTS;
  if (count == 0 && !(c->encoder.flags & CGW_ZERO_CALLS))
    return CGW_EINVAL;
  if (has_no_edges (c))
    return record_silently (c);
  if ((status = begin_record (c, NULL, 0)) != CGW_OK)
    return status;
  commit_record (c,
                 cgwi_put_call (cgwi_buffer_end (&c->buffer), &c->encoder,
                                &source, &target, count, cost, n),
                 NULL, 0);
  return CGW_OK;
}

enum cgw_status
cgwi_write_jump (struct cgwi_core *c, const struct cgw_pos *from,
                 const struct cgw_pos *to, const uint64_t *followed,
                 uint64_t executed)
{
  struct cgwi_place source, target;
  enum cgw_status status = find_edge (c, from, to, &source, &target);

  if (status != CGW_OK)
    return status;
  /* The format has no line for the object of a jump's target, and KCachegrind
     would assign the function to the source's object.  */
  if (source.name->object != target.name->object)
    return CGW_EINVAL;
  if (has_no_edges (c))
    return record_silently (c);
  if ((status = begin_record (c, NULL, 0)) != CGW_OK)
    return status;
  commit_record (c,
                 cgwi_put_jump (cgwi_buffer_end (&c->buffer), &c->encoder,
                                &source, &target, followed, executed),
                 NULL, 0);
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
