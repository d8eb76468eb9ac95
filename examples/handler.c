/* handler.c - a sampling profiler.  A timer's signal handler records where the
   program is; the program itself records in the same writer.
     cc handler.c -o handler $(pkg-config --cflags --libs cgw) -Wl,-z,now
     ./handler; callgrind_annotate callgrind.out.handler
   Without -z now, the handler's first call would run the dynamic linker.
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define SAMPLES 50 /* of each function */

static struct cgw_writer *w;
static const char *const names[] = { "short_rounds", "long_rounds" };
static struct cgw_pos functions[2];
static volatile sig_atomic_t here;       /* the index of the running function */
static volatile sig_atomic_t samples[2]; /* the program's own count */
static uint64_t rounds[2];

/* A handler may call cgw_cost, even if it interrupted another cgw_cost: then
   that one writes both.  */
static void
sample (int signal)
{
  const uint64_t cost[] = { 1, 0 };
  (void) signal;
  samples[here]++;
  cgw_cost (w, &functions[here], cost, 2);
}

/* Work until the handler has taken enough samples.  */
static void
work (int i)
{
  const uint64_t cost[] = { 0, 1 };
  here = i;
  while (samples[i] < SAMPLES)
    {
      rounds[i]++;
      cgw_cost (w, &functions[i], cost, 2);
      for (volatile int n = 0; n < 1000 * (i + 1);)
        n++;
    }
}

static void
start_timer (suseconds_t microseconds)
{
  struct sigaction action = { .sa_handler = sample, .sa_flags = SA_RESTART };
  struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };
  sigaction (SIGPROF, &action, NULL);
  setitimer (ITIMER_PROF, &timer, NULL);
}

static void
add_functions (void)
{
  struct cgw_file file = cgw_add_file (w, __FILE__);
  struct cgw_object object = cgw_add_object (w, "handler");
  for (int i = 0; i < 2; i++)
    functions[i] = (struct cgw_pos){ cgw_add_fn (w, names[i], file, object),
                                     .line = 43 };
}

int
main (void)
{
  struct cgw_event events[] = { { .name = "Samples" }, { .name = "Rounds" } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_stats stats = CGW_STATS_INIT;
  part.events = events;
  part.n_events = 2;
  cgw_create (&w, "callgrind.out.handler", NULL);
  cgw_begin_part (w, &part); /* before the first sample */
  add_functions ();
  start_timer (1000);
  work (0);
  work (1);
  start_timer (0); /* after the last one */
  enum cgw_status status = cgw_finish (w);
  cgw_get_stats (w, &stats);
  for (int i = 0; i < 2; i++)
    printf ("%s %d %" PRIu64 "\n", names[i], (int) samples[i],
            rounds[i]);
  printf ("recorded %" PRIu64 " lost %" PRIu64 "\n", stats.recorded,
          stats.lost);
  if (status != CGW_OK)
    fprintf (stderr, "handler: %s\n", cgw_explain (w, status));
  cgw_free (w);
  return status != CGW_OK;
}
