/* agent_parts.h - what agents, the parts of profilers that are preloaded into
   programs, have in common: threads with clocks, stacks, and what is mapped.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef AGENT_PARTS_H
#define AGENT_PARTS_H 1

#include "../run/notes.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>

/* One of the last real-time signals: what programs use themselves begins at
   SIGRTMIN, and SIGPROF may be theirs.  */
#define AGENT_TICK (SIGRTMAX - 1)

/* Marks functions that the program calls.  */
#define AGENT_STAND_IN __attribute__ ((visibility ("default")))

/* agent_real.c: libc's own functions.  */

typedef int agent_mask_fn (int, const sigset_t *, sigset_t *);

extern struct agent_real
{
  int (*pthread_create) (pthread_t *, const pthread_attr_t *,
                         void *(*) (void *), void *);
  int (*thrd_create) (thrd_t *, thrd_start_t, void *);
  agent_mask_fn *pthread_sigmask;
  agent_mask_fn *sigprocmask;
  int (*sigwait) (const sigset_t *, int *);
  int (*sigwaitinfo) (const sigset_t *, siginfo_t *);
  int (*sigtimedwait) (const sigset_t *, siginfo_t *, const struct timespec *);
  int (*signalfd) (int, const sigset_t *, int);
  int (*sigaction) (int, const struct sigaction *, struct sigaction *);
  void (*(*signal) (int, void (*) (int))) (int);
  int (*pipe2) (int *, int);
  int (*dl_iterate_phdr) (int (*) (struct dl_phdr_info *, size_t, void *),
                          void *);
  int (*execve) (const char *, char *const[], char *const[]);
  int (*execvpe) (const char *, char *const[], char *const[]);
  int (*fexecve) (int, char *const[], char *const[]);
  int (*execveat) (int, const char *, char *const[], char *const[], int);
  int (*dlclose) (void *);
} agent_real;

/* Finds them.  The constructors of other libraries may call a function that the
   agent stands in for before the agent's constructor runs.  */
void agent_find_real (void);

/* Sets a pointer to one of any library.  */
void agent_find (const char *name, void *pointer);

/* agent_maps.c: what is mapped.  All of it works in handlers.  */

/* Writes a note of n bytes behind the head.  One thread at a time calls it.
   False: there is no room.  */
typedef bool agent_note_fn (enum sample_note kind,
                            const struct sample_note_head *head,
                            const char *bytes, size_t n);

/* First: who notes what is mapped, and what counts the regions for which there
   was no room.  */
void agent_maps_begin (agent_note_fn *note, _Atomic uint64_t *left_out);

/* Makes sure that the profiler knows what lies at each address.  Reads
   /proc/self/maps only when one is new, or something was unmapped since, or
   is just being so; returns whether it did.  */
bool agent_maps_see (const uint64_t *frames, size_t n);

/* The number of the last note of what is mapped.  While another thread notes what
   this one may need, the highest number.  */
uint64_t agent_maps_noted (void);

/* Forgets everything, in a forked child, which must note it again.  */
void agent_maps_restart (void);

/* As dl_iterate_phdr, but without the dynamic linker's lock.  */
int agent_maps_iterate (int (*callback) (struct dl_phdr_info *, size_t,
                                         void *), void *data);

/* agent_unwind.c walks stacks.  agent_backtrace.c takes its place in an agent
   without samples, and has agent_unwind_begin, agent_unwind_callers and
   agent_unwind_forget.  */

/* Outside handlers: chooses the way, and readies it.  False: there is no
   unwinder, and frame pointers are used where there are samples.  */
bool agent_unwind_begin (bool frame_pointers);

/* Whether an address is in libunwind.  */
bool agent_unwind_is_code (const void *address);

/* Where a stack goes.  */
struct agent_walk
{
  void *cursor;     /* the thread's */
  uint64_t *frames; /* addresses, the leaf first; those of callers are one less
                       than where they return to: inside the call */
  size_t max;
  bool deep;        /* go on when there is no room for more, to the end, whose
                       last SAMPLE_BASE_FRAMES then stand last */
  size_t n;
  bool end;         /* out: it came to the end, as far as can be told */
};

/* Walks a stack, in a handler or elsewhere.  */
void agent_unwind (ucontext_t *context, struct agent_walk *w);

/* Outside handlers: the addresses to which this function and its callers
   return, the innermost first.  Returns how many; 0: there is no unwinder.  */
size_t agent_unwind_callers (void **addresses, size_t max);

/* After pipe2: libunwind tries addresses by writing from them to a pipe.  Were
   that closed by the program, a file of its own could get the bytes; so this
   moves it away from the numbers that programs close and give to their files,
   if this thread walks a stack.  */
void agent_unwind_move_pipe (int ends[2]);

/* Something was unmapped: what is remembered of it must go.  */
void agent_unwind_forget (void);

/* agent_clock.c: interrupts threads.  */

enum { AGENT_REGISTERS = 18 }; /* that ucontext_t has first, with the flags */

struct agent_clock
{
  void *event;     /* or NULL */
  timer_t timer;
  bool has_timer;
  uint64_t registers[AGENT_REGISTERS]; /* where the last tick came */
  unsigned stands; /* ticks since that came where the one before did */
};

enum agent_clock_kind
{
  AGENT_NO_CLOCK, /* errno says why */
  AGENT_EVENT,
  AGENT_TIMER
};

/* Sends this thread the tick after each interval of its processor time: by an
   event if that is wanted and allowed, or by a timer.  *event_error says why it
   is no event although one is wanted, or is 0.  */
enum agent_clock_kind agent_clock_start (struct agent_clock *c,
                                         uint32_t thread, uint64_t interval,
                                         bool wants_event, int *event_error);

/* Not in a forked child, which has none.  */
void agent_clock_stop (struct agent_clock *c);

/* Takes the ticks that wait for this thread, and returns how many.  What the
   program itself has sent goes back.  */
uint64_t agent_clock_take_waiting (void);

/* Whether a signal comes from a clock of this agent.  */
bool agent_clock_is_tick (int number, const siginfo_t *info);

/* In the handler: the ticks that this one stands for.  */
uint64_t agent_clock_ticks (struct agent_clock *c, const siginfo_t *info,
                            const ucontext_t *context);

/* The handler ends.  If handlers take longer than an interval, each ends with
   the next tick, and the thread stands still: then this takes away the ticks
   that came meanwhile, for time that was the handlers' own.  */
void agent_clock_end (struct agent_clock *c);

/* agent_thread.c: the threads that are sampled.  */

/* In memory behind the agent's stacks for this thread.  */
struct agent_thread
{
  struct agent_clock clock;
  uint32_t id;
  volatile sig_atomic_t inside; /* in the handler, or in take_root */
  ucontext_t context;  /* where it began; stacks may be small */
  alignas (16) unsigned char cursor[4096]; /* of libunwind */
};

/* What an agent does.  */
struct agent
{
  /* The size of its threads, which begin with a struct agent_thread.  */
  size_t thread_size;

  /* Whether to take a sample of what a tick interrupted, which may be the agent
     itself.  In the handler, on the program's stack.  */
  bool (*wants_sample) (const ucontext_t *context);

  /* Takes it, on the agent's own stack, with all signals blocked.  */
  void (*take_sample) (struct agent_thread *thread, ucontext_t *context,
                       uint64_t ticks);

  /* Likewise, but outside handlers: looks at the stack on which the thread
     began.  `first`: it is the one that called agent_threads_begin.  */
  void (*take_root) (struct agent_thread *thread, bool first);

  /* The thread's clock has begun; AGENT_NO_CLOCK: it has none, errno says why.
     event_error: see agent_clock_start.  */
  void (*note_clock) (enum agent_clock_kind kind, int event_error);
};

/* Samples this thread and those that it and they start, at intervals of ns,
   until the process ends or forks.  A pending tick of an event kills a program
   that a thread executes; that of a timer is discarded by the kernel.  So a
   process that makes the system call itself (see agent_exec.c) must want no
   events.  */
void agent_threads_begin (const struct agent *agent, uint64_t interval,
                          bool want_events);

/* In a forked child, which has one thread, without a clock: samples it again,
   or no more.  */
void agent_threads_continue (void);
void agent_threads_forget (void);

/* Whether the process is sampled.  */
bool agent_is_on (void);

/* Whether the thread is in the handler, or in take_root.  */
bool agent_is_inside (void);

/* The program has begun this thread.  */
void agent_begin_thread (void);

/* Stops this thread's clock, if its ticks outlive an exec, and takes those that
   wait.  Returns whether it did.  */
bool agent_pause (void);
void agent_resume (void);

/* What the program wants done at the signal of the tick, which is the agent's.
   Returns what it wanted before.  `action` may be NULL.  */
struct sigaction agent_tick_action (const struct sigaction *action);

/* Likewise for SIGIO, if that is the agent's as long as the program has no
   handler: sets the handler, or makes it the agent's again.  As sigaction.  */
int agent_io_action (const struct sigaction *action, struct sigaction *old);

/* agent_stack.c: a thread's stacks, which lie before other memory of its.  */

/* Returns that memory, of `size` bytes; or NULL, errno says why.  */
void *agent_stacks_new (size_t size);

/* Makes one of them this thread's alternate stack, if it has none.  */
void agent_stacks_use (void *behind);

void agent_stacks_free (void *behind, size_t size);

/* Calls a function on the other one.  */
void agent_stacks_call (void *behind, void (*function) (void *),
                        void *argument);

#endif /* AGENT_PARTS_H */
