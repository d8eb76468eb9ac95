/* to_speedscope.c - writes a file of speedscope: a JSON object with a list of
   frames, and for each profile and event a list of stacks and one of costs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "formats.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/tool.h"
#include "../base/text.h"
#include "../format/unit.h"
#include "each_stack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct frame
{
  uint32_t fn;
};

/* One profile's stacks.  */
struct kept
{
  uint32_t *frames; /* of all stacks, the outermost first */
  size_t n_frames;
  size_t *ends;     /* of each */
  uint64_t *costs;  /* of all events */
  size_t n;
};

struct speedscope
{
  const struct recording *r;
  FILE *to;
  struct table frames;
  struct kept *kept; /* of each profile */
  struct kept *now;
  bool is_below;     /* a cost is below 0 */
  bool is_too_large; /* a cost passed 2^63-1 */
};

static uint32_t
frame_of (struct speedscope *s, struct cgw_fn fn)
{
  return table_index (&s->frames, table_add (&s->frames, &fn.handle));
}

static void
keep_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
            const uint64_t *cost)
{
  struct speedscope *s = context;
  struct kept *k = s->now;
  size_t n = s->r->n_events;

  while (n_frames != 0)
    {
      k->frames = resize_for_one (k->frames, k->n_frames, sizeof *k->frames);
      k->frames[k->n_frames++] = frame_of (s, frames[--n_frames].fn);
    }
  k->ends = resize_for_one (k->ends, k->n, sizeof *k->ends);
  k->ends[k->n] = k->n_frames;
  k->costs = resize_for_one (k->costs, k->n, n * sizeof *k->costs);
  memcpy (k->costs + k->n++ * n, cost, n * sizeof *cost);
}

/* The cost of a stack that is shown: speedscope has none below 0, and its
   readers whole numbers up to 2^63-1.  */
static uint64_t
shown (struct speedscope *s, const struct kept *k, size_t i, size_t event,
       uint64_t factor)
{
  uint64_t cost = k->costs[i * s->r->n_events + event];

  if (s->r->is_signed && cost > INT64_MAX)
    {
      s->is_below = true;
      return 0;
    }
  if (unit_multiply (&cost, factor) && cost <= INT64_MAX)
    return cost;
  s->is_too_large = true;
  return INT64_MAX;
}

/* The unit of an event, or NULL.  Multiplies *factor if it is a larger one than
   speedscope's.  */
static const char *
unit_of (const struct unit_told *event, uint64_t *factor)
{
  static const struct
  {
    const char *told;
    const char *unit;
    uint64_t factor;
  } units[] = { { "nanoseconds", "nanoseconds", 1 },
                { "microseconds", "microseconds", 1 },
                { "milliseconds", "milliseconds", 1 },
                { "seconds", "seconds", 1 },
                { "bytes", "bytes", 1 },
                { "kilobytes", "bytes", 1 << 10 },
                { "megabytes", "bytes", 1 << 20 },
                { "gigabytes", "bytes", 1 << 30 },
                { "count", "none", 1 } };

  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp (event->unit, units[i].told) == 0)
      {
        *factor = event->factor * units[i].factor;
        return units[i].unit;
      }
  return NULL;
}

static void
write_frames (struct speedscope *s)
{
  for (uint32_t i = 0; i < s->frames.n; i++)
    {
      const struct frame *frame = table_entry (&s->frames, i);
      struct cgw_file file;
      const char *name = cgw_fn_name (
          s->r->names, (struct cgw_fn){ frame->fn }, &file, NULL);

      fputs (i != 0 ? ",\n{\"name\":" : "\n{\"name\":", s->to);
      json_print (s->to, name);
      if (file.handle != 0)
        {
          fputs (",\"file\":", s->to);
          json_print (s->to, cgw_file_name (s->r->names, file));
        }
      fputc ('}', s->to);
    }
}

static void
write_samples (struct speedscope *s, const struct kept *k, size_t event)
{
  size_t at = 0;
  const char *between = "";

  for (size_t i = 0; i < k->n; at = k->ends[i++])
    if (shown (s, k, i, event, 1) != 0)
      {
        fprintf (s->to, "%s\n[", between);
        for (size_t f = at; f < k->ends[i]; f++)
          fprintf (s->to, f != at ? ",%" PRIu32 : "%" PRIu32, k->frames[f]);
        fputc (']', s->to);
        between = ",";
      }
}

/* Writes the costs, and returns their sum, at most 2^63-1.  */
static uint64_t
write_weights (struct speedscope *s, const struct kept *k, size_t event,
               uint64_t factor)
{
  uint64_t sum = 0;
  const char *between = "";

  for (size_t i = 0; i < k->n; i++)
    {
      uint64_t cost = shown (s, k, i, event, factor);

      if (cost == 0)
        continue;
      fprintf (s->to, "%s%" PRIu64, between, cost);
      sum = sum <= INT64_MAX - cost ? sum + cost : INT64_MAX;
      between = ",";
    }
  return sum;
}

static void
write_one (struct speedscope *s, size_t profile, size_t event)
{
  const struct kept *k = &s->kept[profile];
  struct unit_told told = unit_tell (&s->r->events[event]);
  char *title = recorded_title (s->r, &s->r->profiles[profile]);
  uint64_t factor = told.factor, sum;
  const char *unit = unit_of (&told, &factor);
  char *name = make_text (unit != NULL ? "%s: %s" : "%s: %s (%s)", title,
                          told.name, told.unit);

  fputs (profile + event != 0 ? ",\n{\"type\":\"sampled\",\"name\":"
                              : "\n{\"type\":\"sampled\",\"name\":",
         s->to);
  json_print (s->to, name);
  fprintf (s->to, ",\"unit\":\"%s\",\"samples\":[",
           unit != NULL ? unit : "none");
  write_samples (s, k, event);
  fputs ("],\n\"weights\":[", s->to);
  sum = write_weights (s, k, event, factor);
  fprintf (s->to, "],\n\"startValue\":0,\"endValue\":%" PRIu64 "}", sum);
  free (name);
  free (title);
  free (told.name);
  free (told.unit);
}

static void
write_all (struct speedscope *s)
{
  const char *cmd = s->r->cmd;

  fputs ("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
         "\n\"exporter\":\"libcgw " PACKAGE_VERSION "\",\n\"name\":",
         s->to);
  json_print (s->to, cmd != NULL ? cmd : "profile");
  fputs (",\n\"shared\":{\"frames\":[", s->to);
  write_frames (s);
  fputs ("]},\n\"profiles\":[", s->to);
  for (size_t i = 0; i < s->r->n_profiles; i++)
    for (size_t k = 0; k < s->r->n_events; k++)
      write_one (s, i, k);
  fputs ("]}\n", s->to);
}

void
write_speedscope (const struct recording *r, const char *out, FILE *to)
{
  struct speedscope s = { .r = r,
                          .to = to,
                          .frames = { .key_size = sizeof (uint32_t),
                                      .entry_size = sizeof (struct frame) } };

  s.kept = resize (NULL, r->n_profiles, sizeof *s.kept);
  memset (s.kept, 0, r->n_profiles * sizeof *s.kept);
  for (size_t i = 0; i < r->n_profiles; i++)
    {
      s.now = &s.kept[i];
      each_stack (r, &r->profiles[i], keep_stack, &s);
    }
  write_all (&s);
  if (s.is_below)
    tool_warn (out, 0, "stacks with costs below 0 are left out");
  if (s.is_too_large)
    tool_warn (out, 0, "costs above 2^63-1 became that");
  for (size_t i = 0; i < r->n_profiles; i++)
    {
      free (s.kept[i].frames);
      free (s.kept[i].ends);
      free (s.kept[i].costs);
    }
  free (s.kept);
  table_free (&s.frames);
}
