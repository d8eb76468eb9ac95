/* threads.c - a program to be profiled: three threads that share work, a
   function called through a pointer, a switch, and mutual recursion.

   SPDX-License-Identifier: MIT  */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ITEMS = 3000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned next_item;
static unsigned long total;

static unsigned long is_odd (unsigned n);

static unsigned long
is_even (unsigned n)
{
  return n == 0 ? 1 : is_odd (n - 1);
}

static unsigned long
is_odd (unsigned n)
{
  return n == 0 ? 0 : is_even (n - 1);
}

static int
compare (const void *a, const void *b)
{
  const unsigned *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static unsigned long
sorted_middle (unsigned seed)
{
  unsigned values[16];
  for (unsigned i = 0; i < 16; i++)
    values[i] = seed = seed * 1103515245u + 12345u;
  qsort (values, 16, sizeof *values, compare);
  return values[8];
}

static unsigned long
work (unsigned item)
{
  switch (item % 5)
    {
    case 0:
      return is_even (item % 17);
    case 1:
      return is_odd (item % 13);
    case 2:
      return sorted_middle (item);
    case 3:
      return item * 3ul;
    default:
      return item ^ 0x55ul;
    }
}

static void *
run (void *arg)
{
  unsigned long sum = 0;

  (void) arg;
  for (;;)
    {
      pthread_mutex_lock (&lock);
      unsigned item = next_item++;
      pthread_mutex_unlock (&lock);
      if (item >= ITEMS)
        break;
      sum += work (item);
    }
  pthread_mutex_lock (&lock);
  total += sum;
  pthread_mutex_unlock (&lock);
  return NULL;
}

int
main (void)
{
  pthread_t threads[THREADS];

  for (int i = 0; i < THREADS; i++)
    if (pthread_create (&threads[i], NULL, run, NULL) != 0)
      return 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  printf ("%lu\n", total);
  return 0;
}
