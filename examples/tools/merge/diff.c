/* diff.c - the difference of two profiles.

   Readers know no sign, so each event becomes two: what is more and what is
   less.  Each file is read twice: first its events, then everything, which
   sums.c adds up.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "diff.h"

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/progress.h"
#include "../base/text.h"
#include "../base/tool.h"
#include "../format/cgin.h"
#include "../format/header.h"
#include "../format/unit.h"
#include "diff_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An event of either file.  */
struct known_event
{
  struct unit_event is;
  bool is_in[SIDES];
  size_t place; /* in sums, if it is in both */
  char *names[2]; /* of what is more, and of what is less */
  char *long_names[2];
};

enum
{
  NOWHERE = CGW_EVENTS_MAX /* the place of an event that is left out */
};

struct diff
{
  const struct diff_options *options;
  bool is_on_terminal; /* the output */
  struct known_event *known;
  size_t n_known;
  struct sums sums;
  struct header header;
  struct cgw_names *names;

  /* The input that is read: */
  enum side side;
  const char *name;
  bool looked;
  bool told; /* a message was printed */
  size_t places[CGW_EVENTS_MAX];
  uint64_t factors[CGW_EVENTS_MAX];
};

/* Reading.  */

/* False: it failed; a message was printed.  */
static bool
read_input (struct diff *d, enum side side, const struct cgin_sink *sink)
{
  struct source *in = &d->options->inputs->list[side];
  struct cgin_error error;
  int fd = source_open (in);
  bool ok;

  if (fd < 0)
    return false;
  d->side = side;
  d->name = in->name;
  d->looked = d->told = false;
  ok = cgin_read (fd, sink, &error) || d->looked;
  source_close (in, fd);
  return ok
         || (!d->told && tool_complain (in->name, error.line, error.text));
}

/* The first reading.  */

static struct known_event *
find_event (const struct diff *d, const char *key)
{
  for (size_t i = 0; i < d->n_known; i++)
    if (strcmp (d->known[i].is.key, key) == 0)
      return &d->known[i];
  return NULL;
}

/* Takes note of the i-th event of an input.  False: it cannot be compared; a
   message was printed.  */
static bool
look_at_event (struct diff *d, const struct cgw_part *part, size_t i)
{
  const struct cgw_event *event = &part->events[i];
  char *key = unit_key (part->events, part->n_events, i);
  struct known_event *known = find_event (d, key);
  uint64_t before;
  bool ok = true;

  if (known == NULL)
    {
      d->known = resize_for_one (d->known, d->n_known, sizeof *d->known);
      known = &d->known[d->n_known++];
      *known = (struct known_event){ .is = unit_event_first (key, d->name,
                                                             event) };
    }
  else
    {
      ok = unit_event_take (&known->is, d->name, event, &before);
      free (key);
    }
  known->is_in[d->side] = true;
  return ok;
}

/* Takes note of the events of an input's first part, and ends the reading.  */
static enum cgw_status
look_at_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct diff *d = context;

  (void) creator;
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL && !look_at_event (d, part, i))
      {
        d->told = true;
        return CGW_EINVAL;
      }
  d->looked = true;
  return CGW_EFINISHED;
}

/* Names the events that one input alone has.  */
static void
warn_of_events (const struct diff *d, enum side side)
{
  char *text = NULL;
  size_t size = 0, n = 0;
  FILE *stream = open_memstream (&text, &size);

  if (stream == NULL)
    no_memory ();
  fputs ("left out, as the other file lacks it:", stream);
  for (size_t i = 0; i < d->n_known; i++)
    if (!d->known[i].is_in[!side])
      {
        fprintf (stream, " %s", d->known[i].is.name);
        n++;
      }
  if (fclose (stream) != 0)
    no_memory ();
  if (n != 0)
    tool_warn (d->options->inputs->list[side].name, 0, text);
  free (text);
}

static bool
choose_events (struct diff *d)
{
  size_t n = 0;

  for (size_t i = 0; i < d->n_known; i++)
    {
      struct known_event *known = &d->known[i];
      bool is_common = known->is_in[BEFORE] && known->is_in[AFTER];

      known->place = is_common ? n++ : NOWHERE;
    }
  warn_of_events (d, BEFORE);
  warn_of_events (d, AFTER);
  if (n == 0)
    return tool_complain (d->options->inputs->list[AFTER].name, 0,
                          "the files have no event in common");
  if (n > CGW_EVENTS_MAX / 2)
    return tool_complain (d->options->inputs->list[AFTER].name, 0,
                          "too many events: each becomes two");
  sums_begin (&d->sums, d->names, n, d->options->by_line, false);
  return true;
}

static bool
look_at_inputs (struct diff *d)
{
  const struct cgin_sink sink = { .context = d,
                                  .begin_part = look_at_part };

  return read_input (d, BEFORE, &sink) && read_input (d, AFTER, &sink)
         && choose_events (d);
}

/* The second reading.  */

/* Finds the place of the i-th event of a part, which is its n-th with costs.
   Returns what is wrong, or NULL.  */
static const char *
place_event (struct diff *d, const struct cgw_part *part, size_t i, size_t n)
{
  char *key = unit_key (part->events, part->n_events, i);
  const struct known_event *known = find_event (d, key);

  free (key);
  if (known == NULL)
    return "is missing in the first part";
  d->places[n] = known->place;
  return known->place == NOWHERE
                 || unit_event_factor (&known->is, &part->events[i],
                                       &d->factors[n])
             ? NULL
             : "has another unit in the first part";
}

/* Says what is wrong with an event of a part.  */
static void
tell (struct diff *d, const char *event, const char *wrong)
{
  char *text = make_text ("event \"%s\" %s", event, wrong);

  d->told = true;
  tool_complain (d->name, 0, text);
  free (text);
}

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct diff *d = context;
  const char *wrong = NULL;
  size_t n = 0;

  (void) creator;
  header_take (&d->header, part);
  for (size_t i = 0; i < part->n_events && wrong == NULL; i++)
    if (part->events[i].formula == NULL
        && (wrong = place_event (d, part, i, n++)) != NULL)
      tell (d, part->events[i].name, wrong);
  return wrong == NULL ? CGW_OK : CGW_EINVAL;
}

/* Puts costs in the order and the units of the common events.  */
static enum cgw_status
spread (const struct diff *d, const uint64_t *cost, size_t n,
        uint64_t spread_cost[CGW_EVENTS_MAX])
{
  memset (spread_cost, 0, d->sums.n * sizeof *spread_cost);
  for (size_t i = 0; i < n; i++)
    if (d->places[i] != NOWHERE)
      {
        spread_cost[d->places[i]] = cost[i];
        if (!unit_multiply (&spread_cost[d->places[i]], d->factors[i]))
          return CGW_EOVERFLOW;
      }
  return CGW_OK;
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  struct diff *d = context;
  uint64_t costs[CGW_EVENTS_MAX];

  if (spread (d, cost, n, costs) != CGW_OK)
    return CGW_EOVERFLOW;
  return sums_cost (&d->sums, d->side, pos, costs);
}

static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct diff *d = context;
  uint64_t costs[CGW_EVENTS_MAX];

  if (spread (d, cost, n, costs) != CGW_OK)
    return CGW_EOVERFLOW;
  return sums_call (&d->sums, d->side, from, to, count, costs);
}

static void
warn (void *context, uint64_t line, const char *text)
{
  tool_warn (((struct diff *) context)->name, line, text);
}

static bool
read_inputs (struct diff *d)
{
  const struct cgin_sink sink = { .context = d,
                                  .names = d->names,
                                  .begin_part = begin_part,
                                  .cost = add_cost,
                                  .call = add_call,
                                  .warn = warn };
  bool ok;

  if (!d->is_on_terminal)
    progress_begin (inputs_size (d->options->inputs));
  ok = read_input (d, BEFORE, &sink) && read_input (d, AFTER, &sink);
  progress_end ();
  if (ok)
    sums_match (&d->sums);
  return ok;
}

/* The profile.  */

/* Makes two events of each: Ir_more and Ir_less.  */
static struct cgw_event *
make_events (struct diff *d)
{
  static const char *const ends[2] = { "_more", "_less" };
  static const char *const long_ends[2]
      = { ": more than before", ": less than before" };
  struct cgw_event *list = resize (NULL, 2 * d->sums.n, sizeof *list);

  for (size_t i = 0; i < d->n_known; i++)
    for (size_t k = 0; k < 2 && d->known[i].place != NOWHERE; k++)
      {
        struct known_event *known = &d->known[i];
        const char *name = known->is.name;
        const char *what
            = known->is.long_name != NULL ? known->is.long_name : name;

        known->names[k] = make_text ("%s%s", name, ends[k]);
        if (is_identifier (name, strlen (name)))
          known->long_names[k] = make_text ("%s%s", what, long_ends[k]);
        list[2 * known->place + k]
            = (struct cgw_event){ .name = known->names[k],
                                  .long_name = known->long_names[k] };
      }
  return list;
}

static void
write_part (struct diff *d, struct cgw_writer *w, struct cgw_profile *profile)
{
  const struct header *h = &d->header;
  const struct inputs *in = d->options->inputs;
  struct cgw_event *events = make_events (d);
  const char **desc = resize (NULL, h->n_desc + SIDES, sizeof *desc);
  char *before = make_text ("Before: %s", in->list[BEFORE].name);
  char *after = make_text ("After: %s", in->list[AFTER].name);
  struct cgw_part part = CGW_PART_INIT;

  desc[part.n_desc++] = before;
  desc[part.n_desc++] = after;
  for (size_t i = 0; i < h->n_desc; i++)
    desc[part.n_desc++] = h->desc[i];
  part.events = events;
  part.n_events = 2 * d->sums.n;
  part.positions = CGW_LINE;
  part.cmd = h->cmd;
  part.desc = desc;
  cgw_profile_write (profile, w, &part);
  free (events);
  free (before);
  free (after);
  free (desc);
}

static bool
write_profile (struct diff *d)
{
  struct cgw_writer *w = outfile_writer (d->names, CGW_NO_PAD, NULL);
  struct cgw_profile *profile
      = new_profile (d->names, 2 * d->sums.n, CGW_LINE);

  diff_fill (&d->sums, profile);
  write_part (d, w, profile);
  cgw_profile_free (profile);
  return outfile_finish (d->options->out, w);
}

/* Prints the text, which is about the first event.  */
static void
print (struct diff *d, FILE *stream)
{
  const struct known_event *first = d->known;
  char *unit;

  while (first->place != 0)
    first++;
  unit = first->is.is_converted ? unit_event_plain (&first->is) : NULL;
  diff_print (&d->sums, unit != NULL ? unit : first->is.name, stream);
  free (unit);
}

static bool
make (struct diff *d)
{
  bool has_profile = d->options->out != NULL;
  bool on_stdout = !has_profile || strcmp (d->options->out, "-") != 0;

  if (!look_at_inputs (d) || !read_inputs (d))
    {
      if (has_profile)
        outfile_discard ();
      return false;
    }
  if (has_profile && !write_profile (d))
    return false;
  print (d, on_stdout ? stdout : stderr);
  return tool_flush ();
}

bool
diff (const struct diff_options *options)
{
  struct diff d = { .options = options };
  int out = options->out != NULL ? outfile_open (options->out) : -1;
  bool ok;

  if (options->out != NULL && out < 0)
    return false;
  d.is_on_terminal = out >= 0 && isatty (out);
  d.names = new_names ();
  ok = make (&d);
  if (ok && options->out != NULL)
    inputs_check_names (options->inputs, options->out);
  for (size_t i = 0; i < d.n_known; i++)
    {
      unit_event_free (&d.known[i].is);
      for (size_t k = 0; k < 2; k++)
        {
          free (d.known[i].names[k]);
          free (d.known[i].long_names[k]);
        }
    }
  free (d.known);
  sums_free (&d.sums);
  header_free (&d.header);
  cgw_names_free (d.names);
  return ok;
}
