/* qemu_static.c - a program to be compared with valgrind's callgrind: calls of
   its own functions and of libc, which do not depend on the processor or on
   where the stack is.

   SPDX-License-Identifier: MIT  */

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__ ((noipa))

enum { N = 200 };

static int numbers[N];
static char text[4 * N + 1], copy[sizeof text];
static volatile long sink;
static jmp_buf place;

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

/* A tail call.  */
APART long
last (long n)
{
  return middle (n + 2);
}

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

APART long
fibonacci (long n)
{
  return n < 2 ? n : fibonacci (n - 1) + fibonacci (n - 2);
}

APART void
jump_back (int i)
{
  if (i % 2)
    longjmp (place, 1);
  sink++;
}

static int
compare (const void *p, const void *q)
{
  return *(const int *) p - *(const int *) q;
}

APART void
use_libc (void)
{
  char *words[N];
  size_t length = 0;

  for (int i = 0; i < N; i++)
    {
      numbers[i] = i * 37 % N;
      memset (text + 4 * i, 'a' + i % 26, 3);
      text[4 * i + 3] = ' ';
    }
  qsort (numbers, N, sizeof *numbers, compare);
  memcpy (copy, text, sizeof text);
  for (int i = 0; i < N; i++)
    {
      words[i] = malloc (8 + (size_t) numbers[i]);
      *(char *) mempcpy (words[i], copy + 4 * i, 3) = '\0';
      length += strlen (words[i]);
    }
  for (int i = 0; i < N; i++)
    free (words[i]);
  printf ("%zu %d %.3f %lx\n", length, strcmp (text, copy), sink / 7.0, sink);
}

int
main (void)
{
  long (*volatile pointer) (long) = last;

  for (volatile int i = 0; i < N; i++)
    sink += pointer (i) & 1;
  for (volatile int i = 0; i < N; i++)
    usual (i);
  again (10);
  sink += fibonacci (12);
  for (volatile int i = 0; i < 10; i++)
    if (setjmp (place) == 0)
      jump_back (i);
  use_libc ();
  return 0;
}
