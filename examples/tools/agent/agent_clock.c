/* agent_clock.c - interrupts a thread at intervals of its processor time: by
   the kernel's task clock (perf_event_open), or by a timer if that is not
   allowed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert ((int) REG_EFL < (int) AGENT_REGISTERS
                    && (int) REG_RIP < (int) AGENT_REGISTERS,
                "the registers come first");

#ifndef sigev_notify_thread_id
# define sigev_notify_thread_id _sigev_un._tid
#endif

/* What tells the agent's timers from the program's, which may use the same
   signal.  */
static char own_timer;

/* The event.  */

static size_t
page_size (void)
{
  return (size_t) sysconf (_SC_PAGESIZE);
}

/* Each overflow of the counter is to send the tick to the thread.  */
static bool
signal_thread (int fd, pid_t thread)
{
  struct f_owner_ex owner = { F_OWNER_TID, thread };

  return fcntl (fd, F_SETSIG, AGENT_TICK) == 0
         && fcntl (fd, F_SETOWN_EX, &owner) == 0
         && fcntl (fd, F_SETFL, O_ASYNC) == 0;
}

/* Returns the event's page, which keeps the event when its descriptor is
   closed.  So the program has no descriptor that it does not know of, and may
   close all that it has.  */
static void *
open_event (pid_t thread, uint64_t interval)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_TASK_CLOCK,
                                  .sample_period = interval,
                                  .disabled = 1 };
  void *page = MAP_FAILED;
  long fd;
  int error;

  fd = syscall (SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return NULL;
  if (signal_thread ((int) fd, thread))
    page = mmap (NULL, page_size (), PROT_READ, MAP_SHARED, (int) fd, 0);
  if (page != MAP_FAILED && ioctl ((int) fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
    {
      munmap (page, page_size ());
      page = MAP_FAILED;
    }
  error = errno;
  /* Not libc's function, which is a cancellation point.  */
  syscall (SYS_close, fd);
  errno = error;
  return page != MAP_FAILED ? page : NULL;
}

/* The timer.  */

static bool
set_timer (struct agent_clock *c, pid_t thread, uint64_t interval)
{
  struct sigevent event
      = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = AGENT_TICK };
  struct timespec tick = { (time_t) (interval / 1000000000),
                           (long) (interval % 1000000000) };
  struct itimerspec every = { tick, tick };

  event.sigev_value.sival_ptr = &own_timer;
  event.sigev_notify_thread_id = thread;
  c->has_timer
      = timer_create (CLOCK_THREAD_CPUTIME_ID, &event, &c->timer) == 0;
  return c->has_timer && timer_settime (c->timer, 0, &every, NULL) == 0;
}

/* Both.  */

enum agent_clock_kind
agent_clock_start (struct agent_clock *c, uint32_t thread, uint64_t interval,
                   bool wants_event, int *event_error)
{
  memset (c, 0, sizeof *c);
  *event_error = 0;
  if (wants_event)
    {
      c->event = open_event ((pid_t) thread, interval);
      if (c->event != NULL)
        return AGENT_EVENT;
      *event_error = errno;
    }
  return set_timer (c, (pid_t) thread, interval) ? AGENT_TIMER
                                                 : AGENT_NO_CLOCK;
}

void
agent_clock_stop (struct agent_clock *c)
{
  if (c->event != NULL)
    munmap (c->event, page_size ());
  if (c->has_timer)
    timer_delete (c->timer);
}

/* Ticks.  */

/* Whether the code was interrupted at the end of a system call.  */
static bool
is_after_syscall (uint64_t ip)
{
  static const unsigned char code[] = { 0x0f, 0x05 }; /* syscall */

  return ip % page_size () >= sizeof code
         && memcmp ((const char *) (uintptr_t) ip - sizeof code, code,
                    sizeof code) == 0;
}

/* The kernel sends SIGIO for an event when its queue of signals is full.  */
bool
agent_clock_is_tick (int number, const siginfo_t *info)
{
  if (number == SIGIO)
    return info->si_code == SI_KERNEL;
  return info->si_code == SI_TIMER ? info->si_ptr == &own_timer
                                   : info->si_code == POLL_IN;
}

uint64_t
agent_clock_take_waiting (void)
{
  struct timespec none = { 0, 0 };
  siginfo_t info;
  sigset_t tick;
  uint64_t n = 0;

  sigemptyset (&tick);
  sigaddset (&tick, AGENT_TICK);
  while (syscall (SYS_rt_sigtimedwait, &tick, &info, &none, _NSIG / 8)
         == AGENT_TICK)
    {
      if (!agent_clock_is_tick (AGENT_TICK, &info))
        {
          syscall (SYS_rt_tgsigqueueinfo, syscall (SYS_getpid),
                   syscall (SYS_gettid), AGENT_TICK, &info);
          break;
        }
      n++;
    }
  return n;
}

/* A thread that waits for another one in a loop may change no register, either:
   then no ticks wait.  The first ones may be of a single stack that took long;
   nothing need be done for them, and that may be forbidden (seccomp).  */
enum { STANDS_STILL = 8 };

/* A timer has one signal under way, which counts those that it would have
   sent.  An event sends them all; they wait for the end of a long system call,
   where one sample can stand for them.  */
uint64_t
agent_clock_ticks (struct agent_clock *c, const siginfo_t *info,
                   const ucontext_t *context)
{
  const greg_t *registers = context->uc_mcontext.gregs;

  if (memcmp (c->registers, registers, sizeof c->registers) == 0)
    c->stands++;
  else
    c->stands = 0;
  memcpy (c->registers, registers, sizeof c->registers);
  if (info->si_code == SI_TIMER)
    return 1 + (info->si_overrun > 0 ? (uint64_t) info->si_overrun : 0);
  return 1
         + (c->stands == 1 && is_after_syscall ((uint64_t) registers[REG_RIP])
                ? agent_clock_take_waiting ()
                : 0);
}

void
agent_clock_end (struct agent_clock *c)
{
  if (c->stands >= STANDS_STILL)
    agent_clock_take_waiting ();
}
