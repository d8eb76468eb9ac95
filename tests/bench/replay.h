/* replay.h - runs a contender once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef REPLAY_H
#define REPLAY_H 1

#include "contender.h"

/* Hands over all records, between the contender's begin and end.  Returns 0,
   or another number when one failed.  Instructions are counted inside it.  */
int bench_replay (const struct script *s, const struct contender *c,
                  void *context);

/* Begin, all records so many times over, end.  Returns the bench_time that it
   took; ends the program when the contender fails.  */
double bench_run_times (const struct script *s, const struct contender *c,
                        void *context, size_t times);

/* The same with each record once.  */
double bench_run (const struct script *s, const struct contender *c,
                  void *context);

/* Processor time of this thread, in nanoseconds.  */
double bench_time (void);

#endif /* REPLAY_H */
