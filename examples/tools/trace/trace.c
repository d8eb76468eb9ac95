/* trace.c - a command that traces a program's calls: how often each function
   called each other one from where, and how long that took.

   Compile the program, and each library of interest, with
   -finstrument-functions, and with -g for files and lines:

     cc -g -finstrument-functions program.c -o program
     cgw-trace -o callgrind.out ./program
     callgrind_annotate --tree=both callgrind.out

   The compiler then inserts a call at the beginning and at the end of each
   function.  These calls go to libc, where they do nothing, or to
   trace_preload.so, which this command has the dynamic linker load first.  When
   the program ends, it writes the profile.  Its event Calls counts how often a
   function was entered, and, inclusive, all calls below it.

   The first thread's profile is in OUT, that of thread N in OUT-N, because
   callgrind_annotate and speedscope misread a file with several parts.  Given
   OUT, KCachegrind opens the others, too, and shows them as parts.  Traced
   processes that the program forks or starts write OUT.PID.

   A profile is written when main returns, and by exit, quick_exit, abort and
   _exit in normal code.  These in a handler, a deadly signal and exec write
   none; with --save-every, which writes it every few seconds, they leave what
   was saved last.  Once the destructors of libraries run, nothing is traced.
   Coroutines that switch stacks confuse the order of calls.

   For formats that have stacks, the traced processes write call trees to a
   folder, and this command turns them into the profiles at the end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/shell.h"
#include "../base/tool.h"
#include "../format/hottest.h"
#include "../format/reader_tool.h"
#include "../run/preload.h"
#include "../run/run.h"
#include "../run/shared_file.h"
#include "../write/export.h"
#include "../write/tree_folder.h"
#include "trace_shared.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRELOAD "trace_preload.so"

/* Removes what an earlier run left beside OUT: KCachegrind would show it as
   parts of this one.  */
static void
remove_earlier (const char *out)
{
  static const char between[] = { '.', '-' };

  for (size_t i = 0; i < sizeof between; i++)
    {
      char *before = make_text ("%s%c", out, between[i]);

      outfile_remove_earlier (before, "", 0, TRACE_MARK);
      free (before);
    }
}

enum { SAVE_EVERY = 256, FOR, TO }; /* options without a letter */

static const struct option long_options[]
    = { { "output", required_argument, NULL, 'o' },
        { "cpu", no_argument, NULL, 'c' },
        { "for", required_argument, NULL, FOR },
        { "parts", no_argument, NULL, 'p' },
        { "quiet", no_argument, NULL, 'q' },
        { "save-every", required_argument, NULL, SAVE_EVERY },
        { "to", required_argument, NULL, TO },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-trace",
  .usage = "[--cpu] [--for READER] [-o OUT] [--parts] [-q]\n"
           "                 [--save-every SECONDS] [--to FORMAT] [--]\n"
           "                 PROGRAM [ARG...]",
  .help = "\
Run PROGRAM, which must be compiled with -finstrument-functions, count and time\n\
all its calls, and write a profile for KCachegrind and callgrind_annotate.\n\
\n\
      --cpu         measure CPU time instead of wall-clock time\n\
      --for READER  write what one reader shows right: kcachegrind,\n\
                    callgrind_annotate, cg_annotate, gprof2dot, qtcreator or\n\
                    speedscope; and print what that does not show\n\
  -o, --output OUT  write to the file OUT (default: callgrind.out.PID, or, for\n\
                    instance, profile.PID.pb.gz).  Further threads write OUT-2\n\
                    and so on, further processes OUT.PID.\n\
      --parts       write one file for all threads, with a part for each\n\
  -q, --quiet       print only what went wrong\n\
      --save-every SECONDS\n\
                    also write the profile every SECONDS, in case the program\n\
                    is killed\n\
      --to FORMAT   write another format than callgrind profiles: folded,\n\
                    pprof or speedscope\n",
  .letters = "o:q",
  .options = long_options,
  .runs_program = true
};

struct settings
{
  char flags[4];   /* letters of long_options, each once; t: call trees */
  const char *out; /* or NULL */
  unsigned save_every; /* seconds, or 0 */
  struct export_options to;
  bool is_quiet;
};

static bool
has_trees (const struct settings *s)
{
  return export_command (s->to.format) != NULL;
}

static void
parse_arguments (int argc, char **argv, struct settings *s)
{
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    if (option == 'o')
      s->out = optarg;
    else if (option == FOR)
      s->to.reader = reader_option (optarg);
    else if (option == TO)
      s->to.format = export_option (optarg);
    else if (option == 'q')
      s->is_quiet = true;
    else if (option == SAVE_EVERY)
      s->save_every = (unsigned) tool_number ("--save-every", optarg, 86400);
    else if (!strchr (s->flags, option))
      s->flags[strlen (s->flags)] = (char) option;
  export_check (&s->to);
  if (has_trees (s))
    strcat (s->flags, "t");
  if (optind >= argc)
    tool_usage_error ("no program", "");
  if (s->out && strcmp (s->out, "-") == 0)
    tool_usage_error ("the standard output is the program's: name a file", "");
  if (s->save_every != 0 && strchr (s->flags, 'p'))
    tool_usage_error ("--save-every and --parts exclude each other", "");
  if (s->to.reader && s->to.reader->lacks & READER_PARTS
      && strchr (s->flags, 'p'))
    tool_usage_error ("--parts is not for ", s->to.reader->name);
}

struct session
{
  struct settings settings;
  char *preload; /* the shared object's path */
  struct shared_file shared_file;
  struct trace_shared *shared; /* the memory of that */
  struct run run;
  const char *tree_out; /* where call trees are written, or NULL */
  struct tree_folder trees;
};

/* What the preloaded object reads: see thread.c.  In the program's process.  */
static bool
set_environment (void *session)
{
  const struct session *s = session;
  const char *out = s->tree_out ? s->tree_out : s->settings.out;
  const struct reader *reader = s->settings.to.reader;
  char number[32], seconds[32];
  char *folder = getcwd (NULL, 0);

  snprintf (number, sizeof number, "%ld", (long) getpid ());
  snprintf (seconds, sizeof seconds, "%u", s->settings.save_every);
  return setenv ("CGW_TRACE_PID", number, 1) == 0
         && setenv ("CGW_TRACE_FLAGS", s->settings.flags, 1) == 0
         && setenv ("CGW_TRACE_SAVE", seconds, 1) == 0
         && setenv ("CGW_TRACE_FOR", reader ? reader->option : "", 1) == 0
         && setenv ("CGW_TRACE_FOLDER", folder ? folder : ".", 1) == 0
         && setenv (TRACE_SHARED_ENV, s->shared_file.path, 1) == 0
         && (out ? setenv ("CGW_TRACE_OUT", out, 1)
                 : unsetenv ("CGW_TRACE_OUT")) == 0
         && preload_set (s->preload);
}

static int
refuse (const char *what, const char *reason)
{
  tool_complain (what, 0, reason);
  return TOOL_NOT_RUN;
}

/* If it cannot be shared, nothing is told, but the program can run.  */
static void
share_memory (struct session *s)
{
  static struct trace_shared empty;

  if (!shared_file_make (&s->shared_file, sizeof empty))
    s->shared_file = (struct shared_file){ .memory = &empty };
  s->shared = s->shared_file.memory;
}

/* Starts the program; or says why not, and returns the exit status.  */
static int
start (struct session *s, char **program)
{
  char *culprit;
  const char *reason = preload_check (program[0], &culprit);
  int status = reason ? refuse (culprit, reason) : 0;

  free (culprit);
  if (status != 0)
    return status;
  s->preload = preload_find (PRELOAD, &reason);
  if (!s->preload)
    return refuse (PRELOAD, reason);
  share_memory (s);
  if (has_trees (&s->settings))
    {
      s->tree_out = tree_folder_make ();
      if (!s->tree_out)
        return TOOL_NOT_RUN;
    }
  else if (s->settings.out)
    remove_earlier (s->settings.out);
  run_begin (&s->run);
  return run_start (&s->run, program, set_environment, s)
             ? 0
             : tool_cannot_execute (program[0]);
}

/* The end.  */

/* The first thread's profile.  */
static const struct trace_file first = { 0, 1, 0 };

/* The name of a profile, to be freed.  */
static char *
file_name (const struct session *s, const struct trace_file *file)
{
  const struct settings *settings = &s->settings;
  char pid[32] = "", number[32] = "";
  uint32_t process = file->process;

  if (process == 0 && !s->settings.out)
    process = (uint32_t) s->run.pid;
  if (process != 0)
    snprintf (pid, sizeof pid, ".%lu", (unsigned long) process);
  if (file->thread > 1)
    snprintf (number, sizeof number, "-%lu", (unsigned long) file->thread);
  return make_text ("%s%s%s%s",
                    settings->out           ? settings->out
                    : has_trees (settings) ? "profile"
                                           : "callgrind.out",
                    pid, number,
                    settings->out ? "" : export_suffix (settings->to.format));
}

/* What ended the program before all was written.  To be freed.  */
static char *
reason_of_end (const struct session *s)
{
  int status = s->run.status;

  if (WIFSIGNALED (status))
    return make_text ("signal %d (%s) ended the program", WTERMSIG (status),
                      strsignal (WTERMSIG (status)));
  return copy_text (
      "the program executed another one, or a signal handler ended it");
}

/* The profile, if there is one, is not that of the whole program.  */
static void
say_incomplete (const struct session *s, const char *name)
{
  bool is_saved = s->shared->is_saved;
  char *reason = reason_of_end (s);
  char *text = make_text ("%s%s%s", is_saved ? "is what was saved last: " : "",
                          reason,
                          is_saved                      ? ""
                          : s->settings.save_every != 0 ? " before it was saved"
                                                        : "; --save-every "
                                                          "SECONDS saves the "
                                                          "profile before");

  tool_say (is_saved ? name : "no profile", 0, text);
  free (reason);
  free (text);
}

static int
compare (const void *a, const void *b)
{
  const struct trace_file *f = *(const struct trace_file *const *) a;
  const struct trace_file *g = *(const struct trace_file *const *) b;

  if (f->process != g->process)
    return f->process > g->process ? 1 : -1;
  return f->thread > g->thread ? 1 : -1;
}

/* Prints the names of the first profiles.  */
static void
print_names (const struct session *s)
{
  enum { NAMED = 10 };
  const struct trace_file *files[TRACE_FILES];
  unsigned n = 0, n_files = s->shared->n_files;

  for (unsigned i = 0; i < TRACE_FILES; i++)
    if (s->shared->files[i].thread != 0)
      files[n++] = &s->shared->files[i];
  if (n == 0)
    return;
  qsort (files, n, sizeof *files, compare);
  n = n < NAMED ? n : NAMED;
  fprintf (stderr, "%s: profile%s:", tool.name, n_files == 1 ? "" : "s");
  for (unsigned i = 0; i < n; i++)
    {
      char *name = file_name (s, files[i]);

      shell_print_file (stderr, name);
      free (name);
    }
  if (n_files > n)
    fprintf (stderr, " and %u more", n_files - n);
  fputc ('\n', stderr);
}

/* What is missing of the profile of the process that the command started.  */
static void
say_missing (const struct session *s, const char *name)
{
  const struct trace_shared *shared = s->shared;

  if (!shared->is_complete)
    say_incomplete (s, name);
  if (shared->is_saved && shared->n_programs > 1)
    tool_say (name, 0,
              "lacks the calls before the program executed another one");
  if (shared->n_missing != 0)
    tool_say (shared->is_saved ? name : "no profile", 0,
              "threads that were inside the tracer are missing");
}

/* Says what became of the profiles: at the end, because the program may have
   started others that write some.  */
static void
report (const struct session *s)
{
  const struct trace_shared *shared = s->shared;
  char *name = file_name (s, shared->error != 0 ? &shared->failed : &first);

  if (!s->settings.is_quiet)
    print_names (s);
  if (shared->error != 0)
    tool_complain (name, 0, strerror ((int) shared->error));
  else if (shared->n_programs != 0)
    say_missing (s, name);
  else if (shared->n_files == 0)
    tool_say ("no profile", 0,
              "no function was called that was compiled with "
              "-finstrument-functions");
  if (s->settings.to.reader && shared->is_saved && !s->settings.is_quiet)
    reader_say (s->settings.to.reader,
                READER_THREAD | READER_LONG_NAMES | READER_EVENTS
                  | READER_CALLS,
                name);
  free (name);
}

static void
print_sum_command (const struct session *s)
{
  char *name = file_name (s, &first);

  fputs ("All threads:  cgw-merge -o SUM", stderr);
  shell_print_file (stderr, name);
  shell_print_file (stderr, name);
  fputs ("-[0-9]*\n", stderr);
  free (name);
}

/* The profile with the most time.  */
static const struct trace_file *
find_most (const struct session *s)
{
  const struct trace_file *files = s->shared->files, *most = &files[0];

  for (int i = 1; i < TRACE_FILES; i++)
    if (files[i].time > most->time)
      most = &files[i];
  return most;
}

/* Prints the hottest functions of the profile with the most time, and how to
   add up those of the threads.  */
static void
print_hottest (const struct session *s)
{
  const struct trace_file *files = s->shared->files;
  bool has_others = false;
  char *name;

  if (s->settings.is_quiet || s->shared->n_files == 0)
    return;
  if (s->tree_out)
    {
      tree_folder_hottest (&s->trees);
      return;
    }
  for (int i = 0; i < TRACE_FILES; i++)
    has_others |= files[i].process == 0 && files[i].thread > 1;
  name = file_name (s, find_most (s));
  hottest_print (name, s->shared->n_files, s->settings.to.reader);
  free (name);
  if (has_others)
    print_sum_command (s);
}

/* Call trees.  */

/* That of a first thread has no number.  */
static char *
tree_name (const void *session, struct tree_file file)
{
  const struct trace_file f = { file.process, file.thread, 0 };

  return file_name (session, &f);
}

/* False: it failed, and a message was printed.  */
static bool
export_trees (struct session *s)
{
  const struct trace_file *most = find_most (s);

  s->trees = (struct tree_folder){
    .format = s->settings.to.format,
    .name = tree_name,
    .context = s,
    .hottest = { most->process, most->thread > 1 ? most->thread : 0 }
  };
  return tree_folder_export (&s->trees);
}

int
main (int argc, char **argv)
{
  struct session s = { .settings = { .out = NULL } };
  bool ok = true;
  int status;

  parse_arguments (argc, argv, &s.settings);
  status = start (&s, argv + optind);
  free (s.preload);
  if (status != 0)
    return status;
  while (!s.run.has_ended)
    run_wait (&s.run, -1);
  if (s.tree_out)
    ok = export_trees (&s);
  report (&s);
  if (ok)
    print_hottest (&s);
  if (s.tree_out)
    tree_folder_end (&s.trees);
  if (!ok || s.shared->error != 0)
    return TOOL_NOT_RUN;
  run_exit (&s.run);
}
