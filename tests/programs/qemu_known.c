/* qemu_known.c - calls of known numbers, for any processor: prints them.  With
   ALONE, to be compared with valgrind's callgrind: calls of its own functions and
   of libc, which do not depend on the processor or on where the stack is.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__ ((noipa))

enum { TIMES = 100, THREADS = 4, HANDLED = 50 };

static volatile long sink;

APART long
leaf (long n)
{
  return n * 3 + sink;
}

APART long
middle (long n)
{
  long sum = 0;

  for (int i = 0; i < 4; i++)
    sum += leaf (n + i);
  return sum;
}

APART long
fibonacci (long n)
{
  long before;

  if (n < 2)
    return n;
  before = fibonacci (n - 1);
  return before ^ fibonacci (n - 2);
}

/* What follows the first call is where a branch goes, too.  */
struct tree
{
  struct tree *left;
  struct tree *right;
};

APART void
visit (struct tree *tree)
{
  sink += tree->left == NULL;
}

APART void
walk (struct tree *tree)
{
  if (tree->left)
    walk (tree->left);
  visit (tree);
  if (tree->right)
    walk (tree->right);
  sink++;
}

APART long is_odd (long n);

APART long
is_even (long n)
{
  return n == 0 ? 1 : is_odd (n - 1) + sink;
}

APART long
is_odd (long n)
{
  return n == 0 ? 0 : is_even (n - 1) + sink;
}

/* Tail calls.  */
APART long
last (long n)
{
  return leaf (n + 2);
}

APART long pong (long n);

APART long
ping (long n)
{
  return n == 0 ? sink : pong (n - 1);
}

APART long
pong (long n)
{
  return n == 0 ? sink : ping (n - 1);
}

static jmp_buf place;

APART void
jump_back (int i)
{
  if (i % 2)
    longjmp (place, 1);
  sink++;
}

APART void
between (int i)
{
  jump_back (i);
  sink++;
}

APART int
compare (const void *p, const void *q)
{
  sink++;
  return *(const int *) p - *(const int *) q;
}

#ifdef ALONE

/* A loop that begins where the function does.  */
APART void
again (long n)
{
  do
    sink += n;
  while (--n != 0);
}

/* The compiler moves the call of what is cold away.  */
APART __attribute__ ((cold)) void
rare (void)
{
  sink++;
}

APART void
usual (int i)
{
  if (i % 8 == 0)
    rare ();
  sink++;
}

static char text[4 * TIMES + 1], copy[sizeof text];

APART void
use_libc (void)
{
  char *words[TIMES];
  size_t length = 0;

  for (int i = 0; i < TIMES; i++)
    {
      memset (text + 4 * i, 'a' + i % 26, 3);
      text[4 * i + 3] = ' ';
    }
  memcpy (copy, text, sizeof text);
  for (int i = 0; i < TIMES; i++)
    {
      words[i] = malloc (8 + (size_t) i * 37 % TIMES);
      *(char *) mempcpy (words[i], copy + 4 * i, 3) = '\0';
      length += strlen (words[i]);
    }
  for (int i = 0; i < TIMES; i++)
    free (words[i]);
  printf ("%zu %d %.3f %lx\n", length, strcmp (text, copy), sink / 7.0, sink);
}

#else

/* Signals.  */
static volatile int handled;

APART void
inside_handler (void)
{
  sink++;
}

APART void
handler (int signal)
{
  (void) signal;
  handled++;
  inside_handler ();
  inside_handler ();
}

static int outer_calls;

APART long
outer (long n)
{
  return leaf (n) + 1;
}

APART void
interrupted (void)
{
  struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };

  signal (SIGALRM, handler);
  setitimer (ITIMER_REAL, &timer, NULL);
  while (handled < HANDLED)
    {
      sink += outer (sink);
      outer_calls++;
    }
  memset (&timer, 0, sizeof timer);
  setitimer (ITIMER_REAL, &timer, NULL);
}

/* Threads.  */
static inline __attribute__ ((always_inline)) void
count (void)
{
  sink++; /* inlined */
}

APART void
step (void)
{
  count ();
}

APART void *
run (void *n)
{
  for (long i = 0; i < (long) n; i++)
    step ();
  return NULL;
}

APART void
run_threads (void)
{
  pthread_t threads[THREADS];

  for (long i = 0; i < THREADS; i++)
    pthread_create (&threads[i], NULL, run, (void *) (TIMES * (i + 1)));
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
}

APART void
in_child (void)
{
  sink++;
}

/* A child process has a profile of its own.  */
APART void
run_child (void)
{
  if (fork () == 0)
    {
      for (int i = 0; i < 7; i++)
        in_child ();
      exit (0);
    }
  wait (NULL);
}

#endif

int
main (void)
{
  long (*volatile pointer) (long) = middle;
  struct tree nodes[5]
      = { { 0 }, { 0 }, { &nodes[0], &nodes[1] }, { 0 }, { &nodes[2], &nodes[3] } };
  int numbers[TIMES];
  int compared;

  for (volatile int i = 0; i < TIMES; i++)
    sink += pointer (i);
  sink += fibonacci (10);
  for (volatile int i = 0; i < 6; i++)
    walk (&nodes[4]);
  sink += is_even (9);
  for (volatile int i = 0; i < 20; i++)
    sink += last (i);
  sink += ping (1000);
  for (volatile int i = 0; i < 10; i++)
    if (setjmp (place) == 0)
      between (i);
  for (int i = 0; i < TIMES; i++)
    numbers[i] = i * 37 % TIMES;
  compared = (int) sink;
  qsort (numbers, TIMES, sizeof *numbers, compare);
  compared = (int) sink - compared;
#ifdef ALONE
  printf ("%d\n", compared);
  for (volatile int i = 0; i < TIMES; i++)
    usual (i);
  again (10);
  use_libc ();
  return 0;
#else
  interrupted ();
  run_threads ();
  run_child ();

  printf ("main middle %d\nmiddle leaf %d\n", TIMES, 4 * TIMES);
  printf ("main fibonacci 1\nfibonacci fibonacci 176\n");
  printf ("main walk 6\nwalk walk 24\nwalk visit 30\n");
  printf ("main is_even 1\nis_even is_odd 5\nis_odd is_even 4\n");
  printf ("main last 20\nlast leaf 20\n");
  printf ("main ping 1\nping pong 500\npong ping 500\n");
  printf ("main between 10\nbetween jump_back 10\njump_back longjmp 5\n");
  printf ("* compare %d\n", compared);
  printf ("interrupted outer %d\nouter leaf %d\n", outer_calls, outer_calls);
  printf ("* handler %d\nhandler inside_handler %d\n", handled, 2 * handled);
  printf ("* run %d\nrun step %d\n", THREADS, TIMES * THREADS * 5 / 2);
  printf ("main run_child 1\n");
  return 42;
#endif
}
