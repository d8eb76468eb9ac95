/* outside.h - finds programs whose processor time is not in any profile: those
   that the sampled program executes, but that do not load the agent; and those
   that outlive it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_OUTSIDE_H
#define SAMPLE_OUTSIDE_H 1

#include "../symbols/maps.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A program that a process ran when it was looked at.  */
struct seen
{
  uint64_t pid;
  uint64_t device;
  uint64_t inode;
  uint64_t image; /* as in struct process; 0: unknown */
  char *path;
  bool has_agent; /* its environment says so */
  bool is_other_user;
  unsigned looks; /* that saw it */
};

/* Begins as {0} but for the path.  */
struct outside
{
  const char *memory; /* the path that the environment has */
  struct seen *seen;
  uint32_t n;
  uint32_t capacity;
};

/* Look at a process, and at all its descendants, while they live.  Those that
   end sooner than the next look are not seen.  */
void outside_look (struct outside *o, pid_t pid);
void outside_look_below (struct outside *o, pid_t pid);

/* Names the programs that no note is of, each once.  */
void outside_report (const struct outside *o, struct maps *maps);

/* Names what still runs of the programs that have the agent.  */
void outside_report_left (const struct outside *o);

#endif /* SAMPLE_OUTSIDE_H */
