/* text.h - which position specs a record needs: what the contenders share that
   write the format by themselves.  How a spec is written is their business.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEXT_H
#define TEXT_H 1

#include "workload.h"

#define NO_NAME UINT32_MAX

/* What readers remember of the lines so far.  */
struct text
{
  const struct workload *w;
  uint32_t object; /* of the last ob=, and so on; or NO_NAME */
  uint32_t file;   /* fl= */
  uint32_t source; /* fl=, fi= or fe= */
  uint32_t fn;
  bool absolute; /* no cost line came since fn= */
  uint32_t line; /* of the last cost line */
  uint64_t instr;
};

enum text_kind
{
  TEXT_OBJECT,
  TEXT_FILE,
  TEXT_FN
};

/* Writes "SPEC=name" and a newline.  index is that of a name, or of a
   function.  */
typedef void put_spec_function (void *context, const char *spec,
                                enum text_kind kind, uint32_t index);

static inline void
text_start (struct text *t, const struct workload *w)
{
  *t = (struct text){ w, NO_NAME, NO_NAME, NO_NAME, NO_NAME, true, 0, 0 };
}

/* Those before a cost line, or before a call.  */
static inline void
text_place (struct text *t, const struct cgw_pos *pos,
            put_spec_function *put_spec, void *context)
{
  uint32_t fn = pos->fn.handle;
  uint32_t source = pos->file.handle;

  if (fn != t->fn)
    {
      const struct bench_fn *f = &t->w->fns[fn];
      if (f->object != t->object)
        put_spec (context, "ob", TEXT_OBJECT, f->object);
      if (f->file != t->file || t->source != t->file)
        put_spec (context, "fl", TEXT_FILE, f->file);
      put_spec (context, "fn", TEXT_FN, fn);
      t->object = f->object;
      t->file = t->source = f->file;
      t->fn = fn;
      t->absolute = true;
    }
  if (source != t->source)
    {
      put_spec (context, source == t->file ? "fe" : "fi", TEXT_FILE, source);
      t->source = source;
    }
}

/* Those of a call's target.  */
static inline void
text_callee (const struct text *t, uint32_t fn, put_spec_function *put_spec,
             void *context)
{
  const struct bench_fn *f = &t->w->fns[fn];

  if (f->object != t->object)
    put_spec (context, "cob", TEXT_OBJECT, f->object);
  if (f->file != t->file || t->source != t->file)
    put_spec (context, "cfi", TEXT_FILE, f->file);
  put_spec (context, "cfn", TEXT_FN, fn);
}

/* The next relative subpositions count from here.  */
static inline void
text_moved (struct text *t, const struct cgw_pos *pos)
{
  t->line = pos->line;
  t->instr = pos->instr;
  t->absolute = false;
}

/* The name of an object, file or function.  */
static inline const char *
text_name (const struct workload *w, enum text_kind kind, uint32_t index)
{
  return w->names[kind == TEXT_FN ? w->fns[index].name : index];
}

/* Name compression: ids are indices and 1, and these have been defined.  */
struct defined
{
  bool *names[TEXT_FN + 1];
};

void defined_open (struct defined *d, const struct workload *w);
void defined_close (struct defined *d);
/* Nothing is defined.  */
void defined_restart (struct defined *d, const struct workload *w);

/* Relative subpositions are for distances below this.  */
#define TEXT_NEAR 65536

/* A subposition against that of the last cost line: "*", a distance with its
   sign, or nothing when the two are far apart.  */
static inline bool
text_is_near (uint64_t value, uint64_t base)
{
  return value - base + TEXT_NEAR < 2 * TEXT_NEAR;
}

#endif /* TEXT_H */
