/* tracers.c - each thread traces its calls; at its end, they go into a sum.
     cc -pthread tracers.c -o tracers $(pkg-config --cflags --libs cgw)
     ./tracers; callgrind_annotate --inclusive=yes callgrind.out.tracers
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <pthread.h>
#include <stdio.h>

static struct cgw_names *names; /* for all threads, as are the positions */
static struct cgw_pos in_work, in_step;
static _Thread_local struct cgw_tracer *tracer; /* of the running thread */
static _Thread_local uint64_t steps; /* so far: the tracer's counter */
static pthread_key_t key; /* its profile: calls end_thread at its end */
static _Atomic int running; /* threads that are not in the sum yet */
static struct cgw_profile *sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the sum */

static void
begin_thread (void)
{
  struct cgw_profile *profile;
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  cgw_tracer_new (&tracer, profile, NULL);
  pthread_setspecific (key, profile);
  running++;
}

static void
end_thread (void *profile)
{
  cgw_tracer_sync (tracer, &steps); /* calls may be open */
  pthread_mutex_lock (&lock);
  cgw_profile_merge (sum, profile);
  running--;
  pthread_mutex_unlock (&lock);
  cgw_profile_free (profile); /* and the tracer */
}

static void *
work (void *unused)
{
  begin_thread ();
  cgw_tracer_enter (tracer, NULL, &in_work, 0, &steps);
  cgw_tracer_enter (tracer, NULL, &in_step, 0, &steps);
  steps += 20; /* of step */
  cgw_tracer_leave (tracer, &steps);
  steps += 5; /* of work */
  cgw_tracer_leave (tracer, &steps);
  return unused;
}

int
main (void)
{
  struct cgw_part part = CGW_PART_INIT;
  pthread_t threads[4];
  part.events = &(struct cgw_event){ .name = "Steps" };
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&sum, names, 1, CGW_LINE);
  struct cgw_file file = cgw_add_file (names, __FILE__);
  in_work.fn = cgw_add_fn (names, "work", file, (struct cgw_object){ 0 });
  in_step.fn = cgw_add_fn (names, "step", file, (struct cgw_object){ 0 });
  pthread_key_create (&key, end_thread);
  for (int i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, work, NULL);
  work (NULL);
  end_thread (pthread_getspecific (key)); /* a return does not */
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  pthread_mutex_lock (&lock);
  /* No other thread may use the profile of one that runs: join it first.  */
  if (running > 0)
    fprintf (stderr, "tracers: %d thread(s) still run: left out\n", running);
  int failed = cgw_profile_save (sum, "callgrind.out.tracers", &part, NULL);
  if (failed)
    fprintf (stderr, "tracers: %s\n", cgw_profile_explain (sum));
  pthread_mutex_unlock (&lock);
  return failed;
}
