/* agent_exec.c - replaces the functions that execute another program.  The new
   program inherits pending signals, but not the handler: a pending tick would
   kill it.  So these functions first stop this thread's clock.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

/* Returns only if the program cannot be executed.  */
static int
resume (bool paused)
{
  int error = errno;

  if (paused)
    agent_resume ();
  errno = error;
  return -1;
}

AGENT_STAND_IN int
execve (const char *path, char *const arguments[], char *const environment[])
{
  bool paused = agent_pause ();

  agent_real.execve (path, arguments, environment);
  return resume (paused);
}

AGENT_STAND_IN int
execvpe (const char *file, char *const arguments[], char *const environment[])
{
  bool paused = agent_pause ();

  agent_real.execvpe (file, arguments, environment);
  return resume (paused);
}

AGENT_STAND_IN int
fexecve (int fd, char *const arguments[], char *const environment[])
{
  bool paused = agent_pause ();

  agent_real.fexecve (fd, arguments, environment);
  return resume (paused);
}

AGENT_STAND_IN int
execveat (int directory, const char *path, char *const arguments[],
          char *const environment[], int flags)
{
  bool paused = agent_pause ();

  if (agent_real.execveat != NULL)
    agent_real.execveat (directory, path, arguments, environment, flags);
  else
    errno = ENOSYS;
  return resume (paused);
}

AGENT_STAND_IN int
execv (const char *path, char *const arguments[])
{
  return execve (path, arguments, environ);
}

AGENT_STAND_IN int
execvp (const char *file, char *const arguments[])
{
  return execvpe (file, arguments, environ);
}

/* Functions with a list of arguments.  */

/* How many there are, with the null at the end.  */
static size_t
count (va_list rest)
{
  size_t n = 2;

  while (va_arg (rest, char *) != NULL)
    n++;
  return n;
}

/* Returns what follows the list, for execle.  */
static char *const *
copy (char **arguments, const char *first, va_list rest, bool has_environment)
{
  *arguments = (char *) (uintptr_t) first;
  while (*arguments != NULL)
    *++arguments = va_arg (rest, char *);
  return has_environment ? va_arg (rest, char *const *) : environ;
}

/* The array is on the stack: memory cannot be allocated in the child of a
   vfork.  */
#define EXECUTE(function, path, first, has_environment)                       \
  do                                                                          \
    {                                                                         \
      char *const *environment;                                               \
      char **arguments;                                                       \
      va_list rest;                                                           \
                                                                              \
      va_start (rest, first);                                                 \
      arguments = alloca (count (rest) * sizeof *arguments);                  \
      va_end (rest);                                                          \
      va_start (rest, first);                                                 \
      environment = copy (arguments, first, rest, has_environment);           \
      va_end (rest);                                                          \
      return function (path, arguments, environment);                         \
    }                                                                         \
  while (0)

AGENT_STAND_IN int
execl (const char *path, const char *first, ...)
{
  EXECUTE (execve, path, first, false);
}

AGENT_STAND_IN int
execlp (const char *file, const char *first, ...)
{
  EXECUTE (execvpe, file, first, false);
}

AGENT_STAND_IN int
execle (const char *path, const char *first, ...)
{
  EXECUTE (execve, path, first, true);
}
