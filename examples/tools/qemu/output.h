/* output.h - the sums of all vcpus, and the file that they are written to.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef OUTPUT_H
#define OUTPUT_H 1

#include "../format/reader.h"
#include "qemu_shared.h"
#include "vcpu.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct output
{
  struct cgw_names *names;
  const char *path;              /* of the first process */
  const char *command;
  const char *processor;         /* as QEMU names it */
  const struct reader *reader;   /* whom the profile is for, or NULL */
  struct vcpu_events events;
  mode_t mask;                   /* of the mode of new files */
  bool has_jumps;
  bool has_parts;                /* one for each vcpu */
  bool has_trees;                /* for write/call_tree.c: see run/tree.h */
  bool are_cut;                  /* these are */
  struct cgw_profile **profiles; /* one, or by the vcpu's number less 1 */
  struct jumps *jumps;           /* likewise */
  uint32_t n_profiles;
  struct qemu_shared *shared;    /* or NULL: nothing is told */
  uint32_t process;              /* 0: the one that the command started */
  bool is_there;                 /* the file was written before */
  bool is_missing;               /* of a forked process nothing was told yet */
  uint32_t n_executing;          /* threads that execute another program */
};

/* Finds the memory in which the command is told.  */
void output_begin (struct output *o, const char *path);

/* Takes what a vcpu has executed since the last time.  */
void output_take (struct output *o, struct vcpu *v);

/* In a forked child, whose output is another file: forgets all that was taken.
   It is the program that forked, or QEMU for purposes of its own, of which
   nothing is told.  */
void output_fork (struct output *o, bool is_program);

/* A thread begins to execute another program, or could not.  */
void output_execute (struct output *o, bool begins);

/* Writes all that was taken; the file is complete at any time.  */
void output_write (struct output *o, bool is_end);

#endif /* OUTPUT_H */
