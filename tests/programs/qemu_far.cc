/* qemu_far.cc - exceptions, signals, longjmp and a fork in functions with loops:
   they leave blocks, and lead to ones, that else only jumps of the function
   itself lead to.  For any processor.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__ ((noipa))

static volatile int sink;
static jmp_buf environment;

/* Spends some time in blocks that only jump.  */
static inline void
loop (int n)
{
  for (int i = 0; i < n; i++)
    if (sink % 3 == 0)
      sink = sink + i;
    else
      sink = sink + 1;
}

struct Guard
{
  int n;
  ~Guard () { loop (n % 6); }
};

APART int
dive (int n)
{
  int sum = 0;

  for (int i = 0; i <= n % 5; i++)
    {
      sum += i * n;
      if ((n + i) % 7 == 0)
        throw n;
      if (sum % 11 == 5)
        throw std::runtime_error ("5");
      sink = sum;
      if (n > 0)
        sum += dive (n - 1);
    }
  return sum;
}

APART int
catches (int n)
{
  Guard guard = { n };
  int sum = 0;

  for (int i = 0; i < 3; i++)
    try
      {
        sum += dive (n + i);
        loop (n);
      }
    catch (int caught)
      {
        loop (caught);
      }
    catch (std::exception &)
      {
        for (sum--; sum > 1000; sum /= 2)
          sink = sum;
      }
  return sum;
}

static void
on_user (int)
{
  loop (5);
}

/* The last part of a loop is where a handler interrupts, in any of the open calls
   of the function, some of whose return addresses begin blocks of the loop.  */
APART int
recurse (int n)
{
  int sum = 0;

  for (int i = 0; i < 3; i++)
    {
      if (n > 0)
        sum += recurse (n - 1);
      for (int j = 0; j < n; j++)
        {
          sum += j;
          if (sum % 32 == 7)
            raise (SIGUSR1);
        }
    }
  return sum;
}

/* An instruction that there is not, and how far a handler of its signal moves the
   address in a context.  */
#if defined __x86_64__
#define FAULT "ud2"
#define PASS(context) ((context)->uc_mcontext.gregs[REG_RIP] += 2)
#elif defined __i386__
#define FAULT "ud2"
#define PASS(context) ((context)->uc_mcontext.gregs[REG_EIP] += 2)
#elif defined __aarch64__
#define FAULT ".inst 0"
#define PASS(context) ((context)->uc_mcontext.pc += 4)
#elif defined __thumb__
#define FAULT "udf #0"
#define PASS(context) ((context)->uc_mcontext.arm_pc += 2)
#elif defined __arm__
#define FAULT "udf #0"
#define PASS(context) ((context)->uc_mcontext.arm_pc += 4)
#elif defined __riscv
#define FAULT ".2byte 0"
#define PASS(context) ((context)->uc_mcontext.__gregs[REG_PC] += 2)
#elif defined __powerpc64__
#define FAULT ".long 0"
#define PASS(context) ((context)->uc_mcontext.gp_regs[32] += 4)
#elif defined __s390x__
#define FAULT ".short 0"
#define PASS(context) ((void) (context))
#endif

static void
on_fault (int, siginfo_t *, void *context)
{
  PASS (static_cast<ucontext_t *> (context));
  loop (3);
}

APART int
fault (int n)
{
  int sum = 0;

  for (int i = 0; i < n; i++)
    {
      sum += i;
      if (sum % 3 == 1)
        __asm__ volatile (FAULT);
      sum ^= i;
    }
  return sum;
}

APART void
jump (int n)
{
  for (int i = 0; i < 10; i++)
    if (n + i > 12)
      longjmp (environment, 1);
}

#ifdef __x86_64__
/* Jumps to an instruction that repeats itself.  */
APART void
fill (int n)
{
  char bytes[8], *at = bytes;

  __asm__ volatile ("mov $8, %%ecx\n"
                    "1:\trep stosb\n\t"
                    "mov $8, %%ecx\n\t"
                    "sub $8, %%rdi\n\t"
                    "dec %%edx\n\t"
                    "jnz 1b"
                    : "+D" (at), "+d" (n)
                    :
                    : "ecx", "cc", "memory");
}
#else
static void
fill (int)
{
}
#endif

APART void
in_child ()
{
  loop (100);
}

int
main ()
{
  struct sigaction action = {};
  volatile int sum = 0;

  for (int i = 0; i < 9; i++)
    sum = sum + catches (i);
  signal (SIGUSR1, on_user);
  sum = sum + recurse (6);
  for (volatile int i = 0; i < 15; i = i + 1)
    if (setjmp (environment) == 0)
      jump (i);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction (SIGILL, &action, nullptr);
  sum = sum + fault (50);
  fill (10);
  loop (100);
  if (fork () == 0)
    {
      loop (200);
      in_child ();
      return 0;
    }
  wait (nullptr);
  printf ("%d\n", sum);
}
