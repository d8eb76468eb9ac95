/* qemu_cases.c - ways to call, to return and to leave, one a run, on any
   processor.

   qemu_cases CASE: prints the calls that it made, "CALLER CALLEE COUNT", where
   "*" is any caller, and "NO CALLER CALLEE" for what looks like a call and is
   none.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define _GNU_SOURCE

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__ ((noipa))

enum
{
  TIMES = 100,
  ALARMS = 2000,
  DEPTH = 50000,
  THREADS = 4,
  STACK = 1 << 18
};

static volatile long sink;

APART void
work (void)
{
  for (int i = 0; i < 10; i++)
    sink += i;
}

APART void
finish (void)
{
  sink++;
}

/* co: two coroutines, which yield in functions that they share, and end.  */

static ucontext_t main_context, contexts[2];
static char stacks[2][STACK];

APART void
yield (int i)
{
  work ();
  swapcontext (&contexts[i], &main_context);
  sink++;
}

APART void
inner (int i)
{
  yield (i);
  work ();
}

APART void
coroutine (int i)
{
  for (int n = 0; n < TIMES; n++)
    {
      inner (i);
      sink++;
    }
  finish ();
}

APART void
resume (int i)
{
  swapcontext (&main_context, &contexts[i]);
  sink++;
}

APART void
co (void)
{
  for (int i = 0; i < 2; i++)
    {
      getcontext (&contexts[i]);
      contexts[i].uc_stack.ss_sp = stacks[i];
      contexts[i].uc_stack.ss_size = STACK;
      contexts[i].uc_link = &main_context;
      makecontext (&contexts[i], (void (*) (void)) coroutine, 1, i);
    }
  for (int n = 0; n <= TIMES; n++)
    for (int i = 0; i < 2; i++)
      resume (i);
  printf ("co resume %d\n* coroutine 2\ncoroutine inner %d\n", 2 * TIMES + 2,
          2 * TIMES);
  printf ("inner yield %d\nyield work %d\ninner work %d\n", 2 * TIMES,
          2 * TIMES, 2 * TIMES);
  printf ("coroutine finish 2\n");
  printf ("resume swapcontext %d\nyield swapcontext %d\n", 2 * TIMES + 2,
          2 * TIMES);
  printf ("NO swapcontext yield\n");
  printf ("NO swapcontext inner\nNO swapcontext resume\nNO swapcontext co\n");
}

/* at: a timer's signals in a loop that begins with its function.  */

static volatile int is_over, alarms;

APART void
on_alarm (int signal)
{
  (void) signal;
  alarms++;
  is_over = 1;
  work ();
}

APART void
spin (const volatile int *flag)
{
  while (*flag == 0)
    continue;
}

APART void
at (void)
{
  struct itimerval timer = { { 0, 200 }, { 0, 200 } };
  static const struct itimerval none;

  signal (SIGALRM, on_alarm);
  setitimer (ITIMER_REAL, &timer, NULL);
  for (int i = 0; i < ALARMS; i++)
    {
      is_over = 0;
      spin (&is_over);
    }
  setitimer (ITIMER_REAL, &none, NULL);
  printf ("at spin %d\n* spin %d\n", ALARMS, ALARMS);
  printf ("* on_alarm %d\non_alarm work %d\n", alarms, alarms);
}

/* sig: handlers that return and that jump away, on the stack and on another. */

static sigjmp_buf away;
static volatile int *volatile nowhere;

APART void
on_return (int signal)
{
  (void) signal;
  work ();
}

APART void
on_jump (int signal)
{
  (void) signal;
  work ();
  siglongjmp (away, 1);
}

APART void
on_other_stack (int signal)
{
  (void) signal;
  work ();
}

/* What comes meanwhile waits for the handler's end, and begins it anew.  */
static volatile int again;

APART void
on_again (int signal)
{
  work ();
  if (++again % 3 != 0)
    raise (signal);
}

APART void
raise_one (int signal)
{
  raise (signal);
  sink++;
}

APART void
fault (void)
{
  *nowhere = 1;
}

APART void
handle (int signal, void (*handler) (int), int flags)
{
  struct sigaction action = { 0 };

  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction (signal, &action, NULL);
}

APART void
sig (void)
{
  stack_t other = { 0 };

  other.ss_sp = stacks[0];
  other.ss_size = STACK;
  sigaltstack (&other, NULL);
  handle (SIGUSR1, on_return, 0);
  handle (SIGUSR2, on_other_stack, SA_ONSTACK);
  handle (SIGSEGV, on_jump, SA_ONSTACK);
  handle (SIGTERM, on_jump, 0);
  handle (SIGHUP, on_again, 0);
  for (volatile int i = 0; i < TIMES; i = i + 1)
    {
      raise_one (SIGUSR1);
      raise_one (SIGUSR2);
      raise_one (SIGHUP);
      if (sigsetjmp (away, 1) == 0)
        raise_one (SIGTERM);
      if (sigsetjmp (away, 1) == 0)
        fault ();
      finish ();
    }
  printf ("sig raise_one %d\nsig fault %d\nsig finish %d\n", 4 * TIMES, TIMES,
          TIMES);
  printf ("* on_return %d\non_return work %d\n", TIMES, TIMES);
  printf ("* on_other_stack %d\non_other_stack work %d\n", TIMES, TIMES);
  printf ("* on_again %d\non_again work %d\n", 3 * TIMES, 3 * TIMES);
  printf ("* on_jump %d\non_jump work %d\n", 2 * TIMES, 2 * TIMES);
  printf ("NO raise_one raise_one\n");
}

/* tail: computed goto, functions that only jump to each other, and one that
   jumps to the C library, which the dynamic linker finds at first.  */

APART long
interpret (const unsigned char *code)
{
  static void *const labels[] = { &&add, &&call, &&back, &&end };
  long sum = 0, n = TIMES;

  goto *labels[*code];
add:
  sum += sink;
  goto *labels[*++code];
call:
  work ();
  goto *labels[*++code];
back:
  code -= --n > 0 ? 3 : 0;
  goto *labels[*++code];
end:
  return sum;
}

APART long second (long n);
static long (*volatile third) (long n);

APART long
first (long n)
{
  return n == 0 ? sink : second (n - 1);
}

APART long
second (long n)
{
  return third (n);
}

APART long
to_first (long n)
{
  return first (n);
}

APART int
ask (void)
{
  return rand ();
}

APART void
tail (void)
{
  static const unsigned char code[] = { 0, 1, 0, 2, 3 };

  third = to_first;
  sink += interpret (code);
  for (volatile int i = 0; i < 3; i = i + 1)
    sink += first (TIMES);
  for (int i = 0; i < TIMES; i++)
    sink += ask ();
  finish ();
  printf ("tail ask %d\nask rand %d\n* rand %d\n", TIMES, TIMES, TIMES);
  printf ("tail interpret 1\ninterpret work %d\n", TIMES);
  printf ("tail first 3\nfirst second %d\nsecond to_first %d\n", 3 * TIMES,
          3 * TIMES);
  printf ("to_first first %d\ntail finish 1\nNO interpret interpret\n",
          3 * TIMES);
  printf ("NO tail second\nNO first to_first\nNO first first\n");
}

/* deep: many open calls.  */

APART long
descend (long n)
{
  long sum = n == 0 ? 0 : descend (n - 1);

  return sum + sink;
}

APART void
deep (void)
{
  sink += descend (DEPTH);
  finish ();
  printf ("deep descend 1\ndescend descend %d\ndeep finish 1\n", DEPTH);
}

/* child: processes that share the stack of their parent, or seem to.  */

APART void
in_child (void)
{
  _exit (0);
}

APART void
use_vfork (void)
{
  if (vfork () == 0)
    in_child ();
  wait (NULL);
}

APART void
use_exec (void)
{
  if (vfork () == 0)
    {
      execl ("/bin/true", "true", (char *) NULL);
      _exit (1);
    }
  wait (NULL);
}

APART void
child (void)
{
  for (int i = 0; i < 5; i++)
    {
      use_vfork ();
      use_exec ();
    }
  finish ();
  printf ("child use_vfork 5\nchild use_exec 5\nchild finish 1\n");
  printf ("NO * in_child\nNO use_exec use_exec\n");
}

/* threads: each has places of its own to jump to.  */

APART void
jump (jmp_buf place, int i)
{
  work ();
  if (i % 2 == 0)
    longjmp (place, 1);
}

APART void
between (jmp_buf place, int i)
{
  jump (place, i);
  sink++;
}

APART void *
run (void *data)
{
  jmp_buf place;

  for (volatile int i = 0; i < TIMES; i = i + 1)
    if (setjmp (place) == 0)
      between (place, i);
  return data;
}

APART void
threads (void)
{
  pthread_t ids[THREADS];

  for (int i = 0; i < THREADS; i++)
    pthread_create (&ids[i], NULL, run, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join (ids[i], NULL);
  printf ("* run %d\nrun between %d\nbetween jump %d\njump longjmp %d\n",
          THREADS, THREADS * TIMES, THREADS * TIMES, THREADS * TIMES / 2);
  printf ("jump work %d\nNO longjmp run\n",
          THREADS * TIMES);
}

/* pushed: a return instruction that calls, and a call that does not.  */

#if defined __x86_64__
# define BY_RETURN "push %rdi\n\tret"
# define NEXT "call 1f\n1:\tpop %rax\n\tret"
#elif defined __i386__
# define BY_RETURN "push 4(%esp)\n\tret"
# define NEXT "call 1f\n1:\tpop %eax\n\tret"
#elif defined __aarch64__
# define BY_RETURN "ret x0"
# define NEXT "mov x1, x30\n\tbl 1f\n1:\tmov x30, x1\n\tret"
#elif defined __arm__
# define BY_RETURN "push {r0}\n\tpop {pc}"
# define NEXT "mov r1, lr\n\tbl 1f\n1:\tbx r1"
#elif defined __riscv
# define BY_RETURN "mv t0, a0\n\tjr t0"
# define NEXT "mv t0, ra\n\tjal ra, 1f\n1:\tjr t0"
#elif defined __s390x__
# define NEXT "lgr %r1, %r14\n\tbras %r14, 1f\n1:\tbr %r1"
#elif defined __powerpc64__
# define NEXT "mflr 0\n\tbcl 20, 31, 1f\n1:\tmtlr 0\n\tblr"
#endif

#define FUNCTION(name, code)                                              \
  __asm__ (".text\n\t.balign 16\n\t.globl " #name "\n\t.type " #name      \
           ", %function\n" #name ":\n\t" code "\n\t.size " #name ", . - "   \
           #name "\n");                                                   \
  void name (void (*f) (void))

#ifdef BY_RETURN
FUNCTION (call_by_return, BY_RETURN);
#endif
#ifdef NEXT
FUNCTION (call_next, NEXT);
#endif

APART void
pushed (void)
{
#ifdef BY_RETURN
  for (int i = 0; i < TIMES; i++)
    call_by_return (finish);
  printf ("pushed call_by_return %d\ncall_by_return finish %d\n", TIMES, TIMES);
  printf ("NO pushed finish\n");
#endif
#ifdef NEXT
  for (int i = 0; i < TIMES; i++)
    call_next (NULL);
  printf ("pushed call_next %d\nNO call_next call_next\nNO call_next pushed\n",
          TIMES);
#endif
}

/* nested: functions that are reached by code on the stack.  */

APART void
each (void (*f) (int))
{
  for (int i = 0; i < TIMES; i++)
    f (i);
}

APART void
nested (void)
{
  int n = 0;
  auto void add (int);
  __attribute__ ((noinline)) void
  add (int i)
  {
    n += i;
    work ();
  }

  each (add);
  sink += n;
  printf ("nested each 1\nadd.0 work %d\n* add.0 %d\n", TIMES, TIMES);
}

/* made: code that the program writes, and writes anew.  */

#if defined __x86_64__ || defined __i386__
static const unsigned char nop[] = { 0x90 }, ret[] = { 0xc3 };
#elif defined __aarch64__
static const uint32_t nop[] = { 0xd503201f }, ret[] = { 0xd65f03c0 };
#elif defined __arm__
static const uint32_t nop[] = { 0xe1a00000 }, ret[] = { 0xe12fff1e };
#elif defined __riscv
static const uint32_t nop[] = { 0x00000013 }, ret[] = { 0x00008067 };
#elif defined __s390x__
static const uint16_t nop[] = { 0x0700 }, ret[] = { 0x07fe };
#elif defined __powerpc64__
static const uint32_t nop[] = { 0x60000000 }, ret[] = { 0x4e800020 };
#else
static const uint32_t nop[] = { 0 }, ret[] = { 0x03e00008 };
#endif

APART void
made (void)
{
  char *code = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *end;

  if (code == MAP_FAILED)
    return;
  for (int nops = 0; nops < 10; nops++)
    {
      end = code;
      for (int i = 0; i < nops; i++)
        end = mempcpy (end, nop, sizeof nop);
      end = mempcpy (end, ret, sizeof ret);
      memset (end, 0, 16);
      __builtin___clear_cache (code, end + 16);
      for (int i = 0; i < TIMES; i++)
        ((void (*) (void)) code) ();
      finish ();
    }
  printf ("made finish 10\nmade 0x%lx %d\nNO 0x%lx made\n",
          (unsigned long) code, 10 * TIMES, (unsigned long) code);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (void);
  } cases[] = {
    { "co", co },           { "at", at },         { "sig", sig },
    { "tail", tail },       { "deep", deep },     { "child", child },
    { "threads", threads }, { "pushed", pushed }, { "nested", nested },
    { "made", made },
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (argc == 2 && strcmp (argv[1], cases[i].name) == 0)
      {
        cases[i].run ();
        printf ("main %s 1\n", argv[1]);
        return 0;
      }
  return 2;
}
