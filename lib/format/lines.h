/* lines.h - the lines of a part's body: position specs (ob fl fi fe fn, cob
   cfi cfn, jfi jfn), cost lines, calls, and jumps.

   To add a line kind: write its encoder here, with its bound beside it, and a
   function in core/record.c that commits it.  That is the only caller, and most
   of the code is inline there: calling it would take 3 % more instructions.

   The put functions write at p, unchecked, and return the end.  They may touch
   CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_LINES_H
#define CGWI_LINES_H 1

#include "encoder.h"
#include "subposition.h"

/* The fast path.  A fast cost line needs no position spec, has an address near
   the last one, a line near the last one or below 10000, and no cost of a
   million or more.  Most lines of a profile are fast: they are encoded here
   without a function call, as what follows would encode them.  */

/* Write the subpositions at p.  Return the end, or NULL.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_fast_subpositions (char *p, const struct cgwi_encoder *e,
                            uint32_t line, uint64_t instr)
{
  if (e->positions != CGW_LINE)
    {
      p = cgwi_put_fast_instr (p, instr, e->last.instr);
      if (p == NULL || e->positions == CGW_INSTR)
        return p;
      *p++ = ' ';
    }
  return cgwi_put_fast_line (p, line, e->last.line);
}

/* Return the number of costs without most trailing zeros.  Strip them six at a
   time: stripping one by one takes fewer instructions but mispredicts on every
   line.  */
static inline size_t
cgwi_without_zeros (const uint64_t *cost, size_t n)
{
  while (n > 6
         && (cost[n - 1] | cost[n - 2] | cost[n - 3] | cost[n - 4]
             | cost[n - 5] | cost[n - 6])
                == 0)
    n -= 6;
  return n;
}

/* Write " cost" for each event, without trailing zeros.  Return the end, or
   NULL.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_fast_costs (char *p, const uint64_t *cost, size_t n)
{
  size_t i = 1, kept = 1;

  p = cgwi_put_fast_cost (p, cost[0]);
  while (p != NULL && i < n)
    {
      uint64_t value = cost[i++];
      p = cgwi_put_fast_cost (p, value);
      kept = value != 0 ? i : kept;
    }
  /* A trailing zero takes two bytes.  */
  return p != NULL ? p - 2 * (n - kept) : NULL;
}

/* Write a fast cost line at p, with n costs, at least 1.  Return its end, or
   NULL if it is not one.  The caller updates e->last.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_fast_cost_line (char *p, const struct cgwi_encoder *e,
                         const struct cgw_pos *pos, const uint64_t *cost,
                         size_t n)
{
  p = cgwi_put_fast_subpositions (p, e, pos->line, pos->instr);
  if (p == NULL || (p = cgwi_put_fast_costs (p, cost, n)) == NULL)
    return NULL;
  *p++ = '\n';
  return p;
}

/* All lines.  */

/* A position after its handles were looked up.  */
struct cgwi_place
{
  uint32_t fn;     /* index */
  uint32_t source; /* index of the file that the code is in */
  const struct cgwi_name *name; /* of the function */
  uint32_t line;
  uint64_t instr;
  uint64_t handles; /* the position's own */
};

/* Bytes of the longest position spec.  */
#define CGWI_SPEC_MAX (sizeof "cfn=(2147483647) \n" - 1 + CGW_NAME_MAX)

/* Write a position spec: "cfn=" or another of at most four bytes, and a name.
   Inlined because each caller's spec is a constant: saves 4 % of the time.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_spec (char *p, struct cgwi_encoder *e, const char spec[static 4],
               enum cgwi_kind_of_name kind, uint32_t index)
{
  memcpy (p, spec, 4);
  p = cgwi_put_name (p + (spec[3] != '\0' ? 4 : 3), e, kind, index);
  *p++ = '\n';
  return p;
}

/* Write ob=, fl=, fn=, in this order: KCachegrind forgets the function at ob=,
   and binds fn= to the file and object before it.  fl= is repeated after a
   fi=, because readers disagree on the file of a fn= there.  */
char *cgwi_put_function (char *p, struct cgwi_encoder *e,
                         const struct cgwi_place *at);

/* Write the specs that a cost line at this place needs.  fi= and fe= mean the
   same to all readers; fe= is for coming back to the function's own file.  */
static inline char *
cgwi_put_place (char *p, struct cgwi_encoder *e, const struct cgwi_place *at)
{
  struct cgwi_remembered *last = &e->last;

  if (at->fn != last->fn)
    p = cgwi_put_function (p, e, at);
  if (at->source != last->source)
    {
      p = cgwi_put_spec (p, e,
                         at->source == last->file ? "fe=" : "fi=", CGWI_FILES,
                         at->source);
      last->source = at->source;
      last->inlined = true;
    }
  return p;
}

/* ob=, fl=, fn=, fi= */
#define CGWI_PLACE_MAX (4 * CGWI_SPEC_MAX)

/* Write the subpositions, with a blank between two.  */
char *cgwi_put_slow_subpositions (char *p, const struct cgwi_encoder *e,
                                  const struct cgwi_place *at);

static inline __attribute__ ((always_inline)) char *
cgwi_put_subpositions (char *p, const struct cgwi_encoder *e,
                       const struct cgwi_place *at)
{
  char *end = e->last.absolute
                  ? NULL
                  : cgwi_put_fast_subpositions (p, e, at->line, at->instr);

  return end != NULL ? end : cgwi_put_slow_subpositions (p, e, at);
}

enum
{
  CGWI_SUBPOSITIONS_MAX = 2 * CGWI_SUBPOSITION_MAX + 1
};

/* Write the subpositions of a cost line of any kind.  They become the base of
   the next ones.  */
static inline char *
cgwi_put_source (char *p, struct cgwi_encoder *e, const struct cgwi_place *at)
{
  p = cgwi_put_subpositions (p, e, at);
  e->last.line = at->line;
  e->last.instr = at->instr;
  e->last.absolute = (e->flags & CGW_ABSOLUTE) != 0;
  e->fast = e->most_fast;
  e->handles = at->handles;
  return p;
}

/* Write " cost" for each event, at least one, and the newline.  Trailing zeros
   are left out unless the flags keep them.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_costs (char *p, const struct cgwi_encoder *e, const uint64_t *cost,
                size_t n)
{
  char *end; /* behind the last cost that must stay */

  p = end = cgwi_put_cost (p, n > 0 ? cost[0] : 0);
  for (size_t i = 1; i < n; i++)
    {
      p = cgwi_put_cost (p, cost[i]);
      end = cost[i] != 0 ? p : end;
    }
  if (e->flags & CGW_KEEP_ZEROS)
    {
      for (size_t i = n > 1 ? n : 1; i < e->n_events; i++)
        {
          *p++ = ' ';
          *p++ = '0';
        }
      end = p;
    }
  *end++ = '\n';
  return end;
}

static inline size_t
cgwi_costs_max (size_t n_events)
{
  return (1 + CGWI_NUMBER_MAX) * (n_events > 0 ? n_events : 1) + 1;
}

/* Write a cost line with n costs, at most as many as the part has events.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_cost_line (char *p, struct cgwi_encoder *e,
                    const struct cgwi_place *at, const uint64_t *cost,
                    size_t n)
{
  p = cgwi_put_place (p, e, at);
  p = cgwi_put_source (p, e, at);
  return cgwi_put_costs (p, e, cost, n);
}

static inline size_t
cgwi_cost_line_max (size_t n_events)
{
  return CGWI_PLACE_MAX + CGWI_SUBPOSITIONS_MAX + cgwi_costs_max (n_events);
}

/* Write cob=, cfi=, cfn= for each call, because readers forget cob= and cfi=
   after it.  Without cfi= they take the active file, and they disagree on
   which that is after a fi=.  */
static inline char *
cgwi_put_callee (char *p, struct cgwi_encoder *e, const struct cgwi_place *to)
{
  const struct cgwi_name *fn = to->name;

  if (cgwi_needs_object (e, fn->object))
    p = cgwi_put_spec (p, e, "cob=", CGWI_OBJECTS, fn->object);
  if (fn->file != e->last.file || e->last.source != e->last.file)
    p = cgwi_put_spec (p, e, "cfi=", CGWI_FILES, fn->file);
  return cgwi_put_spec (p, e, "cfn=", CGWI_FNS, to->fn);
}

/* Write calls=N target, and its cost line directly below: a blank line or a
   comment between them breaks gprof2dot and speedscope.  */
static inline char *
cgwi_put_call (char *p, struct cgwi_encoder *e, const struct cgwi_place *from,
               const struct cgwi_place *to, uint64_t count,
               const uint64_t *cost, size_t n)
{
  p = cgwi_put_place (p, e, from);
  p = cgwi_put_callee (p, e, to);
  memcpy (p, "calls=", 6);
  p = cgwi_put_decimal (p + 6, count);
  *p++ = ' ';
  p = cgwi_put_subpositions (p, e, to);
  *p++ = '\n';
  p = cgwi_put_source (p, e, from);
  return cgwi_put_costs (p, e, cost, n);
}

static inline size_t
cgwi_call_max (size_t n_events)
{
  return CGWI_PLACE_MAX + 3 * CGWI_SPEC_MAX + sizeof "calls= \n" - 1
         + CGWI_NUMBER_MAX + 2 * CGWI_SUBPOSITIONS_MAX
         + cgwi_costs_max (n_events);
}

/* Write jfi= or jfn=.  speedscope and Qt Creator skip these lines, and would
   not know an id that one of them defines: so until another line has defined
   the name, it is written in full.  Only a name that reads as an id gets its
   id, which that other line then defines again.  */
char *cgwi_put_target_spec (char *p, struct cgwi_encoder *e,
                            const char spec[static 4],
                            enum cgwi_kind_of_name kind, uint32_t index);

/* Write jump=EXECUTED target, or if followed is not NULL
   jcnd=FOLLOWED/EXECUTED target, and the source position without costs.  The
   format's grammar has a different jcnd= and no source position; this is what
   callgrind writes and KCachegrind reads.  jfn= binds its function to the jfi=
   before it, so that must be the function's own file, not that of inlined
   code.  Qt Creator drops lines of less than three bytes: it does not take such
   a source position for a base, so the next line is absolute.  */
static inline char *
cgwi_put_jump (char *p, struct cgwi_encoder *e, const struct cgwi_place *from,
               const struct cgwi_place *to, const uint64_t *followed,
               uint64_t executed)
{
  uint32_t target_file;
  const char *source;

  p = cgwi_put_place (p, e, from);
  target_file = to->fn == e->last.fn ? to->source : to->name->file;
  if (target_file != e->last.source)
    p = cgwi_put_target_spec (p, e, "jfi=", CGWI_FILES, target_file);
  if (to->fn != e->last.fn)
    p = cgwi_put_target_spec (p, e, "jfn=", CGWI_FNS, to->fn);
  memcpy (p, followed != NULL ? "jcnd=" : "jump=", 5);
  p += 5;
  if (followed != NULL)
    {
      p = cgwi_put_decimal (p, *followed);
      *p++ = '/';
    }
  p = cgwi_put_decimal (p, executed);
  *p++ = ' ';
  p = cgwi_put_subpositions (p, e, to);
  *p++ = '\n';
  source = p;
  p = cgwi_put_source (p, e, from);
  if (p - source < 3)
    {
      e->last.absolute = true;
      e->fast = 0;
    }
  *p++ = '\n';
  return p;
}

static inline size_t
cgwi_jump_max (void)
{
  return CGWI_PLACE_MAX + 2 * CGWI_SPEC_MAX + sizeof "jcnd=/ \n\n" - 1
         + 2 * CGWI_NUMBER_MAX + 2 * CGWI_SUBPOSITIONS_MAX;
}

/* Upper bound of the length of any record, in any state of the encoder,
   without slack.  Calls are the longest: they have the most specs, and costs.
 */
static inline size_t
cgwi_record_max (size_t n_events)
{
  size_t call = cgwi_call_max (n_events);
  size_t jump = cgwi_jump_max ();

  return call > jump ? call : jump;
}

#endif
