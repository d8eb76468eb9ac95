/* handler.c - a signal handler records in the writer that the program records
   in; another one ends the file when the program crashes.
     cc handler.c -o handler $(pkg-config --cflags --libs cgw) -Wl,-z,now
     ./handler; callgrind_annotate callgrind.out.handler
     ./handler crash; callgrind_annotate callgrind.out.handler
   Without -z now, the handler's first call would run the dynamic linker.
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static struct cgw_writer *w;
static struct cgw_pos in_work;
static volatile sig_atomic_t samples;

/* This may interrupt a cgw_cost of the program, which then writes both.  */
static void
on_timer (int signal)
{
  (void) signal;
  cgw_cost (w, &in_work, (uint64_t[]){ 1, 0 }, 2);
  samples++;
}

/* Write all records so far.  SA_RESETHAND: raise ends the program.  */
static void
on_crash (int signal)
{
  cgw_salvage (w);
  raise (signal);
}

static void
work (void)
{
  while (samples < 100)
    {
      for (volatile int i = 0; i < 10000; i++)
        ;
      cgw_cost (w, &in_work, (uint64_t[]){ 0, 1 }, 2);
    }
}

int
main (int argc, char **argv)
{
  struct sigaction timer = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
  struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND };
  struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
  struct cgw_event events[] = { { .name = "Samples" }, { .name = "Rounds" } };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_stats stats = CGW_STATS_INIT;
  struct cgw_names *names;
  part.events = events;
  part.n_events = 2;
  cgw_names_new (&names, NULL);
  cgw_open (&w, names, "callgrind.out.handler", NULL);
  cgw_begin_part (w, &part); /* before the first signal */
  in_work.fn = cgw_add_fn (names, "work", cgw_add_file (names, __FILE__),
                           cgw_add_object (names, argv[0]));
  sigaction (SIGSEGV, &crash, NULL); /* and SIGABRT, SIGBUS, ... */
  sigaction (SIGPROF, &timer, NULL);
  setitimer (ITIMER_PROF, &every_ms, NULL);
  work ();
  if (argc > 1)
    raise (SIGSEGV);
  setitimer (ITIMER_PROF, &never, NULL); /* after the last signal */
  enum cgw_status status = cgw_finish (w); /* CGW_ELOST: samples were lost */
  cgw_get_stats (w, &stats);
  printf ("%ju records, and %ju lost\n", (uintmax_t) stats.recorded,
          (uintmax_t) stats.lost);
  if (status != CGW_OK)
    fprintf (stderr, "handler: %s\n", cgw_explain (w));
  cgw_free (w);
  cgw_names_free (names);
  return status != CGW_OK;
}
