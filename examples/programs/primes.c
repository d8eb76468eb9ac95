/* primes.c - a program to profile: counts primes by division and by a sieve,
   and, in a second thread, those that are twins.
     cc -g -O1 -fno-inline -pthread primes.c -o primes
     cgw-sample -o callgrind.out.primes ./primes
   Without -fno-inline, the profile would not show the small functions.
   SPDX-License-Identifier: MIT  */

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT 6000000u
#define SIEVE_LIMIT (12 * LIMIT)

static bool
is_prime (unsigned n)
{
  if (n % 2 == 0)
    return n == 2;
  for (unsigned d = 3; d * d <= n; d += 2)
    if (n % d == 0)
      return false;
  return n > 1;
}

static unsigned
count_by_division (void)
{
  unsigned count = 0;

  for (unsigned n = 2; n < LIMIT; n++)
    count += is_prime (n);
  return count;
}

static void
cross_out (bool *crossed, unsigned n)
{
  for (unsigned m = n * n; m < SIEVE_LIMIT; m += n)
    crossed[m] = true;
}

static unsigned
count_left (const bool *crossed)
{
  unsigned count = 0;

  for (unsigned n = 2; n < SIEVE_LIMIT; n++)
    count += !crossed[n];
  return count;
}

static unsigned
count_by_sieve (void)
{
  bool *crossed = calloc (SIEVE_LIMIT, sizeof *crossed);
  unsigned count;

  if (crossed == NULL)
    return 0;
  for (unsigned n = 2; n * n < SIEVE_LIMIT; n++)
    if (!crossed[n])
      cross_out (crossed, n);
  count = count_left (crossed);
  free (crossed);
  return count;
}

static void *
count_twins (void *count)
{
  for (unsigned n = 3; n < LIMIT / 2; n += 2)
    *(unsigned *) count += is_prime (n) && is_prime (n + 2);
  return NULL;
}

int
main (void)
{
  unsigned twins = 0;
  pthread_t thread;

  if (pthread_create (&thread, NULL, count_twins, &twins) != 0)
    return 1;
  printf ("%u primes below %u\n", count_by_division (), LIMIT);
  printf ("%u primes below %u\n", count_by_sieve (), SIEVE_LIMIT);
  pthread_join (thread, NULL);
  printf ("%u twins below %u\n", twins, LIMIT / 2);
  return 0;
}
