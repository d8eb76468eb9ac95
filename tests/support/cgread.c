/* cgread.c - the test-suite's reader as a command, for shell tests.

     cgread [OPTION...] FILE            counts, or FILE:LINE: why it is refused
     cgread [OPTION...] --dump FILE     one sorted line per sum, edge and jump
     cgread [OPTION...] --same A B      A read leniently, B with the options

   Exit status: 0 good, 1 refused or different, 2 wrong usage.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader.h"

#include <inttypes.h>
#include <string.h>

static const struct
{
  const char *name;
  unsigned flag;
} options[] = {
  { "--strict", READER_STRICT },
  { "--lenient", READER_LENIENT },
  { "--allow-zero-calls", READER_ALLOW_ZERO_CALLS },
  { "--allow-unfinished", READER_UNFINISHED },
  { "--keep-zeros", READER_KEEP_ZEROS },
  { "--no-pad", READER_NO_PAD },
  { "--absolute", READER_ABSOLUTE },
  { "--plain", READER_PLAIN },
};

static int
usage (void)
{
  fprintf (stderr, "usage: cgread [OPTION...] [--dump] FILE\n"
                   "       cgread [OPTION...] --same FILE FILE\n"
                   "Options:");
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    fprintf (stderr, " %s", options[i].name);
  fputc ('\n', stderr);
  return 2;
}

static bool
option (const char *arg, unsigned *flags)
{
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (!strcmp (arg, options[i].name))
      {
        *flags |= options[i].flag;
        return true;
      }
  return false;
}

static struct profile *
read_or_say (const char *path, unsigned flags)
{
  char error[512];
  struct profile *p = profile_read_file (path, flags, error, sizeof error);
  if (!p)
    printf ("%s:%s\n", path, error);
  return p;
}

static void
print_counts (const struct profile *p)
{
  printf ("lines %" PRIu64 "\nparts %zu\n", p->lines, p->n_parts);
  printf ("cost-lines %" PRIu64 "\ncalls %" PRIu64 "\njumps %" PRIu64 "\n",
          p->cost_lines, p->calls, p->jump_lines);
  printf ("functions %zu\nsums %zu\nedges %zu\n", p->fns.n, p->costs.n,
          p->edges.n);
  for (size_t i = 0; i < p->n_events; i++)
    {
      struct profile_sum sum = profile_total (p, i);
      printf ("total %s %" PRIu64 "%s\n", p->parts[0].events[i].name,
              sum.value, sum.overflow ? " overflow" : "");
    }
}

static int
compare (const char *one, const char *two, unsigned flags)
{
  char why[4096];
  bool same = false;
  struct profile *a = read_or_say (one, READER_LENIENT);
  struct profile *b = a ? read_or_say (two, flags) : NULL;
  if (b)
    {
      same = profile_same (a, b, why, sizeof why);
      if (!same)
        printf ("%s %s: %s\n", one, two, why);
    }
  profile_free (a);
  profile_free (b);
  return !same;
}

static int
show (const char *path, unsigned flags, bool dump)
{
  struct profile *p = read_or_say (path, flags);
  if (!p)
    return 1;
  if (dump)
    profile_dump (p, stdout);
  else
    print_counts (p);
  profile_free (p);
  return 0;
}

int
main (int argc, char **argv)
{
  unsigned flags = READER_STRICT;
  bool dump = false;
  bool same = false;
  int i = 1;
  for (; i < argc && !strncmp (argv[i], "--", 2); i++)
    if (!strcmp (argv[i], "--dump"))
      dump = true;
    else if (!strcmp (argv[i], "--same"))
      same = true;
    else if (!option (argv[i], &flags))
      return usage ();
  if (argc - i != (same ? 2 : 1) || (same && dump))
    return usage ();
  int status = same ? compare (argv[i], argv[i + 1], flags)
                    : show (argv[i], flags, dump);
  return fflush (stdout) || ferror (stdout) ? 1 : status;
}
