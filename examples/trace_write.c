/* trace_write.c - writes what was traced: a profile for each thread.

   SPDX-License-Identifier: MIT  */

#include "trace_resolve.h"
#include "trace_thread.h"

#include <cgw.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output
{
  struct resolver *resolver;
  struct cgw_writer *writer; /* of the file that is open, or NULL */
  const char *path;          /* and its name */
  uint64_t overhead;         /* of a call, in ns */
  char *command_line;
  uint64_t calls;            /* in all threads */
  unsigned threads;          /* written */
  bool failed;
};

/* Messages.  */

/* The standard error as it was when the program began: it must not become a
   file of the program's.  */
static struct stat messages;

static __attribute__ ((constructor)) void
find_messages (void)
{
  if (fstat (STDERR_FILENO, &messages) != 0)
    messages.st_nlink = 0;
}

static void
say (const char *what, const char *why)
{
  struct stat now;

  if (messages.st_nlink != 0 && fstat (STDERR_FILENO, &now) == 0
      && now.st_ino == messages.st_ino && now.st_dev == messages.st_dev)
    dprintf (STDERR_FILENO, "trace: %s%s%s\n", what, *why ? ": " : "", why);
}

static void
fail (struct output *o, const char *why)
{
  if (!o->failed)
    say (o->path ? o->path : "no profile", why);
  o->failed = true;
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
  struct thread try = { .clock = CLOCK_MONOTONIC };
  uint64_t least = UINT64_MAX;

  if (trace_settings.cpu)
    try.clock = CLOCK_THREAD_CPUTIME_ID;
  for (int i = 0; i < TRIES; i++)
    {
      uint64_t time = thread_now (&try);
      for (int j = 0; j < TIMES; j++)
        {
          struct frame *f = calls_enter (&try.calls, 1, 2, 3, 4);
          if (!f)
            return 0;
          f->start = thread_now (&try);
          calls_leave (&try.calls, 1, thread_now (&try));
        }
      time = thread_now (&try) - time;
      least = time < least ? time : least;
    }
  calls_free (&try.calls);
  return least / TIMES;
}

static enum cgw_status
write_part (struct output *o, struct cgw_profile *profile,
            const struct thread *t)
{
  struct cgw_event events[]
      = { { "Time",
            trace_settings.cpu ? "CPU time [ns]" : "Wall-clock time [ns]",
            NULL },
          { "Calls", "Calls of functions", NULL } };
  char overhead[100], skipped[100];
  const char *desc[3] = { overhead };
  struct cgw_part part = CGW_PART_INIT;

  snprintf (overhead, sizeof overhead,
            "Overhead: %llu ns per call, in the times",
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
  part.events = events;
  part.n_events = 2;
  part.positions = CGW_LINE;
  part.pid = (uint64_t) getpid ();
  part.part = trace_settings.parts ? o->threads + 1 : 1;
  part.thread = t->number;
  part.cmd = o->command_line;
  part.desc = desc;
  return cgw_profile_write (profile, &part);
}

/* What a thread did.  */

/* Where a function begins.  */
static struct cgw_pos
function_at (struct output *o, const struct address *a)
{
  struct cgw_pos pos = { .line = a->function.line };

  pos.fn = cgw_add_fn (o->writer, a->function.fn,
                       cgw_add_file (o->writer, a->function.file),
                       cgw_add_object (o->writer, a->object));
  return pos;
}

/* Where a function made a call.  The address that it returns to may be in
   another function, which is not traced and made the call; then it is
   unknown.  */
static bool
call_at (struct output *o, const struct edge *e, struct cgw_pos *pos)
{
  const struct address *caller = resolve (o->resolver, e->caller);
  /* The call is before the address, and may be the last of its line.  */
  const struct address *a = resolve (o->resolver, e->site - 1);

  if (!caller || !a)
    return false;
  *pos = function_at (o, caller);
  pos->line = 0;
  for (size_t i = 0; i < a->n_places; i++)
    if (strcmp (a->places[i].fn, caller->function.fn) == 0
        && strcmp (a->object, caller->object) == 0)
      {
        pos->line = a->places[i].line;
        pos->file = cgw_add_file (o->writer, a->places[i].file);
        break;
      }
  return true;
}

static enum cgw_status
add_edge (struct output *o, struct cgw_profile *profile, const struct edge *e)
{
  const struct address *callee = resolve (o->resolver, e->callee);
  uint64_t own[2] = { e->self, e->count };
  uint64_t inside[2] = { e->time, e->calls };
  struct cgw_pos from, to;
  enum cgw_status status;

  if (!callee)
    return CGW_ENOMEM;
  to = function_at (o, callee);
  status = cgw_profile_cost (profile, &to, own, 2);
  if (status != CGW_OK || e->caller == 0)
    return status;
  if (!call_at (o, e, &from))
    return CGW_ENOMEM;
  return cgw_profile_call (profile, &from, &to, e->count, inside, 2);
}

static void
write_thread (struct output *o, const struct thread *t)
{
  const struct calls *c = &t->calls;
  struct cgw_profile *profile;
  enum cgw_status status = cgw_profile_new (&profile, o->writer, 2, CGW_LINE);

  for (size_t i = 0; i < c->n_edges && status == CGW_OK; i++)
    if (c->edges[i].count != 0)
      status = add_edge (o, profile, c->edges + i);
  if (status == CGW_OK)
    status = write_part (o, profile, t);
  cgw_profile_free (profile);
  if (status != CGW_OK)
    fail (o, cgw_strerror (status));
  o->calls += c->n;
  o->threads++;
}

/* Files.  */

/* "%" means something to cgw_create.  */
static char *
escaped (const char *path)
{
  char *result = malloc (2 * strlen (path) + 1);
  char *to = result;

  if (!result)
    return NULL;
  do
    {
      if (*path == '%')
        *to++ = '%';
      *to++ = *path;
    }
  while (*path++ != '\0');
  return result;
}

static void
open_file (struct output *o, char *path)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  char *pattern = escaped (path);
  enum cgw_status status;

  o->path = path;
  options.creator = "libcgw-" CGW_VERSION_STRING " trace";
  if (!pattern)
    return fail (o, strerror (ENOMEM));
  status = cgw_create (&o->writer, pattern, &options);
  free (pattern);
  if (status != CGW_OK)
    {
      fail (o, status == CGW_EIO ? strerror (cgw_errno (o->writer))
                                 : cgw_explain (o->writer, status));
      cgw_free (o->writer);
      o->writer = NULL;
    }
}

static void
close_file (struct output *o)
{
  enum cgw_status status;

  if (!o->writer)
    return;
  status = cgw_finish (o->writer);
  if (status != CGW_OK)
    fail (o, status == CGW_EIO ? strerror (cgw_errno (o->writer))
                               : cgw_explain (o->writer, status));
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
  name = malloc (strlen (trace_settings.out) + sizeof pid + sizeof number);
  if (name)
    sprintf (name, "%s%s%s", trace_settings.out, pid, number);
  return name;
}

static void
write_threads (struct output *o, struct thread *threads)
{
  char *name = NULL;

  for (struct thread *t = threads; t && !o->failed; t = t->next)
    {
      if (t->calls.n == 0)
        continue;
      if (!o->writer)
        {
          free (name);
          name = file_name (trace_settings.parts ? 1 : t->number);
          if (!name)
            return fail (o, strerror (ENOMEM));
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

static struct thread *
reversed (struct thread *list)
{
  struct thread *result = NULL;

  while (list)
    {
      struct thread *next = list->next;
      list->next = result;
      result = list;
      list = next;
    }
  return result;
}

static void
report (const struct output *o)
{
  char text[100];
  char *name;

  if (o->failed || !trace_settings.command)
    return;
  if (o->threads == 0)
    return say ("no profile: the program calls no function that was compiled "
                "with -finstrument-functions", "");
  name = file_name (1);
  snprintf (text, sizeof text, "%llu calls, threads: %u",
            (unsigned long long) o->calls, o->threads);
  say (name ? name : "", text);
  free (name);
}

void
trace_write (void)
{
  struct thread *threads = reversed (thread_stop ());
  struct output o = { 0 };

  if (threads)
    {
      o.resolver = resolver_new ();
      o.command_line = read_command_line ();
      o.overhead = measure_overhead ();
      if (o.resolver)
        write_threads (&o, threads);
      else
        fail (&o, strerror (ENOMEM));
      resolver_free (o.resolver);
      free (o.command_line);
    }
  report (&o);
}
