/* test_tool.c - options and messages of the tools.  Wrong options and exit
   statuses are in refusals.cases, --help and --version in tools.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/shell.h"
#include "base/text.h"
#include "base/tool.h"
#include "capture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[]
    = { { "quiet", no_argument, NULL, 'q' },
        { "output", required_argument, NULL, 'o' },
        TOOL_OPTIONS };
static const struct tool tool = { .name = "test",
                                  .usage = "[-q] [-o OUT] IN",
                                  .help = "It tests.\n",
                                  .letters = "qo:",
                                  .options = options };
static const struct tool runner = { .name = "run",
                                    .usage = "PROGRAM",
                                    .help = "",
                                    .letters = "qo:",
                                    .options = options,
                                    .runs_program = true };
static const struct tool plugin = { .name = "plugin",
                                    .usage = "",
                                    .help = "",
                                    .letters = "",
                                    .options = options,
                                    .is_plugin = true };

/* Prints the options of a command line, and where they end.  */
struct command
{
  const struct tool *tool;
  const char *argv[6];
};

static void
take_options (void *context)
{
  const struct command *command = context;
  char *argv[6];
  int argc = 0, option;

  for (; command->argv[argc] != NULL; argc++)
    argv[argc] = strdup (command->argv[argc]);
  argv[argc] = NULL;
  tool_begin (command->tool);
  while ((option = tool_option (argc, argv)) != -1)
    printf ("%c=%s ", option, optarg != NULL ? optarg : "");
  printf ("%d", optind);
  while (argc > 0)
    free (argv[--argc]);
}

#define TAKE(t, ...)                                                          \
  capture (take_options, &(struct command){ &t, { "test", __VA_ARGS__ } })

Test (tool, options)
{
  cr_assert_str_eq (TAKE (tool, "-q", "-o", "x", "in")->out, "q= o=x 4");
  cr_assert_str_eq (TAKE (tool, "-qox", "in")->out, "q= o=x 2");
  cr_assert_str_eq (TAKE (tool, "in", "--output=x", "--quiet")->out,
                    "o=x q= 3");
  cr_assert_str_eq (TAKE (tool, "--", "-q")->out, "2");
}

/* The options of a tool that runs a program end with the program's name.  */
Test (tool, the_options_of_the_program_are_its_own)
{
  cr_assert_str_eq (TAKE (runner, "-q", "ls", "-o", "x")->out, "q= 2");
}

#define USAGE "Usage: test [-q] [-o OUT] IN\n"

static void
wrong (const struct captured *c, const char *err)
{
  cr_assert_eq (c->status, TOOL_WRONG_USAGE);
  cr_assert_str_eq (c->err, err);
  cr_assert_str_eq (c->out, "");
}

static void
take_number (void *text)
{
  tool_begin (&tool);
  printf ("%d", (int) tool_number ("--count", text, 1000));
}

Test (tool, numbers)
{
  const char *const wrong_ones[] = { "", "0", "1001", "-1", "+1", " 1", "1x",
                                     "x", "0x1", "99999999999999999999999" };

  cr_assert_str_eq (capture (take_number, (char[]){ "1" })->out, "1");
  cr_assert_str_eq (capture (take_number, (char[]){ "1000" })->out, "1000");
  cr_assert_str_eq (capture (take_number, (char[]){ "007" })->out, "7");
  for (size_t i = 0; i < sizeof wrong_ones / sizeof *wrong_ones; i++)
    {
      char text[40], err[200];

      snprintf (text, sizeof text, "%s", wrong_ones[i]);
      snprintf (err, sizeof err,
                "test: --count needs a number from 1 to 1000, not %s\n" USAGE,
                text);
      wrong (capture (take_number, text), err);
    }
}

static void
print_messages (void *unused)
{
  (void) unused;
  tool_begin (&tool);
  if (!tool_complain ("file", 0, "bad"))
    tool_complain ("file", 12, "bad");
  tool_warn ("file", 12, "odd");
  tool_say ("file", 0, "done");
  errno = ENOENT;
  printf ("%d ", tool_cannot_execute ("/nowhere/program"));
  errno = EACCES;
  printf ("%d ", tool_cannot_execute ("/nowhere/program"));
  printf ("%d ", tool_open_input ("/nowhere/at all"));
  printf ("%s %s ", tool_input_name ("-"), tool_input_name ("x"));
  printf ("%d", tool_open_input ("-"));
}

Test (tool, messages)
{
  const struct captured *c = capture (print_messages, NULL);

  cr_assert_str_eq (c->err,
                    "test: file: bad\n"
                    "test: file:12: bad\n"
                    "test: file:12: warning: odd\n"
                    "test: file: done\n"
                    "test: /nowhere/program: No such file or directory\n"
                    "test: /nowhere/program: Permission denied\n"
                    "test: /nowhere/at all: No such file or directory\n");
  cr_assert_str_eq (c->out, "127 126 -1 standard input x 0");
}

/* A name without a slash is looked for in PATH alone.  */
Test (tool, why_a_program_cannot_be_executed, .init = enter_folder,
      .fini = leave_folder)
{
  put_file ("program", "");
  cr_assert_eq (mkdir ("folder", 0777), 0);
  cr_assert_str_eq (tool_why_not ("program", ENOENT),
                    "not in PATH; ./program?");
  cr_assert_str_eq (tool_why_not ("program", EACCES), strerror (EACCES));
  cr_assert_str_eq (tool_why_not ("./program", ENOENT), strerror (ENOENT));
  cr_assert_str_eq (tool_why_not ("folder", ENOENT), strerror (ENOENT));
  cr_assert_str_eq (tool_why_not ("nothing", ENOENT), strerror (ENOENT));
}

/* The standard error of its child keeps what is written at once apart.  */
static void
print_in_pieces (void *socket)
{
  dup2 (*(const int *) socket, STDERR_FILENO);
  tool_begin (&tool);
  fprintf (stderr, "%d ", 12);
  fputs ("samples", stderr);
  fputc ('\n', stderr);
  tool_warn ("file", 0, "odd");
  fputs ("open", stderr);
}

static void
assert_written (int socket, const char *expected)
{
  char text[80];
  ssize_t n = recv (socket, text, sizeof text - 1, 0);

  cr_assert_geq (n, 0);
  text[n] = '\0';
  cr_assert_str_eq (text, expected);
}

Test (tool, a_line_is_written_at_once)
{
  int ends[2];

  cr_assert_eq (socketpair (AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  cr_assert_eq (capture (print_in_pieces, &ends[1])->status, 0);
  close (ends[1]);
  assert_written (ends[0], "12 samples\n");
  assert_written (ends[0], "test: file: warning: odd\n");
  assert_written (ends[0], "open");
  assert_written (ends[0], "");
}

/* A plugin leaves the program's standard error without a buffer.  */
static void
print_in_a_program (void *socket)
{
  dup2 (*(const int *) socket, STDERR_FILENO);
  tool_begin (&plugin);
  fputs ("the program's ", stderr);
  tool_say ("file", 0, "done");
}

Test (tool, a_plugin_leaves_the_standard_error_as_it_is)
{
  int ends[2];

  cr_assert_eq (socketpair (AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  cr_assert_eq (capture (print_in_a_program, &ends[1])->status, 0);
  assert_written (ends[0], "the program's ");
  assert_written (ends[0], "plugin: file: done\n");
}

/* What comes from a command line, a folder or a file may be an attack.  */
static void
print_attacks (void *option)
{
  tool_begin (&tool);
  tool_complain ("a\033]0;b\a", 0, "\"\342\200\256c\"");
  tool_warn ("a\nb", 3, "c\rd");
  tool_say ("\302\233m", 0, "\303\274\374");
  if (option != NULL)
    tool_usage_error ("no ", option);
}

Test (tool, messages_obey_nobody)
{
  cr_assert_str_eq (capture (print_attacks, (char[]){ "\033c" })->err,
                    "test: a?]0;b?: \"?c\"\n"
                    "test: a?b:3: warning: c?d\n"
                    "test: ?m: \303\274?\n"
                    "test: no ?c\n" USAGE);
}

/* printable.h.  */

static void
assert_printed (const char *text, const char *expected)
{
  char *printed;
  size_t size;
  FILE *to = open_memstream (&printed, &size);

  cr_assert_not_null (to);
  printable_print (to, text);
  fclose (to);
  cr_assert_str_eq (printed, expected, "%s, not %s", printed, expected);
  free (printed);
}

/* Whether these characters are printed as they are.  */
static void
check_range (long first, long last, bool is_printable)
{
  for (long code = first; code <= last; code++)
    {
      char text[6] = { 'a' };
      char *p = text + 1;

      if (code < 0x80)
        *p++ = (char) code;
      else if (code < 0x800)
        *p++ = (char) (0xc0 | code >> 6);
      else
        {
          *p++ = (char) (0xe0 | code >> 12);
          *p++ = (char) (0x80 | (code >> 6 & 0x3f));
        }
      if (code >= 0x80)
        *p++ = (char) (0x80 | (code & 0x3f));
      *p++ = 'b';
      assert_printed (text, is_printable ? text : "a?b");
    }
}

Test (printable, characters)
{
  check_range (0x01, 0x1f, false);
  check_range (0x20, 0x7e, true);
  check_range (0x7f, 0x9f, false);
  check_range (0xa0, 0x61b, true);
  check_range (0x61c, 0x61c, false);
  check_range (0x61d, 0x200d, true);
  check_range (0x200e, 0x200f, false);
  check_range (0x2010, 0x2027, true);
  check_range (0x2028, 0x202e, false);
  check_range (0x202f, 0x2065, true);
  check_range (0x2066, 0x2069, false);
  check_range (0x206a, 0xd7ff, true);
  check_range (0xe000, 0xffff, true);
}

Test (printable, what_is_not_utf_8)
{
  assert_printed ("", "");
  assert_printed ("\360\237\230\200", "\360\237\230\200");
  assert_printed ("\233m\377", "?m?");
  assert_printed ("a\303", "a?");
  assert_printed ("a\342\200", "a??");
  assert_printed ("\303\033", "??");
  assert_printed ("\300\233", "??");             /* overlong */
  assert_printed ("\340\202\233", "???");       /* overlong */
  assert_printed ("\355\240\200", "???");       /* a surrogate */
  assert_printed ("\364\220\200\200", "????"); /* beyond U+10FFFF */
}

/* identifier.h.  */

Test (identifier, which_names_are)
{
  const char *const names[] = { "Ir", "_", "a1", "A_9z" };
  const char *const others[] = { "", "1a", "a-b", "a b", "\xc3\xa9", "L1:x" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    cr_assert (is_identifier (names[i], strlen (names[i])));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    cr_assert_not (is_identifier (others[i], strlen (others[i])));
  cr_assert (is_identifier ("a-b", 1));
}

static void
assert_word (const char *text, const char *expected)
{
  char *word = shell_word (text);

  cr_assert_str_eq (word, expected);
  free (word);
}

Test (shell, words_are_quoted_if_a_shell_would_read_them_otherwise)
{
  assert_word ("/a-b/c.d_1+2,%:=@", "/a-b/c.d_1+2,%:=@");
  assert_word ("", "''");
  assert_word ("a b", "'a b'");
  assert_word ("it's", "'it'\\''s'");
  assert_word ("'''", "''\\'''\\'''\\'''");
  assert_word ("*", "'*'");
}

Test (shell, words_show_what_a_terminal_would_obey)
{
  assert_word ("a\033[mb", "$'a\\033[mb'");
  assert_word ("\n1", "$'\\0121'");
  assert_word ("it's \\ \302\205", "$'it\\'s \\\\ \\302\\205'");
  assert_word ("\303\274\xff", "$'\303\274\\377'");
  assert_word ("\303\274", "'\303\274'");
}

static void
print_files (void *context)
{
  (void) context;
  shell_print_file (stdout, "-x");
  shell_print_file (stdout, "-x y");
  shell_print_file (stdout, "x-");
  shell_print_word (stdout, "-x");
}

Test (shell, a_file_is_no_option)
{
  cr_assert_str_eq (capture (print_files, NULL)->out,
                    " ./-x ./'-x y' x- -x");
}
