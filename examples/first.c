/* first.c - a first profile.  SPDX-License-Identifier: MIT  */
#include <stdio.h>
#include <cgw.h>

int
main (void)
{
  const struct cgw_event event = { .name = "Ir" };
  const uint64_t main_cost = 10, work_cost = 90;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_writer *w;

  enum cgw_status status = cgw_create (&w, "callgrind.out.first", NULL);
  if (status == CGW_OK)
    {
      struct cgw_file file = cgw_add_file (w, "first.c");
      struct cgw_object program = cgw_add_object (w, "first");
      struct cgw_fn main_fn = cgw_add_fn (w, "main", file, program);
      struct cgw_fn work_fn = cgw_add_fn (w, "work", file, program);
      struct cgw_pos in_main = { .fn = main_fn, .line = 6 };
      struct cgw_pos in_work = { .fn = work_fn, .line = 40 };

      part.events = &event;
      part.n_events = 1;
      part.positions = CGW_LINE;
      cgw_begin_part (w, &part);
      cgw_cost (w, &in_main, &main_cost, 1);
      cgw_call (w, &in_main, &in_work, 3, &work_cost, 1);
      cgw_cost (w, &in_work, &work_cost, 1);
      status = cgw_finish (w);
    }
  if (status != CGW_OK)
    fprintf (stderr, "first: %s\n", cgw_strerror (status));
  cgw_free (w);
  return status != CGW_OK;
}
