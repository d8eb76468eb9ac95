/* traced.c - a program to be traced: each way of it makes calls that can be
   counted by hand.

   SPDX-License-Identifier: MIT  */

#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long work_done;

static void
small (void)
{
  work_done++;
}

/* Recursion.  */

static unsigned
factorial (unsigned n)
{
  return n < 2 ? 1 : n * factorial (n - 1);
}

static unsigned
fibonacci (unsigned n)
{
  small ();
  return n < 2 ? n : fibonacci (n - 1) + fibonacci (n - 2);
}

static unsigned is_odd (unsigned n);

static unsigned
is_even (unsigned n)
{
  return n == 0 ? 1 : is_odd (n - 1);
}

static unsigned
is_odd (unsigned n)
{
  return n == 0 ? 0 : is_even (n - 1);
}

static void
recursion (void)
{
  printf ("%u %u\n", factorial (10), fibonacci (10));
  for (unsigned i = 0; i < 3; i++)
    printf ("%u\n", is_even (7));
}

static void
deep (void)
{
  printf ("%u\n", is_even (20000));
}

/* A call from a function that is not traced.  */

static int
compare (const void *a, const void *b)
{
  small ();
  return *(const char *) a - *(const char *) b;
}

static void
search (void)
{
  const char letters[] = "ab";
  size_t n = 2;
  puts (lfind ("b", letters, &n, 1, compare));
}

/* A function that is inlined where that is done.  */

static inline unsigned
twice (unsigned n)
{
  small ();
  return 2 * n;
}

static void
inlined (void)
{
  printf ("%u\n", twice (1) + twice (2)
                    + twice (3));
}

/* Jumps.  */

static jmp_buf place;
static sigjmp_buf signal_place;

static void
third (int how)
{
  char large[1000];
  memset (large, how, sizeof large);
  work_done += (unsigned long) large[how & 7];
  longjmp (place, how);
}

static void
second (int how)
{
  third (how);
}

static void
first (int how)
{
  second (how);
}

static void
after (void)
{
  char larger[3000];
  memset (larger, 1, sizeof larger);
  work_done += (unsigned long) larger[work_done & 7];
  small ();
}

static void
jumps (void)
{
  for (volatile int i = 0; i < 5; i++)
    {
      if (setjmp (place) == 0)
        first (i + 1);
      after ();
    }
}

static void
handler (int number)
{
  small ();
  siglongjmp (signal_place, number);
}

static void
raiser (void)
{
  raise (SIGUSR1);
}

static void
signals (void)
{
  signal (SIGUSR1, handler);
  for (volatile int i = 0; i < 4; i++)
    {
      if (sigsetjmp (signal_place, 1) == 0)
        raiser ();
      after ();
    }
}

/* Storm: handlers that interrupt the tracer.  */

enum { LAST_TICK = 2000 };
static atomic_int ticks;
static timer_t timer;

/* The last one stops the timer: on a busy machine that is faster than the
   handlers, and what they interrupt would never end.  */
static void
tick (int number)
{
  static const struct itimerspec never;

  (void) number;
  small ();
  if (++ticks >= LAST_TICK)
    timer_settime (timer, 0, &never, NULL);
}

static void
storm (void)
{
  struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
  struct sigevent event
      = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
  struct itimerspec often = { { 0, 50000 }, { 0, 50000 } };

  sigaction (SIGUSR1, &action, NULL);
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) != 0
      || timer_settime (timer, 0, &often, NULL) != 0)
    exit (1);
  while (ticks < LAST_TICK)
    for (int i = 0; i < 100; i++)
      factorial (5);
  timer_delete (timer);
  printf ("%d\n", ticks);
}

/* Threads.  */

static pthread_barrier_t barrier;

static void *
thread (void *argument)
{
  unsigned n = *(unsigned *) argument;
  for (unsigned i = 0; i < n; i++)
    factorial (n);
  return NULL;
}

static void
threads (void)
{
  static unsigned counts[4] = { 3, 5, 7, 9 };
  pthread_t ids[4];

  for (int i = 0; i < 4; i++)
    {
      pthread_create (ids + i, NULL, thread, counts + i);
      if (i < 2)
        pthread_join (ids[i], NULL);
    }
  for (int i = 2; i < 4; i++)
    pthread_join (ids[i], NULL);
}

static void
many_threads (void)
{
  static unsigned count = 1;

  for (int i = 0; i < 11; i++)
    {
      pthread_t id;

      pthread_create (&id, NULL, thread, &count);
      pthread_join (id, NULL);
    }
}

static void
leave_thread (void)
{
  pthread_exit (NULL);
}

static void *
early (void *argument)
{
  small ();
  leave_thread ();
  return argument;
}

static void *
waiting (void *argument)
{
  (void) argument;
  factorial (4);
  pthread_barrier_wait (&barrier);
  for (;;)
    pause ();
  return NULL;
}

static void *
busy (void *argument)
{
  (void) argument;
  factorial (4);
  pthread_barrier_wait (&barrier);
  for (;;)
    factorial (4);
  return NULL;
}

static void
rest (void)
{
  struct timespec time = { 0, 300000000 };
  nanosleep (&time, NULL);
}

/* A destructor of a key that calls something, after all calls have ended.  */
static pthread_key_t late_key;

static void
late (void *argument)
{
  (void) argument;
  small ();
}

static void *
ending_late (void *argument)
{
  pthread_setspecific (late_key, &late_key);
  small ();
  return argument;
}

static void
ends_late (void)
{
  pthread_t id;
  pthread_key_create (&late_key, late);
  pthread_create (&id, NULL, ending_late, NULL);
  pthread_join (id, NULL);
}

static void
ended (void)
{
  pthread_t id;
  pthread_create (&id, NULL, early, NULL);
  pthread_join (id, NULL);
  rest ();
}

static void
running (void)
{
  pthread_t id;
  pthread_barrier_init (&barrier, NULL, 3);
  pthread_create (&id, NULL, waiting, NULL);
  pthread_create (&id, NULL, busy, NULL);
  pthread_barrier_wait (&barrier);
  exit (0);
}

/* Processes.  */

static void
child (void)
{
  small ();
  small ();
}

static inline void
divide (void)
{
  int status;
  pid_t pid;

  fflush (stdout);
  pid = fork ();
  if (pid == 0)
    {
      child ();
      _exit (0);
    }
  waitpid (pid, &status, 0);
}

static void
forks (void)
{
  small ();
  divide ();
}

static void *
dividing (void *argument)
{
  divide ();
  return argument;
}

static void
forks_in_thread (void)
{
  pthread_t id;
  pthread_create (&id, NULL, dividing, NULL);
  pthread_join (id, NULL);
}

static void
vforks (void)
{
  int status;
  pid_t pid = vfork ();

  if (pid == 0)
    _exit (0);
  waitpid (pid, &status, 0);
  small ();
}

static void
moves (void)
{
  if (chdir ("/") != 0)
    exit (1);
  small ();
}

static void
quits (void)
{
  small ();
  _exit (3);
}

static void (*quit) (int) = _exit;

static void
quit_handler (int number)
{
  quit (number == SIGUSR1 ? 4 : 5);
}

static void
quits_in_handler (void)
{
  signal (SIGUSR1, quit_handler);
  raise (SIGUSR1);
}

static void
exits_in_handler (void)
{
  quit = exit;
  quits_in_handler ();
}

/* Ends that run no destructor.  */

static void
aborts (void)
{
  small ();
  abort ();
}

static void
asserts (void)
{
  small ();
  assert (work_done == 0);
}

static void
quits_quickly (void)
{
  small ();
  quick_exit (6);
}

static void
is_killed (void)
{
  small ();
  kill (getpid (), SIGKILL);
}

static void
executes (void)
{
  small ();
  execlp ("true", "true", (char *) NULL);
}

static void
executes_itself (void)
{
  small ();
  execl ("/proc/self/exe", "traced", "moves", (char *) NULL);
}

/* A handler that jumps out of abort.  */
static sigjmp_buf survived;

static void
survive (int number)
{
  siglongjmp (survived, number);
}

static void
survives (void)
{
  signal (SIGABRT, survive);
  if (sigsetjmp (survived, 1) == 0)
    aborts ();
  small ();
}

static const struct
{
  const char *name;
  void (*call) (void);
} ways[] = {
  { "recursion", recursion }, { "deep", deep }, { "search", search },
  { "inlined", inlined }, { "jumps", jumps }, { "signals", signals },
  { "storm", storm }, { "threads", threads },
  { "many-threads", many_threads }, { "ended", ended }, { "running", running }, { "ends-late", ends_late },
  { "forks", forks }, { "forks-in-thread", forks_in_thread },
  { "vforks", vforks }, { "quits", quits },
  { "quits-in-handler", quits_in_handler },
  { "exits-in-handler", exits_in_handler }, { "moves", moves },
  { "aborts", aborts }, { "asserts", asserts },
  { "quits-quickly", quits_quickly }, { "is-killed", is_killed },
  { "executes", executes }, { "executes-itself", executes_itself },
  { "survives", survives },
};

int
main (int argc, char **argv)
{
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (!strcmp (argv[1], ways[i].name))
      {
        ways[i].call ();
        return 0;
      }
  return 2;
}
