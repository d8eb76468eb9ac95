/* qemu_tasks.c - tasks that are left in one function, which different functions
   called, at different depths: prints how often each is called.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <stdbool.h>
#include <stdio.h>
#include <ucontext.h>

#define APART __attribute__ ((noipa))

enum { TASKS = 4, TIMES = 10, DEPTH = 5, STACK = 1 << 16 };

static struct task
{
  ucontext_t context;
  bool has_ended;
  _Alignas (16) char stack[STACK];
} tasks[TASKS];
static ucontext_t scheduler;
static struct task *running;
static volatile long sink;

APART void
step (void)
{
  sink++;
}

/* Another task runs.  */
APART void
give_way (void)
{
  swapcontext (&running->context, &scheduler);
  sink++;
}

APART void
work (void)
{
  step ();
  give_way ();
  step ();
}

APART void
lap (void)
{
  work ();
  sink++;
}

APART void
dive (int depth)
{
  work ();
  if (depth > 1)
    dive (depth - 1);
  work ();
}

APART void
first_task (void)
{
  for (int i = 0; i < TIMES; i++)
    work ();
  running->has_ended = true;
}

APART void
second_task (void)
{
  for (int i = 0; i < TIMES; i++)
    lap ();
  running->has_ended = true;
}

/* Two tasks are of this function.  */
APART void
deep_task (int depth)
{
  dive (depth);
  step ();
  running->has_ended = true;
}

APART void
resume (struct task *task)
{
  running = task;
  swapcontext (&scheduler, &task->context);
  sink++;
}

int
main (void)
{
  int resumes = 0;

  for (int i = 0; i < TASKS; i++)
    {
      ucontext_t *context = &tasks[i].context;

      getcontext (context);
      context->uc_stack.ss_sp = tasks[i].stack;
      context->uc_stack.ss_size = STACK;
      context->uc_link = &scheduler;
      if (i < 2)
        makecontext (context, i == 0 ? first_task : second_task, 0);
      else
        makecontext (context, (void (*) (void)) deep_task, 1, i * DEPTH);
    }
  for (bool is_running = true; is_running;)
    {
      is_running = false;
      for (int i = 0; i < TASKS; i++)
        if (!tasks[i].has_ended)
          {
            resume (&tasks[i]);
            resumes++;
            is_running = true;
          }
    }
  printf ("main resume %d\n", resumes);
  printf ("first_task work %d\nsecond_task lap %d\nlap work %d\n", TIMES, TIMES,
          TIMES);
  printf ("deep_task dive 2\ndive dive %d\ndive work %d\ndeep_task step 2\n",
          5 * DEPTH - 2, 10 * DEPTH);
  printf ("work step %d\nwork give_way %d\n", 2 * (2 * TIMES + 10 * DEPTH),
          2 * TIMES + 10 * DEPTH);
}
