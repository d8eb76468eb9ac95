/* lines.c - what lines.h does not encode inline.

   SPDX-License-Identifier: MIT  */

#include "lines.h"

char *
cgwi_put_function (char *p, struct cgwi_encoder *e,
                   const struct cgwi_place *at)
{
  const struct cgwi_name *fn = at->name;
  struct cgwi_remembered *last = &e->last;

  if (cgwi_needs_object (e, fn->object))
    p = cgwi_put_spec (p, e, "ob=", CGWI_OBJECTS, fn->object);
  if (fn->file != last->file || last->inlined)
    p = cgwi_put_spec (p, e, "fl=", CGWI_FILES, fn->file);
  p = cgwi_put_spec (p, e, "fn=", CGWI_FNS, at->fn);
  last->object = fn->object;
  last->file = last->source = fn->file;
  last->fn = at->fn;
  last->name = fn;
  last->inlined = false;
  last->absolute = true;
  return p;
}

char *
cgwi_put_target_spec (char *p, struct cgwi_encoder *e,
                      const char spec[static 4], enum cgwi_kind_of_name kind,
                      uint32_t index)
{
  const uint32_t no_part = 0;

  if (cgwi_is_defined (e, kind, index))
    return cgwi_put_spec (p, e, spec, kind, index);
  memcpy (p, spec, 4);
  p = cgwi_put_new_name (p + 4, e, kind, index, no_part, true);
  *p++ = '\n';
  return p;
}

char *
cgwi_put_slow_subpositions (char *p, const struct cgwi_encoder *e,
                            const struct cgwi_place *at)
{
  bool absolute = e->last.absolute;

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
