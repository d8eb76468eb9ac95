/* sampler.c - a timer's signal records the addresses where the threads of a
   program run; at its end, their functions are looked up.
     cc -rdynamic program.c sampler.c -o program -Wl,-z,now \
       $(pkg-config --cflags --libs cgw)
     ./program; callgrind_annotate callgrind.out.sampler
   It is for glibc and x86-64.  By -rdynamic dladdr1 knows the functions that
   are not static.  SPDX-License-Identifier: MIT  */
#define _GNU_SOURCE 1
#include <cgw.h>
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { ROOM = 65536 }; /* samples: if it may be too small, drain in a thread */
static struct cgw_recorder *recorder;
static struct cgw_names *names;

/* In the thread that runs when the timer expires.  */
static void
on_timer (int signal, siginfo_t *info, void *context)
{
  const ucontext_t *interrupted = context;
  uint64_t address = interrupted->uc_mcontext.gregs[REG_RIP];
  (void) signal, (void) info;
  cgw_recorder_push (recorder, 0, &address, 1, (uint64_t[]){ 1 }, 1);
}

/* In its object's file an address lacks the load bias, l_addr.  (Not dli_fbase:
   that is where the object begins, which without PIE is another number.)  */
static void
take (void *profile, const struct cgw_sample *s)
{
  struct cgw_pos pos = { .instr = s->frames[0] };
  struct link_map *map;
  Dl_info at;
  if (dladdr1 ((void *) s->frames[0], &at, (void **) &map, RTLD_DL_LINKMAP))
    {
      pos.fn = cgw_add_fn (names, at.dli_sname, (struct cgw_file){ 0 },
                           cgw_add_object (names, at.dli_fname));
      pos.instr -= map->l_addr;
    }
  cgw_profile_cost (profile, &pos, s->cost, s->n_costs);
}

__attribute__ ((constructor)) static void
start (void)
{
  struct sigaction timer = { .sa_sigaction = on_timer,
                             .sa_flags = SA_RESTART | SA_SIGINFO };
  struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } };
  void *memory = malloc (cgw_recorder_size (ROOM, 1, 1));
  recorder = cgw_recorder_init (memory, ROOM, 1, 1);
  sigaction (SIGPROF, &timer, NULL);
  setitimer (ITIMER_PROF, &every_ms, NULL);
}

__attribute__ ((destructor)) static void
finish (void)
{
  struct cgw_recorder_stats stats = CGW_RECORDER_STATS_INIT;
  struct cgw_event event = { .name = "Samples" };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_profile *profile;
  part.events = &event;
  part.n_events = 1;
  part.positions = CGW_INSTR;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_INSTR);
  cgw_recorder_drain (recorder, take, profile);
  cgw_recorder_get_stats (recorder, &stats);
  if (stats.lost > 0)
    fprintf (stderr, "sampler: %ju samples lost\n", (uintmax_t) stats.lost);
  if (cgw_profile_save (profile, "callgrind.out.sampler", &part, NULL) != 0)
    fprintf (stderr, "sampler: %s\n", cgw_profile_explain (profile));
  cgw_profile_free (profile);
  cgw_names_free (names);
}
