/* write.c - writes the profiles, one per process: stacks of locations
   become stacks of positions, which libcgw sums up.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "write.h"

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/progress.h"
#include "../base/tool.h"
#include "../format/hottest.h"
#include "../format/reader_tool.h"
#include "../symbols/resolve.h"
#include "sample_shared.h"

#include <cgw.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processor time comes first, so it is what readers show: people ask how
   long something takes.  The number of samples says how far to trust it.  */
static const struct cgw_event events[]
    = { { .name = "CPU",
          .long_name = "Processor time in us; calls are counts of stacks" },
        { .name = "Samples",
          .long_name = "Samples; calls are counts of stacks" } };
enum { EVENTS = sizeof events / sizeof *events };

/* How a line of the header begins, which no other tool writes.  */
#define RATE "Sampled: "

/* A file, of one process.  */
struct output
{
  bool is_first;
  const struct process *process;
  unsigned again;   /* how many before it have the same process id */
  uint32_t *stacks; /* their numbers */
  uint32_t n;
  struct stack_sums sums;
};

struct writing
{
  struct stacks *stacks;
  const struct write_options *options;
  struct resolver resolver;
  struct table build_ids;
  const struct output *most;    /* the one with the most time */
  struct cgw_profile *hottest;  /* its profile, once it is written */
  struct cgw_fn cut;      /* stands for frames that are missing */
  struct cgw_pos *frames; /* of a stack */
  bool has_main;          /* the stack does */
  uint32_t capacity;
  unsigned limits;        /* of the reader, that a profile meets */
};

static struct places
places_of (struct writing *writing, uint32_t location, bool is_call)
{
  struct location l;

  memcpy (&l, intern_bytes (&writing->stacks->locations, location, NULL),
          sizeof l);
  return resolve (&writing->resolver, l, is_call);
}

/* The last place of a location: the function with the machine code.  */
static struct place
place_of (struct writing *writing, uint32_t location, bool is_call)
{
  struct places places = places_of (writing, location, is_call);

  return places.at[places.n - 1];
}

/* One stack.  */

static size_t
add_frame (struct writing *writing, size_t n, struct cgw_pos frame)
{
  writing->frames = resize_for (writing->frames, (uint32_t) n,
                                &writing->capacity, sizeof *writing->frames);
  writing->frames[n] = frame;
  return n + 1;
}

/* Adds the frames of a location; returns how many there are then.  */
static size_t
add_frames (struct writing *writing, size_t n, uint32_t location)
{
  struct places places = places_of (writing, location, n != 0);

  for (uint32_t i = 0; i < places.n; i++)
    n = add_frame (writing, n, places.at[i].pos);
  writing->has_main |= places.at[places.n - 1].is_main;
  return n;
}

/* Where a thread began: main, or else the function that two of the C library
   call.  Returns base->n if no whole stack says it.  */
static uint32_t
find_start (struct writing *writing, const struct base *base)
{
  enum { ROUTINE = 3 };

  for (uint32_t i = base->n; i-- != 0;)
    if (place_of (writing, base->location[i], true).is_main)
      return i;
  return base->n < ROUTINE ? base->n : base->n - ROUTINE;
}

/* Ends a stack whose outer frames are missing.  Where its thread began costs
   what the stack does; what lies between is not known.  */
static size_t
end_cut_stack (struct writing *writing, size_t n, const struct base *base)
{
  uint32_t start = find_start (writing, base), i = start;
  struct cgw_fn last
      = n != 0 ? writing->frames[n - 1].fn : (struct cgw_fn){ 0 };

  while (i < base->n
         && place_of (writing, base->location[i], true).pos.fn.handle
                != last.handle)
    i++;
  if (i == base->n && !writing->has_main)
    {
      n = add_frame (writing, n, (struct cgw_pos){ .fn = writing->cut });
      i = start;
      if (start < base->n)
        n = add_frame (
            writing, n,
            (struct cgw_pos){
              .fn = place_of (writing, base->location[start], true).pos.fn });
    }
  while (++i < base->n)
    n = add_frames (writing, n, base->location[i]);
  return n;
}

/* One profile.  */

static void
add_stack (struct writing *writing, struct cgw_profile *profile,
           const struct stack_key *key, const uint32_t *locations, uint32_t n,
           const struct stack_sums *s)
{
  size_t n_frames = 0;
  uint64_t cost[EVENTS]
      = { s->ticks * writing->options->interval / 1000, s->samples };

  writing->has_main = false;
  for (uint32_t i = 0; i < n; i++)
    n_frames = add_frames (writing, n_frames, locations[i]);
  if (key->thread != 0)
    n_frames = end_cut_stack (writing, n_frames,
                              &writing->stacks->bases[key->thread - 1]);
  writing->limits |= reader_stack (writing->options->to.reader,
                                   writing->frames, n_frames);
  if (n_frames != 0)
    cgw_profile_stack (profile, writing->frames, n_frames, 1, cost, EVENTS);
}

/* Adds the stacks of one output.  */
static void
add_stacks (struct writing *writing, struct cgw_profile *profile,
            const struct output *output)
{
  const struct stacks *stacks = writing->stacks;

  for (uint32_t k = 0; k < output->n; k++)
    {
      uint32_t i = output->stacks[k];
      size_t n;
      const char *bytes = intern_bytes (&stacks->stacks, i, &n);
      struct stack_key key;
      uint32_t locations[SAMPLE_FRAMES];

      memcpy (&key, bytes, sizeof key);
      n -= sizeof key;
      memcpy (locations, bytes + sizeof key, n);
      add_stack (writing, profile, &key, locations,
                 (uint32_t) (n / sizeof *locations), &stacks->sums[i]);
      progress_add (1);
    }
}

static void
take_build_id (void *context, const char *path, const char *build_id)
{
  struct writing *writing = context;

  build_ids_add (&writing->build_ids, writing->resolver.names, path,
                 build_id);
}

/* Writes to the output that is open.  */
static bool
write_profile (struct writing *writing, const struct output *output,
               const char *path)
{
  const struct write_options *options = writing->options;
  struct cgw_profile *profile
      = new_profile (writing->resolver.names, EVENTS,
                     reader_positions (options->to.reader, CGW_INSTR_LINE));
  struct recorded recorded
      = { .pid = output->process->pid, .profile = profile };
  char *rate = make_text (RATE "%" PRIu64
                               " times per second of processor time",
                          options->hertz);
  const char *desc[]
      = { rate,
          "Calls: numbers of different stacks, for samples count no calls" };
  const struct recording r = { .names = writing->resolver.names,
                               .events = events,
                               .n_events = EVENTS,
                               .positions = CGW_INSTR_LINE,
                               .cmd = output->process->command,
                               .desc = desc,
                               .n_desc = sizeof desc / sizeof *desc,
                               .profiles = &recorded,
                               .n_profiles = 1,
                               .build_ids = &writing->build_ids };
  bool ok;

  add_stacks (writing, profile, output);
  resolver_each_build_id (&writing->resolver, take_build_id, writing);
  ok = export_write_one (&options->to, &r, path, &writing->limits);
  if (output == writing->most)
    writing->hottest = profile;
  else
    cgw_profile_free (profile);
  free (rate);
  return ok;
}

/* All profiles.  */

/* Copies a name to `path`, with the process id for each "%p" and "%" for each
   "%%".  Returns how long it is; *has_pid says whether it has one.  */
static size_t
expand (char *path, const char *name, uint64_t pid, bool *has_pid)
{
  char *p = path;

  *has_pid = false;
  while (*name != '\0')
    if (name[0] == '%' && name[1] == 'p')
      {
        p += sprintf (p, "%" PRIu64, pid);
        *has_pid = true;
        name += 2;
      }
    else
      {
        name += name[0] == '%';
        *p++ = *name++;
      }
  *p = '\0';
  return (size_t) (p - path);
}

static char *
new_path (const char *name)
{
  return resize (NULL, strlen (name) * 20 + 64, 1);
}

/* The name of an output.  */
static char *
output_path (const struct write_options *options, const struct output *output)
{
  uint64_t pid = output->process->pid;
  const char *name = output->is_first ? options->out : options->others;
  char *path = new_path (name);
  bool has_pid;
  size_t n = expand (path, name, pid, &has_pid);

  if (!output->is_first && !has_pid)
    n += (size_t) sprintf (path + n, ".%" PRIu64, pid);
  /* Ids come round in the end.  */
  if (output->again != 0)
    sprintf (path + n, "-%u", output->again + 1);
  return path;
}

const char *
write_default (struct write_options *options)
{
  if (export_command (options->to.format) == NULL)
    return "callgrind.out.%p";
  snprintf (options->default_name, sizeof options->default_name,
            "profile.%%p%s", export_suffix (options->to.format));
  return options->default_name;
}

/* The first output could be opened: it is opened again for each save.  */
static bool
open_each_time (struct write_options *options, const char *path)
{
  if (options->others != options->out)
    return tool_complain (outfile_name (path), 0,
                          "--save-every needs a regular file");
  outfile_discard ();
  close (options->first);
  options->first = -1;
  return true;
}

bool
write_begin (struct write_options *options)
{
  char *path = new_path (options->out);
  struct stat st;
  bool has_pid, ok = true;

  expand (path, options->out, 0, &has_pid);
  options->first = -1;
  options->others = options->out;
  if (!has_pid)
    {
      options->first = outfile_open (path);
      ok = options->first >= 0;
      if (strcmp (path, "-") == 0
          || (fstat (options->first, &st) == 0 && !S_ISREG (st.st_mode)))
        options->others = write_default (options);
    }
  if (ok && !has_pid && options->is_saved)
    ok = open_each_time (options, path);
  free (path);
  return ok;
}

/* KCachegrind would show them as parts of this run, and cgw-merge OUT* would
   count them twice.  Names with "%p" are of one run each, on purpose.  */
void
write_clear (struct write_options *options)
{
  char *path = new_path (options->out);
  bool has_pid;
  size_t n = expand (path, options->out, 0, &has_pid);

  strcpy (path + n, ".");
  if (!options->is_cleared && !has_pid && options->others == options->out
      && export_command (options->to.format) == NULL)
    outfile_remove_earlier (path, "", 0, "desc: " RATE);
  options->is_cleared = true;
  free (path);
}

/* The number of the output of a stack.  */
static uint32_t
output_of (const struct stacks *s, uint32_t stack)
{
  struct stack_key key;

  memcpy (&key, intern_bytes (&s->stacks, stack, NULL), sizeof key);
  return key.output;
}

/* How often each process id was there before.  */
static void
count_ids (struct output *outputs, uint32_t n)
{
  struct intern ids = { 0 };
  unsigned *again = resize (NULL, n, sizeof *again);

  for (uint32_t i = 0; i < n; i++)
    {
      uint32_t seen = ids.n;
      uint32_t id = intern (&ids, &outputs[i].process->pid,
                            sizeof outputs[i].process->pid);

      again[id] = id == seen ? 0 : again[id] + 1;
      outputs[i].again = again[id];
    }
  free (again);
  intern_free (&ids);
}

/* Makes the list of outputs, each with its stacks; *order is theirs.  */
static struct output *
list_outputs (const struct stacks *s, uint32_t **order)
{
  uint32_t n = s->outputs.n;
  struct output *outputs = resize (NULL, n, sizeof *outputs);
  uint32_t *next = *order = resize (NULL, s->stacks.n, sizeof **order);

  for (uint32_t i = 0; i < n; i++)
    outputs[i] = (struct output){
      .is_first = i == 0,
      .process = maps_process (s->maps, s->output_process[i])
    };
  for (uint32_t i = 0; i < s->stacks.n; i++)
    {
      struct output *o = &outputs[output_of (s, i)];

      o->n++;
      o->sums.samples += s->sums[i].samples;
      o->sums.ticks += s->sums[i].ticks;
    }
  for (uint32_t i = 0; i < n; next += outputs[i++].n)
    outputs[i].stacks = next;
  for (uint32_t i = 0; i < s->stacks.n; i++)
    *outputs[output_of (s, i)].stacks++ = i;
  for (uint32_t i = 0; i < n; i++)
    outputs[i].stacks -= outputs[i].n;
  count_ids (outputs, n);
  return outputs;
}

static void
say_samples (const char *path, const struct output *output)
{
  uint64_t samples = output->sums.samples;
  const char *command = output->process->command;
  char *text = make_text ("%" PRIu64 " sample%s of %s", samples,
                          samples == 1 ? "" : "s",
                          command != NULL ? command : "?");

  tool_say (outfile_name (path), 0, text);
  free (text);
}

/* Whether an output is written: of the first process always.  */
static bool
is_written (const struct output *output)
{
  return output->is_first || output->sums.samples != 0;
}

/* Says what was written, with names for the first ones.  */
static void
say_all (const struct write_options *options, const struct output *outputs,
         uint32_t n)
{
  enum { NAMES = 10 };
  uint32_t written = 0;

  for (uint32_t i = 0; i < n; i++)
    if (is_written (&outputs[i]) && written++ < NAMES)
      {
        char *path = output_path (options, &outputs[i]);

        say_samples (path, &outputs[i]);
        free (path);
      }
  if (written > NAMES)
    fprintf (stderr, "cgw-sample: and %" PRIu32 " more\n", written - NAMES);
}

static const struct output *
find_most (const struct output *outputs, uint32_t n)
{
  const struct output *most = outputs;

  for (uint32_t i = 0; i < n; i++)
    if (outputs[i].sums.ticks > most->sums.ticks)
      most = &outputs[i];
  return most;
}

/* Prints the hottest functions of the profile with the most time.  */
static void
print_hottest (const struct writing *writing, const struct output *outputs,
               uint32_t n)
{
  char *path = output_path (writing->options, writing->most);
  unsigned written = 0;

  for (uint32_t i = 0; i < n; i++)
    written += is_written (&outputs[i]);
  hottest_print_sums (writing->hottest, writing->resolver.names,
                      events[0].long_name, path, written,
                      writing->options->to.reader,
                      export_command (writing->options->to.format));
  free (path);
}

static bool
write_output (struct writing *writing, const struct output *output)
{
  char *path = output_path (writing->options, output);
  bool ok = ((output->is_first && writing->options->first >= 0)
             || outfile_open (path) >= 0)
            && write_profile (writing, output, path);

  free (path);
  return ok;
}

bool
write_profiles (struct stacks *s, const struct write_options *options)
{
  struct writing writing
      = { .stacks = s,
          .options = options,
          .resolver = { .inline_functions = options->inline_functions } };
  struct cgw_names *names = new_names ();
  uint32_t *order;
  struct output *outputs = list_outputs (s, &order);
  /* While the program runs, the terminal is the program's.  */
  bool speaks = !options->is_quiet && !options->is_saver;
  bool ok = true;

  if (speaks && !options->is_saved)
    progress_begin (s->stacks.n);
  writing.most = find_most (outputs, s->outputs.n);
  resolver_open_many ();
  resolver_begin (&writing.resolver, s->maps, names);
  writing.build_ids = build_ids_begin ();
  writing.cut = cgw_add_fn (names, "(cut)", (struct cgw_file){ 0 },
                            (struct cgw_object){ 0 });
  for (uint32_t i = 0; i < s->outputs.n; i++)
    if (is_written (&outputs[i]) && !write_output (&writing, &outputs[i]))
      ok = false;
  progress_end ();
  if (ok && speaks)
    say_all (options, outputs, s->outputs.n);
  if (options->to.reader != NULL && speaks)
    reader_say (options->to.reader, writing.limits,
                outfile_name (options->out));
  if (ok && speaks)
    print_hottest (&writing, outputs, s->outputs.n);
  cgw_profile_free (writing.hottest);
  resolver_end (&writing.resolver);
  build_ids_free (&writing.build_ids);
  free (writing.frames);
  cgw_names_free (names);
  free (outputs);
  free (order);
  return ok;
}
