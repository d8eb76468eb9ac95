/* samples.c - the sums of what was imported: a profile, or one for each thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "samples.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../base/text.h"
#include "../base/tool.h"
#include "../format/unit.h"
#include "../symbols/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a profile is of.  */
struct output
{
  uint64_t number;             /* of its input; 0: of all */
  const char *input;           /* its name */
  uint64_t part;
  uint64_t pid;
  uint64_t tid;
  char *comm;                  /* the last one */
  struct cgw_profile *profile; /* NULL: nothing was added */
  bool is_signed;
};

struct thread
{
  bool is_wanted;
  uint32_t output;
  struct cgw_fn root;
};

/* What tells threads apart: the number of the input and of the part, where they
   matter, pid, tid, and the number of the command, from 1.  */
enum { NUMBER, PART, PID, TID, COMM, N_IDS };

struct threads
{
  struct intern comms;
  struct intern known;
  struct thread *all;
  struct intern keys;  /* of outputs */
  struct output *outputs;

  /* The events that are wanted.  */
  struct unit_event events[CGW_EVENTS_MAX];
  size_t column[CGW_EVENTS_MAX]; /* in the input */
  uint64_t factor[CGW_EVENTS_MAX]; /* of the input's costs */
  size_t n_events;
  bool is_chosen;                /* the input has more */
  bool is_signed;                /* the outputs so far */
  unsigned positions;
  unsigned limits;               /* of the reader, that the profile meets */

  char **desc;             /* what describes the profile */
  size_t n_desc;
  struct intern descs;     /* the same */
  bool has_samples;        /* and not only sums */

  uint64_t first;          /* time of the input's first sample */
  uint64_t length;         /* ns, of the longest input */
  uint64_t n_inputs;
  const char *input;       /* name of the last */
  struct cgw_event recorded_events[CGW_EVENTS_MAX];
  struct cgw_event *derived;
  bool *is_needed;         /* of derived events: listed, or for one that is */
  bool *differs;           /* of derived events: the formula does */
  size_t n_derived;
  struct recorded *recorded;
  struct table build_ids;
  struct cgw_pos *frames;  /* room for a stack and its root */
  uint32_t room;
};

/* What describes the profile.  */

void
import_describe (struct import *im, const char *what, const char *text)
{
  struct threads *t = im->threads;
  char *line = what != NULL ? make_text ("%s: %s", what, text)
                            : copy_text (text);

  if (intern (&t->descs, line, strlen (line)) != t->n_desc) /* it is there */
    {
      free (line);
      return;
    }
  t->desc = resize_for_one (t->desc, t->n_desc, sizeof *t->desc);
  t->desc[t->n_desc++] = line;
}

/* Events.  */

static bool
is_event_named (const struct cgw_event *events, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp (events[i].name, name) == 0)
      return true;
  return false;
}

/* Makes an identifier, with a number behind it that is not 0.  */
static char *
make_identifier (const char *name, size_t number)
{
  bool is_first_digit = *name >= '0' && *name <= '9';
  char *text = make_text (number != 0 ? "%s%s_%zu" : "%s%s",
                          is_first_digit ? "_" : "",
                          *name ? name : "Events", number);

  for (char *c = text; *c; c++)
    if (!is_in_identifier (*c, false))
      *c = '_';
  return text;
}

void
import_describe_time (struct import *im, int64_t time)
{
  time_t seconds = (time_t) (time / 1000000000);
  struct tm tm;
  char text[64];

  if (time > 0 && gmtime_r (&seconds, &tm) != NULL
      && strftime (text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm) != 0)
    import_describe (im, "Time", text);
}

const char *
import_unit (const char *unit)
{
  static const char *const units[][2] = { { "nanoseconds", "ns" },
                                          { "microseconds", "us" },
                                          { "milliseconds", "ms" },
                                          { "seconds", "s" } };

  for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++)
    if (strcmp (unit, units[i][0]) == 0)
      return units[i][1];
  return unit;
}

struct cgw_event
import_event (const char *name, const char *unit,
              const struct cgw_event *before, size_t n)
{
  char *identifier = make_identifier (name, 0);

  for (size_t i = 2; is_event_named (before, n, identifier); i++)
    {
      free (identifier);
      identifier = make_identifier (name, i);
    }
  return (struct cgw_event){
    .name = identifier,
    .long_name = make_text (unit != NULL && *unit ? "%s (%s)" : "%s", name,
                            import_unit (unit))
  };
}

void
import_free_event (struct cgw_event *event)
{
  free ((char *) (uintptr_t) event->name);
  free ((char *) (uintptr_t) event->long_name);
  free ((char *) (uintptr_t) event->formula);
}

/* Whether two names of n characters are the same.  Where a reader writes "_"
   for what the format does not take, the input may have something else.  */
static bool
is_same_name (const char *wanted, const char *name, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (wanted[i] != name[i]
        && (name[i] != '_' || wanted[i] == '\0'
            || strchr (":/=.-", wanted[i]) == NULL))
      return false;
  return true;
}

bool
import_is_listed (const char *list, const char *name)
{
  size_t n = strlen (name);

  if (list == NULL)
    return true;
  for (;; list++)
    {
      size_t length = strcspn (list, ",");

      if (length == n && is_same_name (list, name, n))
        return true;
      list += length;
      if (*list == '\0')
        return false;
    }
}

char *
import_next_listed (const char **list)
{
  size_t n = *list != NULL ? strcspn (*list, ",") : 0;
  char *name = *list != NULL ? make_text ("%.*s", (int) n, *list) : NULL;

  *list = *list != NULL && (*list)[n] != '\0' ? *list + n + 1 : NULL;
  return name;
}

/* Derived events.  */

/* Whether a formula has the name of an event, as one of its words.  */
static bool
is_in_formula (const char *formula, const char *name)
{
  size_t n = strlen (name);

  for (; *formula != '\0'; formula += strcspn (formula, " "))
    {
      formula += strspn (formula, " ");
      if (strncmp (formula, name, n) == 0
          && (formula[n] == ' ' || formula[n] == '\0'))
        return true;
    }
  return false;
}

/* Whether an event is listed, or is needed for one that is.  */
static bool
is_wanted (const struct threads *t, const char *list, const char *name)
{
  if (import_is_listed (list, name))
    return true;
  for (size_t i = 0; i < t->n_derived; i++)
    if (t->is_needed[i] && is_in_formula (t->derived[i].formula, name))
      return true;
  return false;
}

/* Formulas have names of other derived events, in several parts also each
   other's.  */
static void
find_needed (struct threads *t, const char *list)
{
  bool is_new;

  do
    {
      is_new = false;
      for (size_t i = 0; i < t->n_derived; i++)
        if (!t->is_needed[i] && is_wanted (t, list, t->derived[i].name))
          t->is_needed[i] = is_new = true;
    }
  while (is_new);
}

/* Notes whether the formula of a derived event differs from that of the known
   one of this name.  False: there is none.  */
static bool
compare_derived (struct threads *t, const struct cgw_event *event)
{
  for (size_t i = 0; i < t->n_derived; i++)
    if (strcmp (t->derived[i].name, event->name) == 0)
      {
        t->differs[i] |= strcmp (t->derived[i].formula, event->formula) != 0;
        return true;
      }
  return false;
}

void
import_derived (struct import *im, const struct cgw_event *events, size_t n)
{
  struct threads *t = im->threads;
  size_t before = t->n_derived;

  for (size_t i = 0; i < n; i++)
    if (events[i].formula != NULL && !compare_derived (t, &events[i]))
      {
        t->derived
            = resize_for_one (t->derived, t->n_derived, sizeof *t->derived);
        t->is_needed = resize_for_one (t->is_needed, t->n_derived,
                                       sizeof *t->is_needed);
        t->differs
            = resize_for_one (t->differs, t->n_derived, sizeof *t->differs);
        t->is_needed[t->n_derived] = t->differs[t->n_derived] = false;
        t->derived[t->n_derived++]
            = (struct cgw_event){ copy_text (events[i].name),
                                  copy_text (events[i].long_name),
                                  copy_text (events[i].formula) };
      }
  if (t->n_derived != before)
    find_needed (t, im->options->events);
}

static bool
is_of_converted (const struct threads *t, const struct cgw_event *derived)
{
  for (size_t i = 0; i < t->n_events; i++)
    if (t->events[i].is_converted
        && is_in_formula (derived->formula, t->events[i].name))
      return true;
  return false;
}

/* A formula is right in the units of its input alone.  */
static void
forget_formulas (struct threads *t)
{
  for (size_t i = 0; i < t->n_derived; i++)
    if (t->differs[i] || is_of_converted (t, &t->derived[i]))
      {
        free ((char *) (uintptr_t) t->derived[i].formula);
        t->derived[i].formula = NULL;
      }
}

/* Prints a reason, and names behind it.  Returns false.  */
static bool
complain_with_names (const char *input, const char *reason,
                     const struct intern *names)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);

  if (stream == NULL)
    no_memory ();
  fputs (reason, stream);
  for (uint32_t i = 0; i < names->n; i++)
    {
      const char *name = intern_bytes (names, i, &size);

      fprintf (stream, "%s %.*s", i != 0 ? "," : "", (int) size, name);
    }
  if (fclose (stream) != 0)
    no_memory ();
  tool_complain (input, 0, text);
  free (text);
  return false;
}

static bool
complain_of_events (const struct input *in, const char *reason,
                    const struct cgw_event *events, size_t n)
{
  struct intern names = { 0 };

  for (size_t i = 0; i < n; i++)
    intern (&names, events[i].name, strlen (events[i].name));
  complain_with_names (in->name, reason, &names);
  intern_free (&names);
  return false;
}

static void
warn_of_events (const struct input *in, size_t wanted)
{
  char *text = make_text ("it has %zu events; this profile has the first %d, "
                          "others with --event",
                          wanted, CGW_EVENTS_MAX);

  tool_warn (in->name, 0, text);
  free (text);
}

static bool
has_listed (const char *list, const struct cgw_event *events, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (import_is_listed (list, events[i].name))
      return true;
  return false;
}

/* Warns of names in a list that no event and no derived one has.  */
static void
warn_of_missing (const struct threads *t, const char *list,
                 const struct input *in, const struct cgw_event *events,
                 size_t n)
{
  char *name;

  while ((name = import_next_listed (&list)) != NULL)
    {
      char *text = make_text ("it has no event \"%s\"", name);

      if (!has_listed (name, events, n)
          && !has_listed (name, t->derived, t->n_derived))
        tool_warn (in->name, 0, text);
      free (text);
      free (name);
    }
}

/* Takes those of an input that are wanted into *t.  */
static bool
choose_events (struct threads *t, const char *list, const struct input *in,
               const struct cgw_event *events, size_t n)
{
  size_t wanted = 0;

  for (size_t i = 0; i < n; i++)
    if (is_wanted (t, list, events[i].name) && wanted++ < CGW_EVENTS_MAX)
      {
        t->column[t->n_events] = i;
        t->factor[t->n_events] = 1;
        t->events[t->n_events++] = unit_event_first (
            unit_key (events, n, i), in->name, &events[i]);
      }
  if (wanted > CGW_EVENTS_MAX)
    warn_of_events (in, wanted);
  t->is_chosen = t->n_events < n;
  if (t->n_events == 0)
    return complain_of_events (in, "no such event; it has", events, n);
  warn_of_missing (t, list, in, events, n);
  return true;
}

static bool
has_same_events (const struct threads *t, const char *list,
                 const struct cgw_event *events, size_t n)
{
  size_t same = 0;

  for (size_t i = 0; i < n && same < CGW_EVENTS_MAX; i++)
    if (is_wanted (t, list, events[i].name))
      {
        char *key = unit_key (events, n, i);
        bool is_same = same < t->n_events && t->column[same] == i
                       && strcmp (t->events[same].key, key) == 0;

        free (key);
        if (!is_same)
          return false;
        same++;
      }
  return same == t->n_events;
}

/* Multiplies n costs, which may be below 0 if they are signed, as the results
   may.  False: one passes its end.  */
static bool
multiply_all (uint64_t *cost, const uint64_t *factor, size_t n,
              bool is_signed, bool is_result_signed)
{
  for (size_t i = 0; i < n; i++)
    if (!unit_multiply_signed (&cost[i], factor[i], is_signed,
                               is_result_signed))
      return false;
  return true;
}

/* A profile that is made of another one, whose costs are multiplied.  */
struct finer
{
  struct cgw_profile *profile;
  const uint64_t *factor;
  bool is_signed;
  bool is_result_signed;
  uint64_t cost[CGW_EVENTS_MAX]; /* of what is added */
};

static bool
take_costs (struct finer *f, const uint64_t *cost, size_t n)
{
  memcpy (f->cost, cost, n * sizeof *cost);
  return multiply_all (f->cost, f->factor, n, f->is_signed,
                       f->is_result_signed);
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  struct finer *f = context;

  return take_costs (f, cost, n)
             ? cgw_profile_cost (f->profile, pos, f->cost, n)
             : CGW_EOVERFLOW;
}

static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct finer *f = context;

  return take_costs (f, cost, n)
             ? cgw_profile_call (f->profile, from, to, count, f->cost, n)
             : CGW_EOVERFLOW;
}

static enum cgw_status
add_stack (void *context, const struct cgw_pos *frames, size_t n_frames,
           uint64_t count, const uint64_t *cost, size_t n)
{
  struct finer *f = context;

  return take_costs (f, cost, n)
             ? cgw_profile_stack (f->profile, frames, n_frames, count, f->cost,
                                  n)
             : CGW_EOVERFLOW;
}

static struct cgw_profile *
add_profile (const struct import *im)
{
  const struct threads *t = im->threads;
  struct cgw_profile *profile
      = new_profile (im->names, t->n_events, t->positions);

  for (size_t i = 0; i < t->n_events && t->is_signed; i++)
    cgw_profile_set_signed (profile, i);
  return profile;
}

/* Multiplies all costs that an output has, which may be below 0 from now on if
   those of an input are.  */
static enum cgw_status
convert (const struct import *im, struct output *o, const uint64_t *factor)
{
  struct finer f = { .profile = add_profile (im),
                     .factor = factor,
                     .is_signed = o->is_signed,
                     .is_result_signed = im->threads->is_signed };
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  enum cgw_status status;

  visitor.context = &f;
  visitor.cost = add_cost;
  visitor.call = add_call;
  visitor.stack = add_stack;
  status = cgw_profile_visit (o->profile, &visitor);
  if (status == CGW_OK)
    status = cgw_profile_error (f.profile, NULL);
  cgw_profile_free (o->profile);
  o->profile = f.profile;
  o->is_signed = f.is_result_signed;
  return status;
}

/* Takes the events of another input, which are the same, and its units.  If one
   is finer, or has costs below 0, what was added before is converted.  */
static bool
take_units (struct import *im, const struct input *in,
            const struct cgw_event *events)
{
  struct threads *t = im->threads;
  uint64_t before[CGW_EVENTS_MAX];
  enum cgw_status status = CGW_OK;
  bool is_changed = im->is_signed && !t->is_signed;

  t->is_signed |= im->is_signed;
  for (size_t i = 0; i < t->n_events; i++)
    {
      const struct cgw_event *event = &events[t->column[i]];

      if (!unit_event_take (&t->events[i], in->name, event, &before[i]))
        return false;
      unit_event_factor (&t->events[i], event, &t->factor[i]);
      is_changed = is_changed || before[i] != 1;
    }
  if (is_changed)
    for (uint32_t i = 0; i < t->keys.n && status == CGW_OK; i++)
      if (t->outputs[i].profile != NULL)
        status = convert (im, &t->outputs[i], before);
  return status == CGW_OK
         || tool_complain (in->name, 0, cgw_strerror (status));
}

bool
import_events (struct import *im, const struct input *in,
               const struct cgw_event *events, size_t n, unsigned positions)
{
  struct threads *t = im->threads;
  unsigned all = positions;

  positions = reader_positions (im->options->reader, all);
  if (positions != all)
    t->limits |= READER_ADDRESSES;
  if (t->n_events == 0)
    {
      t->positions = positions;
      t->is_signed = im->is_signed;
      return choose_events (t, im->options->events, in, events, n);
    }
  if (t->positions == positions
      && has_same_events (t, im->options->events, events, n))
    return take_units (im, in, events);
  return complain_of_events (
      in,
      "its events are not those of the first part, in the same order "
      "(cgw-merge and cgw-recode may add them up); it has",
      events, n);
}

/* Frames.  */

static struct cgw_fn
add_function (struct import *im, const struct import_frame *frame,
              const char *object)
{
  struct cgw_file file = { 0 };
  struct cgw_object in = { 0 };
  char *name = frame->name != NULL && is_mangled (frame->name)
                   ? demangle (frame->name)
                   : NULL;
  struct cgw_fn fn;

  if (frame->file != NULL && *frame->file != '\0')
    file = cgw_add_file (im->names, frame->file);
  if (object != NULL && *object != '\0')
    in = cgw_add_object (im->names, object);
  fn = cgw_add_fn (im->names, name != NULL ? name : frame->name, file, in);
  free (name);
  return fn;
}

size_t
import_place (struct import *im, const struct import_frame *frames, size_t n,
              struct cgw_pos *positions)
{
  const struct import_frame *outer = &frames[n - 1];

  for (size_t i = im->options->inline_functions ? 0 : n - 1; i < n; i++)
    *positions++ = (struct cgw_pos){
      .fn = add_function (im, &frames[i], outer->object),
      .line = frames[i].line,
      .instr = outer->address
    };
  if (im->options->inline_functions)
    return n;
  positions[-1].line = frames[0].line;
  if (frames[0].file != NULL && *frames[0].file != '\0'
      && (outer->file == NULL || strcmp (frames[0].file, outer->file) != 0))
    positions[-1].file = cgw_add_file (im->names, frames[0].file);
  return 1;
}

/* Threads.  */

/* A process may have several commands, one after the other; a thread without
   ids has nothing else.  */
static uint32_t
find_output (struct import *im, const uint64_t *ids, const char *comm)
{
  struct threads *t = im->threads;
  uint64_t key[N_IDS] = { 0 };
  uint32_t n = t->keys.n, i;

  if (im->options->by_thread)
    memcpy (key, ids, sizeof key);
  if (!im->options->by_command && (key[PID] != 0 || key[TID] != 0))
    key[COMM] = 0;
  i = intern (&t->keys, key, sizeof key);
  if (i == n) /* it is new */
    {
      t->outputs = resize_for_one (t->outputs, n, sizeof *t->outputs);
      t->outputs[i] = (struct output){
        .number = key[NUMBER],
        .input = key[NUMBER] != 0 ? t->input : NULL,
        .part = key[PART],
        .pid = key[PID],
        .tid = key[TID]
      };
    }
  if (im->options->by_thread && comm != NULL)
    {
      free (t->outputs[i].comm);
      t->outputs[i].comm = copy_text (comm);
    }
  return i;
}

/* Readers of callgrind profiles take the sum over a function's callers as its
   inclusive cost, so each stack has a root that is nowhere else.  */
static struct cgw_fn
find_root (struct import *im, const char *comm)
{
  const struct import_frame root
      = { .name = im->options->root != NULL ? im->options->root
                  : comm != NULL && *comm != '\0' ? comm
                                                  : "(root)" };

  return add_function (im, &root, NULL);
}

uint32_t
import_thread (struct import *im, const struct import_thread *thread)
{
  struct threads *t = im->threads;
  const char *comm = thread->comm != NULL ? thread->comm : "";
  uint64_t ids[N_IDS] = { [PID] = thread->pid, [TID] = thread->tid };
  uint32_t n = t->known.n, i;

  if (im->options->by_part)
    {
      ids[NUMBER] = t->n_inputs;
      ids[PART] = thread->part;
    }
  if (*comm != '\0')
    ids[COMM] = intern (&t->comms, comm, strlen (comm)) + 1;
  i = intern (&t->known, ids, sizeof ids);
  if (i == n) /* it is new */
    {
      t->all = resize_for_one (t->all, n, sizeof *t->all);
      t->all[i] = (struct thread){
        .is_wanted = im->options->comm == NULL
                     || strcmp (im->options->comm, comm) == 0,
        .output = find_output (im, ids, thread->comm),
        .root = find_root (im, thread->comm)
      };
    }
  return i;
}

bool
import_wants (const struct import *im, uint32_t thread)
{
  return im->threads->all[thread].is_wanted;
}

/* Samples.  */

bool
import_frames_fit (const struct input *in, uint64_t n)
{
  enum { MOST = 1 << 28 }; /* memory is a small multiple of this */

  return n <= MOST
         || tool_complain (in->name, 0,
                           "its stacks have too many frames together");
}

void
import_begins (struct import *im, uint64_t time)
{
  im->threads->first = time;
}

bool
import_wants_time (struct import *im, uint64_t time)
{
  struct threads *t = im->threads;

  if (!im->options->has_times || time == IMPORT_NO_TIME)
    return true;
  if (t->first == IMPORT_NO_TIME)
    t->first = time;
  time = time > t->first ? time - t->first : 0;
  if (time > t->length)
    t->length = time;
  return time >= im->options->from && time < im->options->to;
}

/* The profile that a thread's samples go to.  */
static struct cgw_profile *
profile_of (struct import *im, uint32_t thread)
{
  struct threads *t = im->threads;
  struct output *o = &t->outputs[t->all[thread].output];

  if (o->profile == NULL)
    {
      o->is_signed = t->is_signed;
      o->profile = add_profile (im);
    }
  return o->profile;
}

/* Copies a stack, and puts the root behind it, unless it has it or needs none.
   Returns how many frames there are.  */
static size_t
copy_frames (struct threads *t, const struct import_sample *s,
             bool has_no_root)
{
  struct cgw_fn root = t->all[s->thread].root;

  t->frames = resize_for (t->frames, (uint32_t) s->n, &t->room,
                          sizeof *t->frames);
  if (s->n != 0)
    memcpy (t->frames, s->frames, s->n * sizeof *t->frames);
  if (s->n != 0
      && (has_no_root || s->frames[s->n - 1].fn.handle == root.handle))
    return s->n;
  t->frames[s->n] = (struct cgw_pos){ .fn = root };
  return s->n + 1;
}

/* Copies n costs of an input's events to those that are wanted.  False: there
   is nothing to add.  */
static bool
choose_costs (const struct threads *t, const uint64_t *costs, size_t n,
              uint64_t chosen[CGW_EVENTS_MAX])
{
  bool is_zero = true;

  for (size_t i = 0; i < t->n_events; i++)
    {
      chosen[i] = t->column[i] < n ? costs[t->column[i]] : 0;
      is_zero = is_zero && chosen[i] == 0;
    }
  return !is_zero || !t->is_chosen;
}

bool
import_sample (struct import *im, const struct input *in,
               const struct import_sample *s)
{
  struct threads *t = im->threads;
  uint64_t cost[CGW_EVENTS_MAX];
  struct cgw_profile *profile;
  enum cgw_status status;
  size_t n;

  if (im->options->has_times && s->time == IMPORT_NO_TIME)
    return tool_complain (in->name, 0, "its samples have no times");
  /* Times count from the first sample of all commands.  */
  if ((s->samples == 0 && !import_wants_time (im, s->time))
      || !t->all[s->thread].is_wanted
      || !choose_costs (t, s->cost, SIZE_MAX, cost))
    return true;
  if (!multiply_all (cost, t->factor, t->n_events, im->is_signed,
                     t->is_signed))
    return input_refuse_line (in, cgw_strerror (CGW_EOVERFLOW));
  profile = profile_of (im, s->thread);
  t->has_samples = true;
  n = copy_frames (t, s, im->options->has_no_root);
  t->limits |= reader_stack (im->options->reader, t->frames, n);
  cgw_profile_stack (profile, t->frames, n, s->samples != 0 ? s->samples : 1,
                     cost, t->n_events);
  status = cgw_profile_error (profile, NULL);
  return status == CGW_OK || input_refuse_line (in, cgw_strerror (status));
}

/* Add what is wanted.  A sum that passes its end is an error at once, for the
   line is known here.  */

/* The profile that the chosen ones of a thread's costs are added to.  NULL:
   *status says why there is none; CGW_OK: nothing is to be added.  */
static struct cgw_profile *
choose_profile (struct import *im, uint32_t thread, const uint64_t *costs,
                size_t n, uint64_t chosen[CGW_EVENTS_MAX],
                enum cgw_status *status)
{
  const struct threads *t = im->threads;

  *status = CGW_OK;
  if (!t->all[thread].is_wanted || !choose_costs (t, costs, n, chosen))
    return NULL;
  if (multiply_all (chosen, t->factor, t->n_events, im->is_signed,
                    t->is_signed))
    return profile_of (im, thread);
  *status = CGW_EOVERFLOW;
  return NULL;
}

/* The position that is kept of a sum.  */
static struct cgw_pos
kept (const struct import *im, const struct cgw_pos *pos)
{
  return im->options->by_function ? (struct cgw_pos){ .fn = pos->fn } : *pos;
}

enum cgw_status
import_cost (struct import *im, uint32_t thread, const struct cgw_pos *pos,
             const uint64_t *costs, size_t n)
{
  uint64_t chosen[CGW_EVENTS_MAX];
  enum cgw_status status;
  struct cgw_profile *profile
    = choose_profile (im, thread, costs, n, chosen, &status);
  struct cgw_pos at;

  if (profile == NULL)
    return status;
  at = kept (im, pos);
  cgw_profile_cost (profile, &at, chosen, im->threads->n_events);
  return cgw_profile_error (profile, NULL);
}

enum cgw_status
import_call (struct import *im, uint32_t thread, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count, const uint64_t *costs,
             size_t n)
{
  uint64_t chosen[CGW_EVENTS_MAX];
  enum cgw_status status;
  struct cgw_profile *profile
    = choose_profile (im, thread, costs, n, chosen, &status);
  struct cgw_pos site, callee;

  if (profile == NULL)
    return status;
  site = kept (im, from);
  callee = kept (im, to);
  cgw_profile_call (profile, &site, &callee, count, chosen,
                    im->threads->n_events);
  return cgw_profile_error (profile, NULL);
}

/* What was recorded.  */

static int
compare_outputs (const void *a, const void *b)
{
  const struct output *x = a, *y = b;

  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  return strcmp (x->comm != NULL ? x->comm : "",
                 y->comm != NULL ? y->comm : "");
}

/* Prints which commands there are, if none is what --comm asks for.  */
static bool
is_comm_missing (const struct import *im, const char *name)
{
  const struct threads *t = im->threads;
  bool is_missing = t->known.n != 0;

  for (uint32_t i = 0; i < t->known.n; i++)
    is_missing = is_missing && !t->all[i].is_wanted;
  if (is_missing)
    complain_with_names (name,
                         t->comms.n != 0
                             ? "no such command; it has"
                             : "no such command; its samples name none",
                         &t->comms);
  return is_missing;
}

bool
samples_has_any (const struct import *im, const char *name)
{
  const struct threads *t = im->threads;
  char reason[80];

  for (uint32_t i = 0; i < t->keys.n; i++)
    if (t->outputs[i].profile != NULL)
      return true;
  if (is_comm_missing (im, name))
    return false;
  if (!im->options->has_times || t->first == IMPORT_NO_TIME)
    return tool_complain (name, 0, "there are no samples");
  snprintf (reason, sizeof reason,
            "there are no samples then; the last is %.9g s after the first",
            (double) t->length / 1e9);
  return tool_complain (name, 0, reason);
}

struct recording
samples_recording (struct import *im)
{
  struct threads *t = im->threads;
  struct recording r = { .names = im->names,
                         .events = t->recorded_events,
                         .n_events = t->n_events,
                         .positions = t->positions,
                         .is_signed = t->is_signed,
                         .has_samples = t->has_samples,
                         .cmd = im->cmd,
                         .desc = (const char *const *) t->desc,
                         .n_desc = t->n_desc,
                         .build_ids = &t->build_ids,
                         .limits = t->limits };

  for (size_t i = 0; i < t->n_events; i++)
    t->recorded_events[i]
        = (struct cgw_event){ .name = t->events[i].name,
                              .long_name = t->events[i].long_name };
  forget_formulas (t);
  r.derived = t->derived;
  r.n_derived = t->n_derived;
  qsort (t->outputs, t->keys.n, sizeof *t->outputs, compare_outputs);
  free (t->recorded);
  r.profiles = t->recorded = resize (NULL, t->keys.n, sizeof *t->recorded);
  for (uint32_t i = 0; i < t->keys.n; i++)
    if (t->outputs[i].profile != NULL)
      t->recorded[r.n_profiles++]
          = (struct recorded){ .input = t->outputs[i].input,
                               .part = t->outputs[i].part,
                               .pid = t->outputs[i].pid,
                               .tid = t->outputs[i].tid,
                               .comm = t->outputs[i].comm,
                               .profile = t->outputs[i].profile };
  return r;
}

void
import_build_id (void *import, const char *object, const char *build_id)
{
  struct import *im = import;

  build_ids_add (&im->threads->build_ids, im->names, object, build_id);
}

/* Beginning and end.  */

void
samples_begin (struct import *im, const struct import_options *options)
{
  *im = (struct import){ .options = options,
                         .names = options->names != NULL ? options->names
                                                         : new_names () };
  im->threads = resize (NULL, 1, sizeof *im->threads);
  memset (im->threads, 0, sizeof *im->threads);
  im->threads->build_ids = build_ids_begin ();
  im->threads->first = IMPORT_NO_TIME;
}

void
samples_next_input (struct import *im, const char *name)
{
  im->is_signed = false;
  im->threads->first = IMPORT_NO_TIME;
  im->threads->input = name;
  im->threads->n_inputs++;
}

void
samples_end (struct import *im)
{
  struct threads *t = im->threads;

  for (uint32_t i = 0; i < t->keys.n; i++)
    {
      cgw_profile_free (t->outputs[i].profile);
      free (t->outputs[i].comm);
    }
  for (size_t i = 0; i < t->n_events; i++)
    unit_event_free (&t->events[i]);
  for (size_t i = 0; i < t->n_desc; i++)
    free (t->desc[i]);
  for (size_t i = 0; i < t->n_derived; i++)
    import_free_event (&t->derived[i]);
  build_ids_free (&t->build_ids);
  free (t->derived);
  free (t->is_needed);
  free (t->differs);
  free (t->recorded);
  free (t->desc);
  intern_free (&t->descs);
  intern_free (&t->comms);
  intern_free (&t->known);
  intern_free (&t->keys);
  free (t->all);
  free (t->outputs);
  free (t->frames);
  free (t);
  free (im->cmd);
  if (im->names != im->options->names)
    cgw_names_free (im->names);
}
