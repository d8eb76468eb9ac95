/* maps.h - the address spaces of the profiled processes: what is mapped where,
   as an agent or a recording notes it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MAPS_H
#define MAPS_H 1

#include "../base/table.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* What code is mapped from.  Two are one object if all members are equal.  */
enum { OBJECT_BUILD_ID = 20 };
struct object
{
  /* A file's, or "[vdso]"; of the code that a process made at run time the name
     of the file in /tmp that may list its functions, "perf-PID.map".  */
  const char *path;
  uint64_t inode;      /* 0: unknown */
  uint64_t start_time; /* of the process that made the code, in the kernel's
                          ticks since the boot; 0: unknown */
  /* A file's; of a longer one the beginning.  */
  unsigned char build_id[OBJECT_BUILD_ID];
  uint32_t build_id_size; /* 0: unknown */
};

/* A part of an object that is mapped executable.  */
struct region
{
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint32_t object;
};

/* Of one address space, or of several that were forked and have not changed
   since; sorted, without overlaps.  */
struct regions
{
  struct region *region;
  uint32_t n;
  uint32_t capacity;
  uint32_t users;
  uint32_t copied; /* of n: from the process that was forked */
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
  struct regions *regions; /* or NULL */
};

/* Begins as {0}, with maps_begin.  */
struct maps
{
  struct process *processes; /* by number */
  uint32_t capacity;
  uint32_t copied;           /* the sum of those of all regions */
  struct intern objects;     /* number 0 is unknown */
};

struct location
{
  uint64_t object;
  uint64_t offset; /* in the file; if there is none, the address */
};

void maps_begin (struct maps *m);
void maps_end (struct maps *m);

/* Takes a note of an agent; for cgw_recorder_drain.  */
void maps_take (void *maps, const struct cgw_sample *note);

/* The number of an object.  */
uint32_t maps_object (struct maps *m, const struct object *object);

/* The object of a number; 0 has the path "".  The path stays there until the
   next object is added.  */
struct object maps_object_of (const struct maps *m, uint64_t number);

/* The process of a number; one that nothing is known of, if need be.  */
struct process *maps_process (struct maps *m, uint64_t number);

/* Something is mapped into a process, and covers what was there before.  */
void maps_add (struct maps *m, uint64_t process, struct region region);

/* Code that the process made itself: at this address, without a file.  Its pid
   and start time name the object.  */
void maps_add_made (struct maps *m, uint64_t process, uint64_t start,
                    uint64_t end);

/* A process begins with what another has mapped, or with nothing.  */
void maps_fork (struct maps *m, uint64_t parent, uint64_t child);
void maps_forget (struct maps *m, uint64_t process);

/* The region that has an address; NULL: none.  It stays until something is
   mapped.  */
const struct region *maps_region (struct maps *m, uint64_t process,
                                  uint64_t address);

/* Where an address lies.  False: nothing that can be executed was mapped
   there, as far as is known.  */
bool maps_find (struct maps *m, uint64_t process, uint64_t address,
                struct location *location);

#endif /* MAPS_H */
