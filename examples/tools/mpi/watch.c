/* watch.c - the watcher: a process beside the program that symbolizes addresses
   and writes files, even if the program is killed.

   It is not a child of the program, because the program may wait for all of its
   children.  It has a session of its own, because mpirun kills the program's.
   It keeps the standard error open: mpirun waits until all processes have
   closed it, and so does not end before the files are written.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "watch.h"

#include "../base/coverage.h"
#include "../base/memory.h"
#include "../base/outfile.h"
#include "../base/shell.h"
#include "../base/tool.h"
#include "../run/ranks.h"
#include "packed.h"
#include "profile.h"
#include "summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the agent walks stacks with.  */
#ifdef HAVE_SAMPLE
# define UNWINDER "libunwind.so.8"
#else
# define UNWINDER "libgcc_s.so.1"
#endif

/* No process has this id.  */
enum { CANCELLED = -1 };

struct watch
{
  const struct watch_options *options;
  struct rank_memory *memory;
  int program;  /* a pidfd of the process that is profiled */
  int signals;  /* a signalfd */
  int out;      /* OUT, if it is no regular file, or -1 */
  int packed;   /* the last answer, or -1 */
  bool is_done; /* nothing is left to write */
  char *command;
  char *rank_file;         /* the name of the rank's own file */
  uint32_t launcher_rank;  /* see launcher_number */
  struct cgw_names *names; /* of all profiles and files */
  struct profile profile;
  bool has_profile;
  char *summary; /* or NULL */
};

static int
open_process (pid_t pid)
{
  return (int) syscall (SYS_pidfd_open, pid, 0);
}

/* Profiles.  */

static struct profile *
profile_of (struct watch *w)
{
  if (!w->has_profile)
    profile_begin (&w->profile, w->memory, w->names);
  w->has_profile = true;
  return &w->profile;
}

static struct cgw_writer *
new_writer (const struct watch *w)
{
  /* Padding is for files that a killed program leaves behind.  */
  return outfile_writer (w->names, CGW_NO_PAD, NULL);
}

/* Finishes a file, unless its profiles did not come.  False: it failed; a
   message was printed.  */
static bool
finish (struct cgw_writer *writer, enum cgw_status status, const char *name)
{
  if (status == CGW_OK)
    return outfile_finish (name, writer);
  tool_complain (outfile_name (name), 0, cgw_strerror (status));
  cgw_free (writer);
  return outfile_close (name, false);
}

/* This rank alone.  */

static bool
write_own (struct watch *w)
{
  const struct rank_memory *m = w->memory;
  struct cgw_part part = CGW_PART_INIT;
  char rank[64], outside[64];
  const char *desc[] = { rank, outside };
  struct cgw_profile *profile;
  struct cgw_writer *writer;

  if (outfile_open (w->rank_file) < 0)
    return false;
  profile = new_profile (w->names, ranks_n_own (m->bytes), CGW_INSTR_LINE);
  profile_fill (profile_of (w), profile, true);
  snprintf (rank, sizeof rank, RANKS_RANK, m->rank, m->size);
  snprintf (outside, sizeof outside, RANKS_OUTSIDE, m->outside);
  part.events = ranks_own_events;
  part.n_events = ranks_n_own (m->bytes);
  part.positions = CGW_INSTR_LINE;
  part.cmd = w->command;
  part.desc = desc;
  part.n_desc = 2;
  writer = new_writer (w);
  cgw_profile_write (profile, writer, &part);
  cgw_profile_free (profile);
  return outfile_finish (w->rank_file, writer);
}

/* What comes before and after the number in rank-07.OUT.  The name must not
   begin with OUT, because KCachegrind would open it together with OUT.  */
static char *
name_rank (const struct watch *w, const char *number)
{
  const char *out = w->options->out;
  const char *slash, *base;

  if (strcmp (out, "-") == 0)
    out = "callgrind.out.mpi";
  slash = strrchr (out, '/');
  base = slash != NULL ? slash + 1 : out;
  return make_text ("%.*srank-%s.%s", (int) (base - out), out, number, base);
}

static char *
name_number (const struct watch *w, uint32_t rank)
{
  char number[16];
  int digits = snprintf (NULL, 0, "%" PRIu32, w->memory->size - 1);

  snprintf (number, sizeof number, "%0*" PRIu32, digits, rank);
  return name_rank (w, number);
}

/* The number that the launcher gave a process that MPI takes for the only one,
   if it is not 0.  The launcher and the MPI do not know each other then, and
   each process would write OUT.  */
static uint32_t
launcher_number (const struct rank_memory *m)
{
  static const char *const variables[]
      = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "PALS_RANKID",
          "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK", "SLURM_PROCID" };

  for (size_t i = 0;
       m->size == 1 && i < sizeof variables / sizeof *variables; i++)
    {
      const char *value = getenv (variables[i]);

      if (value != NULL)
        return (uint32_t) strtoul (value, NULL, 10);
    }
  return 0;
}

/* Packed profiles.  */

static enum cgw_status
pack (struct watch *w)
{
  struct cgw_profile *profile = new_profile (
      w->names, ranks_n_costs (w->memory->bytes), CGW_INSTR_LINE);
  enum cgw_status status;

  profile_fill (profile_of (w), profile, false);
  if ((status = cgw_names_error (w->names, NULL)) == CGW_OK
      && (status = cgw_profile_error (profile, NULL)) == CGW_OK)
    status = packed_put (w->memory, profile, &w->packed);
  cgw_profile_free (profile);
  return status;
}

/* OUT.  */

/* Opens what is no regular file: later, its name may mean another one, as
   /dev/fd/3 does in another process.  Returns -1 for others.  errno is ENXIO
   for a pipe that nobody reads yet.  */
static int
open_special (const char *name)
{
  struct stat st;

  errno = 0;
  if (strcmp (name, "-") == 0)
    return STDOUT_FILENO;
  if (stat (name, &st) != 0 || S_ISREG (st.st_mode) || S_ISDIR (st.st_mode))
    return -1;
  return open (name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Waits for the reader of a pipe, as long as the program lives.  */
static bool
wait_for_reader (const struct watch *w, const char *name)
{
  struct pollfd end = { .fd = w->program, .events = POLLIN };
  int fd = -1;
  bool is_alive = true;

  while (is_alive && (fd = open_special (name)) < 0 && errno == ENXIO)
    is_alive = poll (&end, 1, 100) == 0;
  if (fd > STDERR_FILENO)
    close (fd);
  return is_alive;
}

static enum cgw_status
write_sum (struct watch *w)
{
  struct cgw_part part = CGW_PART_INIT;
  const char *name = w->options->out;
  char held[64];
  size_t n = ranks_n_costs (w->memory->bytes);
  struct cgw_profile *profile;
  struct cgw_writer *writer;
  enum cgw_status status;
  bool ok;

  snprintf (held, sizeof held, "/proc/self/fd/%d", w->out);
  if (w->out > STDERR_FILENO)
    name = held;
  if (!wait_for_reader (w, name) || outfile_open (name) < 0)
    return CGW_EIO;
  part.events = ranks_events (w->memory->size, w->memory->bytes);
  part.n_events = n + 1;
  part.positions = CGW_INSTR_LINE;
  part.cmd = w->command;
  writer = new_writer (w);
  profile = new_profile (w->names, n, CGW_INSTR_LINE);
  status = packed_add (w->memory, w->memory->owner, profile);
  if (status == CGW_OK)
    cgw_profile_write (profile, writer, &part);
  ok = finish (writer, status, w->options->out);
  if (ok && w->memory->has_rows && !w->options->is_quiet)
    w->summary
        = summary_make (w->memory, profile, w->names, w->options->out);
  cgw_profile_free (profile);
  return ok ? CGW_OK : CGW_EIO;
}

static enum cgw_status
write_out (struct watch *w)
{
  char reason[160];

  if (w->launcher_rank == 0)
    return write_sum (w);
  snprintf (reason, sizeof reason,
            "process %" PRIu32 " of the launcher is rank 0 of 1 for its MPI: "
            "they do not know each other, so this is its profile",
            w->launcher_rank);
  if (write_own (w))
    tool_warn (w->rank_file, 0, reason);
  return CGW_OK;
}

/* The command line of the program, separated by blanks.  */

static char *
read_command (pid_t pid)
{
  char path[64];
  char *command = resize (NULL, 65536, 1);
  size_t n = 0;
  ssize_t got;
  int fd;

  snprintf (path, sizeof path, "/proc/%d/cmdline", (int) pid);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && n < 65535 && (got = read (fd, command + n, 65535 - n)) > 0)
    n += (size_t) got;
  if (fd >= 0)
    close (fd);
  while (n != 0 && command[n - 1] == '\0')
    n--;
  command[n] = '\0';
  for (size_t i = 0; i < n; i++)
    if (command[i] == '\0')
      command[i] = ' ';
  return command;
}

/* Requests.  */

/* Removes what ranks of an earlier run left that this run lacks.  Of several
   processes that each are rank 0 of 1, the others write such files now.  */
static void
remove_earlier (const struct watch *w)
{
  char *name = name_rank (w, "/");
  char *number = strrchr (name, '/');

  *number = '\0';
  if (w->memory->rank == 0 && w->memory->size > 1)
    outfile_remove_earlier (name, number + 1, w->memory->size, "desc: Rank: ");
  free (name);
}

/* The program may be a script whose child calls MPI_Init: from now on, watch
   the child.  Remove the files of an earlier run.  */
static enum cgw_status
begin (struct watch *w)
{
  int program = open_process (w->memory->owner);

  if (program >= 0)
    {
      close (w->program);
      w->program = program;
    }
  w->command = read_command (w->memory->owner);
  w->launcher_rank = launcher_number (w->memory);
  w->rank_file = name_number (w, w->launcher_rank != 0 ? w->launcher_rank
                                                 : w->memory->rank);
  unlink (w->rank_file);
  remove_earlier (w);
  if (w->memory->rank != 0 && w->out >= 0) /* not this rank's */
    dup2 (STDIN_FILENO, w->out);
  return CGW_OK;
}

/* Warns if the profile is incomplete.  */
static void
report (const struct watch *w)
{
  const struct rank_memory *m = w->memory;
  char what[64], reason[128];

  snprintf (what, sizeof what, "rank %" PRIu32 " of %" PRIu32, m->rank, m->size);
  if (m->no_unwinder != 0)
    tool_warn (what, 0, UNWINDER " is missing: there are no call stacks");
  if (m->stacks[0].count != 0)
    tool_warn (what, 0, "the table of stacks is full: the rest is in \"???\"");
  if (m->cut != 0)
    tool_warn (what, 0, "stacks of more than 512 frames were cut");
  if (m->no_clock != 0)
    tool_warn (what, 0, "there was no clock for a thread: it has no samples");
  if (m->left_out != 0)
    tool_warn (what, 0, "there was no room for all mappings of code: functions "
                        "there are addresses");
  if (m->missed != 0)
    {
      snprintf (reason, sizeof reason,
                "%" PRIu64 " samples were lost while other threads began MPI "
                "calls", m->missed);
      tool_warn (what, 0, reason);
    }
}

/* Without a sum.  */

/* A lock that one rank's watcher takes, of those on this machine, or -1.
   *is_taken says whether another one has it.  */
static int
lock_folder (const struct watch *w, bool *is_taken)
{
  char *folder = copy_text (w->rank_file);
  char *slash = strrchr (folder, '/');
  int fd;

  if (slash != NULL)
    slash[slash == folder] = '\0';
  fd = open (slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free (folder);
  *is_taken = flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return fd;
}

static bool
has_other_files (const struct watch *w)
{
  bool found = false;

  for (uint32_t i = 0; i < w->memory->size && !found; i++)
    {
      char *name = name_number (w, i);

      found = i != w->memory->rank && access (name, F_OK) == 0;
      free (name);
    }
  return found;
}

/* The files of all ranks, as a shell's pattern.  */
static char *
name_all (const struct watch *w)
{
  char *name = name_rank (w, "/");
  char *number = strrchr (name, '/');
  char *before, *behind, *pattern;

  *number = '\0';
  before = shell_word (name);
  behind = shell_word (number + 1);
  pattern = make_text ("%s*%s", before, behind);
  free (behind);
  free (before);
  free (name);
  return pattern;
}

/* Writes this rank's profile, for there will be no sum.  The first rank that
   does so says what can be done with the files.  */
static void
leave_own (struct watch *w)
{
  const struct rank_memory *m = w->memory;
  const char *out = w->options->out;
  bool is_taken;
  int lock = lock_folder (w, &is_taken);
  bool is_first = !is_taken && !has_other_files (w);

  if (write_own (w) && is_first)
    {
      char *word = strcmp (out, "-") == 0 ? NULL : shell_word (out);
      char *all = name_all (w);
      char *text = make_text (
          "is missing, for rank %" PRIu32 " of %" PRIu32
          " ended before MPI_Finalize was done.  Each rank leaves its "
          "profile; add them up: cgw-merge --ranks -o %s %s",
          m->rank, m->size, word != NULL ? word : "OUT", all);

      tool_complain (outfile_name (out), 0, text);
      free (text);
      free (all);
      free (word);
    }
  close (lock);
}

static enum cgw_status
do_request (struct watch *w)
{
  uint32_t request = w->memory->request;

  if (w->rank_file == NULL && request != RANK_BEGIN)
    return CGW_EINVAL;
  switch (request)
    {
    case RANK_BEGIN:
      return begin (w);
    case RANK_PACK:
      return pack (w);
    case RANK_WRITE:
      return write_out (w);
    case RANK_END:
      report (w);
      if (w->options->keep)
        write_own (w);
      if (w->summary != NULL)
        fputs (w->summary, stderr);
      w->is_done = true;
      return CGW_OK;
    case RANK_FAIL:
      outfile_discard ();
      tool_complain (w->rank_file, 0,
                     "the profiles of the ranks could not be added up: this is "
                     "the profile of one rank");
      write_own (w);
      w->is_done = true;
      return CGW_OK;
    case RANK_ABORT:
      leave_own (w);
      w->is_done = true;
      return CGW_OK;
    default:
      return CGW_EINVAL;
    }
}

static void
answer (struct watch *w)
{
  struct signalfd_siginfo info;

  if (read (w->signals, &info, sizeof info) != sizeof info
      || atomic_load (&w->memory->turn) != RANK_WATCHER)
    return;
  w->memory->status = do_request (w);
  atomic_store (&w->memory->turn, RANK_AGENT);
  syscall (SYS_futex, &w->memory->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The end.  */

static void
look_at_end (struct watch *w)
{
  if (w->is_done)
    return;
  outfile_discard ();
  if (w->memory->owner == CANCELLED)
    return;
  if (w->rank_file == NULL)
    {
      tool_complain (w->options->program, 0,
                     "did not call MPI_Init: there is no profile");
      return;
    }
  leave_own (w);
}

static void
watch (struct watch *w)
{
  struct pollfd ready[] = { { .fd = w->signals, .events = POLLIN },
                            { .fd = w->program, .events = POLLIN } };

  for (;;)
    {
      ready[1].fd = w->program;
      if (poll (ready, 2, -1) < 0)
        continue;
      if (ready[0].revents != 0)
        answer (w);
      else if (ready[1].revents != 0)
        break;
    }
  look_at_end (w);
}

/* The beginning.  */

static void
close_between (int first, int last)
{
  if (first <= last)
    syscall (SYS_close_range, (unsigned) first, (unsigned) last, 0);
}

static int
compare (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* mpirun must notice when the program closes its output, so close everything
   but the standard error and the descriptors to keep.  */
static void
close_others (int *kept, size_t n)
{
  int null = open ("/dev/null", O_RDWR);
  int next = STDERR_FILENO + 1;
  bool keeps_stdout = false;

  qsort (kept, n, sizeof *kept, compare);
  for (size_t i = 0; i < n; i++)
    {
      keeps_stdout = keeps_stdout || kept[i] == STDOUT_FILENO;
      if (kept[i] < next)
        continue;
      close_between (next, kept[i] - 1);
      next = kept[i] + 1;
    }
  dup2 (null, STDIN_FILENO);
  if (!keeps_stdout)
    dup2 (null, STDOUT_FILENO);
  close_between (next, INT_MAX);
}

static int
open_signals (void)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, RANK_SIGNAL);
  sigprocmask (SIG_BLOCK, &set, NULL);
  return signalfd (-1, &set, SFD_CLOEXEC);
}

/* These may be sent to all processes to end the job, but the watcher ends only
   after the program.  */
static void
ignore_signals (void)
{
  static const int ignored[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM };

  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    signal (ignored[i], SIG_IGN);
}

/* Runs in the watcher.  Writes its process id to `start` when it is ready.  */
static void __attribute__ ((noreturn))
run (struct rank_memory *memory, int memory_fd, int out, pid_t program,
     int start, const struct watch_options *options)
{
  struct watch w = { .options = options, .memory = memory, .out = out,
                     .packed = -1, .names = new_names () };
  int kept[] = { memory_fd, out, start };
  int32_t self = getpid ();

  ignore_signals ();
  close_others (kept, sizeof kept / sizeof *kept);
  w.signals = open_signals ();
  w.program = open_process (program);
  if (w.signals < 0 || w.program < 0)
    tool_complain ("watcher", 0, strerror (errno));
  else if (write (start, &self, sizeof self) == sizeof self)
    {
      close (start);
      watch (&w);
    }
  leave (0);
}

/* Forks twice, so that the watcher is not a child of the program.  */
static bool
fork_twice (struct rank_memory *memory, int memory_fd, int out, int start,
            const struct watch_options *options)
{
  pid_t program = getpid ();
  pid_t child = fork ();
  int status;

  if (child < 0)
    return false;
  if (child != 0)
    return waitpid (child, &status, 0) == child && status == 0;
  setsid ();
  child = fork ();
  if (child == 0)
    run (memory, memory_fd, out, program, start, options);
  leave (child < 0);
}

bool
watch_start (struct rank_memory *memory, int memory_fd,
             const struct watch_options *options)
{
  int start[2];
  int32_t watcher = 0;
  int out = open_special (options->out);
  bool ok;

  ok = pipe2 (start, O_CLOEXEC) == 0
       && fork_twice (memory, memory_fd, out, start[1], options);
  if (!ok)
    tool_complain ("watcher", 0, strerror (errno));
  else
    {
      close (start[1]);
      ok = read (start[0], &watcher, sizeof watcher) == sizeof watcher;
      close (start[0]);
    }
  if (out > STDERR_FILENO)
    close (out);
  memory->watcher = watcher;
  return ok;
}

void
watch_cancel (struct rank_memory *memory)
{
  memory->owner = CANCELLED;
}
