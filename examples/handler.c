/* handler.c - a sampling profiler.  A timer's signal handler records where the
   program is; the program itself records in the same writer.  Another handler
   ends the profile if the program crashes.
     cc handler.c -o handler $(pkg-config --cflags --libs cgw) -Wl,-z,now
     ./handler; callgrind_annotate callgrind.out.handler
     ./handler crash; callgrind_annotate callgrind.out.handler
   Without -z now, the handler's first call would run the dynamic linker.
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define SAMPLES 50 /* of each function */

static struct cgw_names *names;
static struct cgw_writer *w;
static const char *const functions[] = { "short_rounds", "long_rounds" };
static struct cgw_pos positions[2];
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
  cgw_cost (w, &positions[here], cost, 2);
}

/* The file gets all records so far and its totals.  If the crash interrupted a
   call on the writer, the file ends at its last whole record.  */
static void
crash (int signal)
{
  cgw_salvage (w);
  raise (signal); /* SA_RESETHAND: this ends the program */
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
      cgw_cost (w, &positions[i], cost, 2);
      for (volatile int n = 0; n < 1000 * (i + 1);)
        n++;
    }
}

static void
handle (int signal, void (*handler) (int), int flags)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
  sigaction (signal, &action, NULL);
}

static void
start_timer (suseconds_t microseconds)
{
  struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };
  setitimer (ITIMER_PROF, &timer, NULL);
}

static void
add_functions (void)
{
  struct cgw_file file = cgw_add_file (names, __FILE__);
  struct cgw_object object = cgw_add_object (names, "handler");
  for (int i = 0; i < 2; i++)
    positions[i].fn = cgw_add_fn (names, functions[i], file, object);
  positions[0].line = positions[1].line = 55;
}

int
main (int argc, char **argv)
{
  struct cgw_event events[] = { { .name = "Samples" }, { .name = "Rounds" } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_stats stats = CGW_STATS_INIT;
  part.events = events;
  part.n_events = 2;
  cgw_names_new (&names, NULL);
  cgw_open (&w, names, "callgrind.out.handler", NULL);
  cgw_begin_part (w, &part); /* before the first sample */
  add_functions ();
  handle (SIGSEGV, crash, SA_RESETHAND); /* and SIGABRT, SIGBUS, ... */
  handle (SIGPROF, sample, SA_RESTART);
  start_timer (1000);
  work (0);
  work (1);
  start_timer (0); /* after the last one */
  if (argc > 1)
    raise (SIGSEGV);
  enum cgw_status status = cgw_finish (w);
  cgw_get_stats (w, &stats);
  for (int i = 0; i < 2; i++)
    printf ("%s %d %" PRIu64 "\n", functions[i], (int) samples[i],
            rounds[i]);
  printf ("recorded %" PRIu64 " lost %" PRIu64 "\n", stats.recorded,
          stats.lost);
  if (status != CGW_OK)
    fprintf (stderr, "%s: %s\n", argv[0], cgw_explain (w));
  cgw_free (w);
  cgw_names_free (names);
  return status != CGW_OK;
}
