/* header.c - the lines around a part's cost lines: the file's first lines, the
   part's header, comments, and totals.

   SPDX-License-Identifier: MIT  */

#include "header.h"

#include "../text/escape.h"
#include "../text/number.h"
#include "events.h"

#include <string.h>

static char *
put_number_line (char *p, const char *key, uint64_t n)
{
  if (n == 0)
    return p;
  p = cgwi_put_decimal (cgwi_put_text (p, key), n);
  *p++ = '\n';
  return p;
}

static size_t
number_line_max (void)
{
  return sizeof "thread: \n" + CGWI_NUMBER_MAX;
}

/* Write a key, a blank and the value; no blank if the value is empty.  */
static char *
put_value_line (char *p, const char *key, const char *text,
                char *(*put) (char *, const char *))
{
  char *value;

  p = cgwi_put_text (p, key);
  value = put (p + 1, text);
  if (value > p + 1)
    {
      *p = ' ';
      p = value;
    }
  *p++ = '\n';
  return p;
}

/* In 64 bits, as all that is added to it: many texts may share their memory.  */
static uint64_t
escaped_max (const char *text)
{
  return (uint64_t) strlen (text) * CGWI_ESCAPED_BYTE;
}

static uint64_t
value_line_max (const char *key, const char *text)
{
  return strlen (key) + sizeof " \n" + escaped_max (text);
}

/* Write the lines that describe the part.  Every part but the file's first
   begins with pid:, part: or thread:, because KCachegrind starts a new part
   there, and assigns a cmd: or desc: above it to the previous part.  */
static char *
put_details (char *p, const struct cgwi_encoder *e,
             const struct cgw_part *part)
{
  uint64_t number = part->number;

  if (e->part != 1 && part->pid == 0 && part->number == 0
      && part->thread == 0)
    number = e->part;
  p = put_number_line (p, "pid: ", part->pid);
  p = put_number_line (p, "part: ", number);
  p = put_number_line (p, "thread: ", part->thread);
  if (part->cmd != NULL)
    p = put_value_line (p, "cmd:", part->cmd, cgwi_put_command);
  for (size_t i = 0; i < part->n_desc; i++)
    p = put_value_line (p, "desc:", part->desc[i], cgwi_put_value);
  return p;
}

static uint64_t
details_max (const struct cgw_part *part)
{
  uint64_t n = 3 * number_line_max ();

  if (part->cmd != NULL)
    n += value_line_max ("cmd:", part->cmd);
  for (size_t i = 0; i < part->n_desc; i++)
    n += value_line_max ("desc:", part->desc[i]);
  return n;
}

char *
cgwi_put_event_names (char *p, const struct cgw_part *part)
{
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL)
      {
        *p++ = ' ';
        p = cgwi_put_text (p, part->events[i].name);
      }
  return p;
}

char *
cgwi_put_all_events (char *p, const struct cgw_part *part)
{
  for (size_t i = 0; i < part->n_events; i++)
    {
      *p++ = ' ';
      p = cgwi_put_text (p, part->events[i].name);
      if (part->events[i].formula != NULL)
        p = cgwi_put_formula (p, part->events[i].formula);
    }
  return p;
}

uint64_t
cgwi_all_events_max (const struct cgw_part *part)
{
  uint64_t n = 1;

  for (size_t i = 0; i < part->n_events; i++)
    {
      n += 1 + strlen (part->events[i].name);
      if (part->events[i].formula != NULL)
        n += cgwi_formula_max (part->events[i].formula);
    }
  return n;
}

/* Write an event: line, but only for a long name or a formula, because Qt
   Creator stops reading the header there.  */
static char *
put_event_line (char *p, const struct cgw_event *e)
{
  bool has_long_name = cgwi_has_long_name (e);

  if (!has_long_name && e->formula == NULL)
    return p;
  p = cgwi_put_text (cgwi_put_text (p, "event: "), e->name);
  if (e->formula != NULL)
    p = cgwi_put_formula (p, e->formula);
  if (has_long_name)
    return put_value_line (p, " :", e->long_name, cgwi_put_value);
  *p++ = '\n';
  return p;
}

static uint64_t
event_lines_max (const struct cgw_part *part)
{
  uint64_t n = cgwi_all_events_max (part);

  for (size_t i = 0; i < part->n_events; i++)
    {
      n += sizeof "event: \n";
      if (part->events[i].long_name != NULL)
        n += value_line_max (" :", part->events[i].long_name);
    }
  return n;
}

char *
cgwi_put_sums (char *p, const char *key, const uint64_t *a, const uint64_t *b,
               size_t n, size_t n_events)
{
  p = cgwi_put_text (p, key);
  for (size_t i = 0; i < n_events; i++)
    {
      *p++ = ' ';
      p = cgwi_put_decimal (p, i < n ? a[i] + (b != NULL ? b[i] : 0) : 0);
    }
  *p++ = '\n';
  return p;
}

size_t
cgwi_sums_max (size_t n_events)
{
  return sizeof "summary:\n" + n_events * (1 + CGWI_NUMBER_MAX);
}

/* gprof2dot needs the first lines without blank lines between them;
   callgrind_annotate and KCachegrind need events: as the last line, but for
   summary:.  */
char *
cgwi_put_header (char *p, const struct cgwi_encoder *e, const char *creator,
                 const struct cgw_part *part)
{
  static const char *const positions[]
      = { "", "positions: line\n", "positions: instr\n",
          "positions: instr line\n" };

  if (e->part == 1)
    {
      p = cgwi_put_text (p, "# callgrind format\nversion: 1\n");
      p = put_value_line (p, "creator:", creator, cgwi_put_value);
    }
  p = put_details (p, e, part);
  p = cgwi_put_text (p, positions[e->positions]);
  for (size_t i = 0; i < part->n_events; i++)
    p = put_event_line (p, &part->events[i]);
  p = cgwi_put_event_names (cgwi_put_text (p, "events:"), part);
  p = cgwi_put_text (p, "\n");
  /* Qt Creator takes percentages from summary: alone, and callgrind_annotate
     prefers it to totals:, which is always the sum of the part itself.  */
  if (part->n_summary > 0)
    p = cgwi_put_sums (p, "summary:", part->summary, NULL, part->n_summary,
                       e->n_events);
  return p;
}

uint64_t
cgwi_header_max (const char *creator, const struct cgw_part *part)
{
  return sizeof "# callgrind format\nversion: 1\n"
         + value_line_max ("creator:", creator) + details_max (part)
         + sizeof "positions: instr line\n" + event_lines_max (part)
         + sizeof "events:\n" + cgwi_all_events_max (part)
         + cgwi_sums_max (CGW_EVENTS_MAX) + CGWI_NUMBER_SLACK;
}

#define REPORT "# cgw: lost "
#define REPORT_LENGTH (sizeof REPORT - 1)

char *
cgwi_put_comment (char *p, const char *text)
{
  char *end;

  memcpy (p, "# ", 2);
  end = cgwi_put_value (p + 2, text);
  if (end == p + 2) /* empty: no blank at the line's end */
    end--;
  else if ((size_t) (end - p) >= REPORT_LENGTH
           && memcmp (p, REPORT, REPORT_LENGTH) == 0)
    {
      /* Escape its first letter.  */
      memmove (p + 6, p + 3, (size_t) (end - (p + 3)));
      memcpy (p + 2, "\\x63", 4);
      end += 3;
    }
  *end++ = '\n';
  return end;
}

uint64_t
cgwi_comment_max (const char *text)
{
  return sizeof "# \n" + escaped_max (text);
}

char *
cgwi_put_lost_comment (char *p, uint64_t n)
{
  const char *what = n == 1 ? " record\n" : " records\n";

  memcpy (p, REPORT, REPORT_LENGTH);
  p = cgwi_put_decimal (p + REPORT_LENGTH, n);
  memcpy (p, what, strlen (what));
  return p + strlen (what);
}

size_t
cgwi_lost_comment_max (void)
{
  return sizeof REPORT " records\n" + CGWI_NUMBER_MAX;
}
