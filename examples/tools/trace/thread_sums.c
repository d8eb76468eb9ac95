/* thread_sums.c - keeps the sums of a thread's calls, and reads them.

   A profile tells its sums only as a file: so a writer writes one into memory,
   and what it says of addresses is read from there.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "thread_sums.h"

#include <stdlib.h>
#include <string.h>

/* What a writer has written, in the arena.  */
struct written
{
  struct arena *arena;
  char *bytes;
  size_t n;
  size_t room;
};

/* The write hook.  */
static ssize_t
take_bytes (void *written, const void *bytes, size_t n)
{
  struct written *w = written;

  if (w->room - w->n < n)
    {
      size_t room = w->room + w->room / 2 + n;
      char *larger = arena_resize (w->arena, w->bytes, room);

      if (!larger)
        return -1;
      w->bytes = larger;
      w->room = room;
    }
  memcpy (w->bytes + w->n, bytes, n);
  w->n += n;
  return (ssize_t) n;
}

static bool
write_profile (struct cgw_profile *p, struct cgw_names *names,
               struct written *written)
{
  static const struct cgw_event events[EVENTS]
      = { { "Time", NULL, NULL }, { "Calls", NULL, NULL } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  bool ok;

  part.events = events;
  part.n_events = EVENTS;
  part.positions = CGW_INSTR;
  options.flags = CGW_PLAIN_NAMES | CGW_ABSOLUTE;
  options.write = take_bytes;
  options.write_context = written;
  options.queue_slots = 1;
  cgw_open_fd (&w, names, -1, &options);
  cgw_profile_write (p, w, &part);
  ok = cgw_finish (w) == CGW_OK;
  cgw_free (w);
  return ok;
}

/* Puts what was written behind the text, with a NUL behind it.  */
static void
join (char *to, const struct sums *s, const struct written *written)
{
  if (s->n != 0)
    memcpy (to, s->text, s->n);
  if (written->n != 0)
    memcpy (to + s->n, written->bytes, written->n);
  to[s->n + written->n] = '\0';
}

void
sums_add (struct sums *s, struct cgw_profile *p, struct cgw_names *names,
          struct arena *arena)
{
  struct written written = { .arena = arena };
  char *text = write_profile (p, names, &written)
                   ? memory_keep (s->n + written.n + 1)
                   : NULL;

  if (text)
    {
      join (text, s, &written);
      s->text = text;
      s->n += written.n;
    }
  else
    s->are_missing = true;
  arena_resize (arena, written.bytes, 0);
}

bool
sums_copy (const struct sums *s, struct cgw_profile *p,
           struct cgw_names *names, struct sums *copy, struct arena *arena)
{
  struct written written = { .arena = arena };

  copy->are_missing = s->are_missing;
  if (!p || write_profile (p, names, &written))
    copy->text = arena_resize (arena, NULL, s->n + written.n + 1);
  if (copy->text)
    {
      join (copy->text, s, &written);
      copy->n = s->n + written.n;
    }
  arena_resize (arena, written.bytes, 0);
  return copy->text != NULL;
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

bool
sums_read (struct sums *s, bool (*take) (void *, const struct sum *),
           void *context)
{
  struct reader r = { 0 };
  struct sum sum;
  char *rest;

  for (char *line = s->text ? strtok_r (s->text, "\n", &rest) : NULL; line;
       line = strtok_r (NULL, "\n", &rest))
    if (read_line (&r, line, &sum) && !take (context, &sum))
      return false;
  return !s->are_missing;
}
