/* unsampled.h - finds what is in no profile: a program that the sampled one
   executes, but that does not load the agent; and processes that outlive the
   sampled one.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_UNSAMPLED_H
#define SAMPLE_UNSAMPLED_H 1

#include "../symbols/maps.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Begins as {0}.  */
struct unsampled
{
  struct program
  {
    uint64_t pid; /* 0: none */
    uint64_t device;
    uint64_t inode;
  } program;  /* that had no note when it was looked for */
  char *path; /* its path, when it had none the time before, either, or NULL */
};

/* Looks for one among a process and its descendants.  */
void unsampled_look (struct unsampled *u, const struct maps *maps,
                     pid_t pid);

/* The path of one that never got a note, or NULL.  */
const char *unsampled_path (const struct unsampled *u,
                            const struct maps *maps);

/* Names what still runs of the programs whose environment has the path of the
   memory.  */
void unsampled_report_left (const char *memory);

#endif /* SAMPLE_UNSAMPLED_H */
