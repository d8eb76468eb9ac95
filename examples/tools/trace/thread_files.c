/* thread_files.c - writes what was traced: a profile for each thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "thread_files.h"

#include "../format/reader.h"
#include "../run/size_limit.h"
#include "../run/tree.h"
#include "clock.h"
#include "outcome.h"
#include "symbolize.h"
#include "trace_shared.h"

#include <cgw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output
{
  struct resolver *resolver;
  struct cgw_names *names;
  struct cgw_writer *writer; /* of the file that is open, or NULL */
  struct cgw_profile *profile; /* of the thread that is being written */
  const char *path;          /* and its name */
  bool is_new;               /* there was no file of that name */
  unsigned thread;           /* whose the file is */
  uint64_t time;             /* in the file */
  uint64_t overhead;         /* of a call, in ns */
  char *command_line;
  unsigned n_parts;          /* that were written */
  bool is_cut;               /* the thread's calls are, see run/tree.h */
  bool failed;
};

/* The permissions that new files lack, before the program changes that.  */
static mode_t file_mask;

void
write_begin (void)
{
  file_mask = umask (S_IRWXG | S_IRWXO);
  umask (file_mask);
}

static void
fail (struct output *o, int error)
{
  if (!o->failed)
    outcome_failed (trace_settings.command, o->thread, error);
  o->failed = true;
}

/* Without memory there is no writer.  */
static void
fail_to_write (struct output *o)
{
  fail (o, o->writer && cgw_error (o->writer, NULL) == CGW_EIO
             ? cgw_errno (o->writer)
             : ENOMEM);
}

/* What goes into the header.  */

/* The arguments, with blanks between them.  */
static char *
read_command_line (void)
{
  FILE *in = fopen ("/proc/self/cmdline", "re");
  size_t size = 0, n;
  char *line = NULL;

  if (!in)
    return NULL;
  do
    {
      char *more = realloc (line, size + 4097);
      if (!more)
        break;
      line = more;
      n = fread (line + size, 1, 4096, in);
      size += n;
    }
  while (n == 4096);
  fclose (in);
  while (size != 0 && line[size - 1] == '\0')
    size--;
  for (size_t i = 0; i < size; i++)
    if (line[i] == '\0')
      line[i] = ' ';
  if (line)
    line[size] = '\0';
  return line;
}

/* What the tracer costs a call, in ns: the least of several tries, for others
   may have the processor meanwhile.  */
static uint64_t
measure_overhead (void)
{
  enum { TRIES = 20, TIMES = 500 };
  clockid_t clock
      = trace_settings.cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  struct calls try = { 0 };
  bool ok = calls_open (&try, clock);
  uint64_t least = UINT64_MAX;

  for (int i = 0; i < TRIES && ok; i++)
    {
      uint64_t time = clock_now (clock);
      for (int j = 0; j < TIMES && ok; j++)
        {
          ok = calls_enter (&try, 1, 2, 3, 64);
          calls_leave (&try, 1, clock_now (clock));
        }
      time = clock_now (clock) - time;
      least = time < least ? time : least;
    }
  calls_free (&try);
  return ok ? least / TIMES : 0;
}

static void
write_part (struct output *o, const struct thread *t)
{
  struct cgw_event events[EVENTS]
      = { { "Time",
            trace_settings.cpu ? "Processor time in ns"
                               : "Wall-clock time in ns",
            NULL },
          { "Calls", "Calls of functions", NULL } };
  struct cgw_event fit[EVENTS];
  char overhead[100], skipped[100];
  const char *desc[4] = { overhead };
  struct cgw_part part = CGW_PART_INIT;

  snprintf (overhead, sizeof overhead,
            TRACE_OVERHEAD "%llu ns per call, in the times",
            (unsigned long long) o->overhead);
  part.n_desc = 1;
  if (t->skipped != 0)
    {
      snprintf (skipped, sizeof skipped,
                "Missing: %llu calls by handlers that interrupted the tracer",
                (unsigned long long) t->skipped);
      desc[part.n_desc++] = skipped;
    }
  if (t->blind)
    desc[part.n_desc++] = "Missing: what came when there was no memory";
  if (o->is_cut)
    desc[part.n_desc++] = TREE_CUT_DESC;
  part.events = events;
  part.n_events = EVENTS;
  part.positions = CGW_LINE;
  part.pid = (uint64_t) getpid ();
  part.number = trace_settings.parts ? o->n_parts + 1 : 1;
  part.thread = t->number;
  part.cmd = o->command_line;
  part.desc = desc;
  reader_fit (trace_settings.reader, &part, fit);
  cgw_profile_write (o->profile, o->writer, &part);
}

/* What a thread did.  */

/* A function, or its context, if that has a number.  */
static struct cgw_fn
add_fn (struct output *o, const struct address *a, uint64_t context)
{
  struct cgw_file file = cgw_add_file (o->names, a->function.file);
  struct cgw_object object = cgw_add_object (o->names, a->object);
  char *name;
  struct cgw_fn fn;

  if (context == 0)
    return cgw_add_fn (o->names, a->function.fn, file, object);
  if (asprintf (&name, "%s'%llu", a->function.fn,
                (unsigned long long) context)
      < 0)
    return (struct cgw_fn){ 0 };
  fn = cgw_add_fn (o->names, name, file, object);
  free (name);
  return fn;
}

/* Where a function begins.  */
static struct cgw_pos
function_at (struct output *o, const struct address *a, uint64_t context)
{
  return (struct cgw_pos){ .fn = add_fn (o, a, context),
                           .line = a->function.line };
}

/* Where a function made a call.  The address that it returns to may be in
   another function, which is not traced and made the call; then it is
   unknown.  */
static bool
call_at (struct output *o, const struct sum *s, uint64_t context,
         struct cgw_pos *pos)
{
  const struct address *caller = resolve (o->resolver, s->caller);
  /* The call is before the address, and may be the last of its line.  */
  const struct address *a = resolve (o->resolver, s->from - 1);

  if (!caller || !a)
    return false;
  *pos = function_at (o, caller, context);
  pos->line = 0;
  for (size_t i = 0; i < a->n_places; i++)
    if (strcmp (a->places[i].fn, caller->function.fn) == 0
        && strcmp (a->object, caller->object) == 0)
      {
        pos->line = a->places[i].line;
        pos->file = cgw_add_file (o->names, a->places[i].file);
        break;
      }
  return true;
}

/* Functions at several addresses may be one in the file, such as the
   destructors that C++ makes of one: that which deletes calls the other, and
   its cost is in the first one's.  So this is recursion, and counts with cost
   0, as where the address is the same.  */
static void
add_call (struct output *o, const struct sum *s, const struct cgw_pos *from,
          const struct cgw_pos *to)
{
  bool is_recursion = from->fn.handle == to->fn.handle;

  if (is_recursion && trace_settings.reader
      && trace_settings.reader->drops_recursion)
    return;
  cgw_profile_call (o->profile, from, to, s->count, s->costs,
                    is_recursion ? 0 : EVENTS);
}

/* The caller of contexts that lack theirs.  */
static bool
cut_at (struct output *o, struct cgw_pos *pos)
{
  o->is_cut = true;
  *pos = (struct cgw_pos){ .fn = cgw_add_fn (o->names, TREE_CUT "'0",
                                             (struct cgw_file){ 0 },
                                             (struct cgw_object){ 0 }) };
  return true;
}

/* In a tree.  False: no memory.  */
static bool
add_context (struct output *o, const struct sum *s,
             const struct address *function)
{
  uint64_t number = s->count == 0 ? s->from : s->costs[SUM_CALLEE];
  struct cgw_pos at = function_at (o, function, number), from;

  if (s->count == 0)
    cgw_profile_cost (o->profile, &at, s->costs, EVENTS);
  else if ((number & SUMS_CUT) != 0 ? cut_at (o, &from)
                                    : call_at (o, s, s->costs[SUM_CALLER],
                                               &from))
    cgw_profile_call (o->profile, &from, &at, s->count, NULL, 0);
  else
    return false;
  return true;
}

/* False: no memory.  */
static bool
add_sum (struct output *o, const struct sum *s)
{
  const struct address *callee = resolve (o->resolver, s->fn);
  struct cgw_pos from, to;

  if (!callee)
    return false;
  if (trace_settings.trees)
    return add_context (o, s, callee);
  to = function_at (o, callee, 0);
  if (s->count == 0)
    cgw_profile_cost (o->profile, &to, s->costs, EVENTS);
  else if (call_at (o, s, 0, &from))
    add_call (o, s, &from, &to);
  else
    return false;
  return true;
}

static bool
add_sums (struct output *o, const struct sums *s)
{
  for (size_t i = 0; i < s->n; i++)
    if (!add_sum (o, &s->all[i]))
      return false;
  return !s->are_missing;
}

static void
write_thread (struct output *o, struct thread *t)
{
  uint64_t total[EVENTS] = { 0 };

  o->is_cut = false;
  if (cgw_profile_new (&o->profile, o->names, EVENTS, CGW_LINE) == CGW_OK
      && add_sums (o, &t->calls.sums))
    write_part (o, t);
  else
    fail (o, ENOMEM);
  cgw_profile_total (o->profile, total, EVENTS);
  o->time += total[0];
  cgw_profile_free (o->profile);
  o->n_parts++;
}

/* Files.  */

static void
open_file (struct output *o, char *path)
{
  struct cgw_options options = CGW_OPTIONS_INIT;

  o->path = path;
  o->is_new = access (path, F_OK) != 0;
  o->time = 0;
  options.creator = "libcgw-" CGW_VERSION_STRING " trace";
  options.flags = CGW_REPLACE;
  if (trace_settings.reader)
    options.flags |= trace_settings.reader->flags;
  if (cgw_open (&o->writer, o->names, path, &options) != CGW_OK)
    {
      fail_to_write (o);
      cgw_free (o->writer);
      o->writer = NULL;
    }
}

static void
close_file (struct output *o)
{
  if (!o->writer)
    return;
  if (cgw_finish (o->writer) != CGW_OK)
    fail_to_write (o);
  else
    {
      /* By the umask of the beginning, which the program may have changed.
         Somebody who may rename files here may have put a link in the place of
         this one: do not change the mode of what it leads to.  */
      if (o->is_new)
        fchmodat (AT_FDCWD, o->path, DEFFILEMODE & ~file_mask,
                  AT_SYMLINK_NOFOLLOW);
      outcome_file (trace_settings.command, o->thread, o->time);
    }
  cgw_free (o->writer);
  o->writer = NULL;
}

/* The name of a file: OUT for the command, OUT.PID for the processes that it
   forked, and callgrind.out.PID when nothing is said; for all threads but the
   first, "-N" behind it.  */
static char *
file_name (unsigned thread)
{
  char pid[32] = "", number[32] = "", *name;

  if (!trace_settings.out)
    return NULL;
  if (trace_settings.with_pid)
    snprintf (pid, sizeof pid, ".%ld", (long) getpid ());
  if (thread > 1)
    snprintf (number, sizeof number, "-%u", thread);
  return asprintf (&name, "%s%s%s", trace_settings.out, pid, number) >= 0
             ? name
             : NULL;
}

static void
write_files (struct output *o, struct thread *threads)
{
  char *name = NULL;

  for (struct thread *t = threads; t && !o->failed; t = t->next)
    {
      if (t->calls.n == 0)
        continue;
      if (!o->writer)
        {
          free (name);
          o->thread = trace_settings.parts ? 1 : t->number;
          name = file_name (o->thread);
          if (!name)
            return fail (o, ENOMEM);
          open_file (o, name);
        }
      if (!o->failed)
        write_thread (o, t);
      if (!trace_settings.parts)
        close_file (o);
    }
  close_file (o);
  o->path = NULL;
  free (name);
}

static void
resolve_and_write (struct output *o, struct thread *threads)
{
  o->resolver = resolver_new ();
  cgw_names_new (&o->names, NULL);
  o->command_line = read_command_line ();
  o->overhead = measure_overhead ();
  if (o->resolver && o->names)
    write_files (o, threads);
  else
    fail (o, ENOMEM);
  cgw_names_free (o->names);
  resolver_free (o->resolver);
  free (o->command_line);
}

bool
write_threads (struct thread *threads)
{
  struct output o = { 0 };
  struct size_limit limit;

  size_limit_ignore (&limit);
  resolve_and_write (&o, threads);
  size_limit_restore (&limit);
  return !o.failed;
}
