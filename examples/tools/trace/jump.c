/* jump.c - the functions of libc and libstdc++ that leave functions without
   a call of the hooks; preloaded, as those of hooks.c.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

/* With it, the headers give longjmp another name.  */
#undef _FORTIFY_SOURCE
#include "thread.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <unwind.h>

_Noreturn void __longjmp_chk (struct __jmp_buf_tag env[1], int value);
_Unwind_Reason_Code __gxx_personality_v0 (int version, _Unwind_Action actions,
                                          _Unwind_Exception_Class class,
                                          struct _Unwind_Exception *exception,
                                          struct _Unwind_Context *context);

typedef void jump_fn (struct __jmp_buf_tag *, int);
static jump_fn *next_longjmp, *next_siglongjmp, *next_longjmp_chk;

static __attribute__ ((constructor)) void
find_next (void)
{
  if (next_longjmp)
    return;
  next_siglongjmp = (jump_fn *) dlsym (RTLD_NEXT, "siglongjmp");
  next_longjmp_chk = (jump_fn *) dlsym (RTLD_NEXT, "__longjmp_chk");
  next_longjmp = (jump_fn *) dlsym (RTLD_NEXT, "longjmp");
}

#if defined __x86_64__ && defined __LP64__ && defined __GLIBC__

/* The stack pointer in a jmp_buf.  glibc keeps it rotated, and xored with a
   number of the thread's.  */
static uintptr_t
stack_in (const struct __jmp_buf_tag *env)
{
  uintptr_t stack = (uintptr_t) env->__jmpbuf[6];

  __asm__ ("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(stack) : : "cc");
  return stack;
}

#else

/* Unknown: the functions that a jump leaves end with their caller.  */
static uintptr_t
stack_in (const struct __jmp_buf_tag *env)
{
  (void) env;
  return 0;
}

#endif

static _Noreturn void
jump (jump_fn **next, struct __jmp_buf_tag *env, int value)
{
  find_next ();
  /* A function that calls setjmp is not inlined.  */
  thread_cut (stack_in (env), true);
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

/* Exceptions.  */

typedef _Unwind_Reason_Code personality_fn (int, _Unwind_Action,
                                            _Unwind_Exception_Class,
                                            struct _Unwind_Exception *,
                                            struct _Unwind_Context *);
static personality_fn *next_personality;

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
