/* lint.c - finds the lines of a profile that readers misread, and says how to
   fix them.

   Reads each file once, line by line.  check.c and its neighbours know what to
   look for in a line, rules.def what it means to whom.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/infile.h"
#include "../base/progress.h"
#include "../base/tool.h"
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum flavour
{
  BY_CONTENT,
  CALLGRIND,
  CACHEGRIND
};

struct options
{
  enum flavour flavour;
  struct report report; /* as that of each file begins */
};

/* Which flavour a file is.  */

/* "(12)" and nothing else: a function of cachegrind's may be "(1)x".  */
static bool
is_reference (const char *name)
{
  size_t n = strspn (name, "(0123456789");

  return n > 1 && name[0] == '(' && strcmp (name + n, ")") == 0;
}

/* Whether cachegrind may have written the line: it writes desc:, cmd: and
   events:, and below them fl=, fn= without ids, numbers and summary:.  */
static bool
may_be_cachegrind (const char *text, bool *cmd_or_desc, bool *events)
{
  const char *name = after (text, "fl=");

  if (!name)
    name = after (text, "fn=");
  if (*text == '\0' || *text == '#')
    return strcmp (text, "# callgrind format") != 0;
  if (after (text, "desc:") || after (text, "cmd:"))
    {
      *cmd_or_desc = true;
      return true;
    }
  if (after (text, "events:"))
    {
      *events = true;
      return *cmd_or_desc;
    }
  if (after (text, "summary:") || (*text >= '0' && *text <= '9'))
    return *events;
  return name && !is_reference (name);
}

/* Reads the file up to the first line that cachegrind would not write, and
   goes back.  A pipe is taken for callgrind's.  */
static enum flavour
find_flavour (int fd)
{
  struct lines in = { .fd = fd };
  bool cmd_or_desc = false, events = false, may_be = true;
  enum lines_status status;
  char *line;
  size_t length;

  if (lseek (fd, 0, SEEK_SET) != 0)
    return CALLGRIND;
  while (may_be
         && (status = lines_next (&in, &line, &length)) != LINES_END
         && (status == LINES_OK || status == LINES_NUL))
    may_be = may_be_cachegrind (line, &cmd_or_desc, &events);
  lines_free (&in);
  lseek (fd, 0, SEEK_SET);
  return may_be && events ? CACHEGRIND : CALLGRIND;
}

/* Checking a file.  */

static const char *
line_error (enum lines_status status)
{
  return status == LINES_TOO_LONG ? "the line is longer than 4 MiB"
                                  : strerror (errno);
}

static void
check_one_line (struct check *c, enum flavour flavour, const struct lines *in,
                char *line, size_t length)
{
  c->line = in->number;
  if (in->had_cr)
    report (c, RULE_CRLF);
  if (flavour == CACHEGRIND)
    check_cachegrind_line (c, line, length);
  else
    check_line (c, line, length);
}

static bool
check_lines (struct check *c, enum flavour flavour, int fd)
{
  struct lines in = { .fd = fd };
  const char *reason = NULL;
  enum lines_status status;
  char *line;
  size_t length;

  while (!reason && (status = lines_next (&in, &line, &length)) != LINES_END)
    {
      if (status != LINES_OK && status != LINES_NUL)
        reason = line_error (status);
      else if (in.number != 1 || !(reason = lines_compressed (line)))
        check_one_line (c, flavour, &in, line, length);
      if (status == LINES_NUL && !reason)
        report (c, RULE_NUL_BYTE);
    }
  if (reason)
    tool_complain (c->report->file, status == LINES_TOO_LONG ? in.number : 0,
                   reason);
  else if (in.number > 0 && in.no_newline && flavour != CACHEGRIND)
    report (c, RULE_NO_FINAL_NEWLINE);
  lines_free (&in);
  return !reason;
}

/* Returns whether the file could be read; what was found is in the report.  */
static bool
check_file (struct report *r, enum flavour flavour, int fd, const char *here)
{
  struct check *c = malloc (sizeof *c);
  struct stat st;
  bool ok;

  if (!c)
    return tool_complain (r->file, 0, strerror (errno));
  check_begin (c, r, here);
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode)
      && (uint64_t) st.st_size > UINT32_MAX)
    report_add (r, RULE_FILE_TOO_LARGE, 0);
  if (flavour == BY_CONTENT)
    flavour = find_flavour (fd);
  r->readers &= flavour == CACHEGRIND ? READ_CACHEGRIND : READ_CALLGRIND;
  progress_begin (progress_size (fd));
  ok = check_lines (c, flavour, fd);
  progress_end ();
  if (ok && flavour == CACHEGRIND)
    check_cachegrind_end (c);
  else if (ok)
    check_end (c);
  check_free (c);
  free (c);
  return ok;
}

/* Returns the exit status for a file.  */
static int
lint (const struct options *options, const char *path, const char *here)
{
  struct report r = options->report;
  int fd = tool_open_input (path);
  bool ok, any;

  if (fd < 0)
    return TOOL_WRONG_USAGE;
  r.file = tool_input_name (path);
  ok = check_file (&r, options->flavour, fd, here);
  any = report_end (&r, ok);
  if (fd != STDIN_FILENO)
    close (fd);
  return !ok ? TOOL_WRONG_USAGE : any ? TOOL_FAILED : EXIT_SUCCESS;
}

/* Arguments.  */

enum
{
  OPTION_CALLGRIND = 256,
  OPTION_CACHEGRIND,
  OPTION_RULES
};

static const struct option long_options[]
    = { { "all", no_argument, NULL, 'a' },
        { "cachegrind", no_argument, NULL, OPTION_CACHEGRIND },
        { "callgrind", no_argument, NULL, OPTION_CALLGRIND },
        { "quiet", no_argument, NULL, 'q' },
        { "reader", required_argument, NULL, 'r' },
        { "rules", no_argument, NULL, OPTION_RULES },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-lint",
  .failed = TOOL_WRONG_USAGE, /* 1 says that there are findings */
  .usage = "[-a | -q] [--cachegrind | --callgrind] [-r READER,...] FILE...\n"
           "       cgw-lint --rules",
  .help = "\
Find the lines of profiles that some reader misreads or refuses, and say how\n\
to fix them.  The status is 0 without findings, 1 with findings, 2 on errors.\n\
\n\
  -a, --all            print all findings, not only three per rule and file\n\
      --cachegrind     treat the files as cachegrind's, whatever they contain\n\
      --callgrind      treat the files as callgrind's, whatever they contain\n\
  -q, --quiet          print nothing: the status says if there are findings\n\
  -r, --reader READER,...\n\
                       report only what these readers misread, including\n\
                       features that they lack: kcachegrind, cg_annotate,\n\
                       callgrind_annotate, cg_merge, cg_diff, gprof2dot,\n\
                       qtcreator, speedscope, or all\n\
      --rules          print the rules: name, readers, kind, effect, fix\n",
  .letters = "aqr:",
  .options = long_options
};

static unsigned
find_reader (const char *name, size_t n)
{
  if (n == 3 && strncmp (name, "all", n) == 0)
    return (1U << N_READERS) - 1;
  for (unsigned i = 0; i < N_READERS; i++)
    if (strlen (readers[i].option) == n
        && strncmp (readers[i].option, name, n) == 0)
      return 1U << i;
  tool_usage_error ("unknown reader (see --rules) in ", name);
}

static unsigned
find_readers (const char *list)
{
  unsigned set = 0;

  for (;;)
    {
      size_t n = strcspn (list, ",");
      set |= find_reader (list, n);
      if (list[n] == '\0')
        return set;
      list += n + 1;
    }
}

/* Readers of one format alone misread all files of the other.  */
static void
choose_flavour (struct options *options)
{
  unsigned wanted = options->report.readers;

  if (options->flavour == BY_CONTENT && !(wanted & READ_CALLGRIND))
    options->flavour = CACHEGRIND;
  else if (options->flavour == BY_CONTENT && !(wanted & READ_CACHEGRIND))
    options->flavour = CALLGRIND;
  if (options->flavour == CALLGRIND && !(wanted & READ_CALLGRIND))
    tool_usage_error ("none of these readers reads callgrind's files", "");
  if (options->flavour == CACHEGRIND && !(wanted & READ_CACHEGRIND))
    tool_usage_error ("none of these readers reads cachegrind's files", "");
}

static void
parse_arguments (int argc, char **argv, struct options *options)
{
  struct report *r = &options->report;
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    switch (option)
      {
      case 'a':
        r->all = true;
        break;
      case 'q':
        r->quiet = true;
        break;
      case 'r':
        r->readers = (r->limits ? r->readers : 0) | find_readers (optarg);
        r->limits = true;
        break;
      case OPTION_CALLGRIND:
        options->flavour = CALLGRIND;
        break;
      case OPTION_CACHEGRIND:
        options->flavour = CACHEGRIND;
        break;
      default:
        print_rules ();
        exit (tool_flush () ? EXIT_SUCCESS : tool_failed ());
      }
  if (optind >= argc)
    tool_usage_error ("no file", "");
  choose_flavour (options);
}

/* The current directory with a "/" behind it, or NULL.  */
static char *
find_here (void)
{
  char *path = getcwd (NULL, 0);
  char *here = NULL;

  if (path && asprintf (&here, "%s/", path) < 0)
    here = NULL;
  free (path);
  return here;
}

int
main (int argc, char **argv)
{
  struct options options = { .report.readers = (1U << N_READERS) - 1 };
  int status = EXIT_SUCCESS;
  char *here;

  parse_arguments (argc, argv, &options);
  here = find_here ();
  for (int i = optind; i < argc; i++)
    {
      int s = lint (&options, argv[i], here);
      status = s > status ? s : status;
    }
  free (here);
  return tool_flush () ? status : tool_failed ();
}
