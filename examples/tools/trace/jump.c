/* jump.c - the functions of libc and libstdc++ by which control leaves
   functions that do not say so; preloaded, as those of hooks.c.

   SPDX-License-Identifier: MIT  */

/* With it, the headers give longjmp another name.  */
#undef _FORTIFY_SOURCE
#include "thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

_Noreturn void __longjmp_chk (struct __jmp_buf_tag env[1], int value);
_Unwind_Reason_Code __gxx_personality_v0 (int version, _Unwind_Action actions,
                                          _Unwind_Exception_Class class,
                                          struct _Unwind_Exception *exception,
                                          struct _Unwind_Context *context);

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

/* The way out of a handler, up to the tracer that it interrupted.  */
struct way_out
{
  uintptr_t goal;    /* the stack pointer of the tracer's caller */
  uintptr_t before;  /* that of the function before this one */
  ucontext_t *interrupted; /* by the last handler on the way */
  bool arrived;
};

static _Unwind_Reason_Code
take_step (struct _Unwind_Context *context, void *way_out)
{
  struct way_out *w = way_out;
  int by_signal = 0;

  _Unwind_GetIPInfo (context, &by_signal);
  /* To an interrupted function returns what has the kernel restore its
     registers: they are all that it has on the stack.  */
  if (by_signal)
    w->interrupted = (ucontext_t *) w->before;
  w->before = _Unwind_GetCFA (context);
  w->arrived = w->before == w->goal;
  return w->arrived ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Where a handler, which is running, interrupted the tracer; or NULL.  */
static ucontext_t *
find_interrupted (uintptr_t busy)
{
  struct way_out w = { .goal = busy + 2 * sizeof (void *) };

  _Unwind_Backtrace (take_step, &w);
  return w.arrived ? w.interrupted : NULL;
}

/* Goes on where a handler interrupted something, with all signals blocked: as
   the handler's return would.  */
static _Noreturn void
go_on (ucontext_t *interrupted)
{
  enum { KERNEL_SIGNALS = 64 };

  /* The kernel's set is shorter than that of libc.  */
  memset (&interrupted->uc_sigmask, 0xff, KERNEL_SIGNALS / 8);
  __asm__ volatile ("movq %0, %%rsp\n\tsyscall"
                    :
                    : "r"(interrupted), "a"(SYS_rt_sigreturn)
                    : "memory");
  __builtin_unreachable ();
}

/* A handler has interrupted the tracer, and jumps out: but first the tracer
   completes what it was doing.  Returns if it cannot.  */
static void
complete_first (jump_fn *next, struct __jmp_buf_tag *env, int value)
{
  struct thread *t = thread_self;
  ucontext_t *interrupted = find_interrupted (atomic_load (&t->busy));

  if (interrupted == NULL)
    return;
  t->jump = (struct jump){ .env = { *env }, .value = value,
                           .stack = stack_in (env) };
  pthread_sigmask (SIG_SETMASK, NULL, &t->jump.mask);
  atomic_signal_fence (memory_order_seq_cst);
  t->jump.next = next;
  go_on (interrupted);
}

#else

/* Not known: the functions that were jumped out of end with their caller.  */
static uintptr_t
stack_in (const struct __jmp_buf_tag *env)
{
  (void) env;
  return 0;
}

static void
complete_first (jump_fn *next, struct __jmp_buf_tag *env, int value)
{
  (void) next;
  (void) env;
  (void) value;
}

#endif

void
thread_jump (struct thread *t)
{
  struct jump jump = t->jump;

  t->jump.next = NULL;
  thread_cut (jump.stack, true);
  pthread_sigmask (SIG_SETMASK, &jump.mask, NULL);
  jump.next (jump.env, jump.value);
  __builtin_unreachable ();
}

static _Noreturn void
jump (jump_fn **next, struct __jmp_buf_tag *env, int value)
{
  uintptr_t stack = stack_in (env);

  find_next ();
  if (thread_is_crossed (stack))
    complete_first (*next, env, value);
  /* A function that calls setjmp is not inlined.  */
  thread_cut (stack, true);
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
