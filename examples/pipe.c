/* pipe.c - a writer on a descriptor: gzip compresses the profile.
     cc pipe.c -o pipe $(pkg-config --cflags --libs cgw)
     ./pipe; zcat callgrind.out.pipe.gz >profile; callgrind_annotate profile
   SPDX-License-Identifier: MIT  */
#define _POSIX_C_SOURCE 200809L
#include <cgw.h>
#include <signal.h>
#include <stdio.h>

int
main (void)
{
  struct cgw_event event = { .name = "Squares" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;
  part.events = &event;
  part.n_events = 1;
  signal (SIGPIPE, SIG_IGN); /* if gzip ends early, cgw_finish says so */
  FILE *gzip = popen ("gzip >callgrind.out.pipe.gz", "w");
  if (!gzip)
    return 1;
  cgw_names_new (&names, NULL);
  cgw_open_fd (&w, names, fileno (gzip), NULL);
  cgw_begin_part (w, &part);
  struct cgw_pos pos = { .fn = cgw_add_fn (names, "main",
                                           cgw_add_file (names, __FILE__),
                                           cgw_add_object (names, "pipe")) };
  for (uint64_t i = 1; i <= 1000; i++)
    {
      uint64_t square = i * i;
      pos.line = (uint32_t) i;
      cgw_cost (w, &pos, &square, 1);
    }
  enum cgw_status status = cgw_finish (w);
  if (status != CGW_OK)
    fprintf (stderr, "pipe: %s\n", cgw_explain (w));
  cgw_free (w); /* the descriptor stays open */
  cgw_names_free (names);
  return (pclose (gzip) != 0) | (status != CGW_OK);
}
