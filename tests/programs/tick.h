/* tick.h - ticks that a program sends itself, which cgw-sample takes for those
   of its clock.  With -F 1 they are all that there are: the clock's own first
   one comes after a second of the thread's processor time, for which programs
   that may need a second stop the clock.

   SPDX-License-Identifier: MIT  */

#ifndef TICK_H
#define TICK_H 1

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __x86_64__
# error "tick_send is for x86-64"
#endif

#define TICK_INLINE static inline __attribute__ ((always_inline))

/* The code of the signal is that of the kernel for perf events, which a process
   may use for itself.  It comes while "nop" is the next instruction, which is
   one of the function that this is inlined into.  */
TICK_INLINE long
tick_send (long process, long thread, long number, siginfo_t *tick)
{
  long result = SYS_rt_tgsigqueueinfo;
  register siginfo_t *info __asm__ ("r10") = tick;

  __asm__ volatile ("syscall\n\tnop"
                    : "+a"(result)
                    : "D"(process), "S"(thread), "d"(number), "r"(info)
                    : "rcx", "r11", "memory");
  return result;
}

/* Where no signal can wait, the kernel sends SIGIO.  */
TICK_INLINE void
tick (void)
{
  static siginfo_t tick, io;
  long process = getpid (), thread = syscall (SYS_gettid);
  long number = SIGRTMAX - 1;

  tick.si_code = POLL_IN;
  io.si_code = SI_KERNEL;
  if (tick_send (process, thread, number, &tick) == -EAGAIN)
    tick_send (process, thread, SIGIO, &io);
}

/* Stops the thread's own clock, whether it is a perf event or a timer, whose
   number is the first free one.  */
TICK_INLINE void
tick_alone (void)
{
  prctl (PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
  for (long timer = 0; timer < 8; timer++)
    syscall (SYS_timer_delete, timer);
}

#endif /* TICK_H */
