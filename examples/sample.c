/* sample.c - runs a program under a sampling profiler and writes a profile in
   the callgrind format: the processor time of each function and line, of all
   its threads and of the processes that it starts.

   The agent (sample_agent.c) is preloaded into the program.  A timer for each
   thread's processor time interrupts it; a handler records the stack into
   memory that both share, through a cgw_recorder.  This process drains it
   while the program runs, so nothing is lost however the program ends; then
   it finds out what the addresses mean, and writes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "sample_check.h"
#include "sample_maps.h"
#include "sample_run.h"
#include "sample_shared.h"
#include "sample_stacks.h"
#include "sample_write.h"

#include <cgw.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define USAGE "Usage: sample [-F HZ] [-o OUT] [--fp] [--] PROGRAM [ARG...]\n"
#define AGENT "sample_agent.so"

/* The exit statuses of programs that run others.  */
enum { FAILED = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* The ring has room for what 64 processors sample in this time, at 1000 per
   second.  */
enum { DRAIN_MS = 20 };

struct options
{
  uint64_t hertz;
  const char *out;
  bool frame_pointers;
  char **program;
};

struct session
{
  struct options options;
  char *agent; /* its path */
  struct sample_shared *shared;
  int shared_fd;
  struct cgw_recorder *notes;
  struct cgw_recorder *samples;
  struct maps maps;
  struct stacks stacks;
  struct run run;
  struct stat image; /* what the first process last executed */
};

/* Shared memory.  */

static size_t
round_up (size_t n)
{
  return (n + 63) / 64 * 64;
}

static bool
make_shared (struct session *s)
{
  size_t notes = round_up (sizeof *s->shared);
  size_t samples = notes + round_up (cgw_recorder_size (
                               SAMPLE_NOTES, SAMPLE_NOTE_FRAMES, 0));
  size_t size = samples + cgw_recorder_size (SAMPLE_SLOTS, SAMPLE_FRAMES,
                                             SAMPLE_COSTS);
  char *memory;

  s->shared_fd = memfd_create ("sample", MFD_CLOEXEC);
  if (s->shared_fd < 0 || ftruncate (s->shared_fd, (off_t) size) != 0)
    return false;
  memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                 s->shared_fd, 0);
  if (memory == MAP_FAILED)
    return false;
  s->shared = (struct sample_shared *) (void *) memory;
  s->notes = cgw_recorder_init (memory + notes, SAMPLE_NOTES,
                                SAMPLE_NOTE_FRAMES, 0);
  s->samples = cgw_recorder_init (memory + samples, SAMPLE_SLOTS,
                                  SAMPLE_FRAMES, SAMPLE_COSTS);
  s->shared->magic = SAMPLE_MAGIC;
  s->shared->size = size;
  s->shared->interval = 1000000000 / s->options.hertz;
  s->shared->frame_pointers = s->options.frame_pointers;
  s->shared->notes = notes;
  s->shared->samples = samples;
  return true;
}

/* The agent lies beside this program, or, where libtool has put that into a
   folder of its own, above it.  NULL: it is not there.  */
static char *
find_agent (void)
{
  static const char *const places[] = { "", "../" };
  char self[4096];
  char path[sizeof self + sizeof AGENT + 8];
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);

  self[n > 0 ? n : 0] = '\0';
  if (strrchr (self, '/') != NULL)
    strrchr (self, '/')[1] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    {
      snprintf (path, sizeof path, "%s%s%s", self, places[i], AGENT);
      if (access (path, R_OK) == 0)
        return realpath (path, NULL);
    }
  return NULL;
}

/* Sampling.  */

/* Notes first: then those are there that were made before the samples of the
   drain before.  */
static void
drain (struct session *s)
{
  cgw_recorder_drain (s->notes, maps_take, &s->maps);
  if (maps_process (&s->maps, 1)->is_known)
    stacks_output (&s->stacks, 1); /* the first */
  stacks_settle (&s->stacks);
  cgw_recorder_drain (s->samples, stacks_take, &s->stacks);
}

/* Remembers what the first process executes, while that can be asked.  */
static void
look_at_image (struct session *s)
{
  char path[64];
  struct stat st;

  snprintf (path, sizeof path, "/proc/%ld/exe", (long) s->run.pid);
  if (stat (path, &st) == 0)
    s->image = st;
}

static void
sample (struct session *s)
{
  while (!s->run.has_ended && !s->run.is_urged)
    {
      look_at_image (s);
      run_wait (&s->run, DRAIN_MS);
      drain (s);
    }
  atomic_store (&s->shared->stop, 1);
  drain (s);
  drain (s);
}

/* Reports.  */

static void
complain (const char *what, const char *reason)
{
  fprintf (stderr, "sample: %s: %s\n", what, reason);
}

/* Whether the first process last executed a program without the agent.  */
static bool
lost_first (struct session *s)
{
  const struct process *last = NULL;

  for (uint64_t i = 1; i <= atomic_load (&s->shared->processes); i++)
    if (maps_process (&s->maps, i)->is_known
        && maps_process (&s->maps, i)->pid == (uint64_t) s->run.pid)
      last = maps_process (&s->maps, i);
  return last != NULL && s->image.st_ino != 0
         && (last->inode != s->image.st_ino
             || last->device != s->image.st_dev);
}

static void
report (struct session *s)
{
  struct cgw_recorder_stats stats = CGW_RECORDER_STATS_INIT;
  const struct sample_shared *h = s->shared;
  uint64_t lost_ticks = 0;
  uint64_t taken = atomic_load (&s->shared->taken);

  stats.n_costs = SAMPLE_COSTS;
  stats.lost_costs = &lost_ticks;
  cgw_recorder_get_stats (s->samples, &stats);
  fprintf (stderr,
           "sample: %" PRIu64 " samples taken in %.3f s of processor time, "
           "%" PRIu64 " recorded, %" PRIu64 " lost\n",
           taken,
           (double) atomic_load (&s->shared->taken_ticks)
               * (double) h->interval / 1e9,
           stats.drained, taken > stats.drained ? taken - stats.drained : 0);
  if (atomic_load (&s->shared->no_timer) != 0)
    fprintf (stderr, "sample: %" PRIu64 " threads got no timer: %s\n",
             atomic_load (&s->shared->no_timer),
             strerror ((int) atomic_load (&s->shared->timer_errno)));
  if (atomic_load (&s->shared->no_unwinder) != 0)
    fputs ("sample: libunwind.so.8 is missing: stacks were walked by frame "
           "pointers\n", stderr);
  if (lost_first (s))
    complain (s->options.program[0],
              "executed another program into which the agent was not loaded:"
              " it is static or setuid, or the environment was cleared");
}

/* The command line.  */

static void
usage_error (const char *reason, const char *what)
{
  fprintf (stderr, "sample: %s%s\n" USAGE, reason, what);
  exit (FAILED);
}

static void
print_and_exit (const char *text)
{
  fputs (text, stdout);
  exit (fflush (stdout) == 0 ? 0 : FAILED);
}

static const char help[] = USAGE "\
Runs PROGRAM under a sampling profiler, and writes where it spent its\n\
processor time as a profile for KCachegrind and callgrind_annotate.\n\
\n\
  -F HZ       samples per second of processor time of a thread: 1 to\n\
              10000, 1000 if not given.  The kernel looks at timers once per\n\
              tick, on many machines 250 times a second: then a sample\n\
              counts for as many as were due.\n\
  -o OUT      the profile, callgrind.out.%p if not given; \"%p\" stands for\n\
              the process id.  Without it in OUT, the profiles of further\n\
              processes get their ids behind it: OUT.123.\n\
  --fp        walk stacks by frame pointers: only right for programs and\n\
              libraries that are built with -fno-omit-frame-pointer\n\
  --help      print this\n\
  --version   print the version\n\
\n\
Debugging information (-g, or Debian's -dbgsym packages) gives lines,\n\
symbols give names.  The exit status is that of PROGRAM, or 125 when sample\n\
fails, 126 when PROGRAM cannot be executed, 127 when it is not found.\n";

static uint64_t
parse_hertz (const char *text)
{
  char *end;
  unsigned long n;

  errno = 0;
  n = strtoul (text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < 1
      || n > 10000)
    usage_error ("-F needs a number from 1 to 10000, not ", text);
  return n;
}

/* Every "%" begins "%p" or "%%", as cgw_create wants.  */
static void
check_out (const char *out)
{
  if (*out == '\0')
    usage_error ("-o needs a file", "");
  while ((out = strchr (out, '%')) != NULL)
    {
      if (out[1] != 'p' && out[1] != '%')
        usage_error ("only %p and %% may begin with % in ", out);
      out += 2;
    }
}

static void
parse_arguments (int argc, char **argv, struct options *o)
{
  int option = 1;

  while (option < argc && argv[option][0] == '-')
    {
      const char *arg = argv[option++];
      char *value;

      if (strcmp (arg, "--") == 0)
        break;
      if (strcmp (arg, "--help") == 0)
        print_and_exit (help);
      if (strcmp (arg, "--version") == 0)
        print_and_exit ("sample (libcgw) " CGW_VERSION_STRING "\n");
      if (strcmp (arg, "--fp") == 0)
        {
          o->frame_pointers = true;
          continue;
        }
      if (arg[1] != 'F' && arg[1] != 'o')
        usage_error ("unknown option ", arg);
      value = argv[option - 1] + 2;
      if (*value == '\0')
        value = option < argc ? argv[option++] : value;
      if (arg[1] == 'F')
        o->hertz = parse_hertz (value);
      else
        o->out = value;
    }
  check_out (o->out);
  if (option >= argc)
    usage_error ("no program", "");
  o->program = argv + option;
}

/* Starts the program; or says why not, and returns the exit status.  */
static int
start (struct session *s)
{
  char *culprit;
  const char *reason = check_program (s->options.program[0], &culprit);

  if (reason != NULL)
    complain (culprit, reason);
  free (culprit);
  if (reason != NULL)
    return FAILED;
  s->agent = find_agent ();
  if (s->agent == NULL || strpbrk (s->agent, " :") != NULL)
    {
      complain (AGENT, s->agent == NULL
                           ? "not found beside sample"
                           : "LD_PRELOAD takes no path with a blank or colon");
      return FAILED;
    }
  if (!make_shared (s))
    {
      complain ("shared memory", strerror (errno));
      return FAILED;
    }
  maps_begin (&s->maps);
  stacks_begin (&s->stacks, &s->maps, s->agent);
  if (run_start (&s->run, s->options.program, s->shared_fd, s->agent))
    return 0;
  complain (s->options.program[0], strerror (errno));
  return errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

int
main (int argc, char **argv)
{
  /* Static, so that what it leads to counts as in use to the end.  */
  static struct session s
      = { .options = { .hertz = 1000, .out = "callgrind.out.%p" } };
  struct write_options write_options;
  int status;

  parse_arguments (argc, argv, &s.options);
  status = start (&s);
  if (status != 0)
    return status;
  sample (&s);
  if (s.stacks.outputs.n == 0)
    {
      complain (s.options.program[0],
                "the agent was not loaded into it: there is no profile");
      run_exit (&s.run);
    }
  report (&s);
  write_options = (struct write_options){ s.options.out, s.shared->interval,
                                          s.options.hertz };
  if (!write_profiles (&s.stacks, &write_options))
    return FAILED;
  run_exit (&s.run);
}
