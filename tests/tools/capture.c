/* capture.c - runs a function in a process of its own, and keeps what it prints.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "capture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void
read_stream (FILE *file, char *text, size_t size)
{
  rewind (file);
  text[fread (text, 1, size - 1, file)] = '\0';
  fclose (file);
}

/* Whether LeakSanitizer keeps still: in the child, whose threads it would look
   for, and say on the standard error that one is missing.  */
static int is_child;
int __lsan_is_turned_off (void);
int
__lsan_is_turned_off (void)
{
  return is_child;
}

const struct captured *
capture (void (*function) (void *), void *context)
{
  static struct captured captured;
  FILE *out = tmpfile (), *err = tmpfile ();
  pid_t child;
  int status;

  cr_assert (out != NULL && err != NULL);
  fflush (NULL);
  child = fork ();
  if (child == 0)
    {
      is_child = 1;
      dup2 (fileno (out), STDOUT_FILENO);
      dup2 (fileno (err), STDERR_FILENO);
      function (context);
      fflush (NULL);
      _exit (0);
    }
  cr_assert_eq (waitpid (child, &status, 0), child);
  captured.status = WIFEXITED (status) ? WEXITSTATUS (status)
                                       : 128 + WTERMSIG (status);
  read_stream (out, captured.out, sizeof captured.out);
  read_stream (err, captured.err, sizeof captured.err);
  return &captured;
}

static char folder[64];

void
enter_folder (void)
{
  snprintf (folder, sizeof folder, "%s", "/tmp/test_common.XXXXXX");
  cr_assert_not_null (mkdtemp (folder));
  cr_assert_eq (chdir (folder), 0);
}

void
leave_folder (void)
{
  char command[128];

  cr_assert_eq (chdir ("/"), 0);
  snprintf (command, sizeof command, "rm -rf '%s'", folder);
  cr_assert_eq (system (command), 0);
}

void
put_file (const char *path, const char *text)
{
  FILE *file = fopen (path, "w");

  cr_assert_not_null (file);
  fputs (text, file);
  cr_assert_eq (fclose (file), 0);
}

const char *
get_file (const char *path)
{
  static char text[4096];
  FILE *file = fopen (path, "r");

  if (file == NULL)
    return NULL;
  text[fread (text, 1, sizeof text - 1, file)] = '\0';
  fclose (file);
  return text;
}
