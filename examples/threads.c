/* threads.c - each thread adds to a profile of its own, without waiting; at
   the end the profiles are merged into one.
     cc -pthread threads.c -o threads $(pkg-config --cflags --libs cgw)
     ./threads; callgrind_annotate callgrind.out.threads
   Each thread counts the steps from some numbers to 1, where an odd n becomes
   3n + 1, and an even n becomes n / 2.  SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 4 };
static struct cgw_names *names; /* for all threads */
static struct cgw_pos in_search, in_halve, in_triple;

struct search
{
  pthread_t thread;
  uint64_t below;
  struct cgw_profile *profile;
};

/* Nothing here waits for another thread: a profile belongs to one.  */
static void *
search (void *argument)
{
  struct search *s = argument;
  for (uint64_t first = 1; first < s->below; first++)
    for (uint64_t n = first; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
      {
        const struct cgw_pos *to = n % 2 ? &in_triple : &in_halve;
        cgw_profile_call (s->profile, &in_search, to, 1, (uint64_t[]){ 1 }, 1);
        cgw_profile_cost (s->profile, to, (uint64_t[]){ 1 }, 1);
      }
  return NULL;
}

static struct cgw_pos
add (const char *function, uint32_t line)
{
  struct cgw_file file = cgw_add_file (names, __FILE__);
  struct cgw_object program = cgw_add_object (names, "threads");
  struct cgw_fn fn = cgw_add_fn (names, function, file, program);
  return (struct cgw_pos){ fn, .line = line };
}

int
main (void)
{
  struct cgw_event event = { .name = "Steps" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_profile *sum;
  struct search all[N];
  part.events = &event;
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  in_search = add ("search", 28);
  in_halve = add ("halve", 28);
  in_triple = add ("triple", 28);
  for (int i = 0; i < N; i++)
    {
      all[i].below = 1000 * (i + 1);
      cgw_profile_new (&all[i].profile, names, 1, CGW_LINE);
      pthread_create (&all[i].thread, NULL, search, &all[i]);
    }
  cgw_profile_new (&sum, names, 1, CGW_LINE);
  for (int i = 0; i < N; i++)
    {
      pthread_join (all[i].thread, NULL);
      cgw_profile_merge (sum, all[i].profile);
      cgw_profile_free (all[i].profile);
    }
  enum cgw_status status
    = cgw_profile_save (sum, "callgrind.out.threads", &part, NULL);
  if (status != CGW_OK)
    fprintf (stderr, "threads: %s\n", cgw_profile_explain (sum));
  cgw_profile_free (sum);
  cgw_names_free (names);
  return status != CGW_OK;
}
