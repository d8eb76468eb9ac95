/* body.c - the lines of a part's body: position specs (ob fl fi fe fn, cob cfi
   cfn, jfi jfn), cost lines, calls, and jumps.

   Each record is encoded behind the buffer's end, and taken in when it is
   whole.  All of this runs inside the guard, and in signal handlers.  The cost
   lines that most programs write most of the time are in usual.h.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

/* A position whose handles were checked.  */
struct place
{
  uint32_t fn;     /* indices */
  uint32_t source; /* the file that the code is in */
  uint32_t line;
  uint64_t instr;
  struct cgw_fn at_fn; /* the handles */
  struct cgw_file at_file;
};

/* A position spec: "cfn=" or another of at most four bytes, and a name.
   Inlined, because the spec is known where it is called: 4 %.  */
static inline __attribute__ ((always_inline)) char *
put_spec (struct cgw_writer *w, char *p, const char spec[static 4],
          struct cgwi_names *t, uint32_t index)
{
  memcpy (p, spec, 4);
  p = cgwi_put_name (p + (spec[3] != '\0' ? 4 : 3), t, index, w->part,
                     w->flags & CGW_PLAIN_NAMES);
  *p++ = '\n';
  return p;
}

/* ob=, fl=, fn=, in this order: KCachegrind forgets the function at ob=, and
   binds fn= to the file and object before it.  fl= comes again after a fi=,
   because readers disagree on the file of a fn= there.  */
static char *
put_function (struct cgw_writer *w, char *p, struct cgwi_encoder *e,
              uint32_t index)
{
  const struct cgwi_name *fn = &w->fns.entries[index];

  if (fn->object != e->object)
    p = put_spec (w, p, "ob=", &w->objects, fn->object);
  if (fn->file != e->file || e->inlined)
    p = put_spec (w, p, "fl=", &w->files, fn->file);
  p = put_spec (w, p, "fn=", &w->fns, index);
  e->object = fn->object;
  e->file = e->source = fn->file;
  e->fn = index;
  e->inlined = false;
  e->absolute = true;
  return p;
}

/* Whatever specs the next cost line needs.  fi= and fe= mean the same to all
   readers; fe= is for coming back to the function's own file.  */
static inline char *
put_place (struct cgw_writer *w, char *p, struct cgwi_encoder *e,
           const struct place *at)
{
  if (at->fn != e->fn)
    p = put_function (w, p, e, at->fn);
  if (at->source != e->source)
    {
      p = put_spec (w, p, at->source == e->file ? "fe=" : "fi=",
                         &w->files, at->source);
      e->source = at->source;
      e->inlined = true;
    }
  return p;
}

/* The subpositions, with a blank between two.  The first ones of a function
   are absolute: Qt Creator begins anew at each fn=.  */
static inline char *
put_subpositions (const struct cgw_writer *w, char *p,
                  const struct cgwi_encoder *e, const struct place *at)
{
  bool absolute = e->absolute || (w->flags & CGW_ABSOLUTE) != 0;

  if (w->positions & CGW_INSTR)
    {
      p = cgwi_put_instr (p, at->instr, e->instr, absolute);
      if (w->positions & CGW_LINE)
        *p++ = ' ';
    }
  if (w->positions & CGW_LINE)
    p = cgwi_put_line (p, at->line, e->line, absolute);
  return p;
}

/* The subpositions of a cost line of any kind: they are the next base.  */
static inline char *
put_source (const struct cgw_writer *w, char *p, struct cgwi_encoder *e,
            const struct place *at)
{
  p = put_subpositions (w, p, e, at);
  e->line = at->line;
  e->instr = at->instr;
  e->absolute = false;
  e->usual = !(w->flags & (CGW_ABSOLUTE | CGW_KEEP_ZEROS));
  e->at_fn = at->at_fn;
  e->at_file = at->at_file;
  return p;
}

/* " cost" for each event, without trailing zeros unless they are to stay, and
   at least one.  */
static inline __attribute__ ((always_inline)) char *
put_costs (const struct cgw_writer *w, char *p, const uint64_t *cost,
           size_t n)
{
  char *end; /* behind the last cost that must stay */

  p = end = cgwi_put_cost (p, n > 0 ? cost[0] : 0);
  for (size_t i = 1; i < n; i++)
    {
      p = cgwi_put_cost (p, cost[i]);
      end = cost[i] != 0 ? p : end;
    }
  if (!(w->flags & CGW_KEEP_ZEROS))
    return end;
  for (size_t i = n > 1 ? n : 1; i < w->n_events; i++)
    {
      *p++ = ' ';
      *p++ = '0';
    }
  return p;
}

/* Where the next record is encoded.  */
static inline char *
record_start (const struct cgw_writer *w)
{
  return w->buffer.bytes + w->buffer.used;
}

static void
write_cost (struct cgw_writer *w, const struct place *at,
            const uint64_t *cost, size_t n)
{
  struct cgwi_encoder *e = &w->encoder;
  char *p = put_place (w, record_start (w), e, at);

  p = put_source (w, p, e, at);
  p = put_costs (w, p, cost, n);
  *p++ = '\n';
  cgwi_commit (w, p);
}

void
cgwi_write_lost (struct cgw_writer *w)
{
  write_cost (w, &(struct place){ .fn = w->lost_fn }, w->sums.part_lost,
              w->n_events);
}

/* cob=, cfi=, cfn=: each call has its own, for cob= and cfi= are forgotten
   after it.  Without cfi= readers take the file that is active, and they
   disagree on it while a fi= is.  */
static char *
put_callee (struct cgw_writer *w, char *p, const struct cgwi_encoder *e,
            uint32_t index)
{
  const struct cgwi_name *fn = &w->fns.entries[index];

  if (fn->object != e->object)
    p = put_spec (w, p, "cob=", &w->objects, fn->object);
  if (fn->file != e->file || e->source != e->file)
    p = put_spec (w, p, "cfi=", &w->files, fn->file);
  return put_spec (w, p, "cfn=", &w->fns, index);
}

/* calls=N target, and at once its cost line: a blank or a comment between
   them breaks gprof2dot and speedscope.  */
static void
write_call (struct cgw_writer *w, const struct place *from,
            const struct place *to, uint64_t count, const uint64_t *cost,
            size_t n)
{
  struct cgwi_encoder *e = &w->encoder;
  char *p = put_place (w, record_start (w), e, from);

  p = put_callee (w, p, e, to->fn);
  memcpy (p, "calls=", 6);
  p = cgwi_put_decimal (p + 6, count);
  *p++ = ' ';
  p = put_subpositions (w, p, e, to);
  *p++ = '\n';
  p = put_source (w, p, e, from);
  p = put_costs (w, p, cost, n);
  *p++ = '\n';
  cgwi_commit (w, p);
}

/* jump=EXECUTED target or jcnd=FOLLOWED/EXECUTED target, and the source
   position without costs.  The format's grammar has another jcnd= and no
   source; KCachegrind reads, and callgrind writes, this.  followed is NULL for
   an unconditional jump.  A jfn= binds its function to the jfi= before it, so
   that must be the function's own file, not the inlined code's.  */
static void
write_jump (struct cgw_writer *w, const struct place *from,
            const struct place *to, const uint64_t *followed,
            uint64_t executed)
{
  struct cgwi_encoder *e = &w->encoder;
  char *p = put_place (w, record_start (w), e, from);
  uint32_t target_file = to->fn == e->fn ? to->source
                                        : w->fns.entries[to->fn].file;

  if (target_file != e->source)
    p = put_spec (w, p, "jfi=", &w->files, target_file);
  if (to->fn != e->fn)
    p = put_spec (w, p, "jfn=", &w->fns, to->fn);
  memcpy (p, followed != NULL ? "jcnd=" : "jump=", 5);
  p += 5;
  if (followed != NULL)
    {
      p = cgwi_put_decimal (p, *followed);
      *p++ = '/';
    }
  p = cgwi_put_decimal (p, executed);
  *p++ = ' ';
  p = put_subpositions (w, p, e, to);
  *p++ = '\n';
  p = put_source (w, p, e, from);
  *p++ = '\n';
  cgwi_commit (w, p);
}

/* Counts a record that finds no room as lost.  */
static enum cgw_status
lose (struct cgw_writer *w, enum cgw_status status)
{
  w->lost++;
  w->part_lost++;
  cgwi_keep (w, status == CGW_EAGAIN ? CGW_ELOST : status);
  return status;
}

/* Looks up a position's handles.  */
static inline enum cgw_status
find_place (const struct cgw_writer *w, const struct cgw_pos *pos,
            struct place *at)
{
  uint32_t fn = cgwi_index (w, &w->fns, pos->fn.handle);
  uint32_t source;

  if (fn == CGWI_NONE)
    return CGW_EHANDLE;
  if (pos->file.handle == 0)
    source = w->fns.entries[fn].file;
  else
    {
      source = cgwi_index (w, &w->files, pos->file.handle);
      if (source == CGWI_NONE)
        return CGW_EHANDLE;
    }
  at->fn = fn;
  at->source = source;
  at->line = pos->line;
  at->instr = pos->instr;
  at->at_fn = pos->fn;
  at->at_file = pos->file;
  return CGW_OK;
}

static enum cgw_status
check_open (const struct cgw_writer *w)
{
  return w->state == CGWI_PART_OPEN  ? CGW_OK
         : w->state == CGWI_FINISHED ? CGW_EFINISHED
                                     : CGW_EORDER;
}

enum cgw_status
cgwi_cost (struct cgw_writer *w, const struct cgw_pos *pos,
           const uint64_t *cost, size_t n)
{
  struct place at;
  enum cgw_status status;

  if ((status = check_open (w)) != CGW_OK)
    return cgwi_refuse (w, status);
  if (n > w->n_events)
    return cgwi_refuse (w, CGW_ECOSTS);
  if ((status = find_place (w, pos, &at)) != CGW_OK)
    return cgwi_refuse (w, status);
  if ((status = cgwi_make_room (w)) != CGW_OK)
    {
      w->overflow |= cgwi_add_costs (w->sums.part_lost, cost, n);
      return lose (w, status);
    }
  write_cost (w, &at, cost, n);
  w->overflow |= cgwi_add_costs (w->sums.part, cost, n);
  w->recorded++;
  return CGW_OK;
}

/* The checks that calls and jumps share.  */
static enum cgw_status
find_edge (const struct cgw_writer *w, const struct cgw_pos *from,
           const struct cgw_pos *to, struct place *source,
           struct place *target)
{
  enum cgw_status status = check_open (w);

  if (status == CGW_OK)
    status = find_place (w, from, source);
  return status == CGW_OK ? find_place (w, to, target) : status;
}

enum cgw_status
cgwi_call (struct cgw_writer *w, const struct cgw_pos *from,
           const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
           size_t n)
{
  struct place source, target;
  enum cgw_status status = find_edge (w, from, to, &source, &target);

  if (status != CGW_OK)
    return cgwi_refuse (w, status);
  if (n > w->n_events)
    return cgwi_refuse (w, CGW_ECOSTS);
  if (count == 0 && !(w->flags & CGW_ZERO_CALLS))
    return cgwi_refuse (w, CGW_EINVAL);
  if ((status = cgwi_make_room (w)) != CGW_OK)
    return lose (w, status);
  write_call (w, &source, &target, count, cost, n);
  w->recorded++;
  return CGW_OK;
}

enum cgw_status
cgwi_jump (struct cgw_writer *w, const struct cgw_pos *from,
           const struct cgw_pos *to, const uint64_t *followed,
           uint64_t executed)
{
  struct place source, target;
  enum cgw_status status = find_edge (w, from, to, &source, &target);

  if (status != CGW_OK)
    return cgwi_refuse (w, status);
  /* There is no line for the object of a jump's target, and KCachegrind would
     bind the function to the source's.  */
  if (w->fns.entries[source.fn].object != w->fns.entries[target.fn].object)
    return cgwi_refuse (w, CGW_EINVAL);
  if ((status = cgwi_make_room (w)) != CGW_OK)
    return lose (w, status);
  write_jump (w, &source, &target, followed, executed);
  w->recorded++;
  return CGW_OK;
}
