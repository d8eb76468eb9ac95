/* outside.h - finds programs that the sampled program starts, but that do not
   load the agent: their processor time is not in any profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_OUTSIDE_H
#define SAMPLE_OUTSIDE_H 1

#include "maps.h"

#include <stdint.h>
#include <sys/types.h>

/* A program that a process ran when it was looked at.  */
struct seen
{
  uint64_t pid;
  uint64_t device;
  uint64_t inode;
  char *path;
  unsigned looks; /* that saw it */
};

/* Begins as {0}.  */
struct outside
{
  struct seen *seen;
  uint32_t n;
  uint32_t capacity;
};

/* Looks at all descendants of a process, while they live.  Those that end
   sooner than the next look are not seen.  */
void outside_look (struct outside *o, pid_t first);

/* Names the programs that no note is of, each once.  */
void outside_report (const struct outside *o, struct maps *maps);

#endif /* SAMPLE_OUTSIDE_H */
