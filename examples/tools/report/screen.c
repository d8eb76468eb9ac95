/* screen.c - where a report goes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "screen.h"

#include "../base/outfile.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command of the pager; NULL: none.  */
static const char *
pager (void)
{
  const char *command = getenv ("PAGER");

  if (command == NULL)
    return "if command -v less >/dev/null; then exec less; else exec cat; fi";
  return *command != '\0' && strcmp (command, "cat") != 0 ? command : NULL;
}

static bool
wants_colours (enum colours colours, bool is_terminal)
{
  const char *no_colour = getenv ("NO_COLOR");
  const char *terminal = getenv ("TERM");

  if (colours != COLOURS_AUTO)
    return colours == COLOURS_ALWAYS;
  return is_terminal && (no_colour == NULL || *no_colour == '\0')
         && terminal != NULL && strcmp (terminal, "dumb") != 0;
}

bool
screen_open (struct screen *s, const char *path, bool is_text,
             enum colours colours)
{
  bool is_terminal = strcmp (path, "-") == 0 && isatty (STDOUT_FILENO) == 1;
  const char *command = is_text && is_terminal ? pager () : NULL;

  *s = (struct screen){ .path = path,
                        .is_coloured
                        = is_text && wants_colours (colours, is_terminal) };
  if (command != NULL)
    {
      signal (SIGPIPE, SIG_IGN);
      setenv ("LESS", "FRX", 0); /* without R, less shows colours as ESC[31m */
      s->to = popen (command, "w");
      s->is_pager = s->to != NULL;
    }
  if (s->is_pager)
    return true;
  if (outfile_open (path) < 0)
    return false;
  s->to = outfile_stream ();
  return true;
}

bool
screen_close (struct screen *s)
{
  int status;

  if (!s->is_pager)
    return outfile_finish_stream (s->path, s->to);
  /* The shell has said that it did not find or run the pager.  */
  status = pclose (s->to);
  return !WIFEXITED (status) || WEXITSTATUS (status) < 126;
}

void
screen_discard (struct screen *s)
{
  if (s->is_pager)
    pclose (s->to);
  else
    {
      fclose (s->to);
      outfile_discard ();
    }
}
