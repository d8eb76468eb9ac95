/* fork.c - a forked child writes a profile of its own: it makes a new writer,
   and keeps names and handles.
     cc fork.c -o fork $(pkg-config --cflags --libs cgw)
     ./fork; callgrind_annotate callgrind.out.PID  (of each of the two)
   A child that is not to be profiled need not do anything.
   SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cgw_names *names;
static struct cgw_profile *sums;
static struct cgw_writer *w;

static void
open_writer (void)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  options.flags = CGW_PATH_EXPAND;
  cgw_open (&w, names, "callgrind.out.%p", &options); /* %p: the process id */
}

static void
work (const char *function, uint64_t rounds)
{
  struct cgw_file file = cgw_add_file (names, __FILE__);
  struct cgw_object object = cgw_add_object (names, "fork");
  struct cgw_pos pos = { .fn = cgw_add_fn (names, function, file, object) };
  for (uint64_t i = 0; i < rounds; i++)
    cgw_profile_cost (sums, &pos, (uint64_t[]){ 1 }, 1);
}

static enum cgw_status
finish (void)
{
  struct cgw_part part = CGW_PART_INIT;
  part.events = &(struct cgw_event){ .name = "Rounds" };
  part.n_events = 1;
  part.pid = (uint64_t) getpid ();
  cgw_profile_write (sums, w, &part);
  enum cgw_status status = cgw_finish (w);
  if (status != CGW_OK)
    fprintf (stderr, "fork: %s\n", cgw_explain (w));
  cgw_free (w);
  cgw_profile_free (sums);
  cgw_names_free (names);
  return status;
}

int
main (void)
{
  cgw_names_new (&names, NULL);
  cgw_profile_new (&sums, names, 1, CGW_LINE);
  open_writer ();
  work ("before", 100);
  if (fork () == 0)
    {
      cgw_free (w); /* the parent's: it writes nothing here */
      open_writer ();
      cgw_profile_clear (sums); /* the parent writes what it did before */
      work ("child", 20);
      return finish () != CGW_OK;
    }
  work ("parent", 3);
  wait (NULL);
  return finish () != CGW_OK;
}
