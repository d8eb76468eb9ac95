/* rank.h - the memory that a rank's program shares with its watcher: counts and
   times of MPI calls, by call stack.

   The agent counts only here, so the watcher has everything when the program is
   killed.  The memory is a memfd; most of its pages are never touched and take
   no space.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RANK_H
#define RANK_H 1

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The environment variable with the path of the memory.  The path is in /proc,
   so the program may close descriptors that it inherits.  */
#define RANK_ENV "CGW_MPI"

/* cgw-mpi and the agent must be from the same build.  */
#define RANK_MAGIC UINT64_C (0x6367772d6d706933)

/* The signal with which the agent asks the watcher.  */
#define RANK_SIGNAL SIGUSR1

enum
{
  RANK_FRAMES = 512,        /* of a stack; outer ones are cut off */
  RANK_STACKS = 1 << 17,
  RANK_SLOTS = 2 * RANK_STACKS,
  RANK_WORDS = 1 << 23,     /* of all stacks together */
  RANK_FUNCTIONS = 1024,
  RANK_NAME = 64,
  RANK_ROWS = 1 << 18,
  RANK_NOTES = 1 << 19      /* words */
};

/* Kinds of stacks.  Frames are addresses, the innermost first; the address of a
   caller is inside its call instruction.  */
enum rank_kind
{
  RANK_LOST,    /* stacks for which there was no room; no frames */
  RANK_CALL,    /* an MPI call: frame 0 is the caller */
  RANK_BETWEEN, /* time between two calls: the stacks of both have frames 2 and
                   up in common, and below them frame 0 is of the second call,
                   frame 1 of the first */
  RANK_SAMPLE   /* a sample: frame 0 is the interrupted instruction */
};

struct rank_stack
{
  uint64_t hash;
  uint32_t kind;
  uint32_t function;
  uint32_t first;   /* of its words */
  uint32_t n;
  uint64_t count;
  uint64_t ns;
  uint64_t sent;     /* bytes */
  uint64_t received;
};

/* What rank 0 knows of each rank, in nanoseconds.  */
struct rank_row
{
  uint64_t outside; /* MPI, in the first thread */
  uint64_t time;    /* in its profile */
  uint64_t mpi;     /* thereof */
};

/* Requests of the agent to the watcher.  */
enum rank_request
{
  RANK_BEGIN,   /* MPI_Init is done: owner, rank and size are set */
  RANK_PACK,    /* pack this rank's profile */
  RANK_WRITE,   /* write OUT, from a packed profile */
  RANK_END,     /* no request will follow */
  RANK_ABORT,   /* nor here: the program calls MPI_Abort */
  RANK_FAIL     /* the reduction failed: write this rank's own file */
};

enum { RANK_AGENT, RANK_WATCHER }; /* values of turn */

struct rank_memory
{
  uint64_t magic;
  uint64_t interval;        /* ns of processor time between two samples, or 0 */
  int32_t watcher;          /* process id */
  _Atomic int32_t owner;    /* process id of the caller of MPI_Init, or 0 */
  bool bytes;               /* --bytes was given */
  uint32_t rank;
  uint32_t size;

  /* Requests and answers.  */
  _Atomic uint32_t turn;
  uint32_t request;
  uint32_t status;          /* of libcgw: the answer */
  bool slow, fast;          /* this rank is the slowest, the fastest */
  int32_t fd;               /* a packed profile, of the process that made the
                               request or the answer */

  /* The measurements.  */
  uint64_t library;         /* an address in the MPI library */
  uint64_t outside;         /* ns between the calls of the first thread */
  uint64_t missed;          /* samples that came while the table was locked */
  uint64_t cut;             /* truncated stacks */
  uint64_t no_unwinder;
  _Atomic uint64_t no_clock; /* threads that could not be sampled */
  _Atomic uint64_t left_out; /* see agent_maps_begin */
  _Atomic uint32_t n_stacks; /* the first is RANK_LOST */
  uint32_t n_words;
  _Atomic uint32_t n_notes; /* words */
  char names[RANK_FUNCTIONS][RANK_NAME];
  uint32_t slots[RANK_SLOTS]; /* indices of stacks, or 0 */
  struct rank_stack stacks[RANK_STACKS];
  uint64_t words[RANK_WORDS];
  uint64_t notes[RANK_NOTES]; /* each: a number of words, and the words */
  bool has_rows;
  struct rank_row rows[RANK_ROWS]; /* of rank 0 */
};

#endif /* RANK_H */
