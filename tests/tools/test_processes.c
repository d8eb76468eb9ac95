/* test_processes.c - what cgw-qemu says of processes without a profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/tool.h"
#include "capture.h"
#include "qemu/exec_calls.h"
#include "qemu/processes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct option options[] = { TOOL_OPTIONS };
static const struct tool tool = {
  .name = "test", .usage = "", .help = "", .letters = "", .options = options
};

static struct qemu_shared shared;
static const char memory[] = "/dev/shm/the memory";

static void
miss (uint32_t process)
{
  shared.missing[process / 32] |= UINT32_C (1) << process % 32;
}

static void
print_all (void *advice)
{
  tool_begin (&tool);
  processes_say (&shared, memory, "out", advice, true, false);
}

static void
print_last (void *advice)
{
  tool_begin (&tool);
  processes_say (&shared, memory, "out", advice, false, false);
}

static void
print_quietly (void *advice)
{
  tool_begin (&tool);
  processes_say (&shared, memory, "out", advice, true, true);
}

static void
assert_said (const char *said)
{
  const char *err = capture (print_all, (char[]){ "; save" })->err;

  cr_assert_str_eq (err, said, "%s", err);
}

static void
assert_said_quietly (const char *said)
{
  const char *err = capture (print_quietly, (char[]){ "; save" })->err;

  cr_assert_str_eq (err, said, "%s", err);
}

Test (processes, all_have_a_profile)
{
  assert_said ("");
  assert_said_quietly ("");
}

/* No process has these ids, as 0 and the highest one are never used.  */
Test (processes, some_were_killed)
{
  miss (QEMU_PROCESSES - 1);
  assert_said ("test: out: no profile of 1 process that a signal ended: "
               "4194303; save\n");
  miss (0);
  assert_said_quietly ("test: out: no profile of 2 processes that a signal "
                       "ended: 0, 4194303; save\n");
}

Test (processes, of_many_a_few_are_named)
{
  shared.n_replaced = 2;
  assert_said ("test: out: no profile of 2 processes that a signal ended; "
               "save\n");
  for (uint32_t i = 1; i <= 4; i++)
    miss (QEMU_PROCESSES - i);
  assert_said ("test: out: no profile of 6 processes that a signal ended: "
               "4194300, 4194301, 4194302 and 3 more; save\n");
}

Test (processes, some_executed_other_programs)
{
  shared.n_executed = 1;
  assert_said ("test: out: no profile of the programs that 1 process "
               "executed\n");
  shared.n_executed = 2;
  assert_said ("test: out: no profile of the programs that 2 processes "
               "executed\n");
  assert_said_quietly ("");
}

/* Starts a shell that ends with the pipe, and returns when it has begun: its
   command is another one now.  */
static pid_t
start (const char *word, int *end)
{
  int in[2], out[2];
  char byte;
  pid_t child;

  cr_assert_eq (pipe (in) + pipe (out), 0);
  child = fork ();
  if (child == 0)
    {
      dup2 (in[0], STDIN_FILENO);
      dup2 (out[1], STDOUT_FILENO);
      close (in[1]);
      execl ("/bin/sh", "sh", "-c", "echo; read line", word, (char *) NULL);
      _exit (1);
    }
  cr_assert_eq (read (out[0], &byte, 1), 1);
  *end = in[1];
  return child;
}

static void
stop (pid_t child, int end)
{
  close (end);
  waitpid (child, NULL, 0);
}

Test (processes, one_is_running)
{
  char word[80], said[120];
  int end;
  pid_t child;

  snprintf (word, sizeof word, "file=x,shared=%s,from=f", memory);
  child = start (word, &end);
  miss ((uint32_t) child);
  snprintf (said, sizeof said,
            "test: out: no profile yet of 1 process, still running: %ld\n",
            (long) child);
  assert_said (said);
  assert_said_quietly ("");
  snprintf (said, sizeof said,
            "test: out: no profile of 1 process, still running: %ld\n",
            (long) child);
  cr_assert_str_eq (capture (print_last, (char[]){ "; save" })->err, said);
  stop (child, end);
}

/* The id was that of a process that a signal ended.  */
Test (processes, one_is_another_now)
{
  char said[120];
  int end;
  pid_t child = start ("another", &end);

  miss ((uint32_t) child);
  snprintf (said, sizeof said,
            "test: out: no profile of 1 process that a signal ended: %ld; "
            "save\n",
            (long) child);
  assert_said (said);
  stop (child, end);
}

/* exec_calls.h.  */

Test (exec_calls, of_processors)
{
  static const struct
  {
    const char *processor;
    int execve, execveat;
  } all[] = { { "x86_64", 59, 322 },       { "i386", 11, 358 },
              { "armeb", 11, 387 },        { "aarch64_be", 221, 281 },
              { "riscv32", 221, 281 },     { "loongarch64", 221, 281 },
              { "s390x", 11, 354 },        { "ppc64le", 11, 362 },
              { "mipsel", 4011, 4356 },    { "mips64el", 5057, 5316 },
              { "mipsn32el", 6057, 6320 }, { "sparc32plus", 59, 350 } };

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    {
      struct exec_calls calls = exec_calls_of (all[i].processor);

      cr_assert (exec_calls_have (calls, all[i].execve));
      cr_assert (exec_calls_have (calls, all[i].execveat));
      cr_assert_not (exec_calls_have (calls, 60));
    }
}
