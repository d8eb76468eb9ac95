/* tool.c - options, messages and exit statuses of all tools.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool.h"

#include "progress.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct tool *tool;
static FILE *messages; /* of a plugin, a stream of its own */
static char letters[32];

/* A file must not get the number of a standard stream that is closed: messages
   would go into the output.  Using these streams fails, as before; a program
   that is executed finds them closed.  */
static void
fill_closed_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      open ("/dev/null",
            (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* A line that is printed in pieces appears as one, among those of other
   processes.  */
static void
buffer_lines (void)
{
  static char line[BUFSIZ];

  messages = tool->is_plugin ? fdopen (STDERR_FILENO, "w") : stderr;
  if (messages != NULL)
    setvbuf (messages, line, _IOLBF, sizeof line);
  else
    messages = stderr;
}

void
tool_begin (const struct tool *t)
{
  tool = t;
  fill_closed_streams ();
  buffer_lines ();
  opterr = 0; /* what getopt_long says begins with the program's path */
  snprintf (letters, sizeof letters, "%s:%shV", t->runs_program ? "+" : "",
            t->letters);
}

int
tool_failed (void)
{
  int usual = tool->runs_program ? TOOL_NOT_RUN : TOOL_FAILED;

  return tool->failed != 0 ? tool->failed : usual;
}

static void
print_usage (FILE *to)
{
  fprintf (to, "Usage: %s %s\n", tool->name, tool->usage);
}

void
tool_usage_error (const char *reason, const char *what)
{
  fprintf (stderr, "%s: ", tool->name);
  printable_print (stderr, reason);
  printable_print (stderr, what);
  fputc ('\n', stderr);
  print_usage (stderr);
  exit (tool->runs_program ? TOOL_NOT_RUN : TOOL_WRONG_USAGE);
}

static void
print_help (void)
{
  print_usage (stdout);
  fputs (tool->help, stdout);
  fputs ("  -h, --help     print this\n"
         "  -V, --version  print the version\n", stdout);
}

/* Refuses a letter, or a long option.  The argument is NULL where musl's
   getopt_long has counted the value that a letter lacks.  */
static void __attribute__ ((noreturn))
refuse_option (const char *reason, int option, const char *argument)
{
  const char letter[] = { '-', (char) option, '\0' };
  bool is_long = argument != NULL && argument[0] == '-' && argument[1] == '-';

  tool_usage_error (reason, is_long ? argument : letter);
}

int
tool_option (int argc, char **argv)
{
  int before = optind;
  int option;

  if (argc == 0) /* as execve allows */
    return -1;
  optarg = NULL;
  option = getopt_long (argc, argv, letters, tool->options, NULL);
  if (option == TOOL_HELP)
    print_help ();
  else if (option == TOOL_VERSION)
    printf ("%s (libcgw) %s\n", tool->name, cgw_version ());
  else if (option == ':')
    refuse_option ("a value is missing after ", optopt, argv[optind - 1]);
  else if (option == '?')
    /* Among several letters of a word, optind stays at that word.  */
    refuse_option ("unknown option ", optopt,
                   optind > before ? argv[optind - 1] : "");
  else if (optarg != NULL && *optarg == '\0')
    /* It follows "=", or is a separate word.  */
    refuse_option ("a value is missing after ", option,
                   argv[optind - (argv[optind - 1][0] != '\0' ? 1 : 2)]);
  else
    return option;
  exit (tool_flush () ? EXIT_SUCCESS : tool_failed ());
}

bool
tool_flush (void)
{
  return (fflush (stdout) == 0 && !ferror (stdout))
         || tool_complain ("standard output", 0, strerror (errno));
}

static void
say (const char *file, uint64_t line, const char *warning, const char *reason)
{
  progress_clear ();
  fprintf (messages, "%s: ", tool->name);
  printable_print (messages, file);
  if (line != 0)
    fprintf (messages, ":%" PRIu64, line);
  fprintf (messages, ": %s", warning);
  printable_print (messages, reason);
  fputc ('\n', messages);
}

uint64_t
tool_number (const char *option, const char *text, unsigned long most)
{
  char reason[80], *end;
  unsigned long n;

  errno = 0;
  n = strtoul (text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && n >= 1
      && n <= most)
    return n;
  snprintf (reason, sizeof reason, "%s needs a number from 1 to %lu, not ",
            option, most);
  tool_usage_error (reason, text);
}

bool
tool_complain (const char *file, uint64_t line, const char *reason)
{
  say (file, line, "", reason);
  return false;
}

static bool
is_stdin (const char *path)
{
  return strcmp (path, "-") == 0;
}

const char *
tool_input_name (const char *path)
{
  return is_stdin (path) ? "standard input" : path;
}

int
tool_open_input (const char *path)
{
  int fd = is_stdin (path) ? STDIN_FILENO : open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    tool_complain (path, 0, strerror (errno));
  return fd;
}

/* A name without a slash is looked for in PATH alone.  */
const char *
tool_why_not (const char *program, int error)
{
  static char reason[256];
  struct stat st;

  if (error != ENOENT || strchr (program, '/') != NULL
      || stat (program, &st) != 0 || !S_ISREG (st.st_mode))
    return strerror (error);
  snprintf (reason, sizeof reason, "not in PATH; ./%s?", program);
  return reason;
}

int
tool_cannot_execute (const char *program)
{
  int error = errno;

  tool_complain (program, 0, tool_why_not (program, error));
  return error == ENOENT ? TOOL_NOT_FOUND : TOOL_NOT_EXECUTABLE;
}

void
tool_say (const char *file, uint64_t line, const char *text)
{
  say (file, line, "", text);
}

void
tool_warn (const char *file, uint64_t line, const char *reason)
{
  say (file, line, "warning: ", reason);
}
