/* sample.c - runs a program under a sampling profiler and writes a profile in
   the callgrind format: the processor time of each function and line, of all
   its threads and of the processes that it starts.

   The agent (agent.c) is preloaded into the program.  A clock of each thread's
   processor time interrupts it, and a handler pushes the stack to a
   cgw_recorder in shared memory.  This process drains the recorder while the
   program runs, so nothing is lost however the program ends.  Then it
   symbolizes the addresses and writes the profiles.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/coverage.h"
#include "../base/outfile.h"
#include "../base/shell.h"
#include "../base/text.h"
#include "../base/tool.h"
#include "../format/reader_tool.h"
#include "../run/preload.h"
#include "../run/run.h"
#include "../run/shared_file.h"
#include "../symbols/maps.h"
#include "sample_shared.h"
#include "stacks.h"
#include "unsampled.h"
#include "write.h"

#include <cgw.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AGENT "sample_agent.so"

/* The ring has room for what 64 processors sample in this time, at 1000 per
   second.  */
enum
{
  DRAIN_MS = 20,
  LOOK_DRAINS = 5 /* drains from one look for programs without the agent to the
                     next */
};

/* Options without a letter.  */
enum { FRAME_POINTERS = 256, FOR, INLINE, TIMERS, SAVE_EVERY, TO };

struct options
{
  uint64_t hertz;
  const char *out;
  bool frame_pointers;
  bool inline_functions;
  bool timers;
  bool is_quiet;
  uint64_t save_every; /* seconds; 0: only at the end */
  struct export_options to;
  char **program;
};

struct session
{
  struct options options;
  char *agent; /* its path */
  struct sample_shared *shared;
  struct shared_file shared_file;
  struct cgw_recorder *notes;
  struct cgw_recorder *samples;
  struct maps maps;
  struct stacks stacks;
  struct write_options write_options;
  struct run run;
  struct unsampled unsampled;
  uint64_t recorded; /* samples */
  bool is_overwritten; /* the memory is not as it was made */
  const char *no_events; /* why threads have timers instead, or NULL */
  pid_t saver;       /* the process that is saving, or 0 */
  time_t save_at;    /* when to save next */
};

/* Shared memory.  */

static bool
make_shared (struct session *s)
{
  char *memory;

  if (!shared_file_make (&s->shared_file, sample_shared_size ()))
    return false;
  memory = s->shared_file.memory;
  s->shared = (struct sample_shared *) (void *) memory;
  s->notes = cgw_recorder_init (memory + sample_notes_offset (), SAMPLE_NOTES,
                                SAMPLE_NOTE_FRAMES, 0);
  s->samples = cgw_recorder_init (memory + sample_samples_offset (),
                                  SAMPLE_SLOTS, SAMPLE_FRAMES, SAMPLE_COSTS);
  s->shared->magic = SAMPLE_MAGIC;
  s->shared->interval = s->write_options.interval;
  s->shared->frame_pointers = s->options.frame_pointers;
  s->shared->timers = s->no_events != NULL;
  return true;
}

/* Sampling.  */

/* Notes first: then those are there that were made before the samples of the
   drain before.  */
static void
drain (struct session *s)
{
  size_t notes, samples;

  notes = cgw_recorder_drain_shared (s->notes, SAMPLE_NOTES,
                                     SAMPLE_NOTE_FRAMES, 0, stacks_take_note,
                                     &s->stacks);
  if (maps_process (&s->maps, 1)->is_known)
    stacks_output (&s->stacks, 1); /* the first */
  stacks_settle (&s->stacks);
  samples = cgw_recorder_drain_shared (s->samples, SAMPLE_SLOTS,
                                       SAMPLE_FRAMES, SAMPLE_COSTS,
                                       stacks_take, &s->stacks);
  if (notes == SIZE_MAX || samples == SIZE_MAX)
    s->is_overwritten = true;
  else
    s->recorded += samples;
}

/* Saves the profiles so far, in a child: symbolizing takes a while, and the
   samples must be drained meanwhile.  The one before may still be at it.  */
static void
save_now_and_then (struct session *s)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  if (s->save_at == 0)
    s->save_at = now.tv_sec + (time_t) s->options.save_every;
  if (s->options.save_every == 0 || now.tv_sec < s->save_at
      || s->stacks.outputs.n == 0
      || (s->saver != 0 && waitpid (s->saver, NULL, WNOHANG) == 0))
    return;
  s->save_at = now.tv_sec + (time_t) s->options.save_every;
  write_clear (&s->write_options);
  s->saver = fork ();
  if (s->saver == 0)
    {
      s->write_options.is_saver = true;
      leave (write_profiles (&s->stacks, &s->write_options) ? 0 : 1);
    }
  if (s->saver < 0)
    s->saver = 0;
}

static void
sample (struct session *s)
{
  for (unsigned n = 1; !s->run.has_ended && !s->run.is_urged; n++)
    {
      if (n % LOOK_DRAINS == 0)
        unsampled_look (&s->unsampled, &s->maps, s->run.pid);
      run_wait (&s->run, DRAIN_MS);
      drain (s);
      save_now_and_then (s);
    }
  if (s->saver != 0)
    waitpid (s->saver, NULL, 0);
  atomic_store (&s->shared->stop, 1);
  drain (s);
  drain (s);
}

/* Reports.  */

/* Which clocks ran: what is measured depends on it.  */
static void
report_clock (const struct session *s)
{
  const struct sample_shared *h = s->shared;
  uint64_t events = atomic_load (&h->events);
  uint64_t timers = atomic_load (&h->timers_set);
  uint64_t neither = atomic_load (&h->no_clock);
  int error = (int) atomic_load (&h->event_errno);

  fprintf (stderr,
           "cgw-sample: threads interrupted by perf events: %" PRIu64, events);
  fprintf (stderr, ", by timers: %" PRIu64, timers);
  if (s->no_events != NULL)
    fprintf (stderr, " (%s)", s->no_events);
  else if (error != 0)
    fprintf (stderr, " (perf_event_open: %s)", strerror (error));
  if (neither != 0)
    fprintf (stderr, ", by neither: %" PRIu64 " (%s)", neither,
             strerror ((int) atomic_load (&h->clock_errno)));
  fputc ('\n', stderr);
}

/* The time that is in no sample, if it matters: the agent was not there.  */
static void
report_missing (const struct session *s, double sampled)
{
  const char *path = unsampled_path (&s->unsampled, &s->maps);
  double missing = s->run.seconds - sampled;

  if (missing <= 0.1 || missing <= s->run.seconds / 5)
    return;
  fprintf (stderr,
           "cgw-sample: %.3f s of %.3f s of processor time are in no sample: "
           "programs that are static or setuid, or without the environment",
           missing, s->run.seconds);
  if (path != NULL)
    {
      fputs (" (such as ", stderr);
      printable_print (stderr, path);
      fputc (')', stderr);
    }
  fprintf (stderr,
           ", the dynamic linker, threads without a clock%s, or samples that "
           "took long\n",
           atomic_load (&s->shared->timers_set) != 0
               ? " or between two ticks of their timers"
               : "");
}

static bool
is_overwritten (const struct session *s)
{
  return s->is_overwritten || s->shared->magic != SAMPLE_MAGIC;
}

/* What went wrong.  */
static void
report_faults (const struct session *s)
{
  const struct sample_shared *h = s->shared;
  uint64_t left_out = atomic_load (&h->left_out);

  if (is_overwritten (s))
    tool_warn (s->options.program[0], 0,
               "it wrote to memory of cgw-sample: samples are missing, or "
               "wrong");
  if (atomic_load (&h->no_unwinder) != 0)
    fputs ("cgw-sample: libunwind.so.8 is missing: stacks were walked by frame "
           "pointers\n", stderr);
  if (left_out != 0)
    fprintf (stderr,
             "cgw-sample: there was no room for %" PRIu64 " mappings of code: "
             "their functions are \"???\"\n", left_out);
  if (s->run.has_ended)
    unsampled_report_left (s->shared_file.path);
}

static void
report (const struct session *s)
{
  const struct sample_shared *h = s->shared;
  uint64_t taken = atomic_load (&h->taken);
  uint64_t lost = taken > s->recorded ? taken - s->recorded : 0;
  double sampled = (double) atomic_load (&h->taken_ticks)
                   * (double) s->write_options.interval / 1e9;

  if (!s->options.is_quiet || lost != 0)
    fprintf (stderr,
             "cgw-sample: %" PRIu64 " samples taken in %.3f s of processor "
             "time, %" PRIu64 " recorded, %" PRIu64 " lost\n",
             taken, sampled, s->recorded, lost);
  if (!s->options.is_quiet || atomic_load (&h->no_clock) != 0)
    report_clock (s);
  report_faults (s);
  report_missing (s, sampled);
}

/* The command line.  */

static const struct option long_options[]
    = { { "frequency", required_argument, NULL, 'F' },
        { "output", required_argument, NULL, 'o' },
        { "for", required_argument, NULL, FOR },
        { "quiet", no_argument, NULL, 'q' },
        { "fp", no_argument, NULL, FRAME_POINTERS },
        { "inline", required_argument, NULL, INLINE },
        { "timers", no_argument, NULL, TIMERS },
        { "save-every", required_argument, NULL, SAVE_EVERY },
        { "to", required_argument, NULL, TO },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-sample",
  .usage = "[--for READER] [--fp] [-F HZ] [--inline functions|lines]\n"
           "                  [-o OUT] [-q] [--save-every SECONDS] [--timers]\n"
           "                  [--to FORMAT] [--] PROGRAM [ARG...]",
  .help = "\
Run PROGRAM, sample where it spends its processor time, and write a profile for\n\
KCachegrind and callgrind_annotate.\n\
\n\
      --for READER    write what one reader shows right: kcachegrind,\n\
                      callgrind_annotate, cg_annotate, gprof2dot, qtcreator or\n\
                      speedscope; and print what that does not show\n\
      --fp            walk stacks by frame pointers: only right for programs\n\
                      and libraries built with -fno-omit-frame-pointer\n\
  -F, --frequency HZ  samples per second of a thread's processor time: 1 to\n\
                      10000 (default: 1000)\n\
      --inline functions|lines\n\
                      make inlined functions functions of their own, or lines\n\
                      of those that they are in (the default)\n\
  -o, --output OUT    write to the file OUT (default: callgrind.out.%p, or, for\n\
                      instance, profile.%p.pb.gz).  \"%p\" stands for the\n\
                      process id.  If OUT lacks it, the process\n\
                      id is appended for further processes: OUT.123.\n\
                      \"-\" is standard output.\n\
  -q, --quiet         print only what went wrong\n\
      --save-every SECONDS\n\
                      also write the profiles every SECONDS, in case the\n\
                      sampling is killed.  OUT must be a regular file.\n\
      --timers        interrupt threads by timers, even if perf_event_open is\n\
                      allowed.  The kernel checks timers once per tick, on many\n\
                      machines 250 times a second.  One sample then counts for\n\
                      all periods that have passed.\n\
      --to FORMAT     write another format than callgrind profiles: folded,\n\
                      pprof or speedscope\n",
  .letters = "F:o:q",
  .options = long_options,
  .runs_program = true
};

/* Every "%" begins "%p" or "%%", as cgw_open wants.  */
static void
check_out (const char *out)
{
  for (const char *p = out; (p = strchr (p, '%')) != NULL; p += 2)
    if (p[1] != 'p' && p[1] != '%')
      tool_usage_error ("a % must be followed by p or another %, not as in ", out);
}

/* Whether inlined functions are to be functions.  */
static bool
parse_inline (const char *text)
{
  if (strcmp (text, "functions") != 0 && strcmp (text, "lines") != 0)
    tool_usage_error ("--inline is functions or lines, not ", text);
  return text[0] == 'f';
}

static void
parse_arguments (int argc, char **argv, struct options *o)
{
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    if (option == 'F')
      o->hertz = tool_number ("-F", optarg, 10000);
    else if (option == 'o')
      o->out = optarg;
    else if (option == 'q')
      o->is_quiet = true;
    else if (option == FRAME_POINTERS)
      o->frame_pointers = true;
    else if (option == FOR)
      o->to.reader = reader_option (optarg);
    else if (option == INLINE)
      o->inline_functions = parse_inline (optarg);
    else if (option == SAVE_EVERY)
      o->save_every = tool_number ("--save-every", optarg, 86400);
    else if (option == TO)
      o->to.format = export_option (optarg);
    else
      o->timers = true;
  export_check (&o->to);
  if (o->out != NULL)
    check_out (o->out);
  if (optind >= argc)
    tool_usage_error ("no program", "");
  o->program = argv + optind;
}

/* Why threads cannot have events, or NULL.  Without room in the queue of
   signals, and with less ticks than were asked for, timers are better.  */
static const char *
no_events (const struct options *o)
{
  FILE *file;
  struct rlimit limit;
  unsigned long rate;

  if (o->timers)
    return "--timers";
  /* A long system call lets as many signals wait as it takes milliseconds.  */
  if (getrlimit (RLIMIT_SIGPENDING, &limit) == 0
      && limit.rlim_cur < 5 * o->hertz)
    return "too few signals may be queued: see ulimit -i";
  file = fopen ("/proc/sys/kernel/perf_event_max_sample_rate", "re");
  if (file == NULL)
    return NULL; /* the kernel says why */
  if (fscanf (file, "%lu", &rate) != 1)
    rate = 0;
  fclose (file);
  return rate < 2 * o->hertz ? "kernel.perf_event_max_sample_rate is too low"
                             : NULL;
}

/* In the program's process.  Programs that it starts find the agent and the
   memory in the environment, too.  */
static bool
set_environment (void *session)
{
  const struct session *s = session;

  return setenv (SAMPLE_ENV, s->shared_file.path, 1) == 0
         && preload_set (s->agent);
}

static bool
begin (struct session *s)
{
  maps_begin (&s->maps);
  stacks_begin (&s->stacks, &s->maps, s->agent);
  s->no_events = no_events (&s->options);
  return make_shared (s) || tool_complain ("shared memory", 0,
                                           strerror (errno));
}

/* Nothing can be preloaded, but perf needs nothing in the program.  */
static void
advise_perf (const struct options *o)
{
  fprintf (stderr, "Try:  perf record -F %" PRIu64 " -g --", o->hertz);
  for (char **word = o->program; *word != NULL; word++)
    shell_print_word (stderr, *word);
  fputs ("  and  cgw-import -o profile perf.data\n", stderr);
}

/* Starts the program; or says why not, and returns the exit status.  */
static int
start (struct session *s)
{
  const char *program = s->options.program[0];
  char *culprit;
  const char *reason = preload_check (program, &culprit);

  if (reason != NULL)
    {
      tool_complain (culprit, 0, reason);
      advise_perf (&s->options);
    }
  free (culprit);
  if (reason != NULL)
    return TOOL_NOT_RUN;
  s->agent = preload_find (AGENT, &reason);
  if (s->agent == NULL)
    {
      tool_complain (AGENT, 0, reason);
      return TOOL_NOT_RUN;
    }
  run_begin (&s->run);
  if (!write_begin (&s->write_options))
    return TOOL_NOT_RUN;
  if (begin (s)
      && run_start (&s->run, s->options.program, set_environment, s))
    return 0;
  outfile_discard ();
  return s->shared == NULL ? TOOL_NOT_RUN : tool_cannot_execute (program);
}

int
main (int argc, char **argv)
{
  /* Static, so that what it leads to counts as in use to the end.  */
  static struct session s
      = { .options = { .hertz = 1000 } };
  int status;

  parse_arguments (argc, argv, &s.options);
  s.write_options = (struct write_options){
    .interval = 1000000000 / s.options.hertz,
    .hertz = s.options.hertz,
    .inline_functions = s.options.inline_functions,
    .to = s.options.to,
    .is_saved = s.options.save_every != 0,
    .is_quiet = s.options.is_quiet
  };
  s.write_options.out = s.options.out != NULL
                            ? s.options.out
                            : write_default (&s.write_options);
  status = start (&s);
  if (status != 0)
    return status;
  sample (&s);
  if (s.stacks.outputs.n == 0)
    {
      tool_complain (s.options.program[0], 0,
                     is_overwritten (&s)
                         ? "it wrote to memory of cgw-sample: there is no "
                           "profile"
                         : "the agent was not loaded into it: there is no "
                           "profile");
      outfile_discard ();
      return TOOL_NOT_RUN;
    }
  report (&s);
  write_clear (&s.write_options);
  if (!write_profiles (&s.stacks, &s.write_options))
    return TOOL_NOT_RUN;
  run_exit (&s.run);
}
