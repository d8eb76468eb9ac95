/* run.h - runs a program for a tool, passes signals on to it, and waits for its
   end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RUN_H
#define RUN_H 1

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct run
{
  pid_t pid;
  int signals;    /* a signalfd */
  struct sigaction at_size_limit; /* what SIGXFSZ does in the program */
  bool has_ended;
  bool is_urged;  /* SIGTERM came a second time: end now */
  int status;     /* as waitpid says */
  double seconds; /* of processor time, with what it waited for */
};

/* Call this before anything changes what signals do.  */
void run_begin (struct run *run);

/* Starts it.  prepare (context) sets the environment, in the program's process.
   False: it cannot be started, errno says why.  */
bool run_start (struct run *run, char **arguments,
                bool (*prepare) (void *context), void *context);

/* Waits at most so long for a signal, and deals with it.  Negative: until one
   comes.  */
void run_wait (struct run *run, int milliseconds);

/* Ends this process as the program ended: by its status or its signal.  */
void run_exit (const struct run *run) __attribute__ ((noreturn));

#endif /* RUN_H */
