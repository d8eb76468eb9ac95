/* callgrind.c - reads callgrind and cachegrind profiles, which have sums
   instead of samples.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "../format/cgin.h"

#include <stdlib.h>
#include <string.h>

struct callgrind
{
  struct import *im;
  const struct input *in;
  uint64_t part;
  uint32_t thread; /* of the part */
  bool was_told;   /* a message about an error was printed */
};

/* Says what is counted.  */
static bool
take_events (const struct callgrind *c, const struct cgw_part *part)
{
  struct cgw_event *events = resize (NULL, part->n_events, sizeof *events);
  size_t n = 0;
  bool ok;

  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL)
      events[n++] = part->events[i];
  import_derived (c->im, part->events, part->n_events);
  ok = import_events (c->im, c->in, events, n, part->positions);
  free (events);
  return ok;
}

/* As valgrind's lines "I1 cache: " of caches that it did not simulate.  */
static bool
has_no_value (const char *desc)
{
  size_t n = strlen (desc);

  while (n != 0 && desc[n - 1] == ' ')
    n--;
  return n == 0 || desc[n - 1] == ':';
}

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct callgrind *c = context;
  const struct import_thread thread
      = { part->pid, part->thread, NULL, ++c->part };

  (void) creator;
  if (!take_events (c, part))
    {
      c->was_told = true;
      return CGW_EINVAL;
    }
  if (c->im->cmd == NULL)
    c->im->cmd = copy_text (part->cmd);
  for (size_t i = 0; i < part->n_desc; i++)
    if (!has_no_value (part->desc[i]))
      import_describe (c->im, NULL, part->desc[i]);
  c->thread = import_thread (c->im, &thread);
  return CGW_OK;
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  const struct callgrind *c = context;

  return import_cost (c->im, c->thread, pos, cost, n);
}

static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  const struct callgrind *c = context;

  return import_call (c->im, c->thread, from, to, count, cost, n);
}

static void
warn (void *context, uint64_t line, const char *text)
{
  tool_warn (((const struct callgrind *) context)->in->name, line, text);
}

static bool
read_callgrind (struct import *im, struct input *in)
{
  struct callgrind c = { .im = im, .in = in };
  const struct cgin_sink sink = { .context = &c,
                                  .names = im->names,
                                  .begin_part = begin_part,
                                  .cost = add_cost,
                                  .call = add_call,
                                  .warn = warn };
  const struct lines lines = { .read = input_read, .source = in };
  struct cgin_error error;

  if (im->options->has_times)
    return tool_complain (in->name, 0, "its costs have no times");
  if (cgin_read_lines (&lines, &sink, &error))
    return input_check (in);
  /* Of data that are damaged, the lines end too early.  */
  return !c.was_told && input_check (in)
         && tool_complain (in->name, error.line, error.text);
}

/* Whether a line begins with one of the header's keys, and which ends the
   search.  */
static bool
is_header (const unsigned char *line, size_t n, bool *is_last)
{
  static const char *const keys[]
      = { "events:", "version:", "creator:", "pid:", "cmd:", "part:", "desc:",
          "thread:", "positions:", "event:", "summary:", "ob=", "fl=", "fn=" };

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (n >= strlen (keys[i]) && memcmp (line, keys[i], strlen (keys[i])) == 0)
      {
        *is_last = i == 0;
        return true;
      }
  return false;
}

/* Comments, empty lines and lines of the header, among which are the names of
   the events.  */
static bool
is_callgrind (const unsigned char *bytes, size_t n)
{
  static const char comment[] = "# callgrind format";
  const unsigned char *end = bytes + n;
  bool is_last = false;

  if (n >= sizeof comment - 1
      && memcmp (bytes, comment, sizeof comment - 1) == 0)
    return true;
  while (bytes < end)
    {
      const unsigned char *newline
          = memchr (bytes, '\n', (size_t) (end - bytes));
      size_t length = (size_t) ((newline != NULL ? newline : end) - bytes);

      if (length > 0 && *bytes != '#' && *bytes != '\r'
          && !is_header (bytes, length, &is_last))
        return false;
      if (is_last || newline == NULL)
        return is_last;
      bytes = newline + 1;
    }
  return false;
}

const struct import_kind import_callgrind
    = { "callgrind", is_callgrind, read_callgrind };
