/* mpi.c - cgw-mpi, which profiles the MPI calls of a program: counts and times
   by call stack, added up over all ranks.

     mpirun -n 8 cgw-mpi -o callgrind.out.program ./program

   Each rank runs this command.  It starts a watcher (watch.c), preloads an
   agent (agent.c, wrappers.c), and executes the program.  The agent replaces
   the MPI functions and counts in shared memory (rank.h), which the watcher
   reads.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/memory.h"
#include "../base/tool.h"
#include "../run/preload.h"
#include "rank.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MPI = 256, BYTES, KEEP, SAMPLE }; /* options without a letter */

/* How to recognize an implementation.  */
struct mpi
{
  const char *option;
  const char *name;
  const char *agent;
  const char *soname;  /* how the names of its libraries end */
  const char *rank;    /* variable that its mpirun sets */
};

enum { OPENMPI, MPICH, IMPLEMENTATIONS };
static const struct mpi implementations[] = {
  [OPENMPI] = { "openmpi", "Open MPI", "mpi_openmpi.so", ".so.40",
                "OMPI_COMM_WORLD_RANK" },
  [MPICH] = { "mpich", "MPICH", "mpi_mpich.so", ".so.12", "PMI_RANK" }
};

struct options
{
  const struct mpi *mpi;
  uint64_t hertz; /* of --sample, or 0 */
  bool bytes;
  struct watch_options watch;
  char **program;
};

/* Which MPI.  */

static bool
ends_with (const char *text, const char *end)
{
  size_t n = strlen (text);
  size_t m = strlen (end);

  return n >= m && strcmp (text + n - m, end) == 0;
}

/* Returns the implementation that a shared library belongs to, or NULL.
   libmpi.so.12 is MPICH's own name and that of all with its ABI, such as Intel
   MPI; Debian's MPICH is libmpich.so.12.  Libraries for Fortran and C++ begin
   alike.  */
static const struct mpi *
mpi_of_library (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;

  for (int i = 0; i < IMPLEMENTATIONS && strncmp (name, "libmpi", 6) == 0; i++)
    if (ends_with (name, implementations[i].soname))
      return &implementations[i];
  return NULL;
}

static const struct mpi *
mpi_of_section (Elf *elf, Elf_Scn *section)
{
  const struct mpi *found = NULL;
  Elf_Data *data = elf_getdata (section, NULL);
  GElf_Shdr header;
  GElf_Dyn entry;

  if (data == NULL || gelf_getshdr (section, &header) == NULL
      || header.sh_type != SHT_DYNAMIC)
    return NULL;
  for (int i = 0; found == NULL && gelf_getdyn (data, i, &entry) != NULL; i++)
    {
      const char *name = entry.d_tag == DT_NEEDED
                             ? elf_strptr (elf, header.sh_link,
                                           entry.d_un.d_val)
                             : NULL;

      if (name != NULL)
        found = mpi_of_library (name);
    }
  return found;
}

/* Returns the implementation that a program is linked with, or NULL.  */
static const struct mpi *
mpi_of_program (const char *path)
{
  const struct mpi *found = NULL;
  int fd = path != NULL ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  Elf *elf;
  Elf_Scn *section = NULL;

  if (fd < 0)
    return NULL;
  elf_version (EV_CURRENT);
  elf = elf_begin (fd, ELF_C_READ, NULL);
  while (found == NULL && (section = elf_nextscn (elf, section)) != NULL)
    found = mpi_of_section (elf, section);
  elf_end (elf);
  close (fd);
  return found;
}

/* Returns the implementation whose mpirun started this process, or NULL.  */
static const struct mpi *
mpi_of_environment (void)
{
  for (int i = 0; i < IMPLEMENTATIONS; i++)
    if (getenv (implementations[i].rank) != NULL)
      return &implementations[i];
  return NULL;
}

/* Other launchers set PMI_RANK for any MPI, so it tells nothing there.  */
static bool
is_sure (const struct mpi *runs)
{
  return runs == &implementations[OPENMPI]
         || (getenv ("SLURM_PROCID") == NULL && getenv ("PALS_RANKID") == NULL);
}

/* Returns the implementation if this tool was built for one only, or NULL.  */
static const struct mpi *
only_mpi (void)
{
  const struct mpi *found = NULL;
  const char *reason;
  int n = 0;

  for (int i = 0; i < IMPLEMENTATIONS; i++)
    {
      char *agent = preload_find (implementations[i].agent, &reason);

      if (agent != NULL)
        {
          found = &implementations[i];
          n++;
        }
      free (agent);
    }
  return n == 1 ? found : NULL;
}

/* Sets the implementation.  False: it is not known; a message was printed.  */
static bool
choose (struct options *o, const char *path)
{
  const struct mpi *needed = mpi_of_program (path);
  const struct mpi *runs = mpi_of_environment ();
  char reason[128];

  if (o->mpi != NULL)
    return true;
  if (needed != NULL && runs != NULL && needed != runs && is_sure (runs))
    {
      snprintf (reason, sizeof reason,
                "is linked with %s, but this mpirun belongs to %s",
                needed->name, runs->name);
      return tool_complain (path, 0, reason);
    }
  o->mpi = needed != NULL ? needed : runs != NULL ? runs : only_mpi ();
  if (o->mpi == NULL)
    tool_complain (o->program[0], 0,
                   "cannot tell which MPI it uses: start cgw-mpi with mpirun, "
                   "or add --mpi");
  return o->mpi != NULL;
}

/* The command line.  */

static const struct option long_options[]
    = { { "output", required_argument, NULL, 'o' },
        { "sample", optional_argument, NULL, SAMPLE },
        { "bytes", no_argument, NULL, BYTES },
        { "keep", no_argument, NULL, KEEP },
        { "mpi", required_argument, NULL, MPI },
        { "quiet", no_argument, NULL, 'q' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-mpi",
  .usage = "[--bytes] [--keep] [--mpi mpich|openmpi] [-o OUT] [-q]\n"
           "               [--sample[=HZ]] [--] PROGRAM [ARG...]",
  .help = "\
Profile an MPI program: mpirun starts cgw-mpi once for each rank.  Write one\n\
profile of all ranks for KCachegrind and callgrind_annotate: how often each MPI\n\
function was called, and how long the program ran in MPI and between the calls.\n\
\n\
      --bytes          count the bytes that are sent and received, too\n\
      --keep           keep rank-N.OUT of every rank\n\
      --mpi mpich|openmpi\n\
                       the MPI implementation, if neither mpirun's environment\n\
                       nor the program shows it\n\
  -o, --output OUT     write the profile to OUT (default: callgrind.out.mpi).  A\n\
                       rank that ends before MPI_Finalize leaves rank-N.OUT;\n\
                       add these files up with cgw-merge --ranks\n\
  -q, --quiet          print only what went wrong\n\
      --sample[=HZ]    sample the program between MPI calls, HZ times per second\n\
                       of processor time (1 to 10000; default: 1000; x86-64)\n",
  .letters = "o:q",
  .options = long_options,
  .runs_program = true
};

static const struct mpi *
parse_mpi (const char *text)
{
  for (int i = 0; i < IMPLEMENTATIONS; i++)
    if (strcmp (text, implementations[i].option) == 0)
      return &implementations[i];
  tool_usage_error ("--mpi is mpich or openmpi, not ", text);
}

static uint64_t
parse_hertz (const char *text)
{
#ifndef HAVE_SAMPLE
  tool_usage_error ("this cgw-mpi was built without samples, which need "
                    "libunwind and x86-64: leave out ", "--sample");
#endif
  return text != NULL ? tool_number ("--sample", text, 10000) : 1000;
}

/* The arguments, with the words of CGW_MPI_OPTIONS before them.  */
static char **
add_environment (int *argc, char **argv, int *n_added)
{
  char *rest = copy_text (getenv ("CGW_MPI_OPTIONS"));
  size_t n = rest != NULL ? strlen (rest) : 0;
  char **all = resize (NULL, n + (size_t) *argc + 1, sizeof *all);

  *n_added = 0;
  all[0] = argv[0];
  for (char *word = n != 0 ? strtok (rest, " \t\n") : NULL; word != NULL;
       word = strtok (NULL, " \t\n"))
    all[++*n_added] = word;
  for (int i = 1; i <= *argc; i++) /* with the NULL */
    all[*n_added + i] = argv[i];
  *argc += *n_added;
  return all;
}

static void
parse_arguments (int argc, char **argv, struct options *o)
{
  int option, n_added;

  tool_begin (&tool);
  argv = add_environment (&argc, argv, &n_added);
  while ((option = tool_option (argc, argv)) != -1)
    if (option == 'o')
      o->watch.out = optarg;
    else if (option == SAMPLE)
      o->hertz = parse_hertz (optarg);
    else if (option == BYTES)
      o->bytes = true;
    else if (option == 'q')
      o->watch.is_quiet = true;
    else if (option == KEEP)
      o->watch.keep = true;
    else
      o->mpi = parse_mpi (optarg);
  if (optind <= n_added)
    tool_usage_error ("CGW_MPI_OPTIONS has what is no option: ",
                      argv[optind]);
  if (optind >= argc)
    tool_usage_error ("no program", "");
  o->program = argv + optind;
  o->watch.program = o->program[0];
}

/* Running.  */

static struct rank_memory *
make_memory (const struct options *o, int *fd)
{
  struct rank_memory *m;
  int low = memfd_create ("cgw-mpi", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  /* Do not take the number of a standard stream that is closed.  */
  *fd = fcntl (low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close (low);
  if (*fd < 0 || ftruncate (*fd, sizeof *m) != 0)
    return NULL;
  /* Whoever made it smaller would end the watcher by SIGBUS.  */
  fcntl (*fd, F_ADD_SEALS, F_SEAL_SHRINK);
  m = mmap (NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
  if (m == MAP_FAILED)
    return NULL;
  m->magic = RANK_MAGIC;
  m->interval = o->hertz != 0 ? 1000000000 / o->hertz : 0;
  m->bytes = o->bytes;
  return m;
}

static bool
set_environment (const struct rank_memory *m, int fd, const char *agent)
{
  char path[64];

  snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) m->watcher, fd);
  return setenv (RANK_ENV, path, 1) == 0 && preload_set (agent);
}

static int
refuse (const char *what, const char *reason)
{
  tool_complain (what, 0, reason);
  return TOOL_NOT_RUN;
}

/* Whether files can be created beside OUT.  All ranks check, though normally
   only rank 0 writes there: if only one rank failed to start, the others would
   wait for it forever in MPICH's MPI_Init.  */
static bool
can_write (const char *out)
{
  struct stat st;
  const char *slash = strrchr (out, '/');
  char *folder = strndup (out, slash != NULL ? (size_t) (slash - out) : 0);
  bool ok = folder != NULL
            && access (slash == NULL  ? "."
                       : slash == out ? "/"
                                      : folder,
                       W_OK | X_OK)
                   == 0;

  free (folder);
  if (ok && stat (out, &st) == 0 && S_ISDIR (st.st_mode))
    {
      errno = EISDIR;
      ok = false;
    }
  return ok;
}

/* Returns an exit status if the program cannot be run.  */
static int
run (struct options *o)
{
  const char *reason;
  char *agent = preload_find (o->mpi->agent, &reason);
  struct rank_memory *m;
  int fd, status;

  if (agent == NULL)
    return refuse (o->mpi->agent, reason);
  if (!can_write (o->watch.out))
    return refuse (o->watch.out, strerror (errno));
  m = make_memory (o, &fd);
  if (m == NULL)
    return refuse ("shared memory", strerror (errno));
  if (!watch_start (m, fd, &o->watch))
    return TOOL_NOT_RUN;
  if (!set_environment (m, fd, agent))
    return refuse ("environment", strerror (errno));
  execvp (o->program[0], o->program);
  status = tool_cannot_execute (o->program[0]);
  watch_cancel (m);
  return status;
}

int
main (int argc, char **argv)
{
  static struct options options = { .watch.out = "callgrind.out.mpi" };
  const char *reason;
  char *path;
  bool ok;

  parse_arguments (argc, argv, &options);
  reason = preload_check (options.program[0], &path);
  if (reason != NULL)
    return refuse (path, reason);
  ok = choose (&options, path);
  free (path);
  return ok ? run (&options) : TOOL_NOT_RUN;
}
