/* gate.h - what the tests of calls that meet inside one writer share: a writer
   into memory whose hooks call back, its ledger, and children.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef GATE_H
#define GATE_H 1

#include "cgw.h"
#include "heap.h"
#include "ledger.h"
#include "step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GATE_BYTES (1 << 18)

struct gate
{
  struct cgw_names *names;
  struct cgw_writer *w;
  struct heap heap;
  struct ledger ledger;
  struct cgw_fn fn, other;
  char bytes[GATE_BYTES]; /* what the write hook took */
  size_t n;
  /* When not NULL, called by the hooks of the writer, once for each write or
     new block of memory.  */
  void (*in_write) (struct gate *);
  void (*in_allocate) (struct gate *);
  int fail; /* errno of all writes; 0: they succeed */
  enum cgw_status status; /* what a test's call returned */
};

/* Makes a writer in dirty memory, whose bytes go to fd, or into g->bytes when
   that is -1.  options may be NULL; its hooks are replaced.  Adds the
   functions.  */
void gate_open (struct gate *g, const struct cgw_options *options, int fd);

/* Begins a part with the first n of the events A, B, C.  */
enum cgw_status gate_begin (struct gate *g, size_t n_events);

/* A record through the ledger; may be called in a handler.  */
enum cgw_status gate_record (struct gate *g, enum kind kind);

/* One of each kind; they return that status.  */
void gate_records (struct gate *g, enum cgw_status status);

/* The counts and the file of a finished writer are right: with totals, unless
   the reader's flags say READER_UNFINISHED.  Frees it and its names.  */
void gate_check (struct gate *g, unsigned reader_flags);

/* cgw_finish gives that status; gate_check with totals.  */
void gate_end (struct gate *g, enum cgw_status status);

void gate_free (struct gate *g);

/* Reads the file into g->bytes from its beginning.  */
void gate_load (struct gate *g, int fd);

/* Runs body in a child.  Its exit status; or 1000 and the signal that killed
   it: an alarm, when it hung.  May be called in a handler.  */
int gate_child (int (*body) (void *), void *context);

/* In a child that a handler forks by itself: dies when it hangs.  */
#define GATE_CHILD_SECONDS 60

/* How a forked child ended, as gate_child says it.  */
int gate_wait (pid_t child);

/* Calls live (argument) in a thread of its own, and returns when that is inside a
   call: when a hook has called gate_stay.  It stays there until gate_release.  */
void gate_hold (void *(*live) (void *), void *argument);
void gate_stay (struct gate *g);
void gate_release (void);

/* gate_release, and waits until the thread has ended.  */
void gate_let_go (void);

/* When not NULL, called in place of each sleep of a call that waits for another
   thread; every other one is interrupted, as by a signal.  */
extern void (*gate_in_wait) (void);

#endif /* GATE_H */
