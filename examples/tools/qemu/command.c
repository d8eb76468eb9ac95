/* command.c - the command that runs a program under QEMU with the plugin.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "command.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "../run/preload.h"
#include "machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN "qemu_plugin.so"

static int
refuse (int status, const char *what, const char *reason)
{
  tool_complain (what, 0, reason);
  return status;
}

/* Takes a word, which is to be freed.  */
static void
add (struct words *w, char *word)
{
  w->word = resize (w->word, w->n + 2, sizeof *w->word);
  w->word[w->n++] = word;
  w->word[w->n] = NULL;
}

void
command_free (struct words *w)
{
  while (w->n > 0)
    free (w->word[--w->n]);
  free (w->word);
}

/* The plugin.  */

/* Adds an argument to those of the plugin.  QEMU takes two commas for one.  */
static void
add_argument (char **plugin, const char *name, const char *value)
{
  char *text = double_character (value, ',');
  char *more = make_text ("%s,%s=%s", *plugin, name, text);

  free (*plugin);
  free (text);
  *plugin = more;
}

static void
add_if_given (char **plugin, const char *name, const char *value)
{
  if (value != NULL)
    add_argument (plugin, name, value);
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
plugin_argument (const struct settings *s, const char *file,
                 const char *symbols, char **program)
{
  char *path = double_character (file, ',');
  char *text = make_text ("file=%s", path);
  char *command = command_line (program);
  char *save = s->save_every != 0 ? make_text ("%" PRIu64, s->save_every)
                                  : NULL;

  add_argument (&text, "out", s->out);
  add_argument (&text, "shared", s->shared);
  add_argument (&text, "command", command);
  add_if_given (&text, "symbols", symbols);
  add_if_given (&text, "for", s->reader != NULL ? s->reader->option : NULL);
  add_if_given (&text, "from", s->from);
  add_if_given (&text, "until", s->until);
  add_if_given (&text, "save", save);
  add_if_given (&text, "mem", s->has_accesses ? "on" : NULL);
  add_if_given (&text, "blocks", s->has_blocks ? "on" : NULL);
  add_if_given (&text, "jumps", s->has_jumps ? "on" : NULL);
  add_if_given (&text, "threads", s->has_parts ? "on" : NULL);
  add_if_given (&text, "trees", s->has_trees ? "on" : NULL);
  free (path);
  free (command);
  free (save);
  return text;
}

static int
add_plugin (struct words *w, const struct settings *s, const char *symbols,
            char **program)
{
  const char *reason;
  char *file = preload_locate (PLUGIN, &reason);

  if (file == NULL)
    return refuse (TOOL_NOT_RUN, PLUGIN, reason);
  add (w, copy_text ("-plugin"));
  add (w, plugin_argument (s, file, symbols, program));
  free (file);
  return 0;
}

/* Programs.  */

/* The folder for QEMU's -L; "": none is needed.  NULL: there is none; a
   message was printed.  */
static char *
find_sysroot (const struct settings *s, const struct machine *m,
              const char *program, const char *path)
{
  const char *given = s->sysroot;
  char *folder = NULL, *text;

  if (given == NULL)
    folder = machine_sysroot (m, path);
  else if (m->interpreter == NULL || machine_has_linker (m, given))
    folder = copy_text (given);
  if (folder != NULL)
    return folder;
  text = given != NULL
           ? make_text ("has no %s for %s", m->interpreter, program)
           : make_text ("needs %s of its own system: name the system's folder "
                        "with -L%s%s",
                        m->interpreter,
                        m->package != NULL ? ", or install Debian's " : "",
                        m->package != NULL ? m->package : "");
  tool_complain (given != NULL ? given : program, 0, text);
  free (text);
  return NULL;
}

static int
no_qemu (const struct machine *m)
{
  return refuse (TOOL_NOT_FOUND, m->qemu,
                 "was not found: install QEMU for programs (Debian's package "
                 "qemu-user)");
}

/* Adds QEMU and its options for a program that is found at a path.  */
static int
add_qemu_for (struct words *w, const struct settings *s, const char *program,
              const char *path, const struct machine *m)
{
  char *qemu = preload_program (m->qemu);
  char *sysroot
      = qemu != NULL ? find_sysroot (s, m, program, path) : NULL;
  int status = qemu == NULL      ? no_qemu (m)
               : sysroot == NULL ? TOOL_NOT_EXECUTABLE
                                 : 0;

  if (status == 0)
    {
      add (w, copy_text (qemu));
      if (*sysroot != '\0')
        {
          add (w, copy_text ("-L"));
          add (w, copy_text (sysroot));
        }
      add (w, copy_text ("-0"));
      add (w, copy_text (program));
    }
  free (sysroot);
  free (qemu);
  return status;
}

/* The path of a program, to be freed: QEMU does not look for it in PATH.  */
static char *
find_program (const char *program)
{
  return strchr (program, '/') != NULL ? copy_text (program)
                                       : preload_program (program);
}

/* Why a program cannot be executed, or NULL.  */
static const char *
check_program (const char *program, const char *path, struct machine *m)
{
  const char *reason
      = path != NULL ? machine_of (path, m) : tool_why_not (program, ENOENT);

  return reason != NULL           ? reason
         : access (path, X_OK) != 0 ? strerror (errno)
                                    : NULL;
}

static int
make_for_program (struct words *w, const struct settings *s, char **program)
{
  struct machine m = { .qemu = NULL };
  char *path = find_program (*program);
  const char *reason;
  int status;

  if (s->symbols != NULL)
    tool_usage_error ("--symbols is for a QEMU for whole systems, not ",
                      *program);
  reason = check_program (*program, path, &m);
  status = reason == NULL ? add_qemu_for (w, s, *program, path, &m)
           : refuse (path != NULL && access (path, F_OK) == 0
                       ? TOOL_NOT_EXECUTABLE
                       : TOOL_NOT_FOUND,
                     *program, reason);
  if (status == 0)
    status = add_plugin (w, s, NULL, program);
  if (status == 0)
    add (w, copy_text (path));
  free (m.interpreter);
  free (path);
  return status;
}

/* QEMU's own commands.  */

static bool
begins_with (const char *path, const char *start)
{
  const char *slash = strrchr (path, '/');

  return strncmp (slash != NULL ? slash + 1 : path, start, strlen (start))
         == 0;
}

/* The file whose code a whole system runs, from any folder; to be freed.
   NULL: none is named.  */
static char *
find_symbols (const struct settings *s, char **words)
{
  if (s->symbols != NULL)
    return realpath (s->symbols, NULL);
  for (; *words != NULL && words[1] != NULL; words++)
    if ((strcmp (*words, "-kernel") == 0 || strcmp (*words, "-bios") == 0)
        && machine_of (words[1], NULL) == NULL)
      return realpath (words[1], NULL);
  return NULL;
}

static int
make_for_qemu (struct words *w, const struct settings *s, char **program)
{
  bool is_system = begins_with (*program, "qemu-system-");
  const char *reason
      = s->symbols != NULL ? machine_of (s->symbols, NULL) : NULL;
  char *symbols;
  int status;

  if (s->symbols != NULL && !is_system)
    tool_usage_error ("--symbols is for a QEMU for whole systems, not ",
                      *program);
  if (s->sysroot != NULL)
    tool_usage_error ("give -L to QEMU itself, behind ", *program);
  if (reason != NULL)
    return refuse (TOOL_NOT_RUN, s->symbols, reason);
  symbols = is_system ? find_symbols (s, program) : NULL;
  add (w, copy_text (*program));
  status = add_plugin (w, s, symbols, program);
  free (symbols);
  return status;
}

int
command_make (struct words *w, const struct settings *s, char **program)
{
  bool is_qemu = begins_with (*program, "qemu-");
  int status = is_qemu ? make_for_qemu (w, s, program)
                       : make_for_program (w, s, program);

  while (status == 0 && *++program != NULL)
    add (w, copy_text (*program));
  return status;
}
