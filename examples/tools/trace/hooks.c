/* hooks.c - what a traced program calls: the functions that
   -finstrument-functions puts at each function's beginning and end, and those
   by which a process ends.  jump.c has those that leave functions without such
   a call.

   It is preloaded, so that it comes before libc's empty functions of the same
   names, and before the real _exit, which it calls itself.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../base/coverage.h"
#include "clock.h"
#include "save.h"
#include "thread.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define FRAME ((uintptr_t) __builtin_frame_address (0))
/* The stack pointer of the caller: above the saved frame pointer and the
   return address.  */
#define CALLERS_STACK (FRAME + 2 * sizeof (void *))

void __cyg_profile_func_enter (void *fn, void *site);
void __cyg_profile_func_exit (void *fn, void *site);

void
__cyg_profile_func_enter (void *fn, void *site)
{
  struct thread *t = thread_hold (FRAME);

  if (t == NULL)
    {
      thread_skip ();
      return;
    }
  if (!calls_enter (&t->calls, (uintptr_t) fn, (uintptr_t) site,
                    (uintptr_t) __builtin_return_address (0), CALLERS_STACK))
    thread_go_blind (t);
  thread_release (t);
}

void
__cyg_profile_func_exit (void *fn, void *site)
{
  struct thread *t = thread_hold (FRAME);

  (void) site;
  if (t == NULL)
    return;
  calls_leave (&t->calls, (uintptr_t) fn, clock_now (t->clock));
  thread_release (t);
}

/* The end.  */

typedef void exit_fn (int);
static exit_fn *next_exit;

static __attribute__ ((constructor)) void
find_next (void)
{
  if (!next_exit)
    next_exit = (exit_fn *) dlsym (RTLD_NEXT, "_exit");
}

/* From a handler, nothing is written: it may have interrupted malloc.  */
static void
write_unless_in_handler (void)
{
  if (!thread_in_handler ())
    save_at_end ();
}

void
_exit (int status)
{
  write_unless_in_handler ();
  find_next ();
  coverage_save ();
  next_exit (status);
  __builtin_unreachable ();
}

void
_Exit (int status)
{
  _exit (status);
}

static __attribute__ ((constructor)) void
begin_process (void)
{
  save_begin ();
  /* After what the program registers: the last is called first.  */
  at_quick_exit (write_unless_in_handler);
}

/* The program may have a handler for SIGABRT that does not let it end, so this
   saves and goes on tracing.  */
static void
save_unless_in_handler (void)
{
  if (thread_list () != NULL && !thread_is_lent () && !thread_in_handler ())
    save_now ();
}

void
abort (void)
{
  void (*next) (void) = (void (*) (void)) dlsym (RTLD_NEXT, "abort");

  save_unless_in_handler ();
  next ();
  __builtin_unreachable ();
}

#ifdef __GLIBC__
/* For assert, libc calls its abort by another name.  */
void
__assert_fail (const char *condition, const char *file, unsigned line,
               const char *function)
{
  typedef void fail_fn (const char *, const char *, unsigned, const char *);
  fail_fn *next = (fail_fn *) dlsym (RTLD_NEXT, "__assert_fail");

  save_unless_in_handler ();
  next (condition, file, line, function);
  __builtin_unreachable ();
}
#endif

static __attribute__ ((destructor)) void
at_exit (void)
{
  write_unless_in_handler ();
}
