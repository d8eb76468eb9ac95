/* criterion.c - runs the tests of a program that was compiled with the
   criterion.h beside it: each in a process of its own, with TAP as output.

   The file that CGW_SKIP names has lines "SUITE::TEST REASON": those tests are
   skipped.

   Windows cannot fork: there, the program runs itself for each test, with the
   numbers of the test and of the parameter as arguments.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "criterion/criterion.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>
#ifdef _WIN32
# include <fcntl.h>
# include <io.h>
# include <process.h>
# include <windows.h>
#else
# include <sys/mman.h>
# include <sys/wait.h>
#endif

#define DEFAULT_TIMEOUT 600
#define SKIPPED 77

static struct criterion_test *tests;
static struct criterion_test **end_of_tests = &tests;
static volatile sig_atomic_t failures; /* of this process */
static char *reason;                   /* of a skip, from the test's process */

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
#ifdef _WIN32
  printf ("# %s\n", reason); /* the process that runs the tests has another */
#endif
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

static struct criterion_test_params
parameters (const struct criterion_test *t)
{
  return t->parameters != NULL ? t->parameters ()
                               : (struct criterion_test_params){ 0, NULL, 1 };
}

/* Run a test with its i-th parameter.  */
_Noreturn static void
run (const struct criterion_test *t, size_t i)
{
  const struct criterion_options *suite = suite_options (t);

  call (suite->init);
  call (t->options.init);
  if (t->run_with != NULL)
    {
      struct criterion_test_params p = parameters (t);
      t->run_with ((char *)p.array + i * p.size);
    }
  else
    t->run ();
  call (t->options.fini);
  call (suite->fini);
  fflush (stdout);
  _exit (failures);
}

static unsigned
seconds_for (const struct criterion_test *t)
{
  double timeout = t->options.timeout != 0 ? t->options.timeout
                                           : suite_options (t)->timeout;

  return timeout != 0 ? (unsigned)timeout : DEFAULT_TIMEOUT;
}

#ifdef _WIN32

static const char *program;

/* What run_in_process returns, as wait does.  */
# define WIFEXITED(status) ((status) >= 0)
# define WEXITSTATUS(status) ((status) >> 8)
# define WIFSIGNALED(status) ((status) < 0)
# define WTERMSIG(status) (-(status))

static int
run_in_process (const struct criterion_test *t, size_t i)
{
  char test[32], parameter[32];
  unsigned number = 0;
  DWORD status = 1;
  intptr_t child;

  for (const struct criterion_test *s = tests; s != t; s = s->next)
    number++;
  snprintf (test, sizeof test, "%u", number);
  snprintf (parameter, sizeof parameter, "%u", (unsigned)i);
  fflush (stdout);
  child = _spawnl (_P_NOWAIT, program, "test", test, parameter, NULL);
  if (child == -1)
    {
      perror (program);
      exit (1);
    }
  if (WaitForSingleObject ((HANDLE)child, 1000 * seconds_for (t))
      != WAIT_OBJECT_0)
    TerminateProcess ((HANDLE)child, 1);
  WaitForSingleObject ((HANDLE)child, INFINITE);
  GetExitCodeProcess ((HANDLE)child, &status);
  CloseHandle ((HANDLE)child);
  return (int)(status & 0xff) << 8 | (status > 0xff ? 0xff00 : 0);
}

/* Text has no \r, here and in what the tests read.  */
static void
prepare (int argc, char **argv)
{
  const struct criterion_test *t = tests;

  _fmode = _O_BINARY;
  _setmode (STDOUT_FILENO, _O_BINARY);
  setvbuf (stdout, NULL, _IOFBF, 1 << 16);
  program = argv[0];
  reason = calloc (1, REASON_SIZE);
  if (reason == NULL)
    exit (1);
  if (argc != 3)
    return;
  for (int n = atoi (argv[1]); n > 0; n--)
    t = t->next;
  run (t, (size_t)atoi (argv[2]));
}

#else

static volatile pid_t running;

static void
on_alarm (int number)
{
  (void)number;
  kill (-running, SIGKILL);
}

/* Run it in a process group of its own, so that nothing of it stays.  */
static int
run_in_process (const struct criterion_test *t, size_t i)
{
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
      run (t, i);
    }
  setpgid (running, running);
  alarm (seconds_for (t));
  while (waitpid (running, &status, 0) == -1 && errno == EINTR)
    continue;
  alarm (0);
  kill (-running, SIGKILL);
  return status;
}

static void
prepare (int argc, char **argv)
{
  struct sigaction action = { .sa_handler = on_alarm };

  (void)argc;
  (void)argv;
  reason = mmap (NULL, REASON_SIZE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (reason == MAP_FAILED)
    exit (1);
  sigaction (SIGALRM, &action, NULL);
}

#endif

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
main (int argc, char **argv)
{
  unsigned number = 0;
  bool good = true;

  prepare (argc, argv);
  for (const struct criterion_test *t = tests; t != NULL; t = t->next)
    for (size_t i = 0; t->name != NULL && i < parameters (t).n; i++)
      {
        int status = is_listed (t) ? SKIPPED << 8 : run_in_process (t, i);
        good &= print_result (t, status, ++number);
      }
  printf ("1..%u\n", number);
  return good ? 0 : 1;
}
