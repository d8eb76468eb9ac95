/* cachegrind.c - the lines of a file with CGW_CACHEGRIND.

   SPDX-License-Identifier: MIT  */

#include "cachegrind.h"

#include "../text/escape.h"
#include "header.h"

#define TEXT_MAX CGWI_CACHEGRIND_TEXT_MAX

/* What a desc: line takes at least: its key, and a text that was cut.  */
#define DESC_MIN (sizeof "desc: ...\n" - 1)

/* Write a string literal.  Not by strlen: cost lines are for handlers.  */
#define PUT(p, text)                                                          \
  ((char *) memcpy (p, text, sizeof (text) - 1) + (sizeof (text) - 1))

/* Write a desc: line of at most max bytes.  */
static char *
put_desc (char *p, const char *text, size_t max)
{
  p = PUT (p, "desc: ");
  p = cgwi_put_short_value (p, text, max - (sizeof "desc: \n" - 1));
  *p++ = '\n';
  return p;
}

/* Write the part's desc: lines, as many as there is room for, and at least
   one.  */
static char *
put_descs (char *p, const char *creator, const struct cgw_part *part)
{
  const char *end = p + TEXT_MAX;

  if (part->n_desc == 0)
    {
      p = PUT (p, "desc: Creator: ");
      p = cgwi_put_short_value (p, creator,
                                (size_t) (end - p) - (sizeof "\n" - 1));
      *p++ = '\n';
    }
  for (size_t i = 0;
       i < part->n_desc && (size_t) (end - p) >= DESC_MIN; i++)
    p = put_desc (p, part->desc[i], (size_t) (end - p));
  return p;
}

char *
cgwi_put_cachegrind_header (char *p, const char *creator,
                            const struct cgw_part *part)
{
  p = put_descs (p, creator, part);
  p = PUT (p, "cmd: ");
  if (part->cmd != NULL)
    p = cgwi_put_short_command (p, part->cmd, TEXT_MAX);
  p = cgwi_put_event_names (PUT (p, "\nevents:"), part);
  *p++ = '\n';
  return p;
}

uint64_t
cgwi_cachegrind_header_max (const struct cgw_part *part)
{
  return TEXT_MAX + sizeof "cmd: " - 1 + TEXT_MAX + sizeof "\nevents:\n" - 1
         + cgwi_all_events_max (part);
}

/* Write fl= and fn= where they are not as for the line before.  */
static char *
put_place (char *p, struct cgwi_encoder *e, const struct cgwi_place *at)
{
  struct cgwi_remembered *last = &e->last;

  if (at->source == last->source && at->fn == last->fn)
    return p;
  if (at->source != last->source)
    {
      p = cgwi_put_name_text (PUT (p, "fl="), e, CGWI_FILES, at->source);
      *p++ = '\n';
    }
  p = cgwi_put_name_text (PUT (p, "fn="), e, CGWI_FNS, at->fn);
  *p++ = '\n';
  last->source = at->source;
  last->fn = at->fn;
  return p;
}

char *
cgwi_put_cachegrind_line (char *p, struct cgwi_encoder *e,
                          const struct cgwi_place *at, const uint64_t *cost,
                          size_t n)
{
  p = put_place (p, e, at);
  p = cgwi_put_decimal (p, e->positions & CGW_LINE ? at->line : 0);
  return cgwi_put_costs (p, e, cost, n);
}
