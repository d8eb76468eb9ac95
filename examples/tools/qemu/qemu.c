/* qemu.c - cgw-qemu: runs a program of any processor under QEMU, and writes an
   exact profile: instructions, and who called whom how often.

     cgw-qemu [-o OUT] PROGRAM [ARGUMENT...]

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/tool.h"
#include "../format/hottest.h"
#include "../format/reader_tool.h"
#include "../run/run.h"
#include "../run/shared_file.h"
#include "../write/export.h"
#include "../write/tree_folder.h"
#include "command.h"
#include "processes.h"
#include "qemu_shared.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
  MEM = 256, BLOCKS, JUMPS, THREADS, FOR, SAVE_EVERY, FROM, UNTIL, SYMBOLS, TO
};

static const struct option long_options[]
    = { { "output", required_argument, NULL, 'o' },
        { "sysroot", required_argument, NULL, 'L' },
        { "mem", no_argument, NULL, MEM },
        { "blocks", no_argument, NULL, BLOCKS },
        { "jumps", no_argument, NULL, JUMPS },
        { "threads", no_argument, NULL, THREADS },
        { "for", required_argument, NULL, FOR },
        { "save-every", required_argument, NULL, SAVE_EVERY },
        { "from", required_argument, NULL, FROM },
        { "to", required_argument, NULL, TO },
        { "until", required_argument, NULL, UNTIL },
        { "symbols", required_argument, NULL, SYMBOLS },
        { "quiet", no_argument, NULL, 'q' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-qemu",
  .usage = "[--blocks] [--for READER] [--from FUNCTION] [--jumps] [--mem]\n"
           "                [-o OUT] [-q] [--save-every N] [--symbols FILE]\n"
           "                [-L FOLDER] [--threads] [--to FORMAT]\n"
           "                [--until FUNCTION] [--] PROGRAM [ARG...]",
  .help = "\
Run PROGRAM, for whatever processor it is, under QEMU, count its instructions\n\
and calls, and write a profile for KCachegrind and callgrind_annotate.  PROGRAM\n\
may also be a command of QEMU, such as qemu-system-arm, with its arguments.\n\
\n\
      --blocks          count executed blocks, too\n\
      --for READER      write what one reader shows right: kcachegrind,\n\
                        callgrind_annotate, cg_annotate, gprof2dot, qtcreator\n\
                        or speedscope; and print what that does not show\n\
      --from FUNCTION   begin counting when FUNCTION is called\n\
      --jumps           count the jumps within functions, too\n\
      --mem             count reads and writes of memory, too\n\
  -o, --output OUT      write to the file OUT (default: callgrind.out.PID, or,\n\
                        for instance, profile.PID.pb.gz).  Processes that the\n\
                        program forks write OUT.PID.\n\
  -q, --quiet           print only what went wrong\n\
      --save-every N    also write the profile every N instructions, in case\n\
                        the program is killed\n\
      --symbols FILE    the code of a whole system is that of this ELF file\n\
                        (default: what QEMU's -kernel or -bios names)\n\
  -L, --sysroot FOLDER  FOLDER has the program's dynamic linker and libraries\n\
      --threads         write a part for each thread, or for each processor of\n\
                        a whole system\n\
      --to FORMAT       write another format than callgrind profiles: folded,\n\
                        pprof or speedscope\n\
      --until FUNCTION  end counting when FUNCTION is called\n",
  .letters = "o:L:q",
  .options = long_options,
  .runs_program = true
};

struct session
{
  struct settings settings;
  struct export_options to;
  const char *out;    /* as it is printed: the stem and the suffix */
  const char *stem;   /* of all names */
  const char *suffix; /* of those without -o */
  bool is_quiet;
  struct shared_file shared_file;
  struct qemu_shared *shared; /* the memory of that */
  struct words words;
  struct run run;
  struct tree_folder trees; /* with --to */
};

static void
parse_arguments (int argc, char **argv, struct session *session)
{
  struct settings *s = &session->settings;
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    switch (option)
      {
      case 'o': session->out = optarg; break;
      case 'L': s->sysroot = optarg; break;
      case 'q': session->is_quiet = true; break;
      case MEM: s->has_accesses = true; break;
      case BLOCKS: s->has_blocks = true; break;
      case JUMPS: s->has_jumps = true; break;
      case THREADS: s->has_parts = true; break;
      case FOR: s->reader = reader_option (optarg); break;
      case FROM: s->from = optarg; break;
      case UNTIL: s->until = optarg; break;
      case TO: session->to.format = export_option (optarg); break;
      case SYMBOLS: s->symbols = optarg; break;
      case SAVE_EVERY:
        s->save_every = tool_number ("--save-every", optarg, ULONG_MAX);
        break;
      }
  session->to.reader = s->reader;
  export_check (&session->to);
  s->has_trees = export_command (session->to.format) != NULL;
  if (s->has_trees && s->has_jumps)
    tool_usage_error ("--jumps is for callgrind profiles, not stacks", "");
  if (optind >= argc)
    tool_usage_error ("no program", "");
  if (session->out != NULL && strcmp (session->out, "-") == 0)
    tool_usage_error ("the standard output is the program's: name a file", "");
  if (s->has_parts && s->reader != NULL && s->reader->lacks & READER_PARTS)
    tool_usage_error ("--threads is not for ", s->reader->name);
}

/* The beginning.  */

/* Why a profile cannot be written.  */
static const char *
reason_of (enum cgw_status status, int error)
{
  return status == CGW_EIO ? strerror (error) : cgw_strerror (status);
}

/* The program may change its folder, and a link is not replaced, but what it
   leads to.  */
static char *
whole_path (const char *out)
{
  char *found = realpath (out, NULL), *folder, *path;

  if (found != NULL || out[0] == '/')
    return found != NULL ? found : copy_text (out);
  folder = getcwd (NULL, 0);
  path = make_text ("%s/%s", folder != NULL ? folder : ".", out);
  free (folder);
  return path;
}

/* Whether the profile can be written, before the program runs for hours.  A
   FIFO would wait for its reader here, and again in each process.  */
static bool
try_output (const char *out, const char *path)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;
  enum cgw_status status;
  struct stat st;

  if (stat (path, &st) == 0 && !S_ISREG (st.st_mode) && !S_ISDIR (st.st_mode))
    return tool_complain (out, 0, "is no regular file");
  names = new_names ();
  options.flags = CGW_REPLACE;
  status = cgw_open (&w, names, path, &options);
  if (status != CGW_OK)
    tool_complain (out, 0, reason_of (status, w != NULL ? cgw_errno (w) : 0));
  cgw_free (w);
  cgw_names_free (names);
  return status == CGW_OK;
}

/* KCachegrind would show what an earlier run left beside OUT as parts of this
   one.  */
static void
remove_earlier (const char *path)
{
  char *before = make_text ("%s.", path);

  outfile_remove_earlier (before, "", 0, QEMU_MARK);
  free (before);
}

static bool
prepare (void *nothing)
{
  (void) nothing;
  return true;
}

/* Where the plugin writes: OUT, or call trees.  False: a message was printed.  */
static bool
find_output (struct session *s)
{
  const char *out;

  s->settings.out = whole_path (s->out);
  if (!try_output (s->out, s->settings.out))
    return false;
  if (!s->settings.has_trees)
    return true;
  free (s->settings.out);
  out = tree_folder_make ();
  s->settings.out = copy_text (out);
  return out != NULL;
}

/* Starts the program; or says why not, and returns the exit status.  */
static int
start (struct session *s, char **program)
{
  int status;

  if (!find_output (s))
    return TOOL_NOT_RUN;
  if (!shared_file_make (&s->shared_file, sizeof *s->shared))
    {
      tool_complain ("shared memory", 0, strerror (errno));
      return TOOL_NOT_RUN;
    }
  s->shared = s->shared_file.memory;
  s->settings.shared = s->shared_file.path;
  status = command_make (&s->words, &s->settings, program);
  if (status != 0)
    return status;
  if (!s->settings.has_trees)
    remove_earlier (s->settings.out);
  run_begin (&s->run);
  return run_start (&s->run, s->words.word, prepare, NULL)
           ? 0
           : tool_cannot_execute (s->words.word[0]);
}

/* The end.  */

/* The name of a process's profile, to be freed.  */
static char *
file_name (const struct session *s, uint32_t process)
{
  return process != 0 ? make_text ("%s.%lu%s", s->stem,
                                   (unsigned long) process, s->suffix)
                      : copy_text (s->out);
}

static char *
tree_name (const void *session, struct tree_file file)
{
  return file_name (session, file.process);
}

/* False: it failed, and a message was printed.  */
static bool
export_trees (struct session *s)
{
  s->trees = (struct tree_folder){ .format = s->to.format,
                                   .name = tree_name,
                                   .context = s,
                                   .hottest = { s->shared->largest, 0 } };
  return tree_folder_export (&s->trees);
}

static void
say_failed (const struct session *s)
{
  char *name = file_name (s, s->shared->failed);

  tool_complain (name, 0,
                 reason_of ((enum cgw_status) s->shared->status,
                            s->shared->error));
  free (name);
}

/* What ended the program before the profile was written.  To be freed.  */
static char *
reason_of_end (const struct session *s)
{
  int status = s->run.status;

  if (s->shared->is_executing)
    return copy_text ("the program executed another one");
  if (WIFSIGNALED (status))
    return make_text ("signal %d (%s) ended the program", WTERMSIG (status),
                      strsignal (WTERMSIG (status)));
  return copy_text (s->shared->is_running
                      ? "QEMU ended"
                      : "QEMU ended before the program began");
}

/* The profile is not that of the whole program, or there is none.  */
static void
say_lost (const struct session *s)
{
  bool is_saved = s->shared->is_saved, is_running = s->shared->is_running;
  char *reason = reason_of_end (s);
  char *text = make_text (
      "%s%s%s", is_saved ? "is what was saved last: " : "", reason,
      is_saved || !is_running         ? ""
      : s->settings.save_every != 0   ? " before it was saved"
                                      : "; --save-every N saves the profile "
                                        "before");

  tool_say (is_saved ? s->out : "no profile", 0, text);
  free (reason);
  free (text);
}

static void
print_hottest (const struct session *s)
{
  char *name;

  if (s->settings.has_trees)
    {
      tree_folder_hottest (&s->trees);
      return;
    }
  name = file_name (s, s->shared->largest);
  hottest_print (name, s->shared->n_files, s->settings.reader);
  free (name);
}

static void
say_empty (const struct session *s)
{
  const char *from = s->settings.from, *until = s->settings.until;
  char *text = make_text ("nothing was counted: %s%s%s%s%s",
                          from != NULL ? from : "",
                          from != NULL ? " was not called" : "",
                          from != NULL && until != NULL ? ", or " : "",
                          until != NULL ? until : "",
                          until != NULL ? " was called at once" : "");

  tool_say (s->out, 0, text);
  free (text);
}

/* Returns the exit status.  0: the program's, or its signal.  */
static int
say_what_became (const struct session *s)
{
  const struct qemu_shared *shared = s->shared;

  if (shared->status != CGW_OK)
    say_failed (s);
  else if (!shared->is_written)
    {
      say_lost (s);
      if (shared->is_saved || WIFSIGNALED (s->run.status))
        return 0;
    }
  else if ((s->settings.from != NULL || s->settings.until != NULL)
           && shared->most == 0)
    say_empty (s);
  else
    return 0;
  return TOOL_NOT_RUN;
}

static int
report (struct session *s)
{
  const struct qemu_shared *shared = s->shared;
  bool ok = !s->settings.has_trees || export_trees (s);
  int status = ok ? say_what_became (s) : TOOL_NOT_RUN;

  processes_say (shared, s->shared_file.path, s->out,
                 s->settings.save_every == 0
                   ? "; --save-every N saves profiles before"
                   : "",
                 !s->settings.has_trees, s->is_quiet);
  if (s->settings.reader != NULL && !s->is_quiet)
    reader_say (s->settings.reader, shared->limits, s->out);
  if (ok && !s->is_quiet && shared->n_files != 0)
    print_hottest (s);
  return status;
}

static void
free_all (struct session *s)
{
  if (s->settings.has_trees)
    tree_folder_end (&s->trees);
  command_free (&s->words);
  free (s->settings.out);
}

int
main (int argc, char **argv)
{
  struct session s = { .suffix = "" };
  char *stem, *out = NULL;
  int status;

  parse_arguments (argc, argv, &s);
  stem = make_text ("%s.%ld",
                    s.settings.has_trees ? "profile" : "callgrind.out",
                    (long) getpid ());
  s.stem = s.out;
  if (s.out == NULL)
    {
      s.stem = stem;
      s.suffix = export_suffix (s.to.format);
      s.out = out = make_text ("%s%s", s.stem, s.suffix);
    }
  status = start (&s, argv + optind);
  if (status == 0)
    {
      while (!s.run.has_ended)
        run_wait (&s.run, -1);
      status = report (&s);
    }
  free_all (&s);
  free (stem);
  free (out);
  if (status != 0)
    return status;
  run_exit (&s.run);
}
