/* first.c - a first profile.  SPDX-License-Identifier: MIT  */
#include <stdio.h>
#include <cgw.h>

int
main (void)
{
  struct cgw_event event = { .name = "Ir" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_names *names;
  struct cgw_profile *p;

  part.events = &event;
  part.n_events = 1;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&p, names, 1, CGW_LINE);
  struct cgw_file file = cgw_add_file (names, "mine.c");
  struct cgw_object program = cgw_add_object (names, "mine");
  struct cgw_fn main_fn = cgw_add_fn (names, "main", file, program);
  struct cgw_fn work_fn = cgw_add_fn (names, "work", file, program);
  struct cgw_pos in_main = { main_fn, .line = 6 };
  struct cgw_pos in_work = { work_fn, .line = 24 };
  cgw_profile_cost (p, &in_main, (uint64_t[]){ 10 }, 1);
  cgw_profile_call (p, &in_main, &in_work, 3, (uint64_t[]){ 90 }, 1);
  cgw_profile_cost (p, &in_work, (uint64_t[]){ 90 }, 1);
  enum cgw_status status
      = cgw_profile_save (p, "callgrind.out.first", &part, NULL);
  if (status != CGW_OK)
    fprintf (stderr, "first: %s\n", cgw_profile_explain (p));
  cgw_profile_free (p);
  cgw_names_free (names);
  return status != CGW_OK;
}
