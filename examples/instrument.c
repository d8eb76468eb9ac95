/* instrument.c - counts and times the calls of a program that is compiled with
   -finstrument-functions, so that each of its functions calls the hooks here.
     cc -c instrument.c $(pkg-config --cflags cgw)
     cc -finstrument-functions -rdynamic program.c instrument.o -o program \
       $(pkg-config --libs cgw)
     ./program; callgrind_annotate --inclusive=yes callgrind.out.instrument
   -rdynamic gives names to dladdr.  Only the first thread is traced.
   SPDX-License-Identifier: MIT  */
#define _GNU_SOURCE 1
#include <cgw.h>
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static struct cgw_names *names;
static struct cgw_profile *profile;
static _Thread_local struct cgw_tracer *tracer; /* NULL in others */
static struct function { void *address; struct cgw_pos pos; } known[4096];

static uint64_t *
clock_ns (void)
{
  static _Thread_local uint64_t ns;
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  ns = now.tv_sec * UINT64_C (1000000000) + now.tv_nsec;
  return &ns;
}

/* The time that this takes is not the program's.  */
static void
look_up (struct function *f, void *address)
{
  Dl_info at = { 0 };
  cgw_tracer_stop (tracer, clock_ns ());
  dladdr (address, &at);
  f->address = address;
  f->pos.fn = cgw_add_fn (names, at.dli_sname, (struct cgw_file){ 0 },
                          cgw_add_object (names, at.dli_fname));
  cgw_tracer_start (tracer, clock_ns ());
}

void __cyg_profile_func_enter (void *address, void *caller);
void __cyg_profile_func_exit (void *address, void *caller);
void
__cyg_profile_func_enter (void *address, void *caller)
{
  struct function *f = &known[(uintptr_t) address / 16 % 4096];
  if (!tracer)
    return;
  if (f->address != address)
    look_up (f, address);
  cgw_tracer_enter (tracer, NULL, &f->pos, (uintptr_t) caller, clock_ns ());
}

void
__cyg_profile_func_exit (void *address, void *caller)
{
  cgw_tracer_leave (tracer, clock_ns ()); /* does nothing if it is NULL */
  (void) address, (void) caller;
}

__attribute__ ((constructor)) static void
start (void)
{
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  cgw_tracer_new (&tracer, profile, NULL);
}

__attribute__ ((destructor)) static void
finish (void)
{
  struct cgw_part part = CGW_PART_INIT;
  part.events = &(struct cgw_event){ .name = "ns" };
  part.n_events = 1;
  cgw_tracer_sync (tracer, clock_ns ()); /* exit ends no call */
  if (cgw_profile_save (profile, "callgrind.out.instrument", &part, NULL) != 0)
    fprintf (stderr, "instrument: %s\n", cgw_profile_explain (profile));
}
