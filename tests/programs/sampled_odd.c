/* sampled_odd.c - a program to be sampled, that does what few programs do:
   with small stacks, signals, exec, limits and a sandbox.  Its processor time
   is spent in hot; with TICKS, a millisecond is a tick: see tick.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef WITH_LIBUNWIND
# define UNW_LOCAL_ONLY 1
# include <libunwind.h>
#endif

#define NOINLINE __attribute__ ((noinline, noclone))

static long
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

#ifdef TICKS

# include "tick.h"

static void
measure_turns (void)
{
}

NOINLINE static void
hot (unsigned ticks)
{
  while (ticks-- != 0)
    tick ();
}

#else

static volatile unsigned sink;

/* It makes no system call and takes next to no stack, so turns of a loop must
   do for a clock.  How many take a millisecond is measured first.  */
static unsigned turns_per_ms;

NOINLINE static void
turn (unsigned turns)
{
  while (turns-- != 0)
    sink = sink * 5 + 1;
}

static void
measure_turns (void)
{
  long begin = now_ns ();
  unsigned n = 0;

  while (now_ns () - begin < 5000000)
    {
      turn (10000);
      n += 10000;
    }
  turns_per_ms = n / 5;
}

NOINLINE static void
hot (unsigned ms)
{
  for (unsigned turns = ms * turns_per_ms; turns != 0; turns--)
    sink = sink * 5 + 1;
}

#endif

/* Memory that must stay as it is, below a stack.  */

enum { CANARY_BYTES = 64 * 1024 };

static unsigned char *
new_stack (size_t size)
{
  unsigned char *memory
      = mmap (NULL, CANARY_BYTES + size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    exit (99);
  memset (memory, 0xa5, CANARY_BYTES);
  return memory + CANARY_BYTES;
}

static int
is_canary_alive (const unsigned char *stack)
{
  for (int i = 1; i <= CANARY_BYTES; i++)
    if (stack[-i] != 0xa5)
      {
        fprintf (stderr, "%d bytes below the stack were written to\n", i);
        return 0;
      }
  return 1;
}

static void
work (void)
{
  hot (300);
}

/* Runs work on a stack of 1 KiB, where nobody called it.  */
static int
coroutine (void)
{
  enum { BYTES = 1024 };
  unsigned char *stack = new_stack (BYTES);
  ucontext_t outer, inner;

  getcontext (&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = BYTES;
  inner.uc_link = &outer;
  makecontext (&inner, work, 0);
  swapcontext (&outer, &inner);
  return is_canary_alive (stack) ? 7 : 1;
}

/* An alternate stack with room for what the kernel puts there, and little
   more.  */
static int
alternate (void)
{
  size_t size = (size_t) sysconf (_SC_MINSIGSTKSZ) + 512;
  unsigned char *stack = new_stack (size);
  stack_t alternate = { .ss_sp = stack, .ss_size = size };

  if (sigaltstack (&alternate, NULL) != 0)
    return 99;
  work ();
  return is_canary_alive (stack) ? 7 : 1;
}

static void *
thread (void *unused)
{
  work ();
  return unused;
}

/* Threads on the smallest stacks that there are.  */
static int
threads (void)
{
  pthread_attr_t attributes;
  pthread_t id[3];

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes,
                             (size_t) sysconf (_SC_THREAD_STACK_MIN));
  for (int i = 0; i < 3; i++)
    if (pthread_create (&id[i], &attributes, thread, NULL) != 0)
      return 99;
  for (int i = 0; i < 3; i++)
    pthread_join (id[i], NULL);
  return 7;
}

/* Executes itself so often, each time in another way.  */
static int
execute (char **argv)
{
  int left = atoi (argv[2]);
  char n[16];
  char *arguments[] = { argv[0], argv[1], n, NULL };

  hot (10);
  execl ("/nonexistent", "x", NULL);
  if (left == 0)
    return 7;
  snprintf (n, sizeof n, "%d", left - 1);
  switch (left % 7)
    {
    case 0:
      execl (argv[0], argv[0], argv[1], n, NULL);
      break;
    case 1:
      execlp (argv[0], argv[0], argv[1], n, NULL);
      break;
    case 2:
      execle (argv[0], argv[0], argv[1], n, NULL, environ);
      break;
    case 3:
      execv (argv[0], arguments);
      break;
    case 4:
      execvp (argv[0], arguments);
      break;
    case 5:
      execve (argv[0], arguments, environ);
      break;
    case 6:
      fexecve (open (argv[0], O_RDONLY | O_CLOEXEC), arguments, environ);
      break;
    }
  return 98;
}

#ifdef TICKS

/* Ticks wait for the end of a system call.  */
NOINLINE static int
in_kernel (void)
{
  sigset_t tick_alone;

  sigemptyset (&tick_alone);
  sigaddset (&tick_alone, SIGRTMAX - 1);
  /* Not by the C library, where the profiler would see it.  */
  syscall (SYS_rt_sigprocmask, SIG_BLOCK, &tick_alone, NULL, 8);
  hot (100);
  syscall (SYS_rt_sigprocmask, SIG_UNBLOCK, &tick_alone, NULL, 8);
  return 7;
}

#else

/* System calls that take many milliseconds each, and that no signal ends
   early.  */
NOINLINE static int
in_kernel (void)
{
  enum { BYTES = 64 << 20, TIMES = 5 };
  char *bytes = calloc (1, BYTES);
  int fd = memfd_create ("odd", MFD_CLOEXEC);

  for (int i = 0; i < TIMES; i++)
    if (pwrite (fd, bytes, BYTES, 0) != BYTES)
      return 99;
  return 7;
}

#endif

/* Closes what it did not open, as daemons do, and has files of its own in these
   places: they must stay empty.  */
static int
close_all (void)
{
  enum { FILES = 8, MOST = 1024 };
  int file[FILES];
  int result;

  for (int i = 3; i < MOST; i++)
    close (i);
  for (int i = 0; i < FILES; i++)
    file[i] = memfd_create ("file", MFD_CLOEXEC);
  result = coroutine ();
  for (int i = 0; i < FILES; i++)
    if (lseek (file[i], 0, SEEK_END) != 0)
      {
        fprintf (stderr, "the file %d is not empty\n", file[i]);
        return 1;
      }
  return result;
}

/* No signal can wait.  */
static int
limit_signals (void)
{
  struct rlimit none = { 0, 0 };

  setrlimit (RLIMIT_SIGPENDING, &none);
  work ();
  return 7;
}

/* Only reads, writes, the end and the return from a handler are allowed.

   libunwind asks the kernel about a page of the stack the first time that it
   reads it.  So all calls that are sampled have their frames in the page below
   this function's.  */
static int
enter_sandbox (void)
{
  enum { PAGE = 4096 };
  void *rest
      = __builtin_alloca ((uintptr_t) __builtin_frame_address (0) % PAGE + 1);

  __asm__ volatile ("" : : "r" (rest) : "memory");
  hot (50);
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
    return 99;
  work ();
  syscall (SYS_exit, 7);
  return 1;
}

/* Signals of the program's own.  */

static volatile sig_atomic_t calls;

static void
on_signal (int number, siginfo_t *info, void *context)
{
  sigset_t mask;

  (void) context;
  sigprocmask (SIG_BLOCK, NULL, &mask);
  calls += info->si_signo == number && sigismember (&mask, SIGUSR1);
}

/* Handles the signal of the ticks, too.  */
static int
handle (void)
{
  struct sigaction action
      = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
  struct sigaction old;

  sigaddset (&action.sa_mask, SIGUSR1);
  sigaction (SIGRTMAX - 1, &action, &old);
  if (old.sa_handler != SIG_DFL)
    return 1;
  for (int i = 0; i < 3; i++)
    {
      raise (SIGRTMAX - 1);
      hot (100);
    }
  sigaction (SIGRTMAX - 1, NULL, &old);
  return calls == 3 && old.sa_sigaction == on_signal ? 7 : 2;
}

static int
default_io (void)
{
  struct sigaction old;

  sigaction (SIGIO, NULL, &old);
  return old.sa_handler == SIG_DFL ? 7 : 3;
}

/* Processes.  */

/* Waits until the profiler, which started this process, has nothing to do.  */
static void
await_profiler (void)
{
  char path[32], state;

  snprintf (path, sizeof path, "/proc/%ld/stat", (long) getppid ());
  do
    {
      FILE *stat = fopen (path, "r");

      if (stat == NULL || fscanf (stat, "%*d (%*[^)]) %c", &state) != 1)
        exit (96);
      fclose (stat);
    }
  while (state != 'S');
}

/* Comes back when the profiler has looked at this process and its children
   several times: each signal that it passes on is a turn of its loop, and it
   looks at children in every fifth.  */
static void
be_looked_at (void)
{
  sigset_t signal;
  int number;

  sigemptyset (&signal);
  sigaddset (&signal, SIGUSR1);
  sigprocmask (SIG_BLOCK, &signal, NULL);
  for (int i = 0; i < 20; i++)
    {
      await_profiler ();
      kill (getppid (), SIGUSR1);
      sigwait (&signal, &number);
    }
}

static void
burn (void)
{
  while (now_ns () < 300000000)
    ;
}

/* What no profile has: 300 ms.  */
static int
unseen (void)
{
  burn ();
  be_looked_at ();
  return 7;
}

/* Runs a command until the profiler has looked at it.  */
static int
start (char **command)
{
  int said[2];
  pid_t child;
  char byte;

  if (pipe (said) != 0 || (child = fork ()) < 0)
    return 99;
  if (child == 0)
    {
      dup2 (said[1], STDOUT_FILENO);
      execvp (command[0], command);
      _exit (98);
    }
  close (said[1]);
  if (read (said[0], &byte, 1) != 1)
    return 97;
  be_looked_at ();
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  return 3;
}

#ifdef TICKS
/* Code that takes a tick while the frame register has an address that is no
   frame: one function without unwind tables, one with.  */
#define WITH_FRAME(name)                                                      \
  name ":\n"                                                                  \
       "  push %rbp\n"                                                        \
       "  mov %rdi, %rbp\n"                                                   \
       "  mov %rsi, %rdi\n"                                                   \
       "  mov %rdx, %rsi\n"                                                   \
       "  mov %rcx, %rdx\n"                                                   \
       "  mov %r8, %r10\n"                                                    \
       "  mov $297, %eax\n" /* SYS_rt_tgsigqueueinfo */                       \
       "  syscall\n"                                                          \
       "  nop\n"                                                              \
       "  pop %rbp\n"                                                         \
       "  ret\n"
__asm__ (".text\n" WITH_FRAME ("untabled")
         ".cfi_startproc\n"
         ".cfi_def_cfa_offset 16\n"
         ".cfi_offset rbp, -16\n" WITH_FRAME ("tabled")
         ".cfi_endproc\n");
void untabled (void *frame, long process, long thread, long number,
               siginfo_t *tick);
void tabled (void *frame, long process, long thread, long number,
             siginfo_t *tick);

/* The memory of that address is gone the second time.  */
static int
lose_frame (void)
{
  static siginfo_t tick;
  long process = getpid (), thread = syscall (SYS_gettid);
  void *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  tick_alone ();
  tick.si_code = POLL_IN;
  untabled (page, process, thread, SIGRTMAX - 1, &tick);
  munmap (page, 4096);
  untabled (page, process, thread, SIGRTMAX - 1, &tick);
  return 5;
}

/* The second time, in a sandbox that ends the program if the kernel is to read
   its memory.  */
static int
keep_frame (void)
{
  struct sock_filter code[]
      = { BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                    offsetof (struct seccomp_data, nr)),
          BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
          BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
          BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
  struct sock_fprog filter = { sizeof code / sizeof *code, code };
  static siginfo_t tick = { .si_code = POLL_IN };
  static long far[2];
  long process = getpid (), thread = syscall (SYS_gettid);

  tick_alone ();
  tabled (far, process, thread, SIGRTMAX - 1, &tick);
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return 99;
  tabled (far, process, thread, SIGRTMAX - 1, &tick);
  return 5;
}

/* Whether no signal waits.  */
static bool
none_waits (const sigset_t *all)
{
  return sigtimedwait (all, NULL, &(struct timespec){ 0, 0 }) == -1;
}

/* Waits for all signals, among which is a tick that the kernel holds back.  */
static int
wait_for_all (void)
{
  static siginfo_t tick;
  long process = getpid (), thread = syscall (SYS_gettid);
  struct signalfd_siginfo got;
  siginfo_t info;
  sigset_t all;
  int number, fd;

  tick_alone ();
  sigfillset (&all);
  fd = signalfd (-1, &all, SFD_NONBLOCK);
  syscall (SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, _NSIG / 8);
  tick.si_code = POLL_IN;
  tick_send (process, thread, SIGRTMAX - 1, &tick);
  if (!none_waits (&all) || read (fd, &got, sizeof got) != -1)
    return 1;
  raise (SIGRTMAX);
  if (sigwait (&all, &number) != 0 || number != SIGRTMAX)
    return 2;
  raise (SIGRTMAX);
  if (sigwaitinfo (&all, &info) != SIGRTMAX)
    return 3;
  raise (SIGRTMAX);
  if (read (fd, &got, sizeof got) != sizeof got
      || got.ssi_signo != (uint32_t) SIGRTMAX || !none_waits (&all))
    return 4;
  return 5;
}
#endif

/* Says that it runs, after 300 ms.  */
static int
stay (void)
{
  burn ();
  if (write (STDOUT_FILENO, "\n", 1) == 1)
    pause ();
  return 99;
}

/* Writes over what the profiler made of its memory: much of it at once, or
   later the beginning of the first recorder.  */
static int
scribble (int at_once)
{
  enum { RECORDER = 128, BYTES = 64, MUCH = 1 << 24 };
  int fd = open (getenv ("CGW_SAMPLE"), O_RDWR);
  char *memory = mmap (NULL, MUCH, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (!at_once)
    hot (10);
  memset (memory + (at_once ? 0 : RECORDER), 0xff, at_once ? MUCH : BYTES);
  _exit (7);
}

/* Lives as long as its standard input has a writer.  */
static int
background (void)
{
  char byte;

  if (daemon (1, 1) != 0)
    return 4;
  while (read (STDIN_FILENO, &byte, 1) > 0)
    ;
  return 0;
}

#ifdef WITH_LIBUNWIND

static void *
watch (void *unused)
{
  sleep (120);
  _exit (97);
  return unused;
}

/* Walks its own stack by the library that the profiler uses, too, and ends if
   both wait for each other.  */
static int
unwind (void)
{
  pthread_t watchdog;

  pthread_create (&watchdog, NULL, watch, NULL);
  for (long begin = now_ns (); now_ns () - begin < 300000000;)
    {
      unw_context_t context;
      unw_cursor_t cursor;

      unw_getcontext (&context);
      unw_init_local (&cursor, &context);
      while (unw_step (&cursor) > 0)
        ;
    }
  work ();
  return 7;
}

#endif

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";

  measure_turns ();
  if (strcmp (mode, "coroutine") == 0)
    return coroutine ();
  if (strcmp (mode, "alternate") == 0)
    return alternate ();
  if (strcmp (mode, "threads") == 0)
    return threads ();
  if (strcmp (mode, "exec") == 0 && argc > 2)
    return execute (argv);
  if (strcmp (mode, "kernel") == 0)
    return in_kernel ();
  if (strcmp (mode, "close") == 0)
    return close_all ();
  if (strcmp (mode, "limit") == 0)
    return limit_signals ();
  if (strcmp (mode, "sandbox") == 0)
    return enter_sandbox ();
  if (strcmp (mode, "little") == 0)
    hot (30);
  if (strcmp (mode, "little") == 0 || strcmp (mode, "nothing") == 0)
    return 7;
  if (strcmp (mode, "handler") == 0)
    return handle ();
  if (strcmp (mode, "default") == 0)
    return raise (SIGRTMAX - 1);
  if (strcmp (mode, "io") == 0)
    return default_io ();
  if (strcmp (mode, "unseen") == 0)
    return unseen ();
  if (strcmp (mode, "start") == 0)
    return start (argv + 2);
  if (strcmp (mode, "stay") == 0)
    return stay ();
  if (strcmp (mode, "scribble") == 0)
    return scribble (0);
  if (strcmp (mode, "scribble at once") == 0)
    return scribble (1);
#ifdef TICKS
  if (strcmp (mode, "lose frame") == 0)
    return lose_frame ();
  if (strcmp (mode, "keep frame") == 0)
    return keep_frame ();
  if (strcmp (mode, "wait for all") == 0)
    return wait_for_all ();
#endif
  if (strcmp (mode, "background") == 0)
    return background ();
#ifdef WITH_LIBUNWIND
  if (strcmp (mode, "unwind") == 0)
    return unwind ();
#endif
  return 99;
}
