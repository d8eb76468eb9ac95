/* threads.c - each thread adds to a profile of its own, without waiting; at
   the end the profiles are merged into one.
     cc -pthread threads.c -o threads $(pkg-config --cflags --libs cgw)
     ./threads; callgrind_annotate callgrind.out.threads
   Each thread counts the steps from some numbers to 1, where an odd n becomes
   3n + 1, and an even n becomes n / 2.  SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#define N 4

static struct cgw_names *names; /* for all threads */
static struct cgw_pos in_search, in_halve, in_triple;

struct search
{
  pthread_t thread;
  uint64_t below;
  struct cgw_profile *profile;
  uint64_t halved, tripled; /* the program's own count */
};

/* Nothing here waits for another thread: a profile belongs to one.  */
static uint64_t
step (struct search *s, uint64_t n)
{
  const struct cgw_pos *to = n % 2 ? &in_triple : &in_halve;
  const uint64_t cost = 1;
  cgw_profile_call (s->profile, &in_search, to, 1, &cost, 1);
  cgw_profile_cost (s->profile, to, &cost, 1);
  ++*(n % 2 ? &s->tripled : &s->halved);
  return n % 2 ? 3 * n + 1 : n / 2;
}

static void *
search (void *argument)
{
  struct search *s = argument;
  for (uint64_t first = 1; first < s->below; first++)
    for (uint64_t n = first; n != 1;)
      n = step (s, n);
  return NULL;
}

static struct cgw_pos
add (const char *function, uint32_t line)
{
  struct cgw_fn fn = cgw_add_fn (names, function,
                                 cgw_add_file (names, __FILE__),
                                 cgw_add_object (names, "threads"));
  return (struct cgw_pos){ fn, .line = line };
}

int
main (void)
{
  struct cgw_event event = { .name = "Steps" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_writer *w;
  struct search all[N];
  part.events = &event;
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  in_search = add ("search", 43);
  in_halve = add ("halve", 34);
  in_triple = add ("triple", 34);
  for (int i = 0; i < N; i++)
    {
      all[i] = (struct search){ .below = 1000 * (i + 1) };
      cgw_profile_new (&all[i].profile, names, 1, CGW_LINE);
      pthread_create (&all[i].thread, NULL, search, &all[i]);
    }
  for (int i = 0; i < N; i++)
    {
      pthread_join (all[i].thread, NULL);
      printf ("%d %" PRIu64 " %" PRIu64 "\n", i + 1, all[i].halved,
              all[i].tripled);
      if (i > 0)
        cgw_profile_merge (all[0].profile, all[i].profile);
    }
  cgw_open (&w, names, "callgrind.out.threads", NULL);
  cgw_profile_write (all[0].profile, w, &part);
  enum cgw_status status = cgw_finish (w);
  if (status != CGW_OK)
    fprintf (stderr, "threads: %s\n", cgw_explain (w));
  for (int i = 0; i < N; i++)
    cgw_profile_free (all[i].profile);
  cgw_free (w);
  cgw_names_free (names);
  return status != CGW_OK;
}
