/* sums.c - keeps the sums of a thread's calls, and reads them.

   A profile tells its sums only as a file: so the writer writes one into
   memory, and what it says of addresses is read from there.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

#include <stdlib.h>
#include <string.h>

ssize_t
calls_keep_text (void *calls, const void *bytes, size_t n)
{
  struct calls *c = calls;

  if (c->room - c->n_written < n)
    {
      size_t room = c->room + c->room / 2 + n;
      char *written = arena_resize (&c->arena, c->written, room);

      if (!written)
        return -1;
      c->written = written;
      c->room = room;
    }
  memcpy (c->written + c->n_written, bytes, n);
  c->n_written += n;
  return (ssize_t) n;
}

/* Puts what was written behind the text, with a NUL behind it.  */
static bool
keep_written (struct calls *c)
{
  char *text = memory_keep (c->n_text + c->n_written + 1);

  if (!text)
    return false;
  if (c->n_text != 0)
    memcpy (text, c->text, c->n_text);
  memcpy (text + c->n_text, c->written, c->n_written);
  c->text = text;
  c->n_text += c->n_written;
  return true;
}

void
calls_write_text (struct calls *c)
{
  static const struct cgw_event events[EVENTS]
      = { { "Time", NULL, NULL }, { "Calls", NULL, NULL } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = EVENTS;
  part.positions = CGW_INSTR;
  /* Memory is all that can be missing.  */
  if (cgw_profile_write (c->profile, &part) != CGW_OK
      || cgw_finish (c->writer) != CGW_OK || !keep_written (c))
    c->status = CGW_ENOMEM;
}

/* What the lines so far have said.  */
struct reader
{
  uintptr_t fn;
  uintptr_t called;
  uint64_t count;  /* of the calls whose costs the next line has; or 0 */
  bool in_body;
};

static bool
begins_with (const char *line, const char *word, const char **rest)
{
  size_t n = strlen (word);

  *rest = line + n;
  return strncmp (line, word, n) == 0;
}

static uintptr_t
address_in (const char *text)
{
  return (uintptr_t) strtoull (text, NULL, 16);
}

/* A line of costs: an address, and numbers, of which the last may be missing
   when they are 0.  */
static struct sum
read_costs (struct reader *r, const char *line)
{
  struct sum sum = { .fn = r->fn };
  char *end;

  sum.from = (uintptr_t) strtoull (line, &end, 16);
  if (r->count != 0)
    {
      sum.caller = r->fn;
      sum.fn = r->called;
      sum.count = r->count;
    }
  r->count = 0;
  for (int i = 0; i < EVENTS; i++)
    sum.costs[i] = strtoull (end, &end, 10);
  return sum;
}

/* Whether a line completes a sum.  */
static bool
read_line (struct reader *r, const char *line, struct sum *sum)
{
  const char *rest;

  if (begins_with (line, "events: ", &rest))
    r->in_body = false;
  else if (begins_with (line, "fn=", &rest))
    {
      r->fn = address_in (rest);
      r->in_body = true;
    }
  else if (begins_with (line, "cfn=", &rest))
    r->called = address_in (rest);
  else if (begins_with (line, "calls=", &rest))
    r->count = strtoull (rest, NULL, 10);
  else if (r->in_body && *line == '0')
    {
      *sum = read_costs (r, line);
      return true;
    }
  return false;
}

enum cgw_status
calls_read (struct calls *c, bool (*take) (void *, const struct sum *),
            void *context)
{
  struct reader r = { 0 };
  struct sum sum;
  char *rest;

  for (char *line = c->text ? strtok_r (c->text, "\n", &rest) : NULL; line;
       line = strtok_r (NULL, "\n", &rest))
    if (read_line (&r, line, &sum) && !take (context, &sum))
      break;
  return c->status;
}
