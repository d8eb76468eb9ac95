/* first.c - a first profile.  SPDX-License-Identifier: MIT  */
#include <stdio.h>
#include <cgw.h>

int
main (void)
{
  struct cgw_event event = { .name = "Ir" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;

  part.events = &event;
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_open (&w, names, "callgrind.out.first", NULL);
  cgw_begin_part (w, &part);
  struct cgw_file file = cgw_add_file (names, "first.c");
  struct cgw_object program = cgw_add_object (names, "first");
  struct cgw_fn main_fn = cgw_add_fn (names, "main", file, program);
  struct cgw_fn work_fn = cgw_add_fn (names, "work", file, program);
  struct cgw_pos in_main = { main_fn, .line = 6 };
  struct cgw_pos in_work = { work_fn, .line = 24 };
  cgw_cost (w, &in_main, (uint64_t[]){ 10 }, 1);
  cgw_call (w, &in_main, &in_work, 3, (uint64_t[]){ 90 }, 1);
  cgw_cost (w, &in_work, (uint64_t[]){ 90 }, 1);
  enum cgw_status status = cgw_finish (w);
  if (status != CGW_OK)
    fprintf (stderr, "first: %s\n", cgw_explain (w));
  cgw_free (w);
  cgw_names_free (names);
  return status != CGW_OK;
}
