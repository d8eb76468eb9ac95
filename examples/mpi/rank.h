/* rank.h - the memory that a rank's program and its watcher share: how often
   and how long the program was in MPI, for each call stack.

   The agent in the program writes it, and nothing else; so it is all there
   when the program is killed.  It is a file of zeros without a name, most of
   whose pages nobody touches.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RANK_H
#define RANK_H 1

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The environment variable that leads the agent to the memory: a path in
   /proc, so that programs may close what they inherit.  */
#define RANK_ENV "CGW_MPI"

/* Of cgw-mpi and the agent, which must come from one build.  */
#define RANK_MAGIC UINT64_C (0x6367772d6d706931)

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
  RANK_NOTES = 1 << 19      /* words */
};

/* What a stack stands for.  Its frames are addresses, the innermost first;
   those of callers lie in the call.  */
enum rank_kind
{
  RANK_LOST,    /* what there was no room for; no frames */
  RANK_CALL,    /* a call of an MPI function: frame 0 is the caller */
  RANK_BETWEEN, /* between two calls: frame 0 leads to the second, frame 1 to
                   the first, the others are common to both */
  RANK_SAMPLE   /* a sample: frame 0 is where the program was */
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
};

/* What the agent asks for.  */
enum rank_request
{
  RANK_BEGIN,   /* MPI_Init is done: owner, rank and size are set */
  RANK_PACK,    /* a packed profile with the events of OUT */
  RANK_PACK_OWN, /* and of this rank alone */
  RANK_WRITE,   /* write OUT, from a packed profile */
  RANK_PART,    /* write a rank's part of the other file */
  RANK_END,     /* all is done */
  RANK_FAIL     /* the reduction failed: write this rank's own file */
};

enum { RANK_AGENT, RANK_WATCHER }; /* whose turn it is */

struct rank_memory
{
  uint64_t magic;
  uint64_t interval;        /* ns of processor time between two samples, or 0 */
  int32_t watcher;          /* process id */
  _Atomic int32_t owner;    /* process id of who called MPI_Init, or 0 */
  bool parts;               /* --ranks was given */
  uint32_t rank;
  uint32_t size;

  /* Questions and answers.  */
  _Atomic uint32_t turn;
  uint32_t request;
  uint32_t status;          /* of libcgw: the answer */
  uint32_t part;            /* of RANK_PART */
  bool slow, fast;          /* this rank is the slowest, the fastest */
  int32_t fd;               /* a packed profile, in the process that has the
                               turn no longer */

  /* What was measured.  */
  uint64_t library;         /* an address in the MPI library */
  uint64_t outside;         /* ns between the calls of the first thread */
  uint64_t missed;          /* samples that came while the table was locked */
  uint64_t cut;             /* stacks of which outer frames are missing */
  uint64_t no_unwinder;
  _Atomic uint32_t n_stacks; /* the first is RANK_LOST */
  uint32_t n_words;
  _Atomic uint32_t n_notes; /* words */
  char names[RANK_FUNCTIONS][RANK_NAME];
  uint32_t slots[RANK_SLOTS]; /* indices of stacks, or 0 */
  struct rank_stack stacks[RANK_STACKS];
  uint64_t words[RANK_WORDS];
  uint64_t notes[RANK_NOTES]; /* each: how many words follow, and they */
};

#endif /* RANK_H */
