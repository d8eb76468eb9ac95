/* lines.c - the lines of a part's body: position specs (ob fl fi fe fn, cob
   cfi cfn, jfi jfn), cost lines, calls, and jumps.

   usual.h encodes the most frequent kind of cost line.  To add a line kind:
   write its encoder here, with its bound beside it, and a function in
   core/record.c that commits it.

   SPDX-License-Identifier: MIT  */

#include "lines.h"

/* Bytes of the longest position spec with a name of n bytes.  */
static size_t
spec_max (size_t n)
{
  return sizeof "cfn=(2147483647) \n" - 1 + n;
}

/* Write a position spec: "cfn=" or another of at most four bytes, and a name.
   Inlined because each caller's spec is a constant: saves 4 % of the time.  */
static inline __attribute__ ((always_inline)) char *
put_spec (char *p, const struct cgwi_encoder *e, const char spec[static 4],
          struct cgwi_names *t, uint32_t index)
{
  memcpy (p, spec, 4);
  p = cgwi_put_name (p + (spec[3] != '\0' ? 4 : 3), t, index, e->part,
                     e->flags & CGW_PLAIN_NAMES);
  *p++ = '\n';
  return p;
}

/* Write ob=, fl=, fn=, in this order: KCachegrind forgets the function at ob=,
   and binds fn= to the file and object before it.  fl= comes again after a
   fi=, because readers disagree on the file of a fn= there.  */
static char *
put_function (char *p, struct cgwi_encoder *e, uint32_t index)
{
  const struct cgwi_name *fn = &e->fns.entries[index];
  struct cgwi_remembered *last = &e->last;

  if (fn->object != last->object)
    p = put_spec (p, e, "ob=", &e->objects, fn->object);
  if (fn->file != last->file || last->inlined)
    p = put_spec (p, e, "fl=", &e->files, fn->file);
  p = put_spec (p, e, "fn=", &e->fns, index);
  last->object = fn->object;
  last->file = last->source = fn->file;
  last->fn = index;
  last->inlined = false;
  last->absolute = true;
  return p;
}

/* Write the specs that a cost line at this place needs.  fi= and fe= mean the
   same to all readers; fe= is for coming back to the function's own file.  */
static inline char *
put_place (char *p, struct cgwi_encoder *e, const struct cgwi_place *at)
{
  struct cgwi_remembered *last = &e->last;

  if (at->fn != last->fn)
    p = put_function (p, e, at->fn);
  if (at->source != last->source)
    {
      p = put_spec (p, e, at->source == last->file ? "fe=" : "fi=", &e->files,
                    at->source);
      last->source = at->source;
      last->inlined = true;
    }
  return p;
}

static size_t
place_max (const struct cgwi_lengths *l)
{
  return spec_max (l->object) + 2 * spec_max (l->file) + spec_max (l->fn);
}

/* Write the subpositions, with a blank between two.  Those of the first line
   after fn= are absolute, because Qt Creator resets its base there.  */
static inline char *
put_subpositions (char *p, const struct cgwi_encoder *e,
                  const struct cgwi_place *at)
{
  bool absolute = e->last.absolute || (e->flags & CGW_ABSOLUTE) != 0;

  if (e->positions & CGW_INSTR)
    {
      p = cgwi_put_instr (p, at->instr, e->last.instr, absolute);
      if (e->positions & CGW_LINE)
        *p++ = ' ';
    }
  if (e->positions & CGW_LINE)
    p = cgwi_put_line (p, at->line, e->last.line, absolute);
  return p;
}

enum { SUBPOSITIONS_MAX = 2 * CGWI_SUBPOSITION_MAX + 1 };

/* Write the subpositions of a cost line of any kind.  They become the base of
   the next ones.  */
static inline char *
put_source (char *p, struct cgwi_encoder *e, const struct cgwi_place *at)
{
  p = put_subpositions (p, e, at);
  e->last.line = at->line;
  e->last.instr = at->instr;
  e->last.absolute = false;
  e->usual
      = e->flags & (CGW_ABSOLUTE | CGW_KEEP_ZEROS) ? 0 : e->n_events;
  e->handles = at->handles;
  return p;
}

/* Write " cost" for each event, at least one, and the newline.  Trailing zeros
   are left out unless the flags keep them.  */
static inline __attribute__ ((always_inline)) char *
put_costs (char *p, const struct cgwi_encoder *e, const uint64_t *cost,
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

static size_t
costs_max (const struct cgwi_lengths *l)
{
  return (1 + CGWI_NUMBER_MAX) * (l->n_events > 0 ? l->n_events : 1) + 1;
}

char *
cgwi_put_cost_line (char *p, struct cgwi_encoder *e,
                    const struct cgwi_place *at, const uint64_t *cost,
                    size_t n)
{
  p = put_place (p, e, at);
  p = put_source (p, e, at);
  return put_costs (p, e, cost, n);
}

size_t
cgwi_cost_line_max (const struct cgwi_lengths *l)
{
  return place_max (l) + SUBPOSITIONS_MAX + costs_max (l);
}

/* Write cob=, cfi=, cfn= for each call, because readers forget cob= and cfi=
   after it.  Without cfi= they take the active file, and they disagree on
   which that is after a fi=.  */
static char *
put_callee (char *p, struct cgwi_encoder *e, uint32_t index)
{
  const struct cgwi_name *fn = &e->fns.entries[index];

  if (fn->object != e->last.object)
    p = put_spec (p, e, "cob=", &e->objects, fn->object);
  if (fn->file != e->last.file || e->last.source != e->last.file)
    p = put_spec (p, e, "cfi=", &e->files, fn->file);
  return put_spec (p, e, "cfn=", &e->fns, index);
}

/* Write calls=N target, and its cost line directly below: a blank line or a
   comment between them breaks gprof2dot and speedscope.  */
char *
cgwi_put_call (char *p, struct cgwi_encoder *e, const struct cgwi_place *from,
               const struct cgwi_place *to, uint64_t count,
               const uint64_t *cost, size_t n)
{
  p = put_place (p, e, from);
  p = put_callee (p, e, to->fn);
  memcpy (p, "calls=", 6);
  p = cgwi_put_decimal (p + 6, count);
  *p++ = ' ';
  p = put_subpositions (p, e, to);
  *p++ = '\n';
  p = put_source (p, e, from);
  return put_costs (p, e, cost, n);
}

size_t
cgwi_call_max (const struct cgwi_lengths *l)
{
  return place_max (l) + spec_max (l->object) + spec_max (l->file)
         + spec_max (l->fn) + sizeof "calls= \n" - 1 + CGWI_NUMBER_MAX
         + 2 * SUBPOSITIONS_MAX + costs_max (l);
}

/* Write jump=EXECUTED target or jcnd=FOLLOWED/EXECUTED target, and the source
   position without costs.  The format's grammar has a different jcnd= and no
   source position; this is what callgrind writes and KCachegrind reads.  jfn=
   binds its function to the jfi= before it, so that must be the function's own
   file, not that of inlined code.  */
char *
cgwi_put_jump (char *p, struct cgwi_encoder *e, const struct cgwi_place *from,
               const struct cgwi_place *to, const uint64_t *followed,
               uint64_t executed)
{
  uint32_t target_file;

  p = put_place (p, e, from);
  target_file
      = to->fn == e->last.fn ? to->source : e->fns.entries[to->fn].file;
  if (target_file != e->last.source)
    p = put_spec (p, e, "jfi=", &e->files, target_file);
  if (to->fn != e->last.fn)
    p = put_spec (p, e, "jfn=", &e->fns, to->fn);
  memcpy (p, followed != NULL ? "jcnd=" : "jump=", 5);
  p += 5;
  if (followed != NULL)
    {
      p = cgwi_put_decimal (p, *followed);
      *p++ = '/';
    }
  p = cgwi_put_decimal (p, executed);
  *p++ = ' ';
  p = put_subpositions (p, e, to);
  *p++ = '\n';
  p = put_source (p, e, from);
  *p++ = '\n';
  return p;
}

size_t
cgwi_jump_max (const struct cgwi_lengths *l)
{
  return place_max (l) + spec_max (l->file) + spec_max (l->fn)
         + sizeof "jcnd=/ \n\n" - 1 + 2 * CGWI_NUMBER_MAX
         + 2 * SUBPOSITIONS_MAX;
}
