/* criterion.c - runs the tests of a program that was compiled with the
   criterion.h beside it: each in a process of its own, with TAP as output.

   The file that CGW_SKIP names has lines "SUITE::TEST REASON": those tests are
   skipped.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "criterion/criterion.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT 600
#define SKIPPED 77

static struct criterion_test *tests;
static struct criterion_test **end_of_tests = &tests;
static volatile sig_atomic_t failures; /* of this process */
static char *reason;                   /* of a skip, from the test's process */
static volatile pid_t running;

#define REASON_SIZE 1024

void
criterion_add (struct criterion_test *test)
{
  *end_of_tests = test;
  end_of_tests = &test->next;
}

void
criterion_failed (bool end, const char *file, int line, const char *what,
                  const char *format, ...)
{
  char message[4096];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  printf ("# %s:%d: %s: ", file, line, what);
  for (const char *p = message; *p != '\0'; p++)
    {
      putchar (*p);
      if (*p == '\n')
        fputs ("# ", stdout);
    }
  putchar ('\n');
  fflush (stdout);
  failures = 1;
  if (end)
    _exit (1);
}

void
criterion_skip (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (reason, REASON_SIZE, format, arguments);
  va_end (arguments);
  fflush (stdout);
  _exit (SKIPPED);
}

/* Whether CGW_SKIP lists the test; then its reason is known.  */
static bool
is_listed (const struct criterion_test *t)
{
  const char *path = getenv ("CGW_SKIP");
  char line[REASON_SIZE], name[REASON_SIZE];
  FILE *f;

  if (path == NULL)
    return false;
  f = fopen (path, "r");
  if (f == NULL)
    {
      perror (path);
      exit (1);
    }
  snprintf (name, sizeof name, "%s::%s ", t->suite, t->name);
  *reason = '\0';
  while (*reason == '\0' && fgets (line, sizeof line, f) != NULL)
    if (strncmp (line, name, strlen (name)) == 0)
      {
        line[strcspn (line, "\n")] = '\0';
        strcpy (reason, line + strlen (name));
      }
  fclose (f);
  return *reason != '\0';
}

static const struct criterion_options *
suite_options (const struct criterion_test *t)
{
  static const struct criterion_options none;

  for (const struct criterion_test *s = tests; s != NULL; s = s->next)
    if (s->name == NULL && strcmp (s->suite, t->suite) == 0)
      return &s->options;
  return &none;
}

static void
call (void (*f) (void))
{
  if (f != NULL)
    f ();
}

_Noreturn static void
run (const struct criterion_test *t, void *parameter)
{
  const struct criterion_options *suite = suite_options (t);

  call (suite->init);
  call (t->options.init);
  if (t->run_with != NULL)
    t->run_with (parameter);
  else
    t->run ();
  call (t->options.fini);
  call (suite->fini);
  fflush (stdout);
  _exit (failures);
}

static void
on_alarm (int number)
{
  (void)number;
  kill (-running, SIGKILL);
}

/* Run it in a process group of its own, so that nothing of it stays.  */
static int
run_in_process (const struct criterion_test *t, void *parameter)
{
  double timeout = t->options.timeout != 0 ? t->options.timeout
                                           : suite_options (t)->timeout;
  int status;

  fflush (stdout);
  running = fork ();
  if (running == -1)
    {
      perror ("fork");
      exit (1);
    }
  if (running == 0)
    {
      setpgid (0, 0);
      signal (SIGALRM, SIG_DFL);
      run (t, parameter);
    }
  setpgid (running, running);
  alarm (timeout != 0 ? (unsigned)timeout : DEFAULT_TIMEOUT);
  while (waitpid (running, &status, 0) == -1 && errno == EINTR)
    continue;
  alarm (0);
  kill (-running, SIGKILL);
  return status;
}

/* Print the result, a line of TAP.  Return whether the test did not fail.  */
static bool
print_result (const struct criterion_test *t, int status, unsigned number)
{
  bool skipped = WIFEXITED (status) && WEXITSTATUS (status) == SKIPPED;

  printf ("%sok %u - %s::%s", skipped || status == 0 ? "" : "not ", number,
          t->suite, t->name);
  if (skipped)
    printf (" # SKIP %s", reason);
  else if (WIFSIGNALED (status))
    printf (" (signal %d)", WTERMSIG (status));
  putchar ('\n');
  return skipped || status == 0;
}

int
main (void)
{
  struct sigaction action = { .sa_handler = on_alarm };
  unsigned number = 0;
  bool good = true;

  reason = mmap (NULL, REASON_SIZE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (reason == MAP_FAILED)
    return 1;
  sigaction (SIGALRM, &action, NULL);
  for (const struct criterion_test *t = tests; t != NULL; t = t->next)
    {
      struct criterion_test_params p = { 0, NULL, 1 };

      if (t->name == NULL)
        continue;
      if (t->parameters != NULL)
        p = t->parameters ();
      for (size_t i = 0; i < p.n; i++)
        {
          int status = is_listed (t)
                           ? SKIPPED << 8
                           : run_in_process (t, (char *)p.array + i * p.size);
          good &= print_result (t, status, ++number);
        }
    }
  printf ("1..%u\n", number);
  return good ? 0 : 1;
}
