/* write.c - writes the profiles, one per process: stacks of locations
   become stacks of positions, which libcgw sums up.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "write.h"

#include "memory.h"
#include "outfile.h"
#include "resolve.h"
#include "shared.h"
#include "tool.h"

#include <cgw.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Processor time comes first, so it is what readers show: people ask how
   long something takes.  The number of samples says how far to trust it.  */
static const struct cgw_event events[]
    = { { .name = "CPU", .long_name = "Processor time in microseconds" },
        { .name = "Samples", .long_name = "Samples taken" } };
enum { EVENTS = sizeof events / sizeof *events };

/* The longest stack, with a base.  */
enum { MOST_FRAMES = SAMPLE_FRAMES + SAMPLE_BASE_FRAMES };

/* A location as a place: a position when it is a leaf, and when it calls.  */
struct resolved
{
  bool is_known;
  struct place place;
};

struct writing
{
  struct stacks *stacks;
  const struct write_options *options;
  struct resolver resolver;
  struct resolved *leaves; /* by location */
  uint32_t n_leaves;
  struct resolved *calls;
  uint32_t n_calls;
};

static const struct place *
place_of (struct writing *writing, uint32_t location, bool is_call)
{
  struct resolved **array = is_call ? &writing->calls : &writing->leaves;
  uint32_t *n = is_call ? &writing->n_calls : &writing->n_leaves;
  struct resolved *r;

  *array = resize_for (*array, location, n, sizeof **array);
  r = &(*array)[location];
  if (!r->is_known)
    {
      struct location l;

      memcpy (&l, intern_bytes (&writing->stacks->locations, location, NULL),
              sizeof l);
      r->place = resolve (&writing->resolver, l, is_call);
      r->is_known = true;
    }
  return &r->place;
}

/* Stacks whose outer frames are missing.  */

static bool
is_same_function (const struct place *a, const struct place *b)
{
  return a->object == b->object && a->function == b->function
         && a->function_file == b->function_file;
}

/* How many of the base's outermost frames are those that every stack of the
   thread has: down to main, or the routine that the thread began with, which
   the C library's two functions call.  */
static uint32_t
base_length (struct writing *writing, const struct base *base)
{
  for (uint32_t i = base->n; i-- != 0;)
    {
      const struct place *p = place_of (writing, base->location[i], true);

      if (strcmp (resolver_string (&writing->resolver, p->function), "main")
          == 0)
        return base->n - i;
    }
  return base->n < 3 ? base->n : 3;
}

/* Puts the thread's outermost frames behind those of a stack that was too
   deep or could not be walked to its end: so what they cost in all stays
   right, although what lies between is not known.  */
static uint32_t
append_base (struct writing *writing, const struct base *base,
             uint32_t *locations, uint32_t n)
{
  uint32_t i = base->n - base_length (writing, base);

  if (n != 0)
    {
      const struct place *last
          = place_of (writing, locations[n - 1], n > 1);

      for (uint32_t k = i; k < base->n; k++)
        if (is_same_function (
                last, place_of (writing, base->location[k], true)))
          i = k + 1;
    }
  while (i < base->n)
    locations[n++] = base->location[i++];
  return n;
}

/* One profile.  */

static enum cgw_status
add_stack (struct writing *writing, struct cgw_writer *w,
           struct cgw_profile *profile, const struct stack_key *key,
           const uint32_t *locations, uint32_t n, const struct stack_sums *s)
{
  uint32_t all[MOST_FRAMES];
  struct cgw_pos frames[MOST_FRAMES];
  uint64_t cost[EVENTS]
      = { s->ticks * writing->options->interval / 1000, s->samples };

  memcpy (all, locations, n * sizeof *all);
  if (key->thread != 0)
    n = append_base (writing, &writing->stacks->bases[key->thread - 1], all,
                     n);
  for (uint32_t i = 0; i < n; i++)
    frames[i] = resolver_position (&writing->resolver, w,
                                   place_of (writing, all[i], i != 0));
  return n != 0 ? cgw_profile_stack (profile, frames, n, 1, cost, EVENTS)
                : CGW_OK;
}

/* Adds the stacks of one output.  */
static enum cgw_status
add_stacks (struct writing *writing, struct cgw_writer *w,
            struct cgw_profile *profile, uint32_t output)
{
  const struct intern *stacks = &writing->stacks->stacks;
  enum cgw_status status = CGW_OK;

  for (uint32_t i = 0; i < stacks->n && status == CGW_OK; i++)
    {
      size_t n;
      const char *bytes = intern_bytes (stacks, i, &n);
      struct stack_key key;
      uint32_t locations[SAMPLE_FRAMES];

      memcpy (&key, bytes, sizeof key);
      if (key.output != output)
        continue;
      n -= sizeof key;
      memcpy (locations, bytes + sizeof key, n);
      status = add_stack (writing, w, profile, &key, locations,
                          (uint32_t) (n / sizeof *locations),
                          &writing->stacks->sums[i]);
    }
  return status;
}

static enum cgw_status
write_part (const struct writing *writing, struct cgw_profile *profile,
            const struct process *process)
{
  struct cgw_part part = CGW_PART_INIT;
  char rate[64];
  const char *desc[] = { rate };

  snprintf (rate, sizeof rate,
            "Sampled: %" PRIu64 " times per second of processor time",
            writing->options->hertz);
  part.events = events;
  part.n_events = EVENTS;
  part.positions = CGW_INSTR_LINE;
  part.pid = process->pid;
  part.cmd = process->command;
  part.desc = desc;
  part.n_desc = 1;
  return cgw_profile_write (profile, &part);
}

static enum cgw_status
write_stacks (struct writing *writing, struct cgw_writer *w, uint32_t output)
{
  uint64_t number = writing->stacks->output_process[output];
  struct cgw_profile *profile = NULL;
  enum cgw_status status
      = cgw_profile_new (&profile, w, EVENTS, CGW_INSTR_LINE);

  if (status == CGW_OK)
    status = add_stacks (writing, w, profile, output);
  if (status == CGW_OK)
    status = write_part (writing, profile,
                         maps_process (writing->stacks->maps, number));
  if (status == CGW_OK)
    status = cgw_finish (w);
  cgw_profile_free (profile);
  return status;
}

/* Writes to a descriptor of outfile_open's.  */
static bool
write_profile (struct writing *writing, uint32_t output, const char *path,
               int fd)
{
  struct cgw_writer *w;
  enum cgw_status status;

  if (fd < 0)
    return false;
  status = cgw_new (&w, fd, NULL);
  if (status == CGW_OK)
    status = write_stacks (writing, w, output);
  if (status != CGW_OK)
    outfile_complain (path, w, status);
  cgw_free (w);
  return outfile_close (path, status == CGW_OK);
}

/* All profiles.  */

/* How many outputs before this one are of a process with the same id.  */
static unsigned
earlier (const struct stacks *s, uint32_t output, uint64_t pid)
{
  unsigned n = 0;

  for (uint32_t i = 0; i < output; i++)
    n += maps_process (s->maps, s->output_process[i])->pid == pid;
  return n;
}

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
output_path (const struct stacks *s, const struct write_options *options,
             uint32_t output)
{
  uint64_t pid = maps_process (s->maps, s->output_process[output])->pid;
  unsigned again = earlier (s, output, pid);
  const char *name = output == 0 ? options->out : options->others;
  char *path = new_path (name);
  bool has_pid;
  size_t n = expand (path, name, pid, &has_pid);

  if (output != 0 && !has_pid)
    n += (size_t) sprintf (path + n, ".%" PRIu64, pid);
  /* Ids come round in the end.  */
  if (again != 0)
    sprintf (path + n, "-%u", again + 1);
  return path;
}

bool
write_begin (struct write_options *options)
{
  char *path = new_path (options->out);
  struct stat st;
  bool has_pid;

  expand (path, options->out, 0, &has_pid);
  options->first = -1;
  options->others = options->out;
  if (!has_pid)
    {
      options->first = outfile_open (path);
      if (strcmp (path, "-") == 0
          || (fstat (options->first, &st) == 0 && !S_ISREG (st.st_mode)))
        options->others = "callgrind.out.%p";
    }
  free (path);
  return has_pid || options->first >= 0;
}

/* Samples and ticks of each output.  */
static struct stack_sums *
sum_up (const struct stacks *s)
{
  struct stack_sums *sums = resize (NULL, s->outputs.n, sizeof *sums);

  memset (sums, 0, s->outputs.n * sizeof *sums);
  for (uint32_t i = 0; i < s->stacks.n; i++)
    {
      struct stack_key key;

      memcpy (&key, intern_bytes (&s->stacks, i, NULL), sizeof key);
      sums[key.output].samples += s->sums[i].samples;
      sums[key.output].ticks += s->sums[i].ticks;
    }
  return sums;
}

bool
write_profiles (struct stacks *s, const struct write_options *options)
{
  struct writing writing = { .stacks = s, .options = options };
  struct stack_sums *sums = sum_up (s);
  bool ok = true;

  resolver_begin (&writing.resolver, s->maps);
  for (uint32_t i = 0; i < s->outputs.n; i++)
    {
      const char *command
          = maps_process (s->maps, s->output_process[i])->command;
      char *path;

      if (i != 0 && sums[i].samples == 0)
        continue;
      path = output_path (s, options, i);
      if (write_profile (&writing, i, path,
                         i == 0 && options->first >= 0 ? options->first
                                                       : outfile_open (path)))
        fprintf (stderr, "cgw-sample: %s: %" PRIu64 " samples of %s\n",
                 outfile_name (path), sums[i].samples,
                 command != NULL ? command : "?");
      else
        ok = false;
      free (path);
    }
  resolver_end (&writing.resolver);
  free (writing.leaves);
  free (writing.calls);
  free (sums);
  return ok;
}
