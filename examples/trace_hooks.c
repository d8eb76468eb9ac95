/* trace_hooks.c - what a traced program calls: the functions that
   -finstrument-functions puts at each function's begin and end, and those of
   libc and libstdc++ by which control leaves functions that do not say so.

   It is preloaded, so that it comes before libc's empty functions of the same
   names, and before the real longjmp, which it calls itself.

   SPDX-License-Identifier: MIT  */

/* With it, the headers give longjmp another name.  */
#undef _FORTIFY_SOURCE
#include "trace_thread.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <unistd.h>
#include <unwind.h>

#define FRAME ((uintptr_t) __builtin_frame_address (0))
/* The stack pointer of who called: above the saved frame pointer and the
   return address.  */
#define CALLERS_STACK (FRAME + 2 * sizeof (void *))

void __cyg_profile_func_enter (void *fn, void *site);
void __cyg_profile_func_exit (void *fn, void *site);
_Noreturn void __longjmp_chk (struct __jmp_buf_tag env[1], int value);
_Unwind_Reason_Code __gxx_personality_v0 (int version, _Unwind_Action actions,
                                          _Unwind_Exception_Class class,
                                          struct _Unwind_Exception *exception,
                                          struct _Unwind_Context *context);

/* The clock is read at the end, and at the beginning of the other hook: the
   tracer's own time falls to the caller.  */
void
__cyg_profile_func_enter (void *fn, void *site)
{
  struct thread *t = thread_hold (FRAME);
  struct frame *f;

  if (t == NULL)
    {
      thread_skip ();
      return;
    }
  f = calls_enter (&t->calls, (uintptr_t) fn, (uintptr_t) site,
                   (uintptr_t) __builtin_return_address (0), CALLERS_STACK);
  if (f)
    f->start = thread_now (t);
  else
    {
      t->blind = true;
      calls_end (&t->calls, thread_now (t));
    }
  thread_release (t);
}

void
__cyg_profile_func_exit (void *fn, void *site)
{
  struct thread *t = thread_hold (FRAME);

  (void) site;
  if (t == NULL)
    return;
  calls_leave (&t->calls, (uintptr_t) fn, thread_now (t));
  thread_release (t);
}

/* longjmp under its four names.  */

typedef void jump_fn (struct __jmp_buf_tag *, int);
static jump_fn *next_longjmp, *next_siglongjmp, *next_longjmp_chk;

typedef _Unwind_Reason_Code personality_fn (int, _Unwind_Action,
                                            _Unwind_Exception_Class,
                                            struct _Unwind_Exception *,
                                            struct _Unwind_Context *);
static personality_fn *next_personality;

typedef void exit_fn (int);
static exit_fn *next_exit;

static __attribute__ ((constructor)) void
find_next (void)
{
  if (next_exit)
    return;
  next_longjmp = (jump_fn *) dlsym (RTLD_NEXT, "longjmp");
  next_siglongjmp = (jump_fn *) dlsym (RTLD_NEXT, "siglongjmp");
  next_longjmp_chk = (jump_fn *) dlsym (RTLD_NEXT, "__longjmp_chk");
  next_exit = (exit_fn *) dlsym (RTLD_NEXT, "_exit");
}

/* The stack pointer in a jmp_buf, 0 where its form is not known: then the
   functions that were jumped out of end together with their caller.  */
static uintptr_t
stack_in (const struct __jmp_buf_tag *env)
{
  uintptr_t stack = 0;

#if defined __x86_64__ && defined __LP64__ && defined __GLIBC__
  /* glibc keeps it rotated, and xored with a number of the thread's.  */
  stack = (uintptr_t) env->__jmpbuf[6];
  __asm__ ("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(stack) : : "cc");
#else
  (void) env;
#endif
  return stack;
}

static _Noreturn void
jump (jump_fn **next, struct __jmp_buf_tag *env, int value)
{
  /* A function that calls setjmp is not inlined.  */
  thread_cut (stack_in (env), true);
  find_next ();
  (*next) (env, value);
  __builtin_unreachable ();
}

void
longjmp (struct __jmp_buf_tag env[1], int value)
{
  jump (&next_longjmp, env, value);
}

void
_longjmp (struct __jmp_buf_tag env[1], int value)
{
  jump (&next_longjmp, env, value);
}

void
siglongjmp (struct __jmp_buf_tag env[1], int value)
{
  jump (&next_siglongjmp, env, value);
}

void
__longjmp_chk (struct __jmp_buf_tag env[1], int value)
{
  jump (&next_longjmp_chk, env, value);
}

/* The program's; or that of a library that it has loaded itself, whose names
   are not for all.  */
static personality_fn *
find_personality (void)
{
  static const char *const libraries[]
      = { "libstdc++.so.6", "libc++abi.so.1" };
  void *found = dlsym (RTLD_NEXT, "__gxx_personality_v0");

  for (int i = 0; i < 2 && !found; i++)
    {
      void *library = dlopen (libraries[i], RTLD_LAZY | RTLD_NOLOAD);
      if (library)
        found = dlsym (library, "__gxx_personality_v0");
    }
  return (personality_fn *) found;
}

/* What the unwinder asks for each C++ function that an exception passes.
   gcc's functions say that they end, clang's do not.  */
_Unwind_Reason_Code
__gxx_personality_v0 (int version, _Unwind_Action actions,
                      _Unwind_Exception_Class class,
                      struct _Unwind_Exception *exception,
                      struct _Unwind_Context *context)
{
  _Unwind_Reason_Code code;

  if (!next_personality && !(next_personality = find_personality ()))
    return _URC_FATAL_PHASE1_ERROR;
  code = next_personality (version, actions, class, exception, context);
  if (code == _URC_INSTALL_CONTEXT)
    thread_cut (_Unwind_GetCFA (context), false);
  return code;
}

/* The end.  */

static _Unwind_Reason_Code
look_for_signal (struct _Unwind_Context *context, void *found)
{
  int before = 0;

  /* Only where a signal came, the address is that of the next instruction. */
  _Unwind_GetIPInfo (context, &before);
  *(int *) found |= before;
  return before ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* From a handler, nothing is written: it may have interrupted malloc.  */
static void
write_unless_in_handler (void)
{
  int in_handler = 0;

  _Unwind_Backtrace (look_for_signal, &in_handler);
  if (!in_handler)
    trace_write ();
}

void
_exit (int status)
{
  write_unless_in_handler ();
  find_next ();
  next_exit (status);
  __builtin_unreachable ();
}

void
_Exit (int status)
{
  _exit (status);
}

static __attribute__ ((destructor)) void
at_exit (void)
{
  trace_write ();
}
