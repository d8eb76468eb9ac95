/* maps.h - the address spaces of the profiled processes, from notes of the
   agent.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MAPS_H
#define MAPS_H 1

#include "intern.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* A part of a file, or memory, that is mapped executable.  */
struct region
{
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint32_t object;
};

/* A process between its start, a fork or an exec, and the next.  */
struct process
{
  bool is_known;       /* its note came */
  uint64_t pid;
  uint64_t start_time;
  uint64_t device;     /* of the program */
  uint64_t inode;
  char *command;       /* the arguments, separated by blanks */
  struct region *regions; /* the newest last: it covers those before */
  uint32_t n_regions;
  uint32_t capacity;
};

/* Object 0 is unknown.  The key of an object is its inode and its path; of the
   code that a process made at run time, the process's start time and the name
   of the file in /tmp that may list its functions, "perf-PID.map".  Begins as
   {0}, with maps_begin.  */
struct maps
{
  struct process *processes; /* by number */
  uint32_t capacity;
  struct intern objects;
};

struct location
{
  uint64_t object;
  uint64_t offset; /* in the file; if there is none, the address */
};

void maps_begin (struct maps *m);

/* Takes a note; for cgw_recorder_drain.  */
void maps_take (void *maps, const struct cgw_sample *note);

/* The process of a number; one that nothing is known of, if need be.  */
struct process *maps_process (struct maps *m, uint64_t number);

/* Where an address lies.  False: nothing that can be executed was mapped
   there, as far as is known.  */
bool maps_find (struct maps *m, uint64_t process, uint64_t address,
                struct location *location);

/* An object's path ("[vdso]", or "" for object 0) and inode.  */
const char *maps_path (const struct maps *m, uint64_t object,
                       uint64_t *inode);

#endif /* MAPS_H */
