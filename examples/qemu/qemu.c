/* qemu.c - cgw-qemu: runs a program of any processor under QEMU, and writes an
   exact profile: instructions, and who called whom how often.

     cgw-qemu [-o OUT] PROGRAM [ARGUMENT...]

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../common/memory.h"
#include "hottest.h"
#include "machine.h"
#include "preload.h"
#include "run.h"
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN "qemu_plugin.so"

enum { MEM = 256, BLOCKS, THREADS, SAVE_EVERY, FROM, TO, SYMBOLS };

static const struct option long_options[]
    = { { "output", required_argument, NULL, 'o' },
        { "sysroot", required_argument, NULL, 'L' },
        { "mem", no_argument, NULL, MEM },
        { "blocks", no_argument, NULL, BLOCKS },
        { "threads", no_argument, NULL, THREADS },
        { "save-every", required_argument, NULL, SAVE_EVERY },
        { "from", required_argument, NULL, FROM },
        { "to", required_argument, NULL, TO },
        { "symbols", required_argument, NULL, SYMBOLS },
        { "quiet", no_argument, NULL, 'q' },
        TOOL_OPTIONS };

static const struct tool tool = {
  .name = "cgw-qemu",
  .usage = "[OPTION...] PROGRAM [ARGUMENT...]",
  .help = "Runs a program of any processor under QEMU, and writes an exact "
          "profile.\n\n"
          "  -o, --output OUT       write OUT, instead of callgrind.out.PID\n"
          "  -L, --sysroot FOLDER   the program's libraries are there\n"
          "      --mem              count reads and writes of memory, too\n"
          "      --blocks           count executed blocks, too\n"
          "      --threads          a part for each thread or processor\n"
          "      --save-every N     save the profile every N instructions\n"
          "      --from FUNCTION    begin counting when this is called first\n"
          "      --to FUNCTION      end counting when this is called\n"
          "      --symbols FILE     PROGRAM is a QEMU for whole systems, which\n"
          "                         runs the code of this ELF file\n"
          "  -q, --quiet            print neither functions nor a command\n"
          "  -h, --help             print this\n"
          "  -V, --version          print the version\n\n"
          "PROGRAM may be a QEMU command, such as qemu-system-arm, with its\n"
          "arguments.\n",
  .letters = "o:L:q",
  .options = long_options,
  .runs_program = true
};

struct settings
{
  const char *out; /* or NULL */
  const char *sysroot;
  const char *symbols;
  const char *from;
  const char *to;
  uint64_t save_every;
  bool has_accesses;
  bool has_blocks;
  bool has_parts;
  bool is_quiet;
};

/* The path of a file from any folder.  */
static char *
find_symbols (const char *path)
{
  char *whole = realpath (path, NULL);

  if (whole == NULL)
    {
      tool_complain (path, 0, strerror (errno));
      exit (TOOL_NOT_RUN);
    }
  return whole;
}

static void
parse_arguments (int argc, char **argv, struct settings *s)
{
  int option;

  tool_begin (&tool);
  while ((option = tool_option (argc, argv)) != -1)
    switch (option)
      {
      case 'o': s->out = optarg; break;
      case 'L': s->sysroot = optarg; break;
      case 'q': s->is_quiet = true; break;
      case MEM: s->has_accesses = true; break;
      case BLOCKS: s->has_blocks = true; break;
      case THREADS: s->has_parts = true; break;
      case FROM: s->from = optarg; break;
      case TO: s->to = optarg; break;
      case SYMBOLS: s->symbols = find_symbols (optarg); break;
      case SAVE_EVERY:
        s->save_every = tool_number ("--save-every", optarg, ULONG_MAX);
        break;
      }
  if (optind >= argc)
    tool_usage_error ("no program", "");
  if (s->out && strcmp (s->out, "-") == 0)
    tool_usage_error ("the standard output is the program's: name a file", "");
}

/* The command line.  */

static int
refuse (const char *what, const char *reason)
{
  tool_complain (what, 0, reason);
  return TOOL_NOT_RUN;
}

struct words
{
  char **word; /* ends with NULL */
  size_t n;
};

/* Takes a word, which is to be freed.  */
static void
add (struct words *w, char *word)
{
  w->word = resize (w->word, w->n + 2, sizeof *w->word);
  w->word[w->n++] = word;
  w->word[w->n] = NULL;
}

static bool
is_qemu (const char *program)
{
  const char *slash = strrchr (program, '/');

  return strncmp (slash != NULL ? slash + 1 : program, "qemu-", 5) == 0;
}

/* Adds an argument for the plugin.  QEMU takes two commas for one.  */
static void
add_argument (char **plugin, const char *name, const char *value)
{
  char *text = resize (NULL, 2 * strlen (value) + 1, 1), *to = text, *more;

  for (; *value != '\0'; value++)
    {
      if (*value == ',')
        *to++ = ',';
      *to++ = *value;
    }
  *to = '\0';
  more = make_text ("%s,%s=%s", *plugin, name, text);
  free (*plugin);
  free (text);
  *plugin = more;
}

/* The words of a command, with blanks between them.  */
static char *
command_line (char **program)
{
  char *text = copy_text (*program);

  while (*++program != NULL)
    {
      char *more = make_text ("%s %s", text, *program);

      free (text);
      text = more;
    }
  return text;
}

static char *
plugin_argument (const struct settings *s, const char *file, char **program)
{
  char *text = copy_text ("file="), *command = command_line (program);
  char number[32];

  free (text);
  text = make_text ("%s", file);
  add_argument (&text, "out", s->out);
  add_argument (&text, "command", command);
  if (s->symbols != NULL)
    add_argument (&text, "symbols", s->symbols);
  if (s->from != NULL)
    add_argument (&text, "from", s->from);
  if (s->to != NULL)
    add_argument (&text, "to", s->to);
  if (s->has_accesses)
    add_argument (&text, "mem", "on");
  if (s->has_blocks)
    add_argument (&text, "blocks", "on");
  if (s->has_parts)
    add_argument (&text, "threads", "on");
  if (s->save_every != 0)
    {
      snprintf (number, sizeof number, "%" PRIu64, s->save_every);
      add_argument (&text, "save", number);
    }
  free (command);
  return text;
}

/* Adds the QEMU that runs a program, and its options.  *found becomes the
   program's path, to be freed.  Returns 0, or the exit status after a message.  */
static int
add_qemu (struct words *w, const struct settings *s, const char *program,
          char **found)
{
  struct machine m = { .qemu = NULL };
  char *path = *found = machine_find (program);
  char *qemu = NULL, *sysroot = NULL;
  const char *reason
      = path == NULL ? "was not found" : machine_of (path, &m);
  int status = 0;

  if (reason == NULL)
    {
      qemu = machine_find (m.qemu);
      sysroot = s->sysroot != NULL ? copy_text (s->sysroot)
                                   : machine_sysroot (&m, path);
    }
  if (reason != NULL)
    status = refuse (program, reason);
  else if (qemu == NULL)
    status = refuse (m.qemu, "was not found: install QEMU for programs "
                             "(Debian's package qemu-user)");
  else if (sysroot == NULL)
    {
      char *text = make_text (
          "needs %s of its own system: name the folder with -L%s%s",
          m.interpreter, m.package != NULL ? ", or install Debian's " : "",
          m.package != NULL ? m.package : "");

      status = refuse (program, text);
      free (text);
    }
  if (status == 0)
    {
      add (w, qemu);
      qemu = NULL;
      if (*sysroot != '\0')
        {
          add (w, copy_text ("-L"));
          add (w, copy_text (sysroot));
        }
      add (w, copy_text ("-0"));
      add (w, copy_text (program));
    }
  free (m.interpreter);
  free (sysroot);
  free (qemu);
  return status;
}

static int
add_plugin (struct words *w, const struct settings *s, char **program)
{
  const char *reason;
  char *plugin = preload_find (PLUGIN, &reason);

  if (plugin == NULL)
    return refuse (PLUGIN, reason);
  add (w, copy_text ("-plugin"));
  add (w, plugin_argument (s, plugin, program));
  free (plugin);
  return 0;
}

/* Makes QEMU's command from the program's words: QEMU does not look for the
   program in PATH.  */
static int
make_command (struct words *w, const struct settings *s, char **program)
{
  char *path = NULL;
  int status = 0;

  if (is_qemu (*program))
    add (w, copy_text (*program));
  else
    status = add_qemu (w, s, *program, &path);
  if (status == 0)
    status = add_plugin (w, s, program);
  if (status != 0)
    {
      free (path);
      return status;
    }
  if (path != NULL)
    add (w, path);
  while (*++program != NULL)
    add (w, copy_text (*program));
  return 0;
}

static bool
prepare (void *nothing)
{
  (void) nothing;
  return true;
}

int
main (int argc, char **argv)
{
  struct settings s = { .out = NULL };
  struct words w = { NULL, 0 };
  char own[64];
  struct run run = { .pid = 0 };
  int status;

  parse_arguments (argc, argv, &s);
  if (s.out == NULL)
    {
      snprintf (own, sizeof own, "callgrind.out.%ld", (long) getpid ());
      s.out = own;
    }
  status = make_command (&w, &s, argv + optind);
  if (status != 0)
    return status;
  unlink (s.out);
  run_begin (&run);
  if (!run_start (&run, w.word, prepare, NULL))
    return tool_cannot_execute (w.word[0]);
  while (!run.has_ended)
    run_wait (&run, -1);
  if (access (s.out, F_OK) != 0)
    tool_say ("no profile", 0, "QEMU wrote none");
  else if (!s.is_quiet)
    hottest_print (s.out, 1, NULL);
  run_exit (&run);
}
