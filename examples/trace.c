/* trace.c - a command that traces a program's calls: how often each function
   called each other one from where, and how long that took.

     trace [OPTION...] [--] PROGRAM [ARGUMENT...]

     -o OUT     write to OUT; else to callgrind.out.PID
     --cpu      measure CPU time; else wall-clock time, with all waiting
     --parts    one file for all threads, a part each; else a file each
     --help     say this

   The program (and each library of its that is of interest) must have been
   compiled with -finstrument-functions, and with -g for files and lines:

     cc -g -finstrument-functions program.c -o program
     examples/trace -o callgrind.out ./program
     callgrind_annotate --tree=both callgrind.out

   The compiler then puts a call at the begin and at the end of each function.
   These calls go to libc, where they do nothing, or to trace_preload.so, which
   this command lets the dynamic linker put before libc.  When the program
   ends, it writes the profile.  In it, the event Calls counts how often a
   function was entered, and, inclusive, all calls below it.

   The first thread's profile is in OUT, that of thread N in OUT-N, because
   callgrind_annotate and speedscope read only one part of a file right;
   KCachegrind, given OUT, opens the others, too, and shows them as parts.
   Whatever the program forks or starts, and was compiled so, writes OUT.PID.

   Written is by a return from main, exit and _exit in normal code; not by
   _exit in a handler, quick_exit, abort, a signal that kills, or exec.  What
   runs after the destructors of libraries have begun is not traced.
   Coroutines that switch stacks confuse the order of calls.

   SPDX-License-Identifier: MIT  */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_line[] = "usage: trace [-o OUT] [--cpu] [--parts] [--] "
                                 "PROGRAM [ARGUMENT...]\n";

static int
usage (void)
{
  fputs (usage_line, stderr);
  return 2;
}

static int
help (void)
{
  fputs (usage_line, stdout);
  fputs ("Count the calls of a program that was compiled with "
         "-finstrument-functions.\n"
         "  -o OUT   write to OUT; else to callgrind.out.PID\n"
         "  --cpu    measure CPU time; else wall-clock time, with all "
         "waiting\n"
         "  --parts  one file for all threads, a part each; else a file "
         "each\n"
         "  --help   print this\n", stdout);
  return fflush (stdout) == 0 ? 0 : 1;
}

static int
fail (const char *what)
{
  fprintf (stderr, "trace: %s: %s\n", what, strerror (errno));
  return 127;
}

static bool
is_of_trace (const char *path)
{
  char line[256];
  bool found = false;
  FILE *in = fopen (path, "r");

  for (int i = 0; in && i < 3 && fgets (line, sizeof line, in); i++)
    found = !strncmp (line, "creator: libcgw-", 16)
            && strstr (line, " trace\n") != NULL;
  if (in)
    fclose (in);
  return found;
}

/* Removes what an earlier run left beside OUT: KCachegrind would show it as
   parts of this one.  Only profiles of this command, with a number behind
   OUT.  */
static void
remove_earlier (const char *out)
{
  char *pattern = malloc (2 * strlen (out) + 16);
  char *to = pattern;
  glob_t found;

  if (!pattern)
    return;
  for (const char *from = out; *from; *to++ = *from++)
    *to++ = '\\';
  strcpy (to, "[-.][0-9]*");
  if (glob (pattern, 0, NULL, &found) == 0)
    {
      for (size_t i = 0; i < found.gl_pathc; i++)
        {
          const char *behind = found.gl_pathv[i] + strlen (out);
          if (behind[strspn (behind, "-.0123456789")] == '\0'
              && is_of_trace (found.gl_pathv[i]))
            unlink (found.gl_pathv[i]);
        }
      globfree (&found);
    }
  free (pattern);
}

/* The program.  */

/* Opens what execvp would find.  -1: there is none.  */
static int
open_program (const char *name)
{
  const char *folders = getenv ("PATH");
  char path[PATH_MAX];
  size_t n;

  if (strchr (name, '/') || !folders)
    return open (name, O_RDONLY | O_CLOEXEC);
  for (; *folders; folders += n + (folders[n] == ':'))
    {
      n = strcspn (folders, ":");
      if (snprintf (path, sizeof path, "%.*s%s%s", (int) n, folders,
                    n != 0 ? "/" : "", name) < (int) sizeof path
          && access (path, X_OK) == 0)
        return open (path, O_RDONLY | O_CLOEXEC);
    }
  return -1;
}

/* Whether a file is a program that does without a dynamic linker.  */
static bool
is_static (int fd)
{
  ElfW (Ehdr) head;
  ElfW (Phdr) segment;

  if (pread (fd, &head, sizeof head, 0) != sizeof head
      || memcmp (head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != (sizeof (void *) == 8 ? ELFCLASS64
                                                         : ELFCLASS32))
    return false;
  for (int i = 0; i < head.e_phnum; i++)
    if (pread (fd, &segment, sizeof segment,
               (off_t) head.e_phoff + i * (off_t) sizeof segment)
            != sizeof segment
        || segment.p_type == PT_INTERP)
      return false;
  return true;
}

static void
say_if_static (const char *name)
{
  int fd = open_program (name);

  if (fd < 0)
    return;
  if (is_static (fd))
    fprintf (stderr, "trace: %s: no profile: it is linked statically, so "
                     "nothing can be preloaded; link it dynamically\n", name);
  close (fd);
}

/* The library that is preloaded lies beside this program.  */
static const char *
preload (void)
{
  static const char name[] = "trace_preload.so";
  const char *already = getenv ("LD_PRELOAD");
  char path[PATH_MAX + sizeof name], *slash, *list;
  ssize_t n = readlink ("/proc/self/exe", path, PATH_MAX);

  if (n <= 0)
    return "/proc/self/exe";
  path[n] = '\0';
  slash = strrchr (path, '/');
  memcpy (slash + 1, name, sizeof name);
  if (access (path, R_OK) != 0)
    return name;
  if (strpbrk (path, " :"))
    {
      errno = EINVAL;
      return "LD_PRELOAD takes no path with a blank or a colon";
    }
  list = malloc (strlen (path) + (already ? strlen (already) : 0) + 2);
  if (!list)
    return name;
  sprintf (list, "%s%s%s", path, already ? ":" : "", already ? already : "");
  n = setenv ("LD_PRELOAD", list, 1);
  free (list);
  return n == 0 ? NULL : "LD_PRELOAD";
}

int
main (int argc, char **argv)
{
  static const struct option options[]
      = { { "cpu", no_argument, NULL, 'c' },
          { "parts", no_argument, NULL, 'p' },
          { "help", no_argument, NULL, 'h' },
          { NULL, 0, NULL, 0 } };
  char flags[3] = "", number[32];
  const char *out = NULL, *wrong;
  int option;

  while ((option = getopt_long (argc, argv, "+o:", options, NULL)) != -1)
    if (option == 'o')
      out = optarg;
    else if (option == '?')
      return usage ();
    else if (option == 'h')
      return help ();
    else if (!strchr (flags, option))
      flags[strlen (flags)] = (char) option;
  if (optind == argc || (out && *out == '\0'))
    return usage ();

  wrong = preload ();
  if (wrong)
    return fail (wrong);
  /* The process stays the same when the program takes this one's place.  */
  snprintf (number, sizeof number, "%ld", (long) getpid ());
  setenv ("CGW_TRACE_PID", number, 1);
  setenv ("CGW_TRACE_FLAGS", flags, 1);
  if (out)
    {
      setenv ("CGW_TRACE_OUT", out, 1);
      remove_earlier (out);
    }
  else
    unsetenv ("CGW_TRACE_OUT");
  say_if_static (argv[optind]);
  execvp (argv[optind], argv + optind);
  return fail (argv[optind]);
}
