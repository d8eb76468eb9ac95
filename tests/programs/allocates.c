/* allocates.c - allocates in several ways, also in threads and in a forked
   child, and counts that itself: prints "FUNCTION BYTES ALLOCATIONS" for each
   function that allocates.

   SPDX-License-Identifier: MIT  */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAF, TREE, TABLE, GROW, N };
static const char *const names[N] = { "leaf", "tree", "table", "grow" };
static _Atomic unsigned long bytes[N], allocations[N];
static void *volatile kept; /* or the compiler might drop an allocation */

/* Not static: the dynamic linker must know them.  */
void leaf (size_t n);
void tree (int depth);
void table (size_t n);
void grow (size_t n);
void *worker (void *argument);

static void
note (int function, size_t n)
{
  bytes[function] += n;
  allocations[function]++;
}

__attribute__ ((noinline)) void
leaf (size_t n)
{
  note (LEAF, n);
  void *p = kept = malloc (n);
  free (p);
}

/* Recursion: 2^depth - 1 allocations of its own.  */
__attribute__ ((noinline)) void
tree (int depth)
{
  if (depth == 0)
    return;
  note (TREE, 16);
  void *p = kept = malloc (16);
  tree (depth - 1);
  leaf (depth);
  tree (depth - 1);
  free (p);
}

__attribute__ ((noinline)) void
table (size_t n)
{
  note (TABLE, n * 24);
  void *p = kept = calloc (n, 24);
  free (p);
}

__attribute__ ((noinline)) void
grow (size_t n)
{
  void *p = NULL;
  for (size_t size = 1; size <= n; size *= 2)
    {
      note (GROW, size);
      p = kept = realloc (p, size);
    }
  free (p);
}

void *
worker (void *argument)
{
  (void) argument;
  for (int i = 0; i < 200; i++)
    {
      tree (3);
      grow (100);
    }
  return NULL;
}

int
main (void)
{
  pthread_t threads[4];
  pid_t child;

  for (size_t i = 0; i < 50; i++)
    table (i);
  tree (8);
  leaf (100000);
  for (int i = 0; i < 4; i++)
    if (pthread_create (&threads[i], NULL, worker, NULL) != 0)
      return 1;
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  child = fork ();
  if (child == 0)
    {
      free (malloc (12345)); /* the parent's profile does not have it */
      exit (0);
    }
  waitpid (child, NULL, 0);
  for (int i = 0; i < N; i++)
    printf ("%s %lu %lu\n", names[i], bytes[i], allocations[i]);
  return 0;
}
