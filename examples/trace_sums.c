/* trace_sums.c - reads the sums of a thread's calls.

   A profile tells its sums only as a file: so the writer writes one into
   memory, and what it says of addresses is read from there.

   SPDX-License-Identifier: MIT  */

#include "trace_calls.h"

#include <stdlib.h>
#include <string.h>

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

  if (begins_with (line, "fn=", &rest))
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

static enum cgw_status
write_text (struct calls *c)
{
  static const struct cgw_event events[EVENTS]
      = { { "Time", NULL, NULL }, { "Calls", NULL, NULL } };
  struct cgw_part part = CGW_PART_INIT;
  enum cgw_status status;

  part.events = events;
  part.n_events = EVENTS;
  part.positions = CGW_INSTR;
  status = cgw_profile_write (c->profile, &part);
  return status == CGW_OK ? cgw_finish (c->writer) : status;
}

static void
read_text (char *text, bool (*take) (void *, const struct sum *),
           void *context)
{
  struct reader r = { 0 };
  struct sum sum;
  char *rest;

  for (char *line = strtok_r (text, "\n", &rest); line;
       line = strtok_r (NULL, "\n", &rest))
    if (read_line (&r, line, &sum) && !take (context, &sum))
      break;
}

enum cgw_status
calls_read (struct calls *c, bool (*take) (void *, const struct sum *),
            void *context)
{
  enum cgw_status status;
  char *text = NULL;
  size_t size;

  c->text = open_memstream (&text, &size);
  if (!c->text)
    return CGW_ENOMEM;
  status = write_text (c);
  if (fclose (c->text) != 0 && status == CGW_OK)
    status = CGW_ENOMEM;
  if (status == CGW_OK)
    read_text (text, take, context);
  free (text);
  return status;
}
